"""A set-up as JSON documents for the pages, and the camera's picture as JPEG."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from calibration.meters.meter import Reading
from calibration.reason import CalibrationReason
from referee.setup.piece_colours import Coins, Striker
from referee.setup.steps import Progress
from referee.setup.verdict import Card

WIDTH_PX, DOCUMENT_QUALITY = 1280, 80
"""Greatest width of a picture sent to a page, px, and its JPEG quality. Corners are dragged to a pixel or two."""

Document = dict[str, Any]


def progress_document(progress: Progress, *, is_open: bool) -> Document:
    """Returns the progress of a set-up, open or not."""
    c = progress.choices
    choices = {"board": c.board, "surface_mm": c.surface_mm, "turn": c.turn, "mirror": c.mirror,
               "height_mm": c.height_mm, "corners": c.corners}  # fmt: skip
    return {"type": "setup", "open": is_open, "source": progress.source, "at": progress.at,
            "done": list(progress.done), "finished": progress.finished, "match": progress.match,
            "choices": choices}  # fmt: skip


def reading_document(r: Reading) -> Document:
    """Returns a meter's reading. The page words its advice."""
    return {"gauge": r.gauge, "verdict": r.verdict, "value": r.value, "advice": r.advice, "blanks": dict(r.blanks)}


def reason_document(reason: str) -> Document:
    """Returns why a calibration failed: the reason's name and blanks if it has a name, and its text."""
    if isinstance(reason, CalibrationReason):
        return {"why": reason.why, "blanks": reason.blanks, "text": str(reason)}
    return {"why": None, "blanks": {}, "text": reason}


def coins_document(coins: Coins | None) -> Document | None:
    """Returns the result of learning the coins from the opening formation."""
    if coins is None:
        return None
    return {"verdict": coins.verdict, "stands": coins.stands, "counts": coins.counts, "swatches": coins.swatches,
            "apart": _rounded(coins.apart)}  # fmt: skip


def striker_document(striker: Striker | None) -> Document | None:
    """Returns the result of learning the striker."""
    if striker is None:
        return None
    return {"verdict": striker.verdict, "diameter_mm": _rounded(2 * striker.radius_mm), "swatch": striker.swatch,
            "apart": _rounded(striker.apart)}  # fmt: skip


def card_document(card: Card) -> Document:
    """Returns the final card."""
    lines = [{"point": line.point, "verdict": line.verdict, "value": line.value} for line in card.lines]
    return {"result": card.result, "lines": lines}


def jpeg(picture: Picture) -> bytes:
    """Returns the whole picture, not rectified, at most WIDTH_PX wide."""
    bgr = picture.bgr()
    if picture.width > WIDTH_PX:
        size = (WIDTH_PX, round(picture.height * WIDTH_PX / picture.width))
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, DOCUMENT_QUALITY])[1].tobytes()


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
