// The chief's desk: open questions of all boards, oldest first; a tap opens one with its pictures, a tap answers it.

import { answerWords, questionWords } from "./ask.js";
import { watch } from "./connection.js";
import { DeskError, send } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { say } from "./hall.js";
import { createInvitation } from "./invitation.js";
import { begin } from "./page.js";
import { drawSession } from "./sign.js";
import { createStations } from "./stations.js";
import { playerAt } from "./view.js";
import { age, language, t } from "./words.js";

const CONFIRM_MS = 8000; // a board writes a word within a second; after this something is wrong
const LARGE = 2; // answers that stand out

begin("chief");
let sections = {};
let open = null; // key of the question in the dialog
let asked = [];
let drawn = "";
const waiting = new Map(); // key of a question answered here -> { id, timer }
const dialog = byId("question");

const keyOf = (q) => `${q.uid} ${q.kind} ${q.stroke} ${q.reason}`;
const viewOf = (q) => ({ players: { [q.seat]: q.player }, rulings: [] });
const titleOf = (q) => (q.kind === "challenge" ? t("challenge.open", { who: playerAt(viewOf(q), q.seat), n: q.stroke }) : questionWords(q, viewOf(q)));

function settle(key, kind, text) {
  clearTimeout(waiting.get(key)?.timer);
  waiting.delete(key);
  say(kind, text);
  draw();
}

async function answer(q, request, words) {
  const key = keyOf(q);
  dialog.close();
  say("wait", t("change.wait", { what: words }));
  try {
    const id = await send({ ...request, seen: q.seen }, `/b/${q.board}/api/umpire`);
    waiting.set(key, { id, words, name: q.name, timer: setTimeout(() => settle(key, "error", t("hall.late", { board: q.name })), CONFIRM_MS) });
    heardAnswers();
    draw();
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    say("error", error.message);
  }
}

function answersOf(q) {
  if (q.kind === "challenge") {
    const about = { action: "answer", target: q.target };
    return [
      h("button", { type: "button", className: "main", click: () => answer(q, { ...about, upheld: false }, t("challenge.title")) }, t("challenge.stands")),
      h("button", { type: "button", click: () => answer(q, { ...about, upheld: true }, t("challenge.title")) }, t("challenge.upheld"))];
  }
  return q.choices.map((choice, i) => {
    const words = answerWords(q, choice, viewOf(q));
    return h("button", { type: "button", className: i === 0 ? "main" : i < LARGE ? "" : "small", click: () => answer(q, choice, words) }, words);
  });
}

/** Pictures and clip, which the hub fetches from the board now. */
async function showMedia(q) {
  const box = byId("question-media");
  box.hidden = true;
  box.replaceChildren();
  write(byId("question-wait"), t("hall.fetching", { board: q.name }));
  const path = `/b/${q.board}/api/matches/${q.uid}/strokes/${q.stroke}`;
  let stroke = null;
  try {
    const found = await fetch(`${path}?lang=${language}`);
    stroke = found.ok ? await found.json() : null;
  } catch {
    stroke = null;
  }
  if (open !== keyOf(q)) return;
  const media = [];
  if (stroke?.clip) media.push(h("video", { src: `${path}/clip.mp4`, muted: true, autoplay: true, loop: true, controls: true, playsInline: true }));
  for (const { name } of stroke?.frames ?? []) media.push(h("img", { src: `${path}/${name}.jpg`, alt: t("replay.picture") }));
  box.replaceChildren(...media);
  box.hidden = media.length === 0;
  write(byId("question-wait"), media.length ? "" : t("hall.no_media"));
}

function show(q) {
  open = keyOf(q);
  write(byId("question-where"), [t("hall.at", { board: q.name }), t("stroke", { n: q.stroke })].join(" · "));
  write(byId("question-title"), titleOf(q));
  write(byId("question-call"), q.call);
  byId("question-answers").replaceChildren(...answersOf(q));
  byId("question-board").href = `/b/${q.board}/umpire`;
  dialog.showModal();
  showMedia(q);
}

function since(q) {
  return q.asked_at === null ? "" : age(Math.max(0, Math.round(Date.now() / 1000 - q.asked_at)));
}

function item(q) {
  const mine = waiting.has(keyOf(q));
  return h("li", {}, h("button", { type: "button", "data-up": String(q.up), "data-sent": String(mine), "data-key": keyOf(q), click: () => show(q) },
    h("span", { className: "board", dir: "auto" }, q.name),
    h("span", { className: "what" }, titleOf(q)),
    h("span", { className: "call" }, mine ? t("hall.sent") : q.up ? q.call : t("hall.unreachable")),
    h("span", { className: "since" }, since(q))));
}

function draw() {
  const text = JSON.stringify([asked, asked.map(since), [...waiting.keys()]]);
  if (text === drawn) return;
  drawn = text;
  const focus = document.activeElement?.dataset?.key;
  byId("questions").replaceChildren(...asked.map(item));
  if (focus) [...document.querySelectorAll("[data-key]")].find((node) => node.dataset.key === focus)?.focus();
  byId("none").hidden = asked.length > 0;
}

let fetching = false;
let again = false;

/** Fetches the list; what comes meanwhile is fetched after. */
async function refresh() {
  if (fetching) { again = true; return; }
  fetching = true;
  do {
    again = false;
    try {
      const found = await fetch(`/api/hall/questions?lang=${language}`);
      if (found.ok) asked = await found.json();
    } catch {
      break; // the connection's lamp tells it
    }
  } while (again);
  fetching = false;
  const keys = new Set(asked.map(keyOf));
  if (open && !keys.has(open) && dialog.open) { dialog.close(); say("done", t("hall.gone")); }
  draw();
}

/** An answer is called done once the board's log has it, and not because its question is gone: somebody may have been faster. */
function heardAnswers() {
  const refused = sections.refused;
  const done = new Set(Object.entries(sections).flatMap(([name, tile]) => (name.startsWith("tile/") ? tile.receipts : [])));
  for (const [key, { id, words }] of waiting) {
    if (done.has(id)) settle(key, "done", t("change.done", { what: words }));
    else if (refused?.id === id) settle(key, "error", t("change.refused", { what: words, why: refused.texts[language] }));
  }
}

byId("question-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => { open = null; byId("question-media").replaceChildren(); });
const invitation = createInvitation(say);
createStations(say);
drawSession();
watch((store, section) => {
  sections = store.sections;
  const state = store.open ? "live" : store.closedToUs ? "private" : "lost";
  byId("connection").dataset.state = state;
  write(byId("connection-text"), t(`connection.${state}`, { age: age(Math.round((performance.now() - store.lostAt) / 1000)) }));
  if (section === "clock") draw();
  else {
    heardAnswers();
    invitation.heard(sections.hall?.boards.length ?? 0);
    if (section !== "refused") refresh();
  }
});
