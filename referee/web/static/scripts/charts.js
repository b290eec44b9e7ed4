// Pictures of numbers, each with the numbers themselves as a table beneath.

import { draw, h } from "./dom.js";
import { t } from "./words.js";

const [WIDTH, ROW, BAR, LEFT] = [400, 46, 18, 4];

/** A figure: `picture` is what is drawn, `columns` and `rows` are the same as text. */
export function figure(title, picture, columns, rows) {
  return h("figure", { className: "chart" }, h("figcaption", {}, title), picture,
    h("details", {}, h("summary", {}, t("stats.numbers")), h("div", { className: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map(([name, ...values]) => h("tr", {}, h("th", { scope: "row" }, name), ...values.map((value) => h("td", {}, value)))))))));
}

/** A bar a name: [{ name, parts: [number], text, mark }]; `mark` is a second value on the same scale, `whole` its end if that is settled. */
export function bars(title, entries, whole = null) {
  const most = whole ?? Math.max(...entries.map(({ parts, mark }) => Math.max(parts.reduce((sum, part) => sum + part, 0), mark ?? 0)), 0);
  const scale = (value) => (value / (most || 1)) * (WIDTH - 2 * LEFT);
  const svg = draw(document.createElement("div"), "svg", { class: "bars", role: "img", viewBox: `0 0 ${WIDTH} ${entries.length * ROW}` });
  svg.setAttribute("aria-label", `${title}: ${entries.map(({ name, text }) => `${name} ${text}`).join(", ")}`);
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

/** What the tints of a bar in several parts mean. */
export function legend(names) {
  return h("p", { className: "legend" }, ...names.map((name, i) => h("span", {}, h("i", { className: `part-${i}` }), name)));
}
