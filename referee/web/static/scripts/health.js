// What people should know of the camera and the machine, in words.

import { t } from "./words.js";

/** An alert of the health section. */
export function healthWords({ kind, n }) {
  return t(`health.${kind}`, { n });
}

/** All of them as one text, empty when all is well. */
export function healthText(health) {
  return (health?.alerts ?? []).map(healthWords).join("  ·  ");
}
