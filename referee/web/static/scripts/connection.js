// One WebSocket that always comes back, and the newest value of every section it was sent.

import { language } from "./words.js";

const SILENCE_MS = 3500; // the server sends a sign of life every second; three missed ones mean a dead line
const FIRST_RETRY_MS = 400;
const SLOWEST_RETRY_MS = 4000;
const STALE_MS = 2500; // camera frames arrive many times a second; after this the picture is called old
const CLOCK_MS = 1000;

/** Keeps `store` in step with the server and calls `changed(store, section)`; section null = everything, "clock" = time went on. */
export function watch(changed) {
  const store = { sections: {}, at: {}, open: false, closedToUs: false, lostAt: performance.now(), heardAt: 0 };
  let socket = null;
  let retry = FIRST_RETRY_MS;
  let timer = null;

  const put = (section, value, age = 0) => {
    store.sections[section] = value;
    store.at[section] = performance.now() - age * 1000;
  };

  const read = (message) => {
    store.heardAt = performance.now();
    if (message.type === "state") {
      store.sections = {};
      for (const [section, value] of Object.entries(message.sections)) put(section, value, message.age_s[section]);
      changed(store, null);
    } else if (message.type === "diff") {
      put(message.section, message.value);
      changed(store, message.section);
    }
  };

  const lost = () => {
    if (store.open) store.lostAt = store.heardAt;
    else askWhy(store);
    store.open = false;
    socket = null;
    clearTimeout(timer);
    timer = setTimeout(open, retry);
    retry = Math.min(retry * 1.6, SLOWEST_RETRY_MS);
    changed(store, null);
  };

  const open = () => {
    clearTimeout(timer);
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws?lang=${language}`);
    socket = mine;
    store.heardAt = performance.now();
    mine.onopen = () => { if (mine === socket) { store.open = true; store.closedToUs = false; retry = FIRST_RETRY_MS; } };
    mine.onmessage = (event) => { if (mine === socket) read(JSON.parse(event.data)); };
    mine.onclose = () => { if (mine === socket) lost(); };
  };

  const drop = () => {
    const old = socket;
    if (!old) return;
    lost();
    old.close();
  };

  // After sleep a tablet holds a line that looks open and is dead: do not wait for it.
  const awake = () => {
    if (document.visibilityState !== "visible") return;
    retry = FIRST_RETRY_MS;
    if (!socket) open();
    else if (performance.now() - store.heardAt > SILENCE_MS) drop();
  };

  document.addEventListener("visibilitychange", awake);
  addEventListener("online", awake);
  setInterval(() => {
    if (socket && performance.now() - store.heardAt > SILENCE_MS) drop();
    changed(store, "clock");
  }, CLOCK_MS);
  open();
  return store;
}

/** A line that never opened may be closed to us: then a PIN helps, and waiting does not. */
async function askWhy(store) {
  try {
    const { private: closed, role } = await (await fetch("/api/session")).json();
    store.closedToUs = closed && role === null;
  } catch {
    store.closedToUs = false;
  }
}

/** How fresh what is shown is: { state, seconds, fps, dropped }; states are those of words' connection.*. */
export function freshness(store) {
  const seconds = (since) => Math.max(0, Math.round((performance.now() - since) / 1000));
  if (!store.open) return { state: store.closedToUs ? "private" : "lost", seconds: seconds(store.lostAt) };
  const { link, live } = store.sections;
  if (link && !link.eyes) return { state: "away", seconds: seconds(store.at.link) };
  if (!live) return { state: "waiting", seconds: 0 };
  if (live.phase === "ended") return { state: "ended", seconds: seconds(store.at.live) };
  if (performance.now() - store.at.live > STALE_MS) return { state: "stale", seconds: seconds(store.at.live) };
  return { state: "live", seconds: 0, fps: live.fps, dropped: live.dropped };
}

/** Whether what is shown may differ from what is so. */
export function isOld(fresh) {
  return ["stale", "away", "lost", "private"].includes(fresh.state);
}
