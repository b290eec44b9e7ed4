"""Turns every fault of a source into a SourceError with a sentence.

Cameras, drivers and files fail in unforeseen ways.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.frames.frame import Frame, Source, SourceError

logger = logging.getLogger(__name__)


@contextmanager
def opened(source: Source) -> Iterator[Iterator[Frame]]:
    """Opens the source and yields its frames; raises SourceError for any fault of it."""
    try:
        source.__enter__()
    except SourceError:
        raise
    except Exception as e:
        raise _reported(source, "be opened", e) from e
    try:
        yield _frames(source)
    finally:
        try:
            source.__exit__(None, None, None)
        except (OSError, RuntimeError, ValueError) as e:
            # The source has ended anyway, and everything refereed stays.
            logger.warning("%s could not be closed: %s", source.name, e)


def _frames(source: Source) -> Iterator[Frame]:
    frames = iter(source)
    while True:
        try:
            frame = next(frames)
        except StopIteration:
            return
        except SourceError:
            raise
        except Exception as e:
            raise _reported(source, "be read on", e) from e
        yield frame


def _reported(source: Source, what: str, error: Exception) -> SourceError:
    calls = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(calls[-1].filename).name}, line {calls[-1].lineno})" if calls else ""
    logger.warning("a fault of %s: %r%s", source.name, error, place)
    said = str(error).strip().splitlines()
    return SourceError(f"{source.name} cannot {what} ({said[0][:200] if said else type(error).__name__})")
