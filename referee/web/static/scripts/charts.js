// Pictures of numbers, each with the numbers themselves as a table beneath, to be taken along as PNG and CSV.

import { draw, h } from "./dom.js";
import { savePicture, saveTable } from "./export.js";
import { t } from "./words.js";

const [WIDTH, ROW, BAR, LEFT] = [400, 46, 18, 4];
const [TALL, FOOT, MARGIN] = [150, 22, 34]; // of histograms and lines

const picture = (kind, label, height) => draw(document.createElement("div"), "svg", { class: kind, role: "img", viewBox: `0 0 ${WIDTH} ${height}`, "aria-label": label });

/** A figure: `shown` is what is drawn (an SVG or a box with one), `columns` and `rows` are the same as text. */
export function figure(title, shown, columns, rows) {
  const svg = () => (shown.matches("svg") ? shown : shown.querySelector("svg"));
  return h("figure", { className: "chart" }, h("figcaption", {}, title), shown,
    h("details", {}, h("summary", {}, t("stats.numbers")), h("div", { className: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map(([name, ...values]) => h("tr", {}, h("th", { scope: "row" }, name), ...values.map((value) => h("td", {}, value))))))),
    h("div", { className: "taken" },
      h("button", { type: "button", click: () => savePicture(title, svg()) }, "PNG"),
      h("button", { type: "button", click: () => saveTable(title, columns, rows) }, "CSV"))));
}

/** A bar a name: [{ name, parts: [number], text, mark }]; `mark` is a second value on the same scale, `whole` its end if that is settled. */
export function bars(title, entries, whole = null) {
  const most = whole ?? Math.max(...entries.map(({ parts, mark }) => Math.max(parts.reduce((sum, part) => sum + part, 0), mark ?? 0)), 0);
  const scale = (value) => (value / (most || 1)) * (WIDTH - 2 * LEFT);
  const svg = picture("bars", `${title}: ${entries.map(({ name, text }) => `${name} ${text}`).join(", ")}`, entries.length * ROW);
  entries.forEach(({ name, parts, text, mark }, i) => {
    const top = i * ROW + 20;
    draw(svg, "text", { class: "name", x: LEFT, y: top - 5 }).textContent = name;
    draw(svg, "text", { class: "value", x: WIDTH - LEFT, y: top - 5 }).textContent = text;
    draw(svg, "rect", { class: "ground", x: LEFT, y: top, width: WIDTH - 2 * LEFT, height: BAR, rx: 4 });
    let x = LEFT;
    parts.forEach((part, at) => {
      if (part > 0) draw(svg, "rect", { class: `bar part-${at}`, x, y: top, width: scale(part), height: BAR, rx: parts.length > 1 ? 0 : 4 });
      x += scale(part);
    });
    if (mark) draw(svg, "line", { class: "mark-line", x1: LEFT + scale(mark), x2: LEFT + scale(mark), y1: top, y2: top + BAR + 5 });
  });
  return svg;
}

/** Columns side by side: [{ name, n, text }]; `of` the whole that each is a share of, where there is one. */
export function columns(title, entries, of = null) {
  const most = of ?? Math.max(1, ...entries.map(({ n }) => n));
  const svg = picture("columns", `${title}: ${entries.map(({ name, text }) => `${name} ${text}`).join(", ")}`, TALL + 2 * FOOT);
  const wide = (WIDTH - 2 * LEFT) / Math.max(1, entries.length);
  entries.forEach(({ name, n, text }, i) => {
    const tall = (n / most) * TALL;
    const middle = LEFT + (i + 0.5) * wide;
    draw(svg, "rect", { class: "bar part-0", x: LEFT + i * wide + wide * 0.08, y: FOOT + TALL - tall, width: wide * 0.84, height: tall, rx: 3 });
    draw(svg, "text", { class: "value middle", x: middle, y: FOOT + TALL - tall - 5 }).textContent = text;
    draw(svg, "text", { class: "name middle", x: middle, y: TALL + 2 * FOOT - 5 }).textContent = name;
  });
  return svg;
}

/** How often a value lies in each step of `step`: columns from the least to the greatest. */
export function histogram(title, values, step, label) {
  const [from, to] = [Math.floor(Math.min(...values) / step), Math.floor(Math.max(...values) / step)];
  const entries = Array.from({ length: to - from + 1 }, (_, i) => {
    const n = values.filter((value) => Math.floor(value / step) === from + i).length;
    return { name: label((from + i) * step), n, text: n ? String(n) : "" };
  });
  return columns(title, entries);
}

/** A line over time: [{ x, y, spread }], `spread` a band to both sides; `tick(x)` names the two ends. */
export function line(title, points, tick) {
  const svg = picture("line", `${title}: ${points.map(({ y }) => Math.round(y)).join(", ")}`, TALL + 2 * FOOT);
  const [low, high] = [Math.min(...points.map(({ y, spread }) => y - spread)), Math.max(...points.map(({ y, spread }) => y + spread))];
  const [first, last] = [points[0].x, points.at(-1).x];
  const x = (value) => (first === last ? (MARGIN + WIDTH) / 2 : MARGIN + ((value - first) / (last - first)) * (WIDTH - MARGIN - 16));
  const y = (value) => FOOT + TALL * (1 - (value - low) / (high - low || 1));
  for (const value of [low, high]) {
    draw(svg, "line", { class: "grid", x1: MARGIN, x2: WIDTH, y1: y(value), y2: y(value) });
    draw(svg, "text", { class: "tick", x: 0, y: y(value) + 5 }).textContent = String(Math.round(value));
  }
  const band = [...points.map((p) => `${x(p.x)},${y(p.y + p.spread)}`), ...points.toReversed().map((p) => `${x(p.x)},${y(p.y - p.spread)}`)];
  draw(svg, "polygon", { class: "band", points: band.join(" ") });
  draw(svg, "polyline", { class: "way", points: points.map((p) => `${x(p.x)},${y(p.y)}`).join(" ") });
  if (first === last) draw(svg, "line", { class: "spread", x1: x(first), x2: x(first), y1: y(points[0].y - points[0].spread), y2: y(points[0].y + points[0].spread) });
  for (const p of points) draw(svg, "circle", { class: "dot", cx: x(p.x), cy: y(p.y), r: 4 });
  draw(svg, "text", first === last ? { class: "name middle", x: x(first), y: TALL + 2 * FOOT - 4 } : { class: "name", x: MARGIN, y: TALL + 2 * FOOT - 4 }).textContent = tick(first);
  if (first !== last) draw(svg, "text", { class: "value", x: WIDTH - 4, y: TALL + 2 * FOOT - 4 }).textContent = tick(last);
  return svg;
}

/** What the tints of a bar in several parts mean, and the line across it where there is one. */
export function legend(names, mark = null) {
  const key = (name, className) => h("span", {}, h("i", { className }), name);
  return h("p", { className: "legend" }, ...names.map((name, i) => key(name, `part-${i}`)), mark ? key(mark, "mark-key") : null);
}
