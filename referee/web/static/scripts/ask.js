// What a touch on the ruling opens: the question with its moment and its answers, or the ruling with what can be done.

import { byId, h, write } from "./dom.js";
import { createLoop } from "./loop.js";
import { matchPage, strokeFile } from "./places.js";
import { shareFile } from "./share.js";
import { happened, shortRuling } from "./short.js";
import { playerAt, sides } from "./view.js";
import { strokeWords, t } from "./words.js";

const LARGE = 2; // answers that stand out; the others follow beneath

/** `change` sends, `correct(ruling)` opens the editor, `sections()` gives what is known now. */
export function createAsk({ change, correct, sections }) {
  const dialog = byId("ask");
  const loop = createLoop(byId("ask-loop"));
  const say = (text) => { byId("ask-message").hidden = !text; write(byId("ask-message"), text ?? ""); };
  const close = () => dialog.close();
  const sent = async (request, what) => {
    const why = await change(request, what);
    if (why) say(why);
    else close();
  };
  dialog.addEventListener("close", () => loop.stop());
  byId("ask-close").addEventListener("click", close);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });

  const open = (title, ruling, answers, tools, reason) => {
    say(null);
    write(byId("ask-title"), title);
    write(byId("ask-call"), ruling.call);
    byId("ask-laws").replaceChildren(...ruling.sentences.map(sentenceItem));
    byId("ask-more").hidden = ruling.sentences.length === 0;
    byId("ask-more").open = false;
    byId("ask-answers").replaceChildren(...answers);
    byId("ask-tools").replaceChildren(...tools);
    if (!dialog.open) dialog.showModal();
    return loop.show(sections().log?.replay, ruling.stroke, reason);
  };

  const toolsOf = (ruling, view) => {
    const { replay } = sections().log ?? {};
    const slow = h("button", { type: "button", id: "ask-slow", "aria-pressed": "false", hidden: true, click: () => {
      const is = slow.getAttribute("aria-pressed") !== "true";
      slow.setAttribute("aria-pressed", String(is));
      loop.slow(is);
    } }, t("ask.slow"));
    const share = h("button", { type: "button", id: "ask-share", hidden: true, click: async () => {
      const name = `carrom-${ruling.stroke}.mp4`;
      const done = await shareFile(strokeFile(replay, ruling.stroke, "clip.mp4"), name, shortRuling(ruling, view));
      say(done === "not" ? null : t(`ask.share_${done}`));
    } }, t("ask.share"));
    const proof = replay ? h("a", { className: "button", id: "ask-proof", href: matchPage(replay, `#stroke=${ruling.stroke}`) }, t("ruling.proof")) : null;
    return { slow, share, list: [slow, share, proof].filter(Boolean) };
  };

  /** What a side that disagrees can do: one button for each that has a challenge left, none while one waits. */
  const reviews = (ruling, view) => (view.challenges.open || ruling.annulled ? [] : sides(view).filter((side) => side.challenges > 0).map((side) =>
    h("button", { type: "button", className: "small", "data-challenge": side.seats[0], click: () => sent({ action: "challenge", stroke: ruling.stroke, seat: side.seats[0] }, t("challenge.title")) },
      t("challenge.ask", { who: side.name, n: side.challenges }))));

  return {
    /** A challenge that waits: the clip, and whether the call stands. */
    async challenge(view) {
      const { target, stroke: n, seat } = view.challenges.open;
      const ruling = view.rulings.find(({ stroke }) => stroke === n) ?? view.rulings.at(-1);
      const answer = (upheld) => sent({ action: "answer", target, upheld }, t("challenge.title"));
      const answers = [
        h("button", { type: "button", id: "ask-stands", className: "main", click: () => answer(false) }, t("challenge.stands")),
        h("button", { type: "button", id: "ask-upheld", click: async () => { await answer(true); correct(ruling); } }, t("challenge.upheld")),
        h("button", { type: "button", className: "small", click: () => sent({ action: "undo", target }, t("umpire.undo")) }, t("ask.take_back")),
      ];
      const tools = toolsOf(ruling, view);
      const title = `${t("challenge.open", { who: playerAt(view, seat), n })}: ${shortRuling(ruling, view)}`;
      reveal(tools, await open(title, ruling, answers, tools.list, "falls_unsure"));
    },
    /** The newest open question of `view`. */
    async question(view) {
      const asked = view.needs_operator.at(-1);
      const ruling = view.rulings.find(({ stroke }) => stroke === asked.stroke) ?? view.rulings.at(-1);
      const what = t("change.decide", { n: asked.stroke });
      const answers = asked.choices.map((choice, i) => h("button", { type: "button", className: i === 0 ? "main" : i < LARGE ? "" : "small", click: () => sent(choice, what) }, answerWords(asked, choice, view)));
      answers.push(h("button", { type: "button", className: "small", click: () => { close(); correct(ruling); } }, t("umpire.other")));
      const tools = toolsOf(ruling, view);
      const stroke = await open(questionWords(asked, view), ruling, answers, tools.list, asked.reason);
      reveal(tools, stroke);
    },
    /** The last ruling of `view`: seen, mended or taken back. */
    async ruling(view) {
      const ruling = view.rulings.at(-1);
      const [n, target] = [ruling.stroke, `stroke ${ruling.stroke}`];
      const back = ruling.annulled
        ? h("button", { type: "button", id: "ask-redo", click: () => sent({ action: "redo", target }, t("umpire.redo")) }, t("ask.bring_back"))
        : h("button", { type: "button", id: "ask-undo", click: () => sent({ action: "undo", target, newest: view.undo?.target === target }, t("umpire.undo")) }, t("ask.take_back"));
      const answers = [h("button", { type: "button", id: "ask-correct", className: "main", click: () => { close(); correct(ruling); } }, t("umpire.correct_stroke", { n })), back, ...reviews(ruling, view)];
      const tools = toolsOf(ruling, view);
      reveal(tools, await open(shortRuling(ruling, view), ruling, answers, tools.list));
    },
    close,
  };
}

/** What can only be done with pictures stands there where there are some. */
function reveal({ slow, share }, stroke) {
  slow.hidden = !(stroke?.clip || stroke?.tracks);
  share.hidden = !stroke?.clip;
}

/** One sentence of the ruling with the law that it rests on. */
function sentenceItem({ text, law, certain }) {
  return h("li", { "data-certain": String(certain) }, h("span", {}, text), law ? h("span", { className: "law", dir: "auto" }, law) : null);
}

/** A question in few words. */
export function questionWords(asked, view) {
  const who = playerAt(view, asked.seat);
  if (asked.reason === "choice") return asked.text;
  if (asked.reason === "falls_unsure") return t("ask.falls", { who, what: happened(asked.stroke_text) });
  return t("ask.foul", { who, foul: t(`foul.${asked.reason}`) });
}

/** An answer says what it brings about: nobody ends a board by saying that something counts. */
export function answerWords(asked, choice, view) {
  if (asked.reason === "choice") return t(choice.stroke_text.endsWith("choice:other") ? "choice.other" : "choice.first");
  if (choice.action === "correct") return strokeWords(choice.stroke_text);
  if (choice.foul) {
    const foul = t(`foul.${choice.foul}`);
    if (choice.action === "refuse") return t("ask.no_foul", { foul });
    return asked.ends ? t("ask.foul_ends", { foul, ends: asked.ends }) : t("ask.is_foul", { foul });
  }
  const ruling = view?.rulings?.find(({ stroke }) => stroke === asked.stroke);
  const as = t("umpire.as_seen", { what: strokeWords(asked.stroke_text) });
  return ruling?.board_over ? t("ask.ends_board", { what: as }) : as;
}
