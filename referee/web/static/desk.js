// Talking to the umpire's API: the PIN asked for when needed, errors as one sentence.

const PIN_KEY = "umpire-pin"; // kept for this tab only

export class DeskError extends Error {}

/** Sends a change; gives its id. `askPin(why)` resolves to a PIN, or null when the umpire gives up. */
export async function send(request, askPin) {
  let why = "";
  for (;;) {
    if (sessionStorage.getItem(PIN_KEY) === null && (await pinNeeded())) await learnPin(askPin, why);
    const answer = await call("/api/umpire", post(request));
    if (answer.status !== 401) return finish(answer);
    sessionStorage.removeItem(PIN_KEY);
    why = await sentence(answer);
  }
}

async function learnPin(askPin, why) {
  const pin = await askPin(why);
  if (pin === null) throw new DeskError("Nothing was changed.");
  sessionStorage.setItem(PIN_KEY, pin);
}

async function pinNeeded() {
  return (await (await call("/api/umpire")).json()).pin_needed;
}

/** Every stroke, newest first. */
export async function strokes() {
  const answer = await call("/api/strokes");
  if (!answer.ok) throw new DeskError(await sentence(answer));
  return answer.json();
}

function post(request) {
  const headers = { "Content-Type": "application/json" };
  const pin = sessionStorage.getItem(PIN_KEY);
  // Headers carry ASCII only; the server undoes this.
  if (pin !== null) headers["X-Umpire-Pin"] = encodeURIComponent(pin);
  return { method: "POST", headers, body: JSON.stringify(request) };
}

async function call(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new DeskError("The referee cannot be reached, so nothing was changed: check the Wi-Fi and try again.");
  }
}

async function finish(answer) {
  if (answer.ok) return (await answer.json()).id;
  throw new DeskError(await sentence(answer));
}

async function sentence(answer) {
  try {
    const text = String((await answer.json()).detail);
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  } catch {
    return `The referee answered ${answer.status}; nothing was changed.`;
  }
}
