// Where the camera shows a place on the board: OpenCV's model with five distortion terms, as the log's header tells it.

/** Gives a function from board millimetres (x, y, height z) to the picture as SVG counts: its corner is at 0, 0. */
export function createLens({ K, dist, R, t_mm: t, width, mirror }) {
  const [k1, k2, p1, p2, k3] = dist;
  return (x, y, z) => {
    const [cx, cy, cz] = R.map((row, i) => row[0] * x + row[1] * y + row[2] * z + t[i]);
    const [u, v] = [cx / cz, cy / cz];
    const r2 = u * u + v * v;
    const radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
    const px = K[0][0] * (u * radial + 2 * p1 * u * v + p2 * (r2 + 2 * u * u)) + K[0][2];
    const py = K[1][1] * (v * radial + p1 * (r2 + 2 * v * v) + 2 * p2 * u * v) + K[1][2];
    // The model counts pixels from the middle of the first one.
    return [(mirror ? width - 1 - px : px) + 0.5, py + 0.5];
  };
}

/** Gives a function from a time to the lens of a clip's camera, which may have been moved meanwhile; null while it was. */
export function createLenses({ camera, poses }) {
  const still = createLens(camera);
  const found = poses.map((pose) => ({ ...pose, lens: createLens(pose.camera) }));
  return (t) => {
    if (!found.length) return still;
    return found.find(({ since, until }) => (since === null || since <= t) && (until === null || t <= until))?.lens ?? null;
  };
}
