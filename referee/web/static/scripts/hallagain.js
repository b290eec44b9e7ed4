// What the hall judges again: batches with their progress, and of one the strokes that differ and the jobs that failed.

import { bookName } from "./books.js";
import { askAgain, retryAgain } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { dayBegins, options, read, say, tried } from "./hall.js";
import { begin } from "./page.js";
import { drawSession } from "./sign.js";
import { locale, t } from "./words.js";

const LOOK_MS = 2000;
const SOURCES = ["strokes", "tracks", "video"];

begin("hallagain");
const when = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
let shown = Number(new URLSearchParams(location.search).get("batch")) || null;
let drawn = "";
let program = "";

function open(number) {
  shown = number;
  history.replaceState(null, "", `?batch=${number}`);
  look().then(() => byId("batch-title").focus());
}

const title = (b) => [b.rules ? bookName(b.rules) : t("hall.own_book"), t(`again.${b.source}`), b.player].filter(Boolean).join(" · ");
const progress = (b) => t("hall.jobs", { n: b.done, of: b.parts });
const waits = (b) => b.done + b.failed < b.parts;

function batchRow(b) {
  const parts = [when.format(b.asked_at * 1000), b.asked_by, progress(b), b.failed ? t("hall.failed", { n: b.failed }) : "",
    waits(b) && !b.running ? t("hall.awaits", { program: b.program }) : ""];
  return h("li", {}, h("a", { href: `?batch=${b.id}`, click: (event) => { event.preventDefault(); open(b.id); }, "aria-current": String(b.id === shown) },
    h("span", { className: "board" }, String(b.id)), h("span", { className: "who", dir: "auto" }, title(b)),
    h("span", { className: "when" }, parts.filter(Boolean).join(" · ")), h("span", { className: "mm" }, String(b.differ), h("small", {}, t("hall.differ")))));
}

function strokeRow(row, text, shownAs) {
  const inner = [h("span", { className: "board", dir: "auto" }, row.board_name), h("span", { className: "who", dir: "auto" }, row.stroke ? [row.player, t("stroke", { n: row.stroke })].filter(Boolean).join(" · ") : t("over.story")),
    h("span", { className: "when", ...shownAs }, text)];
  return h("li", {}, row.href ? h("a", { href: row.href }, ...inner) : h("span", { className: "row" }, ...inner));
}

function difference(row) {
  if (row.unseen) return t(`again.${row.unseen}`);
  const facts = Object.keys(row.facts).map((name) => t(`again.${name}`));
  const told = row.ruling ? [row.before ? `${row.before.stroke_text}  ${row.before.state ?? ""}` : "–", `${row.now.stroke_text}  ${row.now.state ?? ""}`].join(" → ") : "";
  return [...facts, told].filter(Boolean).join(" · ");
}

function drawBatch(b) {
  byId("batch").hidden = !b;
  if (!b) return;
  write(byId("batch-title"), `${b.id} · ${title(b)}`);
  byId("batch-figures").replaceChildren(...[[`${b.done} / ${b.parts}`, "hall.jobs_done"], [b.strokes, "hall.strokes"], [b.differ, "hall.differ"], [b.unseen, "hall.unseen"], [b.failed, "hall.failures"]]
    .map(([value, key]) => h("div", {}, h("b", {}, String(value)), h("span", {}, t(key)))));
  byId("batch-retry").hidden = byId("failures-title").hidden = b.failures.length === 0;
  byId("differences-title").hidden = b.differences.length === 0;
  byId("failures").replaceChildren(...b.failures.map((row) => strokeRow(row, `${t("hall.attempts", { n: row.attempts })}: ${row.problem ?? ""}`, { lang: "en" })));
  byId("differences").replaceChildren(...b.differences.map((row) => strokeRow(row, difference(row), {})));
}

async function look() {
  const found = await read("/api/hall/again");
  if (!found) { say("error", t("hall.away")); return; }
  if (!program) {
    program = found.program;
    options(byId("rules"), [["", t("hall.own_book")], ...found.books.map((name) => [name, bookName(name)])]);
    options(byId("source"), SOURCES.map((name) => [name, t(`again.${name}`)]));
  }
  const one = shown === null ? null : await read(`/api/hall/again/${shown}`);
  const text = JSON.stringify([found.batches, one]);
  if (text === drawn) return;
  drawn = text;
  byId("none").hidden = found.batches.length > 0;
  byId("batches").replaceChildren(...found.batches.map(batchRow));
  drawBatch(one);
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const since = byId("since").value;
  tried(async () => {
    const { batch } = await askAgain({ rules: byId("rules").value || null, source: byId("source").value, player: byId("player").value.trim() || null, since: since ? dayBegins(since) : null });
    say("", "");
    open(batch);
  });
});
byId("batch-retry").addEventListener("click", () => tried(async () => { await retryAgain(shown); await look(); }));
drawSession();
look();
setInterval(look, LOOK_MS);
