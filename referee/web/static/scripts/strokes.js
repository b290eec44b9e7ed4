// One stroke in the umpire's list: who, what, the ruling with its laws, and the way to correct it.

import { h } from "./dom.js";
import { matchPage } from "./places.js";
import { decided, playerAt } from "./view.js";
import { strokeWords, t } from "./words.js";

/** `correct(n, text, seat)` opens the editor; `replay` is the match among those that can be reviewed, or null. */
export function strokeItem(ruling, view, correct, replay) {
  const { stroke: n, seat, stroke_text: text, certain } = ruling;
  const laws = [...new Set(ruling.sentences.map((sentence) => sentence.law).filter(Boolean))].join(", ");
  const notes = [ruling.corrected ? t("umpire.corrected") : "", ruling.annulled ? t("umpire.annulled") : ""];
  const doubt = certain ? null : h("span", { className: "doubt" }, t("ruling.doubtful"));
  return h("li", { "data-certain": String(certain), "data-annulled": String(ruling.annulled), "data-stroke": String(n) },
    h("span", { className: "n" }, String(n)),
    h("div", {},
      h("p", { className: "what" }, `${playerAt(view, seat)}: ${strokeWords(text)}`),
      h("p", { className: "said" }, decided(ruling) || t("ruling.nothing")),
      h("p", { className: "law" }, [laws, ...notes].filter(Boolean).join(" · "), " ", doubt)),
    h("button", { type: "button", "aria-label": t("umpire.correct_stroke", { n }), click: () => correct(n, text, seat) }, t("umpire.correct")),
    replay ? h("a", { className: "button", href: matchPage(replay, `#stroke=${n}`), "aria-label": t("umpire.proof_of", { n }) }, t("ruling.proof")) : null);
}
