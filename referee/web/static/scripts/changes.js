// Who changed what, and when: every word of the umpire in the log, newest first.

import { h } from "./dom.js";
import { eventWords } from "./tell.js";
import { has, locale, strokeWords, t } from "./words.js";

const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `switchTo(line)` takes the change back, or brings it back; left out where that cannot be done. */
export function changeItem(line, switchTo) {
  const { holds } = line;
  const canSwitch = typeof switchTo === "function" && typeof holds === "boolean";
  return h("li", { "data-holds": String(holds ?? true) },
    canSwitch ? h("button", { type: "button", "aria-label": `${t(holds ? "ask.take_back" : "ask.bring_back")}: ${what(line)}`, click: () => switchTo(line) }, t(holds ? "ask.take_back" : "ask.bring_back")) : null,
    h("time", {}, line.wall ? clock.format(new Date(line.wall * 1000)) : ""),
    h("b", {}, who(line.by)), ` ${what(line)}`);
}

function who(by) {
  if (!by) return t("who.unknown");
  return has(`who.${by}`) ? t(`who.${by}`) : by;
}

function what(line) {
  if (line.type === "running") return t(`changed.running_${line.state}`);
  const n = line.stroke;
  const foul = line.foul && t(`foul.${line.foul}`);
  switch (line.action) {
    case "correct": return t("changed.correct", { n, what: strokeWords(line.stroke_text) });
    case "accept": return foul ? t("changed.accept", { n, foul }) : t("changed.confirm", { n });
    case "refuse": return t("changed.refuse", { n, foul });
    case "challenge": return t("changed.challenge", { n });
    case "answer": return t(line.upheld ? "changed.answer_right" : "changed.answer_wrong");
    case "operate": return t("changed.operate", { event: eventWords(line.event) });
    case "declare": return t("changed.declare", { what: declared(line) });
    default: return [t(`changed.${line.action}`), targetWords(line.target)].filter(Boolean).join(": ");
  }
}

/** What a taking back names: the stroke, where it is one. */
function targetWords(target) {
  const n = /^stroke (\d+)$/.exec(target ?? "")?.[1];
  return n ? t("stroke", { n }) : "";
}

function declared({ seats, breaker, policy, state, rematch }) {
  const parts = Object.entries(seats ?? {}).map(([seat, colour]) => (colour ? `${t(`seat.${seat}`)} ${t(`kind.${colour}`)}` : t(`seat.${seat}`)));
  if (rematch) parts.push(t("match.rematch"));
  if (breaker) parts.push(`${t("tell.breaker")} ${t(`seat.${breaker}`)}`);
  for (const [foul, how] of Object.entries(policy ?? {})) parts.push(`${t(`foul.${foul}`)}: ${t(`policy.${how}`)}`);
  if (state) parts.push(`${t("tell.state")} (${state})`);
  return parts.join(", ");
}
