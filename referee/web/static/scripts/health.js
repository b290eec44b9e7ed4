// What people should know of the camera and the machine, in words.

import { locale, t } from "./words.js";

const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

/** An alert of the health section. */
export function healthWords({ kind, n, hours }) {
  const text = t(`health.${kind}`, { n: n === null || n === undefined ? "" : number.format(n) });
  return hours === null || hours === undefined ? text : `${text} ${t("health.disk_lasts", { n: number.format(hours) })}`;
}

/** All of them as one text but those `without` (told elsewhere); empty when all is well. */
export function healthText(health, ...without) {
  return (health?.alerts ?? []).filter(({ kind }) => !without.includes(kind)).map(healthWords).join("  ·  ");
}
