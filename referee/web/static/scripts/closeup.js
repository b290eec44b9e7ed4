// The striker on its base lines from straight above, at true scale, with the limits as measured on this board.

import { draw } from "./dom.js";
import { t } from "./words.js";

const TURN = { south: 0, east: 90, north: 180, west: 270 }; // degrees anticlockwise, as on the drawn board
const REACH_MM = 60;
const CLOSE_MM = 9; // what the magnifier shows to each side
const NEAR_LINE_MM = 40; // base lines of the striker's own side pass so near by its middle
const SCALE_MM = 10;

/** { worst, lines: { name: shape } }: the limit that decides, and each limit's shape in millimetres. */
export function limitsOf({ placement: p, geometry: g, seat }) {
  const told = Object.entries(p.clearance_mm).filter(([, value]) => value !== null);
  // The limit that the margin was told of; other rule books may ask for others.
  const worst = told.find(([, value]) => value === p.margin_mm)?.[0] ?? null;
  const own = turned(p.x_mm, p.y_mm, -TURN[seat]);
  const lines = g.lines.map((line) => ({ ...line, mid: turned((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, -TURN[seat]) }))
    .filter(({ mid }) => Math.abs(mid[0]) < g.surface / 4 && Math.abs(mid[1] - own[1]) < NEAR_LINE_MM).sort((a, b) => b.mid[1] - a.mid[1]);
  const [front, rear] = lines.length > 1 ? [lines[0], lines.at(-1)] : [lines.find(({ mid }) => mid[1] > own[1]), lines.find(({ mid }) => mid[1] <= own[1])];
  const nearestOf = (list, distance) => list.reduce((best, next) => (best && distance(best) <= distance(next) ? best : next), null);
  const moon = nearestOf(g.circles, (c) => Math.hypot(c.x - p.x_mm, c.y - p.y_mm));
  const arrow = nearestOf(g.arrows, (a) => { const [x, y] = footOn(a, p); return Math.hypot(x - p.x_mm, y - p.y_mm); });
  const lengthwise = (line, inward) => line && edgeOf(line, seat, inward);
  return { worst, lines: { front_line: lengthwise(front, -1), rear_line: lengthwise(rear, 1), moon, circle: moon, ends: moon, arrow } };
}

/** Puts the picture, with a magnifier over the place that decides, into `figure`. */
export function drawPlacement(figure, stroke, photo, limits) {
  const { placement: p } = stroke;
  const [x, y, reach] = photo ? [photo.x_mm, photo.y_mm, photo.reach_mm] : [p.x_mm, p.y_mm, REACH_MM];
  const whole = view(figure, "whole", x, y, reach, t("evidence.drawing"));
  drawAll(whole, stroke, photo, limits);
  ruler(whole, x, y, reach);
  const place = limits.worst && decisivePlace(limits.lines[limits.worst], p, stroke.geometry.striker_radius);
  if (!place) return;
  draw(whole, "rect", { class: "lens", x: place[0] - CLOSE_MM, y: -place[1] - CLOSE_MM, width: 2 * CLOSE_MM, height: 2 * CLOSE_MM });
  drawAll(view(figure, "close", place[0], place[1], CLOSE_MM, t("evidence.magnified", { limit: t(`limit.${limits.worst}`) })), stroke, photo, limits);
}

function view(figure, name, x, y, reach, label) {
  return draw(figure, "svg", { class: `closeup ${name}`, role: "img", "aria-label": label, viewBox: `${x - reach} ${-y - reach} ${2 * reach} ${2 * reach}` });
}

function drawAll(svg, { placement: p, geometry: g }, photo, limits) {
  draw(svg, "rect", { class: "surface", x: -g.surface / 2, y: -g.surface / 2, width: g.surface, height: g.surface });
  if (photo) {
    draw(svg, "image", { href: photo.url, x: photo.x_mm - photo.reach_mm, y: -photo.y_mm - photo.reach_mm, width: 2 * photo.reach_mm, height: 2 * photo.reach_mm });
  }
  const up = draw(svg, "g", { transform: "scale(1,-1)" });
  if (!photo) drawMarks(up, g);
  for (const [name, shape] of Object.entries(limits.lines)) if (shape && (name === limits.worst || name.endsWith("line"))) drawLimit(up, shape, name === limits.worst);
  const [cx, cy, r, doubt] = [p.x_mm, p.y_mm, g.striker_radius, 2 * p.sigma_mm];
  draw(up, "circle", { class: "doubt", cx, cy, r, "stroke-width": 2 * doubt });
  draw(up, "circle", { class: "striker", cx, cy, r });
}

function drawMarks(up, g) {
  for (const { x1, y1, x2, y2, w } of [...g.lines, ...g.arrows]) draw(up, "line", { class: "mark", x1, y1, x2, y2, "stroke-width": w });
  for (const { x, y, r, disc } of g.circles) {
    draw(up, "circle", { class: "moon", cx: x, cy: y, r });
    draw(up, "circle", { class: "moon-disc", cx: x, cy: y, r: disc });
  }
}

function drawLimit(up, shape, isWorst) {
  const name = `limit${isWorst ? " worst" : ""}`;
  if ("r" in shape) draw(up, "circle", { class: name, cx: shape.x, cy: shape.y, r: shape.r });
  else draw(up, "line", { class: name, x1: shape.x1, y1: shape.y1, x2: shape.x2, y2: shape.y2 });
}

function ruler(svg, x, y, reach) {
  const [left, bottom] = [x - reach + 5, -y + reach - 5];
  draw(svg, "line", { class: "ruler", x1: left, y1: bottom, x2: left + SCALE_MM, y2: bottom });
  draw(svg, "text", { class: "ruler-text", x: left + SCALE_MM + 2, y: bottom + 1.5 }).textContent = t("evidence.ruler", { mm: SCALE_MM });
}

/** Where the striker's rim is nearest to the limit. */
function decisivePlace(shape, p, radius) {
  if (!shape) return null;
  const [x, y] = "r" in shape ? [shape.x, shape.y] : footOn(shape, p);
  const away = Math.hypot(x - p.x_mm, y - p.y_mm) || 1;
  return [p.x_mm + (radius * (x - p.x_mm)) / away, p.y_mm + (radius * (y - p.y_mm)) / away];
}

/** The printed edge of a base line that a striker reaches first; `inward` says on which side of it that lies. */
function edgeOf({ x1, y1, x2, y2, w }, seat, inward) {
  const [dx, dy] = turned(0, (inward * w) / 2, TURN[seat]);
  return { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy };
}

function footOn({ x1, y1, x2, y2 }, { x_mm: x, y_mm: y }) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const share = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return [x1 + share * dx, y1 + share * dy];
}

function turned(x, y, degrees) {
  const a = (degrees * Math.PI) / 180;
  return [x * Math.cos(a) - y * Math.sin(a), x * Math.sin(a) + y * Math.cos(a)];
}
