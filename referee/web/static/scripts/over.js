// A match that is over: who won and how, what was worth seeing, and what comes next.

import { drawCard } from "./card.js";
import { byId, h, write } from "./dom.js";
import { drawClip, LibraryError, match as fetchMatch, story as fetchStory } from "./library.js";
import { createLoop } from "./loop.js";
import { matchPage } from "./places.js";
import { badge } from "./players.js";
import { called, drawBoards, finalScore, marksOf, namesOf } from "./result.js";
import { shareBlob, shareFile } from "./share.js";
import { happened } from "./short.js";
import { t } from "./words.js";

const LONG_NAME = 14; // characters of a name from which all is set smaller, so that the marks stand above the buttons

/** `does` has what buttons do: rematch, match and stands. */
export function createOver(does) {
  const loop = createLoop(byId("over-loop"));
  let shown = ""; // the match and the state that is drawn
  let known = null; // { id, view, story, stroke }

  byId("over-rematch").addEventListener("click", () => does.rematch());
  byId("over-stands").addEventListener("click", () => does.stands());
  byId("over-new").addEventListener("click", () => does.match());
  byId("over-card").addEventListener("click", () => handOn(async () => {
    const { view, story } = known;
    return shareBlob(await drawCard({ view, marks: story ? marksOf(story) : [], boards: view.boards }), `carrom-${fileName()}.png`, byId("over-title").textContent);
  }));
  byId("over-clip").addEventListener("click", () => handOn(async () => {
    say(t("over.drawing"));
    const { id, story } = known;
    return shareFile(await drawClip(id, story.best), `carrom-${fileName()}.mp4`, byId("over-title").textContent);
  }));

  const fileName = () => known.view.sides.map(namesOf).join("-").replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60);
  const say = (text) => { byId("over-message").hidden = !text; write(byId("over-message"), text ?? ""); };
  const handOn = async (work) => {
    try {
      const done = await work();
      say(done === "not" ? null : t(`over.share_${done}`));
      if (done === "kept" && known.id) scanned(known.id);
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
      say(error.message);
    }
  };
  /** Where the device cannot hand it on, a phone that scans the code can. */
  const scanned = (id) => {
    byId("over-code").src = `/api/address.svg?path=${encodeURIComponent(matchPage(id))}`;
    byId("over-scan").hidden = false;
    byId("over").dataset.scan = "true";
  };
  const show = (view) => {
    const winner = view.sides.find((side) => side.seats.includes(view.winner));
    write(byId("over-title"), t("over.won", { who: winner ? namesOf(winner) : "" }));
    byId("over-score").replaceChildren(...view.sides.map((side, i) => h("span", { className: "one", "data-won": String(side === winner) },
      badge(namesOf(side)), h("span", { className: "name" }, namesOf(side)), h("b", {}, String(finalScore(view.sides)[i])))));
    byId("over").dataset.long = String(view.sides.some((side) => namesOf(side).length > LONG_NAME));
    drawBoards(byId("over-boards"), view.boards, view.sides);
  };
  const tell = async ({ view, log }) => {
    const mine = shown;
    known = { id: log?.replay ?? null, view, story: null };
    byId("over-story").hidden = !known.id;
    if (!known.id) return;
    byId("over-story").href = matchPage(known.id);
    try {
      const story = await fetchStory(known.id, view.number);
      if (mine !== shown) return;
      known.story = story;
      byId("over-marks").replaceChildren(...marksOf(story).flatMap(({ name, what }) => [h("dt", {}, name), h("dd", {}, what)]));
      if (!story.best) return;
      const stroke = await loop.show(known.id, story.best);
      if (mine !== shown || !stroke) return;
      byId("over").dataset.clip = "true";
      const { players } = await fetchMatch(known.id);
      write(byId("over-best"), t("short", { who: called(story.steps.find((step) => step.stroke === story.best)?.player ?? players[stroke.seat] ?? stroke.seat), what: happened(stroke.stroke_text) }));
      byId("over-clip").hidden = !stroke.clip;
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
    }
  };

  return (sections, shout) => {
    const is = shout?.kind === "over";
    byId("over").hidden = !is;
    document.body.dataset.over = String(is);
    // In a tournament the players say that the result stands; then it is handed on.
    const asks = is && Boolean(sections.log?.event) && sections.view.running !== "ended";
    byId("over-stands").hidden = !asks;
    byId("over-rematch").classList.toggle("main", !asks);
    const now = is ? JSON.stringify([sections.view.match, sections.view.number, sections.view.sides, sections.view.boards, sections.log?.replay]) : "";
    if (now === shown) return;
    shown = now;
    loop.stop();
    Object.assign(byId("over").dataset, { clip: "false", scan: "false" });
    say(null);
    for (const id of ["over-clip", "over-scan"]) byId(id).hidden = true;
    byId("over-marks").replaceChildren();
    write(byId("over-best"), "");
    if (!is) return;
    show(sections.view);
    tell(sections);
  };
}
