// What no stroke says, told by the umpire: penalties, concessions, agreed results, colours, who breaks.

import { FOULS } from "./editor.js";
import { byId, h, write } from "./dom.js";
import { createPreview } from "./preview.js";
import { createStand } from "./stand.js";
import { playerAt, sides } from "./view.js";
import { t } from "./words.js";

const ABOUT_A_SIDE = ["waive", "grant", "return", "concede", "result", "timeout"];
const ACTS = ["before", "waive", "grant", "return", "return_queen", "concede", "result", "replay", "timeout", "colours", "breaker", "state"];
const LETTER = { white: "W", black: "B" };
const OF_COLOURS = ["colours", "state"]; // acts that mean nothing where nobody plays a colour
const BEFORE_A_STROKE = FOULS.filter((foul) => !["no_leave", "no_break", "out_of_turn"].includes(foul));

/** `submit(request, text)` sends; `view()` gives the match document. */
export function createTeller(submit, view) {
  const dialog = byId("tell");
  const value = (name) => byId(`tell-${name}`).value;
  const refused = (why) => {
    byId("tell-error").hidden = !why;
    write(byId("tell-error"), why ?? "");
    byId("tell-send").disabled = Boolean(why);
  };
  const preview = createPreview(byId("tell-preview"), refused);

  const stand = createStand(byId("tell-stand"), () => preview.show(request()));
  const read = () => {
    const act = value("act");
    const coin = act === "return" && view()?.collecting;
    const asked = { side: ABOUT_A_SIDE.includes(act), coin, seat: act === "colours" || act === "breaker", points: act === "result", foul: act === "before", state: act === "state" };
    for (const label of dialog.querySelectorAll("[data-for]")) label.hidden = !asked[label.dataset.for];
    preview.show(request());
  };

  const request = () => {
    const [act, side, seat] = [value("act"), value("side"), value("seat")];
    if (act === "state") return { action: "declare", state: stand.notation() };
    if (act === "breaker") return { action: "declare", breaker: seat };
    if (act === "colours") return { action: "declare", seats: colours(view(), seat) };
    const events = { return_queen: "return Q", before: `before:${value("foul")}`, replay: "replay", result: `result ${side} ${Number(value("points"))}` };
    const coin = act === "return" && view()?.collecting ? ` ${value("coin")}` : "";
    const counted = act === "grant" || act === "return" ? " 1" : "";
    return { action: "operate", event: events[act] ?? `${act} ${side}${coin}${counted}` };
  };

  options("coin", Object.entries(LETTER).map(([colour, letter]) => [letter, t(`kind.${colour}`)]));
  options("foul", BEFORE_A_STROKE.map((foul) => [foul, t(`foul.${foul}`)]));
  for (const name of ["act", "side", "coin", "seat", "points", "foul"]) byId(`tell-${name}`).addEventListener("input", read);
  byId("tell-cancel").addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("tell-send").disabled = true;
    const why = await submit(request(), t(`tell.${value("act")}`));
    if (why) refused(why);
    else dialog.close();
  });
  byId("tell-open").addEventListener("click", () => {
    const all = sides(view());
    const { collecting } = view() ?? {};
    options("act", ACTS.filter((act) => !collecting || !OF_COLOURS.includes(act)).map((act) => [act, t(`tell.${act}`)]));
    options("side", collecting ? all.map((s) => [`P${s.number}`, s.name])
      : all.filter((s) => s.colour in LETTER).map((s) => [LETTER[s.colour], `${s.name} (${t(`kind.${s.colour}`)})`]));
    options("seat", all.flatMap((s) => s.seats).map((seat) => [seat, playerAt(view(), seat)]));
    if (!collecting && view()) stand.show(view());
    refused(null);
    read();
    dialog.showModal();
  });
}

/** Every seat's colour when the side of `seat` plays white. */
function colours(view, seat) {
  const of = (side) => (side.seats.includes(seat) ? "white" : "black");
  return Object.fromEntries(sides(view).flatMap((side) => side.seats.map((at) => [at, of(side)])));
}

function options(name, list) {
  byId(`tell-${name}`).replaceChildren(...list.map(([value, text]) => h("option", { value }, text)));
}

/** One of the operator's events (`waive W 1`, `return P2 B 1`) in words. */
export function eventWords(event) {
  const [act, ...rest] = String(event).split(" ");
  if (act.startsWith("before:")) return `${t("tell.before")} (${t(`foul.${act.slice(7)}`)})`;
  const what = t(rest[0] === "Q" ? "tell.return_queen" : `tell.${act}`);
  const who = rest.map(whoWords).filter(Boolean).join(", ");
  return [what, who && `(${who})`, act === "result" ? rest.at(-1) : ""].filter(Boolean).join(" ");
}

function whoWords(word) {
  if (/^P\d$/.test(word)) return t("tell.player", { n: word.slice(1) });
  return { W: t("kind.white"), B: t("kind.black") }[word];
}
