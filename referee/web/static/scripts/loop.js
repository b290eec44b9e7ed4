// The decisive moment of a stroke, seen again and again: from its clip, else drawn from its tracks, else a picture.

import { createBoard } from "./board.js";
import { h } from "./dom.js";
import { evidence, LibraryError, tracks as fetchTracks } from "./library.js";
import { faded, momentAt } from "./moving.js";
import { strokeFile } from "./places.js";
import { t } from "./words.js";

const [BEFORE_S, AFTER_S] = [1.6, 1.4]; // three seconds about the moment
const SLOW = 0.25;

/** Fills `box`; `show(id, n, reason)` begins, `stop()` ends, `slow(is)` sets the pace; `onShown(stroke)` hears what there is. */
export function createLoop(box) {
  let run = 0;
  let pace = 1;
  let video = null;

  const stop = () => {
    run += 1;
    pace = 1;
    video?.pause();
    video = null;
    box.replaceChildren();
    box.dataset.shows = "nothing";
  };
  const showVideo = (id, stroke, moment) => {
    const first = stroke.clip.times[0];
    const [from, to] = [Math.max(0, moment - BEFORE_S - first), Math.min(stroke.clip.times.at(-1), moment + AFTER_S) - first];
    video = h("video", { muted: true, playsInline: true, autoplay: true, src: strokeFile(id, stroke.stroke, "clip.mp4"), "aria-label": t("replay.picture") });
    const mine = video;
    const begin = () => { mine.currentTime = from; mine.playbackRate = pace; mine.play().catch(() => {}); };
    mine.addEventListener("loadedmetadata", begin);
    mine.addEventListener("timeupdate", () => { if (mine.currentTime >= to) begin(); });
    mine.addEventListener("ended", begin);
    box.replaceChildren(mine);
    box.dataset.shows = "video";
  };
  const showTracks = (stroke, tracks, moment, strike, mine, trailS) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", t("replay.board"));
    box.replaceChildren(svg);
    const board = createBoard(svg);
    board.setGeometry(stroke.geometry);
    const [from, to] = [moment - BEFORE_S, moment + AFTER_S];
    let at = from;
    let before = null;
    const frame = (now) => {
      if (mine !== run) return;
      at += before === null ? 0 : ((now - before) / 1000) * pace;
      before = now;
      if (at > to) at = from;
      const seen = momentAt(tracks, Math.max(at, tracks.span[0]), strike, trailS);
      board.setPieces(seen.pieces);
      board.setHands(seen.hands);
      board.setTrails(seen.trails.flatMap(faded));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    box.dataset.shows = "board";
  };
  const showPicture = (id, stroke) => {
    const frame = stroke.frames.find(({ shows }) => shows !== "placement") ?? stroke.frames[0];
    if (frame) box.replaceChildren(h("img", { src: strokeFile(id, stroke.stroke, `${frame.name}.jpg`), alt: t("replay.picture") }));
    box.dataset.shows = frame ? "picture" : "nothing";
  };

  return {
    stop,
    /** Resolves to the stroke with its evidence, or null where nothing was kept. */
    /** `drawn`: slowly, drawn from the tracks with the whole way of each piece, even where there is a clip. */
    async show(id, n, reason = "", { drawn = false } = {}) {
      stop();
      if (drawn) pace = SLOW;
      const mine = run;
      if (!id) return null;
      try {
        const stroke = await evidence(id, n);
        const traced = stroke.tracks && (drawn || !stroke.clip) ? await fetchTracks(id, n) : null;
        if (mine !== run) return null;
        const strike = stroke.moments.find(({ what }) => what === "struck").t;
        const moment = momentOf(stroke, reason, strike);
        if (traced) showTracks(stroke, traced, moment, strike, mine, drawn ? AFTER_S + BEFORE_S : undefined);
        else if (stroke.clip) showVideo(id, stroke, moment);
        else showPicture(id, stroke);
        return stroke;
      } catch (error) {
        if (!(error instanceof LibraryError)) throw error;
        return null;
      }
    },
    slow(is) {
      pace = is ? SLOW : 1;
      if (video) video.playbackRate = pace;
    },
  };
}

/** The moment that decides: what fell, for a question about it; the strike for everything else. */
function momentOf({ moments }, reason, strike) {
  const fell = moments.find(({ what }) => what === "pocketed" || what === "off_board" || what === "fell");
  return (reason === "" || reason === "falls_unsure") && fell ? fell.t : strike;
}
