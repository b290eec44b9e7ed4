// The settings of this device: language, colours, who reads, screen, voice.

import { keepAwake } from "./awake.js";
import { byId, h, write } from "./dom.js";
import { createEverywhere } from "./everywhere.js";
import { install, installState, onInstallState } from "./install.js";
import { choose, setting } from "./settings.js";
import { LANGUAGES, language, machineTranslated, t } from "./words.js";

/** Gives `button` a dialog to open, and begins keeping the screen on. */
export function createMenu(button) {
  const everywhere = createEverywhere();
  const dialog = h("dialog", { id: "settings", className: "settings", "aria-labelledby": "settings-title" },
    h("h2", { id: "settings-title" }, t("menu")),
    select("language", t("menu.language"), { "": t("menu.language_auto"), ...LANGUAGES }),
    machineTranslated ? h("p", { className: "machine" }, t("menu.machine"), " ", h("a", { href: `/languages?of=${language}` }, t("page.languages"))) : null,
    choice("theme", ["auto", "light", "dark"]),
    choice("facing", ["one", "both"]),
    choice("voice", ["off", "calls", "all"]),
    choice("instant", ["on", "off"]),
    choice("awake", ["on", "off"]),
    choice("kiosk", ["off", "on"]),
    h("p", { id: "awake-note", className: "quiet" }),
    h("div", { id: "install" }),
    h("a", { href: "/tour" }, t("page.tour")),
    everywhere.box,
    h("div", { className: "decide" },
      h("button", { type: "button", click: () => document.documentElement.requestFullscreen?.() }, t("menu.fullscreen")),
      h("button", { type: "button", className: "main", click: () => dialog.close() }, t("menu.close"))));
  document.body.append(dialog);
  if (machineTranslated) button.after(h("a", { className: "translated", href: `/languages?of=${language}` }, t("menu.machine")));
  button.setAttribute("aria-label", t("menu"));
  button.addEventListener("click", () => { everywhere.show(); dialog.showModal(); });
  keepAwake((state) => write(byId("awake-note"), state === "off" ? "" : t(`awake.${state}`)));
  onInstallState(drawInstall);
  drawInstall(installState());
}

function drawInstall(state) {
  const node = state === "can"
    ? h("button", { type: "button", click: install }, t("install.can"))
    : h("p", { className: "quiet", "data-state": state }, t(`install.${state}`));
  byId("install").replaceChildren(node);
}

function select(name, label, options) {
  const box = h("select", { change: () => choose(name, box.value) },
    ...Object.entries(options).map(([value, text]) => h("option", { value, selected: setting(name) === value }, text)));
  return h("label", {}, label, box);
}

function choice(name, values) {
  return h("fieldset", {}, h("legend", {}, t(`menu.${name}`)),
    h("div", { className: "choices" }, ...values.map((value) => h("label", {},
      h("input", { type: "radio", name, value, checked: setting(name) === value, change: () => choose(name, value) }),
      h("span", {}, t(`menu.${name}_${value}`))))));
}
