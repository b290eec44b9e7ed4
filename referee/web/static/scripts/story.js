// The match as a story above its strokes: the graph, the highlights, and what of the list is shown.

import { byId, h, write } from "./dom.js";
import { drawGraph } from "./graph.js";
import { LibraryError, story as fetchStory } from "./library.js";
import { badge } from "./players.js";
import { marksOf, namesOf } from "./result.js";
import { t, tokensOf } from "./words.js";

/** What the list can be narrowed to: whether a stroke belongs. */
const FILTERS = {
  all: () => true,
  pocketed: ({ stroke_text: text }) => tokensOf(text).some((token) => /^[WBQ](@|$)/.test(token)),
  fouls: ({ fouls }) => fouls.length > 0,
  doubtful: ({ certain, annulled }) => !certain && !annulled,
  corrected: ({ corrected, annulled, disputed }) => corrected || annulled || disputed,
};
const REEL_PACE = 0.5;
const REEL_BEFORE_S = 0.8; // a highlight begins so long before its strike

/** `go(n, lead)` opens a stroke and resolves when it is shown, `lead` seconds before its strike; `player` plays it;
 *  `narrowed(belongs)` hears which strokes the list shows. */
export function createStory(id, { go, player, narrowed }) {
  let graph = null;
  let reel = null; // the highlights that are being played: { list, at }
  let story = null;

  const playNext = async () => {
    reel.at += 1;
    if (reel.at >= reel.list.length) { stop(); return; }
    write(byId("reel-where"), t("story.reel_of", { n: reel.at + 1, of: reel.list.length }));
    const mine = reel;
    await go(reel.list[reel.at], REEL_BEFORE_S);
    if (reel === mine) player().play(REEL_PACE);
  };
  const stop = () => {
    reel = null;
    byId("reel").setAttribute("aria-pressed", "false");
    write(byId("reel-where"), "");
  };
  byId("reel").addEventListener("click", () => {
    if (reel) { stop(); player().pause(); return; }
    reel = { list: story.reel, at: -1 };
    byId("reel").setAttribute("aria-pressed", "true");
    playNext();
  });

  return {
    /** Draws the story of a match of the log, and how many strokes each filter leaves. */
    async show(match, open) {
      const chips = Object.entries(FILTERS).map(([name, belongs]) => [name, match.strokes.filter(belongs).length]).filter(([name, n]) => n > 0 || name === "all");
      const chosen = byId("filters").querySelector(":checked")?.value ?? "all";
      byId("filters").replaceChildren(...chips.map(([name, n]) => h("label", {},
        h("input", { type: "radio", name: "filter", value: name, checked: name === chosen, change: () => narrowed(FILTERS[name]) }), h("span", {}, `${t(`story.filter_${name}`)} ${n}`))));
      const number = match.boards.findLast(({ strokes }) => strokes.includes(open))?.match ?? match.number;
      try {
        story = await fetchStory(id, number);
      } catch (error) {
        if (!(error instanceof LibraryError)) throw error;
        return; // the strokes are there all the same
      }
      byId("story").hidden = story.steps.length === 0;
      byId("reel").hidden = story.reel.length === 0;
      byId("story-sides").replaceChildren(...story.sides.map((side, i) => h("span", { "data-won": String(story.winner === i) }, badge(namesOf(side)), namesOf(side), h("b", {}, String(side.score)))));
      byId("story-marks").replaceChildren(...marksOf(story).map(({ name, what, stroke }) => (stroke === null ? h("span", {}, `${name}: ${what}`) : h("a", { href: `#stroke=${stroke}` }, `${name}: ${what}`))));
      graph = drawGraph(byId("graph"), story, (n) => go(n));
      graph.mark(open);
    },
    mark(n) { graph?.mark(n); },
    /** A stroke was played to its end: the next highlight follows. */
    ended() { if (reel) playNext(); },
    /** Somebody chose otherwise. */
    stop() { if (reel) stop(); },
    running: () => Boolean(reel),
  };
}
