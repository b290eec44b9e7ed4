"""The support bundle holds what helps, and nothing that opens the umpire's desk."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result
from web_stage import Eyes, Stage

from referee.cli import main
from referee.commands.bundle import without_secrets, write_bundle
from referee.web.process import WebProcess

PIN = "246802"


def bundle(folder: Path, data: Path, settings: str) -> tuple[Result, dict[str, str]]:
    """What `check --bundle` says, and the bundle's texts by name."""
    path = folder / "settings.toml"
    path.write_text(settings)
    words = ["--settings", str(path), "check", "--data", str(data), "--bundle", str(folder / "b.zip")]
    result = CliRunner().invoke(main, words)
    with ZipFile(folder / "b.zip") as packed:
        return result, {name: packed.read(name).decode(errors="replace") for name in packed.namelist()}


def test_logs_settings_profile_and_findings_are_packed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "matches").mkdir(parents=True)
    for n in range(7):
        (data / "matches" / f"{n}.jsonl").write_text(f"{n}\n")
    (tmp_path / "board.json").write_text("{}")
    settings = f'[run]\nport = 1\npin = "{PIN}"\nprofile = "{tmp_path / "board.json"}"\n'
    result, parts = bundle(tmp_path, data, settings)
    assert result.exit_code == 0, result.output
    assert "python" in parts["check.txt"]
    assert "files/board.json" in parts
    assert len([name for name in parts if name.endswith(".jsonl")]) == 5
    assert "the referee at port 1 does not tell" in parts["health.json.missing.txt"]
    assert "profile = " in parts["settings.toml"]
    assert not [name for name, text in parts.items() if PIN in text]
    assert "look before you send it" in result.stderr


def test_the_running_referee_is_asked(tmp_path: Path, stage: Stage, house: WebProcess, eyes: Eyes) -> None:
    eyes.picture(b"jpeg", t=1.0)
    port = house.urls[0].rstrip("/").rpartition(":")[2]
    _, parts = bundle(tmp_path, tmp_path, f"[run]\nport = {port}\n")
    assert "carrom_viewers" in parts["metrics.txt"]
    assert '"status"' in parts["health.json"]


@pytest.mark.parametrize(
    "text",
    [
        f"carrom[7]: desk: (PIN {PIN})", f"CARROM_PIN={PIN}", f"http://10.0.0.1/pair#{PIN}xyz",
        f"opens the Wi-Fi carrom, password {PIN}, http://10.42.0.1/", f"psk={PIN}", f"the umpire's PIN is {PIN}",
        f"source rtsp://mira:{PIN}@192.168.1.20/stream",
    ],
)  # fmt: skip
def test_what_opens_something_is_taken_out_of_texts(text: str) -> None:
    assert PIN not in without_secrets(text)


@pytest.mark.parametrize(
    "table",
    [
        f'[run]\npin = "{PIN}"', f"[run]\npin='{PIN}'", f'run = {{ pin = "{PIN}" }}', f'[run]\n"pin" = "{PIN}"',
        f'run.pin = "{PIN}"', f'[ run ]\npin = """{PIN}"""',
        '[run]\npin = "\\u0032\\u0034\\u0036\\u0038\\u0030\\u0032"',
        f"[run]\npin = {PIN}", f'[run]\nport = 1 # pin {PIN}', f'[run]\npin = "{PIN}', f"[run]\npin = [\"{PIN}\"]",
        f'[run]\nsource = "rtsp://mira:{PIN}@10.0.0.9/x"',
    ],
)  # fmt: skip
def test_however_the_settings_spell_the_pin_it_is_taken_out(tmp_path: Path, table: str) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(table)
    logged = tmp_path / "a.jsonl"
    logged.write_text("nothing")
    write_bundle(tmp_path / "b.zip", "", tmp_path, settings)
    with ZipFile(tmp_path / "b.zip") as packed:
        texts = [packed.read(name).decode(errors="replace") for name in packed.namelist()]
    assert not [text for text in texts if PIN in text or "\\u0032" in text]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["check", "--data", str(tmp_path), "--bundle", str(tmp_path / "no" / "b.zip")])
    assert (result.exit_code, "choose another place with --bundle" in result.stderr) == (1, True)
