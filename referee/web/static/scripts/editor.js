// Corrects one stroke: what happened, put together from buttons or typed, with what it would change before it is sent.

import { byId, coin, h, write } from "./dom.js";
import { createPreview } from "./preview.js";
import { isToken, strokeWords, t, tokensOf } from "./words.js";

const PIECES = [["W", "white"], ["B", "black"], ["Q", "queen"], ["S", "striker"]];
export const FOULS = ["placement", "cut_moon", "touching_arrow", "backward", "behind_line", "touch", "push",
  "hand_over_diagonal", "elbow", "time", "direct", "no_leave", "no_break", "out_of_turn"];

/** `submit(request)` sends and resolves to null, or to the sentence that says why it was refused. */
export function createEditor(submit) {
  const dialog = byId("correct");
  const input = byId("tokens");
  let open = { n: 0, text: "", seat: "" };

  const refused = (why) => {
    byId("correct-error").hidden = !why;
    write(byId("correct-error"), why ?? "");
    byId("send").disabled = Boolean(why) || same();
  };
  const preview = createPreview(byId("correct-preview"), refused);

  const request = () => {
    const seat = byId("player").value;
    const played = seat === open.seat ? {} : { seat };
    return { action: "correct", stroke: open.n, stroke_text: input.value.trim() || "-", ...played };
  };
  const same = () => request().stroke_text === open.text && !request().seat;
  const set = (list) => { input.value = list.length ? list.join(",") : "-"; read(); };
  const read = () => {
    write(byId("reading"), t("editor.reads", { what: strokeWords(input.value) }));
    byId("send").disabled = same();
    const unknown = tokensOf(input.value).find((token) => !isToken(token));
    refused(unknown === undefined ? null : t("editor.unknown", { token: unknown }));
    if (same() || unknown !== undefined) preview.clear();
    else preview.show(request());
  };

  const key = (group, token, label, kind) => {
    const button = h("button", { type: "button", "data-token": token, click: () => set([...tokensOf(input.value), token]) },
      kind && kind !== "striker" ? coin(kind) : null, label);
    dialog.querySelector(`[data-group="${group}"]`).append(button);
  };
  for (const [token, kind] of PIECES) key("pocketed", token, t(`kind.${kind}`), kind);
  for (const [token, kind] of PIECES) key("off", `off:${token}`, t(`kind.${kind}`), kind);
  for (const foul of FOULS) key("fouls", `foul:${foul}`, t(`foul.${foul}`), null);

  input.addEventListener("input", read);
  byId("player").addEventListener("change", read);
  byId("last-off").addEventListener("click", () => set(tokensOf(input.value).slice(0, -1)));
  byId("nothing").addEventListener("click", () => set([]));
  byId("cancel").addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("send").disabled = true;
    const why = await submit(request(), t("change.correct", { n: open.n }));
    if (why) refused(why);
    else dialog.close();
  });

  return {
    /** Opens on stroke `n` that reads `text` now and was played by `seat`, one of `players` ([seat, name]). */
    open(n, text, seat, players) {
      open = { n, text, seat };
      write(byId("correct-title"), t("umpire.correct_stroke", { n }));
      write(byId("correct-before"), t("editor.now", { what: strokeWords(text) }));
      byId("player").replaceChildren(...players.map(([value, name]) => h("option", { value, selected: value === seat }, name)));
      input.value = text;
      read();
      dialog.showModal();
    },
  };
}
