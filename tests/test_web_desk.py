"""The umpire's desk: wishes, who may wish them, and the events that go to the vision process."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from match_play import Play
from pydantic import ValidationError

from models.pieces import Kind, Pocket
from referee.facts import OtherFalls, Pocketed
from referee.log.running import Running
from referee.match import Action, Start
from referee.web.access import Role, UmpireSession
from referee.web.books import ClubBooks
from referee.web.serve import WebServerError, WebSettings, addresses, bind, chosen_keys, chosen_pin
from referee.web.suggested_answers import choices_of
from referee.web.umpire_preview import preview
from referee.web.umpire_requests import NewMatch, NotAllowed, RequestDesk, RunningRequest, UmpireRequest, VisionAway

UMPIRE, TABLET = UmpireSession(Role.UMPIRE, "Mira"), UmpireSession(Role.TABLET)


def request(**fields: Any) -> UmpireRequest:
    return UmpireRequest.model_validate(fields)


def test_an_event_carries_what_the_log_needs() -> None:
    sent: list[Mapping[str, Any]] = []

    async def send(event: Mapping[str, Any]) -> bool:
        sent.append(event)
        return True

    desk = RequestDesk(send, lambda: None, wall=lambda: 1234.5678)
    first = asyncio.run(desk.submit(request(action="correct", stroke=7, stroke_text=" W,S "), UMPIRE))
    second = asyncio.run(desk.submit(request(action="undo"), TABLET))
    assert sent[0] == {"type": "correction", "id": first, "action": "correct", "by": "Mira", "wall": 1234.568,
                       "stroke": 7, "stroke_text": "W,S"}  # fmt: skip
    assert sent[1] == {"type": "correction", "id": second, "action": "undo", "by": "tablet", "wall": 1234.568}
    assert first != second
    named = [request(action="undo", id="0a1b2c3d"), RunningRequest(state=Running.PAUSED, id="page-000001"),
             NewMatch(rules="icf", id="page-000002")]  # fmt: skip
    assert [asyncio.run(desk.submit(wish, UMPIRE)) for wish in named] == [wish.id for wish in named]
    assert [event["id"] for event in sent[2:]] == [wish.id for wish in named]


@pytest.mark.parametrize(
    ("fields", "sent"),
    [({"action": "accept", "stroke": 3, "foul": "push"}, {"stroke": 3, "foul": "push"}),
     ({"action": "refuse", "stroke": 3, "foul": "push"}, {"stroke": 3, "foul": "push"}),
     ({"action": "accept", "stroke": 3}, {"stroke": 3}),
     ({"action": "operate", "event": "waive W 1"}, {"event": "waive W 1"}),
     ({"action": "operate", "stroke": 4, "event": "concede B"}, {"stroke": 4, "event": "concede B"}),
     ({"action": "declare", "breaker": "north"}, {"breaker": "north"}),
     ({"action": "declare", "seats": {"north": "white"}}, {"seats": {"north": "white"}}),
     ({"action": "declare", "policy": {"push": "log"}}, {"policy": {"push": "log"}}),
     ({"action": "declare", "state": "W4 B2 Q=board mv W"}, {"state": "W4 B2 Q=board due 0/0 score 0:0 mv W"}),
     ({"action": "correct", "stroke": 3, "stroke_text": "-", "seat": "north"},
      {"stroke": 3, "stroke_text": "-", "seat": "north"})],
)  # fmt: skip
def test_decisions_and_the_operators_events_are_passed_on(fields: dict[str, Any], sent: dict[str, Any]) -> None:
    assert request(**fields).message() == {"type": "correction", "action": fields["action"]} | sent


def test_the_docs_show_requests_that_are_taken() -> None:
    text = (Path(__file__).parent.parent / "docs" / "umpire.md").read_text(encoding="utf-8")
    bodies = re.findall(r'`(\{"action".*?\})`', text)
    actions = {UmpireRequest.model_validate_json(body).action for body in bodies}
    assert actions == set(Action)


async def taken(_event: Mapping[str, Any]) -> bool:
    """Eyes that take everything."""
    return True


def test_a_tablet_may_answer_and_undo_and_correct_only_what_is_asked() -> None:
    play = Play()
    play.formation("south")
    play.stroke("south", "W")
    play.stroke("south", "W,B", confidence=0.5)
    desk = RequestDesk(taken, lambda: play.match)
    for allowed in ({"action": "undo"}, {"action": "refuse", "stroke": 1, "foul": "push"},
                    {"action": "accept", "stroke": 2},
                    {"action": "correct", "stroke": 2, "stroke_text": "W"}):  # fmt: skip
        assert asyncio.run(desk.submit(request(**allowed), TABLET))
    for refused in ({"action": "correct", "stroke": 1, "stroke_text": "-"}, {"action": "declare", "breaker": "north"},
                    {"action": "operate", "event": "concede W"}):  # fmt: skip
        with pytest.raises(NotAllowed, match="PIN"):
            asyncio.run(desk.submit(request(**refused), TABLET))
        assert asyncio.run(desk.submit(request(**refused), UMPIRE))


@pytest.mark.parametrize(
    ("fields", "seats"),
    [({"rules": "icf"}, {}), ({"rules": "icf", "first": "north"}, {"north": "white"}),
     ({"rules": "icf+team", "first": "east"}, {"east": "white"}),
     ({"rules": "three_point", "first": "west", "players": {"south": "A", "west": "B", "east": "C"}},
      {"west": None, "south": None, "east": None}),
     ({"rules": "three_point", "players": {"east": "C", "south": "A", "west": "B"}},
      {"south": None, "west": None, "east": None})],
)  # fmt: skip
def test_a_new_match_says_who_plays(fields: dict[str, Any], seats: dict[str, Any]) -> None:
    assert NewMatch.model_validate(fields).message()["seats"] == seats


@pytest.mark.parametrize(
    "fields",
    [{}, {"rules": "no_such_book"}, {"rules": "../secrets.toml"}, {"rules": "/etc/passwd"}, {"rules": "icf+nonsense=1"},
     {"rules": "icf", "players": {"south": "x" * 41}}, {"rules": "icf", "policy": {"push": "explode"}},
     {"rules": "three_point", "first": "south"}, {"rules": "three_point"},
     {"rules": "three_point", "players": {"south": "A", "north": "B"}}, {"rules": "icf", "extra": 1}],
)  # fmt: skip
def test_a_new_match_that_cannot_be_is_refused_and_no_file_is_named_over_the_network(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        NewMatch.model_validate(fields).checked(ClubBooks(Path("nowhere")).text)


def test_a_tablet_pauses_and_goes_on_but_ends_nothing_and_begins_no_match_in_the_midst_of_one() -> None:
    play = Play()
    play.formation("south")
    play.stroke("south", "W")
    desk = RequestDesk(taken, lambda: play.match)
    for state in (Running.PAUSED, Running.PLAYING):
        assert asyncio.run(desk.submit(RunningRequest(state=state), TABLET))
    rematch = request(action="declare", rematch=True)
    for wish in (RunningRequest(state=Running.ENDED), NewMatch(rules="icf"), rematch):
        with pytest.raises(NotAllowed):
            asyncio.run(desk.submit(wish, TABLET))
        assert asyncio.run(desk.submit(wish, UMPIRE))


def test_a_tablet_begins_the_next_match_once_this_one_is_won_and_corrects_its_last_stroke_only() -> None:
    play = Play(Start("m", "masters+target=3+boards=1"))
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W")
    play.stroke("south", "Q,W")
    desk = RequestDesk(taken, lambda: play.match)
    assert asyncio.run(desk.submit(request(action="declare", rematch=True), TABLET))
    assert asyncio.run(desk.submit(NewMatch(rules="icf"), TABLET))
    assert asyncio.run(desk.submit(RunningRequest(state=Running.ENDED), TABLET)), "the result stands"
    assert asyncio.run(desk.submit(request(action="correct", stroke=2, stroke_text="-"), TABLET))
    for wish in (request(action="correct", stroke=1, stroke_text="-"),
                 request(action="declare", rematch=True, breaker="south")):  # fmt: skip
        with pytest.raises(NotAllowed):
            asyncio.run(desk.submit(wish, TABLET))


def test_likely_answers_come_first_and_are_requests_that_are_taken() -> None:
    play = Play()
    play.formation("south")
    unsure = choices_of(play.stroke("south", "W@NE,B@SW", confidence=0.5), "falls_unsure")
    assert [(c["action"], c.get("stroke_text")) for c in unsure] == [
        ("accept", None), ("correct", "B@SW"), ("correct", "W@NE")]  # fmt: skip
    other = OtherFalls((Pocketed(Kind.WHITE, Pocket.NE, 9.0), Pocketed(Kind.WHITE, None, 9.5)), (), 0.4)
    otherwise = choices_of(play.stroke("south", "W@NE", confidence=0.5, other=other), "falls_unsure")
    assert [(c["action"], c.get("stroke_text")) for c in otherwise] == [
        ("accept", None), ("correct", "W@NE,W"), ("correct", "-")]  # fmt: skip
    pushed = choices_of(play.stroke("south", "W,foul:push"), "push")
    assert [(c["action"], c["foul"]) for c in pushed] == [("accept", "push"), ("refuse", "push")]
    assert all(UmpireRequest.model_validate(choice) for choice in unsure + pushed)


def test_a_preview_says_what_would_change_and_changes_nothing() -> None:
    play = Play()
    play.formation("south")
    play.stroke("south", "W")
    play.stroke("south", "W")
    before = play.match.view()
    told = preview(play.match, request(action="correct", stroke=1, stroke_text="-"), "en")
    assert (told["before"]["turn"], told["before"]["sides"][0]["coins_left"]) == ("south", 7)
    assert told["after"]["sides"][0]["coins_left"] == 8
    assert [ruling["stroke"] for ruling in told["rulings"]] == [1, 2]
    assert play.match.view() == before


def test_a_malformed_operator_event_names_the_token() -> None:
    with pytest.raises(ValidationError, match=r"event, token 2 'X': expected W, B or P1 to P4"):
        request(action="operate", event="waive X")


def test_nothing_is_claimed_when_the_eyes_are_away() -> None:
    async def send(_event: Mapping[str, Any]) -> bool:
        return False

    with pytest.raises(VisionAway, match="nothing was changed"):
        asyncio.run(RequestDesk(send, lambda: None).submit(request(action="redo"), UMPIRE))


@pytest.mark.parametrize(
    "fields",
    [{}, {"action": "destroy"}, {"action": "correct"}, {"action": "correct", "stroke": 3, "stroke_text": " "},
     {"action": "correct", "stroke": 0, "stroke_text": "W"}, {"action": "undo", "extra": 1},
     {"action": "correct", "stroke": 1, "stroke_text": "W" * 201},
     {"action": "correct", "stroke": 1, "stroke_text": "W,Z"}, {"action": "operate"}, {"action": "refuse", "stroke": 1},
     {"action": "accept", "foul": "push"}, {"action": "operate", "event": "waive W", "stroke": 0},
     {"action": "declare"}, {"action": "declare", "seats": {"attic": "white"}},
     {"action": "undo", "event": "no such event"}],
)  # fmt: skip
def test_a_request_that_is_incomplete_or_strange_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        request(**fields)


@pytest.mark.parametrize(
    ("host", "pin", "expected"),
    [("127.0.0.1", None, None), ("localhost", None, None), ("::1", None, None), ("0.0.0.0", "off", None),
     ("0.0.0.0", "1357", "1357"), ("127.0.0.1", "1357", "1357")],
)  # fmt: skip
def test_a_pin_is_needed_where_others_can_reach_the_desk(host: str, pin: str | None, expected: str | None) -> None:
    settings = WebSettings(Path("m.jsonl"), Path(), host=host, pin=pin)
    assert chosen_pin(settings) == expected
    assert (chosen_keys(settings).pairing is None) == (expected is None)


def test_a_club_can_switch_pairing_off() -> None:
    settings = WebSettings(Path("m.jsonl"), Path(), pin="1357", pairing="off")
    assert chosen_keys(settings).pairing is None


def test_on_a_network_a_random_pin_is_the_default() -> None:
    pins = {chosen_pin(WebSettings(Path("m.jsonl"), Path())) for _ in range(5)}
    assert None not in pins
    assert len(pins) > 1


def test_a_taken_port_is_told_with_the_way_out() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebServerError, match=f"port {port} is taken by another program.*--port"):
            bind("127.0.0.1", port)


def test_an_address_of_another_machine_is_told_with_the_way_out() -> None:
    with pytest.raises(WebServerError, match=r"no address 192\.0\.2\.7.*--host"):
        bind("192.0.2.7", 0)


def test_a_house_open_to_the_network_names_its_addresses_and_the_loopback_one_last() -> None:
    with bind("0.0.0.0", 0) as sock:
        port = sock.getsockname()[1]
        assert addresses(sock)[-1] == f"http://127.0.0.1:{port}/"
