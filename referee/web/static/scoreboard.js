// The scoreboard: what the hub says, drawn. Nothing is worked out here that the referee has not said.

import { announce } from "./announce.js";
import { createBoard } from "./board.js";
import { freshness, watch } from "./connection.js";
import { coinRow, queen, rulings, sides } from "./view.js";
import { phaseWords, words } from "./words.js";

const BUSY = new Set(["hand", "placed", "moving", "settling", "calibrating"]);
const SMALLEST = 4; // steps by which a long ruling may be set smaller, so that no word of it is ever cut off
const LONG_QUEEN = 20; // characters of the queen's line that fit beneath the board at full size
const LONG_TURN = 12; // characters of whose turn it is that fit on a panel at full size
const EARLIER = 3;
const ALERT_S = 120; // an alert is shown this long by the match's own clock, unless newer strokes push it away

const byId = (id) => document.getElementById(id);
const board = createBoard(byId("board"));

/** Writes only what differs, so that screen readers are not told the same thing twice. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A panel a side: the page has two, further ones are made like them. */
function panel(index) {
  const there = byId(`side-${index}`);
  if (there) return there;
  const made = byId("side-1").cloneNode(true);
  made.id = `side-${index}`;
  made.setAttribute("aria-labelledby", `name-${index}`);
  made.querySelector(".name").id = `name-${index}`;
  made.querySelector(".coins").removeAttribute("data-shown");
  byId("side-1").parentElement.append(made);
  return made;
}

function drawSide(index, side) {
  const box = panel(index);
  const find = (selector) => box.querySelector(selector);
  box.dataset.turn = String(Boolean(side.label));
  write(find(".name"), side.name);
  find(".name").dataset.partners = String(side.seats.length > 1);
  write(find(".score"), side.score === null ? "–" : String(side.score));
  find(".score").classList.toggle("wide", String(side.score).length > 2);
  write(find(".turn"), side.label || words.turn);
  find(".turn").dataset.long = String(side.label.length > LONG_TURN);
  find(".who .coin").dataset.kind = side.colour ?? "unknown";
  drawCoins(find(".coins"), side);
  write(find(".left-text"), side.colour === "none" ? "" : words.left(side.left));
  write(find(".due"), side.due > 0 ? words.owes(side.due) : "");
}

function drawCoins(row, side) {
  row.hidden = side.colour === "none";
  const coins = coinRow(side.left);
  const signature = `${side.colour}:${side.left}`;
  if (row.dataset.shown === signature) return;
  row.dataset.shown = signature;
  row.setAttribute("aria-label", `${side.colour ?? ""} ${words.left(side.left)}`.trim());
  row.replaceChildren(...coins.map((there) => {
    const coin = document.createElement("span");
    coin.className = "coin";
    coin.dataset.kind = there === null ? "unknown" : side.colour ?? "unknown";
    coin.dataset.gone = String(there === false);
    return coin;
  }));
}

function drawView(view) {
  const all = sides(view);
  all.forEach((side, index) => drawSide(index, side));
  for (let index = all.length; byId(`side-${index}`); index += 1) byId(`side-${index}`).remove();
  document.querySelector("main").dataset.sides = String(all.length);
  drawSeats(view);
  drawQueen(view);
  drawRuling(view);
  drawAlert(view);
  write(byId("match"), headline(view));
}

function headline(view) {
  if (!view) return "Carrom";
  const parts = [view.rules.toUpperCase()];
  if (view.board) parts.push(words.board(view.board));
  if (view.match_over) parts.push(words.matchOver);
  else if (view.board_over) parts.push(words.boardOver);
  if (view.change_seats) parts.push(words.changeSeats);
  return parts.join(" · ");
}

function drawSeats(view) {
  const shown = {};
  for (const side of sides(view)) {
    for (const seat of side.seats) {
      shown[seat] = { name: view?.players?.[seat] || words.seats[seat], turn: Boolean(side.label) && [view.turn, view.breaks_next, view.winner].includes(seat) };
    }
  }
  board.setSeats(shown);
}

function drawQueen(view) {
  const { status, text } = queen(view);
  byId("queen").dataset.status = status;
  byId("queen").dataset.long = String(text.length > LONG_QUEEN);
  write(byId("queen").lastElementChild, text);
}

function drawRuling(view) {
  const box = byId("ruling");
  const [last, ...earlier] = rulings(view);
  const sentence = box.querySelector(".sentence");
  const text = last ? last.text : words.noRuling;
  write(sentence, text);
  const certain = last ? String(last.certain) : "none";
  box.dataset.certain = certain;
  write(box.querySelector(".badge span"), last ? verdict(last) : "");
  write(box.querySelector(".badge small"), last ? note(last) : "");
  write(box.querySelector(".before"), earlier.length ? words.earlier(earlier.slice(0, EARLIER)) : "");
  fit(sentence);
}

/** Sets the sentence as large as its place allows. */
function fit(sentence) {
  for (let size = 0; size <= SMALLEST; size += 1) {
    sentence.dataset.size = String(size);
    if (sentence.scrollHeight <= sentence.clientHeight) return;
  }
}

function verdict(ruling) {
  if (ruling.annulled) return words.annulled;
  if (!ruling.certain) return `? ${words.doubtful}`;
  return `✓ ${ruling.corrected ? words.corrected : words.certain}`;
}

function note(ruling) {
  const parts = [words.stroke(ruling.n)];
  if (!ruling.certain) parts.push(words.askUmpire);
  return parts.join(" · ");
}

function drawAlert(view) {
  const box = byId("alert");
  const alert = view?.alerts?.at(-1);
  const questions = view?.needs_operator?.length ?? 0;
  const texts = [];
  if (questions) texts.push(`${words.proposals(questions)}: ${view.needs_operator[0].text}`);
  if (alert && isRecent(alert)) texts.push(alert.text);
  box.hidden = texts.length === 0;
  document.body.dataset.alert = String(!box.hidden);
  write(box, texts.join("  ·  "));
}

function isRecent(alert) {
  const now = store?.sections.live?.t;
  return now === undefined || now - alert.t < ALERT_S;
}

function drawLive({ live, table }) {
  const seen = live?.pieces?.length ? live.pieces : table?.pieces ?? [];
  board.setPieces(seen);
  board.setHands(live?.hands ?? []);
  const box = byId("phase");
  const phase = live?.phase ?? "waiting";
  box.dataset.phase = phase;
  box.dataset.busy = String(BUSY.has(phase));
  write(box.lastElementChild, phaseWords(phase));
}

function drawFreshness(store) {
  const fresh = freshness(store);
  document.body.dataset.connection = fresh.state;
  byId("connection").dataset.state = fresh.state;
  write(byId("connection-text"), words.connection[fresh.state](fresh));
  announce(fresh.state);
  byId("phase").hidden = fresh.state !== "live";
  const old = ["stale", "away", "lost"].includes(fresh.state);
  board.setStale(old);
  const { live, table } = store.sections;
  byId("veil").hidden = !old;
  if (old) write(byId("veil"), live || table ? words.veil[fresh.state](fresh) : words.veil.empty());
}

function draw(store, section) {
  const { sections } = store;
  if ((section === null || section === "board") && sections.board) board.setGeometry(sections.board);
  if (section === null || section === "view") drawView(sections.view);
  if (section !== "view" && section !== "clock") drawLive(sections);
  drawFreshness(store);
}

addEventListener("resize", () => fit(byId("ruling").querySelector(".sentence")));

let store = null;
store = watch((now, section) => { store = now; draw(now, section); });
