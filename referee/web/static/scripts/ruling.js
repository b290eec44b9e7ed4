// The last ruling in a sentence, as large as its place allows, with what is asked of the umpire, or what came before.

import { write } from "./dom.js";
import { questionWords } from "./ask.js";
import { shortRuling } from "./short.js";
import { playerAt, rulings } from "./view.js";
import { t } from "./words.js";

const SMALLEST = 5; // steps by which a long ruling may be set smaller, so that no word of it is ever cut off
const EARLIER = 3;
const beneath = new WeakMap(); // of each box what may stand beneath its sentence, the longest first

export function drawRuling(box, view) {
  const [last, ...earlier] = rulings(view);
  write(box.querySelector(".sentence"), question(view) ?? (last ? shortRuling(last.ruling, view) : t("ruling.none")));
  box.dataset.certain = last ? String(last.certain) : "none";
  write(box.querySelector(".badge span"), last ? verdict(last) : "");
  write(box.querySelector(".badge small"), last ? note(last, Boolean(asked(view))) : "");
  box.dataset.asks = String(Boolean(asked(view)));
  beneath.set(box, asked(view) ? [asked(view)] : told(earlier.slice(0, EARLIER), view));
  fitRuling(box);
}

/** Sets the sentence as large as its place allows, and beneath it as many earlier rulings as stand there whole. */
export function fitRuling(box) {
  const sentence = box.querySelector(".sentence");
  fitBefore(box.querySelector(".before"), beneath.get(box) ?? []);
  for (let size = 0; size <= SMALLEST; size += 1) {
    box.dataset.size = String(size);
    if (sentence.scrollHeight <= sentence.clientHeight + 1) return;
  }
}

function fitBefore(before, texts) {
  for (const text of texts) {
    write(before, text);
    if (before.scrollWidth <= before.clientWidth) return;
  }
  write(before, texts.length === 1 ? texts[0] : "");
}

/** The earlier rulings in a line, and the same with ever fewer of them. */
function told(earlier, view) {
  return earlier.map((_, fewer) => t("ruling.earlier", { rulings: inShort(earlier.slice(0, earlier.length - fewer), view) }));
}

/** What waits for the umpire about the last stroke stands where its ruling did; null where nothing of it waits. */
function question(view) {
  const challenged = view?.challenges.open;
  if (challenged) return t("challenge.open", { who: playerAt(view, challenged.seat), n: challenged.stroke });
  const newest = view?.needs_operator?.at(-1);
  return newest && isOfLast(newest, view) ? questionWords(newest, view) : null;
}

/** How many questions there are, or the only one where an older stroke left it, and that a touch answers. */
function asked(view) {
  if (view?.challenges.open) return `${t("challenge.title")} · ${t("ask.touch")}`;
  const questions = view?.needs_operator ?? [];
  if (!questions.length) return null;
  const [only] = questions;
  const older = questions.length === 1 && !isOfLast(only, view);
  const what = older ? `${questionWords(only, view)} · ${t("stroke.small", { n: only.stroke })}` : t("questions", { n: questions.length });
  return `${what} · ${t("ask.touch")}`;
}

const isOfLast = ({ stroke }, view) => stroke === view.rulings.at(-1)?.stroke;

function inShort(earlier, view) {
  return earlier.map(({ ruling }) => shortRuling(ruling, view)).join("  ·  ");
}

function verdict(ruling) {
  if (ruling.annulled) return t("ruling.annulled");
  if (!ruling.certain) return `? ${t("ruling.doubtful")}`;
  return `✓ ${t(ruling.corrected ? "ruling.corrected" : "ruling.certain")}`;
}

function note(ruling, isAsked) {
  const stroke = t("stroke.small", { n: ruling.n });
  return ruling.certain || isAsked ? stroke : `${stroke} · ${t("ruling.umpire")}`;
}
