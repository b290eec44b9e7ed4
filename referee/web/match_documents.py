"""A stored match in words of one language, as the replay pages show it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from models.board import load_board
from referee.facts import Stroke
from referee.log.index import MatchRow
from referee.match import Match
from referee.match.ruling import ruling_texts
from referee.replay.key_frames import KeyFrameSubject
from referee.replay.standings import PlayerStanding
from referee.replay.statistics import PlayerStatistics
from referee.replay.store import StrokeRecord
from referee.replay.story import Story
from referee.web.board_json import geometry_of_model
from referee.web.match_library import OpenMatch, name_of
from referee.web.wording import ruling_entry, worded

Document = dict[str, Any]

OF_THE_MATCH = (
    "match",
    "rules",
    "sides",
    "players",
    "winner",
    "match_over",
    "game",
    "board",
    "collecting",
    "number",
    "finished",
)
"""Keys of the match's final standing, as in the match document of /api/state."""

THUMBS = (KeyFrameSubject.POCKETED, KeyFrameSubject.HAND, KeyFrameSubject.AFTER, KeyFrameSubject.BEFORE,
          KeyFrameSubject.PLACEMENT)  # fmt: skip
"""Pictures that tell a stroke from others in a list, the best first."""


def row_entry(row: MatchRow, running: bool) -> Document:
    """Returns a match's entry in the list."""
    return {"id": name_of(row.path), "number": row.number, "started": row.started, "players": row.players,
            "rules": row.rules, "score": row.score, "games": row.games, "winner": row.winner, "boards": row.boards,
            "strokes": row.strokes, "certain": row.certain, "running": running}  # fmt: skip


def match_entry(name: str, match: OpenMatch, language: str, running: bool) -> Document:
    """Returns a match with its boards and a summary of each stroke."""
    replay = match.replay
    view = worded(replay.stored.match, language)
    headers = replay.stored.contents.headers
    return {key: view[key] for key in OF_THE_MATCH} | {
        "id": name,
        "started": headers[0].get("wall") if headers else None,
        "running": running,
        "boards": [{"number": b.number, "match": b.match, "strokes": list(b.strokes)} for b in replay.boards],
        "results": view["boards"],
        "strokes": [stroke_entry(match, record, language) for record in replay.strokes.values()],
        "problems": list(replay.problems),
    }


def story_entry(match_story: Story) -> Document:
    """A match as a story, see `referee.replay.story`."""
    return asdict(match_story)


def stroke_entry(match: OpenMatch, record: StrokeRecord, language: str) -> Document:
    """Returns a summary of a stroke: player, stroke, ruling, moments to jump to, and stored media."""
    line, ruling = record.line, record.ruling
    said = ruling_entry(ruling, language) if ruling else _never_ruled(record)
    return said | {
        "player": match.players.get(record.n),
        "wall": record.wall,
        "moments": [asdict(moment) for moment in record.moments],
        "fouls": sorted({*line["fouls"], *(str(f) for f in ruling.tokens.fouls())} if ruling else line["fouls"]),
        "confidence": line["confidence"],
        "disputed": bool(record.umpire),
        "video": record.clip is not None,
        "tracks": record.has_tracks,
        "pictures": len(record.pictures),
        "thumb": _thumb(record),
    }


def _thumb(record: StrokeRecord) -> str | None:
    """The picture that stands for the stroke in a list: of what fell, else of the whole board, the placement last."""
    names = sorted(record.pictures, key=lambda picture: THUMBS.index(picture.shows))
    return names[0].name if names else None


def _never_ruled(record: StrokeRecord) -> Document:
    return {"stroke": record.n, "board": 0, "seat": record.line["seat"], "stroke_text": None, "seen_text": None,
            "call": "", "sentences": [], "turn": None, "certain": False, "annulled": False,
            "corrected": False}  # fmt: skip


def evidence_entry(match: OpenMatch, n: int, language: str) -> Document:
    """Returns everything that a call rests on. Raises KeyError for an unknown stroke."""
    replay = match.replay
    record, evidence = replay.strokes[n], replay.evidence(n)
    return stroke_entry(match, record, language) | {
        "placement": evidence.placement,
        "frames": [asdict(picture) for picture in record.pictures],
        "clip": asdict(record.clip) if record.clip else None,
        "kept": replay.folder.keep_mark(n).exists(),
        "geometry": replay.header(n).get("board") or geometry_of_model(load_board()),
        "rules": evidence.rules,
        "program": evidence.program,
        "foul_confidence": dict(evidence.foul_confidence),
        "umpire": list(evidence.umpire),
        "first": _first(match, record, language),
    }


def _first(match: OpenMatch, record: StrokeRecord, language: str) -> Document | None:
    """Returns the ruling before any correction: the observed stroke, and whether it was certain."""
    first = record.first_ruling
    if first is None:
        return None
    entry = {"stroke_text": first.get("stroke_text"), "certain": first.get("certain")}
    if not record.umpire:
        return entry | {"texts": [d["text"] for d in first["decisions"]]}
    stored = match.replay.stored.match
    until = next(i for i, e in enumerate(stored.events) if isinstance(e, Stroke) and e.n == record.n)
    ruling = Match.of(stored.start, stored.events[: until + 1]).rulings.get(record.n)
    return entry | {"texts": [s["text"] for s in ruling_texts(ruling, language)] if ruling else []}


def player_entry(player: PlayerStatistics) -> Document:
    """Returns a player's statistics with the shares derived from them."""
    return asdict(player) | {"pocketing_rate": player.pocketing_rate, "strokes_per_board": player.strokes_per_board}


def standing_entry(standing: PlayerStanding) -> Document:
    """A player among all; matches by the name that addresses have for them."""
    form = [{key: value for key, value in asdict(match).items() if key != "path"} | {"id": name_of(match.path)}
            for match in standing.form]  # fmt: skip
    return asdict(standing) | {"form": form}
