// What every page begins with: its language, its colours, its title.

import { onChoice, setting } from "./settings.js";
import { direction, fillIn, LANGUAGES, language, t, wordsAddress } from "./words.js";

const SHELL_MS = 8000; // what is needed now comes first
const SEPARATE = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u; // letters that stand each for itself
const dark = matchMedia("(prefers-color-scheme: dark)");

function paint() {
  const wish = setting("theme");
  document.documentElement.dataset.theme = wish === "auto" ? (dark.matches ? "dark" : "light") : wish;
  document.documentElement.dataset.facing = setting("facing");
}

/** The five ways: where we are is marked; a kiosk shows none of them. */
function markPlace() {
  const rail = document.querySelector(".rail");
  if (!rail) return;
  document.documentElement.dataset.kiosk = setting("kiosk");
  for (const link of rail.querySelectorAll("a")) {
    const path = link.getAttribute("href");
    const is = path === "/" ? location.pathname === "/" : location.pathname === path || location.pathname.startsWith(`${path}/`);
    if (is) link.setAttribute("aria-current", "page");
  }
}

/** A hall's pages show many boards, and nothing without its hub. */
const OF_THE_HALL = /^(wall|chief|hall)/;

/** The browser keeps the pages' own files, so that they open without the referee and say so; only where it may. */
function keepShell() {
  if (!isSecureContext || !navigator.serviceWorker) return;
  const address = globalThis.trustedTypes?.createPolicy("carrom-worker", { createScriptURL: (url) => url }).createScriptURL("/worker.js") ?? "/worker.js";
  // The words of this page came before there was anybody to keep them.
  navigator.serviceWorker.addEventListener("controllerchange", () => { fetch(wordsAddress()).catch(() => {}); });
  navigator.serviceWorker.register(address).catch(() => {}); // without it the page does all else
}

/** Call once, before anything is drawn. */
export function begin(name) {
  if (!OF_THE_HALL.test(name)) setTimeout(keepShell, SHELL_MS);
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
  document.documentElement.dataset.script = SEPARATE.test(LANGUAGES[language]) ? "separate" : "joined";
  document.title = `${t(`page.${name}`)} · Carrom`;
  fillIn();
  markPlace();
  paint();
  dark.addEventListener("change", paint);
  onChoice((what) => {
    if (what === "language") location.reload();
    else { markPlace(); paint(); }
  });
  document.documentElement.dataset.ready = "true";
}
