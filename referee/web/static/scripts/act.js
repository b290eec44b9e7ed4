// Sending what people change, and saying what became of it: a change is called done once the log shows it, not before.

import { DeskError, send } from "./desk.js";
import { byId, write } from "./dom.js";
import { language, t } from "./words.js";

const DONE_MS = 20_000; // what is done is told this long; the list of changes keeps it
const CONFIRM_MS = 6000; // the vision process writes a correction within a frame or two; after this something is wrong

/** `sections()` gives what is known now. `change(request, what, path)` sends; `heard()` is to be called with each news. */
export function createActs(sections) {
  let waiting = null; // { id, what, match, timer } of a change sent and not yet seen in the log

  let going = null; // takes a message away again

  const say = (kind, text) => {
    const box = byId("message");
    clearTimeout(going);
    if (kind === "done") going = setTimeout(() => { box.hidden = true; }, DONE_MS);
    box.hidden = !text;
    box.dataset.kind = kind;
    write(box, text);
  };
  const settle = (kind, text) => {
    clearTimeout(waiting.timer);
    waiting = null;
    say(kind, text);
  };
  const late = (mine) => {
    // It is looked for all the same: the message goes when the log has it after all.
    if (waiting === mine) say("error", t("change.unconfirmed", { what: mine.what }));
  };
  const heard = () => {
    if (!waiting) return;
    const { log, view } = sections();
    const { id, what, match } = waiting;
    if (log?.receipts?.includes(id)) settle("done", t("change.done", { what }));
    else if (log?.refused?.id === id) settle("error", t("change.refused", { what, why: log.refused.texts[language] }));
    else if (view?.match !== match) settle("done", t("match.begun"));
  };
  /** Resolves to null, or to the sentence that says why it was refused. */
  const change = async (request, what, path) => {
    say("wait", t("change.wait", { what }));
    try {
      const id = await send(request, path);
      clearTimeout(waiting?.timer);
      const mine = { id, what, match: sections().view?.match };
      mine.timer = setTimeout(() => late(mine), CONFIRM_MS);
      waiting = mine;
      heard();
      return null;
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      say("error", error.message);
      return error.message;
    }
  };
  return { change, heard };
}
