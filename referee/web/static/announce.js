// Tells screen readers when the connection changes its state, and not each second how old the picture is.

import { words } from "./words.js";

let told = null;

export function announce(state) {
  if (state === told) return;
  told = state;
  document.getElementById("announce").textContent = words.announce[state];
}
