// The machine's page: how the camera, the computer and its disk do, looked at every five seconds.

import { byId, h, write } from "./dom.js";
import { createJoining } from "./joining.js";
import { createMenu } from "./menu.js";
import { begin } from "./page.js";
import { healthWords } from "./health.js";
import { traits } from "./passport.js";
import { locale, t } from "./words.js";

const LOOK_MS = 5000;
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

begin("machine");
createMenu(byId("menu"));
createJoining();
write(byId("address"), location.origin);
const showCode = () => { byId("code").hidden = !byId("code").naturalWidth; }; // without the referee there is none
for (const what of ["load", "error"]) byId("code").addEventListener(what, showCode);
showCode();

const gigabytes = (mb) => t("machine.gb", { n: number.format(mb / 1000) });
const milliseconds = (seconds) => t("machine.ms", { n: Math.round(seconds * 1000) });
const percent = (share) => t("machine.percent", { n: number.format(share * 100) });
const reasons = (names) => names.map((name) => t(`machine.why_${name}`)).join(", ") || t("machine.no");

/** Each fact with how it is written; those that are not known are left out. */
function facts({ eyes, machine, viewers }) {
  return [
    ["camera", eyes?.camera, (state) => t(`machine.camera_${state}`)], ["source", eyes?.source, String], ["why", eyes?.why, String],
    ["exposure", eyes?.condition?.exposure_s, (seconds) => t("machine.ms", { n: number.format(seconds * 1000) })],
    ["gain", eyes?.condition?.gain, (gain) => number.format(gain)],
    ["sensor", eyes?.condition?.temperature_c, (degrees) => t("machine.degrees", { n: number.format(degrees) })],
    ["fps", eyes?.fps, (fps) => number.format(fps)], ["lost", eyes?.lost, String],
    ["unrecorded", eyes?.unrecorded || null, String],
    ["delay", eyes?.delay_s, milliseconds], ["delay_worst", eyes?.delay_worst_s, milliseconds], ["ruling", eyes?.ruling_s, milliseconds],
    ["cpu", machine?.cpu_share, percent], ["memory", machine?.memory_free_mb, gigabytes],
    ["temperature", machine?.temperature_c, (degrees) => t("machine.degrees", { n: number.format(degrees) })],
    ["throttled", machine?.throttled, reasons], ["throttled_before", machine?.throttled_since_boot, reasons],
    ["disk", machine?.disk_free_mb, gigabytes], ["lasts", machine?.disk_hours, (hours) => t("age.hours", { n: number.format(hours) })],
    ["clock", machine?.clock_set, (set) => t(set ? "machine.clock_set" : "machine.clock_unset")], ["viewers", viewers, String],
  ].filter(([, value]) => value !== null && value !== undefined);
}

function drawReport(report) {
  write(byId("status"), t(`machine.status_${report.status}`));
  byId("status").dataset.status = report.status;
  byId("alerts").replaceChildren(...report.alerts.map((alert) => h("li", {}, healthWords(alert))));
  byId("facts").replaceChildren(...facts(report).flatMap(([name, value, written]) => [h("dt", {}, t(`machine.${name}`)), h("dd", {}, written(value))]),
    ...traits(report.eyes?.passport).flatMap(({ name, figure }) => [h("dt", {}, name), h("dd", {}, figure)]));
}

async function look() {
  try {
    const answer = await fetch("/api/health");
    if (answer.status === 401) write(byId("status"), t("connection.private"));
    else drawReport(await answer.json());
  } catch {
    write(byId("status"), t("machine.status_lost"));
    byId("status").dataset.status = "failing";
  }
  setTimeout(look, LOOK_MS);
}

look();
