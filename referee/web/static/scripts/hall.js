// What the pages of a hall share: its one message, the choices of a list, what the hub answers, and the start of a day.

import { DeskError } from "./desk.js";
import { byId, h, write } from "./dom.js";

/** Shows the page's message; an empty one hides it. */
export function say(kind, text) {
  byId("message").hidden = !text;
  byId("message").dataset.kind = kind;
  write(byId("message"), text);
}

/** Does what the hub may refuse, which is said then. */
export async function tried(work, fail = (text) => say("error", text)) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    fail(error.message);
  }
}

/** What the hub answers; null if it does not. */
export async function read(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

export const options = (node, entries) => node.replaceChildren(...entries.map(([value, text]) => h("option", { value }, text)));

/** Unix seconds at which a day, as a date field gives it, begins here. */
export const dayBegins = (day) => new Date(`${day}T00:00`).getTime() / 1000;
