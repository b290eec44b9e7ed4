// A match reviewed: timeline, player, evidence of each call; also while the match still runs.

import { createAgain } from "./again.js";
import { watch } from "./connection.js";
import { byId, h, write, writeProblem } from "./dom.js";
import { drawCard } from "./evidence.js";
import { evidence, LibraryError, match as fetchMatch, tracks as fetchTracks } from "./library.js";
import { createMenu } from "./menu.js";
import { createOwner } from "./owner.js";
import { begin } from "./page.js";
import { fileOf, strokeFile } from "./places.js";
import { createPlayer, strikeOf } from "./player.js";
import { shareFile } from "./share.js";
import { shortRuling } from "./short.js";
import { createStory } from "./story.js";
import { drawTimeline, markOpen, playerOf } from "./timeline.js";
import { has, language, locale, pocketedWords, strokeWords, t } from "./words.js";

const KEYS = { " ": "play", ArrowLeft: "back", ArrowRight: "forward", "[": "before", "]": "after", s: "strike", p: "pocketing", f: "foul", "-": "slower", "+": "faster", o: "overlay" };
const WRITE_MS = 300;
const CLIP_MS = 4000;
const TYPES = "input:not([type=range]), select, textarea, summary, dialog *";

begin("replay");
createMenu(byId("menu"));
const id = decodeURIComponent(location.pathname.split("/").at(-1));
const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const player = createPlayer({ moved: drawLink, lost: videoLost, ended: () => story.ended() });
let belongs = () => true; // which strokes the list shows
const story = createStory(id, {
  go: (n, lead = null) => openStroke(n, null, lead),
  player: () => player,
  narrowed: (wished) => { belongs = wished; drawTimeline(byId("boards"), match, open?.stroke, belongs); },
});
let match = null;
let open = null; // the stroke shown, with its evidence
let wanted = null; // the number of the stroke last asked for, which may still be on its way
let opening = 0;
let later = null; // a look for a clip that is still being written
let writing = null; // the address waits until the picture stands
const lost = new Set(); // strokes whose video could not be shown: it has gone, or its file is damaged

function say(text) {
  byId("note").hidden = !text;
  write(byId("note"), text ?? "");
}

function sayProblem(error) {
  byId("note").hidden = false;
  writeProblem(byId("note"), error);
}

function asked() {
  const hash = new URLSearchParams(location.hash.slice(1));
  return { n: Number(hash.get("stroke")) || null, at: hash.has("t") ? Number(hash.get("t")) : null };
}

async function loadMatch() {
  try {
    match = await fetchMatch(id);
  } catch (error) {
    if (!(error instanceof LibraryError)) throw error;
    sayProblem(error);
    if (!match) document.body.dataset.match = "missing";
    return;
  }
  document.body.dataset.match = match.strokes.length ? "there" : "empty";
  write(byId("title"), titleOf(match));
  document.title = `${titleOf(match)} · Carrom`;
  byId("empty").hidden = match.strokes.length > 0;
  byId("delete").disabled = match.running;
  drawTimeline(byId("boards"), match, open?.stroke, belongs);
  if (match.problems.length) say(match.problems.join(" "));
}

function titleOf({ sides, players, started }) {
  const names = sides.map((side) => side.seats.map((seat, i) => side.players[i] || players?.[seat] || t(`seat.${seat}`)).join(" & "));
  return [names.join(" – "), started ? day.format(new Date(started * 1000)) : ""].filter(Boolean).join(" · ");
}

/** Opens the stroke and the moment that the address asks for; without one the last stroke. */
async function openAsked() {
  const { n, at } = asked();
  const wished = match?.strokes.find(({ stroke }) => stroke === n) ?? match?.strokes.at(-1);
  if (!wished) return;
  if (n && wished.stroke !== n) say(t("replay.no_stroke", { n }));
  if (isShown(wished.stroke)) { if (at !== null) player.to(at); return; }
  await openStroke(wished.stroke, at);
}

function isShown(n) {
  return open?.stroke === n && wanted === n;
}

/** Shows a stroke at a moment; without one from its strike, or `lead` seconds before. */
async function openStroke(n, at, lead = null) {
  const mine = ++opening;
  if (wanted !== n && lead === null) story.stop();
  wanted = n;
  try {
    const stroke = await evidence(id, n);
    const traced = stroke.tracks ? await fetchTracks(id, n).catch(forgive) : null;
    if (mine !== opening) return;
    open = stroke;
    const hasVideo = Boolean(stroke.clip) && !lost.has(n);
    say(match.problems.join(" ") || missing(stroke, traced, hasVideo));
    document.body.dataset.stroke = traced || hasVideo ? "there" : "nothing";
    drawStroke();
    clearTimeout(later);
    // A clip is written some seconds after its stroke is ruled.
    if (match.running && !stroke.clip && stroke.stroke === match.strokes.at(-1).stroke) later = setTimeout(refresh, CLIP_MS);
    await player.show({ stroke, tracks: traced, video: hasVideo ? strokeFile(id, n, "clip.mp4") : null }, lead === null ? at : strikeOf(stroke) - lead);
    if (mine === opening && at === null && lead === null && !calm && stroke.clip && hasVideo) player.play();
  } catch (error) {
    if (!(error instanceof LibraryError)) throw error;
    sayProblem(error);
  }
}

/** Tracks that are damaged cost only themselves. */
function forgive(error) {
  if (error instanceof LibraryError) return null;
  throw error;
}

function missing(stroke, traced, hasVideo) {
  if (!traced && !hasVideo) return t("replay.nothing");
  if (!traced) return t("replay.no_tracks");
  if (lost.has(stroke.stroke)) return t("replay.video_gone");
  return stroke.pictures && !hasVideo ? t("replay.no_video") : "";
}

function drawStroke() {
  const who = playerOf(open, match);
  write(byId("caption"), `${t("stroke", { n: open.stroke })} · ${who}: ${strokeWords(open.stroke_text)}`);
  drawCard(byId("card"), open, { id, player: who, jump: (time) => { player.to(time); byId("screen").scrollIntoView({ block: "nearest" }); } });
  drawJumps();
  drawFiles();
  markOpen(byId("boards"), open.stroke);
  story.mark(open.stroke);
  byId("share").hidden = !open.clip;
  byId("before").disabled = !neighbour(-1);
  byId("after").disabled = !neighbour(1);
}

function drawJumps() {
  const wanted = open.moments.filter(({ what }) => what !== "called" && what !== "returned");
  byId("jumps").replaceChildren(...wanted.map((moment) => h("button", { type: "button", "data-what": moment.what, click: () => player.to(moment.t) }, momentWords(moment))));
}

function momentWords({ what, kind, pocket }) {
  const piece = kind && has(`kind.${kind}`) ? t(`kind.${kind}`) : "";
  if (what === "pocketed" && pocket) return pocketedWords(piece, pocket);
  return t(`happening.${what}`, { piece });
}

function drawFiles() {
  const file = (name, text) => h("a", { className: "button", href: fileOf(id, name), target: name.startsWith("sheet") ? "_blank" : "", rel: "noopener" }, text);
  byId("files").replaceChildren(file(`sheet?lang=${language}`, t("replay.sheet")), file("strokes.csv", t("replay.strokes_csv")), file("rulings.csv", t("replay.rulings_csv")), file("match.json", "JSON"),
    h("a", { className: "button", href: `/statistics?match=${encodeURIComponent(id)}` }, t("page.statistics")),
    h("button", { type: "button", id: "archive", click: () => owner.pack() }, t("replay.archive")),
    open?.clip ? h("button", { type: "button", id: "keep", disabled: open.kept, click: () => owner.keep(open) }, t("replay.keep")) : "",
    open?.clip ? h("button", { type: "button", id: "draw", click: () => owner.draw(open) }, t("replay.draw")) : "");
}

/** The address of this very moment, to hand on; browsers refuse to write it down for each frame of a quick finger. */
function drawLink(time) {
  if (!open) return;
  const hash = `#stroke=${open.stroke}&t=${time.toFixed(3)}`;
  byId("link").href = hash;
  const before = location.hash;
  clearTimeout(writing);
  // What was asked for meanwhile, by a link or a key, is not taken back.
  writing = setTimeout(() => { if (location.hash === before) history.replaceState(null, "", hash); }, WRITE_MS);
}

/** Made room for while somebody watches: the drawn board goes on. */
async function videoLost() {
  lost.add(open.stroke);
  if (isShown(open.stroke)) await openStroke(open.stroke, asked().at);
}

function neighbour(step) {
  const at = match.strokes.findIndex(({ stroke }) => stroke === wanted);
  return at === -1 ? null : match.strokes[at + step] ?? null;
}

function goTo(stroke, time = null) {
  if (!stroke) return;
  history.pushState(null, "", `#stroke=${stroke.stroke}${time === null ? "" : `&t=${time.toFixed(3)}`}`);
  openAsked();
}

/** The next stroke with a foul, or with a pocketing and its moment; from the last one on from the first. */
function next(what) {
  const at = match.strokes.findIndex(({ stroke }) => stroke === wanted);
  const rest = [...match.strokes.slice(at + 1), ...match.strokes.slice(0, at + 1)];
  if (what === "foul") goTo(rest.find(({ fouls }) => fouls.length));
  const found = rest.map((stroke) => [stroke, stroke.moments.find((moment) => moment.what === "pocketed")]).find(([, moment]) => moment);
  if (what === "pocketing" && found) goTo(found[0], found[1].t);
}

const ACTIONS = {
  play: () => player.toggle(), back: () => player.step(-1), forward: () => player.step(1), before: () => goTo(neighbour(-1)), after: () => goTo(neighbour(1)),
  strike: () => open && player.to(strikeOf(open)), pocketing: () => next("pocketing"), foul: () => next("foul"),
  slower: () => player.speed(-1), faster: () => player.speed(1), overlay: () => player.toggleOverlay(),
};

addEventListener("keydown", (event) => {
  const name = KEYS[event.key];
  if (!name || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPES)) return;
  if (event.key === " " && event.target.closest("button, a")) return;
  event.preventDefault();
  ACTIONS[name]();
});
addEventListener("hashchange", openAsked);
byId("link").addEventListener("click", async (event) => {
  event.preventDefault();
  say(t(await copied(byId("link").href) ? "replay.copied" : "replay.not_copied"));
});
byId("share").addEventListener("click", async () => {
  const done = await shareFile(strokeFile(id, open.stroke, "clip.mp4"), `carrom-${open.stroke}.mp4`, shortRuling(open, match));
  if (done !== "not") say(t(`over.share_${done}`));
});
byId("full").addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : byId("stage").requestFullscreen?.()));
byId("full").hidden = !document.fullscreenEnabled;

/** Copies a text; on plain http browsers have only the old way. */
async function copied(text) {
  try {
    if (navigator.clipboard) { await navigator.clipboard.writeText(text); return true; }
  } catch {
    // refused: the old way may work all the same
  }
  const field = h("textarea", { value: text, className: "visually-hidden" });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
for (const name of ["before", "after"]) byId(name).addEventListener("click", ACTIONS[name]);
byId("keys").append(...Object.entries(KEYS).flatMap(([key, name]) => [h("dt", {}, h("kbd", {}, has(`key.${key}`) ? t(`key.${key}`) : key)), h("dd", {}, t(`replay.${name}`))]));

const owner = createOwner(id, { kept: (n) => openStroke(n, asked().at), match: () => match });
await loadMatch();
await openAsked();
if (match) {
  await story.show(match, open?.stroke);
  await createAgain(id, match.rules);
}

/** The stroke that is asked for stays; what has come to it since, such as its clip, is shown too. */
async function refresh() {
  await loadMatch();
  if (match) await story.show(match, open?.stroke);
  const n = wanted;
  if (n === null) { await openAsked(); return; }
  const fresh = await evidence(id, n).catch(forgive);
  if (!fresh || wanted !== n) return;
  const came = !isShown(n) || Boolean(fresh.clip) !== Boolean(open.clip) || fresh.tracks !== open.tracks;
  if (came) { await openStroke(n, asked().n === n ? asked().at : null); return; }
  open = fresh;
  drawStroke();
}

// While the match runs, each new stroke and ruling makes the timeline another one.
let told = "";
watch(async (store) => {
  const { log, view } = store.sections;
  const now = log && view ? JSON.stringify([log.strokes, log.corrections, view.rulings.at(-1)]) : "";
  if (!log || log.replay !== id || now === told) return;
  told = now;
  await refresh();
});
