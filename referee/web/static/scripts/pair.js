// Opened by the QR code at the box: the code after # never leaves this browser but to open its session.

import { byId } from "./dom.js";
import { begin } from "./page.js";
import { t } from "./words.js";

begin("pair");

async function pair() {
  const body = JSON.stringify({ pairing: location.hash.slice(1), name: t("pair.name") });
  const answer = await fetch("/api/session", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  // The code does not stay in the address, where the next one to hold the tablet would find it.
  history.replaceState(null, "", "/pair");
  return answer.ok ? "done" : answer.status === 429 ? "429" : "bad";
}

function show(state) {
  byId("state").dataset.state = state === "done" ? "done" : "bad";
  byId("state").textContent = t(state === "429" ? "error.429" : state === "offline" ? "error.offline" : `pair.${state}`);
  byId("go").hidden = state !== "done";
  byId("board").hidden = false;
}

pair().catch(() => "offline").then(show);
