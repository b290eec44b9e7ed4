// Who stands where: the players by rating, and of one of them his rating over the weeks and whom he beat.

import { bars, figure, line } from "./charts.js";
import { h } from "./dom.js";
import { matchPage } from "./places.js";
import { badge } from "./players.js";
import { locale, t } from "./words.js";

const SURE = 110; // a rating with a greater deviation is provisional (Glicko, section 3)
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });

/** The table of all; `chosen` is the player whose page it is, or null. */
export function drawStandings(box, all, chosen) {
  box.hidden = all.length === 0;
  if (!all.length) return;
  const head = ["stats.player", "stats.rating", "stats.won", "stats.lost", "stats.boards_won", "stats.form"];
  box.replaceChildren(h("h2", {}, t("stats.standings")), h("div", { className: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ...head.map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, ...all.map((player) => h("tr", { "data-chosen": String(player.player === chosen) },
      h("th", { scope: "row" }, h("a", { href: `/statistics?player=${encodeURIComponent(player.player)}` }, badge(player.player), player.player)),
      h("td", {}, h("b", {}, String(Math.round(player.rating))), h("small", {}, ` ± ${Math.round(2 * player.deviation)}${player.deviation > SURE ? " ?" : ""}`)),
      h("td", {}, String(player.wins)), h("td", {}, String(player.losses)), h("td", {}, t("stats.of", { n: player.boards_won, of: player.boards })),
      h("td", {}, form(player))))))), h("p", { className: "quiet" }, t("stats.rating_note")));
}

/** The last matches as signs, newest last, each leading to its match. */
function form({ form: matches }) {
  return h("span", { className: "form" }, ...matches.map(({ id, number, won, against, score, started }) => h("a", {
    href: matchPage(id, number > 1 ? `#match=${number}` : ""), "data-won": String(won),
    "aria-label": `${t(won ? "stats.won_against" : "stats.lost_to", { who: against.join(" & ") })}, ${score.join(" : ")}, ${day.format(new Date(started * 1000))}`,
  }, won ? "✓" : "✕")));
}

/** Of one player: his rating over the weeks, and wins and losses by opponent. */
export function chartsOfOne({ player, history, against }) {
  const title = `${player}: ${t("stats.rating")}`;
  const points = history.map(({ until, rating, deviation }) => ({ x: until, y: rating, spread: 2 * deviation }));
  const when = (seconds) => day.format(new Date(seconds * 1000));
  const met = Object.entries(against);
  const heads = t("stats.head_to_head", { player });
  return [
    points.length ? figure(title, line(title, points, when), [t("stats.until"), t("stats.rating"), "±"], history.map(({ until, rating, deviation }) => [when(until), String(Math.round(rating)), String(Math.round(2 * deviation))])) : null,
    met.length ? figure(heads, bars(heads, met.map(([name, [wins, losses]]) => ({ name, parts: [wins, losses], text: `${wins} : ${losses}`, mark: null }))),
      [t("stats.player"), t("stats.won"), t("stats.lost")], met.map(([name, [wins, losses]]) => [name, String(wins), String(losses)])) : null,
  ].filter(Boolean);
}
