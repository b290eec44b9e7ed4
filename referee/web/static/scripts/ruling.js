// The last ruling in a sentence, as large as its place allows, and what came before.

import { write } from "./dom.js";
import { rulings } from "./view.js";
import { t } from "./words.js";

const SMALLEST = 5; // steps by which a long ruling may be set smaller, so that no word of it is ever cut off
const EARLIER = 3;

export function drawRuling(box, view) {
  const [last, ...earlier] = rulings(view);
  write(box.querySelector(".sentence"), last ? last.text : t("ruling.none"));
  box.dataset.certain = last ? String(last.certain) : "none";
  write(box.querySelector(".badge span"), last ? verdict(last) : "");
  write(box.querySelector(".badge small"), last ? note(last) : "");
  write(box.querySelector(".before"), earlier.length ? t("ruling.earlier", { rulings: inShort(earlier.slice(0, EARLIER)) }) : "");
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
