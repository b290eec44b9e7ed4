// Kept by the browser, so that the pages open without the referee too and then say that it is away: never what they show.
// The server fills in the version, which changes with every file, and the list of files.

const VERSION = "carrom-{version}";
const SHELL = {shell};
const REVIEW = "/matches/shell"; // the page of any match
const OFTEN = /\/(words$|fonts\/)/; // kept once it was needed: this reader's language and its letters
const LIVE = /\/(api|ws|health|metrics)(\/|$)/; // what is only true now is never kept

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const drop = async () => {
    for (const name of await caches.keys()) if (name.startsWith("carrom-") && name !== VERSION) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || LIVE.test(url.pathname)) return;
  event.respondWith(fetched(request, url));
});

/** From the referee where it answers, else as it was kept. */
async function fetched(request, url) {
  try {
    const answer = await fetch(request);
    if (answer.ok && OFTEN.test(url.pathname)) await (await caches.open(VERSION)).put(request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await caches.match(request) ?? await caches.match(request, { ignoreSearch: true });
    if (kept) return kept;
    if (request.mode === "navigate") return await caches.match(url.pathname.includes("/matches/") ? REVIEW : SHELL[0]) ?? Promise.reject(error);
    throw error;
  }
}
