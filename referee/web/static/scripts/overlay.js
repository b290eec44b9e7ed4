// For streams: score, turn and queen in a small box. ?at=bottom-left|bottom|bottom-right|top-left|top|top-right,
// ?scale=1.2, ?ruling=on, ?board=on; language and colours as on every page (?language=de&theme=dark).

import { createBoard } from "./board.js";
import { isOld, watch } from "./connection.js";
import { byId, coin, h, write } from "./dom.js";
import { begin } from "./page.js";
import { drawConnection } from "./signs.js";
import { queen, rulings, sides } from "./view.js";
import { t } from "./words.js";

const PLACES = ["bottom-left", "bottom", "bottom-right", "top-left", "top", "top-right"];
const [SMALLEST, LARGEST] = [0.4, 4];

begin("scoreboard");
const asked = new URLSearchParams(location.search);
const at = asked.get("at");
document.body.dataset.at = PLACES.includes(at) ? at : PLACES[0];
document.body.style.setProperty("--scale", String(Math.min(LARGEST, Math.max(SMALLEST, Number(asked.get("scale")) || 1))));
byId("ruling").hidden = asked.get("ruling") !== "on";
byId("board").toggleAttribute("hidden", asked.get("board") !== "on");
const board = createBoard(byId("board"));

function drawView(view) {
  byId("sides").replaceChildren(...sides(view).map((side) => h("div", { className: "row", "data-turn": String(Boolean(side.label)) },
    coin(side.colour),
    h("span", { className: "name" }, side.name),
    h("span", { className: "left" }, side.left === null ? "" : t("left", { n: side.left })),
    h("span", { className: "points" }, side.score === null ? "–" : String(side.score)))));
  const { status, text } = queen(view);
  byId("queen").dataset.status = status;
  write(byId("queen").lastElementChild, text);
  const [last] = rulings(view);
  byId("ruling").dataset.certain = String(last?.certain ?? true);
  write(byId("ruling"), last?.text ?? "");
}

watch((store, section) => {
  const { sections } = store;
  if ((section === null || section === "board") && sections.board) board.setGeometry(sections.board);
  if (section === null || section === "view") drawView(sections.view);
  if (section === null || section === "live") board.setPieces(sections.live?.pieces ?? []);
  board.setStale(isOld(drawConnection(store)));
});
