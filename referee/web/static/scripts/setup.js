// The set-up: the vision process's state asked for again and again, the step that it is at drawn, wishes sent back.

import { DeskError, askSetUp } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { signIn } from "./sign.js";
import { createSight } from "./sight.js";
import { PANELS, STEPS } from "./steps.js";
import { has, t } from "./words.js";

const RETRY_MS = 1000;

begin("setup");
createMenu(byId("menu"));
let state = null; // until the vision process has told its own; nothing can be asked for before
let panel = null; // { step, update } of the step that is drawn
const sight = createSight({ picture: byId("picture"), over: byId("over"), glass: byId("glass") });

/** Asks for something; what came of it the state tells. True when it was taken. */
async function ask(what, more = {}) {
  write(byId("busy"), "");
  try {
    await askSetUp({ ask: what, ...more });
    say("");
    return true;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    say(error.message);
    return false;
  }
}

function say(text) {
  byId("problem").hidden = !text;
  write(byId("problem"), text);
}

const step = () => (state?.open ? state.at : "begin");
const beside = (way) => STEPS[STEPS.indexOf(step()) + way];

function draw() {
  if (panel?.step !== step()) {
    const made = PANELS[step()];
    byId("body").replaceChildren();
    byId("match-step").hidden = step() !== "match";
    panel = { step: step(), update: made(byId("body"), { ask, sight, state: () => state }) };
    write(byId("title"), t(`setup.step_${step()}`));
    write(byId("what"), t(`setup.what_${step()}`));
    if (state.open) byId("title").scrollIntoView({ block: "nearest" });
  }
  byId("leave").hidden = !state.open;
  byId("frame").hidden = !state.open;
  drawSteps();
  panel.update(state);
  write(byId("busy"), state.open && state.busy ? t(`setup.busy_${state.busy}`) : "");
  const why = state.problem ? [t(`problem.${state.problem}`)] : (state.reasons ?? []).map(reasonWords);
  if (state.open && !state.busy) say(why.join(" "));
  byId("back").hidden = !state.open || !beside(-1);
  drawNext();
}

/** Next keeps what was measured; on the card the set-up ends. */
function drawNext() {
  const button = byId("next");
  const key = { begin: state.done?.length ? "setup.go_on" : "setup.begin", card: state.match ? "setup.finish_begin" : "setup.finish" }[step()];
  write(button, t(key ?? "setup.next"));
  button.disabled = Boolean(state.busy) && step() !== "begin";
}

function reasonWords({ why, blanks, text }) {
  return why && has(`why.${why}`) ? t(`why.${why}`, blanks) : text;
}

function drawSteps() {
  if (!state.open) { byId("steps").replaceChildren(); return; }
  if (!byId("steps").children.length) {
    byId("steps").append(...STEPS.map((name, i) => h("li", {}, h("button", { type: "button", "data-step": name, click: () => ask("go", { step: name }) },
      h("span", { className: "mark" }), h("span", {}, String(i + 1)), h("span", { className: "word" }, t(`setup.step_${name}`))))));
  }
  for (const button of byId("steps").querySelectorAll("button")) {
    const name = button.dataset.step;
    if (name === state.at) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
    write(button.querySelector(".mark"), state.done.includes(name) ? "✓" : "");
    button.querySelector(".mark").setAttribute("aria-label", state.done.includes(name) ? t("setup.done") : "");
    button.querySelector(".mark").setAttribute("role", "img");
    button.querySelector(".mark").hidden = !state.done.includes(name);
  }
}

async function next() {
  if (step() === "begin") { await ask("begin"); return; }
  if (step() === "card") {
    if (await ask("finish", { begin: Boolean(state.match) })) location.href = "/";
    return;
  }
  if (panel.update.leaving && !(await panel.update.leaving())) return;
  const measured = { board: state.board, lens: state.board, colours: state.coins, striker: state.striker, camera: true }[step()];
  if (measured && !(await ask("keep", { step: step() }))) return;
  await ask("go", { step: beside(1) });
}

byId("next").addEventListener("click", next);
byId("back").addEventListener("click", () => ask("go", { step: beside(-1) }));
byId("leave").addEventListener("click", async () => { if (await ask("leave")) location.href = "/"; });

async function look() {
  try {
    const answer = await fetch(`/api/setup?after=${state?.n ?? 0}`);
    if (answer.status === 401 || answer.status === 403) {
      if (!(await signIn())) { location.href = "/"; return; }
    } else if (answer.ok) {
      const news = await answer.json();
      if (news.n !== state?.n) await show(news);
    }
  } catch {
    say(t("error.offline"));
    await new Promise((resolve) => { setTimeout(resolve, RETRY_MS); });
  }
  setTimeout(look, 0);
}

async function show(news) {
  if (news.open) await sight.load("/api/setup.jpg", news.size);
  else sight.clear();
  write(byId("sight-note"), news.open ? "" : t("setup.no_picture"));
  state = news;
  document.body.dataset.open = String(state.open);
  draw();
}

write(byId("busy"), t("connection.waiting"));
look();
