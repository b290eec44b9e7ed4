// The steps of the set-up: each builds its panel once and gives the function that draws a new state into it.

import { h, write } from "./dom.js";
import { traits } from "./passport.js";
import { matchPanel } from "./setupmatch.js";
import { locale, mm, t } from "./words.js";

/** In their order. */
export const STEPS = ["camera", "board", "lens", "colours", "striker", "match", "card"];

const SIGNS = { good: "✓", fair: "!", bad: "✕", unknown: "?" };
const SHOTS_WISHED = 12;
const MODELS = ["icf74", "masters72", "carambole60", "home60"];
const KINDS = ["white", "black", "queen"];
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

/** One line with its verdict: { verdict, name, figure, advice }. */
function reading({ verdict, name, figure = "", advice = "" }) {
  return h("li", { "data-verdict": verdict },
    h("span", { className: "sign", "aria-hidden": "true" }, SIGNS[verdict]),
    h("span", { className: "name" }, name, h("span", { className: "visually-hidden" }, ` ${t(`verdict.${verdict}`)}`)),
    h("span", { className: "figure" }, figure),
    advice ? h("span", { className: "advice" }, advice) : null);
}

function meter({ gauge, verdict, value, advice, blanks }) {
  const said = Object.fromEntries(Object.entries(blanks).map(([name, blank]) => [name, name === "side" ? t(`seat.${blank}`) : number.format(blank)]));
  return reading({ verdict, name: t(`gauge.${gauge}`), advice: t(`advice.${advice}`, said), figure: value === null ? "" : figureOf(gauge, advice, value) });
}

/** Before a board is found sharpness is told in percent of its own best. */
function figureOf(gauge, advice, value) {
  return t(advice === "focus_seek" ? "unit.percent" : `unit.${gauge}`, { n: number.format(value) });
}

const button = (key, click, more = {}) => h("button", { type: "button", click, ...more }, t(key));

/** Writes `children` only when `key` differs from what is there, so that screen readers and fingers are left alone. */
function redraw(box, key, children) {
  const text = JSON.stringify(key);
  if (box.dataset.key === text) return;
  box.dataset.key = text;
  box.replaceChildren(...children());
}

function beginPanel(box) {
  const note = h("p", { className: "quiet" });
  box.append(note);
  return ({ done, at }) => write(note, done?.length ? t("setup.left_at", { step: t(`setup.step_${at}`) }) : t("setup.begin_note"));
}

function cameraPanel(box, { sight }) {
  const list = h("ul", { className: "readings" });
  box.append(list);
  return ({ meters, board }) => {
    sight.drawBoard(board);
    redraw(list, meters, () => meters.map(meter));
  };
}

/** In one line: how exact placements will be with this camera as it hangs, and what would help most. */
function exactness({ sure_from_mm: from, taped_mm: taped, small }) {
  const helps = taped !== null ? t("setup.exact_taped", { n: mm(taped) }) : small ? t("setup.exact_larger") : "";
  return h("p", { className: "exact" }, [t("setup.exact", { n: mm(from) }), helps].filter(Boolean).join(" "));
}

function boardFacts(box, { board }) {
  redraw(box, board && [board.rms_mm, board.model, board.kinds, board.sizes, board.sure_from_mm, board.taped_mm, board.lens], () => (board ? [
    h("p", {}, t("setup.board_found", { model: t(`model.${board.model}`), rms: number.format(board.rms_mm), worst: number.format(board.worst_mm) })),
    exactness(board),
    board.model_sure ? null : h("p", { className: "error" }, t("setup.model_unsure")),
    board.lens === "exchanged" ? h("p", { className: "error" }, t("setup.lens_exchanged")) : null,
    h("table", {}, h("thead", {}, h("tr", {}, ...["setup.mark", "setup.seen", "setup.off"].map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", {}, ...board.kinds.map((kind) => h("tr", {}, h("th", { scope: "row" }, t(`mark.${kind.mark}`)),
        h("td", {}, t("setup.of", { n: kind.seen, of: kind.wanted })),
        h("td", {}, kind.rms_mm === null ? "–" : t("setup.rms", { rms: number.format(kind.rms_mm), worst: number.format(kind.worst_mm) })))))),
    h("p", { className: "quiet" }, t("setup.sizes", { surface: mm(board.sizes.surface), pocket: mm(board.sizes.pocket), lines: mm(board.sizes.lines), coin: mm(board.sizes.coin) })),
  ] : []).filter(Boolean));
}

const measured = (field) => (field.value ? Number(field.value) : null);

function boardPanel(box, { ask, sight, state }) {
  const { choices } = state();
  const facts = h("div", { className: "readings" });
  const model = h("select", { id: "model" }, h("option", { value: "" }, t("setup.model_auto")), ...MODELS.map((name) => h("option", { value: name, selected: name === choices.board }, t(`model.${name}`))));
  const side = h("input", { id: "surface", type: "number", min: 400, max: 1200, step: "any", inputMode: "decimal", value: choices.surface_mm ?? "" });
  const height = h("input", { id: "height", type: "number", min: 300, max: 4000, step: "any", inputMode: "decimal", value: choices.height_mm ?? "" });
  const south = h("select", { id: "south" }, ...[0, 1, 2, 3].map((turn) => h("option", { value: turn, selected: turn === choices.turn }, t(`setup.south_${turn}`))));
  const mirror = h("input", { id: "mirror", type: "checkbox", checked: choices.mirror });
  const point = button("setup.point", () => pointing(!sight.corners()), { id: "point", "aria-pressed": "false" });
  const how = h("p", { className: "quiet" });
  const find = () => ask("find", {
    board: model.value || null, surface_mm: measured(side), height_mm: measured(height), turn: Number(south.value), mirror: mirror.checked, corners: sight.corners(),
  });
  const pointing = (on) => {
    sight.point(on ? state().board?.corners ?? [] : null);
    point.setAttribute("aria-pressed", String(on));
    write(how, on ? t("setup.point_how") : "");
  };
  for (const field of [model, south, mirror]) field.addEventListener("change", find);
  for (const field of [side, height]) field.addEventListener("change", () => { if (field.reportValidity()) find(); });
  box.append(facts, h("div", { className: "keys" }, point, button("setup.find", find, { id: "find" })), how,
    h("div", { className: "fields" }, h("label", {}, t("setup.model"), model), h("label", {}, t("setup.surface"), side), h("label", {}, t("setup.height"), height), h("label", {}, t("setup.south"), south)),
    h("label", { className: "tick" }, mirror, t("setup.mirror")));
  if (choices.corners) pointing(true);
  const update = (now) => {
    sight.drawBoard(now.board);
    boardFacts(facts, now);
  };
  return Object.assign(update, { leaving: async () => { sight.point(null); return true; } });
}

function lensPanel(box, { ask, sight }) {
  const now = h("p", { className: "figure" });
  const shots = h("p", {});
  box.append(now, h("div", { className: "keys" }, h("a", { className: "button", href: "/api/sheet.pdf", target: "_blank", rel: "noopener" }, t("setup.sheet_print")),
    button("setup.sheet_shoot", () => ask("shoot"), { id: "shoot" })), shots,
  h("div", { className: "keys" }, button("setup.sheet_measure", () => ask("measure_lens"), { id: "measure" }), button("setup.lens_use_own", () => ask("own_lens"), { id: "own" }),
    button("setup.sheet_clear", () => ask("clear_sheet"))));
  return ({ board, sheet }) => {
    sight.drawBoard(board);
    write(now, board ? t(`setup.lens_${board.lens}`, { px: number.format(sheet.rms_px ?? 0), rms: number.format(board.rms_mm) }) : t("problem.no_board"));
    write(shots, t("setup.sheet_shots", { n: sheet.shots, of: SHOTS_WISHED }));
  };
}

function coloursPanel(box, { ask, sight }) {
  const result = h("ul", { className: "readings" });
  const swatches = h("ul", { className: "swatches" });
  box.append(h("div", { className: "keys" }, button("setup.look", () => ask("formation"), { id: "look" })), result, swatches);
  return ({ board, coins }) => {
    sight.drawBoard(board);
    redraw(result, coins, () => (coins ? [reading({
      verdict: coins.verdict, name: t(coins.stands ? "setup.coins_stand" : "setup.coins_not"), figure: coins.apart === null ? "" : t("unit.sigma", { n: number.format(coins.apart) }),
      advice: KINDS.map((kind) => `${t(`kind.${kind}`)} ${coins.counts[kind]}`).join(" · "),
    })] : []));
    redraw(swatches, coins?.swatches, () => Object.entries(coins?.swatches ?? {}).map(([kind, colour]) => h("li", {}, swatch(colour), t(`kind.${kind}`))));
  };
}

function swatch(colour) {
  const node = h("span", { className: "swatch", "aria-hidden": "true" });
  node.style.background = colour; // set by script, so the page's policy against inline styles holds
  return node;
}

function strikerPanel(box, { ask, sight }) {
  const result = h("ul", { className: "readings" });
  const swatches = h("p", {});
  box.append(h("div", { className: "keys" }, button("setup.look", () => ask("striker"), { id: "look" })), result, swatches);
  return ({ board, striker }) => {
    sight.drawBoard(board);
    redraw(result, striker, () => (striker ? [reading({
      verdict: striker.verdict, name: t("setup.striker_seen", { mm: mm(striker.diameter_mm) }), figure: striker.apart === null ? "" : t("unit.sigma", { n: number.format(striker.apart) }),
    })] : []));
    redraw(swatches, striker?.swatch, () => (striker ? [swatch(striker.swatch), ` ${t("kind.striker")}`] : []));
  };
}

const POINT_UNITS = { board: "unit.mm", scale: "unit.scale", striker: "unit.mm", colours: "unit.sigma" };

/** What is known of the board's ways: it is measured while people play, so a new board has none yet. */
async function tellPassport(box) {
  const answer = await fetch("/api/health").catch(() => null); // whoever is offline is told so by the page
  const known = answer?.ok ? traits((await answer.json()).eyes?.passport) : [];
  box.append(h("h3", {}, t("setup.passport")),
    known.length ? h("table", {}, h("tbody", {}, ...known.map(({ name, figure }) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, figure))))) : h("p", { className: "quiet" }, t("setup.passport_none")),
    h("a", { className: "button", href: "/machine" }, t("setup.passport_more")));
}

function cardPanel(box, { ask, sight }) {
  const result = h("p", { className: "result", role: "status" });
  const list = h("ul", { className: "readings" });
  const passport = h("section", { id: "passport" });
  tellPassport(passport);
  const exact = h("div", {});
  box.append(result, exact, list, passport, h("div", { className: "keys" }, button("setup.restart", () => ask("restart"), { id: "restart" })));
  return ({ card, board, meters }) => {
    sight.drawBoard(board);
    result.dataset.result = card.result;
    write(result, t(`card.${card.result}`));
    redraw(exact, board && [board.sure_from_mm, board.taped_mm], () => (board ? [exactness(board)] : []));
    redraw(list, [card, meters.map((m) => m.advice)], () => card.lines.map((line) => {
      const told = meters.find(({ gauge }) => gauge === line.point);
      if (told) return meter(told);
      const unit = POINT_UNITS[line.point];
      return reading({ verdict: line.verdict, name: t(`point.${line.point}`), figure: line.value === null || !unit ? "" : t(unit, { n: number.format(line.value) }), advice: t(`point.${line.point}_${line.verdict}`) });
    }));
  };
}

/** `make(box, { ask, sight, state })` by step gives `update(state)`. */
export const PANELS = { begin: beginPanel, camera: cameraPanel, board: boardPanel, lens: lensPanel, colours: coloursPanel, striker: strikerPanel, match: matchPanel, card: cardPanel };
