// The scoreboard: what the web server says, drawn. Nothing is worked out here that the referee has not said.

import { createActs } from "./act.js";
import { createAsk } from "./ask.js";
import { createBoard } from "./board.js";
import { bookName } from "./books.js";
import { freshness, isOld, watch } from "./connection.js";
import { byId, write } from "./dom.js";
import { createEditor } from "./editor.js";
import { healthText } from "./health.js";
import { createInstant } from "./instant.js";
import { createMatches } from "./match.js";
import { createMenu } from "./menu.js";
import { createOver } from "./over.js";
import { createOffer } from "./offer.js";
import { begin } from "./page.js";
import { drawPanel, fitName, panel, removePanels } from "./panel.js";
import { createReady } from "./ready.js";
import { drawRuling, fitRuling } from "./ruling.js";
import { drawShout, shoutOf } from "./shout.js";
import { drawConnection } from "./signs.js";
import { clockLeft, playerAt, queen, sides } from "./view.js";
import { createVoice } from "./voice.js";
import { has, t } from "./words.js";

const BUSY = new Set(["hand", "placed", "moving", "settling"]);
const QUIET = new Set(["waiting", "hand"]); // phases in which an open question is what people should know
const LONG_QUEEN = 20; // characters of the queen's line that fit beneath the board at full size
const TWO_LINES = 26; // and from which it takes two lines
const LONG_HEAD = 36; // characters of the headline from which it is set smaller, in two lines where one is not enough
const SET_UP = new Set(["no_board", "set_up"]); // troubles that the set-up helps out of
const ALERT_S = 120; // an alert is shown this long by the match's own clock, unless newer strokes push it away

begin("scoreboard");
const board = createBoard(byId("board"));
const voice = createVoice();
createMenu(byId("menu"));
let sections = {};
const acts = createActs(() => sections);
const editor = createEditor(acts.change, () => sections);
const matches = createMatches(acts.change, () => sections);
const ask = createAsk({ change: acts.change, sections: () => sections, correct: (ruling) => editor.open(ruling.stroke, ruling.stroke_text, ruling.seat) });
byId("head").addEventListener("click", () => matches.open());
byId("head").setAttribute("aria-haspopup", "dialog");
const openRuling = () => {
  const { view } = sections;
  if (view?.challenges.open) ask.challenge(view);
  else if (view?.needs_operator?.length) ask.question(view);
  else if (view?.rulings?.length) ask.ruling(view);
};
byId("ruling-open").addEventListener("click", openRuling);
const drawInstant = createInstant(openRuling);
const DOES = {
  reload: () => location.reload(),
  match: () => matches.open(),
  go_on: () => acts.change({ state: "playing" }, t("running.playing"), "/api/umpire/running"),
  rematch: () => acts.change({ action: "declare", rematch: true }, t("match.rematch")),
  stands: () => acts.change({ state: "ended" }, t("over.stands"), "/api/umpire/running"),
};

const drawReady = createReady(board, () => matches.open());
const drawOffer = createOffer();
const drawOver = createOver(DOES);

function drawSides({ view, live }) {
  const all = sides(view);
  const clock = clockLeft({ view, live });
  all.forEach((side, index) => {
    const placement = live?.placement && side.seats.includes(live.placement.seat) ? live.placement : null;
    drawPanel(panel(index), side, { placement, clock });
  });
  removePanels(all.length);
  byId("sides").dataset.sides = String(all.length);
}

/** The whole ruling can be touched: for the question, or to see, mend or take back. */
function drawOpen(view) {
  const button = byId("ruling-open");
  button.hidden = !view?.rulings?.length;
  button.setAttribute("aria-label", t(view?.needs_operator?.length || view?.challenges.open ? "ask.answer" : "ask.open"));
}

/** Sets rulings and names as large as their places allow. */
function refit() {
  document.querySelectorAll(".ruling").forEach(fitRuling);
  document.querySelectorAll(".side .name").forEach(fitName);
}

/** People at the board are told that pictures of them are kept: a red dot, and in words for those who ask. */
function drawRecording(live) {
  const keeps = live?.recording ?? "off";
  byId("recording").hidden = keeps === "off";
  write(byId("recording").lastElementChild, keeps === "off" ? "" : t("recording.short"));
  byId("recording").title = keeps === "off" ? "" : t(`recording.${keeps}`);
}

function drawView({ view, live, health }) {
  drawSeats(view);
  drawQueen(view);
  for (const box of document.querySelectorAll(".ruling")) drawRuling(box, view);
  drawAlert({ view, live, health });
  drawOpen(view);
  drawOffer(view);
  write(byId("match"), headline(view));
  byId("head").dataset.long = String(headline(view).length > LONG_HEAD);
}

function headline(view) {
  if (!view) return "Carrom";
  const parts = []; // the book comes last: its end is what a narrow screen cuts
  if (view.game > 1) parts.push(t("game", { n: view.game }));
  if (view.board) parts.push(t("board", { n: view.board }));
  if (view.match_over) parts.push(t("match.over"));
  else if (view.board_over) parts.push(t("board.over"));
  if (view.change_seats) parts.push(t("change_seats"));
  return [...parts, bookName(view.rules)].join(" · ");
}

function drawSeats(view) {
  const shown = {};
  for (const side of sides(view)) {
    for (const seat of side.seats) {
      const theirs = [view?.turn, view?.breaks_next, view?.winner].includes(seat);
      shown[seat] = { name: playerAt(view, seat), turn: Boolean(side.label) && theirs };
    }
  }
  board.setSeats(shown);
}

function drawQueen(view) {
  const { status, text } = queen(view);
  byId("queen").dataset.status = status;
  byId("queen").dataset.long = text.length > TWO_LINES ? "names" : String(text.length > LONG_QUEEN);
  write(byId("queen").lastElementChild, text);
}

function drawAlert({ view, live, health }) {
  const alert = view?.alerts?.at(-1);
  const told = alert !== undefined && (live === undefined || live.t - alert.t < ALERT_S);
  const texts = [told ? (has(`alert.${alert.kind}`) ? t(`alert.${alert.kind}`) : alert.text) : "", healthText(health, document.body.dataset.shout, "picture_small")].filter(Boolean);
  byId("alert").hidden = texts.length === 0;
  document.body.dataset.alert = String(texts.length > 0);
  write(byId("alert-text"), texts.join("  ·  "));
  byId("alert-setup").hidden = !(health?.alerts ?? []).some(({ kind }) => SET_UP.has(kind));
}

function drawLive({ live, table, view }) {
  board.setPieces(live?.pieces?.length ? live.pieces : table?.pieces ?? []);
  board.setHands(live?.hands ?? []);
  const seen = live?.phase ?? "waiting";
  const phase = view?.needs_operator?.length && QUIET.has(seen) ? "needs_you" : seen;
  const box = byId("phase");
  box.dataset.phase = phase;
  box.dataset.busy = String(BUSY.has(phase));
  write(box.lastElementChild, has(`phase.${phase}`) ? t(`phase.${phase}`) : phase);
}

function drawFreshness(store) {
  const fresh = freshness(store);
  const shout = shoutOf({ sections: store.sections, fresh });
  drawConnection(store, shout);
  byId("phase").hidden = fresh.state !== "live" || Boolean(shout);
  board.setStale(isOld(fresh));
  document.body.dataset.old = String(isOld(fresh));
  const before = document.body.dataset.shout;
  drawShout(byId("veil"), shout, DOES);
  byId("veil").hidden ||= shout?.kind === "over"; // the result has a place of its own
  const places = `${document.body.dataset.awaits}:${document.body.dataset.over}`;
  drawReady(store.sections, shout);
  drawOver(store.sections, shout);
  if (places !== `${document.body.dataset.awaits}:${document.body.dataset.over}`) refit();
  if (before !== document.body.dataset.shout) drawAlert(store.sections);
}

function drawAll(store, section) {
  sections = store.sections;
  acts.heard();
  if ((section === null || section === "board") && sections.board) board.setGeometry(sections.board);
  if (section === null || section === "view" || section === "live") drawSides(sections);
  if (section === null || section === "view") drawView(sections);
  if (section === "live" || section === null) drawRecording(sections.live);
  if (section === "health") drawAlert(sections);
  if (section !== "clock") drawLive(sections);
  drawFreshness(store);
  if (section !== "clock") drawInstant(sections);
  voice.hear(sections, section);
}

addEventListener("resize", refit);
document.fonts.addEventListener("loadingdone", refit);
watch(drawAll);
