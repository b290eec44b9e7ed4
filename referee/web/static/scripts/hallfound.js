// A stroke of any board of the hall in a list, one tap from its replay.

import { h } from "./dom.js";
import { has, locale, mm, t } from "./words.js";

const LIMITS = { cutting_moon: "moon", not_touching_front_line: "front_line", not_touching_rear_line: "rear_line", touching_arrow: "arrow", outside_baseline: "ends" };
const when = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

export const limits = Object.keys(LIMITS);
export const limitWords = (name) => t(`placement.${LIMITS[name]}`);

/** The row of a stroke as /api/hall/search gives it. */
export function foundRow(row) {
  const parts = [row.played === null ? "" : when.format(row.played * 1000), t("stroke", { n: row.stroke }),
    ...row.fouls.map((foul) => (has(`foul.${foul}`) ? t(`foul.${foul}`) : foul))];
  const margin = row.margin_mm === null ? null : h("span", { className: "mm", "data-legal": String(row.legal) },
    t("placement.mm", { mm: mm(row.margin_mm) }), h("small", {}, row.sigma_mm === null ? "" : `± ${mm(row.sigma_mm)}`));
  const inner = [h("span", { className: "board", dir: "auto" }, row.board_name),
    h("span", { className: "who", dir: "auto" }, [row.player || t(`seat.${row.seat}`), row.limit === null ? "" : limitWords(row.limit)].filter(Boolean).join(" · ")),
    h("span", { className: "when" }, parts.filter(Boolean).join(" · ")), margin];
  return h("li", {}, row.href ? h("a", { href: row.href }, ...inner) : h("span", { className: "row" }, ...inner));
}
