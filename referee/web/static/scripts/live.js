// The live board: vectors at the measured geometry, what moves with its trails, and the camera's picture beneath.

import { createBoard } from "./board.js";
import { createCamera } from "./camera.js";
import { freshness, isOld, watch } from "./connection.js";
import { byId, h, write } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { drawShout, shoutOf } from "./shout.js";
import { drawConnection } from "./signs.js";
import { playerAt, sides } from "./view.js";
import { has, t } from "./words.js";

const RATE_OVER_MS = 2000;

begin("live");
createMenu(byId("menu"));
const board = createBoard(byId("board"));
const camera = createCamera(drawPicture);
const shown = { camera: false, trails: !matchMedia("(prefers-reduced-motion: reduce)").matches, rings: true, hands: true };
const DOES = { reload: () => location.reload(), match: goToDesk, go_on: goToDesk, rematch: goToDesk };
let heard = []; // when live pictures came
let alive = false;

for (const name of Object.keys(shown)) {
  const button = h("button", { type: "button", "data-show": name, "aria-pressed": String(shown[name]), click: () => toggle(name, button) }, t(`live.${name}`));
  byId("toggles").append(button);
}
byId("board").dataset.rings = String(shown.rings);
write(byId("note"), t("live.ring"));

/** What changes the match is done where it can be answered for. */
function goToDesk() {
  location.href = "/umpire";
}

function toggle(name, button) {
  shown[name] = !shown[name];
  button.setAttribute("aria-pressed", String(shown[name]));
  byId("board").dataset.rings = String(shown.rings);
  if (!shown.trails) board.trails.clear();
  if (!shown.hands) board.setHands([]);
  if (name === "camera") camera.run(shown.camera);
  if (!shown.camera) board.setPicture(null);
}

function drawLive(live) {
  write(byId("phase"), has(`phase.${live.phase}`) ? t(`phase.${live.phase}`) : live.phase);
  heard = [...heard.filter((at) => at > performance.now() - RATE_OVER_MS), performance.now()];
  // Over the camera's picture only what was seen in that very picture is drawn.
  if (!shown.camera || !camera.showing()) drawPieces(live);
}

function drawPieces(live) {
  board.setPieces(live.pieces);
  if (shown.hands) board.setHands(live.hands);
  if (shown.trails) board.trails.add(live.t, live.pieces);
}

/** A new picture with what was seen at its time; null: none came. */
function drawPicture(picture) {
  if (!shown.camera) return;
  board.setPicture(picture?.url ?? null, picture?.reach);
  if (picture) drawPieces(picture.seen);
}

function drawFacts({ live, board: geometry, view }) {
  const facts = [
    live?.fps ? t("live.frames", { fps: Math.round(live.fps) }) : null,
    alive ? t("live.updates", { n: Math.round((1000 * heard.length) / RATE_OVER_MS) }) : null,
    live ? t("live.dropped", { n: live.dropped }) : null,
    live?.source ? t("live.source", { name: live.source }) : null,
    geometry ? t(geometry.measured ? "live.measured" : "live.book") : null,
    shown.camera && !camera.showing() ? t("live.no_picture") : null,
    ...sides(view).map((side) => `${side.name}: ${side.score ?? "–"}`),
  ].filter(Boolean);
  byId("facts").replaceChildren(...facts.map((text) => h("li", {}, text)));
}

function drawSeats(view) {
  const seats = sides(view).flatMap((side) => side.seats);
  board.setSeats(Object.fromEntries(seats.map((seat) => [seat, { name: playerAt(view, seat), turn: view?.turn === seat }])));
}

watch((store, section) => {
  const { sections } = store;
  if ((section === null || section === "board") && sections.board) board.setGeometry(sections.board);
  if (section === null || section === "view") drawSeats(sections.view);
  if ((section === null || section === "live") && sections.live) drawLive(sections.live);
  if (section === null && !sections.live) board.setPieces(sections.table?.pieces ?? []);
  const fresh = freshness(store);
  const shout = shoutOf({ sections, fresh });
  drawConnection(store, shout);
  drawShout(byId("veil"), shout, DOES);
  alive = fresh.state === "live";
  board.setStale(isOld(fresh));
  if (section === "clock" || section === null) drawFacts(sections);
});
