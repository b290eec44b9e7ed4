// Every word the pages say, in one table a language, so that another language is another table.

const english = {
  seats: { south: "South", west: "West", north: "North", east: "East" },
  kinds: { white: "White", black: "Black", queen: "Queen", striker: "Striker" },
  phases: {
    waiting: "Watching", idle: "Watching", hand: "Hand on board", placed: "Striker placed", moving: "Pieces moving",
    settling: "Coming to rest", needs_you: "Needs umpire", calibrating: "Finding board", lost: "Board not seen",
    between: "Between boards", formation: "Formation set", ended: "Recording ended", paused: "Paused",
  },
  queen: {
    board: () => "Queen on the board",
    pending: (who) => `${who ?? "The striking side"} must cover the queen`,
    void: () => "Queen goes back on the board",
    covered: (who) => (who ? `${who} covered the queen` : "Queen covered"),
    unknown: () => "Queen not known",
  },
  connection: {
    connecting: () => "Connecting…",
    live: (f) => (f.fps ? `Live · ${Math.round(f.fps)} fps` : "Live"),
    waiting: () => "Waiting for the camera",
    stale: (f) => `No picture for ${age(f.seconds)}`,
    away: (f) => `Camera side stopped ${age(f.seconds)} ago`,
    lost: (f) => `Reconnecting · last heard ${age(f.seconds)} ago`,
    ended: () => "The recording has ended",
  },
  veil: {
    stale: (f) => `Last seen ${age(f.seconds)} ago`,
    away: (f) => `Camera stopped · last seen ${age(f.seconds)} ago`,
    lost: (f) => `Connection lost · last seen ${age(f.seconds)} ago`,
    empty: () => "Waiting for the first picture",
  },
  announce: {
    connecting: "Connecting", live: "Live", waiting: "Waiting for the camera", stale: "The picture is old",
    away: "The camera side has stopped", lost: "Connection lost", ended: "The recording has ended",
  },
  turn: "To strike",
  breaks: "To break",
  won: "Match won",
  left: (n) => (n === null ? "coins not known" : `${n} left`),
  owes: (n) => `Owes ${n}`,
  board: (n) => `Board ${n}`,
  noRuling: "No stroke yet. The referee is watching.",
  nothing: "Nothing to rule.",
  certain: "Certain",
  doubtful: "Doubtful",
  askUmpire: "the umpire decides",
  annulled: "Taken back",
  corrected: "Corrected",
  stroke: (n) => `stroke ${n}`,
  earlier: (rulings) => `Earlier: ${rulings.map((r) => `${r.n}. ${r.text}`).join("  ·  ")}`,
  Stroke: (n) => `Stroke ${n}`,
  correct: "Correct",
  correctStroke: (n) => `Correct stroke ${n}`,
  correcting: (n) => `Correction of stroke ${n}`,
  undo: "Undo",
  redo: "Redo",
  done: (what) => `${what}: done.`,
  refused: (what, why) => `${what}: ${why}.`,
  unconfirmed: (what) => `${what}: sent, but not in the log yet. Look at the list before you try again.`,
  makeItCount: "Make it count",
  notRuled: "Not ruled yet.",
  reads: "Will read:",
  until: "Reads now:",
  fouls: {
    placement: "Placement", cut_moon: "Cut the moon", touching_arrow: "On the arrow", touch: "Touched a coin",
    push: "Push", hand_over_diagonal: "Hand over diagonal", no_leave: "Did not leave",
  },
  boardOver: "Board over",
  matchOver: "Match over",
  changeSeats: "Change seats",
  proposals: (n) => (n === 1 ? "1 question for the umpire" : `${n} questions for the umpire`),
};

function age(seconds) {
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

export const words = english;

/** The phase in words; an unknown one is shown as it came. */
export function phaseWords(phase) {
  return words.phases[phase] ?? String(phase ?? "").replaceAll("_", " ");
}

const TOKENS = { W: "White", B: "Black", Q: "Queen", S: "Striker" };

/** Stroke tokens (`W@NE,off:S,foul:push`) as a sentence for people. */
export function strokeWords(text) {
  const tokens = String(text ?? "").split(",").map((t) => t.trim()).filter((t) => t && t !== "-");
  if (!tokens.length) return "Nothing pocketed";
  return tokens.map(tokenWords).join(", ");
}

function tokenWords(token) {
  const [name, pocket] = token.split("@");
  if (TOKENS[name]) return `${TOKENS[name]} pocketed${pocket ? ` (${pocket})` : ""}`;
  if (name.startsWith("off:")) return `${TOKENS[name.slice(4)] ?? name.slice(4)} off the board`;
  if (name.startsWith("foul:")) return `foul: ${name.slice(5).replaceAll("_", " ")}`;
  if (name.startsWith("before:")) return `before the stroke: ${name.slice(7).replaceAll("_", " ")}`;
  return token;
}
