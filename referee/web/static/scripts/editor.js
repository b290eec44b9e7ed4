// Corrects one stroke: tap the piece and where it went, the clip beside it, with what would change before it is sent.

import { createBoard, radiusOf } from "./board.js";
import { boardBefore, DeskError } from "./desk.js";
import { byId, coin, draw, h, write } from "./dom.js";
import { createLoop } from "./loop.js";
import { createPreview } from "./preview.js";
import { playerAt, sides } from "./view.js";
import { isToken, strokeWords, t, tokensOf } from "./words.js";

const PIECES = [["W", "white"], ["B", "black"], ["Q", "queen"], ["S", "striker"]];
const LETTER = Object.fromEntries(PIECES.map(([letter, kind]) => [kind, letter]));
export const FOULS = ["placement", "cut_moon", "touching_arrow", "backward", "behind_line", "touch", "push",
  "hand_over_diagonal", "elbow", "time", "direct", "no_leave", "no_break", "out_of_turn"];
const MOST_LIKELY = 4;
const FINGER_MM = 34; // half the width of what a finger must hit, so that 46 px are hit on the smallest board

/** `submit(request)` sends and resolves to null, or to the sentence that says why; `sections()` gives what is known. */
export function createEditor(submit, sections) {
  const dialog = byId("correct");
  const input = byId("tokens");
  const loop = createLoop(byId("correct-loop"));
  const board = createBoard(byId("correct-board"));
  let open = { n: 0, text: "", seat: "" };
  let geometry = null;
  let pieces = []; // where they lay before the stroke
  let picked = null; // { kind, place } of the piece that was tapped; place null where only its kind is known

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
  const set = (list) => { input.value = list.length ? list.join(",") : "-"; pick(null); read(); };
  const add = (token) => set([...tokensOf(input.value), token]);
  const read = () => {
    write(byId("reading"), t("editor.reads", { what: strokeWords(input.value) }));
    byId("send").disabled = same();
    const unknown = tokensOf(input.value).find((token) => !isToken(token));
    refused(unknown === undefined ? null : t("editor.unknown", { token: unknown }));
    drawHappened();
    drawPieces();
    if (same() || unknown !== undefined) preview.clear();
    else preview.show(request());
  };

  /** What happened, one thing a key; a touch takes it off, which puts a piece back on the board. */
  const drawHappened = () => {
    const tokens = tokensOf(input.value);
    byId("correct-happened").replaceChildren(...tokens.map((token, i) => h("button", { type: "button", "data-token": token,
      "aria-label": t("editor.undo_one", { what: strokeWords(token) }), click: () => set(tokens.filter((_, other) => other !== i)) }, strokeWords(token), h("span", { "aria-hidden": "true" }, " ✕"))));
  };
  const pick = (wished) => {
    picked = wished && picked?.place === wished.place && picked?.kind === wished.kind ? null : wished;
    for (const key of byId("correct-kinds").children) if (key.dataset.kind) key.setAttribute("aria-pressed", String(key.dataset.kind === picked?.kind));
    byId("correct-board").dataset.picked = String(Boolean(picked));
    byId("correct-off").disabled = !picked;
    write(byId("correct-hint"), picked ? t("editor.where", { piece: t(`kind.${picked.kind}`) }) : t("editor.tap"));
    drawPieces();
  };
  const drop = (pocket) => { if (picked) add(pocket ? `${LETTER[picked.kind]}@${pocket}` : `off:${LETTER[picked.kind]}`); };

  /** Pieces that the correction takes away are gone from the board: of a kind those that were tapped, else any. */
  const drawPieces = () => {
    if (!geometry) return;
    const gone = new Map();
    for (const token of tokensOf(input.value)) {
      const letter = token.startsWith("off:") ? token.slice(4) : token.split("@")[0];
      gone.set(letter, (gone.get(letter) ?? 0) + 1);
    }
    const lying = pieces.filter((piece) => {
      const left = gone.get(LETTER[piece.kind]) ?? 0;
      if (left > 0) gone.set(LETTER[piece.kind], left - 1);
      return left <= 0;
    });
    board.setPieces(lying);
    const focused = document.activeElement?.dataset?.place;
    board.over.replaceChildren();
    lying.forEach((piece) => target(piece.x_mm, piece.y_mm, FINGER_MM / 2 + radiusOf(piece.kind, geometry) / 2, t(`kind.${piece.kind}`), `${piece.x_mm},${piece.y_mm}`,
      () => pick({ kind: piece.kind, place: `${piece.x_mm},${piece.y_mm}` })));
    for (const p of geometry.pockets) {
      const name = `${p.y < 0 ? "S" : "N"}${p.x < 0 ? "W" : "E"}`;
      target(p.x, p.y, FINGER_MM * 1.6, t(`pocket.${name}`), name, () => drop(name), "pocket-target");
    }
    if (focused) board.over.querySelector(`[data-place="${focused}"]`)?.focus();
  };
  const target = (x, y, r, label, place, touched, kind = "piece-target") => {
    const node = draw(board.over, "circle", { class: kind, cx: x, cy: y, r, role: "button", tabindex: "0", "aria-label": label, "data-place": place });
    if (picked?.place === place) node.setAttribute("aria-pressed", "true");
    node.addEventListener("click", touched);
    node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); touched(); } });
  };

  const likely = () => {
    const tokens = tokensOf(open.text);
    const without = tokens.map((_, i) => tokens.filter((__, other) => other !== i)).map((list) => list.join(",") || "-");
    const texts = [...new Set([...without, tokens.length ? "-" : null].filter(Boolean))].filter((text) => text !== open.text).slice(0, MOST_LIKELY);
    byId("likely").replaceChildren(...texts.map((text) => h("button", { type: "button", click: () => send({ action: "correct", stroke: open.n, stroke_text: text }) }, strokeWords(text))));
  };
  const send = async (wish) => {
    byId("send").disabled = true;
    const why = await submit(wish, t("change.correct", { n: open.n }));
    if (why) refused(why);
    else dialog.close();
  };

  for (const [, kind] of PIECES) {
    byId("correct-kinds").append(h("button", { type: "button", "data-kind": kind, "aria-pressed": "false", click: () => pick({ kind, place: null }) },
      kind === "striker" ? null : coin(kind), t(`kind.${kind}`)));
  }
  byId("correct-kinds").append(h("button", { type: "button", id: "correct-off", disabled: true, click: () => drop(null) }, t("editor.off")));
  for (const foul of FOULS) dialog.querySelector('[data-group="fouls"]').append(h("button", { type: "button", "data-token": `foul:${foul}`, click: () => add(`foul:${foul}`) }, t(`foul.${foul}`)));
  input.addEventListener("input", read);
  byId("player").addEventListener("change", read);
  byId("nothing").addEventListener("click", () => set([]));
  byId("cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => loop.stop());
  dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); send(request()); });

  const fetchPieces = async (n) => {
    try {
      const lying = await boardBefore(n);
      if (open.n !== n) return;
      pieces = lying.some(({ kind }) => kind === "striker") ? lying : [...lying, ...strikerOf()];
      drawPieces();
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
    }
  };
  const strikerOf = () => (geometry ? [{ kind: "striker", ...onLines(open.seat, geometry) }] : []);

  return {
    /** Opens on stroke `n` that reads `text` now and was played by `seat`. */
    open(n, text, seat) {
      const { view, board: measured, log } = sections();
      open = { n, text, seat };
      pieces = [];
      geometry = measured ?? null;
      if (geometry) board.setGeometry(geometry);
      write(byId("correct-title"), t("umpire.correct_stroke", { n }));
      write(byId("correct-before"), t("editor.now", { what: strokeWords(text) }));
      byId("player").replaceChildren(...sides(view).flatMap((side) => side.seats).map((at) => h("option", { value: at, selected: at === seat }, playerAt(view, at))));
      input.value = text;
      byId("notation").open = false;
      likely();
      pick(null);
      read();
      dialog.showModal();
      fetchPieces(n);
      loop.show(log?.replay, n);
    },
  };
}

/** Where a striker stands before anybody knows better: on the middle of its lines. */
function onLines(seat, { surface }) {
  const at = surface / 2 - 118;
  return { south: { x_mm: 0, y_mm: -at }, north: { x_mm: 0, y_mm: at }, west: { x_mm: -at, y_mm: 0 }, east: { x_mm: at, y_mm: 0 } }[seat];
}
