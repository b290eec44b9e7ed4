// A board joins a hall: by a photograph of the code that the chief's desk shows, or by its text.

import { DeskError, joinHall, leaveHall, readInvitation } from "./desk.js";
import { byId, write, writeProblem } from "./dom.js";
import { t } from "./words.js";

/** Draws the section and serves it. */
export async function createJoining() {
  const show = (hub) => {
    write(byId("hall-state"), hub ? t("machine.hall_in", { hub: new URL(hub).host }) : t("machine.hall_none"));
    byId("hall-join").hidden = Boolean(hub);
    byId("hall-leave").hidden = !hub;
  };
  const tried = async (act) => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      writeProblem(byId("hall-state"), error);
    }
  };
  const enter = (text) => tried(async () => {
    write(byId("hall-state"), t("machine.hall_wait"));
    show((await joinHall(text, byId("hall-name").value.trim())).hub);
    byId("hall-text").value = "";
  });
  byId("hall-join").addEventListener("submit", (event) => { event.preventDefault(); enter(byId("hall-text").value.trim()); });
  byId("hall-photo").addEventListener("change", () => tried(async () => {
    const [photo] = byId("hall-photo").files;
    byId("hall-photo").value = "";
    if (photo) await enter((await readInvitation(photo)).invitation);
  }));
  byId("hall-leave").addEventListener("click", () => tried(async () => { await leaveHall(); show(null); }));
  try {
    const answer = await fetch("/api/hall");
    if (answer.ok) show((await answer.json()).hub);
  } catch {
    write(byId("hall-state"), t("error.offline"));
  }
}
