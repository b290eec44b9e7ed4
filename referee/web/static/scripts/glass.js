// A magnifying glass over the camera's picture: what lies under the finger that drags a corner, beside the finger.

const ZOOM = 2; // screen pixels for a pixel of the picture as it was sent: a pocket and what lies about it
const EDGE = "#ff3df2"; // as the handles: told from wood, ink and coins in any light
const FREE_PX = 6; // the very corner stays free

/** `canvas` lies over the image `picture`; all points are in pixels of the camera's full picture. */
export function createGlass(canvas, picture) {
  let shown = null; // { corner, neighbours, width }

  function draw() {
    const { corner, neighbours, width } = shown;
    const scale = picture.naturalWidth / width;
    const side = Math.round(canvas.clientWidth * devicePixelRatio);
    canvas.width = side;
    canvas.height = side;
    const context = canvas.getContext("2d");
    const seen = canvas.clientWidth / ZOOM;
    context.drawImage(picture, corner[0] * scale - seen / 2, corner[1] * scale - seen / 2, seen, seen, 0, 0, side, side);
    context.translate(side / 2, side / 2);
    context.strokeStyle = EDGE;
    context.lineWidth = 1.5 * devicePixelRatio;
    context.beginPath();
    for (const [x, y] of neighbours) {
      const [dx, dy] = [x - corner[0], y - corner[1]];
      const far = Math.hypot(dx, dy) || 1;
      for (const [method, r] of [["moveTo", FREE_PX * devicePixelRatio], ["lineTo", side]]) context[method]((dx / far) * r, (dy / far) * r);
    }
    context.stroke();
  }

  return {
    /** Shows what lies around a corner and where the edges to its neighbours run, on the other side of the picture. */
    show(corner, neighbours, width) {
      shown = { corner, neighbours, width };
      canvas.dataset.side = corner[0] < width / 2 ? "right" : "left";
      canvas.hidden = false;
      draw();
    },
    /** Draws the newest picture, if it shows one. */
    renew() {
      if (shown) draw();
    },
    hide() {
      shown = null;
      canvas.hidden = true;
    },
  };
}
