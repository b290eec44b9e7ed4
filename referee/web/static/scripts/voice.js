// Calls spoken by the browser, chosen on each device: "calls" says rulings, "all" also what the referee is doing.

import { onChoice, setting } from "./settings.js";
import { queen, rulings, sides } from "./view.js";
import { has, language, t } from "./words.js";

const SHORT_PHASES = new Set(["hand", "moving"]); // they follow each other too quickly to be worth words

/** `hear(sections, section)` is told everything and speaks what is new. */
export function createVoice() {
  const said = {};
  let opened = false; // what was so before the page was opened is no news

  const say = (topic, text, { key = text, urgent = false } = {}) => {
    if (said[topic] === key) return;
    said[topic] = key;
    if (opened && text && setting("voice") !== "off" && "speechSynthesis" in window) speak(text, urgent);
  };

  onChoice((name, value) => {
    if (name !== "voice" || !("speechSynthesis" in window)) return;
    speechSynthesis.cancel();
    // Spoken upon a touch, so that the browser lets later calls be heard too.
    if (value !== "off") speak(t(`menu.voice_${value}`), true);
  });

  return {
    hear({ view, live }, section) {
      if (view && (section === null || section === "view")) hearMatch(view, say);
      if (live && setting("voice") === "all" && section !== "view") hearBoard(live, say);
      opened ||= Boolean(view);
    },
  };
}

function hearMatch(view, say) {
  const [last] = rulings(view);
  const text = last?.annulled ? t("ruling.annulled") : last?.text ?? "";
  say("ruling", text, { key: `${last?.n} ${text}`, urgent: true });
  say("questions", [view.needs_operator.length ? t("questions", { n: view.needs_operator.length }) : "", ...view.needs_operator.map((asked) => asked.text)].join(" ").trim());
  if (setting("voice") !== "all") return;
  say("score", sides(view).map((side) => `${side.name}: ${side.score ?? t("score.unknown")}`).join(", "));
  say("turn", sides(view).filter((side) => side.label).map((side) => `${side.name}: ${side.label}`).join(", "));
  say("queen", queen(view).text);
}

function hearBoard(live, say) {
  if (!SHORT_PHASES.has(live.phase) && has(`phase.${live.phase}`)) say("phase", t(`phase.${live.phase}`));
  const { placement } = live;
  if (placement) say("placement", t(`placement.${placement.legal === null ? "close" : placement.legal ? "good" : placement.limit}`));
}

function speak(text, urgent) {
  if (urgent) speechSynthesis.cancel();
  const words = new SpeechSynthesisUtterance(text);
  words.lang = language;
  speechSynthesis.speak(words);
}
