// The umpire's desk: every stroke with its ruling; questions answered with one tap; correct, tell, undo, redo.

import { createActs } from "./act.js";
import { answerWords, questionWords } from "./ask.js";
import { bookName } from "./books.js";
import { changeItem } from "./changes.js";
import { createClub } from "./club.js";
import { freshness, watch } from "./connection.js";
import { DeskError, changes, strokes } from "./desk.js";
import { byId, coin, h, write } from "./dom.js";
import { createEditor } from "./editor.js";
import { healthText } from "./health.js";
import { createLoop } from "./loop.js";
import { createMatches } from "./match.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { leftText } from "./panel.js";
import { createPolicy } from "./policy.js";
import { drawShout, shoutOf } from "./shout.js";
import { drawSession } from "./sign.js";
import { drawConnection } from "./signs.js";
import { strokeItem } from "./strokes.js";
import { createTeller, eventWords } from "./tell.js";
import { happened } from "./short.js";
import { playerAt, queen, sides } from "./view.js";
import { t } from "./words.js";

begin("umpire");
createMenu(byId("menu"));
let fetching = 0;
let shown = ""; // what the lists rest on

const acts = createActs(() => store.sections);
const { change } = acts;
const DOES = {
  reload: () => location.reload(),
  match: () => matches.open(),
  go_on: () => change({ state: "playing" }, t("running.playing"), "/api/umpire/running"),
  rematch: () => change({ action: "declare", rematch: true }, t("match.rematch")),
};

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
  const text = healthText(health, document.body.dataset.shout);
  byId("trouble").hidden = !text;
  write(byId("trouble"), text);
}

function drawRunning(view) {
  write(byId("match-open").querySelector("small"), view && view.running !== "playing" ? t(`running.${view.running}`) : "");
}

function stepWords({ what, stroke, event, text, seat }) {
  if (what === "stroke" && text) return `${t("step.stroke", { n: stroke })} · ${playerAt(store.sections.view, seat)}: ${happened(text)}`;
  if (what === "rematch") return t("match.rematch");
  if (what === "event") return event ? t("step.event", { event: eventWords(event) }) : t("step.declare");
  return t(`step.${what}`, { n: stroke });
}

let drawnQuestions = "";

function drawQuestions(view) {
  const open = view?.needs_operator ?? [];
  const challenged = view?.challenges.open ?? null;
  const told = JSON.stringify([open, challenged, store.sections.log?.replay]);
  if (told === drawnQuestions) return;
  drawnQuestions = told;
  byId("questions").hidden = open.length === 0 && !challenged;
  byId("questions").querySelector("ul").replaceChildren(...(challenged ? [challengeItem(challenged)] : []), ...open.map(question));
}

/** A question with its likely answers, likeliest first, and the picture that decides. */
function question(asked) {
  const { view, log } = store.sections;
  const decide = t("change.decide", { n: asked.stroke });
  const answers = asked.choices.map((choice, i) =>
    h("button", { type: "button", className: i ? "" : "main", click: () => change(choice, decide) }, answerWords(asked, choice, view)));
  const other = h("button", { type: "button", click: () => correct(asked.stroke, asked.stroke_text, asked.seat) }, t("umpire.other"));
  const box = h("div", { className: "loop" });
  createLoop(box).show(log?.replay, asked.stroke, asked.reason);
  return h("li", { "data-reason": asked.reason }, h("p", {}, h("b", {}, t("stroke", { n: asked.stroke })), ` ${questionWords(asked, view)}`), box,
    h("div", { className: "keys" }, ...answers, other));
}

/** A challenge with its clip: the call stands, or is corrected. */
function challengeItem({ target, stroke, seat }) {
  const { view, log } = store.sections;
  const ruling = view.rulings.find((other) => other.stroke === stroke);
  const answer = (upheld) => change({ action: "answer", target, upheld }, t("challenge.title"));
  const box = h("div", { className: "loop" });
  createLoop(box).show(log?.replay, stroke, "falls_unsure");
  return h("li", { "data-reason": "challenge" }, h("p", {}, h("b", {}, t("challenge.open", { who: playerAt(view, seat), n: stroke })), ruling ? ` ${ruling.call}` : ""), box,
    h("div", { className: "keys" }, h("button", { type: "button", className: "main", click: () => answer(false) }, t("challenge.stands")),
      h("button", { type: "button", click: async () => { await answer(true); if (ruling) correct(stroke, ruling.stroke_text, ruling.seat); } }, t("challenge.upheld"))));
}

function correct(n, text, seat) {
  editor.open(n, text, seat);
}

/** Takes a change back by itself, or brings it back. */
function switchTo(line) {
  change({ action: line.holds ? "undo" : "redo", target: line.id }, t(line.holds ? "ask.take_back" : "ask.bring_back"));
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
    byId("changes").replaceChildren(...changed.map((line) => changeItem(line, switchTo)));
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    shown = ""; // ask again with the next state
  }
}

const editor = createEditor(change, () => store.sections);
createTeller(change, () => store.sections.view);
const matches = createMatches(change, () => store.sections);
byId("match-open").addEventListener("click", () => matches.open());
createClub();
createPolicy(change, () => store.sections.view);
for (const action of ["undo", "redo"]) {
  byId(action).addEventListener("click", () => change({ action, target: store.sections.view[action].target, ...(action === "undo" ? { newest: true } : {}) }, t(`umpire.${action}`)));
}
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
  acts.heard();
  if (section === "log") drawQuestions(view);
  if (["log", "view", null].includes(section)) drawLists(now.sections);
  const shout = shoutOf({ sections: now.sections, fresh: freshness(now) });
  const before = document.body.dataset.shout;
  drawShout(byId("shout"), shout, DOES);
  if (before !== document.body.dataset.shout) drawTrouble(now.sections.health);
  drawConnection(now, shout);
});
