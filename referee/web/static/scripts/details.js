// The whole last ruling, one tap away from its call: every sentence with the law that it rests on.

import { h } from "./dom.js";
import { t } from "./words.js";

/** Opens with a tap on `box`, or with its button; `latest()` is the ruling as `rulings(view)` has it. */
export function offerDetails(box, latest) {
  const list = h("ul", { className: "laws" });
  const title = h("h2", { id: "details-title" });
  const dialog = h("dialog", { className: "details", "aria-labelledby": "details-title" }, title, list,
    h("div", { className: "decide" }, h("button", { type: "button", className: "main", click: () => dialog.close() }, t("menu.close"))));
  document.body.append(dialog);
  const open = () => {
    const ruling = latest();
    if (!ruling?.sentences.length) return;
    title.textContent = t("stroke", { n: ruling.n });
    list.replaceChildren(...ruling.sentences.map(line));
    dialog.showModal();
  };
  box.querySelector(".sentence").addEventListener("click", open);
  box.querySelector(".all").addEventListener("click", open);
}

function line({ text, law, certain }) {
  return h("li", { "data-certain": String(certain) }, h("span", {}, text), law ? h("span", { className: "law", dir: "auto" }, law) : null);
}
