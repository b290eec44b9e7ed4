// After a disturbance: ghosts of a settled board over what lies there now, with the millimetres still to go.

import { createBoard, radiusOf } from "./board.js";
import { isOld, watch } from "./connection.js";
import { byId, draw, h, write } from "./dom.js";
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

byId("tolerance").append(...TOLERANCES_MM.map((value) => h("option", { value, selected: value === WISHED_MM }, `${value} mm`)));
byId("layout").addEventListener("change", drawTodo);
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
  const chosen = byId("layout").value;
  byId("layout").replaceChildren(...layouts.map((layout) => h("option", { value: String(layout.t), selected: String(layout.t) === chosen }, layoutWords(layout))));
  drawTodo();
}

function layoutWords({ stroke, t: at }) {
  const time = `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, "0")}`;
  return `${stroke ? t("restore.after", { n: stroke }) : t("restore.start")} (${time})`;
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
  const listed = open.filter((pair) => pair.to).sort((a, b) => (b.mm ?? Infinity) - (a.mm ?? Infinity)).map(todoWords);
  const extra = open.filter((pair) => !pair.to).length;
  if (extra) listed.push(t("restore.extra", { n: extra }));
  byId("todo").replaceChildren(...listed.map((text) => h("li", {}, text)));
}

function todoWords({ kind, mm: way }) {
  const piece = t(`kind.${kind}`);
  return way === null ? t("restore.missing", { piece }) : t("restore.move", { piece, mm: mm(way) });
}

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
  if (section === null || section === "live") board.setPieces(sections.live?.pieces ?? []);
  if (section === null || section === "log") fetchLayouts(sections.log?.lines ?? 0);
  if (section === "live") drawTodo();
  board.setStale(isOld(drawConnection(now)));
});
