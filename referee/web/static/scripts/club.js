// The club's own rule books: begun from a shipped one or a file, changed as text, kept with the data.

import { bookName, books } from "./books.js";
import { DeskError, keepBook, readBook, removeBook } from "./desk.js";
import { byId, h, write } from "./dom.js";
import { t } from "./words.js";

/** A name that a file and a rule book can have, from what people call their book. */
const asName = (text) => text.trim().toLowerCase().replace(/\.toml$/, "").replace(/[^a-z0-9]+/g, "_").replace(/^[^a-z]+|_+$/g, "").slice(0, 40);

export function createClub() {
  const dialog = byId("club");
  const [base, name, text] = ["club-base", "club-name", "club-text"].map(byId);
  let offered = [];

  const isOwn = (wished) => offered.some((book) => book.name === wished && book.kind === "own");
  const drawRemove = () => { byId("club-remove").hidden = !isOwn(asName(name.value)); };
  const say = (done, problems = []) => {
    byId("club-done").hidden = !done;
    write(byId("club-done"), done);
    byId("club-error").hidden = problems.length === 0;
    byId("club-error").replaceChildren(h("p", {}, t("club.wrong", { n: problems.length })), h("ul", { lang: "en" }, ...problems.map((problem) => h("li", {}, problem))));
    // The buttons stay in sight over the end of the form, so what is said is brought to its middle.
    if (done || problems.length) byId(done ? "club-done" : "club-error").scrollIntoView({ block: "center" });
  };
  /** Does `work` and says what it returns, if anything, or why it failed. */
  const attempt = async (work) => {
    try {
      const done = await work();
      if (done) say(done);
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      // The reasons follow the name of the book, each after a semicolon.
      say("", (error.why ?? error.message).replace(/^rule book [^:]*: /, "").split("; "));
    }
  };
  const offer = async (chosen) => {
    offered = await books({ faulty: true });
    base.replaceChildren(h("option", { value: "" }, t("club.none")),
      ...offered.map((book) => h("option", { value: book.name, selected: book.name === chosen }, book.kind === "own" ? `${bookName(book.name)} (${t("club.own")})` : bookName(book.name))));
    drawRemove();
  };
  const show = async (wished) => {
    const entered = () => [base.value, name.value, text.value].join("\n");
    const before = entered();
    const book = await readBook(wished);
    if (entered() !== before) return; // what was chosen or written meanwhile stands
    say("");
    text.value = book.text;
    name.value = isOwn(wished) ? wished : "";
    drawRemove();
  };

  byId("club-open").addEventListener("click", async () => {
    say("");
    name.value = text.value = "";
    await offer("");
    dialog.showModal();
  });
  byId("club-close").addEventListener("click", () => dialog.close());
  base.addEventListener("change", () => base.value && attempt(() => show(base.value)));
  name.addEventListener("input", drawRemove);
  byId("club-file").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    text.value = await file.text();
    name.value = asName(file.name);
    target.value = "";
    say("");
    drawRemove();
  });
  byId("club-remove").addEventListener("click", () => attempt(async () => {
    const gone = asName(name.value);
    await removeBook(gone);
    name.value = text.value = "";
    await offer("");
    return t("club.removed", { name: gone });
  }));
  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      const kept = asName(name.value);
      name.value = kept;
      await keepBook(kept, text.value);
      await offer(kept);
      return t("club.saved", { name: kept });
    });
  });
}
