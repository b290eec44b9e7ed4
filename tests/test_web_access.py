"""Who may change the match: the PIN, pairing, sessions kept as hashes, and the brake against guessing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.web.access import Access, AccessRefused, Role, random_pairing, random_pin
from referee.web.rate_limit import RateLimit, RateLimited


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_right_pin_opens_a_session_and_a_wrong_one_does_not() -> None:
    doors = Access("246810", None)
    for wrong in ("", "24681", "２４６８１０"):
        with pytest.raises(AccessRefused):
            doors.by_pin(wrong, "", "10.0.0.1")
    session = doors.session(doors.by_pin("246810", "Mira", "10.0.0.1"))
    assert session is not None
    assert (session.role, session.by) == (Role.UMPIRE, "Mira")
    assert doors.session("guessed") is None
    assert doors.session(None) is None


def test_a_paired_tablet_is_known_again_and_a_club_can_switch_that_off(tmp_path: Path) -> None:
    file = tmp_path / "sessions.json"
    token = Access("1", "code", file).by_pairing("code", "", "10.0.0.1")
    again = Access("another PIN", "code", file).session(token)
    assert again is not None
    assert (again.role, again.by) == (Role.TABLET, "tablet")
    assert Access("1", "another code", file).session(token) is None
    switched_off = Access("1", None, file)
    assert switched_off.session(token) is None
    with pytest.raises(AccessRefused, match="cannot be paired"):
        switched_off.by_pairing("code", "", "10.0.0.1")
    with pytest.raises(AccessRefused, match="no longer valid"):
        Access("1", "another code", file).by_pairing("code", "", "10.0.0.1")


def test_the_file_of_sessions_opens_no_door_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "sessions.json"
    token = Access("246810", "code", file).by_pin("246810", "", "10.0.0.1")
    text = file.read_text()
    assert not [secret for secret in (token, "246810", "code") if secret in text]
    assert file.stat().st_mode & 0o077 == 0
    assert Access("246810", "code", file).session(json.loads(text)[0]["key"]) is None


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"role":"king"}]'])
def test_a_damaged_file_of_sessions_costs_a_new_sign_in_only(tmp_path: Path, content: str) -> None:
    file = tmp_path / "sessions.json"
    file.write_text(content)
    doors = Access("1", None, file)
    assert doors.session(doors.by_pin("1", "", "10.0.0.1")) is not None


def test_sessions_end_by_time_and_by_signing_out() -> None:
    clock = Clock()
    doors = Access("1", "code", wall=clock)
    umpire, tablet = doors.by_pin("1", "", "a"), doors.by_pairing("code", "", "a")
    clock.now += 11 * 3600
    assert doors.session(umpire) is not None
    clock.now += 2 * 3600
    assert doors.session(umpire) is None
    clock.now += 300 * 86400
    assert doors.session(tablet) is not None
    doors.close(tablet)
    assert doors.session(tablet) is None
    forgotten = doors.by_pairing("code", "", "a")
    clock.now += 400 * 86400
    assert doors.session(forgotten) is None


def test_without_a_pin_everybody_is_the_umpire() -> None:
    doors = Access(None, None)
    session = doors.session(None)
    assert not doors.locked
    assert session is not None
    assert session.role is Role.UMPIRE


def test_guessing_makes_an_address_wait_even_with_the_right_pin_and_no_other() -> None:
    clock = Clock()
    doors = Access("246810", None, brake=RateLimit(clock))
    for _ in range(5):
        with pytest.raises(AccessRefused):
            doors.by_pin("000000", "", "10.0.0.66")
    with pytest.raises(RateLimited, match="wait 30 seconds"):
        doors.by_pin("246810", "", "10.0.0.66")
    assert doors.by_pin("246810", "", "10.0.0.1")
    clock.now += 31
    assert doors.by_pin("246810", "", "10.0.0.66")


def test_many_addresses_guess_no_faster_than_a_few() -> None:
    brake = RateLimit(Clock())
    for n in range(100):
        brake.wrong(f"10.0.1.{n}")
    with pytest.raises(RateLimited):
        brake.check("10.0.0.1")


def test_an_address_that_sends_too_much_has_to_wait() -> None:
    clock = Clock()
    brake = RateLimit(clock)
    for _ in range(40):
        brake.pace("10.0.0.66")
    with pytest.raises(RateLimited, match="too many requests"):
        brake.pace("10.0.0.66")
    brake.pace("10.0.0.1")
    clock.now += 11
    brake.pace("10.0.0.66")


def test_random_pins_are_eight_digits_and_pairing_codes_cannot_be_guessed() -> None:
    assert all(len(pin) == 8 and pin.isdecimal() for pin in (random_pin() for _ in range(50)))
    assert len({random_pairing() for _ in range(50)}) == 50
    assert len(random_pairing()) >= 21
