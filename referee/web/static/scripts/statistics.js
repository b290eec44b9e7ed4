// Statistics of players over one match or many: pictures, each with its numbers as a table, and a map of the shots.

import { createBoard } from "./board.js";
import { bars, columns, figure, histogram, legend } from "./charts.js";
import { byId, draw, h, write, writeProblem } from "./dom.js";
import { LibraryError, match as fetchMatch, standings, state, statistics, statisticsTable } from "./library.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { chartsOfOne, drawStandings } from "./standings.js";
import { arrowOf, has, locale, t } from "./words.js";

const SHOWN = 8; // players side by side
const QUIET_MS = 300;
const DAY_S = 86_400;
const THIRDS = ["left", "middle", "right"];
const POCKETS = ["SW", "SE", "NW", "NE"];
const SPEED_STEP = 0.5; // m/s
const NEAR = ["stats.near_0", "stats.near_1", "stats.near_2", "stats.near_3"];
const AIMED = ["stats.aimed_0", "stats.aimed_1", "stats.aimed_2", "stats.aimed_3"];
const CELL_MM = 30; // of the map of placements
const HELPED = new Set([0, 401, 404]); // answers whose own sentence says what to do

begin("statistics");
createMenu(byId("menu"));
const only = new URLSearchParams(location.search);
const one = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: "percent" });
const day = new Intl.DateTimeFormat(locale, { dateStyle: "long" });
let asking = 0;
let waiting = null;

const share = (value) => (value === null ? t("stats.unknown") : percent.format(value));
const number = (value, unit = "") => (value === null ? t("stats.unknown") : `${one.format(value)}${unit}`);
const nameOf = ({ player }) => (has(`seat.${player}`) ? t(`seat.${player}`) : player);
const speed = (mm_s) => (mm_s === null ? null : mm_s / 1000);
const sum = (values) => values.reduce((all, value) => all + value, 0);

/** Every picture: its title, its bars, and its table. */
function charts(players) {
  const chart = (name, entry, columns, row, { keys = [], line = null, whole = null } = {}) => {
    const title = t(`stats.${name}`);
    const drawn = bars(title, players.map((p) => ({ name: nameOf(p), mark: null, ...entry(p) })), whole);
    return figure(title, keys.length || line ? h("div", {}, drawn, legend(keys, line)) : drawn, [t("matches.player"), ...columns.map((column) => t(`stats.${column}`))], players.map((p) => [nameOf(p), ...row(p)]));
  };
  const thirds = THIRDS.map((name) => t(`stats.${name}`));
  return [
    chart("pocketing", (p) => ({ parts: [p.pocketing_rate ?? 0], mark: null, text: share(p.pocketing_rate) }), ["strokes", "with_coin", "rate", "coins"],
      (p) => [p.strokes, p.pocketing, share(p.pocketing_rate), p.coins].map(String), { whole: 1 }),
    chart("per_board", (p) => ({ parts: [p.strokes_per_board ?? 0], text: number(p.strokes_per_board) }), ["strokes", "boards", "per_board"],
      (p) => [String(p.strokes), String(p.boards), number(p.strokes_per_board)]),
    chart("breaks", (p) => ({ parts: [p.breaks_pocketing, p.breaks - p.breaks_pocketing], text: t("stats.of", { n: p.breaks_pocketing, of: p.breaks }) }), ["break_coin", "breaks"],
      (p) => [String(p.breaks_pocketing), String(p.breaks)], { keys: [t("stats.break_coin"), t("stats.break_none")] }),
    chart("speed", (p) => ({ parts: [speed(p.speed_mm_s) ?? 0], mark: speed(p.fastest_mm_s), text: number(speed(p.speed_mm_s), " m/s") }), ["median", "fastest", "seen"],
      (p) => [number(speed(p.speed_mm_s), " m/s"), number(speed(p.fastest_mm_s), " m/s"), String(p.speeds)], { keys: [t("stats.median")], line: t("stats.fastest") }),
    chart("time", (p) => ({ parts: [p.time_s ?? 0], mark: p.longest_s, text: number(p.time_s, " s") }), ["median", "longest", "total"],
      (p) => [number(p.time_s, " s"), number(p.longest_s, " s"), number(p.total_s, " s")], { keys: [t("stats.median")], line: t("stats.longest") }),
    chart("placed", (p) => ({ parts: THIRDS.map((name) => p.placed[name] ?? 0), text: String(p.places.length) }), THIRDS,
      (p) => THIRDS.map((name) => String(p.placed[name] ?? 0)), { keys: thirds }),
    chart("queens", (p) => ({ parts: [p.queens_covered, Math.max(0, p.queens - p.queens_covered)], text: t("stats.of", { n: p.queens_covered, of: p.queens }) }), ["queens", "covered"],
      (p) => [String(p.queens), String(p.queens_covered)], { keys: [t("stats.covered"), t("stats.not_covered")] }),
    chart("fouls", (p) => ({ parts: [sum(Object.values(p.fouls))], text: String(sum(Object.values(p.fouls))) }), ["which", "uncertain"],
      (p) => [Object.entries(p.fouls).map(([foul, n]) => `${has(`foul.${foul}`) ? t(`foul.${foul}`) : foul}: ${n}`).join(", ") || "0", String(p.uncertain)]),
  ];
}

/** What needs a picture for each player: success by distance and by direction, and how hard he strikes. */
function chartsOf(player) {
  const of = (name, words, tallies) => {
    const title = `${nameOf(player)}: ${t(`stats.${name}`)}`;
    const entries = tallies.map(({ strokes, made }, i) => ({ name: t(words[i]), n: strokes ? made / strokes : 0, text: strokes ? share(made / strokes) : "–" }));
    return figure(title, columns(title, entries, 1), [t(`stats.${name}`), t("stats.strokes"), t("stats.with_coin"), t("stats.rate")],
      tallies.map(({ strokes, made }, i) => [t(words[i]), String(strokes), String(made), strokes ? share(made / strokes) : t("stats.unknown")]));
  };
  const seen = (tallies) => tallies.some(({ strokes }) => strokes > 0);
  const speeds = player.speed_list.map(speed);
  const title = `${nameOf(player)}: ${t("stats.speeds")} (m/s)`;
  return [
    seen(player.near) ? of("by_distance", NEAR, player.near) : null,
    seen(player.aimed) ? of("by_direction", AIMED, player.aimed) : null,
    speeds.length ? figure(title, histogram(title, speeds, SPEED_STEP, (from) => one.format(from)), ["m/s"], speeds.map((value) => [one.format(value)])) : null,
  ].filter(Boolean);
}

/** Which ways a map shows: all, those with a coin, those without. */
const WAYS = { all: () => true, made: (made) => made, missed: (made) => !made };

/** Cells of the board in which strikers stood, darker the more often. */
function heat(parent, places) {
  const cells = new Map();
  for (const [x, y] of places) {
    const key = `${Math.floor(x / CELL_MM)},${Math.floor(y / CELL_MM)}`;
    cells.set(key, (cells.get(key) ?? 0) + 1);
  }
  const most = Math.max(1, ...cells.values());
  for (const [key, n] of cells) {
    const [i, j] = key.split(",").map(Number);
    draw(parent, "rect", { class: "heat", x: i * CELL_MM, y: j * CELL_MM, width: CELL_MM, height: CELL_MM, opacity: 0.25 + 0.65 * (n / most) });
  }
}

/** The ways of a player's strikers on the board, where they stood, and into which pockets coins fell. */
function map(player, geometry) {
  const title = t("stats.map", { player: nameOf(player) });
  const svg = draw(document.createElement("div"), "svg", { role: "img", "aria-label": `${title}: ${t("stats.shots", { n: player.shots.length })}` });
  const board = createBoard(svg);
  board.setGeometry(geometry);
  const show = (name) => board.setTrails(player.shots.map((points, i) => ({ kind: player.made[i] ? "made" : "striker", points, made: player.made[i] })).filter(({ made }) => WAYS[name](made)));
  show("all");
  heat(board.over, player.places);
  const group = `ways-${player.player}`;
  const choices = h("div", { className: "choices" }, ...Object.keys(WAYS).map((name) => h("label", {},
    h("input", { type: "radio", name: group, value: name, checked: name === "all", change: () => show(name) }), h("span", {}, t(`stats.ways_${name}`)))));
  const most = Math.max(1, ...Object.values(player.pockets));
  for (const pocket of geometry.pockets) {
    const name = `${pocket.y < 0 ? "S" : "N"}${pocket.x < 0 ? "W" : "E"}`;
    const n = player.pockets[name] ?? 0;
    if (n) draw(board.over, "circle", { class: "fell", cx: pocket.x, cy: pocket.y, r: 14 + 20 * Math.sqrt(n / most) });
    draw(svg, "text", { class: "fell-text", x: pocket.x, y: -pocket.y }).textContent = String(n);
  }
  const shown = figure(title, h("div", {}, svg, choices), [t("stats.pocket"), t("stats.coins")], [...POCKETS.map((name) => [arrowOf(name), String(player.pockets[name] ?? 0)]), [t("stats.ways"), String(player.shots.length)]]);
  shown.classList.add("map");
  return shown;
}

function dayOf(value, days = 0) {
  return value ? new Date(`${value}T00:00:00`).getTime() / 1000 + days * DAY_S : "";
}

function asked() {
  if (only.has("match")) return { match: only.get("match") };
  return { player: byId("player").value.trim(), since: dayOf(byId("from").value), until: dayOf(byId("to").value, 1) };
}

async function look() {
  const mine = ++asking;
  if (!byId("charts").childElementCount) write(byId("about"), t("stats.loading"));
  byId("failed").hidden = true;
  try {
    const wish = asked();
    const [told, geometry, title, all] = await Promise.all([statistics(wish), board(), about(), wish.match ? [] : standings({ since: wish.since, until: wish.until })]);
    if (mine !== asking) return;
    const chosen = all.find(({ player }) => player.toLowerCase() === (wish.player ?? "").toLowerCase());
    drawStandings(byId("standings"), all, chosen?.player ?? null);
    const players = told.players.slice(0, SHOWN);
    write(byId("about"), [title || t("matches.count", { n: told.count }), told.left_out ? t("stats.left_out", { n: told.left_out }) : "", players.length ? "" : t("stats.none")].filter(Boolean).join(" · "));
    byId("csv").href = statisticsTable(asked());
    for (const name of ["csv", "note"]) byId(name).hidden = !players.length;
    byId("charts").replaceChildren(...(chosen ? chartsOfOne(chosen) : []), ...(players.length ? charts(players) : []));
    byId("maps").replaceChildren(...players.flatMap((player) => [map(player, geometry), ...chartsOf(player)]));
  } catch (error) {
    if (!(error instanceof LibraryError)) throw error;
    if (mine === asking) complain(error);
  }
}

/** What went wrong and what to do about it. */
function complain(error) {
  byId("failed").hidden = false;
  const says = HELPED.has(error.status) ? error : new LibraryError(error.status, t("stats.failed"), error.why);
  write(byId("about"), "");
  writeProblem(byId("message"), says);
}

/** The board in view: the map is drawn on the one that people sit at. */
async function board() {
  return (await state()).sections.board;
}

/** Which match it is about, where it is about one. */
async function about() {
  if (!only.has("match")) return "";
  const { started, players } = await fetchMatch(only.get("match"));
  return [Object.values(players).filter(Boolean).join(" – "), started ? day.format(new Date(started * 1000)) : ""].filter(Boolean).join(" · ") || t("match.title");
}

byId("search").hidden = only.has("match");
if (only.has("match")) write(byId("title"), t("page.statistics"));
byId("player").value = only.get("player") ?? "";
byId("again").addEventListener("click", look);
byId("search").addEventListener("submit", (event) => { event.preventDefault(); look(); });
byId("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, QUIET_MS); });
await look();
