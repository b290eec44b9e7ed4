// The board in SVG at true geometry: millimetres, y up, origin in the middle.

import { draw } from "./dom.js";
import { createTrails } from "./trails.js";

const SEAT_TURN = { south: 0, east: 90, north: 180, west: 270 }; // degrees anticlockwise from south, seen from above
const ARROW_HEAD_MM = 9;
const SURE = 2.45; // standard deviations within which a place in the plane lies in 95 % of cases

/** Draws into `svg` and returns the ways to change the picture. */
export function createBoard(svg) {
  svg.classList.add("board");
  const flat = draw(svg, "g", { class: "marks" });
  const picture = draw(svg, "image", { class: "picture", preserveAspectRatio: "none" });
  const up = draw(svg, "g", { transform: "scale(1,-1)" });
  const trails = createTrails(draw(up, "g", { class: "trails" }));
  const ways = draw(up, "g", { class: "trails" });
  const pieces = draw(up, "g", { class: "pieces" });
  const hands = draw(up, "g", { class: "hands" });
  const over = draw(up, "g", { class: "over" });
  const edges = draw(svg, "g");
  let geometry = null;
  let seats = {};

  const drawEdges = () => {
    if (!geometry) return;
    edges.replaceChildren();
    for (const [seat, { name, turn }] of Object.entries(seats)) drawSeat(edges, geometry, seat, name, turn);
  };

  return {
    /** Where a page draws things of its own, in millimetres, y up. */
    over,
    trails,
    setGeometry(value) {
      geometry = value;
      const reach = value.surface / 2 + value.frame_width;
      svg.setAttribute("viewBox", `${-reach} ${-reach} ${2 * reach} ${2 * reach}`);
      flat.replaceChildren();
      drawBoard(flat, value, reach);
      drawEdges();
    },
    setSeats(value) {
      if (JSON.stringify(value) === JSON.stringify(seats)) return;
      seats = value;
      drawEdges();
    },
    setPieces(list) {
      if (geometry) drawPieces(pieces, list, geometry);
    },
    /** Ways that are known whole, as in a replay: { kind, points, fade }; `fade` from 0, left out for one of a piece. */
    setTrails(list) {
      ways.replaceChildren();
      for (const { kind, points, fade = 0 } of list) draw(ways, "polyline", { class: `trail ${kind}`, "data-fade": fade, points: points.map((p) => p.join(",")).join(" ") });
    },
    setHands(outlines) {
      hands.replaceChildren();
      for (const outline of outlines) draw(hands, "polygon", { class: "hand", points: outline.map((p) => p.join(",")).join(" ") });
    },
    /** The camera's picture from -reach to +reach beneath the pieces; null takes it away. */
    setPicture(url, reach) {
      svg.dataset.camera = String(url !== null);
      if (url === null) { picture.removeAttribute("href"); return; }
      for (const [name, value] of Object.entries({ href: url, x: -reach, y: -reach, width: 2 * reach, height: 2 * reach })) picture.setAttribute(name, value);
    },
    setStale(stale) {
      svg.dataset.stale = String(stale);
    },
  };
}

function drawBoard(parent, g, reach) {
  const half = g.surface / 2;
  draw(parent, "rect", { class: "frame", x: -reach, y: -reach, width: 2 * reach, height: 2 * reach, rx: 34 });
  draw(parent, "rect", { class: "surface", x: -half, y: -half, width: g.surface, height: g.surface });
  const up = draw(parent, "g", { transform: "scale(1,-1)" });
  draw(up, "circle", { class: "outer", r: g.outer_circle_radius });
  draw(up, "circle", { class: "moon", r: g.centre_circle_radius });
  for (const line of g.lines) drawLine(up, line);
  for (const arrow of g.arrows) drawArrow(up, arrow);
  for (const c of g.circles) {
    draw(up, "circle", { class: "surface", cx: c.x, cy: c.y, r: c.r });
    draw(up, "circle", { class: "moon", cx: c.x, cy: c.y, r: c.r });
    draw(up, "circle", { class: "moon-disc", cx: c.x, cy: c.y, r: c.disc });
  }
  // Pockets that are quarters of circles about the corners end at the cushions.
  const box = { x: -half - 2, y: -half - 2, width: g.surface + 4, height: g.surface + 4 };
  const within = draw(up, "svg", { ...box, viewBox: Object.values(box).join(" ") });
  for (const p of g.pockets) draw(within, "circle", { class: "pocket", cx: p.x, cy: p.y, r: p.r });
  draw(parent, "rect", { class: "frame-edge", ...box, rx: 6 });
}

function drawLine(parent, { x1, y1, x2, y2, w }) {
  draw(parent, "line", { class: "mark", x1, y1, x2, y2, "stroke-width": w });
}

function drawArrow(parent, line) {
  drawLine(parent, { ...line, w: Math.max(line.w, 1.5) });
  const [dx, dy] = [line.x2 - line.x1, line.y2 - line.y1];
  const length = Math.hypot(dx, dy) || 1;
  for (const turn of [0.45, -0.45]) {
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    const x2 = line.x1 + (ARROW_HEAD_MM * (dx * c - dy * s)) / length;
    const y2 = line.y1 + (ARROW_HEAD_MM * (dx * s + dy * c)) / length;
    drawLine(parent, { x1: line.x1, y1: line.y1, x2, y2, w: 1.5 });
  }
}

/** The seat's name on its side of the frame, lit when it is to strike. */
function drawSeat(parent, g, seat, name, turn) {
  const middle = g.surface / 2 + g.frame_width / 2 + 2;
  // SVG turns clockwise for positive angles; south lies at the bottom of the screen.
  const side = draw(parent, "g", { transform: `rotate(${-SEAT_TURN[seat]})` });
  const width = g.surface * 0.6;
  const height = g.frame_width * 0.62;
  draw(side, "rect", { class: "seat-bar", x: -width / 2, y: middle - height / 2, width, height, rx: height / 2, "data-turn": turn });
  const text = draw(side, "text", { class: "seat-name", x: 0, y: 0, "data-turn": turn });
  // Names on the far side stay upright for the one who reads the screen.
  const upright = seat === "north" ? 180 : 0;
  text.setAttribute("transform", `translate(0 ${middle}) rotate(${upright})`);
  text.textContent = name;
}

/** Reuses the drawn discs in order, so that twenty pieces at twenty pictures a second cost next to nothing. */
function drawPieces(parent, list, g) {
  while (parent.children.length > list.length) parent.lastChild.remove();
  list.forEach((piece, i) => {
    const node = parent.children[i] ?? makePiece(parent);
    const radius = radiusOf(piece.kind, g);
    if (node.dataset.kind !== piece.kind) shape(node, piece.kind, radius);
    node.children[2].setAttribute("r", radius + SURE * (piece.sigma_mm ?? 0));
    node.setAttribute("transform", `translate(${piece.x_mm} ${piece.y_mm})`);
  });
}

export function radiusOf(kind, g) {
  return kind === "striker" ? g.striker_radius : g.coin_radius;
}

function makePiece(parent) {
  const node = draw(parent, "g");
  draw(node, "circle", { class: "body" });
  draw(node, "circle", { class: "ring" });
  draw(node, "circle", { class: "sure" });
  return node;
}

function shape(node, kind, radius) {
  node.dataset.kind = kind;
  node.setAttribute("class", `piece ${kind}`);
  node.children[0].setAttribute("r", radius);
  node.children[1].setAttribute("r", radius * 0.62);
}
