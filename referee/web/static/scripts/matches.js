// The list of stored matches: found by player and day, the latest first; archives are taken in here.

import { bookName } from "./books.js";
import { byId, h, write, writeProblem } from "./dom.js";
import { LibraryError, matches, takeIn } from "./library.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { matchPage } from "./places.js";
import { locale, t } from "./words.js";

const QUIET_MS = 250; // a word is searched for when the typing pauses
const DAY_S = 86_400;
const SEATS = ["south", "west", "north", "east"];

begin("matches");
createMenu(byId("menu"));
const when = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" });
const percent = new Intl.NumberFormat(locale, { style: "percent" });
let asking = 0;
let waiting = null;

function say(text) {
  byId("message").hidden = !text;
  write(byId("message"), text ?? "");
}

async function tried(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LibraryError)) throw error;
    byId("message").hidden = false;
    writeProblem(byId("message"), error);
  }
}

/** Local midnight of a day in Unix seconds. */
function dayOf(value, days = 0) {
  return value ? new Date(`${value}T00:00:00`).getTime() / 1000 + days * DAY_S : "";
}

function look() {
  const mine = ++asking;
  const asked = { player: byId("player").value.trim(), since: dayOf(byId("from").value), until: dayOf(byId("to").value, 1) };
  return tried(async () => {
    const told = await matches(asked);
    if (mine !== asking) return;
    write(byId("count"), told.matches.length ? t("matches.count", { n: told.matches.length }) : t(Object.values(asked).some(Boolean) ? "matches.none" : "matches.empty"));
    byId("matches").replaceChildren(...told.matches.map(item));
    byId("problems").replaceChildren(...told.problems.map((text) => h("li", { lang: "en" }, text)));
  });
}

function item(match) {
  const facts = [bookName(match.rules), t("matches.boards", { n: match.boards }), t("matches.strokes", { n: match.strokes }),
    match.certain === null ? null : t("matches.certain", { p: percent.format(match.certain) })].filter(Boolean);
  return h("li", {}, h("a", { href: matchPage(match.id, match.number > 1 ? `#match=${match.number}` : "") },
    h("span", { className: "who" }, ...names(match)),
    h("span", { className: "when" }, match.started ? when.format(new Date(match.started * 1000)) : t("matches.undated")),
    h("span", { className: "facts" }, facts.join(" · ")),
    match.running ? h("b", { className: "now" }, t("matches.running")) : ""));
}

/** Games where more than one was won, else points. */
function shownScore(score, games, seat) {
  const many = Object.values(games ?? {}).some((n) => n > 1) || Object.values(games ?? {}).reduce((all, n) => all + n, 0) > 1;
  return (many ? games : score)[seat] ?? "–";
}

/** Who played, how it stands, and who won. */
function names({ players, score, winner, games }) {
  const seats = SEATS.filter((seat) => seat in players || seat in score);
  return (seats.length ? seats : ["south", "north"]).map((seat) => h("span", { className: "side", "data-won": String(winner.includes(seat)) },
    winner.includes(seat) ? h("span", { className: "won", role: "img", "aria-label": t("turn.won") }, "★") : "", h("b", {}, players[seat] || t(`seat.${seat}`)), ` ${shownScore(score, games, seat)}`));
}

byId("search").addEventListener("submit", (event) => { event.preventDefault(); look(); });
byId("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, QUIET_MS); });
byId("archive").addEventListener("change", () => {
  const [file] = byId("archive").files;
  byId("archive").value = "";
  if (!file) return;
  say(t("matches.taking", { name: file.name }));
  tried(async () => {
    const taken = await takeIn(file);
    say([t(taken.is_new || taken.is_longer ? "matches.taken" : "matches.known"), ...taken.problems].join(" "));
    await look();
  });
});
await look();
