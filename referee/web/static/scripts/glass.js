// A magnifying glass over the camera's picture: what lies under the finger that drags a corner, beside the finger.

const ZOOM = 4; // screen pixels for a pixel of the picture as it was sent
const CROSS = "#ff3df2"; // as the handles: told from wood, ink and coins in any light

/** `canvas` lies over the image `picture`; points are in pixels of the camera's full picture, `size` wide and high. */
export function createGlass(canvas, picture) {
  let point = null;
  let size = [1, 1];

  function draw() {
    const scale = picture.naturalWidth / size[0];
    const side = Math.round(canvas.clientWidth * devicePixelRatio);
    canvas.width = side;
    canvas.height = side;
    const context = canvas.getContext("2d");
    const seen = canvas.clientWidth / ZOOM;
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, point[0] * scale - seen / 2, point[1] * scale - seen / 2, seen, seen, 0, 0, side, side);
    context.strokeStyle = CROSS;
    context.lineWidth = devicePixelRatio;
    context.beginPath();
    for (const [x, y] of [[1, 0], [0, 1]]) {
      // The very middle stays free: there lies what is pointed at.
      for (const [from, to] of [[0, 0.44], [0.56, 1]]) {
        context.moveTo(x ? from * side : side / 2, y ? from * side : side / 2);
        context.lineTo(x ? to * side : side / 2, y ? to * side : side / 2);
      }
    }
    context.stroke();
  }

  return {
    /** Shows what lies around a point, on the other side of the picture. */
    show(at, pixels) {
      [point, size] = [at, pixels];
      canvas.dataset.side = point[0] < size[0] / 2 ? "right" : "left";
      canvas.hidden = false;
      draw();
    },
    /** Draws the newest picture, if it shows one. */
    renew() {
      if (point) draw();
    },
    hide() {
      point = null;
      canvas.hidden = true;
    },
  };
}
