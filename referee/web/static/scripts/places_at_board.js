// Who sits where: a name on each side of a picture of the board, as the camera sees it, turned until it is right.

import { createBoard } from "./board.js";
import { createCamera } from "./camera.js";
import { byId, h, write } from "./dom.js";
import { badge } from "./players.js";
import { t } from "./words.js";

export const SEATS = ["south", "west", "north", "east"]; // clockwise, seen from above
const OPPOSITE = ["south", "north"]; // where two players sit; the board is turned for other sides

/** Fills the page's picture with fields; `sections()` gives the board in view, `renamed()` hears of each change. */
export function createPlaces(sections, renamed) {
  const board = createBoard(byId("match-board"));
  let turned = 0; // the side now called SEATS[turned] is called south from the new match on
  let number = 2;
  let next = 0; // which of the seats a touch on a known player fills
  const camera = createCamera((picture) => {
    board.setPicture(picture?.url ?? null, picture?.reach);
    if (picture) board.setPieces([]);
  });
  const fields = Object.fromEntries(SEATS.map((seat) => [seat, h("input", { id: `match-${seat}`, type: "text", maxLength: 40, autocomplete: "off", input: () => changed() })]));
  const faces = Object.fromEntries(SEATS.map((seat) => [seat, h("span", { className: "face" })]));
  const errors = Object.fromEntries(SEATS.map((seat) => [seat, h("span", { className: "error", id: `match-${seat}-error`, role: "alert", hidden: true })]));
  const places = Object.fromEntries(SEATS.map((seat) => [seat, h("label", { className: "place" },
    h("span", { className: "sits" }, faces[seat], t(`seat.${seat}`)), fields[seat], errors[seat])]));
  byId("match-places").append(...Object.values(places));

  const sitting = () => (number === 2 ? OPPOSITE : SEATS);
  const changed = () => {
    for (const seat of SEATS) faces[seat].replaceChildren(fields[seat].value.trim() ? badge(fields[seat].value) : "");
    renamed();
  };
  const lay = () => {
    SEATS.forEach((seat, i) => {
      places[seat].hidden = !sitting().includes(seat);
      places[seat].dataset.side = SEATS[(i + turned) % SEATS.length];
    });
  };
  const drawBoard = () => {
    const { board: geometry, live, table } = sections();
    if (geometry) board.setGeometry(geometry);
    board.setPieces(live?.pieces?.length ? live.pieces : table?.pieces ?? []);
  };
  byId("match-turn").addEventListener("click", () => { turned = (turned + 1) % SEATS.length; lay(); });
  const fail = (seat, text) => {
    errors[seat].hidden = !text;
    write(errors[seat], text ?? "");
    fields[seat].setAttribute("aria-invalid", String(Boolean(text)));
    fields[seat].setAttribute("aria-describedby", text ? errors[seat].id : "");
  };

  return {
    sitting,
    /** The side, as sides are called now, that is called south from the new match on. */
    south: () => SEATS[turned],
    open(names) {
      [turned, next] = [0, 0];
      for (const seat of SEATS) { fields[seat].value = names[seat] ?? ""; fail(seat, null); }
      drawBoard();
      camera.run(true);
      changed();
    },
    close: () => camera.run(false),
    setNumber(n) { number = n; lay(); changed(); },
    /** The first touch on a known player fills the first seat, the next one the next. */
    seat(name) {
      fields[sitting()[next % sitting().length]].value = name;
      next += 1;
      changed();
    },
    nameAt: (seat) => fields[seat].value.trim(),
    named: () => Object.fromEntries(sitting().map((seat) => [seat, fields[seat].value.trim()]).filter(([, name]) => name)),
    fail,
    clear: () => SEATS.forEach((seat) => fail(seat, null)),
  };
}
