// Which piece on the board is to go to which place: the pairs that need the least pushing altogether.

/** Pairs of a kind [{ kind, from, to, mm }]; `from` null = not on the board, `to` null = one too many. */
export function pairs(pieces, places) {
  const kinds = [...new Set([...places, ...pieces].map((piece) => piece.kind))];
  return kinds.flatMap((kind) => ofKind(kind, pieces.filter((p) => p.kind === kind), places.filter((p) => p.kind === kind)));
}

function ofKind(kind, pieces, places) {
  const found = improved(nearestFirst(pieces, places));
  const used = new Set(found.map(({ from }) => from));
  const filled = new Set(found.map(({ to }) => to));
  return [
    ...found.map(({ from, to }) => ({ kind, from, to, mm: way(from, to) })),
    ...places.filter((to) => !filled.has(to)).map((to) => ({ kind, from: null, to, mm: null })),
    ...pieces.filter((from) => !used.has(from)).map((from) => ({ kind, from, to: null, mm: null })),
  ];
}

function nearestFirst(pieces, places) {
  const all = pieces.flatMap((from) => places.map((to) => ({ from, to }))).sort((a, b) => way(a.from, a.to) - way(b.from, b.to));
  const [used, filled, found] = [new Set(), new Set(), []];
  for (const { from, to } of all) {
    if (used.has(from) || filled.has(to)) continue;
    used.add(from);
    filled.add(to);
    found.push({ from, to });
  }
  return found;
}

/** Two pairs that do better crosswise are crossed, until none does: at most nine of a kind, so this is quick. */
function improved(found) {
  for (let better = true; better;) {
    better = false;
    for (const a of found) {
      for (const b of found) {
        if (way(a.from, b.to) + way(b.from, a.to) + 1e-6 < way(a.from, a.to) + way(b.from, b.to)) {
          [a.to, b.to] = [b.to, a.to];
          better = true;
        }
      }
    }
  }
  return found;
}

function way(from, to) {
  return Math.hypot(from.x_mm - to.x_mm, from.y_mm - to.y_mm);
}
