// A picture of numbers taken along: as a PNG just as it looks, or its table as CSV.

import { h } from "./dom.js";

const SCALE = 3; // for print
const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family", "text-anchor", "dominant-baseline", "display"];
const EDGE = 14;
const TITLE = 24;

function save(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

const fileName = (title) => title.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "").slice(0, 60) || "carrom";

/** The SVG with its looks written into it, so that it can stand without the page's style sheets. */
function standalone(svg, width, height) {
  const copy = svg.cloneNode(true);
  const [old, fresh] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  old.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of KEPT) fresh[i].setAttribute(name, style.getPropertyValue(name));
    fresh[i].removeAttribute("class");
  });
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

/** Saves the picture `svg` under its `title`, on the page's own ground. */
export async function savePicture(title, svg) {
  const { width, height } = svg.getBoundingClientRect();
  const url = URL.createObjectURL(standalone(svg, width, height));
  const image = new Image(width, height);
  image.src = url;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: (width + 2 * EDGE) * SCALE, height: (height + 3 * EDGE + TITLE) * SCALE });
  const pen = canvas.getContext("2d");
  pen.scale(SCALE, SCALE);
  const look = getComputedStyle(svg.closest("figure"));
  pen.fillStyle = look.backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = look.color;
  pen.font = `700 17px ${look.fontFamily}`;
  pen.fillText(title, EDGE, EDGE + 17, width);
  pen.drawImage(image, EDGE, 2 * EDGE + TITLE, width, height);
  URL.revokeObjectURL(url);
  canvas.toBlob((blob) => save(blob, `${fileName(title)}.png`), "image/png");
}

/** Saves a table as spreadsheets read it; what they would take for a formula stands behind a quote. */
export function saveTable(title, columns, rows) {
  const cell = (value) => {
    const text = String(value);
    const harmless = text.length > 1 && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  const text = [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
  save(new Blob([`\ufeff${text}\r\n`], { type: "text/csv" }), `${fileName(title)}.csv`);
}
