// A match judged again under another rule book, or from its tracks: what would have been ruled otherwise.

import { bookName, books } from "./books.js";
import { byId, h, write } from "./dom.js";
import { judgedAgain, LibraryError } from "./library.js";
import { decided } from "./view.js";
import { t } from "./words.js";

/** For the match `id`, which was played by the book `rules`. */
export async function createAgain(id, rules) {
  const offered = [...new Set([rules, ...(await books()).map(({ name }) => name)])].filter((name) => !name.includes("/"));
  byId("again-rules").replaceChildren(...offered.map((name) => h("option", { value: name }, bookName(name))));
  byId("again-go").addEventListener("click", async () => {
    try {
      draw(await judgedAgain(id, { rules: byId("again-rules").value, source: byId("again-tracks").checked ? "tracks" : "strokes" }));
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
      byId("again-list").replaceChildren();
      write(byId("again-said"), error.message);
    }
  });
}

function draw({ strokes, differ }) {
  const unseen = strokes.filter((stroke) => stroke.unseen).length;
  write(byId("again-said"), [t("again.differ", { n: differ, of: strokes.length }), unseen ? t("again.unseen", { n: unseen }) : ""].filter(Boolean).join(" "));
  byId("again-list").replaceChildren(...strokes.filter(({ differs }) => differs).map(item));
}

function item({ stroke, facts, before, now }) {
  return h("li", {}, h("a", { href: `#stroke=${stroke}` }, t("stroke", { n: stroke })),
    facts.length ? h("small", {}, facts.map((name) => t(`again.${name}`)).join(", ")) : "",
    h("p", {}, h("s", {}, (before && decided(before)) || t("ruling.nothing"))), h("p", {}, decided(now) || t("ruling.nothing")));
}
