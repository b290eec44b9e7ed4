// The player: a stroke's video with what was seen over it, or the drawn board; by buttons, keys and touch.

import { createBoard } from "./board.js";
import { createClip, lastUntil } from "./clip.js";
import { byId, draw, h, write } from "./dom.js";
import { createLenses } from "./lens.js";
import { faded, momentAt, momentsOf } from "./moving.js";
import { createReel } from "./reel.js";
import { createTraced } from "./traced.js";
import { locale, t } from "./words.js";

const RATES = [[1 / 16, "1/16"], [1 / 8, "1/8"], [1 / 4, "1/4"], [1 / 2, "1/2"], [1, "1"], [2, "2"], [4, "4"]];
const STEP_PX = 12; // a finger that goes so far along the picture goes a frame further
const hundredths = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" });
const TAP_PX = 8;
const TRAIL_S = 1.5; // the ways of all pieces are drawn so far back, fading
const ICONS = { before: "M4 5v14M21 5l-6 7 6 7M14 5l-6 7 6 7", back: "M16 4l-8 8 8 8", play: "M7 4v16l13-8z", pause: "M7 4h4v16H7zM14 4h4v16h-4z",
  forward: "M8 4l8 8-8 8", after: "M20 5v14M3 5l6 7-6 7M10 5l6 7-6 7" };
const SOLID = new Set(["play", "pause"]); // steps are lines, so that none looks like play

const withTrails = (moment) => ({ ...moment, trails: moment.trails.flatMap(faded) });

/** `heard.moved(t)` when the picture stands still at another moment, `heard.lost()` when the video has gone, `heard.ended()`
 *  when a stroke has been played to its end. */
export function createPlayer(heard) {
  const [seek, screen] = [byId("seek"), byId("screen")];
  const board = createBoard(byId("board"));
  const traced = createTraced(byId("traced"));
  const shown = { overlay: true, drawn: false };
  let now = null; // { stroke, tracks, times, lensAt, hasVideo } of what is shown
  let index = 0;
  let playing = false;

  const frame = (i, at) => {
    index = i;
    const time = at ?? now.times[i];
    if (Number(seek.value) !== i) seek.value = String(i);
    const told = place(time);
    write(byId("where"), told);
    seek.setAttribute("aria-valuetext", told);
    screen.dataset.frame = String(i);
    if (now.tracks) drawMoment(withTrails(momentAt(now.tracks, time, strikeOf(now.stroke), TRAIL_S)), time);
    if (!playing) heard.moved(now.times[i]);
  };
  const drawMoment = (moment, time) => {
    if (usesVideo()) {
      const lens = now.lensAt(time);
      if (shown.overlay && lens) traced.show(moment, { lens, clip: now.stroke.clip, geometry: now.stroke.geometry, withHands: false });
      else traced.clear();
      return;
    }
    board.setPieces(moment.pieces);
    board.setHands(moment.hands);
    board.setTrails(shown.overlay ? moment.trails : []);
  };
  const place = (time) => t("replay.where", { n: index + 1, of: now.times.length, t: signed(time - strikeOf(now.stroke)) });
  const stopped = () => { setPlaying(false); heard.moved(now.times[index]); heard.ended(); };
  const clip = createClip(byId("video"), byId("frame"), { frame, ended: stopped, failed: () => { setPlaying(false); heard.lost(); } });
  const reel = createReel({ frame, ended: stopped });
  const usesVideo = () => now.hasVideo && !shown.drawn;
  const source = () => (usesVideo() ? clip : reel);
  const setPlaying = (is) => {
    playing = is;
    screen.dataset.playing = String(is);
    icon(byId("play"), is ? "pause" : "play");
  };
  const rate = () => Number(byId("rate").value);
  const go = (i) => {
    if (!now) return;
    if (playing) source().stop();
    setPlaying(false);
    source().show(Math.min(Math.max(i, 0), now.times.length - 1));
  };
  const toggle = () => {
    if (!now) return;
    if (playing) { setPlaying(false); source().pause(); return; }
    setPlaying(true);
    source().play(rate());
  };
  const speed = (step) => {
    const box = byId("rate");
    box.selectedIndex = Math.min(Math.max(box.selectedIndex + step, 0), RATES.length - 1);
    if (playing) source().setRate(rate());
  };
  const start = (at) => {
    setPlaying(false);
    for (const other of [clip, reel]) if (other !== source()) other.unload();
    now.times = usesVideo() ? now.stroke.clip.times : momentsOf(now.tracks ?? NOTHING);
    seek.max = String(Math.max(0, now.times.length - 1));
    screen.dataset.shows = usesVideo() ? "video" : now.tracks ? "board" : "nothing";
    traced.clear();
    board.setGeometry(now.stroke.geometry);
    if (!now.times.length) { board.setPieces([]); board.setHands([]); board.setTrails([]); write(byId("where"), t("replay.nothing")); return null; }
    const first = lastUntil(now.times, at);
    if (!usesVideo()) return reel.load(now.times, first);
    screen.style.setProperty("--ratio", String(now.stroke.clip.width / now.stroke.clip.height));
    traced.setSize(now.stroke.clip.width, now.stroke.clip.height);
    return clip.load(now.video, now.stroke.clip, first);
  };
  const toggleShown = (what) => {
    shown[what] = !shown[what];
    byId(what).setAttribute("aria-pressed", String(shown[what]));
    traced.clear();
    if (!now?.times.length) return;
    if (what === "drawn") start(now.times[index]);
    else frame(index);
  };

  byId("rate").append(...RATES.map(([value, text]) => h("option", { value: String(value), selected: value === 1 }, `${text} ×`)));
  for (const name of ["before", "back", "play", "forward", "after"]) icon(byId(name), name);
  seek.addEventListener("input", () => go(Number(seek.value)));
  byId("play").addEventListener("click", toggle);
  byId("back").addEventListener("click", () => go(index - 1));
  byId("forward").addEventListener("click", () => go(index + 1));
  byId("rate").addEventListener("change", () => { if (playing) source().setRate(rate()); });
  for (const what of ["overlay", "drawn"]) byId(what).addEventListener("click", () => toggleShown(what));
  followFinger(screen, { toggle, index: () => index, go });

  return {
    /** Shows a stroke at the moment `at`: { stroke, tracks or null, video: address or null }. */
    async show(wish, at) {
      const { stroke, tracks } = wish;
      now = { ...wish, times: [], hasVideo: Boolean(stroke.clip && wish.video), lensAt: stroke.clip ? createLenses(stroke.clip) : null };
      byId("drawn").disabled = !now.hasVideo || !tracks;
      byId("overlay").disabled = !tracks;
      await start(at ?? strikeOf(stroke));
    },
    to(time) { if (now?.times.length) go(lastUntil(now.times, time)); },
    step(frames) { go(index + frames); },
    toggle,
    /** Plays from where it stands, at `pace` where that is told. */
    play(pace = null) {
      if (!now?.times.length) return;
      if (pace !== null) byId("rate").value = String(pace);
      if (!playing) toggle();
    },
    pause() { if (playing) toggle(); },
    speed,
    toggleOverlay() { if (!byId("overlay").disabled) toggleShown("overlay"); },
  };
}

const NOTHING = { span: [], lying: [], discs: [], striker: [], hands: [] };

export function strikeOf(stroke) {
  return stroke.moments.find(({ what }) => what === "struck").t;
}

function signed(seconds) {
  return hundredths.format(seconds).replace("-", "−");
}

function icon(button, name) {
  button.replaceChildren();
  draw(draw(button, "svg", { viewBox: "0 0 24 24", "aria-hidden": "true", "data-solid": SOLID.has(name) }), "path", { d: ICONS[name] });
  button.setAttribute("aria-label", t(`replay.${name}`));
}

/** A tap plays or stops; a finger drawn along goes through the frames. */
function followFinger(screen, { toggle, index, go }) {
  let from = null;
  screen.addEventListener("pointerdown", (event) => { from = { x: event.clientX, i: index(), moved: false }; screen.setPointerCapture(event.pointerId); });
  screen.addEventListener("pointermove", (event) => {
    if (!from) return;
    const way = event.clientX - from.x;
    from.moved ||= Math.abs(way) > TAP_PX;
    if (from.moved) go(from.i + Math.round(way / STEP_PX));
  });
  screen.addEventListener("pointerup", () => { if (from && !from.moved) toggle(); from = null; });
  screen.addEventListener("pointercancel", () => { from = null; });
}
