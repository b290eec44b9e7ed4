// The set-up's match: rule book, how many play, and their names; kept for when the set-up is done.

import { bookName, books } from "./books.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const SEATS = ["south", "west", "north", "east"];
const OPPOSITE = ["south", "north"];

export function matchPanel(box, { ask, state }) {
  const none = h("option", { value: "" }, t("setup.match_none"));
  const rules = h("select", { id: "rules" }, none);
  const count = h("select", { id: "number" });
  const names = Object.fromEntries(SEATS.map((seat) => [seat, h("input", { type: "text", maxLength: 40, autocomplete: "off", id: `name-${seat}` })]));
  const labels = SEATS.map((seat) => h("label", {}, t(`seat.${seat}`), names[seat]));
  const details = h("div", { className: "readings", hidden: true });
  let offered = [];

  const book = () => offered.find(({ name }) => name === rules.value);
  const sitting = () => (Number(count.value) === 2 ? OPPOSITE : SEATS);
  const drawSeats = () => labels.forEach((label, i) => { label.hidden = !sitting().includes(SEATS[i]); });
  const drawNumbers = () => {
    details.hidden = !book();
    if (!book()) return;
    count.replaceChildren(...Object.keys(book().players).map((n) => h("option", { value: n, selected: Number(n) === book().usual }, n)));
    drawSeats();
  };
  const fill = async () => {
    offered = await books();
    const kept = state().match;
    const base = kept?.rules.split("+")[0];
    rules.replaceChildren(none, ...offered.map(({ name }) => h("option", { value: name, selected: name === base }, bookName(name))));
    drawNumbers();
    if (!kept) return;
    const number = Object.entries(book().players).find(([, name]) => name === kept.rules)?.[0];
    if (number) { count.value = number; drawSeats(); }
    for (const seat of SEATS) names[seat].value = kept.players[seat] ?? "";
  };

  rules.addEventListener("change", drawNumbers);
  count.addEventListener("change", drawSeats);
  details.append(h("label", {}, t("match.number"), count), h("div", { className: "fields" }, ...labels));
  box.append(h("label", {}, t("match.rules"), rules), details);
  fill();

  const leaving = async () => {
    if (!book()) return ask("match");
    const players = Object.fromEntries(sitting().map((seat) => [seat, names[seat].value.trim()]).filter(([, name]) => name));
    return ask("match", { match: { rules: book().players[count.value], players } });
  };
  return Object.assign(() => {}, { leaving });
}
