// Practice without a rule book: the light for placements, the speed of each stroke, and drills whose tries are counted.

import { createActs } from "./act.js";
import { createBoard, radiusOf } from "./board.js";
import { isOld, watch } from "./connection.js";
import { DeskError, strokes as fetchStrokes } from "./desk.js";
import { byId, coin, draw, h, write } from "./dom.js";
import { DRILLS, isDone, placesOf } from "./drills.js";
import { LibraryError, story as fetchStory } from "./library.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { pairs } from "./pairs.js";
import { drawConnection } from "./signs.js";
import { locale, mm, t, tokensOf } from "./words.js";

const BOOK = "booklet_family"; // every coin counts for whoever pockets it, and nothing is owed
const [NEAR_MM, SHOWN] = [5, 12];
const one = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: "percent" });

begin("practice");
createMenu(byId("menu"));
const board = createBoard(byId("board"));
let sections = {};
let since = null; // the last stroke before this drill began; null until the strokes are known
let fetched = -1;
let placed = null; // the last placement before the stroke
const placements = new Map(); // by number of the stroke
const acts = createActs(() => sections);

byId("drill").append(...Object.keys(DRILLS).map((name) => h("option", { value: name }, t(`practice.drill_${name}`))));
byId("drill").addEventListener("change", restart);
byId("again").addEventListener("click", restart);
byId("begin").addEventListener("click", () => acts.change({ rules: BOOK, players: {} }, t("page.practice"), "/api/umpire/match"));

const metres = (n) => t("practice.m_s", { n });
const drill = () => byId("drill").value;
const isPractice = () => Boolean(sections.view?.rules.startsWith(BOOK)) && Object.values(sections.view.players).every((name) => !name);

function restart() {
  since = sections.view?.strokes ?? 0;
  placements.clear();
  drawTask();
  drawTries([], new Map());
}

/** The light says how the striker stands, in the same colours as at a match. */
function drawLight(live) {
  const now = live?.placement ?? null;
  if (now) placed = now;
  const box = byId("light");
  box.dataset.legal = now ? String(now.legal) : "none";
  write(box.firstElementChild, now ? `${now.legal === null ? "?" : now.legal ? "✓" : "✕"} ${t("placement.mm", { mm: mm(Math.abs(now.margin_mm)) })}` : t("practice.place"));
  write(box.lastElementChild, now ? t(`placement.${now.legal === null ? "close" : now.legal ? "good" : now.limit}`) : "");
}

/** Ghosts where the coins of the drill go, and what is still to be put there. */
function drawTask() {
  const { live, board: geometry } = sections;
  write(byId("what"), t(`practice.what_${drill()}`));
  if (!geometry) return;
  const coins = (live?.pieces ?? []).filter(({ kind }) => kind !== "striker");
  const open = pairs(coins, placesOf(drill(), geometry)).filter(({ to, mm: way }) => to && (way === null || way > NEAR_MM));
  board.over.replaceChildren();
  for (const { kind, to } of open) draw(board.over, "circle", { class: `ghost ${kind}`, cx: to.x_mm, cy: to.y_mm, r: radiusOf(kind, geometry) });
  byId("todo").replaceChildren(...open.map(({ kind, mm: way }) => h("li", {}, coin(kind), way === null ? t("practice.put", { piece: t(`kind.${kind}`) }) : t("practice.move", { piece: t(`kind.${kind}`), mm: mm(way) }))));
}

/** Each try with what it came to, how fast it was, and how the striker stood. */
function drawTries(tries, speeds) {
  const done = tries.filter(({ text }) => isDone(drill(), fellIn(text)));
  write(byId("count"), tries.length ? t("practice.count", { n: done.length, of: tries.length, p: percent.format(done.length / tries.length) }) : t("practice.none"));
  const seen = tries.map(({ n }) => speeds.get(n)).filter((speed) => speed !== undefined && speed !== null);
  const stood = tries.map(({ n }) => placements.get(n)).filter(Boolean);
  const rows = [];
  if (seen.length) rows.push([t("practice.speed"), metres(spread(seen))]);
  if (stood.length) rows.push([t("practice.stood"), t("placement.mm", { mm: spread(stood.map(({ x_mm: x }) => x)) })]);
  byId("spread").replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  byId("tries").replaceChildren(...tries.slice(0, SHOWN).map(({ n, text }) => {
    const is = isDone(drill(), fellIn(text));
    const facts = [speeds.get(n) ? metres(one.format(speeds.get(n))) : "", placements.get(n) ? t("placement.mm", { mm: mm(placements.get(n).margin_mm) }) : ""].filter(Boolean).join(" · ");
    return h("li", { "data-done": String(is) }, h("b", {}, is ? "✓" : "✕"), ` ${facts}`);
  }));
}

/** The mean, and by how much single tries differ from it: one standard deviation. */
function spread(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = values.length > 1 ? Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)) : null;
  return `${one.format(mean)}${deviation === null ? "" : ` ± ${one.format(deviation)}`}`;
}

/** The letters of the pieces that a stroke pocketed. */
const fellIn = (text) => tokensOf(text).filter((token) => /^[WBQS](@|$)/.test(token)).map((token) => token[0]);

async function fetchTries(count) {
  if (count === fetched) return;
  fetched = count;
  try {
    const all = await fetchStrokes();
    since ??= count;
    for (const { stroke } of all) if (stroke === count && placed && !placements.has(stroke)) placements.set(stroke, placed);
    placed = null;
    const tries = all.filter(({ stroke, annulled }) => stroke > since && !annulled).map(({ stroke: n, stroke_text: text }) => ({ n, text }));
    drawTries(tries, new Map());
    if (!sections.log?.replay || !tries.length) return;
    const { steps } = await fetchStory(sections.log.replay, sections.view.number);
    drawTries(tries, new Map(steps.map(({ stroke, speed_mm_s: speed }) => [stroke, speed === null ? null : speed / 1000])));
  } catch (error) {
    if (!(error instanceof DeskError) && !(error instanceof LibraryError)) throw error;
    fetched = -1; // asked again with the next state
  }
}

watch((store, section) => {
  ({ sections } = store);
  acts.heard();
  if ((section === null || section === "board") && sections.board) board.setGeometry(sections.board);
  if (section === null || section === "live") {
    board.setPieces(sections.live?.pieces ?? []);
    drawLight(sections.live);
    drawTask();
  }
  if (section === null || section === "view") {
    byId("begin").hidden = isPractice();
    byId("again").hidden = !isPractice();
    if (sections.view && (sections.view.strokes < (since ?? 0))) restart(); // another match has begun
    if (sections.view) fetchTries(sections.view.strokes);
  }
  board.setStale(isOld(drawConnection(store)));
});
