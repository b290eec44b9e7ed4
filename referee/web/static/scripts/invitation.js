// Inviting a board to the hall: a code that is good once and for two minutes.

import { DeskError, inviteBoard } from "./desk.js";
import { byId, write } from "./dom.js";
import { t } from "./words.js";

const TICK_MS = 1000;

/** `say(kind, text)` tells what went wrong. */
export function createInvitation(say) {
  const dialog = byId("invitation");
  let until = 0;
  let known = 0;
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    write(byId("invitation-left"), left > 0 ? t("hall.invite_left", { n: left }) : t("hall.invite_over"));
    byId("invitation-code").hidden = left <= 0;
  };
  const open = async () => {
    try {
      const { text, svg, good_s: good } = await inviteBoard();
      byId("invitation-code").src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      byId("invitation-code").alt = t("hall.invite");
      write(byId("invitation-text"), text);
      until = performance.now() + good * 1000;
      tick();
      if (!dialog.open) dialog.showModal();
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      say("error", error.message);
    }
  };
  byId("invite").addEventListener("click", open);
  byId("invitation-again").addEventListener("click", open);
  byId("invitation-close").addEventListener("click", () => dialog.close());
  setInterval(() => { if (dialog.open) tick(); }, TICK_MS);
  return {
    /** Closes the code once another board is there. */
    heard(boards) {
      if (dialog.open && boards > known) { dialog.close(); say("done", t("hall.invited")); }
      known = boards;
    },
  };
}
