// What becomes of what the camera sees: a choice for each kind of infringement, in mid-match or for a new match.

import { byId, h } from "./dom.js";
import { t } from "./words.js";

const TREATMENTS = ["accept", "propose", "log", "ignore"];

/** Fills `box` with one choice a kind as `policy` has it; `chosen()` reads them, `changed()` only those that differ. */
export function policyChoices(box, policy) {
  box.replaceChildren(...Object.entries(policy).map(([foul, now]) => h("label", {}, t(`foul.${foul}`),
    h("select", { name: foul }, ...TREATMENTS.map((how) => h("option", { value: how, selected: how === now }, t(`policy.${how}`)))))));
  const chosen = () => Object.fromEntries([...box.querySelectorAll("select")].map((select) => [select.name, select.value]));
  return { chosen, changed: () => Object.fromEntries(Object.entries(chosen()).filter(([foul, how]) => how !== policy[foul])) };
}

/** `submit(request, what)` sends; `view()` gives the match document. */
export function createPolicy(submit, view) {
  const dialog = byId("policy");
  let choices = null;

  byId("policy-cancel").addEventListener("click", () => dialog.close());
  byId("policy-open").addEventListener("click", () => {
    choices = policyChoices(byId("policy-now"), view()?.policy ?? {});
    dialog.showModal();
  });
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const policy = choices.changed();
    if (!Object.keys(policy).length || !(await submit({ action: "declare", policy }, t("policy.title")))) dialog.close();
  });
}
