// The few things that every page does with elements.

export const byId = (id) => document.getElementById(id);

/** Writes only what differs, so that screen readers are not told the same thing twice. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A new element; `data-` and `aria-` names are attributes, others properties, functions listeners. */
export function h(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (/^(data|aria)-/.test(name)) node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** What went wrong, and in small what the referee itself says about it, which is English. */
export function writeProblem(element, { message, why }) {
  element.replaceChildren(message, why ? h("small", { className: "why", lang: "en" }, why) : "");
}

export function coin(kind, gone = false) {
  return h("span", { className: "coin", "data-kind": kind ?? "unknown", "data-gone": String(gone) });
}

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element, put into `parent`. */
export function draw(parent, name, attributes = {}) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}
