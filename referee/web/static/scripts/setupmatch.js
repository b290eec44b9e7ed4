// The set-up's match: the present one goes on, or a new one begins when the set-up is done, by the form of every page.

import { byId, h, write } from "./dom.js";
import { createMatchForm } from "./matchform.js";
import { t } from "./words.js";

let form = null; // the page's form, filled once
let known = {}; // the board and its pieces, for the form's picture

const tell = (text) => {
  byId("match-error").hidden = !text;
  write(byId("match-error"), text ?? "");
};

export function matchPanel(box, { ask, state }) {
  const kept = state().match;
  const isNew = () => box.querySelector(":checked").value === "new";
  const show = () => { byId("match-step").dataset.open = String(isNew()); };
  const choice = (value, text) => h("label", {}, h("input", { type: "radio", name: "match", value, checked: (value === "new") === Boolean(kept), change: show }), h("span", {}, text));
  box.append(h("div", { className: "choices" }, choice("present", t("setup.match_none")), choice("new", t("match.new"))));
  show();
  open(kept ?? {});

  const leaving = async () => {
    if (!isNew()) return ask("match");
    const { south: _, ...match } = form.wish(); // which side is south was chosen with the board
    return form.check(match) && ask("match", { match });
  };
  return Object.assign(() => {}, { leaving });
}

async function open(kept) {
  form ??= createMatchForm(() => known, tell);
  const answer = await fetch("/api/state").catch(() => null); // without it the form has no picture
  if (answer?.ok) known = (await answer.json()).sections;
  await form.open(kept);
}
