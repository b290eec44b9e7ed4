// The wall: one tile for each board, as the hub tells it.

import { watch } from "./connection.js";
import { byId, coin, h, write } from "./dom.js";
import { begin } from "./page.js";
import { keepAwake } from "./awake.js";
import { age, has, t } from "./words.js";

const WIDE = 1.9; // a tile's width by its height at which two lines and a head fill it
const MOST_MARKS = 3; // question marks, one for each open question
const NARROW_PX = 600;
const HEAD_PX = 60; // what the page's head takes

begin("wall");
keepAwake(() => {});
const tiles = new Map();
let sections = {};

/** So many columns that tiles are nearest to their best shape. */
function arrange(count) {
  if (innerWidth <= NARROW_PX) return innerWidth < 340 ? 1 : 2;
  let best = 1;
  let least = Infinity;
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns);
    const shape = innerWidth / columns / ((innerHeight - HEAD_PX) / rows);
    // A bad shape costs as much as the places that stay empty.
    const cost = Math.abs(Math.log(shape / WIDE)) + (columns * rows - count) / count;
    if (cost < least) [best, least] = [columns, cost];
  }
  return best;
}

function stateOf(tile) {
  if (!tile.up) return "away";
  if (tile.refused) return "trouble";
  if (!tile.eyes) return "camera";
  if (tile.match?.questions) return "question";
  if (tile.alerts.some((kind) => kind !== "picture_small")) return "trouble";
  return "well";
}

/** What the head of a tile says beside the board's name. */
function note(tile, state) {
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - tile.since));
  if (state === "away") return t("wall.away", { age: age(seconds) });
  if (tile.refused) return t("wall.refused");
  if (state === "camera") return t("wall.camera");
  if (state === "question") return "?".repeat(Math.min(tile.match.questions, MOST_MARKS));
  if (state === "trouble") return has(`health.${tile.alerts[0]}.short`) ? t(`health.${tile.alerts[0]}.short`) : t("wall.trouble");
  if (!tile.match) return "";
  if (tile.match.running !== "playing") return t(`running.${tile.match.running}`);
  if (tile.match.match_over) return t("match.over");
  if (tile.match.board_over) return t("board.over");
  return tile.match.board ? t("board", { n: tile.match.board }) : "";
}

function sideLine(side, match) {
  const name = side.seats.map((seat, i) => side.names[i] || t(`seat.${seat}`)).join(" & ");
  const won = match.match_over && side.won;
  return h("span", { className: "side", "data-turn": String(side.turn && !match.match_over), "data-won": String(won) },
    side.colour ? coin(side.colour) : null,
    h("span", { className: "name", dir: "auto" }, name),
    side.games ? h("span", { className: "games", title: t("games", { n: side.games }) }, side.games) : null,
    h("span", { className: "score" }, side.score ?? "–"));
}

function draw(id) {
  const tile = sections[`tile/${id}`];
  if (!tile) return;
  const box = tiles.get(id);
  const state = stateOf(tile);
  const text = JSON.stringify([tile, note(tile, state)]);
  if (box.dataset.drawn === text) return;
  box.dataset.drawn = text;
  box.dataset.state = state;
  box.dataset.doubt = String(Boolean(tile.match) && !tile.match.certain);
  const link = h("a", { href: `/b/${tile.slug}/`, title: tile.match?.questions ? t("questions", { n: tile.match.questions }) : "" },
    h("span", { className: "head" }, h("b", { dir: "auto" }, tile.name), h("span", {}, note(tile, state))),
    ...(tile.match ? tile.match.sides.map((side) => sideLine(side, tile.match)) : [h("span", { className: "nothing" }, t("wall.idle"))]));
  box.replaceChildren(link);
}

function drawOrder() {
  const { boards = [], questions = 0 } = sections.hall ?? {};
  for (const [id, box] of tiles) if (!boards.includes(id)) { box.remove(); tiles.delete(id); }
  for (const id of boards) {
    if (!tiles.has(id)) tiles.set(id, h("li", { className: "tile" }));
    byId("boards").append(tiles.get(id));
    draw(id);
  }
  byId("boards").style.setProperty("--columns", arrange(boards.length));
  byId("empty").hidden = boards.length > 0;
  byId("asked").hidden = questions === 0;
  write(byId("asked"), questions ? t("questions", { n: questions }) : "");
}

function drawLine(store) {
  const state = store.open ? "live" : store.closedToUs ? "private" : "lost";
  byId("connection").dataset.state = state;
  const seconds = Math.round((performance.now() - store.lostAt) / 1000);
  write(byId("connection-text"), t(`connection.${state}`, { age: age(seconds) }));
}

watch((store, section) => {
  sections = store.sections;
  drawLine(store);
  if (section?.startsWith("tile/")) {
    const id = section.slice("tile/".length);
    if (tiles.has(id)) draw(id);
  } else if (section === "clock") {
    for (const id of tiles.keys()) draw(id);
  } else drawOrder();
});
addEventListener("resize", drawOrder);
