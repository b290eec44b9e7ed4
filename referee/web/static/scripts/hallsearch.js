// Search over the strokes of all boards; the address holds what is looked for, so that it can be passed on.

import { byId, write } from "./dom.js";
import { dayBegins, options, read } from "./hall.js";
import { foundRow, limits, limitWords } from "./hallfound.js";
import { begin } from "./page.js";
import { t } from "./words.js";

const LATER_MS = 250; // while somebody types, nothing is asked
const FOULS = ["placement", "push", "hand_over_diagonal", "touch", "cut_moon", "no_leave"];

begin("hallsearch");
options(byId("limit"), [["", t("hall.any")], ...limits.map((name) => [name, limitWords(name)])]);
options(byId("foul"), [["", t("hall.any")], ...FOULS.map((name) => [name, t(`foul.${name}`)])]);
options(byId("certain"), [["", t("hall.any")], ["true", t("ruling.certain")], ["false", t("ruling.doubtful")]]);
options(byId("missed"), [["", t("hall.any")], ["true", t("hall.missed")], ["false", t("placement.good")]]);
const FIELDS = { limit: "limit", within: "within_mm", missed: "missed", foul: "foul", player: "player", certain: "certain", since: "since" };
const given = new URLSearchParams(location.search);
for (const [id, name] of Object.entries(FIELDS)) if (given.has(name)) byId(id).value = given.get(name);

let timer = null;
let number = 0;

async function find() {
  const mine = ++number;
  const wanted = new URLSearchParams(Object.entries(FIELDS).map(([id, name]) => [name, byId(id).value.trim()]).filter(([, value]) => value));
  history.replaceState(null, "", wanted.size ? `?${wanted}` : location.pathname);
  const asked = new URLSearchParams(wanted);
  if (asked.has("since")) asked.set("since", dayBegins(asked.get("since")));
  const rows = await read(`/api/hall/search?${asked}`);
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
