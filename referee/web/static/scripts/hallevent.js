// The tournament: an event file or SoL names the players, the chief begins rounds, and each board shows how it stands.

import { bookName } from "./books.js";
import { beginRound, bindLabel, keepEvent, send, unbindLabel } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { options, read, say, tried } from "./hall.js";
import { begin } from "./page.js";
import { drawSession } from "./sign.js";
import { t } from "./words.js";

const LOOK_MS = 2000;
const SOL = "sol";
const ONE_GAME = "icf+games=1"; // tournaments play one game to 25

begin("hallevent");
let known = null;
let drawn = "";
let binding = null; // the board whose label is asked for

const roundKey = (game) => JSON.stringify([game.tourney, game.round]);
const chosen = () => (byId("round").value === SOL || !byId("round").value ? null : JSON.parse(byId("round").value));
const pair = (names) => names.filter(Boolean).join(" – ");
const sameBoard = (a, b) => a.toLowerCase() === b.toLowerCase();

function stateOf(board) {
  if (board.stands) return "stands";
  if (board.over) return "over";
  return board.free ? "free" : "plays";
}

function cardWords(card) {
  if (!card) return null;
  if (card.problem) return h("small", { className: "trouble", lang: "en" }, card.problem);
  return h("small", {}, t(card.ended ? "hall.sol_ended" : card.entered ? "hall.sol_entered" : "hall.sol_bound"));
}

function stands(board) {
  return tried(async () => {
    await send({ state: "ended" }, `/b/${board.slug}/api/umpire/running`);
    await look();
  });
}

/** Begins the chosen round, at all boards or at those named. */
function beginAt(where) {
  return tried(async () => {
    const round = chosen();
    const told = await beginRound({ rules: byId("rules").value, ...(round ? { tourney: round[0], round: round[1] } : {}), ...where });
    const by = told.reduce((all, one) => ({ ...all, [one.begun]: [...(all[one.begun] ?? []), one] }), {});
    const words = Object.entries(by).map(([begun, boards]) => t(`hall.begun_${begun}`, { boards: boards.map(({ board }) => board).join(", ") }));
    say(told.every(({ begun }) => begun === "sent") ? "done" : "error", words.join(" ") || t("hall.no_labels"));
    await look();
  });
}

function boardRow(board) {
  const state = stateOf(board);
  const round = chosen();
  const plays = round && board.event.round === round[1] && (board.event.tourney ?? "") === round[0];
  const next = round && !plays && known.games.find((game) => game.tourney === round[0] && game.round === round[1] && sameBoard(game.board, board.name));
  const sides = board.sides.map((side) => side.names.filter(Boolean).join(" & "));
  const score = board.sides.map((side) => side.score).join(" : ");
  const part = board.event.round === undefined ? "" : [board.event.tourney, t("hall.round_n", { n: board.event.round })].filter(Boolean).join(" · ");
  return h("li", { "data-state": state },
    h("a", { className: "board", href: `/b/${board.slug}/`, dir: "auto" }, board.name),
    h("div", { className: "now" }, h("span", { className: "names", dir: "auto" }, pair(sides)), " ", h("b", {}, board.sides.length ? score : ""),
      h("small", {}, [board.up ? t(`hall.is_${state}`) : t("hall.unreachable_short"), part].filter(Boolean).join(" · "))),
    h("div", { className: "next" }, ...(next ? [h("span", { className: "names", dir: "auto" }, pair(Object.values(next.players))), h("small", {}, t("hall.round_n", { n: next.round }))] : []), cardWords(board.card)),
    h("div", { className: "acts" },
      state === "over" ? h("button", { type: "button", className: "main", click: () => stands(board) }, t("over.stands")) : null,
      next && board.free && board.up ? h("button", { type: "button", click: () => beginAt({ boards: [next.board] }) }, t("match.new")) : null,
      h("button", { type: "button", click: () => ask(board) }, t("hall.label"))));
}

function draw() {
  const rounds = new Map(known.games.map((game) => [roundKey(game), [game.tourney, t("hall.round_n", { n: game.round })].filter(Boolean).join(" · ")]));
  const entries = [...rounds, ...(known.boards.some((board) => board.card) || rounds.size === 0 ? [[SOL, t("hall.round_sol")]] : [])];
  const before = byId("round").value;
  options(byId("round"), entries);
  if (entries.some(([value]) => value === before)) byId("round").value = before;
  const missing = chosen() ? known.games.filter((game) => roundKey(game) === byId("round").value && !known.boards.some((board) => sameBoard(board.name, game.board))) : [];
  byId("none").hidden = known.boards.length > 0;
  byId("boards").replaceChildren(...known.boards.map(boardRow),
    ...missing.map((game) => h("li", { "data-state": "missing" }, h("span", { className: "board", dir: "auto" }, game.board),
      h("div", { className: "now" }, h("small", { className: "trouble" }, t("hall.is_missing"))), h("div", { className: "next" }, h("span", { className: "names", dir: "auto" }, pair(Object.values(game.players)))))));
}

async function look() {
  const found = await read("/api/hall/event");
  if (!found) { say("error", t("hall.away")); return; }
  const text = JSON.stringify(found);
  if (text === drawn) return;
  if (!drawn) options(byId("rules"), [ONE_GAME, ...found.books].map((name) => [name, bookName(name)]));
  drawn = text;
  known = found;
  draw();
}

function ask(board) {
  binding = board;
  write(byId("label-title"), t("hall.at", { board: board.name }));
  byId("label-url").value = board.card?.url ?? "";
  byId("label-remove").hidden = !board.card;
  byId("label-message").hidden = true;
  byId("label").showModal();
}

const labelFailed = (text) => { byId("label-message").hidden = false; write(byId("label-message"), text); };
const labelled = (work) => tried(async () => { await work(); byId("label").close(); await look(); }, labelFailed);
byId("label").querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  labelled(() => bindLabel(binding.station, byId("label-url").value.trim()));
});
byId("label-remove").addEventListener("click", () => labelled(() => unbindLabel(binding.station)));
byId("label-close").addEventListener("click", () => byId("label").close());
byId("round").addEventListener("change", draw);
byId("file").addEventListener("change", () => tried(async () => {
  const [file] = byId("file").files;
  if (!file) return;
  const { games } = await keepEvent(await file.text());
  byId("file").value = "";
  say("done", t("hall.games_taken", { n: games }));
  await look();
}));
byId("round-form").addEventListener("submit", (event) => {
  event.preventDefault();
  beginAt({});
});
drawSession();
look();
setInterval(look, LOOK_MS);
