// The boards that are paired with this hall; one that is lost is retired, after a question.

import { DeskError, retireStation, stations } from "./desk.js";
import { byId, h } from "./dom.js";
import { locale, t } from "./words.js";

/** `say(kind, text)` tells what came of it. */
export function createStations(say) {
  const dialog = byId("stations");
  let asking = null; // id of the station that the question is about

  const tried = async (act) => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      dialog.close();
      say("error", error.message);
    }
  };
  const day = (seconds) => new Date(seconds * 1000).toLocaleDateString(locale, { dateStyle: "medium" });
  const nameOf = (station) => station.name || station.id.slice(0, 8);
  const button = (words, className, click) => h("button", { type: "button", className, click }, words);

  const retire = (station) => tried(async () => {
    await retireStation(station.id);
    say("done", t("hall.retired", { board: nameOf(station) }));
    await list();
  });
  const ask = (found, id) => {
    asking = id;
    draw(found);
    byId("stations-list").querySelector("[data-asks] button")?.focus();
  };
  const item = (station, found) => {
    const about = [h("b", { dir: "auto" }, nameOf(station)), h("span", { className: "quiet" }, t("hall.paired", { who: station.by, at: day(station.at) }))];
    if (station.id !== asking) return h("li", {}, ...about, button(t("hall.retire"), "", () => ask(found, station.id)));
    return h("li", { "data-asks": "true" }, ...about,
      h("p", { role: "status" }, t("hall.retire_ask", { board: nameOf(station) })),
      h("div", { className: "decide" }, button(t("editor.cancel"), "main", () => ask(found, null)), button(t("hall.retire"), "danger", () => retire(station))));
  };
  const draw = (found) => {
    byId("stations-list").replaceChildren(...found.map((station) => item(station, found)));
    byId("stations-none").hidden = found.length > 0;
  };
  const list = async () => {
    const found = await stations();
    asking = null;
    draw(found.filter((station) => station.retired_at === null));
    if (!dialog.open) dialog.showModal();
  };
  byId("stations-open").addEventListener("click", () => tried(list));
  byId("stations-close").addEventListener("click", () => dialog.close());
}
