// The match document as the pages need it: sides, queen, last rulings. Only this module knows the document's fields.

import { words } from "./words.js";

const FULL = 9; // coins of one colour in a complete set

/** The sides in the order of play, the one that includes south first: { seats, name, place, colour, score, left, due, label }.
 *  `label` is said aloud on the side's panel: whose turn, who breaks next, who won; "" for the others. */
export function sides(view) {
  const found = (view?.sides ?? []).map((s) => readSide(view, s));
  if (found.length < 2) return [emptySide("south"), emptySide("north")];
  const south = Math.max(0, found.findIndex((side) => side.seats.includes("south")));
  return [...found.slice(south), ...found.slice(0, south)];
}

function readSide(view, side) {
  return {
    seats: side.seats,
    name: side.seats.map((seat, i) => side.players[i] || words.seats[seat]).join(" & "),
    place: side.seats.map((seat) => words.seats[seat]).join(" & "),
    colour: view.collecting ? "none" : side.colour,
    score: side.score,
    left: side.coins_left,
    due: side.due,
    label: label(view, side.seats),
  };
}

function label(view, seats) {
  if (view.match_over) return seats.includes(view.winner) ? words.won : "";
  if (seats.includes(view.turn)) return ofPartner(view, seats, view.turn, view.certain ? words.turn : `${words.turn} ?`);
  return !view.turn && seats.includes(view.breaks_next) ? ofPartner(view, seats, view.breaks_next, words.breaks) : "";
}

/** Which of two partners it is about. */
function ofPartner(view, seats, seat, text) {
  return seats.length > 1 ? `${view.players?.[seat] || words.seats[seat]}: ${text}` : text;
}

function emptySide(seat) {
  const place = words.seats[seat];
  return { seats: [seat], name: place, place, colour: null, score: null, left: null, due: 0, label: "" };
}

/** { status, text } of the queen. */
export function queen(view) {
  const status = view?.queen?.status ?? "unknown";
  const holders = view?.queen?.seats ?? [];
  const holder = sides(view).find((s) => holders.includes(s.seats[0]));
  return { status, text: (words.queen[status] ?? words.queen.unknown)(holder?.name) };
}

/** The last rulings, newest first: { n, text, laws, certain, annulled, corrected, strokeText }. */
export function rulings(view) {
  return (view?.rulings ?? []).map(readRuling).reverse();
}

function readRuling(r) {
  return {
    n: r.stroke,
    text: r.sentences.map((s) => s.text).join(" ") || words.nothing,
    laws: [...new Set(r.sentences.map((s) => s.law).filter(Boolean))].join(", "),
    certain: r.certain,
    annulled: r.annulled,
    corrected: r.corrected,
    strokeText: r.stroke_text,
  };
}

/** One entry a coin of the set: true = still to be pocketed, false = gone, null = not known. */
export function coinRow(left) {
  return Array.from({ length: FULL }, (_, i) => (left === null || left === undefined ? null : i < left));
}
