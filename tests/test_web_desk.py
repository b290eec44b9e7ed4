"""The umpire's desk: the PIN and its brake, and the events that go to the eyes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from referee.web.desk import (
    LOCK_S,
    MAX_WRONG,
    Action,
    Desk,
    EyesAway,
    Lock,
    PinLocked,
    PinRefused,
    UmpireRequest,
    random_pin,
)
from referee.web.serve import HouseError, HouseSettings, addresses, bind, chosen_pin


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def request(**fields: Any) -> UmpireRequest:
    return UmpireRequest.model_validate(fields)


def test_the_right_pin_passes_and_a_missing_or_wrong_one_does_not() -> None:
    lock = Lock("246810")
    lock.check("246810")
    for wrong in (None, "", "24681", "246811", "２４６８１０"):
        with pytest.raises(PinRefused):
            lock.check(wrong)


def test_guessing_closes_the_desk_for_a_while_even_for_the_right_pin() -> None:
    clock = Clock()
    lock = Lock("246810", clock)
    for _ in range(MAX_WRONG):
        with pytest.raises(PinRefused):
            lock.check("000000")
    with pytest.raises(PinLocked, match="wait 30 seconds"):
        lock.check("246810")
    clock.now += LOCK_S
    lock.check("246810")


def test_without_a_pin_everybody_passes() -> None:
    lock = Lock(None)
    assert not lock.needed
    lock.check(None)


def test_an_event_carries_what_the_log_needs() -> None:
    sent: list[Mapping[str, Any]] = []

    async def send(event: Mapping[str, Any]) -> bool:
        sent.append(event)
        return True

    desk = Desk(send, Lock(None), wall=lambda: 1234.5678)
    first = asyncio.run(desk.submit(request(action="correct", stroke=7, stroke_text=" W,S ")))
    second = asyncio.run(desk.submit(request(action="undo")))
    assert sent[0] == {"type": "correction", "id": first, "action": "correct", "by": "umpire", "wall": 1234.568,
                       "stroke": 7, "stroke_text": "W,S"}  # fmt: skip
    assert sent[1] == {"type": "correction", "id": second, "action": "undo", "by": "umpire", "wall": 1234.568}
    assert first != second


@pytest.mark.parametrize(
    ("fields", "sent"),
    [({"action": "accept", "stroke": 3, "foul": "push"}, {"stroke": 3, "foul": "push"}),
     ({"action": "refuse", "stroke": 3, "foul": "push"}, {"stroke": 3, "foul": "push"}),
     ({"action": "accept", "stroke": 3}, {"stroke": 3}),
     ({"action": "operate", "event": "waive W 1"}, {"event": "waive W 1"}),
     ({"action": "operate", "stroke": 4, "event": "concede B"}, {"stroke": 4, "event": "concede B"})],
)  # fmt: skip
def test_decisions_and_the_operators_events_are_passed_on(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert request(**fields).fields() == sent


def test_the_docs_show_requests_that_are_taken() -> None:
    text = (Path(__file__).parent.parent / "docs" / "umpire.md").read_text(encoding="utf-8")
    bodies = re.findall(r'`(\{"action".*?\})`', text)
    actions = {UmpireRequest.model_validate_json(body).action for body in bodies}
    assert actions == set(Action)


def test_a_malformed_operator_event_names_the_token() -> None:
    with pytest.raises(ValidationError, match=r"event, token 2 'X': expected W, B or P1 to P4"):
        request(action="operate", event="waive X")


def test_nothing_is_claimed_when_the_eyes_are_away() -> None:
    async def send(_event: Mapping[str, Any]) -> bool:
        return False

    with pytest.raises(EyesAway, match="nothing was changed"):
        asyncio.run(Desk(send, Lock(None)).submit(request(action="redo")))


@pytest.mark.parametrize(
    "fields",
    [{}, {"action": "destroy"}, {"action": "correct"}, {"action": "correct", "stroke": 3, "stroke_text": " "},
     {"action": "correct", "stroke": 0, "stroke_text": "W"}, {"action": "undo", "extra": 1},
     {"action": "correct", "stroke": 1, "stroke_text": "W" * 201},
     {"action": "correct", "stroke": 1, "stroke_text": "W,Z"}, {"action": "operate"}, {"action": "refuse", "stroke": 1},
     {"action": "accept", "foul": "push"}, {"action": "operate", "event": "waive W", "stroke": 0}],
)  # fmt: skip
def test_a_request_that_is_incomplete_or_strange_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        request(**fields)


def test_random_pins_are_six_digits() -> None:
    assert all(len(pin) == 6 and pin.isdecimal() for pin in (random_pin() for _ in range(50)))


@pytest.mark.parametrize(
    ("host", "pin", "expected"),
    [("127.0.0.1", None, None), ("localhost", None, None), ("::1", None, None), ("0.0.0.0", "off", None),
     ("0.0.0.0", "1357", "1357"), ("127.0.0.1", "1357", "1357")],
)  # fmt: skip
def test_a_pin_is_needed_where_others_can_reach_the_desk(host: str, pin: str | None, expected: str | None) -> None:
    assert chosen_pin(HouseSettings(Path("m.jsonl"), Path(), host=host, pin=pin)) == expected


def test_on_a_network_a_random_pin_is_the_default() -> None:
    pins = {chosen_pin(HouseSettings(Path("m.jsonl"), Path())) for _ in range(5)}
    assert None not in pins
    assert len(pins) > 1


def test_a_taken_port_is_told_with_the_way_out() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(HouseError, match=f"port {port} is taken by another program.*--port"):
            bind("127.0.0.1", port)


def test_an_address_of_another_machine_is_told_with_the_way_out() -> None:
    with pytest.raises(HouseError, match=r"no address 192\.0\.2\.7.*--host"):
        bind("192.0.2.7", 0)


def test_a_house_open_to_the_network_names_its_addresses_and_the_loopback_one_last() -> None:
    with bind("0.0.0.0", 0) as sock:
        port = sock.getsockname()[1]
        assert addresses(sock)[-1] == f"http://127.0.0.1:{port}/"
