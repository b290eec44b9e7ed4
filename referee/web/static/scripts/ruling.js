// The last ruling in a sentence, as large as its place allows, with what is asked of the umpire, or what came before.

import { write } from "./dom.js";
import { rulings } from "./view.js";
import { has, t } from "./words.js";

const SMALLEST = 5; // steps by which a long ruling may be set smaller, so that no word of it is ever cut off
const EARLIER = 3;

export function drawRuling(box, view) {
  const [last, ...earlier] = rulings(view);
  write(box.querySelector(".sentence"), last ? last.text : t("ruling.none"));
  box.dataset.certain = last ? String(last.certain) : "none";
  write(box.querySelector(".badge span"), last ? verdict(last) : "");
  write(box.querySelector(".badge small"), last ? note(last) : "");
  if (box.querySelector(".all")) box.querySelector(".all").hidden = !last?.sentences.length;
  box.dataset.asks = String(Boolean(asked(view)));
  write(box.querySelector(".before"), asked(view) ?? (earlier.length ? t("ruling.earlier", { rulings: inShort(earlier.slice(0, EARLIER)) }) : ""));
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

/** What waits for the umpire, in short, goes before what was ruled earlier; the desk has the whole question. */
function asked(view) {
  const questions = view?.needs_operator ?? [];
  if (!questions.length) return null;
  const [{ stroke: n, reason }] = questions;
  const what = has(`foul.${reason}`) ? `: ${t(`foul.${reason}`)}?` : "";
  return `${t("questions", { n: questions.length })} · ${t("stroke", { n })}${what}`;
}

function inShort(earlier) {
  return earlier.map((ruling) => `${ruling.n}. ${ruling.text}`).join("  ·  ");
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
