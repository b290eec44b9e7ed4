// One side's panel of the scoreboard: name, score, turn, coins, dues, the light for the striker's placement.

import { byId, coin, write } from "./dom.js";
import { coinRow } from "./view.js";
import { mm, t } from "./words.js";

const NAME_SIZES = [1, 0.82, 0.67, 0.55, 0.45, 0.36]; // a name is set as large as its panel lets it stand in one line
const LONG_TURN = 11;
const HURRY_S = 5; // the clock's last seconds stand out

/** The panel of side `index`, made from the page's template when it is not there yet. */
export function panel(index) {
  const there = byId(`side-${index}`);
  if (there) return there;
  const made = byId("panel").content.firstElementChild.cloneNode(true);
  made.id = `side-${index}`;
  made.setAttribute("aria-labelledby", `name-${index}`);
  made.querySelector(".name").id = `name-${index}`;
  byId("sides").append(made);
  return made;
}

export function drawPanel(box, side, { placement, clock }) {
  const find = (selector) => box.querySelector(selector);
  box.dataset.turn = String(Boolean(side.label));
  write(find(".name"), side.name);
  fitName(find(".name"));
  find(".big").hidden = side.colour === "none";
  find(".big .coin").dataset.kind = side.colour ?? "unknown";
  write(find(".big .number"), side.left === null || side.left === undefined ? "–" : String(side.left));
  write(find(".points"), side.score === null ? "–" : String(side.score));
  find(".score").setAttribute("aria-label", `${t("score.label")}: ${side.score ?? t("score.unknown")}`);
  find(".score").dataset.digits = String(String(side.score ?? 0).length);
  write(find(".games"), side.games ? t("games", { n: side.games }) : "");
  drawTurn(find(".turn"), side, clock);
  drawPlacement(find(".placement"), placement);
  drawCoins(find(".coins"), side);
  write(find(".left-text"), side.colour === "none" ? "" : leftText(side.left));
  write(find(".reviews"), side.challenges ? `⚑ ${side.challenges}` : "");
  find(".reviews").setAttribute("aria-label", t("challenge.left", { n: side.challenges }));
  write(find(".due"), side.due > 0 ? t("owes", { n: side.due }) : "");
}

/** Sets a name as large as fits. */
export function fitName(name) {
  const told = `${name.textContent}:${name.parentElement.clientWidth}:${name.parentElement.clientHeight}`;
  if (name.dataset.told === told) return;
  name.dataset.told = told;
  for (const size of NAME_SIZES) {
    name.dataset.size = String(size);
    if (name.scrollWidth <= name.parentElement.clientWidth) return;
  }
}

export function leftText(left) {
  return left === null || left === undefined ? t("left.unknown") : t("left", { n: left });
}

function drawTurn(box, side, clock) {
  const runs = clock !== null && side.turn;
  write(box.firstElementChild, side.label);
  box.dataset.long = String(side.label.length + (runs ? 3 : 0) > LONG_TURN);
  const dial = box.lastElementChild;
  dial.hidden = !runs;
  if (!runs) return;
  write(dial, String(clock));
  dial.dataset.hurry = String(clock <= HURRY_S);
  dial.setAttribute("aria-label", clock ? t("clock.left", { n: clock }) : t("clock.over"));
}

/** Green, amber or red, with a sign and millimetres: colour alone tells nothing to some eyes. */
function drawPlacement(box, placement) {
  box.dataset.legal = placement ? String(placement.legal) : "none";
  if (!placement) return;
  const { legal, limit, margin_mm: margin } = placement;
  write(box.querySelector(".sign"), legal === null ? "?" : legal ? "✓" : "✕");
  write(box.querySelector(".margin"), t("placement.mm", { mm: mm(Math.abs(margin)) }));
  write(box.querySelector(".why"), t(`placement.${legal === null ? "close" : legal ? "good" : limit}`));
}

function drawCoins(row, side) {
  row.hidden = side.colour === "none";
  const shown = `${side.colour}:${side.left}`;
  if (row.dataset.shown === shown) return;
  row.dataset.shown = shown;
  const colour = side.colour && side.colour !== "none" ? t(`kind.${side.colour}`) : "";
  row.setAttribute("aria-label", `${colour} ${leftText(side.left)}`.trim());
  row.replaceChildren(...coinRow(side.left).map((there) => coin(there === null ? null : side.colour, there === false)));
}

/** An empty panel is never drawn: sides that left the match take theirs along. */
export function removePanels(from) {
  for (let index = from; byId(`side-${index}`); index += 1) byId(`side-${index}`).remove();
}
