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
from click.testing import CliRunner

from referee.cli import COMMANDS, load_command, main
from referee.commands.settings import defaults, whole

DEPLOY = Path(__file__).parents[1] / "deploy"
BOARD_UNITS = ("carrom.service", "carrom-wifi.service", "carrom-courier.service", "carrom-courier.path")
HUB_UNITS = ("carrom-broker.service", "carrom-hub.service")
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
    assert all(
        word in done.stdout for word in ("--update", "--rollback", "--uninstall", "--purge", "--dry-run", "--hub")
    )


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


def test_a_hub_is_installed_beside_a_board_with_its_engines_and_touches_nothing_of_it() -> None:
    done = run(DEPLOY / "install", "--dry-run", "--hub")
    assert done.returncode == 0, done.stderr
    steps = ["mosquitto postgresql chrony", "requirements-hall.lock", "check --data /var/lib/carrom-hub", "psql",
             "mv -T", *(f"write /etc/systemd/system/{unit}" for unit in HUB_UNITS), "enable"]  # fmt: skip
    places = [done.stdout.index(step) for step in steps]
    assert places == sorted(places), "a version is checked before it takes over"
    update = run(DEPLOY / "install", "--hub", "--dry-run", "--update", "f" * 40)
    assert "write /etc/carrom-hub/hub.env" in update.stdout, "the newer version is a hub again"
    purge = run(DEPLOY / "install", "--hub", "--dry-run", "--uninstall", "--purge")
    assert "drop database" in purge.stdout
    for text in (done.stdout, update.stdout, purge.stdout):
        assert not re.search(r"/(opt|etc)/carrom\b(?!-hub)|/var/lib/carrom-referee|carrom\.service", text)


def test_the_hubs_settings_start_a_hub(tmp_path: Path) -> None:
    lines = [line for line in (DEPLOY / "hub.env").read_text().splitlines() if line and line[0] != "#"]
    settings = dict(line.split("=", 1) for line in lines)
    assert settings["CARROM_PIN"] == "", "the installer draws one"
    words = [word.replace("/var/lib/carrom-hub", str(tmp_path)) for word in settings["CARROM_HUB_OPTIONS"].split()]
    done = CliRunner().invoke(main, ["hub", *words, "--database", "postgresql://nobody@127.0.0.1:9/none", "broker"])
    assert "start PostgreSQL" in done.output, "every option is known"
    for unit_name in HUB_UNITS:
        service = unit(unit_name)["Service"]
        assert (service["User"], service["Restart"]) == ("carrom-hub", "always")
        assert service["EnvironmentFile"] == "/etc/carrom-hub/hub.env"
    script = shell_of("hub_port", "hub_address") + f"\nsettings={DEPLOY / 'hub.env'}\nhub_address"
    assert run("sh", "-c", script).stdout.strip() == "http://127.0.0.1:80"


def in_a_folder(unit: str, folder: Path) -> Path:
    """Returns a copy of a unit: its program is not installed here, and one whose program is missing is not sound."""
    text = (DEPLOY / "appliance" / unit).read_text()
    copy = folder / unit
    copy.write_text(re.sub(r"/opt/carrom(-hub)?/current/bin/referee|/usr/sbin/mosquitto", "/bin/true", text))
    return copy


@pytest.mark.parametrize("units", [BOARD_UNITS, HUB_UNITS], ids=["board", "hub"])
def test_units_are_sound(units: tuple[str, ...], tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    done = run("systemd-analyze", "verify", "--recursive-errors=no", *[in_a_folder(unit, tmp_path) for unit in units])
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


@pytest.mark.parametrize(
    ("name", "most"),
    [("carrom.service", 2.0), ("carrom-wifi.service", 4.0), ("carrom-courier.service", 2.0),
     ("carrom-hub.service", 2.0), ("carrom-broker.service", 2.0)],
)  # fmt: skip
def test_units_are_shut_in_as_systemd_judges_it(name: str, most: float, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    done = run("systemd-analyze", "security", "--offline=true", "--no-pager", in_a_folder(name, tmp_path))
    if "offline" in done.stderr:
        pytest.skip("this systemd does not judge files")
    exposure = re.search(r"exposure level for .*?: ([\d.]+)", done.stdout)
    assert exposure is not None, done.stdout + done.stderr
    assert float(exposure[1]) < most


def shell_of(*names: str) -> str:
    """Functions of the installer, as text."""
    text = (DEPLOY / "install").read_text()
    found = [re.search(rf"^{name}\(\) {{.*?(?:}}$|^}}$)", text, re.MULTILINE | re.DOTALL) for name in names]
    return "\n".join(match[0] for match in found if match)


def test_the_wifi_password_has_sixty_bits() -> None:
    script = shell_of("random_password") + "\nrandom_password; echo; random_password"
    first, second = run("sh", "-c", script).stdout.split()
    assert first != second
    assert len(first) == len(second) == 13
    assert 31**13 > 2**60
    assert set(first + second) <= set("abcdefghjkmnpqrstuvwxyz23456789")


@pytest.mark.parametrize(
    ("status", "restarts", "stays"),
    [("judging picamera, log x", 0, True), ("waiting: no board", 0, False), ("judging picamera, log x", 2, False)],
)
def test_a_new_version_stays_only_while_it_judges_frames(
    status: str, restarts: int, stays: bool, tmp_path: Path
) -> None:
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(f'#!/bin/sh\ncase "$*" in *NRestarts*) echo {restarts} ;; *) echo "{status}" ;; esac\n')
    systemctl.chmod(0o755)
    lines = [
        f"PATH={tmp_path}:$PATH",
        "judging_s=0",
        "part=board doing=x main=x",
        shell_of("say", "judges", "lasts"),
        "lasts",
    ]
    assert (run("sh", "-c", "\n".join(lines)).returncode == 0) is stays


@pytest.mark.parametrize(("fault", "stays"), [("", True), ("judges none", False), ("does not start", False)])
def test_a_version_that_does_not_last_gives_way_to_the_one_before(fault: str, stays: bool, tmp_path: Path) -> None:
    """The installer's own switch, start and watch; the service manager is a stand-in that knows the version."""
    old, new = (tmp_path / "releases" / name for name in ("20260101-000000", "20260202-000000"))
    for release in (old, new):
        (release / "bin").mkdir(parents=True)
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(rf"""#!/bin/sh
case "$(readlink {tmp_path}/current) $*" in
releases/2026*NRestarts*) echo 0 ;;
releases/20260202*StatusText*) [ "{fault}" = "judges none" ] && echo waiting || echo judging ;;
releases/20260202*restart\ carrom.service) echo "$*" >>{tmp_path}/said; [ "{fault}" != "does not start" ] ;;
*StatusText*) echo judging ;;
*) echo "$*" >>{tmp_path}/said ;;
esac
""")
    systemctl.chmod(0o755)
    lines = [
        f"PATH={tmp_path}:$PATH",
        f"current={tmp_path}/current dry= part=hall main=carrom.service judging_s=0 judged=yes doing=judged",
        shell_of("say", "fail", "run", "service", "switch", "judges", "lasts", "start"),
        "is_running_systemd() { true; }",
        f'install_units() {{ echo "units of $(basename "$1")" >>{tmp_path}/said; }}',
        f"switch {old}; switch {new}; start {new} {old}",
    ]
    done = run("sh", "-c", "\n".join(lines))
    assert (done.returncode == 0) is stays, done.stderr
    assert (tmp_path / "current").resolve() == (new if stays else old)
    said = (tmp_path / "said").read_text().splitlines()
    if not stays:
        assert said[-2:] == ["units of 20260101-000000", "restart carrom.service"]
        assert f"so {old} runs again" in done.stderr


@pytest.fixture
def published(tmp_path: Path) -> tuple[Path, Path]:
    """Returns the makers' repository and an owner's clone of it. A stand-in for the installer tells that it ran."""
    for name in ("maker", "other"):
        made = run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", tmp_path / name)
        assert made.returncode == 0, made.stderr
    (tmp_path / "signers").write_text(f"maker {(tmp_path / 'maker.pub').read_text()}")
    makers, owners = tmp_path / "makers", tmp_path / "owners"
    assert git(tmp_path, "init", "--quiet", "-b", "main", str(makers)).returncode == 0
    (makers / "deploy").mkdir()
    (makers / "deploy" / "install").write_text("#!/bin/sh\necho installed\n")
    (makers / "deploy" / "install").chmod(0o755)
    commit(makers, "one")
    assert git(tmp_path, "clone", "--quiet", str(makers), str(owners)).returncode == 0
    return makers, owners


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=m", "-c", "user.email=m@example.org")
    return run("git", "-C", folder, *who, "-c", "gpg.format=ssh", *words)


def commit(makers: Path, content: str, key: str = "", tag: str = "") -> str:
    """Makes a version, perhaps with a tag signed by a key; returns its hash."""
    (makers / "version").write_text(content)
    git(makers, "add", "-A")
    assert git(makers, "commit", "--quiet", "-m", content).returncode == 0
    if tag:
        signing = ("-c", f"user.signingkey={makers.parent / key}.pub", "tag", "-s") if key else ("tag", "-a")
        assert git(makers, *signing, "-m", tag, tag).returncode == 0
    return git(makers, "rev-parse", "HEAD").stdout.strip()


def updated(owners: Path, version: str = "") -> tuple[bool, str]:
    """Runs the installer's update in the owner's clone; returns whether a version is installed, and what it said."""
    lines = [
        f"root={owners} signers={owners.parent}/signers dry= part=board",
        shell_of("say", "fail", "run", "in_checkout", "update"),
        f"update '{version}'",
    ]
    done = run("sh", "-c", "\n".join(lines))
    return done.stdout == "installed\n" and done.returncode == 0, done.stderr


def test_a_tag_of_the_makers_is_taken_and_no_other(published: tuple[Path, Path]) -> None:
    makers, owners = published
    commit(makers, "two", "maker", "v2")
    is_taken, told = updated(owners)
    assert (is_taken, told.startswith('Good "git" signature for maker'), "error" in told) == (True, True, False)
    assert (owners / "version").read_text() == "two"
    for tag, key in (("v3", "other"), ("v4", "")):
        commit(makers, tag, key, tag)
        is_taken, told = updated(owners)
        assert (is_taken, (owners / "version").read_text()) == (False, "two")
        assert f"{tag} is not signed by a key" in told


def test_a_version_is_taken_by_its_whole_hash(published: tuple[Path, Path]) -> None:
    makers, owners = published
    named, later = commit(makers, "two"), commit(makers, "three")
    assert updated(owners, named) == (True, "")
    assert (owners / "version").read_text() == "two"
    is_taken, told = updated(owners, "0" * 40)
    assert (is_taken, "nothing was changed" in told) == (False, True)
    assert not updated(owners, later[:12])[0]
    assert (owners / "version").read_text() == "two"


def test_an_update_is_one_that_somebody_vouches_for() -> None:
    steps = run(DEPLOY / "install", "--dry-run", "--update").stdout
    assert "fetch" in steps
    assert steps.index("verify-tag") < steps.index("merge"), "a tag is merged once it has been verified"
    named = run(DEPLOY / "install", "--dry-run", "--update", "f" * 40).stdout
    assert "f" * 40 in named
    assert "verify-tag" not in named
    short = run(DEPLOY / "install", "--dry-run", "--update", "f" * 7)
    assert short.returncode == 1
    assert "no whole hash" in short.stderr


def test_half_installed_packages_are_finished_first() -> None:
    steps = run(DEPLOY / "install", "--dry-run").stdout
    assert steps.index("dpkg --configure -a") < steps.index("apt-get")


def test_nothing_is_begun_on_a_full_disk() -> None:
    lines = ["dry=", shell_of("fail", "room"), "room /opt/carrom/releases 999999999999"]
    done = run("sh", "-c", "\n".join(lines))
    assert done.returncode == 1
    assert "are needed" in done.stderr


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
    assert defaults(path, "run", table, load_command("run"))["source"] == "picamera"
    assert whole(path, {name: (lambda name=name: load_command(name)) for name in COMMANDS})
