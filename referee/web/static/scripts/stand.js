// How the board stands, told by people: coins left, dues, points, the queen and who plays, in one form.

import { h } from "./dom.js";
import { sides } from "./view.js";
import { t } from "./words.js";

const FULL = 9; // coins of one colour
const MOST_POINTS = 99;
const COLOURS = { white: "W", black: "B" };

/** Fills `box` with the form; `notation()` gives what it says in the rule books' notation, `changed()` hears each touch. */
export function createStand(box, changed) {
  let board = 0;
  const value = (name) => box.querySelector(`[name="${name}"]`).value;
  const pair = (name) => Object.keys(COLOURS).map((colour) => Number(value(`${name}-${colour}`)));

  const number = (name, colour, label, now, most) => h("label", {}, label,
    h("input", { type: "number", name: `${name}-${colour}`, min: 0, max: most, value: now ?? 0, input: changed }));
  const select = (name, label, options, now) => h("label", {}, label,
    h("select", { name, input: changed }, ...options.map(([key, text]) => h("option", { value: key, selected: key === now }, text))));

  return {
    show(view) {
      board = view.board;
      const called = Object.fromEntries(sides(view).map((side) => [side.colour, side.name]));
      const who = (colour) => `${called[colour] ?? ""} (${t(`kind.${colour}`)})`;
      const queens = [["board", t("queen.board")], ...["covered", "pending"].flatMap((status) => Object.entries(COLOURS)
        .map(([colour, letter]) => [`${status === "covered" ? "cov" : "pend"}:${letter}`, t(`queen.${status}`, { who: who(colour) })]))];
      const { status, side } = view.queen;
      const queen = side ? `${status === "covered" ? "cov" : "pend"}:${COLOURS[side]}` : "board";
      const turn = view.colours[view.turn];
      box.replaceChildren(
        ...Object.keys(COLOURS).map((colour) => h("fieldset", {}, h("legend", {}, who(colour)), h("div", { className: "three" },
          number("left", colour, t("preview.left"), view.coins_left[colour] ?? FULL, FULL),
          number("due", colour, t("preview.due"), view.dues[colour], FULL),
          number("score", colour, t("preview.score"), view.score[colour], MOST_POINTS)))),
        select("queen", t("preview.queen"), queens, queen),
        select("mover", t("preview.turn"), Object.entries(COLOURS).map(([colour, letter]) => [letter, who(colour)]), COLOURS[turn]));
    },
    notation() {
      const [white, black] = pair("left").map((left) => FULL - left);
      const number_ = board ? ` board ${board}` : "";
      return `W${white} B${black} Q=${value("queen")} due ${pair("due").join("/")} score ${pair("score").join(":")} mv ${value("mover")}${number_}`;
    },
  };
}
