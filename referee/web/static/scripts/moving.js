// What was where at a moment of a stroke: the tracks between their sightings, and what lay still.
// `referee/replay/moment.py` goes by the same rules for exported clips.

const SAME_S = 0.002; // times are told to a tenth of a millisecond
const FRAME_S = 0.02; // a strike may be told so much too late
const STANDS_S = 0.12; // a striker on its lines is looked at ten times a second
const HANDS_S = 0.15;
const UNSEEN_S = 0.045; // a disc that was not seen for longer may have met something meanwhile: nobody knows where it is
const DOUBT_MM = 2; // how wide the drawn board shows that a place is in doubt
const TRAIL_S = 0.35; // so much of a disc's way is drawn behind it

/** { pieces: [{ kind, x_mm, y_mm, sigma_mm }], trails: [{ kind, points }], hands: [outline] } at `t`; the stroke began at `strike`.
 *  Only what was seen then: nothing under a hand, nothing before the tracks begin, and after them the coins at rest. */
export function momentAt(tracks, t, strike) {
  if (t < tracks.span[0] - SAME_S) return { pieces: [], trails: [], hands: [] };
  if (t > tracks.span[1] + SAME_S) return { pieces: lyingAt(tracks, t).filter(({ kind }) => kind !== "striker"), trails: [], hands: [] };
  const followed = tracks.discs.filter((disc) => isThere(disc, t));
  const moving = followed.map((disc) => ({ kind: disc.kind ?? "unknown", ...placeAt(disc, t) }));
  const hands = handsAt(tracks, t);
  const pieces = [...lyingAt(tracks, t).filter((piece) => !hands.some((outline) => covers(outline, piece))), ...moving];
  const standing = standingAt(tracks, t, strike);
  if (standing && !pieces.some(({ kind }) => kind === "striker")) pieces.push(standing);
  return { pieces, trails: followed.map((disc) => trail(disc, t)), hands };
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

/** On the straight line between two sightings, which must both be sure. */
function placeAt({ t: times, x, y, sure }, t) {
  const after = times.findIndex((time) => time >= t - SAME_S);
  const before = times[after] <= t + SAME_S ? after : after - 1;
  const share = before === after ? 0 : (t - times[before]) / (times[after] - times[before]);
  const between = (values) => values[before] + share * (values[after] - values[before]);
  return { x_mm: between(x), y_mm: between(y), sigma_mm: sure[before] && sure[after] ? 0 : DOUBT_MM };
}

/** What lay still. */
function lyingAt({ lying }, t) {
  const now = lying.findLast((entry) => entry.t <= t + SAME_S) ?? lying[0];
  return (now?.pieces ?? []).map(([kind, x, y]) => ({ kind: kind ?? "unknown", x_mm: x, y_mm: y, sigma_mm: 0 }));
}

function standingAt({ striker }, t, strike) {
  const seen = striker.findLast(([at]) => at <= t + SAME_S);
  return seen && t <= strike && t - seen[0] < STANDS_S ? { kind: "striker", x_mm: seen[1], y_mm: seen[2], sigma_mm: t <= strike - FRAME_S ? 0 : DOUBT_MM } : null;
}

function trail(disc, t) {
  const behind = disc.t.map((at, i) => [at, disc.x[i], disc.y[i]]).filter(([at]) => at <= t && at >= t - TRAIL_S);
  const { x_mm: x, y_mm: y } = placeAt(disc, t);
  return { kind: disc.kind ?? "unknown", points: [...behind.map(([, px, py]) => [px, py]), [x, y]] };
}

function handsAt({ hands }, t) {
  const seen = hands.findLast((entry) => entry.t <= t + SAME_S);
  return seen && t - seen.t < HANDS_S ? seen.outlines : [];
}
