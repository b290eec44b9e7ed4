// How long a match is: points, boards, games and the stroke clock, chosen at once by a preset or one by one.

import { byId, h, write } from "./dom.js";
import { t } from "./words.js";

const LIMITS = { target: [0, 999], boards: [0, 99], games: [1, 9], clock: [0, 600], challenges: [0, 9] };
const PRESETS = {
  book: {},
  quick: { boards: 1, games: 1, clock: 0 },
  club: { target: 25, boards: 8, games: 1, clock: 0 },
  final: { target: 25, boards: 8, games: 3, clock: 15 },
};

/** Modifiers of a rule book's name that this form has fields for. */
export const isLength = (modifier) => modifier.split("=")[0] in LIMITS;

/** Fills the page's form; `book()` is the rule book chosen, with its own `lengths`. */
export function createLengths(book) {
  const fields = Object.fromEntries(Object.entries(LIMITS).map(([name, [min, max]]) => [name,
    h("input", { id: `match-${name}`, type: "number", inputMode: "numeric", min, max, step: 1, input: () => mark() })]));
  const errors = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, h("span", { className: "error", id: `match-${name}-error`, role: "alert", hidden: true })]));
  const choices = Object.fromEntries(Object.keys(PRESETS).map((name) => [name,
    h("input", { type: "radio", name: "preset", value: name, change: () => take(PRESETS[name]) })]));
  byId("match-lengths").append(...Object.keys(LIMITS).map((name) => h("label", {}, t(`match.length_${name}`), fields[name], errors[name])));
  byId("match-presets").append(...Object.keys(PRESETS).map((name) => h("label", {}, choices[name], h("span", {}, t(`match.preset_${name}`)))));

  const wished = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Number(field.value)]));
  const take = (lengths) => {
    for (const [name, field] of Object.entries(fields)) field.value = lengths[name] ?? book().lengths[name];
    mark();
  };
  /** The preset that stands there, none once a number was changed by hand. */
  const mark = () => {
    const now = wished();
    const is = Object.entries(PRESETS).find(([, lengths]) => Object.entries({ ...book().lengths, ...lengths }).every(([name, n]) => now[name] === n));
    for (const [name, choice] of Object.entries(choices)) choice.checked = name === is?.[0];
  };
  const fail = (name, text) => {
    errors[name].hidden = !text;
    write(errors[name], text ?? "");
    fields[name].setAttribute("aria-invalid", String(Boolean(text)));
  };

  return {
    /** The numbers of `modifiers`, else the book's own; collecting games have no presets. */
    open(modifiers) {
      byId("match-presets-box").hidden = book().collecting;
      take(Object.fromEntries(modifiers.map((modifier) => modifier.split("=")).filter(([name]) => name in LIMITS).map(([name, n]) => [name, Number(n)])));
      for (const name of Object.keys(LIMITS)) fail(name, null);
    },
    /** What differs from the book, as modifiers of its name. */
    modifiers: () => Object.entries(wished()).filter(([name, n]) => n !== book().lengths[name]).map(([name, n]) => `${name}=${n}`),
    /** Whether every number can be, each fault told beside its field. */
    check() {
      const now = wished();
      const faults = Object.fromEntries(Object.entries(LIMITS).map(([name, [from, to]]) => [name,
        Number.isInteger(now[name]) && fields[name].value !== "" && now[name] >= from && now[name] <= to ? null : t("match.error_number", { from, to })]));
      if (!faults.target && !faults.boards && now.target === 0 && now.boards === 0) faults.target = t("match.error_endless");
      for (const [name, text] of Object.entries(faults)) fail(name, text);
      return Object.values(faults).every((text) => !text);
    },
    fail,
  };
}
