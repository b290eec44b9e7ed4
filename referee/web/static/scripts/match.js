// Pausing, ending and beginning matches, in a dialog.

import { byId, write } from "./dom.js";
import { createMatchForm } from "./matchform.js";
import { t } from "./words.js";

/** `submit(request, what, path)` sends; `sections()` gives what is known now. */
export function createMatches(submit, sections) {
  const dialog = byId("newmatch");
  const view = () => sections().view;
  const tell = (text) => {
    byId("match-error").hidden = !text;
    write(byId("match-error"), text ?? "");
  };
  const form = createMatchForm(sections, tell);
  const sure = (is) => {
    byId("match-sure").hidden = !is;
    if (is) byId("match-end-yes").focus();
  };
  const run = async (state) => {
    if (!(await submit({ state }, t(`running.${state}`), "/api/umpire/running"))) dialog.close();
  };

  byId("match-cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => form.close());
  byId("match-end").addEventListener("click", () => sure(true));
  byId("match-end-no").addEventListener("click", () => sure(false));
  byId("match-end-yes").addEventListener("click", () => run("ended"));
  byId("match-pause").addEventListener("click", () => run(view()?.running === "playing" ? "paused" : "playing"));
  const open = async () => {
    const now = view();
    await form.open({ ...now, first: "" }, now?.sides.flatMap((side) => side.seats).length);
    sure(false);
    write(byId("match-pause"), t(now?.running === "playing" ? "match.pause" : "match.go_on"));
    byId("match-end").disabled = now?.running === "ended";
    dialog.showModal();
  };
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const wish = form.wish();
    if (!form.check(wish)) return;
    const why = await submit(wish, t("match.new"), "/api/umpire/match");
    if (why) form.refused(why);
    else dialog.close();
  });
  return { open };
}
