// Corrects one stroke: what happened, put together from buttons or typed, and read back in words before it is sent.

import { strokeWords, words } from "./words.js";

const POCKETED = [["W", "white"], ["B", "black"], ["Q", "queen"], ["S", "striker"]];
const OFF = POCKETED.map(([token, kind]) => [`off:${token}`, kind]);
const FOULS = ["placement", "cut_moon", "touching_arrow", "touch", "push", "hand_over_diagonal", "no_leave"];

const byId = (id) => document.getElementById(id);

/** `submit(n, text)` sends and resolves to null, or to the sentence that says why it was refused. */
export function createEditor(submit) {
  const dialog = byId("correct");
  const input = byId("tokens");
  let stroke = 0;
  let before = "";

  const tokens = () => input.value.split(",").map((t) => t.trim()).filter((t) => t && t !== "-");
  const set = (list) => { input.value = list.length ? list.join(",") : "-"; read(); };
  const read = () => {
    byId("reading").textContent = `${words.reads} ${strokeWords(input.value)}`;
    byId("send").disabled = !input.value.trim() || input.value.trim() === before;
    byId("correct-error").hidden = true;
  };

  const key = (group, token, label, kind) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.token = token;
    if (kind && kind !== "striker") {
      const coin = document.createElement("span");
      coin.className = "coin";
      coin.dataset.kind = kind;
      button.append(coin);
    }
    button.append(label);
    button.addEventListener("click", () => set([...tokens(), token]));
    dialog.querySelector(`[data-group="${group}"]`).append(button);
  };

  for (const [token, kind] of POCKETED) key("pocketed", token, words.kinds[kind], kind);
  for (const [token, kind] of OFF) key("off", token, words.kinds[kind], kind);
  for (const foul of FOULS) key("fouls", `foul:${foul}`, words.fouls[foul], null);
  input.addEventListener("input", read);
  byId("last-off").addEventListener("click", () => set(tokens().slice(0, -1)));
  byId("nothing").addEventListener("click", () => set([]));
  byId("cancel").addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("send").disabled = true;
    const refused = await submit(stroke, input.value.trim());
    if (!refused) { dialog.close(); return; }
    byId("send").disabled = false;
    byId("correct-error").textContent = refused;
    byId("correct-error").hidden = false;
  });

  return {
    open(n, text) {
      stroke = n;
      before = text;
      byId("correct-title").textContent = words.correctStroke(n);
      byId("correct-before").textContent = `${words.until} ${strokeWords(text)}`;
      input.value = text;
      read();
      dialog.showModal();
    },
  };
}
