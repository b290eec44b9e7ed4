// Named drills: where coins lie for a player at the south side, in millimetres of a board of 740 mm, and what is tried.

/** { name: { coins: [[kind, x, y]], wanted: pieces that have to fall, by letter } }; free practice wants any coin. */
export const DRILLS = {
  free: { coins: [], wanted: "" },
  straight: { coins: [["white", 230, 230]], wanted: "W" },
  cut: { coins: [["white", 120, 200]], wanted: "W" },
  cushion: { coins: [["white", -330, 120]], wanted: "W" },
  back: { coins: [["white", 290, -290]], wanted: "W" },
  pair: { coins: [["white", 200, 215], ["white", -200, 215]], wanted: "WW" },
  queen: { coins: [["queen", 0, 0], ["white", 240, 240]], wanted: "QW" },
};
const STANDARD_MM = 740;

/** The places of a drill on this board: [{ kind, x_mm, y_mm }]. */
export function placesOf(name, geometry) {
  const scale = geometry.surface / STANDARD_MM;
  return DRILLS[name].coins.map(([kind, x, y]) => ({ kind, x_mm: x * scale, y_mm: y * scale }));
}

/** Whether a stroke did what a drill wants: `fell` are the letters of the coins that it pocketed. */
export function isDone(name, fell) {
  const left = [...fell];
  const { wanted } = DRILLS[name];
  if (!wanted) return left.some((letter) => letter !== "S");
  return [...wanted].every((letter) => { const i = left.indexOf(letter); if (i >= 0) left.splice(i, 1); return i >= 0; }) && !left.includes("S");
}
