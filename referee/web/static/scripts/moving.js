// What was where at a moment of a stroke: the tracks between their sightings, and what lay still.
// `referee/replay/interpolate.py` goes by the same rules for exported clips.

const SAME_S = 0.002; // times are told to a tenth of a millisecond
const STANDS_S = 0.12; // a striker on its lines is looked at ten times a second
const [STAYS_S, STAYS_MM] = [0.24, 0.7]; // it stood still between two looks that tell of one place
const [HANDS_S, TOUCHED_S] = [0.15, 0.5]; // hands that were outlined so long ago have gone; what they covered so lately they may have moved
const UNSEEN_S = 0.045; // a disc that was not seen for longer may have met something meanwhile: nobody knows where it is
const NEXT_FRAME = 1.5; // sightings farther apart than so many frames had one between them in which it was not found
const DOUBT_MM = 2; // how wide the drawn board shows that a place is in doubt
const TRAIL_S = 0.35; // so much of a disc's way is drawn behind it
const FADES = 4; // steps in which a trail fades with its age

/** A trail in parts that fade with their age and end where the disc was not seen: [{ kind, points, fade }], 0 the freshest. */
export function faded({ kind, points, ages }) {
  const parts = [];
  for (let i = points.length - 1; i > 0; i -= 1) {
    const fade = Math.min(FADES - 1, Math.floor(ages[i].share * FADES));
    if (ages[i - 1].t < ages[i].t - UNSEEN_S - SAME_S) continue;
    const last = parts.at(-1);
    if (last?.fade === fade && last.points[0] === points[i]) last.points.unshift(points[i - 1]);
    else parts.push({ kind, points: [points[i - 1], points[i]], fade });
  }
  return parts;
}

/** { pieces: [{ kind, x_mm, y_mm, sigma_mm }], trails: [{ kind, points, ages }], hands: [outline] } at `t`; the stroke began at `strike`.
 *  Only what was seen then: nothing under a hand, nothing before the tracks begin, and after them the coins where they lay, in doubt. */
export function momentAt(tracks, t, strike, trailS = TRAIL_S) {
  if (t < tracks.span[0] - SAME_S) return { pieces: [], trails: [], hands: [] };
  if (t > tracks.span[1] + SAME_S) return { pieces: lyingAt(tracks, t).filter(({ kind }) => kind !== "striker").map(doubted), trails: trailsAt(tracks, t, trailS), hands: [] };
  const followed = tracks.discs.filter((disc) => isThere(disc, t));
  const moving = followed.map((disc) => ({ kind: disc.kind ?? "unknown", ...placeAt(disc, t) }));
  const hands = handsAt(tracks, t);
  const lately = tracks.hands.filter((entry) => entry.t <= t + SAME_S && entry.t >= t - TOUCHED_S).flatMap(({ outlines }) => outlines);
  const lying = lyingAt(tracks, t).filter((piece) => !hands.some((outline) => covers(outline, piece)));
  const pieces = [...lying.map((piece) => (lately.some((outline) => covers(outline, piece)) ? doubted(piece) : piece)), ...moving];
  const standing = standingAt(tracks, t, strike);
  if (standing && !pieces.some(({ kind }) => kind === "striker")) pieces.push(standing);
  return { pieces, trails: trailsAt(tracks, t, trailS), hands };
}

/** Whether an outline holds a piece's middle. */
function covers(outline, { x_mm: x, y_mm: y }) {
  let inside = false;
  outline.forEach(([x1, y1], i) => {
    const [x2, y2] = outline.at(i - 1);
    if ((y1 > y) !== (y2 > y) && x < x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)) inside = !inside;
  });
  return inside;
}

/** The moments of a stroke that can be stepped through where there is no video: whenever something was seen. */
export function momentsOf(tracks) {
  const seen = [...tracks.span, ...tracks.lying.map(({ t }) => t), ...tracks.striker.map(([t]) => t), ...tracks.hands.map(({ t }) => t),
    ...tracks.discs.flatMap((disc) => disc.t)].filter((t) => t >= tracks.span[0] - SAME_S).sort((a, b) => a - b);
  return seen.filter((t, i) => i === 0 || t - seen[i - 1] > SAME_S);
}

function isThere({ t: times }, t) {
  if (t < times[0] - SAME_S || t > times.at(-1) + SAME_S) return false;
  const next = times.findIndex((time) => time >= t - SAME_S);
  return next <= 0 || times[next] - t <= SAME_S || times[next] - times[next - 1] <= UNSEEN_S;
}

/** On the straight line between two sightings, which must both be sure, and of frames that follow each other. */
function placeAt({ t: times, x, y, sure }, t) {
  const after = times.findIndex((time) => time >= t - SAME_S);
  const before = times[after] <= t + SAME_S ? after : after - 1;
  const share = before === after ? 0 : (t - times[before]) / (times[after] - times[before]);
  const between = (values) => values[before] + share * (values[after] - values[before]);
  const isSure = sure[before] && sure[after] && times[after] - times[before] <= NEXT_FRAME * shortestStep(times);
  return { x_mm: between(x), y_mm: between(y), sigma_mm: isSure ? 0 : DOUBT_MM };
}

function shortestStep(times) {
  return times.reduce((least, t, i) => (i ? Math.min(least, t - times[i - 1]) : least), UNSEEN_S);
}

/** What lay still. */
function lyingAt({ lying }, t) {
  const now = lying.findLast((entry) => entry.t <= t + SAME_S) ?? lying[0];
  return (now?.pieces ?? []).map(([kind, x, y]) => ({ kind: kind ?? "unknown", x_mm: x, y_mm: y, sigma_mm: 0 }));
}

function doubted(piece) {
  return { ...piece, sigma_mm: DOUBT_MM };
}

/** The striker on its lines, in doubt where it may have been moved since it was looked at. */
function standingAt({ striker }, t, strike) {
  const last = striker.findLastIndex(([at]) => at <= t + SAME_S);
  if (last < 0 || t > strike || t - striker[last][0] >= STANDS_S) return null;
  const [at, x, y] = striker[last];
  const sure = stays(striker[last], striker[last + 1]) || (t - at <= SAME_S && stays(striker[last - 1], striker[last]));
  return { kind: "striker", x_mm: x, y_mm: y, sigma_mm: sure ? 0 : DOUBT_MM };
}

function stays(before, after) {
  return Boolean(before && after) && after[0] - before[0] <= STAYS_S && Math.hypot(after[1] - before[1], after[2] - before[2]) <= STAYS_MM;
}

/** The ways of all discs within the last `trailS` seconds, those that have come to rest or fallen since as well. */
function trailsAt({ discs }, t, trailS) {
  return discs.map((disc) => trail(disc, t, trailS)).filter(({ points }) => points.length > 1);
}

function trail(disc, t, trailS) {
  const seen = disc.t.map((at, i) => ({ t: at, at: [disc.x[i], disc.y[i]] })).filter(({ t: at }) => at <= t && at >= t - trailS);
  if (isThere(disc, t)) {
    const { x_mm: x, y_mm: y } = placeAt(disc, t);
    seen.push({ t, at: [x, y] });
  }
  return { kind: disc.kind ?? "unknown", points: seen.map(({ at }) => at), ages: seen.map(({ t: at }) => ({ t: at, share: (t - at) / trailS })) };
}

function handsAt({ hands }, t) {
  const seen = hands.findLast((entry) => entry.t <= t + SAME_S);
  return seen && t - seen.t < HANDS_S ? seen.outlines : [];
}
