// The camera's own picture with the found board drawn over it, and four corners to drag by finger or by keys.

import { draw } from "./dom.js";
import { createGlass } from "./glass.js";
import { t } from "./words.js";

const HANDLE_PX = 26; // on the screen: a fingertip
const INSET = 0.15; // corners to begin with where no board was found, shares of the picture
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FAR = 10; // pixels that an arrow key moves with shift

/** `picture` is an image, `over` the SVG and `glass` the canvas above it; all is in pixels of the camera's full picture. */
export function createSight({ picture, over, glass: canvas }) {
  let size = [1, 1];
  let url = null;
  let corners = null;
  const glass = createGlass(canvas, picture);
  const lines = draw(over, "g");
  const handles = draw(over, "g");

  const perScreenPixel = () => size[0] / Math.max(over.clientWidth, 1);
  const place = (handle, [x, y]) => {
    const r = HANDLE_PX * perScreenPixel();
    handle.setAttribute("transform", `translate(${x} ${y}) scale(${r})`);
    handle.setAttribute("aria-valuetext", `${Math.round(x)}, ${Math.round(y)}`);
  };
  const at = (event) => {
    const box = over.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * size[0], ((event.clientY - box.top) / box.height) * size[1]];
  };
  const magnify = (i) => glass.show(corners[i], [corners[(i + 1) % 4], corners[(i + 3) % 4]], size[0]);
  const move = (i, [x, y]) => {
    corners[i] = [x, y];
    place(handles.children[i], corners[i]);
    magnify(i);
  };

  function createHandle(i) {
    const handle = draw(handles, "g", { class: "handle", tabindex: "0", role: "slider", "aria-label": t(`setup.corner_${i}`), "aria-valuenow": "0" });
    draw(handle, "circle", { r: 1 });
    draw(handle, "path", { d: "M-1 0H-.15M.15 0H1M0-1V-.15M0 .15V1" });
    let grip = null; // from the finger to the corner: it does not jump beneath the finger
    handle.addEventListener("pointerdown", (event) => {
      const [x, y] = at(event);
      grip = [corners[i][0] - x, corners[i][1] - y];
      magnify(i);
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const [x, y] = at(event);
      move(i, [x + grip[0], y + grip[1]]);
    });
    for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, () => { grip = null; glass.hide(); });
    handle.addEventListener("blur", () => glass.hide());
    handle.addEventListener("keydown", (event) => {
      const way = MOVES[event.key];
      if (!way) return;
      event.preventDefault();
      const far = event.shiftKey ? FAR : 1;
      move(i, [corners[i][0] + far * way[0], corners[i][1] + far * way[1]]);
    });
  }

  return {
    /** Shows the newest picture; resolves once it can be seen. */
    async load(address, pixels) {
      const answer = await fetch(address);
      if (answer.status !== 200) return;
      const old = url;
      url = URL.createObjectURL(await answer.blob());
      size = pixels;
      picture.width = size[0];
      picture.height = size[1];
      over.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
      picture.src = url;
      picture.hidden = false;
      picture.alt = t("setup.picture");
      await picture.decode().catch(() => {}); // a torn picture is followed by the next one
      if (old) URL.revokeObjectURL(old);
      glass.renew();
      if (corners) corners.forEach((corner, i) => place(handles.children[i], corner));
    },
    clear() {
      picture.hidden = true;
      lines.replaceChildren();
      this.point(null);
    },
    /** Draws the found board's marks: [{ mark, points }]. */
    drawBoard(board) {
      const key = board ? JSON.stringify(board.corners) : "";
      if (lines.dataset.key === key) return;
      lines.dataset.key = key;
      lines.replaceChildren();
      for (const { mark, points } of board?.lines ?? []) {
        draw(lines, mark === "surface" ? "polygon" : "polyline", { class: "mark", "data-mark": mark, points: points.join(" ") });
      }
    },
    /** Offers four handles at `places`, or at a likely square for []; null takes them away. */
    point(places) {
      over.setAttribute("aria-hidden", String(!places));
      glass.hide();
      handles.replaceChildren();
      corners = places && [0, 1, 2, 3].map((i) => [...(places[i] ?? [size[0] * ([0, 3].includes(i) ? INSET : 1 - INSET), size[1] * (i < 2 ? INSET : 1 - INSET)])]);
      corners?.forEach((corner, i) => { createHandle(i); place(handles.children[i], corner); });
    },
    /** Where the handles are, null without them. */
    corners: () => corners,
  };
}
