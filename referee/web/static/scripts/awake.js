// Keeps the screen on: with a wake lock where the browser gives one (https, localhost), with a silent film elsewhere.

import { onChoice, setting } from "./settings.js";

let lock = null;
let film = null;
let tell = () => {};

/** Begins; `told(state)` hears "lock", "video", "tap" (touch the page once), "none", or "off". */
export function keepAwake(told) {
  tell = told;
  onChoice((name) => { if (name === "awake") apply(); });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") apply(); });
  addEventListener("pointerdown", () => { if (film?.paused) apply(); });
  apply();
}

async function apply() {
  if (setting("awake") !== "on") { await release(); tell("off"); return; }
  tell(await (navigator.wakeLock ? withLock() : withFilm()));
}

async function withLock() {
  try {
    lock = await navigator.wakeLock.request("screen");
    return "lock";
  } catch {
    return withFilm(); // refused, for instance on a low battery
  }
}

async function withFilm() {
  film ??= makeFilm();
  try {
    await film.play();
    return "video";
  } catch (error) {
    // A film with sound, even silent sound, may only begin once somebody touches the page.
    return error.name === "NotAllowedError" ? "tap" : "none";
  }
}

function makeFilm() {
  const video = document.createElement("video");
  video.src = "/static/media/silence.mp4";
  video.loop = true;
  video.playsInline = true;
  video.className = "silence";
  video.setAttribute("aria-hidden", "true");
  document.body.append(video);
  return video;
}

async function release() {
  film?.pause();
  await lock?.release();
  lock = null;
}
