// The header's signs of life: how fresh the page is, in words, for eyes and for screen readers.

import { freshness } from "./connection.js";
import { byId, write } from "./dom.js";
import { age, t } from "./words.js";

let told = "";

/** Draws the connection's lamp and text; gives the freshness. */
export function drawConnection(store, shout = null) {
  const fresh = freshness(store);
  document.body.dataset.connection = fresh.state;
  // A lamp is green only while nothing that the page shouts is amiss.
  byId("connection").dataset.state = fresh.state;
  byId("connection").dataset.held = String(Boolean(shout) && shout.kind !== "over");
  write(byId("connection-text"), t(`connection.${fresh.state}`, { age: age(fresh.seconds) }));
  // Told when the state changes, and not each second how old the picture is.
  if (fresh.state !== told) write(byId("announce"), t(`announce.${fresh.state}`));
  told = fresh.state;
  return fresh;
}
