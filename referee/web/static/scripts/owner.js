// What only the owner of the matches may do: keep a clip, pack a match, delete it.

import { byId, h, write, writeProblem } from "./dom.js";
import { drawClip, keep, LibraryError, pack, remove } from "./library.js";
import { t } from "./words.js";

function fetched(href) {
  h("a", { href, download: "" }).click();
}

/** For the match `id`; `heard.kept(n)` after a clip was marked, `heard.match()` gives the match. */
export function createOwner(id, heard) {
  const say = (text) => {
    byId("message").hidden = !text;
    write(byId("message"), text);
  };
  const tried = async (work) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
      byId("message").hidden = false;
      writeProblem(byId("message"), error);
    }
  };

  byId("delete").addEventListener("click", () => {
    write(byId("sure-what"), t("replay.sure", { n: heard.match()?.strokes.length ?? 0 }));
    byId("sure").showModal();
  });
  byId("sure-not").addEventListener("click", () => byId("sure").close());
  byId("sure").querySelector("form").addEventListener("submit", () => tried(async () => {
    await remove(id);
    location.href = "/matches";
  }));

  return {
    keep: ({ stroke }) => tried(async () => {
      await keep(id, stroke);
      say(t("replay.kept", { n: stroke }));
      await heard.kept(stroke);
    }),
    pack: () => tried(async () => {
      say(t("replay.packing"));
      fetched(await pack(id));
      say(t("replay.packed"));
    }),
    draw: ({ stroke }) => tried(async () => {
      say(t("replay.drawing"));
      fetched(await drawClip(id, stroke));
      say(t("replay.kept", { n: stroke }));
    }),
  };
}
