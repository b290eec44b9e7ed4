// A match judged again under another rule book, from its tracks or its videos: what would have been ruled otherwise.

import { bookName, books } from "./books.js";
import { byId, h, write, writeProblem } from "./dom.js";
import { judgedAgain, LibraryError, lookAgain, lookedAgain, stopLooking } from "./library.js";
import { decided } from "./view.js";
import { t } from "./words.js";

const SOURCES = ["strokes", "tracks", "video"];
const EVERY_MS = 1000;

/** For the match `id`, which was played by the book `rules`. */
export async function createAgain(id, rules) {
  const offered = [...new Set([rules, ...(await books()).map(({ name }) => name)])].filter((name) => !name.includes("/"));
  byId("again-rules").replaceChildren(...offered.map((name) => h("option", { value: name }, bookName(name))));
  byId("again-source").replaceChildren(...SOURCES.map((name) => h("option", { value: name }, t(`again.${name}`))));
  const say = (text) => write(byId("again-said"), text);
  const tried = async (work) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
      byId("again-list").replaceChildren();
      writeProblem(byId("again-said"), error);
    }
  };
  const compare = async () => {
    const source = byId("again-source").value;
    if (source === "video" && !(await watched(id, say))) return;
    draw(await judgedAgain(id, { rules: byId("again-rules").value, source }));
  };
  byId("again-go").addEventListener("click", async () => {
    byId("again-go").disabled = true;
    await tried(compare);
    byId("again-go").disabled = false;
  });
  byId("again-stop").addEventListener("click", () => tried(() => stopLooking(id)));
}

/** Waits until the videos have been looked at; false when that was stopped or went wrong. */
async function watched(id, say) {
  byId("again-list").replaceChildren();
  let now = await known(id) ?? await lookAgain(id);
  showProgress(now);
  while (now?.runs) {
    say(t("again.looking", { n: now.done, of: now.of }));
    await new Promise((later) => setTimeout(later, EVERY_MS));
    now = await known(id);
    showProgress(now);
  }
  showProgress(null);
  if (!now) say(t("again.stopped"));
  else if (now.problem) writeProblem(byId("again-said"), { message: t("again.failed"), why: now.problem });
  return Boolean(now) && !now.problem;
}

/** How far looking at the videos has come; null when nobody has asked for it. One that failed is tried again. */
async function known(id) {
  try {
    const now = await lookedAgain(id);
    return now.runs || !now.problem ? now : null;
  } catch (error) {
    if (error instanceof LibraryError && error.status === 404) return null;
    throw error;
  }
}

function showProgress(now) {
  byId("again-work").hidden = !now?.runs;
  const bar = byId("again-bar");
  bar.max = now?.of || 1;
  bar.value = now?.done ?? 0;
}

function draw({ strokes, differ }) {
  const unseen = strokes.filter((stroke) => stroke.unseen);
  const told = [t("again.differ", { n: differ, of: strokes.length }), unseen.length ? t("again.unseen", { n: unseen.length }) : ""];
  write(byId("again-said"), told.filter(Boolean).join(" "));
  byId("again-list").replaceChildren(...strokes.filter(({ differs, unseen: why }) => differs || why).map(item));
}

function item({ stroke, facts, before, now, unseen, unseen_as: label }) {
  const link = h("a", { href: `#stroke=${stroke}` }, t("stroke", { n: stroke }));
  if (unseen) return h("li", { className: "unseen" }, link, label ? h("small", {}, t(`again.${label}`)) : h("small", { lang: "en" }, unseen));
  const [old, fresh] = [before && decided(before), decided(now)].map((text) => text || t("ruling.nothing"));
  return h("li", {}, link, facts.length ? h("small", {}, facts.map((name) => t(`again.${name}`)).join(", ")) : "",
    old === fresh ? "" : h("p", {}, h("s", {}, old)), h("p", {}, fresh));
}
