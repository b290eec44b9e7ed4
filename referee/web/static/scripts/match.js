// Pausing, ending and beginning matches: players, who sits where, rule book, how long, who breaks, and seen fouls.

import { bookName, books } from "./books.js";
import { DeskError, players } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { createLengths, isLength } from "./length.js";
import { createPlaces } from "./places_at_board.js";
import { badge } from "./players.js";
import { policyChoices } from "./policy.js";
import { t } from "./words.js";

const MOST_KNOWN = 12; // names to touch; others are typed
const OF_A_SEAT = /players\.(south|west|north|east)/; // how the referee names the field of a refused name
const OF_A_LENGTH = { target_points: "target", max_boards: "boards", games: "games", stroke_clock_s: "clock" };

/** `submit(request, what, path)` sends; `sections()` gives what is known now. */
export function createMatches(submit, sections) {
  const dialog = byId("newmatch");
  const view = () => sections().view;
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
  const sure = (is) => {
    byId("match-sure").hidden = !is;
    if (is) byId("match-end-yes").focus();
  };
  const run = async (state) => {
    if (!(await submit({ state }, t(`running.${state}`), "/api/umpire/running"))) dialog.close();
  };
  const number = () => Number(dialog.querySelector('[name="number"]:checked').value);
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
  const offer = async (now) => {
    const [base, ...modifiers] = (now?.rules ?? "").split("+");
    offered = await books();
    extras = modifiers.filter((modifier) => modifier !== "team" && !modifier.startsWith("players=") && !isLength(modifier));
    byId("match-rules").replaceChildren(...offered.map(({ name }) =>
      h("option", { value: name, selected: name === base }, bookName([name, ...(name === base ? extras : [])].join("+")))));
    byId("match-rules").dataset.present = base;
    lengths.open(modifiers);
    drawNumbers(now?.sides.flatMap((side) => side.seats).length);
  };

  const request = () => {
    const [chosen, first] = [byId("match-rules").value, byId("match-first").value];
    const kept = chosen === byId("match-rules").dataset.present ? extras : [];
    const rules = [book().players[number()], ...kept, ...lengths.modifiers()].join("+");
    return { rules, players: places.named(), policy: policy.chosen(), south: places.south(), ...(first ? { first } : {}) };
  };
  /** Whether all can be begun; each fault is told beside its field. */
  const check = ({ players: named, first }) => {
    places.clear();
    const entries = Object.entries(named);
    const twice = entries.filter(([seat, name]) => entries.some(([other, same]) => other !== seat && same.toLowerCase() === name.toLowerCase()));
    for (const [seat, name] of twice.slice(1)) places.fail(seat, t("match.error_twice", { name }));
    const three = number() === 3 && (entries.length !== 3 || (first && !named[first]));
    tell(three ? t("match.name_three") : null);
    return lengths.check() && twice.length === 0 && !three;
  };
  const tell = (text) => {
    byId("match-error").hidden = !text;
    write(byId("match-error"), text ?? "");
  };
  /** A refusal of the referee stands beside the field that it names, else above the buttons. */
  const refused = (why) => {
    const seat = OF_A_SEAT.exec(why)?.[1];
    const length = Object.keys(OF_A_LENGTH).find((name) => why.includes(`match.${name}`));
    if (seat) places.fail(seat, why);
    else if (length) lengths.fail(OF_A_LENGTH[length], why);
    else tell(why);
  };

  byId("match-rules").addEventListener("change", () => { lengths.open([]); drawNumbers(book().usual); });
  byId("match-cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => places.close());
  byId("match-end").addEventListener("click", () => sure(true));
  byId("match-end-no").addEventListener("click", () => sure(false));
  byId("match-end-yes").addEventListener("click", () => run("ended"));
  byId("match-pause").addEventListener("click", () => run(view()?.running === "playing" ? "paused" : "playing"));
  const open = async () => {
    const now = view();
    places.open(now?.players ?? {});
    await Promise.all([offer(now), know()]);
    sure(false);
    write(byId("match-pause"), t(now?.running === "playing" ? "match.pause" : "match.go_on"));
    byId("match-end").disabled = now?.running === "ended";
    policy = policyChoices(byId("match-policy"), now?.policy ?? {});
    tell(null);
    dialog.showModal();
  };
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const wish = request();
    if (!check(wish)) return;
    const why = await submit(wish, t("match.new"), "/api/umpire/match");
    if (why) refused(why);
    else dialog.close();
  });
  return { open };
}
