"""Health: what people are told and when, and what programs read at /health and /metrics."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect
from prometheus_client.parser import text_string_to_metric_families
from web_stage import Eyes, state, until

from referee.languages import Part, languages, phrases
from referee.web.broadcast import Broadcast
from referee.web.health import HEALTH_TEXTS, SERIOUS, Health, HealthAlert, HealthTrouble, alerts_of
from referee.web.metrics import metrics
from referee.web.process import WebProcess
from referee.web.system_stats import Machine, SystemReading, Throttle

COOL = SystemReading(0.3, 4096, 2000, 55.0, Throttle(0), Throttle(0), 9000, None, True, 60.0)


def vitals(**changes: Any) -> dict[str, Any]:
    """What the vision process tells while all is well."""
    base = {"type": "health", "camera": "judging", "why": None, "source": "picamera", "nominal_fps": 60.0, "log": "a",
            "fps": 59.9, "frames": 1200, "lost": 3, "unrecorded": 0, "lost_share": 0.001, "delay_s": 0.002,
            "delay_worst_s": 0.05, "ruling_s": 0.4, "memory_mb": 300}  # fmt: skip
    return base | changes


@pytest.mark.parametrize(
    ("said", "silent_s", "machine", "told"),
    [
        (vitals(), 1, COOL, []),
        (vitals(), 11, COOL, [HealthAlert(HealthTrouble.EYES_SILENT)]),
        (vitals(camera="away"), 60, COOL, [HealthAlert(HealthTrouble.CAMERA_AWAY)]),
        (vitals(camera="no_board"), 60, COOL, [HealthAlert(HealthTrouble.NO_BOARD)]),
        (vitals(camera="no_log"), 60, COOL, [HealthAlert(HealthTrouble.NO_LOG)]),
        (vitals(camera="ended"), 60, COOL, []),
        (vitals(mm_per_px=1.64), 1, COOL, [HealthAlert(HealthTrouble.PICTURE_SMALL, 1.6)]),
        (vitals(lost_share=0.034), 1, COOL, [HealthAlert(HealthTrouble.FRAMES_LOST, 3)]),
        (vitals(troubles=["picture_frozen"]), 1, COOL, [HealthAlert(HealthTrouble.PICTURE_FROZEN)]),
        (vitals(troubles=["picture_restless"]), 1, COOL, [HealthAlert(HealthTrouble.PICTURE_RESTLESS)]),
        (vitals(), 1, replace(COOL, disk_free_mb=400), [HealthAlert(HealthTrouble.DISK_LOW, 0.4)]),
        (vitals(), 1, replace(COOL, disk_hours=0.5), []),
        (
            vitals(),
            1,
            replace(COOL, disk_hours=0.5, disk_free_mb=4000),
            [HealthAlert(HealthTrouble.DISK_LOW, 4.0, 0.5)],
        ),
        (vitals(behind_s=44.2), 1, COOL, [HealthAlert(HealthTrouble.BEHIND, 44)]),
        (vitals(behind_s=0.4), 1, COOL, []),
        (vitals(), 1, replace(COOL, temperature_c=81.2), [HealthAlert(HealthTrouble.HOT, 81)]),
        (vitals(), 1, replace(COOL, throttled=Throttle.CAPPED), [HealthAlert(HealthTrouble.THROTTLED)]),
        (vitals(), 1, replace(COOL, throttled=Throttle(5)), [HealthAlert(HealthTrouble.UNDER_VOLTAGE)]),
        (vitals(), 1, replace(COOL, memory_free_mb=90), [HealthAlert(HealthTrouble.MEMORY_LOW, 90)]),
        (vitals(), 1, replace(COOL, throttled_since_boot=Throttle.HOT), []),
        (None, 0, None, []),
    ],
)
def test_people_are_told_what_matters_and_only_while_it_lasts(
    said: dict[str, Any] | None, silent_s: float, machine: SystemReading | None, told: list[HealthAlert]
) -> None:
    assert list(alerts_of(said, silent_s, machine)) == told


def health_of(said: dict[str, Any] | None, tmp_path: Path) -> Health:
    health = Health(Machine(tmp_path), Broadcast())
    health.reading = COOL
    health.add(said)
    return health


def test_the_status_is_failing_while_nothing_can_be_refereed(tmp_path: Path) -> None:
    assert health_of(vitals(), tmp_path).report()["status"] == "ok"
    assert health_of(vitals(lost_share=0.5), tmp_path).report()["status"] == "warning"
    for said in (None, vitals(camera="away"), vitals(troubles=["picture_frozen"])):
        assert health_of(said, tmp_path).report()["status"] == "failing"


def test_every_trouble_has_words_for_programs_and_in_every_language() -> None:
    assert HEALTH_TEXTS.keys() == set(HealthTrouble) > SERIOUS
    for language in languages():
        words = phrases(Part.PAGES, language)
        for kind, text in HEALTH_TEXTS.items():
            assert re.findall(r"\{\w+\}", words[f"health.{kind}"]) == re.findall(r"\{\w+\}", text)


def test_a_real_parser_reads_the_metrics(tmp_path: Path) -> None:
    health = health_of(vitals(camera="away"), tmp_path)
    health.reading = replace(COOL, throttled=Throttle.HOT, disk_hours=None)
    families = {f.name: f for f in text_string_to_metric_families(metrics(health.report()))}
    values = {name: family.samples[0].value for name, family in families.items() if len(family.samples) == 1}
    assert families["carrom_frames"].type == "counter"
    assert (values["carrom_frames"], values["carrom_camera_judging"], values["carrom_memory_free_bytes"]) == (
        1200,
        0,
        2e9,
    )
    assert "carrom_disk_hours" not in families, "what is not known is left out"
    alerts = {s.labels["kind"]: s.value for s in families["carrom_alert"].samples}
    assert alerts == {
        kind.value: float(kind in (HealthTrouble.CAMERA_AWAY, HealthTrouble.THROTTLED)) for kind in HealthTrouble
    }
    throttled = {(s.labels["why"], s.labels["when"]) for s in families["carrom_throttled"].samples if s.value}
    assert throttled == {("hot", "now")}


def test_metrics_of_eyes_that_are_not_there_can_be_read_too(tmp_path: Path) -> None:
    families = {f.name for f in text_string_to_metric_families(metrics(health_of(None, tmp_path).report()))}
    assert "carrom_frames" not in families
    assert "carrom_camera_judging" in families


def test_a_house_answers_programs(house: WebProcess, eyes: Eyes) -> None:
    eyes.link.publish(vitals())
    until(lambda: httpx.get(f"{house.urls[0]}health").status_code == 200)
    assert httpx.get(f"{house.urls[0]}health").json()["eyes"]["fps"] == 59.9
    answer = httpx.get(f"{house.urls[0]}metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "carrom_frames_per_second 59.9" in answer.text
    eyes.link.publish(vitals(camera="away", why="the cable is out"))
    until(lambda: httpx.get(f"{house.urls[0]}health").status_code == 503)
    until(lambda: [a["kind"] for a in state(house.urls[0])["health"]["alerts"]] == ["camera_away"])
    code = httpx.get(f"{house.urls[0]}api/address.svg")
    assert (code.headers["content-type"], b"<svg" in code.content) == ("image/svg+xml", True)


def test_the_scoreboard_says_in_words_what_is_wrong(page: Page, house: WebProcess, eyes: Eyes,
                                                    errors: list[str]) -> None:  # fmt: skip
    eyes.link.publish(vitals())
    eyes.play("south W")
    page.goto(f"{house.urls[0]}?language=de")
    expect(page.locator("#phase")).to_be_attached()
    eyes.link.publish(vitals(camera="away"))
    expect(page.locator("#veil")).to_contain_text("Kabel prüfen")
    eyes.link.publish(vitals())
    expect(page.locator("#veil")).not_to_contain_text("Kabel prüfen")
    assert errors == []


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Machine"), ("de", "Gerät"), ("fr", "Appareil"), ("es", "Equipo")]
)
def test_the_machines_page_speaks_four_languages(page: Page, house: WebProcess, eyes: Eyes, errors: list[str],
                                                 language: str, title: str) -> None:  # fmt: skip
    friction = {"friction_mm_s2": {"value": 1104.3, "sigma": 11.2, "n": 37}}
    eyes.link.publish(vitals(camera="no_board", why="no board in view", passport=friction))
    until(lambda: httpx.get(f"{house.urls[0]}health").status_code == 503)
    page.goto(f"{house.urls[0]}machine?language={language}")
    expect(page.locator("h1")).to_have_text(title)
    expect(page.locator("#status")).to_have_attribute("data-status", "failing")
    expect(page.locator("#facts")).to_contain_text("no board in view")
    expect(page.locator("#facts")).to_contain_text(re.compile(r"mm/s²1.?104 ± 11 \(\w+ 37\)"))
    expect(page.locator("#code")).to_have_js_property("complete", True)
    assert page.locator("#code").evaluate("image => image.naturalWidth") > 100
    assert errors == []
