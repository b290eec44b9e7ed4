// What only the umpire may end: every session opened with the PIN, every tablet's pairing.

import { h, write } from "./dom.js";
import { drawSession, session } from "./sign.js";
import { t } from "./words.js";

const ENDS = { sign_out_all: "/api/sessions", unpair_all: "/api/pairing" };

/** Two buttons, each asked twice; `show()` fills the box for the umpire and leaves it empty for all others. */
export function createEverywhere() {
  const box = h("div", { className: "everywhere" });
  const said = h("p", { className: "quiet", role: "status" });

  const end = async (name) => {
    try {
      const answer = await fetch(ENDS[name], { method: "DELETE" });
      write(said, answer.ok ? t(`menu.${name}_done`) : t("error.status", { status: answer.status }));
    } catch {
      write(said, t("error.offline"));
    }
    await drawSession();
    await show();
  };

  const button = (name) => {
    const asked = h("button", { type: "button", id: name.replaceAll("_", "-"), click: () => {
      if (asked.dataset.sure) { end(name); return; }
      asked.dataset.sure = "true";
      write(asked, t("menu.sure", { what: t(`menu.${name}`) }));
    } }, t(`menu.${name}`));
    return asked;
  };

  const show = async () => {
    const { role, pin_needed: needed, pairing } = await session().catch(() => ({}));
    const names = needed && role === "umpire" ? ["sign_out_all", ...(pairing ? ["unpair_all"] : [])] : [];
    box.replaceChildren(...names.map(button), said);
  };

  return { box, show: () => { write(said, ""); return show(); } };
}
