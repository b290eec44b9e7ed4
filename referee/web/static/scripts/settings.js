// What this device prefers, remembered on it; an address may ask otherwise (?theme=dark), as OBS and kiosks do.

const DEFAULTS = { language: "", theme: "auto", facing: "one", awake: "on", voice: "off", kiosk: "off", instant: "on", tour: "on" };

const asked = new URLSearchParams(location.search);
const heard = [];
const kept = load();

function load() {
  try {
    return JSON.parse(localStorage.getItem("carrom") ?? "{}");
  } catch {
    return {}; // a browser that keeps nothing still shows everything
  }
}

export function setting(name) {
  return asked.get(name) ?? kept[name] ?? DEFAULTS[name];
}

export function choose(name, value) {
  kept[name] = value;
  asked.delete(name);
  try {
    localStorage.setItem("carrom", JSON.stringify(kept));
  } catch {
    // it holds until the page is closed
  }
  for (const listener of heard) listener(name, value);
}

/** Calls `listener(name, value)` after each choice. */
export function onChoice(listener) {
  heard.push(listener);
}
