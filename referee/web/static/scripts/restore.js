// After a disturbance: ghosts of a settled board over what lies there now, with the millimetres still to go.

import { createBoard, radiusOf } from "./board.js";
import { createCamera } from "./camera.js";
import { isOld, watch } from "./connection.js";
import { byId, coin, draw, h, write } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { pairs } from "./pairs.js";
import { drawConnection } from "./signs.js";
import { mm, t } from "./words.js";

const TOLERANCES_MM = [2, 3, 5, 10];
const WISHED_MM = 3; // a tenth of a coin: nearer than that nobody sees a difference at the table

begin("restore");
createMenu(byId("menu"));
const board = createBoard(byId("board"));
let layouts = [];
let store = null;
let lines = -1;
let chosen = null; // time of the layout that somebody chose
const camera = createCamera(drawPicture);

byId("tolerance").append(...TOLERANCES_MM.map((value) => h("option", { value, selected: value === WISHED_MM }, `${value} mm`)));
byId("layout").addEventListener("change", () => { chosen = Number(byId("layout").value); drawTodo(); });
byId("tolerance").addEventListener("change", drawTodo);

async function fetchLayouts(count) {
  if (count === lines) return;
  lines = count;
  try {
    layouts = await (await fetch("/api/layouts")).json();
  } catch {
    lines = -1; // asked again with the next state
    return;
  }
  // Unless somebody has chosen: what the game itself led to last, not what a knock left behind.
  const certified = layouts.find((layout) => layout.certified) ?? layouts[0];
  const wanted = layouts.find((layout) => layout.t === chosen) ?? certified;
  byId("layout").replaceChildren(...layouts.map((layout) => h("option", { value: String(layout.t), selected: layout === wanted }, layoutWords(layout))));
  drawTodo();
}

function layoutWords({ stroke, t: at, certified }) {
  const time = `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, "0")}`;
  return `${certified ? "✓ " : ""}${stroke ? t("restore.after", { n: stroke }) : t("restore.start")} (${time})`;
}

function drawTodo() {
  const wanted = layouts.find((layout) => String(layout.t) === byId("layout").value);
  const { live, board: geometry } = store?.sections ?? {};
  if (!wanted || !live || !geometry) return;
  const coins = (list) => list.filter((piece) => piece.kind !== "striker");
  const tolerance = Number(byId("tolerance").value);
  const open = pairs(coins(live.pieces), coins(wanted.pieces)).filter((pair) => pair.mm === null || pair.mm > tolerance);
  drawGhosts(open, geometry);
  write(byId("state"), open.length ? t("restore.todo", { n: open.length }) : t("restore.done", { mm: tolerance }));
  byId("state").dataset.done = String(open.length === 0);
  const listed = open.filter((pair) => pair.to).sort((a, b) => (b.mm ?? Infinity) - (a.mm ?? Infinity)).map(todoItem);
  const extra = open.filter((pair) => !pair.to);
  if (extra.length) listed.push(h("li", {}, coin(extra[0].kind), t("restore.extra", { n: extra.length })));
  byId("todo").replaceChildren(...listed);
}

function todoItem({ kind, mm: way }) {
  const piece = t(`kind.${kind}`);
  return h("li", {}, coin(kind), way === null ? t("restore.missing", { piece }) : t("restore.move", { piece, mm: mm(way) }));
}

/** The camera's picture beneath, with what was seen in it; null: none came. */
function drawPicture(picture) {
  board.setPicture(picture?.url ?? null, picture?.reach);
  if (picture) board.setPieces(picture.seen.pieces);
}

byId("camera").addEventListener("click", ({ currentTarget: button }) => {
  const wanted = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(wanted));
  camera.run(wanted);
  if (!wanted) board.setPicture(null);
});

function drawGhosts(open, geometry) {
  board.over.replaceChildren();
  for (const { kind, from, to, mm: way } of open) {
    if (!to) { draw(board.over, "circle", { class: "extra", cx: from.x_mm, cy: from.y_mm, r: radiusOf(kind, geometry) + 5 }); continue; }
    if (from) draw(board.over, "line", { class: "way", x1: from.x_mm, y1: from.y_mm, x2: to.x_mm, y2: to.y_mm });
    draw(board.over, "circle", { class: `ghost ${kind}`, cx: to.x_mm, cy: to.y_mm, r: radiusOf(kind, geometry) });
    if (way === null) continue;
    const text = draw(board.over, "text", { class: "way-text", transform: `translate(${to.x_mm} ${to.y_mm + radiusOf(kind, geometry) + 6}) scale(1,-1)` });
    text.textContent = mm(way);
  }
}

watch((now, section) => {
  store = now;
  const { sections } = now;
  if ((section === null || section === "board") && sections.board) board.setGeometry(sections.board);
  if ((section === null || section === "live") && !camera.showing()) board.setPieces(sections.live?.pieces ?? []);
  if (section === null || section === "log") fetchLayouts(sections.log?.lines ?? 0);
  if (section === "live") drawTodo();
  board.setStale(isOld(drawConnection(now)));
});
