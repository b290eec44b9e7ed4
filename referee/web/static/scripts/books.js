// Rule books by their names: what a match document calls `icf+team+stay` is said in words.

import { has, t } from "./words.js";

export function bookName(rules) {
  const [base, ...modifiers] = rules.split("+");
  // A house rule is named by the path of its file, a club's own book as the club called it.
  const name = has(`book.${base}`) ? t(`book.${base}`) : base.split("/").at(-1).replace(/\.toml$/, "").replaceAll("_", " ");
  return [name, ...modifiers.map(modifierName)].join(", ");
}

function modifierName(modifier) {
  const [name, n] = modifier.split("=");
  return has(`book.${name}`) ? t(`book.${name}`, { n }) : modifier.replaceAll("_", " ");
}

/** Every rule book with what to ask for by number of players: [{ name, players: { 2: "icf", 4: "icf+team" } }]. */
export async function books({ faulty = false } = {}) {
  const every = await (await fetch("/api/books")).json();
  return faulty ? every : every.filter(({ problem }) => !problem);
}
