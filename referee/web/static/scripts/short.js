// A ruling in six words with names, as people at the board say it: "Ravi: white in, plays again".

import { playerAt, sides } from "./view.js";
import { has, t, tokensOf } from "./words.js";

const KINDS = { W: "white", B: "black", Q: "queen", S: "striker" };

/** `view` for names and for who won a board that is over. */
export function shortRuling(ruling, view) {
  const who = playerAt(view, ruling.seat);
  if (ruling.annulled) return t("short", { who, what: t("short.annulled") });
  if (ruling.sentences.some(({ reason, kind }) => kind === "annulled" && reason === "board_is_over")) return t("short", { who, what: t("short.after_end") });
  return t("short", { who, what: [happened(ruling.stroke_text), follows(ruling, view)].filter(Boolean).join(t("short.and")) });
}

/** What a stroke came to, without names. */
export function happened(text) {
  const tokens = tokensOf(text).map((token) => token.split("@")[0]);
  const counted = new Map();
  for (const token of tokens) counted.set(token, (counted.get(token) ?? 0) + 1);
  const parts = [...counted].map(([token, n]) => part(token, n));
  return parts.length ? parts.join(t("short.with")) : t("short.nothing");
}

function part(token, n) {
  if (token in KINDS) return t(`short.in_${KINDS[token]}`, { n });
  const [kind, what] = token.split(":");
  if (kind === "off" && what in KINDS) return t(`short.off_${KINDS[what]}`, { n });
  if (kind === "choice" && has(`choice.${what}`)) return t(`choice.${what}`);
  return has(`foul.${what}`) ? t(`foul.${what}`) : token;
}

function follows(ruling, view) {
  if (ruling.board_over) return ended(ruling, view);
  if (!ruling.turn) return "";
  return ruling.turn === ruling.seat ? t("short.again") : t("short.turn", { who: playerAt(view, ruling.turn) });
}

/** Who won the board: told only of the last one, whose result the match document has. */
function ended(ruling, view) {
  const last = view?.rulings?.at(-1);
  const result = view?.boards?.at(-1);
  if (!result || last?.stroke !== ruling.stroke || !view.board_over) return t("board.over");
  const most = Math.max(...result.points);
  const won = view.sides.findIndex((_, i) => result.points[i] === most);
  const name = sides(view).find((side) => side.number === won + 1)?.name;
  return most > 0 && name ? t("short.board", { who: name, n: most }) : t("board.over");
}
