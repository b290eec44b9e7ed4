"""The hall to try: its boards play real matches, and the whole of it runs by one command."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

from engines import Broker, Database
from web_stage import until

from referee.log.identity import Station, match_uid, station_of
from referee.log.stored_match import stored_match
from tools.hall.simulated_board import SimulatedBoard


def test_a_simulated_board_plays_boards_to_their_end(tmp_path: Path) -> None:
    with SimulatedBoard(tmp_path / "7", Station(str(uuid4()), "7"), seed=3) as board:
        for _ in range(80):
            board.play()
    stored = stored_match(board.log)
    assert stored.problems == ()
    assert len(stored.match.rulings) == 80
    assert stored.match.view()["boards"], "no board was played to its end"
    assert stored.contents.headers[0]["uid"] == match_uid(board.log)
    assert station_of(tmp_path).id


def test_a_hall_to_try_starts_by_one_command(broker: Broker, database: Database) -> None:
    """`deploy/dev hall`, with engines of its own; the fixtures only tell whether there are any."""
    command = [sys.executable, "-m", "tools.hall.try_out", "--boards", "2", "--port", "0", "--every", "0.5"]
    running = subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    url = running.stdout.readline().split()[-1]

    def strokes() -> int:
        with urlopen(f"{url}api/hall/boards") as answer:
            return answer.read().count(b'"strokes":')

    until(lambda: strokes() == 2)
    running.send_signal(signal.SIGINT)
    running.stdout.close()
    running.wait()
