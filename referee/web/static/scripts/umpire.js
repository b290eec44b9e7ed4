// The umpire's desk: every stroke with its ruling; questions answered with one tap; correct, tell, undo, redo.

import { bookName } from "./books.js";
import { changeItem } from "./changes.js";
import { createClub } from "./club.js";
import { watch } from "./connection.js";
import { DeskError, changes, send, strokes } from "./desk.js";
import { byId, coin, h, write } from "./dom.js";
import { createEditor } from "./editor.js";
import { healthText } from "./health.js";
import { createMatches } from "./match.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { leftText } from "./panel.js";
import { createPolicy } from "./policy.js";
import { drawSession } from "./sign.js";
import { drawConnection } from "./signs.js";
import { strokeItem } from "./strokes.js";
import { createTeller, eventWords } from "./tell.js";
import { playerAt, queen, sides } from "./view.js";
import { language, strokeWords, t } from "./words.js";

const CONFIRM_MS = 6000; // the eyes write a correction within a frame or two; after this something is wrong

begin("umpire");
createMenu(byId("menu"));
let waiting = null; // { id, text, timer } of a change sent and not yet seen in the log
let fetching = 0;
let shown = ""; // what the lists rest on

function say(kind, text) {
  const box = byId("message");
  box.hidden = !text;
  box.dataset.kind = kind;
  write(box, text);
}

/** Sends a change that people call `what`; resolves to null, or to the sentence that says why it was refused. */
async function change(request, what, path) {
  say("wait", t("change.wait", { what }));
  try {
    const id = await send(request, path);
    clearTimeout(waiting?.timer);
    waiting = { id, what, match: store.sections.view?.match, timer: setTimeout(() => settle("error", t("change.unconfirmed", { what })), CONFIRM_MS) };
    confirm(store.sections);
    return null;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    say("error", error.message);
    return error.message;
  }
}

/** A change holds once the log shows it; until then the page does not claim it. */
function confirm({ log, view }) {
  if (!waiting) return;
  const { id, what, match } = waiting;
  if (view?.match !== match) settle("done", t("match.begun"));
  else if (log?.last_correction === id) settle("done", t("change.done", { what }));
  else if (log?.refused?.id === id) settle("error", t("change.refused", { what, why: log.refused.texts[language] }));
}

function settle(kind, text) {
  clearTimeout(waiting.timer);
  waiting = null;
  say(kind, text);
}

function drawScore(view) {
  byId("score").replaceChildren(...sides(view).map((side) => h("div", { className: "row", "data-turn": String(Boolean(side.label)) },
    coin(side.colour),
    h("span", { className: "name" }, side.name, h("small", {}, sideFacts(side))),
    h("span", { className: "points" }, side.score === null ? "–" : String(side.score)))));
  const facts = [view?.board ? t("board", { n: view.board }) : "", queen(view).text, view ? bookName(view.rules) : ""];
  write(byId("facts"), facts.filter(Boolean).join(" · "));
}

function sideFacts(side) {
  const facts = side.colour === "none" ? [side.place] : [leftText(side.left)];
  if (side.due) facts.push(t("owes", { n: side.due }));
  if (side.label) facts.push(side.label);
  return facts.join(" · ");
}

function drawActions(view) {
  for (const name of ["undo", "redo"]) {
    const step = view?.[name];
    byId(name).disabled = !step;
    write(byId(name).querySelector("small"), step ? stepWords(step) : "");
  }
}

function drawTrouble(health) {
  const text = healthText(health);
  byId("trouble").hidden = !text;
  write(byId("trouble"), text);
}

function drawRunning(view) {
  write(byId("match-open").querySelector("small"), view && view.running !== "playing" ? t(`running.${view.running}`) : "");
}

function stepWords({ what, stroke, event }) {
  if (what === "event") return event ? t("step.event", { event: eventWords(event) }) : t("step.declare");
  return t(`step.${what}`, { n: stroke });
}

function drawQuestions(view) {
  const open = view?.needs_operator ?? [];
  byId("questions").hidden = open.length === 0;
  byId("questions").querySelector("ul").replaceChildren(...open.map(question));
}

/** A question with its likely answers, likeliest first. */
function question(asked) {
  const decide = t("change.decide", { n: asked.stroke });
  const answers = asked.choices.map((choice, i) =>
    h("button", { type: "button", className: i ? "" : "main", click: () => change(choice, decide) }, answerWords(asked, choice)));
  const other = h("button", { type: "button", click: () => correct(asked.stroke, asked.stroke_text, asked.seat) }, t("umpire.other"));
  return h("li", { "data-reason": asked.reason }, h("p", {}, h("b", {}, t("stroke", { n: asked.stroke })), ` ${asked.text}`),
    h("div", { className: "keys" }, ...answers, other));
}

function answerWords(asked, choice) {
  if (asked.reason === "choice") return t(choice.stroke_text.endsWith("choice:other") ? "choice.other" : "choice.first");
  if (choice.action === "correct") return strokeWords(choice.stroke_text);
  if (choice.foul) return t(choice.action === "accept" ? "umpire.counts" : "umpire.counts_not");
  return t("umpire.as_seen", { what: strokeWords(asked.stroke_text) });
}

function correct(n, text, seat) {
  const { view } = store.sections;
  editor.open(n, text, seat, sides(view).flatMap((side) => side.seats).map((at) => [at, playerAt(view, at)]));
}

/** Settled boards and other lines come often; only strokes, rulings and changes make the lists others. */
async function drawLists({ log, view }) {
  const now = log && view ? JSON.stringify([log.strokes, log.corrections, view.rulings.at(-1), view.match]) : "";
  if (now === shown) return;
  shown = now;
  const mine = ++fetching;
  try {
    const [played, changed] = await Promise.all([strokes(), changes()]);
    if (mine !== fetching) return;
    byId("empty").hidden = played.length > 0;
    byId("strokes").replaceChildren(...played.map((stroke) => strokeItem(stroke, view, correct, log.replay)));
    byId("no-changes").hidden = changed.length > 0;
    byId("changes").replaceChildren(...changed.map(changeItem));
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    shown = ""; // ask again with the next state
  }
}

const editor = createEditor(change);
createTeller(change, () => store.sections.view);
createMatches(change, () => store.sections.view);
createClub();
createPolicy(change, () => store.sections.view);
byId("undo").addEventListener("click", () => change({ action: "undo" }, t("umpire.undo")));
byId("redo").addEventListener("click", () => change({ action: "redo" }, t("umpire.redo")));
byId("pair-open").addEventListener("click", () => { byId("pairing-code").src = "/api/pairing"; byId("pairing").showModal(); });
byId("pairing-close").addEventListener("click", () => byId("pairing").close());
drawSession();

const store = watch((now, section) => {
  const { view } = now.sections;
  if (section === null || section === "view") {
    drawScore(view);
    drawActions(view);
    drawRunning(view);
    drawQuestions(view);
  }
  if (section === null || section === "health") drawTrouble(now.sections.health);
  confirm(now.sections);
  if (["log", "view", null].includes(section)) drawLists(now.sections);
  drawConnection(now);
});
