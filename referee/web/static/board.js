// The board in SVG at true geometry: millimetres, y up, origin in the middle.

const SVG = "http://www.w3.org/2000/svg";
const SEAT_TURN = { south: 0, east: 90, north: 180, west: 270 }; // degrees anticlockwise from south, seen from above
const ARROW_HEAD_MM = 9;

function make(parent, name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

/** Draws into `svg` and returns the ways to change the picture. */
export function createBoard(svg) {
  svg.classList.add("board");
  const flat = make(svg, "g");
  const up = make(svg, "g", { transform: "scale(1,-1)" });
  const pieces = make(up, "g", { class: "pieces" });
  const hands = make(up, "g", { class: "hands" });
  const edges = make(svg, "g");
  let geometry = null;
  let seats = {};

  const drawEdges = () => {
    if (!geometry) return;
    edges.replaceChildren();
    for (const [seat, { name, turn }] of Object.entries(seats)) drawSeat(edges, geometry, seat, name, turn);
  };

  return {
    setGeometry(value) {
      geometry = value;
      const reach = value.surface / 2 + value.frame_width;
      svg.setAttribute("viewBox", `${-reach} ${-reach} ${2 * reach} ${2 * reach}`);
      flat.replaceChildren();
      drawBoard(flat, value, reach);
      drawEdges();
    },
    setSeats(value) {
      seats = value;
      drawEdges();
    },
    setPieces(list) {
      if (geometry) drawPieces(pieces, list, geometry);
    },
    setHands(outlines) {
      hands.replaceChildren();
      for (const outline of outlines) make(hands, "polygon", { class: "hand", points: outline.map((p) => p.join(",")).join(" ") });
    },
    setStale(stale) {
      svg.dataset.stale = String(stale);
    },
  };
}

function drawBoard(parent, g, reach) {
  const half = g.surface / 2;
  make(parent, "rect", { class: "frame", x: -reach, y: -reach, width: 2 * reach, height: 2 * reach, rx: 34 });
  make(parent, "rect", { class: "surface", x: -half, y: -half, width: g.surface, height: g.surface });
  const up = make(parent, "g", { transform: "scale(1,-1)" });
  make(up, "circle", { class: "outer", r: g.outer_circle_radius });
  make(up, "circle", { class: "moon", r: g.centre_circle_radius });
  for (const line of g.lines) drawLine(up, line);
  for (const arrow of g.arrows) drawArrow(up, arrow);
  for (const c of g.circles) {
    make(up, "circle", { class: "surface", cx: c.x, cy: c.y, r: c.r });
    make(up, "circle", { class: "moon", cx: c.x, cy: c.y, r: c.r });
    make(up, "circle", { class: "moon-disc", cx: c.x, cy: c.y, r: c.disc });
  }
  for (const p of g.pockets) make(up, "circle", { class: "pocket", cx: p.x, cy: p.y, r: p.r });
  make(parent, "rect", { class: "frame-edge", x: -half - 2, y: -half - 2, width: g.surface + 4, height: g.surface + 4, rx: 6 });
}

function drawLine(parent, { x1, y1, x2, y2, w }) {
  make(parent, "line", { class: "mark", x1, y1, x2, y2, "stroke-width": w });
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
  const side = make(parent, "g", { transform: `rotate(${-SEAT_TURN[seat]})` });
  const width = g.surface * 0.6;
  const height = g.frame_width * 0.62;
  make(side, "rect", { class: "seat-bar", x: -width / 2, y: middle - height / 2, width, height, rx: height / 2, "data-turn": turn });
  const text = make(side, "text", { class: "seat-name", x: 0, y: 0, "data-turn": turn });
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
    if (node.dataset.kind !== piece.kind) shape(node, piece.kind, g);
    node.setAttribute("transform", `translate(${piece.x_mm} ${piece.y_mm})`);
  });
}

function makePiece(parent) {
  const node = make(parent, "g");
  make(node, "circle");
  make(node, "circle", { class: "ring" });
  return node;
}

function shape(node, kind, g) {
  const radius = kind === "striker" ? g.striker_radius : g.coin_radius;
  node.dataset.kind = kind;
  node.setAttribute("class", `piece ${kind}`);
  node.children[0].setAttribute("r", radius);
  node.children[1].setAttribute("r", radius * 0.62);
}
