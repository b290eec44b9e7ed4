// Before the first stroke: what to do next in large letters, what is missing, and the code to follow on a phone.

import { createCamera } from "./camera.js";
import { byId, h, write } from "./dom.js";
import { playerAt, sides } from "./view.js";
import { t } from "./words.js";

const FORMATION = { white: 9, black: 9, queen: 1 };
const ALL = 19;
const WITHOUT_BOARD = new Set(["no_board", "camera_away", "set_up"]);
const OTHER_COINS = /^ring_12\b/; // books whose boards begin with other coins than a set

/** Whether a match waits for its first stroke. */
export function isReady(view, shout) {
  return Boolean(view) && !shout && view.strokes === 0 && view.rulings.length === 0 && !view.match_over;
}

/** What has to be there before a break: [{ name, is, text }], and the sentence that says what to do next. */
function points({ view, live, table, health }) {
  const boardless = (health?.alerts ?? []).some(({ kind }) => WITHOUT_BOARD.has(kind));
  const counts = { white: 0, black: 0, queen: 0 };
  for (const { kind } of live?.pieces?.length ? live.pieces : table?.pieces ?? []) if (kind in counts) counts[kind] += 1;
  const missing = Object.entries(FORMATION).map(([kind, n]) => [kind, n - counts[kind]]).filter(([, n]) => n > 0);
  const stands = OTHER_COINS.test(view.rules) || missing.length === 0;
  const unnamed = sides(view).some((side) => side.seats.some((seat) => !view.players[seat]));
  const list = [
    { name: "board", is: !boardless, text: t(boardless ? "ready.no_board" : "ready.board") },
    { name: "coins", is: stands, text: stands ? t("ready.coins") : t("ready.coins_seen", { n: ALL - missing.reduce((sum, [, n]) => sum + n, 0), of: ALL }) },
    { name: "names", is: !unnamed, text: t(unnamed ? "ready.no_names" : "ready.names") },
  ];
  if (boardless) return { list, next: t("ready.no_board") };
  if (!stands) return { list, next: t("ready.set_up", { coins: missing.map(([kind, n]) => `${n} × ${t(`kind.${kind}`)}`).join(", ") }) };
  const breaker = view.breaks_next ?? view.turn;
  return { list, next: breaker ? t("ready.breaks", { who: playerAt(view, breaker) }) : t("ready.anyone") };
}

/** Draws into the page's box, and the camera's picture into `board`; `named` opens the form in which players are named. */
export function createReady(board, named) {
  let was = false;
  const camera = createCamera((picture) => { if (was) board.setPicture(picture?.url ?? null, picture?.reach); });
  byId("ready-names").addEventListener("click", named);
  return (sections, shout) => {
    const is = isReady(sections.view, shout);
    byId("ready").hidden = !is;
    document.body.dataset.awaits = is ? "break" : "";
    camera.run(is);
    if (!is && was) board.setPicture(null);
    was = is;
    if (!is) return;
    const { list, next } = points(sections);
    write(byId("ready-next"), next);
    const told = JSON.stringify(list);
    if (byId("ready-list").dataset.told !== told) {
      byId("ready-list").dataset.told = told;
      byId("ready-list").replaceChildren(...list.map(({ name, is: done, text }) => h("li", { "data-point": name, "data-is": String(done) },
        h("span", { className: "sign", "aria-hidden": "true" }, done ? "✓" : "○"), text)));
    }
    byId("ready-names").hidden = list.find(({ name }) => name === "names").is;
    if (!byId("ready-code").getAttribute("src")) byId("ready-code").src = "/api/address.svg"; // asked for only where it is shown
  };
}
