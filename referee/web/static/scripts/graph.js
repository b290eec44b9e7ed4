// A match as lines over its strokes: the coins that each side has still to pocket, and the score beneath; touched to go there.

import { draw } from "./dom.js";
import { namesOf, tintsOf } from "./result.js";
import { t } from "./words.js";

const [LEFT, TOP, TALL, GAP, LOW] = [44, 12, 120, 22, 70]; // of the picture's own units
const [WIDE, NARROW, PHONE_PX] = [1000, 480, 560]; // its width, also where its place is narrower than so many pixels

/** Draws `story` into `svg`; `go(n)` is called with the stroke that is touched. Gives `mark(n)`, which marks one. */
export function drawGraph(svg, story, go) {
  const { steps, sides } = story;
  const width = svg.parentElement.clientWidth < PHONE_PX ? NARROW : WIDE;
  const x = (i) => LEFT + (steps.length > 1 ? (i / (steps.length - 1)) * (width - LEFT - 14) : 0);
  const tints = tintsOf(sides);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${TOP + TALL + GAP + LOW + 12}`);
  svg.setAttribute("aria-label", `${t("story.graph")}: ${sides.map((side, i) => `${namesOf(side)} ${steps.at(-1)?.score[i] ?? 0}`).join(", ")}`);
  const most = Math.max(9, ...steps.flatMap(({ left }) => left.map((n) => n ?? 0)));
  const points = Math.max(1, ...steps.flatMap(({ score }) => score));
  const least = Math.min(0, ...steps.flatMap(({ score }) => score));
  const [yLeft, yScore] = [(n) => TOP + TALL * (1 - n / most), (n) => TOP + TALL + GAP + LOW * (1 - (n - least) / (points - least))];
  grid(svg, width, [[0, yLeft(0)], [most, yLeft(most)], [0, yScore(0)], [points, yScore(points)]]);
  steps.forEach(({ board }, i) => { if (i && board !== steps[i - 1].board) draw(svg, "line", { class: "turn", x1: (x(i - 1) + x(i)) / 2, x2: (x(i - 1) + x(i)) / 2, y1: 4, y2: TOP + TALL + GAP + LOW }); });
  sides.forEach((_, side) => {
    for (const run of runs(steps, side)) draw(svg, "polyline", { class: "left", "data-tint": tints[side], points: run.map(({ i, n }) => `${x(i)},${yLeft(n)}`).join(" ") });
    draw(svg, "polyline", { class: "score", "data-tint": tints[side], points: steps.flatMap(({ score }, i) => [`${x(i)},${yScore((steps[i - 1] ?? steps[i]).score[side])}`, `${x(i)},${yScore(score[side])}`]).join(" ") });
  });
  const here = draw(svg, "line", { class: "here", y1: 0, y2: TOP + TALL + GAP + LOW + 8, visibility: "hidden" });
  const wide = steps.length > 1 ? x(1) - x(0) : width;
  steps.forEach(({ stroke }, i) => draw(svg, "rect", { class: "touch", "data-stroke": stroke, x: x(i) - wide / 2, y: 0, width: wide, height: TOP + TALL + GAP + LOW + 12 }).addEventListener("click", () => go(stroke)));
  return {
    mark(n) {
      const i = steps.findIndex(({ stroke }) => stroke === n);
      here.setAttribute("visibility", i < 0 ? "hidden" : "visible");
      if (i >= 0) for (const end of ["x1", "x2"]) here.setAttribute(end, String(x(i)));
    },
  };
}

/** The strokes of each board of which it is known how many coins a side had left. */
function runs(steps, side) {
  const found = [];
  steps.forEach(({ board, left }, i) => {
    if (left[side] === null) return;
    const last = found.at(-1);
    if (last && last.at(-1).board === board) last.push({ i, board, n: left[side] });
    else found.push([{ i, board, n: left[side] }]);
  });
  return found;
}

function grid(svg, width, lines) {
  for (const [n, y] of lines) {
    draw(svg, "line", { class: "grid", x1: LEFT, x2: width - 8, y1: y, y2: y });
    draw(svg, "text", { class: "tick", x: LEFT - 8, y: y + 5 }).textContent = String(n);
  }
}
