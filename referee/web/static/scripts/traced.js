// What was seen, drawn over the camera's picture exactly where the camera shows it.

import { radiusOf } from "./board.js";
import { draw } from "./dom.js";

const CORNERS = 28;
const RIM = Array.from({ length: CORNERS }, (_, i) => [Math.cos((2 * Math.PI * i) / CORNERS), Math.sin((2 * Math.PI * i) / CORNERS)]);

export function createTraced(svg) {
  const hands = draw(svg, "g");
  const trails = draw(svg, "g");
  const rims = draw(svg, "g");

  return {
    clear() { for (const group of [hands, trails, rims]) group.replaceChildren(); },
    setSize(width, height) { svg.setAttribute("viewBox", `0 0 ${width} ${height}`); },
    /** `lens` leads from the board to the picture; discs lie at the height `clip.top_mm`, the striker at its own. */
    show(moment, { lens, clip, geometry, withHands }) {
      const line = (points, top = clip.top_mm) => points.map(([x, y]) => lens(x, y, top).map((v) => v.toFixed(2)).join(",")).join(" ");
      fill(hands, "polygon", withHands ? moment.hands : [], (node, outline) => {
        node.setAttribute("class", "hand");
        node.setAttribute("points", line(outline));
      });
      fill(trails, "polyline", moment.trails, (node, { kind, points, fade = 0 }) => {
        node.setAttribute("class", `way ${kind}`);
        node.dataset.fade = String(fade);
        node.setAttribute("points", line(points));
      });
      fill(rims, "polygon", moment.pieces, (node, { kind, x_mm: x, y_mm: y, sigma_mm: sigma }) => {
        const radius = radiusOf(kind, geometry);
        node.setAttribute("class", `rim ${kind}`);
        node.dataset.sure = String(sigma === 0);
        node.setAttribute("points", line(RIM.map(([c, s]) => [x + radius * c, y + radius * s]), kind === "striker" ? clip.striker_top_mm : clip.top_mm));
      });
    },
  };
}

/** As many elements as there are values, each set anew. */
function fill(parent, name, values, set) {
  while (parent.children.length > values.length) parent.lastChild.remove();
  values.forEach((value, i) => set(parent.children[i] ?? draw(parent, name), value));
}
