// The demo offers its tour on the scoreboard, until it is taken or sent away.

import { byId } from "./dom.js";
import { choose, setting } from "./settings.js";

const DEMO = "demo"; // the name of its match

/** Gives what is to be called with each new match document. */
export function createOffer() {
  const away = () => { choose("tour", "off"); byId("offer").hidden = true; };
  byId("offer-close").addEventListener("click", away);
  byId("offer").querySelector("a").addEventListener("click", away);
  return (view) => { byId("offer").hidden = view?.match !== DEMO || setting("tour") === "off"; };
}
