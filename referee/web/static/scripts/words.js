// Every word that the pages say, in the language chosen by the browser or by hand.

import { setting } from "./settings.js";

const RETRY_MS = 1000;
const FONT_MS = 2000; // a page waits so long for the letters of its language

const told = await load();
/** The language that this page speaks, and how its lines run ("ltr" or "rtl"). */
export const language = told.language;
export const direction = told.direction;
/** Whether a machine translated it and nobody who speaks it has read it yet. */
export const machineTranslated = told.machine;
/** Every language that there is, by code. */
export const LANGUAGES = told.languages;
/** How numbers and dates are written: always in the digits that the rulings use. */
export const locale = `${language}-u-nu-latn`;
const table = told.words;
await Promise.race([document.fonts.load('1em "Carrom Noto"', LANGUAGES[language]), pause(FONT_MS)]); // so that nothing is drawn in boxes
const plural = new Intl.PluralRules(language);
const oneDigit = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Where this reader's words come from. */
export function wordsAddress() {
  const wanted = [setting("language"), ...navigator.languages].filter(Boolean).slice(0, 20).join(",");
  return `/words?wanted=${encodeURIComponent(wanted)}`;
}

async function load() {
  for (;;) {
    try {
      return await (await fetch(wordsAddress())).json();
    } catch {
      await pause(RETRY_MS);
    }
  }
}

function pause(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** The words under `key` with {name} filled from `values`; the form follows `values.n` where a language has several. */
export function t(key, values = {}) {
  const found = table[key];
  if (found === undefined) throw new Error(`no words for ${key}`);
  const text = typeof found === "string" ? found : found[plural.select(values.n)] ?? found.other;
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

export function has(key) {
  return key in table;
}

/** Millimetres with one decimal, as the language writes them. */
export function mm(value) {
  return oneDigit.format(value);
}

export function age(seconds) {
  if (seconds < 100) return t("age.seconds", { n: seconds });
  if (seconds < 5400) return t("age.minutes", { n: Math.round(seconds / 60) });
  return t("age.hours", { n: Math.round(seconds / 3600) });
}

/** Writes the page's fixed words: data-word is the text, data-word-label what screen readers say, data-word-title the tab. */
export function fillIn(root = document) {
  for (const node of root.querySelectorAll("[data-word]")) node.textContent = t(node.dataset.word);
  for (const node of root.querySelectorAll("[data-word-label]")) node.setAttribute("aria-label", t(node.dataset.wordLabel));
}

/** Stroke tokens (`W@NE,off:S,foul:push`) as words for people. */
export function strokeWords(text) {
  const tokens = tokensOf(text);
  return tokens.length ? tokens.map(tokenWords).join(", ") : t("tokens.none");
}

export function tokensOf(text) {
  return String(text ?? "").split(",").map((token) => token.trim()).filter((token) => token && token !== "-");
}

/** Whether a token means something; see the umpire's notation. */
export function isToken(token) {
  const [kind, what] = token.split(":");
  return /^([WBQS](@(SW|SE|NE|NW))?|off:[WBQS])$/.test(token) || /^choice:(first|other)$/.test(token) || (["foul", "before"].includes(kind) && has(`foul.${what}`));
}

const ARROWS = { SW: "↙", SE: "↘", NE: "↗", NW: "↖" }; // as one looks at the board from south, in every language alike
const KINDS = { W: "white", B: "black", Q: "queen", S: "striker" };

/** A piece that was pocketed, with the way to its pocket where that is known. */
export function pocketedWords(piece, pocket) {
  return pocket ? t("tokens.pocketed_in", { piece, pocket: arrowOf(pocket) }) : t("tokens.pocketed", { piece });
}

export const arrowOf = (pocket) => ARROWS[pocket] ?? pocket;

function tokenWords(token) {
  const [name, pocket] = token.split("@");
  if (name in KINDS) {
    return pocketedWords(t(`kind.${KINDS[name]}`), pocket);
  }
  const [kind, what] = name.split(":");
  if (kind === "off" && what in KINDS) return t("tokens.off", { piece: t(`kind.${KINDS[what]}`) });
  if ((kind === "foul" || kind === "before") && has(`foul.${what}`)) return t(`tokens.${kind}`, { foul: t(`foul.${what}`) });
  if (kind === "choice" && has(`choice.${what}`)) return t(`choice.${what}`);
  return token;
}
