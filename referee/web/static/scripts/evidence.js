// The evidence card: what a call rests on, from the pictures to the law, with every doubt and its margin.

import { bookName } from "./books.js";
import { changeItem } from "./changes.js";
import { drawPlacement, limitsOf } from "./closeup.js";
import { draw, h } from "./dom.js";
import { strokeFile } from "./places.js";
import { has, locale, mm, strokeWords, t } from "./words.js";

const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

/** Draws the card of a stroke of the match `id`; `jump(t)` leads the player to a moment. */
export function drawCard(box, stroke, { id, player, jump }) {
  box.replaceChildren(...[
    h("h2", { id: "card-title" }, t("evidence.title", { n: stroke.stroke })),
    verdict(stroke, player), laws(stroke), placement(stroke, id), pictures(stroke, id, jump), fouls(stroke), umpire(stroke), facts(stroke)].filter(Boolean));
}

function part(title, ...children) {
  const found = children.filter(Boolean);
  return found.length ? h("section", {}, h("h3", {}, title), ...found) : null;
}

function verdict(stroke, player) {
  const state = stroke.annulled ? "annulled" : stroke.corrected ? "corrected" : stroke.certain ? "certain" : "doubtful";
  return h("div", { className: "verdict", "data-state": state },
    h("p", { className: "badge" }, t(`ruling.${state}`)),
    h("p", { className: "what" }, `${player}: ${strokeWords(stroke.stroke_text)}`),
    h("p", { className: "sure" }, t("evidence.confidence", { p: number.format(stroke.confidence * 100) })));
}

/** Each decision with the number of its law; what is in doubt and what is only proposed say so. */
function laws(stroke) {
  const said = stroke.sentences.map(({ kind, law, text, certain }) => h("li", { "data-certain": String(certain), "data-kind": kind },
    law ? h("b", { className: "law" }, law) : null, h("span", {}, text)));
  return part(t("evidence.laws", { book: bookName(stroke.rules) }), said.length ? h("ul", { className: "laws" }, ...said) : h("p", {}, t("ruling.nothing")));
}

function placement(stroke, id) {
  const { placement: p } = stroke;
  if (!p) return part(t("evidence.placement"), h("p", { className: "quiet" }, t("evidence.not_seen")));
  const legal = p.legal === null ? "close" : p.legal ? "good" : "bad";
  const figure = h("figure", {});
  const photo = stroke.frames.find(({ shows }) => shows === "placement");
  const limits = limitsOf(stroke);
  drawPlacement(figure, stroke, photo ? { ...photo, url: strokeFile(id, stroke.stroke, `${photo.name}.jpg`) } : null, limits);
  figure.append(h("figcaption", {}, t(photo ? "evidence.scale" : "evidence.scale_drawn")));
  const rows = Object.entries(p.clearance_mm).filter(([, value]) => value !== null).map(([name, value]) => h("tr", { "data-worst": String(name === limits.worst) },
    h("th", { scope: "row" }, t(`limit.${name}`)), h("td", {}, millimetres(value)), h("td", {}, `± ${mm(2 * p.sigma_mm)}`)));
  const said = legal === "good" ? t("placement.good") : legal === "close" ? t("placement.close") : t(`reason.${p.reason}`);
  return part(t("evidence.placement"),
    h("p", { className: "light", "data-legal": legal }, h("b", {}, `${{ good: "✓", close: "?", bad: "✕" }[legal]} ${said}`), h("span", {}, `${millimetres(p.margin_mm)} ± ${mm(2 * p.sigma_mm)}`)),
    h("div", { className: "measured" }, figure, h("table", {},
      h("caption", {}, t("evidence.clearances")),
      h("thead", {}, h("tr", {}, ...["limit", "margin", "uncertainty"].map((name) => h("th", { scope: "col" }, t(`evidence.${name}`))))), h("tbody", {}, ...rows))));
}

function millimetres(value) {
  return `${value < 0 ? "−" : "+"}${t("placement.mm", { mm: mm(Math.abs(value)) })}`;
}

function pictures(stroke, id, jump) {
  const frames = stroke.frames.filter(({ shows }) => shows !== "placement");
  if (!stroke.frames.length) return part(t("evidence.pictures"), h("p", { className: "quiet" }, t("evidence.no_pictures")));
  return part(t("evidence.pictures"), h("div", { className: "frames" }, ...frames.map((frame) => figureOf(stroke, frame, id, jump))));
}

function figureOf(stroke, frame, id, jump) {
  const name = frame.shows === "pocketed" ? t("shows.pocketed", { piece: t(`kind.${frame.piece}`) }) : t(`shows.${frame.shows}`);
  const button = h("button", { type: "button", className: "picture", "aria-label": t("evidence.show", { what: name }), click: () => jump(frame.t) },
    h("img", { src: strokeFile(id, stroke.stroke, `${frame.name}.jpg`), alt: name, loading: "lazy", width: frame.size_px, height: frame.size_px }));
  if (frame.shows === "hand") drawDiagonals(button, frame, stroke.geometry);
  return h("figure", {}, button, h("figcaption", {}, name));
}

/** The limit that a hand must keep: the diagonals from pocket to pocket. */
function drawDiagonals(box, { reach_mm: reach }, geometry) {
  const svg = draw(box, "svg", { viewBox: `${-reach} ${-reach} ${2 * reach} ${2 * reach}`, "aria-hidden": "true" });
  const half = geometry.surface / 2;
  for (const side of [1, -1]) draw(svg, "line", { class: "limit", x1: -half, y1: side * half, x2: half, y2: -side * half });
}

function fouls(stroke) {
  const seen = Object.entries(stroke.foul_confidence).filter(([, p]) => p > 0);
  if (!seen.length) return null;
  return part(t("evidence.fouls"), h("ul", {}, ...seen.map(([name, p]) => h("li", {}, `${foulName(name)}: ${number.format(p * 100)} %`))));
}

function foulName(name) {
  const [kind, reason] = name.split(":");
  if (reason && has(`reason.${reason}`)) return t(`reason.${reason}`);
  return has(`seen.${kind}`) ? t(`seen.${kind}`) : name;
}

function umpire(stroke) {
  const before = stroke.first && stroke.corrected ? h("p", {}, t("evidence.before", { what: strokeWords(stroke.first.stroke_text), ruling: stroke.first.texts.join(" ") })) : null;
  const list = stroke.umpire.length ? h("ol", { className: "changes" }, ...stroke.umpire.map((line) => changeItem(line))) : h("p", { className: "quiet" }, t("evidence.no_word"));
  return part(t("evidence.umpire"), list, before);
}

function facts(stroke) {
  const rows = [[t("match.rules"), bookName(stroke.rules)], [t("evidence.program"), stroke.program ?? t("verdict.unknown")],
    [t("evidence.when"), stroke.wall ? date.format(new Date(stroke.wall * 1000)) : null],
    [t("evidence.kept"), stroke.clip ? t(stroke.kept || stroke.disputed ? "evidence.kept_ever" : "evidence.kept_time") : t("evidence.kept_not")]];
  return h("dl", { className: "facts" }, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
