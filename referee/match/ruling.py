"""The ruling on one stroke, its log line, and its wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.pieces import Kind, Seat
from models.rulebook import FoulName, Turn
from referee.laws import AnyOutcome, AnyState, Certainty, Decision, DecisionKind, QueenStatus, Side, StrokeTokens
from referee.laws.call import call
from referee.laws.collect_ruling import name as player_name
from referee.laws.sentences import foul_text, law_text, sentence
from referee.match.doubts import MatchDoubt, doubt_text, phrases
from referee.match.games import is_complete, owner_name
from referee.match.view import WonView


@dataclass(frozen=True, slots=True)
class RulingProposal:
    """Proposed infringement, which waits for the umpire."""

    foul: FoulName
    confidence: float
    """Probability that it happened, by the camera."""
    tokens: StrokeTokens
    """The stroke if the infringement counts."""
    changes: tuple[Decision, ...]
    """Decisions that would be added if it counts; empty if nothing would change."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Ruling on one stroke: decisions by the laws, doubts, proposals, and the position after it."""

    stroke: int
    rules: str
    seat: Seat
    tokens: StrokeTokens
    """The stroke as judged, after the umpire's correction if there was one."""
    seen: StrokeTokens
    """The stroke as detected by the camera."""
    state: AnyState | None
    """State after it; None while the coins left are not known."""
    colours: tuple[tuple[Seat, Side | None], ...]
    names: tuple[str, ...]
    """Names of the sides in lists of numbers: white and black, in collecting games P1, P2 and so on."""
    match: int
    """Number of the match in its log, from 1."""
    order: tuple[Seat, ...]
    """Seats in the order of play; in collecting games those of `names`."""
    score: tuple[int, ...]
    """Match points in the order of `names`."""
    turn: Seat | None
    certain: bool
    decisions: tuple[Decision, ...] = ()
    doubts: tuple[MatchDoubt, ...] = ()
    proposals: tuple[RulingProposal, ...] = ()
    noted: tuple[FoulName, ...] = ()
    to_return: tuple[tuple[Kind, int], ...] = ()
    """Kinds and counts that this ruling puts back on the board."""
    other: StrokeTokens | None = None
    """What else the stroke may have been where it is in doubt what fell."""
    annulled: bool = False
    corrected: bool = False
    after_end: bool = False
    """True if the umpire had ended the board before: the stroke does not count."""

    @property
    def board(self) -> int:
        """Number of the board in the game, 0 while unknown."""
        return (self.state.board or 0) if self.state else 0

    @property
    def board_over(self) -> bool:
        return self.state is not None and self.state.over


def ruling_line(ruling: Ruling) -> dict[str, Any]:
    """Returns the log line of a ruling."""
    state = ruling.state
    known = state is not None and state.queen is not QueenStatus.UNKNOWN
    return {
        "type": "ruling",
        "stroke": ruling.stroke,
        "rules": ruling.rules,
        "seat": ruling.seat.value,
        "stroke_text": str(ruling.tokens),
        "seen_text": str(ruling.seen),
        "decisions": list(ruling_texts(ruling)),
        "turn": ruling.turn and ruling.turn.value,
        "colours": {seat.value: side and side.value for seat, side in ruling.colours},
        "dues": dict(zip(ruling.names, state.dues if state else (0,) * len(ruling.names), strict=True)),
        "queen": state.queen.value if state and known else None,
        "queen_side": state and owner_name(state),
        "score": dict(zip(ruling.names, ruling.score, strict=True)),
        "returned": {kind.value: count for kind, count in ruling.to_return},
        "state": str(state) if state and is_complete(state) else None,
        "match": ruling.match,
        "board": ruling.board,
        "certain": ruling.certain,
        "board_over": ruling.board_over,
        "annulled": ruling.annulled,
        "corrected": ruling.corrected,
    }


def result_line(number: int, result: WonView | None) -> dict[str, Any]:
    """Returns the log line of a won match; without a winner if a correction has made it go on."""
    if result is None:
        return {"type": "result", "match": number, "winner": None}
    sides = [{"seats": s["seats"], "players": s["players"], "score": s["score"], "games": s["games"]}
             for s in result["sides"]]  # fmt: skip
    return {"type": "result", "match": number, "winner": result["winner"], "sides": sides, "boards": result["boards"]}


def ruling_texts(ruling: Ruling, language: str = "en") -> Iterator[dict[str, Any]]:
    """Yields every decision, doubt and proposal of the ruling in words."""
    if ruling.annulled:
        yield _text("annulled", "umpire", "", phrases(language)["annulled"], True)
    if ruling.after_end:
        yield _text("annulled", "board_is_over", "", phrases(language)["after_end"], True)
    for decision in ruling.decisions:
        yield _in_words(decision, language, _names(ruling, decision, language))
    for doubt in ruling.doubts:
        yield _text("doubt", doubt.why, doubt.law, doubt_text(doubt, language), False)
    for proposal in ruling.proposals:
        text = proposal_text(ruling, proposal, language)
        yield _text("proposal", proposal.foul, "", text, False) | {"stroke_text": str(proposal.tokens)}
    for foul in ruling.noted:
        text = phrases(language)["noted"].format(foul=foul_text(foul, language))
        yield _text("noted", foul, "", text, True)


def called(ruling: Ruling, language: str = "en") -> str:
    """Returns the ruling as an umpire would call it, with doubts and without proposals."""
    if ruling.annulled:
        return str(phrases(language)["annulled"])
    call_text = _call(ruling, ruling.decisions, ruling.tokens, language)
    rest = [s["text"] for s in ruling_texts(ruling, language) if s["kind"] in ("doubt", "noted")]
    return " ".join([call_text, *rest] if call_text else rest)


def said_decisions(decisions: Iterable[Decision], language: str = "en") -> Iterator[dict[str, Any]]:
    """Yields decisions in words, as stored in the log."""
    return (_in_words(decision, language) for decision in decisions)


def _in_words(decision: Decision, language: str, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    certain = decision.certainty is Certainty.CERTAIN
    law = law_text(decision.law, language)
    return _text(decision.kind, decision.reason, law, sentence(decision, language, names), certain)


def _call(ruling: Ruling, decisions: Sequence[Decision], stroke: StrokeTokens, language: str) -> str:
    turn = next((d for d in decisions if d.kind is DecisionKind.TURN), None)
    other = next((d for d in decisions if d.kind is not DecisionKind.TURN), None)
    names, turn_names = (_names(ruling, d, language) if d else None for d in (other, turn))
    return call(decisions, stroke, language, names, turn_names)


def _names(ruling: Ruling, decision: Decision, language: str) -> dict[str, str]:
    """Returns the seats' names, for players in collecting games and for a colour that does not state which partner."""
    words, colours = phrases(language)["words"], dict(ruling.colours)
    if ruling.names[0] not in set(Side):
        return _players_called(ruling, decision, words)
    if len(ruling.order) == len(ruling.names) or decision.kind is not DecisionKind.TURN:
        return {}
    passed = decision.params.get("turn") is Turn.PASS
    follower = ruling.order[(ruling.order.index(ruling.seat) + passed) % len(ruling.order)]
    return {colour: words[seat] for seat in (ruling.seat, follower) if (colour := colours.get(seat))}


def _players_called(ruling: Ruling, decision: Decision, words: Mapping[str, str]) -> dict[str, str]:
    """Returns the seats' names of a collecting game's players; of both partners where points and boards are joint."""
    called = {player_name(n): words[seat] for n, seat in enumerate(ruling.order)}
    if decision.kind is DecisionKind.RESULT and len(ruling.names) < len(ruling.order):
        sides = [ruling.order[n :: len(ruling.names)] for n in range(len(ruling.names))]
        called |= {player_name(n): words["and"].join(words[seat] for seat in side) for n, side in enumerate(sides)}
    return called


def proposal_text(ruling: Ruling, proposal: RulingProposal, language: str = "en") -> str:
    """Returns the sentence on a proposed infringement and on what it would change."""
    key = "proposal" if proposal.changes else "proposal_same"
    then = _call(ruling, proposal.changes, proposal.tokens, language)
    text: str = phrases(language)[key].format(foul=foul_text(proposal.foul, language), then=then)
    return text


def new_decisions(outcome: AnyOutcome, other: AnyOutcome) -> tuple[Decision, ...]:
    """Returns the decisions of `other` that `outcome` lacks; the infringement itself is no change."""
    if outcome.state == other.state and outcome.turn == other.turn:
        return ()
    spoken = {DecisionKind.FOUL, DecisionKind.NOTE}
    return tuple(d for d in other.decisions if d.kind not in spoken and d not in outcome.decisions)


def _text(kind: str, reason: str, law: str, text: str, certain: bool) -> dict[str, Any]:
    return {"kind": str(kind), "reason": str(reason), "law": law, "text": text, "certain": certain}
