// The API for stored matches: what is read, and what its owner asks for with the PIN.

import { fileOf, strokeFile } from "./places.js";
import { signIn } from "./sign.js";
import { has, language, t } from "./words.js";

export class LibraryError extends Error {
  /** `status` 0: the referee cannot be reached; `why` is what it said itself, in English. */
  constructor(status, sentence, why = "") {
    super(sentence);
    this.status = status;
    this.why = why;
  }
}

const enc = encodeURIComponent;

export function matches(asked) {
  return read(`/api/matches?${query(asked)}`);
}

export function match(id) {
  return read(`/api/matches/${enc(id)}?lang=${language}`);
}

/** How the match stood after each stroke, and what of it is worth being seen; `number` is which match of its log. */
export function story(id, number = "") {
  return read(`${fileOf(id, "story")}?${query({ number })}`);
}

export function evidence(id, n) {
  return read(strokeFile(id, n, `?lang=${language}`).replace("/?", "?"));
}

export function tracks(id, n) {
  return read(strokeFile(id, n, "tracks"));
}

/** What another rule book, or the tracks, would have made of it: `asked` is { rules, source }. */
export function judgedAgain(id, asked) {
  return read(`${fileOf(id, "again")}?${query({ ...asked, lang: language })}`);
}

/** Has the program look at the match's clips again: { done, of, runs, problem }; `lookedAgain` tells how far it has come. */
export async function lookAgain(id) {
  return (await asOwner(fileOf(id, "rewatched"), { method: "POST" })).json();
}

export function lookedAgain(id) {
  return read(fileOf(id, "rewatched"));
}

export function stopLooking(id) {
  return asOwner(fileOf(id, "rewatched"), { method: "DELETE" });
}

/** What the pages show now, by section. */
export function state() {
  return read("/api/state");
}

export function statistics(asked) {
  return read(`/api/statistics?${query(asked)}`);
}

/** Every named player by rating, see the API; `asked` is { since, until }. */
export function standings(asked) {
  return read(`/api/standings?${query(asked)}`);
}

/** The address of the same figures as a table for a spreadsheet. */
export function statisticsTable(asked) {
  return `/api/statistics.csv?${query(asked)}`;
}

export function remove(id) {
  return asOwner(`/api/matches/${enc(id)}`, { method: "DELETE" });
}

export function keep(id, n) {
  return asOwner(strokeFile(id, n, "kept"), { method: "PUT" });
}

/** Packs a match; gives the address of the archive. */
export async function pack(id) {
  return (await (await asOwner(fileOf(id, "archive"), { method: "POST" })).json()).file;
}

/** Has what was seen drawn into a copy of a clip, in slow motion; gives its address. */
export async function drawClip(id, n) {
  return (await (await asChanger(strokeFile(id, n, `shown?lang=${language}`), { method: "POST" })).json()).file;
}

/** Takes over the match of an archive; gives { id, is_new, is_longer, problems }. */
export async function takeIn(file) {
  return (await asOwner("/api/matches", { method: "POST", body: file })).json();
}

function query(asked) {
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "" && value !== null && value !== undefined)).toString();
}

async function read(path) {
  return (await checked(await call(path))).json();
}

/** Asks for the PIN first if this browser has no session, or one that may not. */
async function asOwner(path, options) {
  const { role } = await (await call("/api/session")).json();
  if (role !== "umpire" && !(await signIn())) throw new LibraryError(401, t("error.gave_up"));
  return checked(await call(path, options));
}

/** As `asOwner`, where a paired tablet is enough. */
async function asChanger(path, options) {
  const { role } = await (await call("/api/session")).json();
  if (!role && !(await signIn())) throw new LibraryError(401, t("error.gave_up"));
  return checked(await call(path, options));
}

async function call(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new LibraryError(0, t("replay.offline"));
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  const { status } = answer;
  if (status === 401) throw new LibraryError(status, t("connection.private"));
  throw new LibraryError(status, t(has(`replay.error_${status}`) ? `replay.error_${status}` : "replay.error"), await detail(answer));
}

async function detail(answer) {
  try {
    return String((await answer.json()).detail);
  } catch {
    return String(answer.status);
  }
}
