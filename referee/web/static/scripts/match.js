// Pausing, ending and beginning matches: rule book, players, who breaks, and what becomes of what the camera sees.

import { bookName, books } from "./books.js";
import { DeskError, players } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { policyChoices } from "./policy.js";
import { t } from "./words.js";

const SEATS = ["south", "west", "north", "east"];
const MOST_KNOWN = 12; // names to touch; others are typed
const OPPOSITE = ["south", "north"]; // where two players sit: south is the side that is tapped

/** `submit(request, what, path)` sends; `view()` gives the match document. */
export function createMatches(submit, view) {
  const dialog = byId("newmatch");
  let offered = [];
  let extras = []; // what the present match settled for itself (`stay`), kept for the next one under its book
  let policy = null;
  let nextSeat = 0; // which of the seats a touch on a known player fills

  const know = async () => {
    try {
      const names = (await players()).slice(0, MOST_KNOWN);
      byId("match-known-box").hidden = names.length === 0;
      byId("match-known").replaceChildren(...names.map((name) => h("button", { type: "button", click: () => seat(name) }, name)));
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
    }
  };
  /** The first touch fills the first seat, the next one the next. */
  const seat = (name) => {
    const seats = sitting();
    byId(`match-${seats[nextSeat % seats.length]}`).value = name;
    nextSeat += 1;
  };
  const sure = (is) => {
    byId("match-sure").hidden = !is;
    if (is) byId("match-end-yes").focus();
  };

  const run = async (state) => {
    if (!(await submit({ state }, t(`running.${state}`), "/api/umpire/running"))) dialog.close();
  };
  const book = () => offered.find(({ name }) => name === byId("match-rules").value);
  const number = () => Number(dialog.querySelector('[name="number"]:checked').value);
  const sitting = () => (number() === 2 ? OPPOSITE : SEATS);

  const drawSeats = () => {
    for (const seat of SEATS) byId(`match-${seat}`).parentElement.hidden = !sitting().includes(seat);
    const { value } = byId("match-first");
    byId("match-first").replaceChildren(h("option", { value: "" }, t("match.first_open")),
      ...sitting().map((seat) => h("option", { value: seat, selected: seat === value }, t(`seat.${seat}`))));
  };
  const drawNumbers = (wished) => {
    const numbers = Object.keys(book().players).map(Number);
    const chosen = numbers.includes(wished) ? wished : book().usual;
    byId("match-number").replaceChildren(...numbers.map((n) => h("label", {},
      h("input", { type: "radio", name: "number", value: n, checked: n === chosen, change: drawSeats }), h("span", {}, String(n)))));
    drawSeats();
  };
  const offer = async (now) => {
    const [base, ...modifiers] = (now?.rules ?? "").split("+");
    offered = await books();
    extras = modifiers.filter((modifier) => modifier !== "team" && !modifier.startsWith("players="));
    byId("match-rules").replaceChildren(...offered.map(({ name }) =>
      h("option", { value: name, selected: name === base }, bookName([name, ...(name === base ? extras : [])].join("+")))));
    byId("match-rules").dataset.present = base;
    drawNumbers(now?.sides.flatMap((side) => side.seats).length);
  };

  const request = () => {
    const named = Object.fromEntries(sitting().map((seat) => [seat, byId(`match-${seat}`).value.trim()]).filter(([, name]) => name));
    const [chosen, first] = [byId("match-rules").value, byId("match-first").value];
    const kept = chosen === byId("match-rules").dataset.present ? extras : [];
    const south = dialog.querySelector('[name="south"]:checked').value;
    const rules = [book().players[number()], ...kept].join("+");
    return { rules, players: named, policy: policy.chosen(), south, ...(first ? { first } : {}) };
  };
  const missing = ({ players, first }) =>
    (number() === 3 && (Object.keys(players).length !== 3 || (first && !players[first])) ? t("match.name_three") : null);

  byId("match-players").append(...SEATS.map((seat) => h("label", {}, t(`seat.${seat}`), h("input", { id: `match-${seat}`, type: "text", maxLength: 40, autocomplete: "off" }))));
  byId("match-sits").append(...SEATS.map((seat) => h("label", { className: seat },
    h("input", { type: "radio", name: "south", value: seat }), h("span", {}, t(`seat.${seat}`)))));
  byId("match-rules").addEventListener("change", () => drawNumbers(book().usual));
  byId("match-cancel").addEventListener("click", () => dialog.close());
  byId("match-end").addEventListener("click", () => sure(true));
  byId("match-end-no").addEventListener("click", () => sure(false));
  byId("match-end-yes").addEventListener("click", () => run("ended"));
  byId("match-pause").addEventListener("click", () => run(view()?.running === "playing" ? "paused" : "playing"));
  const open = async () => {
    const now = view();
    await Promise.all([offer(now), know()]);
    nextSeat = 0;
    sure(false);
    write(byId("match-pause"), t(now?.running === "playing" ? "match.pause" : "match.go_on"));
    byId("match-end").disabled = now?.running === "ended";
    for (const seat_ of SEATS) byId(`match-${seat_}`).value = now?.players?.[seat_] ?? "";
    policy = policyChoices(byId("match-policy"), now?.policy ?? {});
    byId("match-error").hidden = true;
    dialog.querySelector('[name="south"]').checked = true;
    dialog.showModal();
  };
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const wish = request();
    const why = missing(wish) ?? await submit(wish, t("match.new"), "/api/umpire/match");
    byId("match-error").hidden = !why;
    write(byId("match-error"), why ?? "");
    if (!why) dialog.close();
  });
  return { open };
}
