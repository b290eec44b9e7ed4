// The umpire's desk: every stroke with its ruling; undo, redo, correct, answer the referee's questions.

import { announce } from "./announce.js";
import { freshness, watch } from "./connection.js";
import { DeskError, send, strokes } from "./desk.js";
import { createEditor } from "./editor.js";
import { askPin } from "./pin.js";
import { queen, sides } from "./view.js";
import { strokeWords, words } from "./words.js";

const CONFIRM_MS = 6000; // the eyes write a correction within a frame or two; after this something is wrong

const byId = (id) => document.getElementById(id);
let waiting = null; // { id, text, timer } of a change sent and not yet seen in the log
let fetching = 0;
let shown = ""; // what the list of strokes rests on

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("data-")) node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children);
  return node;
}

function say(kind, text) {
  const box = byId("message");
  box.hidden = !text;
  box.dataset.kind = kind;
  box.textContent = text;
}

async function change(request, text) {
  say("wait", `${text}…`);
  try {
    const id = await send(request, askPin);
    clearTimeout(waiting?.timer);
    waiting = { id, text, timer: setTimeout(unconfirmed, CONFIRM_MS) };
    confirm(store.sections.log);
    return null;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    say("error", error.message);
    return error.message;
  }
}

/** A change holds once the log shows it; until then the page does not claim it. */
function confirm(log) {
  if (!waiting) return;
  if (log?.last_correction === waiting.id) settle("done", words.done(waiting.text));
  else if (log?.refused?.id === waiting.id) settle("error", words.refused(waiting.text, log.refused.text));
}

function settle(kind, text) {
  clearTimeout(waiting.timer);
  waiting = null;
  say(kind, text);
}

function unconfirmed() {
  settle("error", words.unconfirmed(waiting.text));
}

function drawScore(view) {
  byId("score").replaceChildren(...sides(view).map((side) => element("div", { className: "row", "data-turn": Boolean(side.label) },
    element("span", { className: "coin", "data-kind": side.colour ?? "unknown" }),
    element("span", { className: "name" }, side.name, element("small", {}, sideFacts(side))),
    element("span", { className: "points" }, side.score === null ? "–" : String(side.score)))));
  const facts = [view?.board ? words.board(view.board) : "", queen(view).text, view?.rules?.toUpperCase() ?? ""];
  byId("facts").textContent = facts.filter(Boolean).join(" · ");
}

function sideFacts(side) {
  const facts = side.colour === "none" ? [side.place] : [words.left(side.left)];
  if (side.due) facts.push(words.owes(side.due).toLowerCase());
  if (side.label) facts.push(side.label.toLowerCase());
  return facts.join(" · ");
}

function drawActions(view) {
  for (const name of ["undo", "redo"]) {
    byId(name).disabled = !view?.[`can_${name}`];
    byId(name).querySelector("small").textContent = view?.[`${name}_text`] ?? "";
  }
}

function drawQuestions(view) {
  const open = view?.needs_operator ?? [];
  byId("questions").hidden = open.length === 0;
  byId("questions").querySelector("ul").replaceChildren(...open.map(question));
}

function question(proposal) {
  const button = element("button", { type: "button" }, words.makeItCount);
  button.addEventListener("click", () => change(
    { action: "correct", stroke: proposal.stroke, stroke_text: proposal.stroke_text },
    words.correcting(proposal.stroke)));
  return element("li", {}, element("p", {}, `${words.Stroke(proposal.stroke)}: ${proposal.text}`), button);
}

/** Settled boards and other lines come often; only strokes and rulings change the list. */
function drawStrokesIfNew(log) {
  const now = log ? `${log.strokes} ${log.rulings} ${log.corrections}` : "";
  if (now === shown) return;
  shown = now;
  drawStrokes();
}

async function drawStrokes() {
  const mine = ++fetching;
  try {
    const list = await strokes();
    if (mine !== fetching) return;
    byId("empty").hidden = list.length > 0;
    byId("strokes").replaceChildren(...list.map(strokeItem));
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    shown = ""; // ask again with the next state
  }
}

function strokeItem({ n, text, seat, ruling }) {
  const said = (ruling?.decisions ?? []).map((d) => d.text).join(" ");
  const laws = [...new Set((ruling?.decisions ?? []).map((d) => d.law).filter(Boolean))].join(", ");
  const fix = element("button", { type: "button", ariaLabel: words.correctStroke(n) }, words.correct);
  fix.addEventListener("click", () => editor.open(n, text));
  const notes = [ruling?.corrected ? words.corrected : "", ruling?.annulled ? words.annulled : ""].filter(Boolean).join(" · ");
  return element("li", { "data-certain": ruling ? ruling.certain : "none", "data-annulled": Boolean(ruling?.annulled), "data-stroke": n },
    element("span", { className: "n" }, String(n)),
    element("div", {},
      element("p", { className: "what" }, `${words.seats[seat] ?? seat}: ${strokeWords(text)}`),
      element("p", { className: "said" }, said || words.notRuled),
      element("p", { className: "law" }, [laws, notes].filter(Boolean).join(" · "), " ",
        ...(ruling && !ruling.certain ? [element("span", { className: "doubt" }, words.doubtful)] : []))),
    fix);
}

function drawFreshness(now) {
  const fresh = freshness(now);
  document.body.dataset.connection = fresh.state;
  byId("connection").dataset.state = fresh.state;
  byId("connection-text").textContent = words.connection[fresh.state](fresh);
  announce(fresh.state);
}

function drawView(view) {
  drawScore(view);
  drawActions(view);
  drawQuestions(view);
}

const editor = createEditor((n, text) => change({ action: "correct", stroke: n, stroke_text: text }, words.correcting(n)));
byId("undo").addEventListener("click", () => change({ action: "undo" }, words.undo));
byId("redo").addEventListener("click", () => change({ action: "redo" }, words.redo));

const store = watch((now, section) => {
  if (section === null || section === "view") drawView(now.sections.view);
  if (section === null || section === "log") {
    confirm(now.sections.log);
    drawStrokesIfNew(now.sections.log);
  }
  drawFreshness(now);
});
