// What a change would do, before it is sent: every number that becomes another one.

import { h } from "./dom.js";
import { DeskError, preview } from "./desk.js";
import { playerAt, queen } from "./view.js";
import { t } from "./words.js";

const PAUSE_MS = 150; // between two touches of a key nobody reads

/** `show(request)` draws into `box` what the request would do; `refused(text)` hears why it cannot be, or null. */
export function createPreview(box, refused) {
  let last = 0;
  let timer = null;

  const ask = async (request, mine) => {
    try {
      const told = await preview(request);
      if (mine !== last) return;
      box.replaceChildren(...drawn(told));
      refused(null);
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      if (mine !== last) return;
      box.replaceChildren();
      refused(error.message);
    }
  };

  return {
    show(request) {
      last += 1;
      const mine = last;
      clearTimeout(timer);
      timer = setTimeout(() => ask(request, mine), PAUSE_MS);
    },
    clear() {
      last += 1;
      clearTimeout(timer);
      box.replaceChildren();
    },
  };
}

function drawn({ before, after, rulings }) {
  const rows = differences(before, after);
  const list = rows.length
    ? h("dl", {}, ...rows.flatMap(([what, from, to]) => [h("dt", {}, what), h("dd", {}, h("s", {}, from), " → ", h("b", {}, to))]))
    : h("p", {}, t("preview.nothing"));
  const count = rulings.length ? h("p", { className: "quiet" }, t("preview.rulings", { n: rulings.length })) : null;
  return [h("h3", {}, t("preview.title")), list, count].filter(Boolean);
}

/** [what, from, to] of everything that differs, in the order in which people ask. */
function differences(before, after) {
  const rows = after.sides.flatMap((side) => ofSide(before.sides.find((s) => s.seats[0] === side.seats[0]), side));
  rows.push([t("preview.turn"), who(before, before.turn), who(after, after.turn)]);
  rows.push([t("preview.queen"), queen(before).text, queen(after).text]);
  rows.push([t("preview.board"), boardWords(before), boardWords(after)]);
  rows.push([t("preview.won"), who(before, before.winner), who(after, after.winner)]);
  return rows.filter(([, from, to]) => from !== to);
}

function ofSide(before, after) {
  const name = after.seats.map((at, i) => after.players[i] || playerAt(null, at)).join(" & ");
  const number = (value) => (value === null || value === undefined ? "–" : String(value));
  return [["score", "score"], ["left", "coins_left"], ["due", "due"]]
    .map(([word, field]) => [`${name}: ${t(`preview.${word}`)}`, number(before?.[field]), number(after[field])]);
}

function who(state, seat) {
  if (!seat) return t("preview.nobody");
  const side = state.sides.find(({ seats }) => seats.includes(seat));
  return side?.players[side.seats.indexOf(seat)] || playerAt(null, seat);
}

function boardWords(state) {
  const number = t("board", { n: state.board });
  return state.board_over ? `${number} · ${t("board.over")}` : number;
}
