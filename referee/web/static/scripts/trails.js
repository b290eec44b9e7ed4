// Where pieces came from: short lines behind those that move. Pieces have no names, so each follows its nearest of a kind.

import { draw } from "./dom.js";

const LONG_S = 1.2; // so much of the past is shown
const REACH_MM = 160; // a piece at 3 m/s goes so far between two of twenty pictures a second
const LEAST_MM = 8; // shorter lines are noise

/** `add(t, pieces)` with every live picture; draws into `parent`. */
export function createTrails(parent) {
  let tracks = [];

  return {
    add(t, pieces) {
      if (tracks.some((track) => track.at(-1).t > t)) tracks = []; // another recording, or the referee was started again
      const left = new Set(tracks);
      tracks = pieces.map((piece) => {
        const track = nearest(left, piece);
        left.delete(track);
        return [...(track ?? []).filter((p) => p.t > t - LONG_S), { t, kind: piece.kind, x: piece.x_mm, y: piece.y_mm }];
      });
      show(parent, tracks.filter(isLong));
    },
    clear() {
      tracks = [];
      parent.replaceChildren();
    },
  };
}

function nearest(tracks, piece) {
  const ways = [...tracks].filter((track) => track.at(-1).kind === piece.kind)
    .map((track) => ({ track, way: Math.hypot(track.at(-1).x - piece.x_mm, track.at(-1).y - piece.y_mm) }))
    .filter(({ way }) => way < REACH_MM);
  return ways.reduce((best, next) => (best && best.way <= next.way ? best : next), null)?.track;
}

function isLong(track) {
  const [first, last] = [track[0], track.at(-1)];
  return Math.hypot(first.x - last.x, first.y - last.y) > LEAST_MM;
}

function show(parent, tracks) {
  while (parent.children.length > tracks.length) parent.lastChild.remove();
  tracks.forEach((track, i) => {
    const line = parent.children[i] ?? draw(parent, "polyline");
    line.setAttribute("class", `trail ${track[0].kind}`);
    line.setAttribute("points", track.map((p) => `${p.x},${p.y}`).join(" "));
  });
}
