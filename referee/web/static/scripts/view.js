// The match document as the pages need it: sides, queen, last rulings. Only this module knows the document's fields.

import { t } from "./words.js";

const FULL = 9; // coins of one colour in a complete set

/** The sides in the order of play, the one that includes south first:
 *  { number, seats, name, place, colour, score, games, left, due, label, turn }.
 *  `label` is said aloud on the side's panel: whose turn, who breaks next, who won; "" for the others. */
export function sides(view) {
  const found = (view?.sides ?? []).map((side, i) => readSide(view, side, i + 1));
  if (found.length < 2) return [emptySide("south"), emptySide("north")];
  const south = Math.max(0, found.findIndex((side) => side.seats.includes("south")));
  return [...found.slice(south), ...found.slice(0, south)];
}

function readSide(view, side, number) {
  return {
    number,
    seats: side.seats,
    name: side.seats.map((seat, i) => side.players[i] || t(`seat.${seat}`)).join(" & "),
    place: side.seats.map((seat) => t(`seat.${seat}`)).join(" & "),
    colour: view.collecting ? "none" : side.colour,
    score: side.score,
    games: side.games,
    left: side.coins_left,
    due: side.due,
    challenges: view.challenges?.left[number - 1] ?? 0,
    label: label(view, side.seats),
    turn: !view.match_over && side.seats.includes(view.turn),
  };
}

function label(view, seats) {
  if (view.match_over) return seats.includes(view.winner) ? t("turn.won") : "";
  if (seats.includes(view.turn)) return ofPartner(view, seats, view.turn, doubtful(view, t("turn.strike")));
  return !view.turn && seats.includes(view.breaks_next) ? ofPartner(view, seats, view.breaks_next, t("turn.break")) : "";
}

function doubtful(view, what) {
  return view.certain ? what : t("turn.doubtful", { what });
}

/** Which of two partners it is about. */
function ofPartner(view, seats, seat, what) {
  return seats.length > 1 ? t("turn.partner", { who: playerAt(view, seat), what }) : what;
}

export function playerAt(view, seat) {
  return view?.players?.[seat] || t(`seat.${seat}`);
}

function emptySide(seat) {
  const place = t(`seat.${seat}`);
  return { seats: [seat], name: place, place, colour: null, score: null, games: 0, left: null, due: 0, label: "", turn: false, challenges: 0 };
}

/** { status, text } of the queen. */
export function queen(view) {
  const status = view?.queen?.status ?? "unknown";
  const holders = view?.queen?.seats ?? [];
  const holder = sides(view).find((side) => holders.includes(side.seats[0]));
  const named = status === "pending" || status === "covered";
  return { status, text: named && !holder ? t(`queen.${status}_unknown`) : t(`queen.${status}`, { who: holder?.name }) };
}

/** The last rulings, newest first: { n, text, sentences, certain, annulled, corrected, ruling }. The text is the call in short. */
export function rulings(view) {
  return (view?.rulings ?? []).map(readRuling).reverse();
}

function readRuling(ruling) {
  return {
    n: ruling.stroke,
    text: ruling.call || t("ruling.nothing"),
    sentences: ruling.sentences,
    certain: ruling.certain,
    annulled: ruling.annulled,
    corrected: ruling.corrected,
    ruling,
  };
}

export function decided(ruling) {
  return ruling.sentences.filter((sentence) => sentence.kind !== "proposal").map((sentence) => sentence.text).join(" ");
}

/** One entry a coin of the set: true = still to be pocketed, false = gone, null = not known. */
export function coinRow(left) {
  return Array.from({ length: FULL }, (_, i) => (left === null || left === undefined ? null : i < left));
}

/** Seconds left of the stroke clock, null when none runs: it runs from rest to strike where the rule book has one. */
export function clockLeft({ view, live }) {
  const runs = view?.stroke_clock_s && view.running === "playing" && view.turn && view.rest_t !== null && live && ["waiting", "hand", "placed"].includes(live.phase);
  if (!runs || live.t < view.rest_t) return null;
  return Math.max(0, Math.ceil(view.stroke_clock_s - (live.t - view.rest_t)));
}
