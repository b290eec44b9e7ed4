"""What stands over a clip for others: who plays and how it stands, and what was ruled, in words of one language."""

from __future__ import annotations

from referee.match.ruling import called
from referee.match.seating import Seating
from referee.replay.store import Replay, StrokeRecord
from referee.replay.story import score_by_side
from referee.replay.stroke_figures import players_of, seatings_of
from referee.replay.words import phrases, seat_word


def captions(replay: Replay, record: StrokeRecord, language: str) -> tuple[str, ...]:
    """The names with the score after the stroke, and the stroke with its ruling, a line each."""
    who = players_of(replay).get(record.n) or seat_word(record.line["seat"], language)
    call = called(record.ruling, language) if record.ruling else ""
    stroke = f"{phrases(language)['stroke'].format(n=record.n)} · {who}: {call}".rstrip(": ")
    seating = seatings_of(replay).get(record.n)
    standing = _standing(replay, record, seating, language) if seating and record.ruling else ""
    return (standing, stroke) if standing else (stroke,)


def _standing(replay: Replay, record: StrokeRecord, seating: Seating, language: str) -> str:
    assert record.ruling is not None
    names = dict(replay.stored.match.start.players)
    sides = [" & ".join(names.get(seating.home(seat), "") or seat_word(seat.value, language) for seat in side)
             for side in seating.sides]  # fmt: skip
    score = score_by_side(record.ruling, seating)
    if len(sides) == 2:
        return f"{sides[0]} {score[0]} : {score[1]} {sides[1]}"
    return " · ".join(f"{side} {points}" for side, points in zip(sides, score, strict=True))
