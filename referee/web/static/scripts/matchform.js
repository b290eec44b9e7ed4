// The form of a match: players at a picture of the board, rule book, how long, who breaks, and seen fouls.

import { bookName, books } from "./books.js";
import { DeskError, players } from "./desk.js";
import { byId, h } from "./dom.js";
import { createLengths, isLength } from "./length.js";
import { createPlaces } from "./places_at_board.js";
import { badge } from "./players.js";
import { policyChoices } from "./policy.js";
import { t } from "./words.js";

const MOST_KNOWN = 12; // names to touch; others are typed
const OF_A_SEAT = /players\.(south|west|north|east)/; // how the referee names the field of a refused name
const OF_A_LENGTH = { target_points: "target", max_boards: "boards", games: "games", stroke_clock_s: "clock" };

/** Fills the page's form; `sections()` gives what is known now, `tell(text)` says a fault of no single field. */
export function createMatchForm(sections, tell) {
  let offered = [];
  let extras = []; // what the present match settled for itself (`stay`), kept for the next one under its book
  let policy = null;
  const book = () => offered.find(({ name }) => name === byId("match-rules").value);
  const lengths = createLengths(book);
  const places = createPlaces(sections, () => drawFirst());

  const know = async () => {
    try {
      const names = (await players()).slice(0, MOST_KNOWN);
      byId("match-known-box").hidden = names.length === 0;
      byId("match-known").replaceChildren(...names.map((name) => h("button", { type: "button", click: () => places.seat(name) }, badge(name), name)));
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
    }
  };
  const number = () => Number(byId("match-number").querySelector(":checked").value);
  const drawFirst = () => {
    const { value } = byId("match-first");
    byId("match-first").replaceChildren(h("option", { value: "" }, t("match.first_open")),
      ...places.sitting().map((seat) => h("option", { value: seat, selected: seat === value }, places.nameAt(seat) || t(`seat.${seat}`))));
  };
  const drawNumbers = (wished) => {
    const numbers = Object.keys(book().players).map(Number);
    const chosen = numbers.includes(wished) ? wished : book().usual;
    byId("match-number").replaceChildren(...numbers.map((n) => h("label", {},
      h("input", { type: "radio", name: "number", value: n, checked: n === chosen, change: () => places.setNumber(number()) }), h("span", {}, String(n)))));
    places.setNumber(chosen);
  };
  const offer = async (rules, seated) => {
    const [base, ...modifiers] = rules.split("+");
    offered = await books();
    extras = modifiers.filter((modifier) => modifier !== "team" && !modifier.startsWith("players=") && !isLength(modifier));
    byId("match-rules").replaceChildren(...offered.map(({ name }) =>
      h("option", { value: name, selected: name === base }, bookName([name, ...(name === base ? extras : [])].join("+")))));
    byId("match-rules").dataset.present = base;
    lengths.open(modifiers);
    drawNumbers(seated ?? seatsOf(book().players, modifiers));
  };
  byId("match-rules").addEventListener("change", () => { lengths.open([]); drawNumbers(book().usual); });

  return {
    /** Shows a match: { rules, players, policy, first } and how many are `seated`, else as its rule book says. */
    async open({ rules = "", players: named = {}, policy: fouls = {}, first = "" }, seated) {
      places.open(named);
      await Promise.all([offer(rules, seated), know()]);
      byId("match-first").value = first;
      policy = policyChoices(byId("match-policy"), fouls);
      byId("match-policy-box").hidden = Object.keys(fouls).length === 0;
      tell(null);
    },
    close: () => places.close(),
    /** The match as it is asked for. */
    wish() {
      const [chosen, first] = [byId("match-rules").value, byId("match-first").value];
      const kept = chosen === byId("match-rules").dataset.present ? extras : [];
      const rules = [book().players[number()], ...kept, ...lengths.modifiers()].join("+");
      return { rules, players: places.named(), policy: policy.chosen(), south: places.south(), ...(first ? { first } : {}) };
    },
    /** Whether all can be begun; each fault is told beside its field. */
    check({ players: named, first }) {
      places.clear();
      const entries = Object.entries(named);
      const twice = entries.filter(([seat, name]) => entries.some(([other, same]) => other !== seat && same.toLowerCase() === name.toLowerCase()));
      for (const [seat, name] of twice.slice(1)) places.fail(seat, t("match.error_twice", { name }));
      const three = number() === 3 && (entries.length !== 3 || (first && !named[first]));
      tell(three ? t("match.name_three") : null);
      return lengths.check() && twice.length === 0 && !three;
    },
    /** A refusal of the referee stands beside the field that it names, else where faults of no field do. */
    refused(why) {
      const seat = OF_A_SEAT.exec(why)?.[1];
      const length = Object.keys(OF_A_LENGTH).find((name) => why.includes(`match.${name}`));
      if (seat) places.fail(seat, why);
      else if (length) lengths.fail(OF_A_LENGTH[length], why);
      else tell(why);
    },
  };
}

/** How many play by a name of rules with these modifiers, of those that the book offers: { number: name }. */
function seatsOf(offers, modifiers) {
  const found = Object.entries(offers).find(([, name]) => {
    const wanted = name.split("+").slice(1);
    const own = modifiers.filter((modifier) => modifier === "team" || modifier.startsWith("players="));
    return wanted.length === own.length && wanted.every((modifier) => own.includes(modifier));
  });
  return found ? Number(found[0]) : undefined;
}
