// States that nobody may overlook: one sentence and one thing to do, in the middle of the page.

import { h, write } from "./dom.js";
import { matchPage } from "./places.js";
import { sides } from "./view.js";
import { age, t } from "./words.js";

const TROUBLES = { set_up: "/setup", no_board: "/setup", camera_away: "/machine", no_log: "/machine", eyes_silent: "/machine" };

/** { kind, text, act: { text, href } or { text, does } } of the worst state that holds, null when all is well. */
export function shoutOf({ sections, fresh }) {
  const { view, live, health, log } = sections;
  const link = (word, href) => ({ text: t(word), href });
  if (fresh.state === "private") return null;
  if (fresh.state === "lost") return { kind: "lost", text: old(sections, fresh), act: { text: t("shout.again"), does: "reload" } };
  const trouble = (health?.alerts ?? []).find(({ kind }) => kind in TROUBLES);
  if (trouble) return { kind: trouble.kind, text: t(`shout.${trouble.kind}`), act: link(TROUBLES[trouble.kind] === "/setup" ? "page.setup" : "shout.look", TROUBLES[trouble.kind]) };
  if (view?.running === "ended") return { kind: "ended", text: t("shout.ended"), act: { text: t("match.new"), does: "match" } };
  if (view?.running === "paused") return { kind: "paused", text: t("shout.paused"), act: { text: t("match.go_on"), does: "go_on" } };
  if (view?.match_over) return { kind: "over", text: won(view), act: { text: t("match.rematch"), does: "rematch" } };
  if (fresh.state === "away" || fresh.state === "stale") return { kind: fresh.state, text: old(sections, fresh), act: link("shout.look", "/machine") };
  if (live?.phase === "ended") return { kind: "source_ended", text: t("announce.ended"), act: log?.replay ? link("page.replay", matchPage(log.replay)) : link("nav.matches", "/matches") };
  const behind = (health?.alerts ?? []).find(({ kind }) => kind === "behind");
  if (behind) return { kind: "behind", text: t("shout.behind", { n: behind.n }), act: link("shout.look", "/machine") };
  return null;
}

function old({ live, table }, fresh) {
  return live || table || fresh.state === "lost" ? t(`veil.${fresh.state}`, { age: age(fresh.seconds) }) : t("veil.empty");
}

function won(view) {
  const all = sides(view);
  const winner = all.find((side) => side.seats.includes(view.winner));
  const score = view.sides.some(({ games }) => games > 1) ? all.map(({ games }) => games) : all.map(({ score: points }) => points);
  return t("shout.won", { who: winner?.name ?? "", score: score.join(" : ") });
}

/** Draws it into `box` (a sentence and a place for the button) and gives its kind; `does` has what buttons do. */
export function drawShout(box, shout, does) {
  box.hidden = !shout;
  document.body.dataset.shout = shout?.kind ?? "";
  const [text, act] = box.children;
  write(text, shout?.text ?? "");
  const told = shout ? JSON.stringify(shout.act) : "";
  if (act.dataset.told === told) return;
  act.dataset.told = told;
  if (!shout) { act.replaceChildren(); return; }
  const { href, does: name, text: word } = shout.act;
  act.replaceChildren(href ? h("a", { className: "button main", href }, word)
    : h("button", { type: "button", className: "main", click: () => does[name]() }, word));
}

/** Whether the lamp may be green: nothing hides what is so. */
export function isWell(shout) {
  return !shout || shout.kind === "over";
}
