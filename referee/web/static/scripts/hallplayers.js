// The players of the hall: all with their figures, and one with head to head and nearest misses.

import { byId, h, write } from "./dom.js";
import { foundRow } from "./hallfound.js";
import { begin } from "./page.js";
import { locale, t } from "./words.js";

begin("hallplayers");
const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const share = (part, whole) => (whole ? percent.format(part / whole) : "–");
const address = (name) => `/players?name=${encodeURIComponent(name)}`;

async function read(path) {
  try {
    const answer = await fetch(path);
    if (answer.ok) return answer.json();
    write(byId("message"), t(answer.status === 404 ? "hall.nobody" : "hall.away"));
  } catch {
    write(byId("message"), t("error.offline"));
  }
  byId("message").hidden = false;
  return null;
}

function row(tag, cells) {
  return h("tr", {}, ...cells.map((cell) => h(tag, {}, cell)));
}

function drawAll(players) {
  byId("none").hidden = players.length > 0;
  byId("players").hidden = players.length === 0;
  const head = ["hall.player", "hall.won", "hall.lost", "hall.strokes", "hall.pocketing", "hall.fouls"].map((key) => t(key));
  byId("players").replaceChildren(h("thead", {}, row("th", head)), h("tbody", {}, ...players.map((p) => row("td", [
    h("a", { href: address(p.player), dir: "auto" }, p.player), p.won, p.lost, p.strokes, share(p.pocketing, p.strokes), share(p.fouls, p.strokes)]))));
}

function figure(value, key) {
  return h("div", {}, h("b", {}, value), h("span", {}, t(key)));
}

function drawOne(p) {
  const figures = h("div", { className: "figures" },
    figure(`${p.won} : ${p.lost}`, "hall.matches"), figure(p.strokes, "hall.strokes"), figure(share(p.pocketing, p.strokes), "hall.pocketing"),
    figure(p.coins, "hall.coins"), figure(p.queens, "hall.queens"), figure(share(p.fouls, p.strokes), "hall.fouls"),
    figure(p.time_s === null ? "–" : t("age.seconds", { n: number.format(p.time_s) }), "hall.time"));
  const against = p.against.length ? h("table", {}, h("thead", {}, row("th", [t("hall.against"), t("hall.won"), t("hall.lost")])),
    h("tbody", {}, ...p.against.map((a) => row("td", [h("a", { href: address(a.name), dir: "auto" }, a.name), a.won, a.lost])))) : null;
  const nearest = p.nearest.length ? h("ol", { className: "found" }, ...p.nearest.map(foundRow)) : null;
  byId("player").replaceChildren(h("h2", { dir: "auto" }, p.player), figures,
    ...(against ? [h("h3", {}, t("hall.head")), against] : []), ...(nearest ? [h("h3", {}, t("hall.nearest")), nearest] : []));
}

const name = new URLSearchParams(location.search).get("name");
byId("player").hidden = !name;
byId("all").hidden = Boolean(name);
if (name) {
  const found = await read(`/api/hall/players/${encodeURIComponent(name)}`);
  if (found) drawOne(found);
} else {
  const found = await read("/api/hall/players");
  if (found) drawAll(found);
}
