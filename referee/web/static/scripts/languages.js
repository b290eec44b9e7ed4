// How a translation is corrected, and every phrase of it beside the English one.

import { watch } from "./connection.js";
import { byId, h, write } from "./dom.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { drawConnection } from "./signs.js";
import { LANGUAGES, language, t } from "./words.js";

begin("languages");
createMenu(byId("menu"));

const box = byId("language");
const wished = new URLSearchParams(location.search).get("of");
const first = wished in LANGUAGES ? wished : language;
box.append(...Object.entries(LANGUAGES).map(([value, text]) => h("option", { value, selected: value === first }, text)));
box.addEventListener("change", () => show(box.value));

async function show(code) {
  const told = await (await fetch(`/api/languages/${code}`)).json();
  write(byId("state"), t("languages.state", { n: told.lacking, name: LANGUAGES[code] }));
  byId("parts").replaceChildren(...told.parts.map((part) => table(part, told)));
}

function table({ file, phrases }, { code, direction }) {
  const rows = phrases.map(({ path, english, own }) => h("tr", { "data-lacking": String(own === null) },
    h("td", { lang: "en", dir: "ltr" }, english), h("td", { lang: code, dir: direction }, own ?? "—"), h("td", { className: "path", dir: "ltr" }, path)));
  return h("details", {}, h("summary", { dir: "ltr" }, `referee/languages/${code}/${file}`), h("table", {}, h("tbody", {}, ...rows)));
}

show(first);
watch(drawConnection);
