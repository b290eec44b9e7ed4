// Search over the strokes of all boards; the address holds what is looked for, so that it can be passed on.

import { byId, h, write } from "./dom.js";
import { foundRow, limits, limitWords } from "./hallfound.js";
import { begin } from "./page.js";
import { t } from "./words.js";

const LATER_MS = 250; // while somebody types, nothing is asked
const FOULS = ["placement", "push", "hand_over_diagonal", "touch", "cut_moon", "no_leave"];

begin("hallsearch");
const options = (node, entries) => node.replaceChildren(...entries.map(([value, text]) => h("option", { value }, text)));
options(byId("limit"), [["", t("hall.any")], ...limits.map((name) => [name, limitWords(name)])]);
options(byId("foul"), [["", t("hall.any")], ...FOULS.map((name) => [name, t(`foul.${name}`)])]);
options(byId("certain"), [["", t("hall.any")], ["true", t("ruling.certain")], ["false", t("ruling.doubtful")]]);
options(byId("missed"), [["", t("hall.any")], ["true", t("hall.missed")], ["false", t("placement.good")]]);
const FIELDS = { limit: "limit", within: "within_mm", missed: "missed", foul: "foul", player: "player", certain: "certain", since: "since" };
const seconds = (day) => String(new Date(`${day}T00:00`).getTime() / 1000);
const given = new URLSearchParams(location.search);
for (const [id, name] of Object.entries(FIELDS)) if (given.has(name)) byId(id).value = given.get(name);

let timer = null;
let number = 0;

async function find() {
  const mine = ++number;
  const wanted = new URLSearchParams(Object.entries(FIELDS).map(([id, name]) => [name, byId(id).value.trim()]).filter(([, value]) => value));
  history.replaceState(null, "", wanted.size ? `?${wanted}` : location.pathname);
  let rows = null;
  try {
    const asked = new URLSearchParams(wanted);
    if (asked.has("since")) asked.set("since", seconds(asked.get("since")));
    const answer = await fetch(`/api/hall/search?${asked}`);
    rows = answer.ok ? await answer.json() : null;
  } catch {
    rows = null;
  }
  if (mine !== number) return;
  byId("message").hidden = rows !== null;
  write(byId("message"), rows === null ? t("hall.away") : "");
  if (rows === null) return;
  write(byId("count"), t("hall.found", { n: rows.length }));
  byId("found").replaceChildren(...rows.map(foundRow));
}

byId("find").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(find, LATER_MS); });
byId("find").addEventListener("submit", (event) => event.preventDefault());
find();
