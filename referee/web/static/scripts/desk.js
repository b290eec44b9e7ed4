// Talking to the umpire's API: a session asked for when needed, errors as one sentence.

import { signIn } from "./sign.js";
import { has, language, t } from "./words.js";

export class DeskError extends Error {
  /** `why`: what the referee itself said, in English. */
  constructor(message, why = null) {
    super(message);
    this.why = why;
  }
}

/** Sends a change; gives its id, made here: the log's line bears it, and a change that arrives twice is done once. */
export async function send(request, path = "/api/umpire") {
  const id = [...crypto.getRandomValues(new Uint8Array(12))].map((n) => n.toString(16).padStart(2, "0")).join("");
  return (await (await asUmpire(path, { ...request, id })).json()).id;
}

/** Asks the set-up for something; its state shows what came of it. */
export async function askSetUp(request) {
  await asUmpire("/api/setup", request);
}

/** What a change would do, see the API. */
export async function preview(request) {
  return (await asUmpire(`/api/umpire/preview?lang=${language}`, request)).json();
}

/** Every stroke, newest first. */
export async function strokes() {
  return (await checked(await call(`/api/strokes?lang=${language}`))).json();
}

/** Where the pieces lay before a stroke. */
export async function boardBefore(n) {
  return (await (await checked(await call(`/api/strokes/${n}/board`))).json()).pieces;
}

/** The names of all who played, those who played last first. */
export async function players() {
  return (await checked(await call("/api/players"))).json();
}

/** Everything that people changed, newest first. */
export async function changes() {
  return (await checked(await call("/api/changes"))).json();
}

/** The text of a rule book: { text }. */
export async function readBook(name) {
  return (await checked(await call(`/api/books/${name}`))).json();
}

/** Keeps a rule book of the club's own. */
export async function keepBook(name, text) {
  return (await asUmpire(`/api/books/${name}`, { text }, "PUT")).json();
}

export async function removeBook(name) {
  await asUmpire(`/api/books/${name}`, {}, "DELETE");
}

/** Joins the hall of an invitation: { hub }. */
export async function joinHall(invitation, name) {
  return (await asUmpire("/api/hall", { invitation, name })).json();
}

/** The invitation in a photograph of its code: { invitation }. */
export async function readInvitation(photo) {
  return (await asUmpire("/api/hall/picture", photo, "PUT")).json();
}

export async function leaveHall() {
  await asUmpire("/api/hall", {}, "DELETE");
}

/** A new invitation of a board to this hall: { text, svg, good_s }. */
export async function inviteBoard() {
  return (await asUmpire("/api/hall/invitation", {})).json();
}

/** The boards that were paired with this hall: [{ id, name, by, at, retired_at }]. */
export async function stations() {
  return (await asUmpire("/api/hall/stations", null, "GET")).json();
}

/** Takes a board's access to this hall away. */
export async function retireStation(id) {
  await asUmpire(`/api/hall/stations/${id}`, {}, "DELETE");
}

/** Has the hall's matches judged again: gives { batch }. */
export async function askAgain(wish) {
  return (await asUmpire("/api/hall/again", wish)).json();
}

/** Has the failed jobs of a batch tried again. */
export async function retryAgain(batch) {
  await asUmpire(`/api/hall/again/${batch}/retry`, {});
}

/** Gives the hall an event file: { games }. */
export async function keepEvent(text) {
  return (await asUmpire("/api/hall/event", { text }, "PUT")).json();
}

/** Begins a round: what became of each board. */
export async function beginRound(wish) {
  return (await asUmpire("/api/hall/event/begin", wish)).json();
}

/** Binds SoL's label to a board. */
export async function bindLabel(station, url) {
  await asUmpire(`/api/hall/event/cards/${station}`, { url }, "PUT");
}

export async function unbindLabel(station) {
  await asUmpire(`/api/hall/event/cards/${station}`, {}, "DELETE");
}

/** Asks for the PIN first if this browser has no session yet. */
async function asUmpire(path, request, method = "POST") {
  const options = request === null ? { method } : request instanceof Blob
    ? { method, headers: { "Content-Type": request.type || "image/jpeg" }, body: request }
    : { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) };
  const answer = await call(path, options);
  // A paired tablet that wants more than it may is asked for the PIN, and goes on where it was.
  if (answer.status !== 401 && answer.status !== 403) return checked(answer);
  if (!(await signIn())) throw new DeskError(t("error.gave_up"));
  return checked(await call(path, options));
}

async function call(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new DeskError(t("error.offline"));
  }
}

async function checked(answer) {
  if (answer.ok) return answer;
  const { status } = answer;
  if (!has(`error.${status}`)) throw new DeskError(t("error.status", { status }));
  const why = await detail(answer);
  throw new DeskError(t(`error.${status}`, { why }), why);
}

async function detail(answer) {
  try {
    return String((await answer.json()).detail);
  } catch {
    return String(answer.status);
  }
}
