// The replay in the corner: after a foul or a doubtful call the stroke is shown at once, slowly, with the way of each piece.

import { questionWords } from "./ask.js";
import { byId, write } from "./dom.js";
import { createLoop } from "./loop.js";
import { setting } from "./settings.js";
import { shortRuling } from "./short.js";
import { sides } from "./view.js";
import { tokensOf } from "./words.js";

const SHOWN_MS = 16_000;
const [AGAIN_MS, TRIES] = [700, 12]; // what was recorded is written some seconds after its stroke is ruled
const FOUL = /^(foul:|off:|S(@|$))/;

/** The question that the stroke left open; null for none. */
function asked(ruling, view) {
  const open = view.needs_operator.findLast(({ stroke }) => stroke === ruling.stroke);
  return open ? questionWords(open, view) : null;
}

/** Whether people will ask to see it again: a ruling that is unsure for an older stroke's sake shows nothing of that one. */
const isWanted = (ruling, view) => !ruling.annulled && (asked(ruling, view) !== null || tokensOf(ruling.stroke_text).some((token) => FOUL.test(token)));

/** The corner over the panel that nobody looks at: the one of the side that is not to play. */
const cornerOf = (view) => (sides(view)[1]?.seats.includes(view.turn) ? "start" : "end");

/** `opened(ruling)` when it is touched. Gives what is to be called with each news. */
export function createInstant(opened) {
  const loop = createLoop(byId("instant-loop"));
  let last = null; // the stroke that was ruled last, as far as this page knows
  let shown = null; // the ruling in the corner
  let timer = null;

  const hide = () => {
    clearTimeout(timer);
    shown = null;
    loop.stop();
    byId("instant").hidden = true;
  };
  const show = async (ruling, view, replay, tries = TRIES) => {
    shown = ruling;
    const stroke = await loop.show(replay, ruling.stroke, ruling.certain ? "" : "falls_unsure", { drawn: true });
    if (shown !== ruling) return;
    if (!stroke?.clip && !stroke?.tracks) {
      loop.stop();
      if (tries > 1) timer = setTimeout(() => show(ruling, view, replay, tries - 1), AGAIN_MS);
      return;
    }
    write(byId("instant-what"), asked(ruling, view) ?? shortRuling(ruling, view));
    byId("instant").dataset.corner = cornerOf(view);
    byId("instant").hidden = false;
    byId("instant").scrollIntoView({ block: "nearest" }); // on a phone it has a place of its own, which may be out of sight
    timer = setTimeout(hide, SHOWN_MS);
  };
  byId("instant-close").addEventListener("click", hide);
  byId("instant-open").addEventListener("click", () => { hide(); opened(); });

  return ({ view, live, log }) => {
    const ruling = view?.rulings.at(-1);
    const key = ruling ? `${view.match}:${ruling.stroke}` : view ? `${view.match}:0` : null;
    if (live?.phase === "moving" && !byId("instant").hidden) hide();
    if (key === last || key === null) return;
    const first = last === null; // what was ruled before this page was opened is old
    last = key;
    hide();
    if (!first && ruling && log?.replay && setting("instant") === "on" && isWanted(ruling, view)) show(ruling, view, log.replay);
  };
}
