// The last ruling in a sentence, as large as its place allows, with what is asked of the umpire, or what came before.

import { write } from "./dom.js";
import { questionWords } from "./ask.js";
import { shortRuling } from "./short.js";
import { playerAt, rulings } from "./view.js";
import { t } from "./words.js";

const SMALLEST = 5; // steps by which a long ruling may be set smaller, so that no word of it is ever cut off
const EARLIER = 3;

export function drawRuling(box, view) {
  const [last, ...earlier] = rulings(view);
  write(box.querySelector(".sentence"), question(view) ?? (last ? shortRuling(last.ruling, view) : t("ruling.none")));
  box.dataset.certain = last ? String(last.certain) : "none";
  write(box.querySelector(".badge span"), last ? verdict(last) : "");
  write(box.querySelector(".badge small"), last ? note(last) : "");
  box.dataset.asks = String(Boolean(asked(view)));
  write(box.querySelector(".before"), asked(view) ?? (earlier.length ? t("ruling.earlier", { rulings: inShort(earlier.slice(0, EARLIER), view) }) : ""));
  fitRuling(box);
}

/** Sets the sentence as large as its place allows. */
export function fitRuling(box) {
  const sentence = box.querySelector(".sentence");
  for (let size = 0; size <= SMALLEST; size += 1) {
    box.dataset.size = String(size);
    if (sentence.scrollHeight <= sentence.clientHeight + 1) return;
  }
}

/** What waits for the umpire stands where the ruling did; null where nothing waits. */
function question(view) {
  const challenged = view?.challenges.open;
  if (challenged) return t("challenge.open", { who: playerAt(view, challenged.seat), n: challenged.stroke });
  const asked = view?.needs_operator?.at(-1);
  return asked ? questionWords(asked, view) : null;
}

/** How many questions there are, and that a touch answers. */
function asked(view) {
  if (view?.challenges.open) return `${t("challenge.title")} · ${t("ask.touch")}`;
  const questions = view?.needs_operator ?? [];
  return questions.length ? `${t("questions", { n: questions.length })} · ${t("ask.touch")}` : null;
}

function inShort(earlier, view) {
  return earlier.map(({ ruling }) => shortRuling(ruling, view)).join("  ·  ");
}

function verdict(ruling) {
  if (ruling.annulled) return t("ruling.annulled");
  if (!ruling.certain) return `? ${t("ruling.doubtful")}`;
  return `✓ ${t(ruling.corrected ? "ruling.corrected" : "ruling.certain")}`;
}

function note(ruling) {
  const stroke = t("stroke.small", { n: ruling.n });
  return ruling.certain ? stroke : `${stroke} · ${t("ruling.umpire")}`;
}
