// The result of a match in parts: names, colours, score, bars by board, and its marks in words.

import { draw } from "./dom.js";
import { tintOf } from "./players.js";
import { has, locale, t } from "./words.js";

const one = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const [ROW, BAR, GAP] = [15, 11, 9]; // of the bars by board, in the picture's own units

export const namesOf = (side) => side.seats.map((seat, i) => side.players[i] || t(`seat.${seat}`)).join(" & ");

/** The colour of each side: that of its first player, another where two would look alike. */
export function tintsOf(sides) {
  const tints = [];
  for (const side of sides) {
    let tint = tintOf(namesOf(side));
    while (tints.includes(tint)) tint = (tint + 1) % 10;
    tints.push(tint);
  }
  return tints;
}

/** Games where more than one was won, else points. */
export const finalScore = (sides) => (sides.some(({ games }) => games > 1) ? sides.map(({ games }) => games) : sides.map(({ score }) => score));

/** What each side won in each board, a bar a side. */
export function drawBoards(svg, boards, sides) {
  const [tints, tall] = [tintsOf(sides), sides.length * ROW + GAP];
  const most = Math.max(1, ...boards.flatMap(({ points }) => points.map(Math.abs)));
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 300 ${Math.max(1, boards.length) * tall}`);
  svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
  svg.style.setProperty("--rows", String(boards.length));
  svg.setAttribute("aria-label", boards.map(({ board, points }) => `${t("board", { n: board })}: ${points.map((n, i) => `${namesOf(sides[i])} ${n}`).join(", ")}`).join("; "));
  boards.forEach(({ board, game, points }, i) => {
    const many = boards.some((other) => other.game !== boards[0].game);
    draw(svg, "text", { class: "label", x: 0, y: i * tall + (sides.length * ROW) / 2 + 4 }).textContent = many ? `${game}.${board}` : t("board", { n: board });
    points.forEach((n, side) => {
      const width = (Math.abs(n) / most) * 190;
      draw(svg, "rect", { class: "bar", "data-tint": tints[side], x: 70, y: i * tall + side * ROW, width: Math.max(width, 2), height: BAR, rx: 3 });
      draw(svg, "text", { class: "value", x: 76 + Math.max(width, 2), y: i * tall + side * ROW + 10 }).textContent = String(n);
    });
  });
}

/** A player's name; who has none is called by the seat. */
export const called = (player) => (has(`seat.${player}`) ? t(`seat.${player}`) : player);

/** The marks of a match in words: [{ name, what, stroke }]. */
export function marksOf({ run, fastest, queens }) {
  const marks = [];
  if (run) marks.push({ name: t("over.run"), what: t("over.run_of", { who: called(run.player), n: run.coins }), stroke: run.strokes[0] });
  if (fastest) marks.push({ name: t("over.fastest"), what: t("over.fastest_of", { who: called(fastest.player), speed: one.format(fastest.speed_mm_s / 1000) }), stroke: fastest.stroke });
  const counted = new Map();
  for (const { player } of queens) counted.set(player, (counted.get(player) ?? 0) + 1);
  const whose = [...counted].map(([who, n]) => (n > 1 ? `${called(who)} (${n})` : called(who))).join(", ");
  marks.push({ name: t("kind.queen"), what: whose || t("over.no_queen"), stroke: queens.at(-1)?.stroke ?? null });
  return marks;
}
