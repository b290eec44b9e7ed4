"""deploy/: the installer's scripts, units and settings, as far as they show without root and network.

`deploy/prove` runs the installer in clean Debian roots; that takes root, the network and half an hour.
"""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from referee.cli import COMMANDS, load
from referee.commands.settings import defaults, whole

DEPLOY = Path(__file__).parents[1] / "deploy"
UNITS = ("carrom.service", "carrom-wifi.service")
SCRIPTS = ("dev", "install", "lock", "prove")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_have_no_known_faults(name: str) -> None:
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    done = run("shellcheck", DEPLOY / name)
    assert done.returncode == 0, done.stdout


def test_the_installer_explains_itself() -> None:
    done = run(DEPLOY / "install", "--help")
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("--update", "--rollback", "--uninstall", "--purge", "--dry-run"))


def test_a_dry_run_tells_every_step_in_order_and_does_none() -> None:
    done = run(DEPLOY / "install", "--dry-run")
    assert done.returncode == 0, done.stderr
    steps = ["apt-get", "-m venv --system-site-packages", "--require-hashes -r", "check --data", "mv -T", "enable"]
    places = [done.stdout.index(step) for step in steps]
    assert places == sorted(places), "a version is checked before it takes over"
    assert not Path("/opt/carrom/releases").exists() or "releases" in done.stdout


def test_an_option_that_is_not_known_is_told() -> None:
    done = run(DEPLOY / "install", "--dry-run", "--upgrade")
    assert done.returncode == 1
    assert "--upgrade is not known; see deploy/install --help" in done.stderr


@pytest.mark.parametrize("unit", UNITS)
def test_units_are_sound(unit: str, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    text = (DEPLOY / "appliance" / unit).read_text()
    # The program is not installed here, and a unit whose program is missing is not sound.
    (tmp_path / unit).write_text(text.replace("/opt/carrom/current/bin/referee", "/bin/true"))
    done = run("systemd-analyze", "verify", "--recursive-errors=no", tmp_path / unit)
    assert (done.returncode, done.stderr) == (0, "")


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DEPLOY / "appliance" / name)
    return parser


def test_the_service_is_watched_limited_and_shut_in() -> None:
    service = unit("carrom.service")["Service"]
    assert (service["Type"], service["Restart"], service["User"]) == ("notify", "always", "carrom")
    assert int(service["WatchdogSec"]) > 0
    for key in ("MemoryMax", "TasksMax", "ProtectSystem", "NoNewPrivileges", "DevicePolicy", "RestrictAddressFamilies"):
        assert service[key]
    assert service["CapabilityBoundingSet"] == service["AmbientCapabilities"] == "CAP_NET_BIND_SERVICE"
    assert not (DEPLOY / "appliance" / "carrom.service").read_text().count("PrivateDevices")


def test_the_machines_own_watchdog_is_set_and_taken_away_again() -> None:
    watchdog = unit("watchdog.conf")["Manager"]
    assert int(watchdog["RuntimeWatchdogSec"]) <= 15, "a Pi's counts no further"
    assert "write /etc/systemd/system.conf.d/carrom.conf" in run(DEPLOY / "install", "--dry-run").stdout
    assert "/etc/systemd/system.conf.d/carrom.conf" in run(DEPLOY / "install", "--dry-run", "--uninstall").stdout


def test_the_settings_that_the_installer_writes_run_a_pi(tmp_path: Path) -> None:
    edits = re.findall(r"-e (['\"])(s[/|].*?)\1(?= )", (DEPLOY / "install").read_text())
    sample = (DEPLOY / "settings.toml").read_text()
    path = tmp_path / "settings.toml"
    words = [
        word
        for _, edit in edits
        for word in ("-e", edit.replace('\\"', '"').replace("$pin", "246802").replace("$data", "/srv"))
    ]
    path.write_text(subprocess.run(["sed", *words], input=sample, capture_output=True, text=True, check=True).stdout)
    tables = tomllib.loads(path.read_text())
    table = tables["run"]
    assert tables["check"]["data"] == "/srv"
    assert (table["source"], table["port"], table["pin"]) == ("picamera", 80, "246802")
    assert table["resume"]
    assert table["wait"]
    assert defaults(path, "run", table, load("run"))["source"] == "picamera"
    assert whole(path, {name: (lambda name=name: load(name)) for name in COMMANDS})
