// Pausing, ending and beginning matches: rule book, players, who breaks, and what becomes of what the camera sees.

import { byId, h, write } from "./dom.js";
import { t } from "./words.js";

const SEATS = ["south", "west", "north", "east"];
const TREATMENTS = ["accept", "propose", "log", "ignore"];
const ASKED = ["hand_over_diagonal", "touch", "push", "out_of_turn"]; // what a camera sees only in part is the people's
const POLICY = ["placement", "cut_moon", "touching_arrow", ...ASKED];

/** `submit(request, what, path)` sends; `view()` gives the match document. */
export function createMatches(submit, view) {
  const dialog = byId("match");

  const run = async (state) => {
    if (!(await submit({ state }, t(`running.${state}`), "/api/umpire/running"))) dialog.close();
  };

  byId("match-players").append(...SEATS.map((seat) => h("label", {}, t(`seat.${seat}`), h("input", { id: `match-${seat}`, type: "text", maxLength: 40, autocomplete: "off" }))));
  byId("match-sits").append(...SEATS.map((seat) => h("label", { className: seat },
    h("input", { type: "radio", name: "south", value: seat }), h("span", {}, t(`seat.${seat}`)))));
  byId("match-first").append(h("option", { value: "" }, t("match.first_open")), ...SEATS.map((seat) => h("option", { value: seat }, t(`seat.${seat}`))));
  byId("match-policy").append(...POLICY.map((foul) => h("label", {}, t(`foul.${foul}`),
    h("select", { id: `policy-${foul}` }, ...TREATMENTS.map((name) => h("option", { value: name, selected: name === usual(foul) }, t(`policy.${name}`)))))));
  byId("match-cancel").addEventListener("click", () => dialog.close());
  byId("match-end").addEventListener("click", () => run("ended"));
  byId("match-pause").addEventListener("click", () => run(view()?.running === "playing" ? "paused" : "playing"));
  byId("match-open").addEventListener("click", async () => {
    const now = view();
    write(byId("match-pause"), t(now?.running === "playing" ? "match.pause" : "match.go_on"));
    byId("match-end").disabled = now?.running === "ended";
    for (const seat of SEATS) byId(`match-${seat}`).value = now?.players?.[seat] ?? "";
    byId("match-error").hidden = true;
    dialog.querySelector('[name="south"]').checked = true;
    dialog.showModal();
    await offerBooks(now?.rules);
  });
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const why = await submit(request(), t("match.new"), "/api/umpire/match");
    byId("match-error").hidden = !why;
    write(byId("match-error"), why ?? "");
    if (!why) dialog.close();
  });
}

function usual(foul) {
  return ASKED.includes(foul) ? "propose" : "accept";
}

/** Every book with its number of players; the present one with what this match settled for itself (`icf+stay`). */
async function offerBooks(present = "") {
  const [base] = present.split("+");
  const books = await (await fetch("/api/books")).json();
  byId("match-rules").replaceChildren(...books.map(({ name, players }) => {
    const value = name === base ? present : name;
    return h("option", { value, selected: name === base }, `${value.toUpperCase()} (${players})`);
  }));
}

function request() {
  const players = Object.fromEntries(SEATS.map((seat) => [seat, byId(`match-${seat}`).value.trim()]).filter(([, name]) => name));
  const policy = Object.fromEntries(POLICY.map((foul) => [foul, byId(`policy-${foul}`).value]).filter(([foul, how]) => how !== usual(foul)));
  const first = byId("match-first").value;
  const south = document.querySelector('[name="south"]:checked').value;
  return { rules: byId("match-rules").value, players, policy, south, ...(first ? { first } : {}) };
}
