// The board's passport in words: what has been measured of it while people played.

import { locale, t } from "./words.js";

/** A figure to the place at which it becomes unsure, with how sure it is and from how many measurements. */
function measured({ value, sigma, n }) {
  const places = Math.max(0, -Math.floor(Math.log10(sigma || 1)));
  const figure = (x) => new Intl.NumberFormat(locale, { minimumFractionDigits: places, maximumFractionDigits: places }).format(x);
  return t("machine.measured", { value: figure(value), sigma: figure(sigma), n });
}

/** Each trait that is known, as the machine's report has them: [{ name, figure }]. */
export function traits(passport) {
  return Object.entries(passport ?? {}).map(([trait, quantity]) => ({ name: t(`machine.trait_${trait}`), figure: measured(quantity) }));
}
