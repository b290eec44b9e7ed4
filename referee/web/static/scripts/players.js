// A player's badge: his initials in a colour that goes with his name, on every page and every device the same.

import { h } from "./dom.js";

const TINTS = 10; // of the style sheet

/** The number of a name's colour: the same name always has the same. */
export function tintOf(name) {
  let sum = 7;
  for (const letter of name.trim().toLocaleLowerCase()) sum = (sum * 31 + letter.codePointAt(0)) >>> 0;
  return sum % TINTS;
}

/** The first letters of the first and the last word, whole letters of any script. */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const firsts = words.length > 1 ? [words[0], words.at(-1)] : words;
  const letter = (word) => [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(word)][0]?.segment ?? "";
  return firsts.map(letter).join("").toLocaleUpperCase();
}

export function badge(name) {
  return h("span", { className: "avatar", "data-tint": String(tintOf(name)), "aria-hidden": "true" }, initials(name));
}
