// The result as a picture to hand on: names, score, boards and marks, in the letters of any script.

import { initials } from "./players.js";
import { finalScore, namesOf, tintsOf } from "./result.js";
import { direction, locale, t } from "./words.js";

const [WIDTH, HEIGHT, EDGE] = [1200, 630, 56];
const TINTS = ["#1f5f8b", "#8a3b12", "#2f6b2f", "#7a2a6d", "#5d5a12", "#0f6a6a", "#9c2b3b", "#4a4a9e", "#6b4a1f", "#3b5563"];
const day = new Intl.DateTimeFormat(locale, { dateStyle: "long" });

/** A PNG of the match `view`; `marks` as from `marksOf`. */
export async function drawCard({ view, marks, boards }) {
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const pen = canvas.getContext("2d");
  const family = getComputedStyle(document.documentElement).getPropertyValue("--sans");
  const font = (size, weight = 700) => { pen.font = `${weight} ${size}px ${family}`; };
  const text = (words, x, y, { size, weight, colour = "#1d1511", align = "left", width = WIDTH - 2 * EDGE }) => {
    font(size, weight);
    while (size > 14 && pen.measureText(words).width > width) { size -= 2; font(size, weight); }
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.direction = direction;
    pen.fillText(words, x, y);
  };
  const [start, end] = direction === "rtl" ? [WIDTH - EDGE, EDGE] : [EDGE, WIDTH - EDGE];
  const [near, far] = direction === "rtl" ? ["right", "left"] : ["left", "right"];
  pen.fillStyle = "#3d2218";
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.fillStyle = "#f6ecda";
  pen.beginPath();
  pen.roundRect(20, 20, WIDTH - 40, HEIGHT - 40, 24);
  pen.fill();
  const winner = view.sides.find((side) => side.seats.includes(view.winner));
  text(t("over.won", { who: winner ? namesOf(winner) : "" }), start, 112, { size: 54, weight: 800, align: near });
  const [tints, score, wide] = [tintsOf(view.sides), finalScore(view.sides), (WIDTH - 2 * EDGE) / view.sides.length];
  view.sides.forEach((side, i) => {
    const middle = EDGE + wide * ((direction === "rtl" ? view.sides.length - 1 - i : i) + 0.5);
    pen.fillStyle = TINTS[tints[i]];
    pen.beginPath();
    pen.arc(middle, 206, 44, 0, 7);
    pen.fill();
    text(initials(namesOf(side)), middle, 219, { size: 36, colour: "#fff", align: "center", width: 70 });
    text(namesOf(side), middle, 292, { size: 32, align: "center", width: wide - 20 });
    text(String(score[i]), middle, 404, { size: 112, weight: 800, align: "center", colour: side === winner ? "#174a63" : "#66574b", width: wide });
  });
  const most = Math.max(1, ...boards.flatMap(({ points }) => points.map(Math.abs)));
  const step = Math.min(110, 520 / Math.max(1, boards.length));
  boards.forEach(({ points }, i) => points.forEach((n, side) => {
    const bar = step / (points.length + 1);
    const x = direction === "rtl" ? WIDTH - EDGE - (i * step + (side + 1) * bar) : EDGE + i * step + side * bar;
    const tall = Math.max(3, (Math.abs(n) / most) * 96);
    pen.fillStyle = TINTS[tints[side]];
    pen.fillRect(x, 556 - tall, bar - 3, tall);
  }));
  marks.slice(0, 3).forEach(({ name, what }, i) => text(`${name}: ${what}`, end, 470 + i * 38, { size: 26, weight: 600, align: far, width: 540 }));
  text(`Carrom · ${day.format(new Date())}`, start, 590, { size: 20, weight: 500, colour: "#66574b", align: near });
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
