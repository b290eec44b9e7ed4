// Signing in with the umpire's PIN, and who is signed in.

import { byId, h } from "./dom.js";
import { t } from "./words.js";

/** { role, name, pin_needed, pairing } of this browser. */
export async function session() {
  return (await fetch("/api/session")).json();
}

/** Resolves to true once signed in, to false when the umpire gives up. */
export function signIn() {
  const [dialog, pin, error] = [byId("sign"), byId("sign-pin"), byId("sign-error")];
  pin.value = "";
  error.hidden = true;
  return new Promise((resolve) => {
    const done = (signed) => { dialog.close(); drawSession(); resolve(signed); };
    dialog.querySelector("form").onsubmit = async (event) => {
      event.preventDefault();
      const problem = await tryPin(pin.value.trim(), byId("sign-name").value.trim());
      if (!problem) { done(true); return; }
      error.textContent = problem;
      error.hidden = false;
      pin.select();
    };
    byId("sign-cancel").onclick = () => done(false);
    dialog.oncancel = () => resolve(false);
    dialog.showModal();
    pin.focus();
  });
}

async function tryPin(pin, name) {
  try {
    const answer = await fetch("/api/session", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ pin, name }),
    });
    if (answer.ok) return null;
    return t(answer.status === 429 ? "error.429" : "error.401");
  } catch {
    return t("error.offline");
  }
}

/** Shows who is signed in, with the way in or out; nothing where no PIN is asked. */
export async function drawSession() {
  if (!byId("session")) return; // pages that ask for the PIN only when it is needed
  const { role, name, pin_needed: needed, pairing } = await session();
  byId("pair-open").hidden = role !== "umpire" || !pairing;
  if (!needed) { byId("session").replaceChildren(); return; }
  const who = role ? name || t(`umpire.${role}`) : t("umpire.spectator");
  const button = role
    ? h("button", { type: "button", id: "sign-out", click: signOut }, t("umpire.sign_out"))
    : h("button", { type: "button", id: "sign-in", click: signIn }, t("umpire.sign_in"));
  byId("session").replaceChildren(h("span", {}, who), button);
}

async function signOut() {
  await fetch("/api/session", { method: "DELETE" });
  await drawSession();
}
