// The boards and strokes of a match as a list, each stroke named by what happened in it.

import { h } from "./dom.js";
import { strokeFile } from "./places.js";
import { strokeWords, t } from "./words.js";

/** `open` is the number of the stroke that is shown, `belongs` tells which strokes the list has. */
export function drawTimeline(box, match, open, belongs = () => true) {
  const strokes = new Map(match.strokes.map((stroke) => [stroke.stroke, stroke]));
  const many = match.boards.some(({ match: n }) => n > 1);
  const results = new Map([...(match.finished ?? []).map((won) => [won.number, won]), [match.number, { sides: match.sides, boards: match.results }]]);
  const boards = match.boards.map((board) => ({ ...board, strokes: board.strokes.filter((n) => belongs(strokes.get(n))) }));
  box.replaceChildren(...boards.filter((board, i) => board.strokes.length || !match.boards[i].strokes.length).map(({ number, match: n, strokes: numbers }) => h("section", {},
    many && number === 1 ? h("h3", { className: "of" }, t("match.n", { n }), wonBy(results.get(n), match)) : null,
    h("h3", {}, [t("board", { n: number }), results.get(n)?.boards?.[number - 1]?.points.join(" : ")].filter(Boolean).join(" · ")),
    h("ol", {}, ...numbers.map((n) => item(strokes.get(n), match, n === open))))));
}

/** Who won a match of the log, and with how many points. */
function wonBy(result, match) {
  const winner = result?.winner ?? (match.match_over ? match.winner : null);
  const side = result?.sides.find(({ seats }) => seats.includes(winner));
  if (!side) return "";
  const name = side.seats.map((seat, i) => side.players[i] || t(`seat.${seat}`)).join(" & ");
  return `: ${t("shout.won", { who: name, score: result.sides.map(({ score }) => score).join(" : ") })}`;
}

/** Marks another stroke as the one shown, and brings it into view within the list. */
export function markOpen(box, n) {
  for (const link of box.querySelectorAll("a")) {
    const is = link.dataset.stroke === String(n);
    if (is) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    if (is && box.scrollHeight > box.clientHeight) box.scrollTop += link.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }
}

function item(stroke, match, isOpen) {
  const link = h("a", { href: `#stroke=${stroke.stroke}`, "data-stroke": String(stroke.stroke), "data-certain": String(stroke.certain), "data-annulled": String(stroke.annulled), "data-thumb": String(Boolean(stroke.thumb)) },
    h("span", { className: "n" }, String(stroke.stroke)),
    stroke.thumb ? h("img", { className: "thumb", src: strokeFile(match.id, stroke.stroke, `${stroke.thumb}.jpg`), alt: "", loading: "lazy", width: 52, height: 52 }) : null,
    h("span", { className: "what" }, h("b", {}, strokeWords(stroke.stroke_text)), h("small", {}, playerOf(stroke, match))),
    h("span", { className: "marks" }, ...marks(stroke)));
  if (isOpen) link.setAttribute("aria-current", "true");
  return h("li", {}, link);
}

export function playerOf(stroke, match) {
  return stroke.player || match.players?.[stroke.seat] || t(`seat.${stroke.seat}`);
}

function marks(stroke) {
  const told = [
    stroke.annulled ? t("ruling.annulled") : stroke.corrected ? t("ruling.corrected") : stroke.certain ? null : t("ruling.doubtful"),
    stroke.video ? t("replay.video") : null,
  ];
  return told.map((text, i) => (text ? h("span", { className: i ? "video" : "verdict" }, text) : null)).filter(Boolean);
}
