"""What is shipped: one wheel with its data that runs by itself, and locks that name every dependency."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from models.board import board_names
from models.rules import house_names, sheet_names
from referee.cli import COMMANDS
from referee.commands.check import LIBRARIES

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-pi.lock", "requirements-hall.lock")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command that must not find the checkout by accident."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def empty_room(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment that holds the wheel; its dependencies are lent by the tests' own."""
    folder = tmp_path_factory.mktemp("room")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    done = run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel,
               cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (site,) = folder.glob("lib/python*/site-packages")
    # A path file inside a path that another path file names is not read, so the checkout stays out.
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n" + sysconfig.get_path("platlib") + "\n")
    return folder / "bin"


def test_the_wheel_holds_the_three_packages_and_their_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"models/boards/{name}.toml" for name in board_names()}
    wanted |= {f"models/rulesets/{name}.toml" for name in sheet_names()}
    wanted |= {f"models/rulesets/house/{name}.toml" for name in house_names()}
    for package in ("models", "calibration", "referee"):
        files = (path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        wanted |= {path.relative_to(ROOT).as_posix() for path in files}
    assert wanted <= names, sorted(wanted - names)
    assert any(name.startswith("referee/web/pages/") and name.endswith(".html") for name in names)


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"models", "calibration", "referee"}


def test_the_installed_wheel_is_what_runs(empty_room: Path) -> None:
    done = run(empty_room / "python", "-c", "import referee; print(referee.__file__)", cwd=empty_room)
    assert Path(done.stdout.strip()).is_relative_to(empty_room.parent), done.stderr


def test_the_installed_wheel_is_whole(empty_room: Path, tmp_path: Path) -> None:
    done = run(empty_room / "referee", "check", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_wheel_judges_a_stroke(empty_room: Path, tmp_path: Path) -> None:
    state = "W4 B2 Q=board due 0/0 score 0:0 mv W"
    done = run(empty_room / "referee", "rule", "--rules", "icf", "--state", state, "--stroke", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("mv")[-1].split()[0] == "B"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(empty_room: Path, tmp_path: Path, name: str) -> None:
    done = run(empty_room / "referee", name, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Usage: referee {name}")


def requirements(lock: str) -> list[str]:
    """Each requirement with its hashes as one text."""
    lines = [line for line in (ROOT / lock).read_text().splitlines() if not line.lstrip().startswith("#")]
    return [item for item in re.split(r"\n(?=\S)", "\n".join(lines).strip()) if item]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_one_version_and_its_hashes(lock: str) -> None:
    items = requirements(lock)
    assert items
    for item in items:
        assert re.match(r"[a-z0-9-]+==[^ ]+ ", item), f"{lock}: {item.splitlines()[0]}"
        assert "--hash=sha256:" in item, f"{lock}: {item.splitlines()[0]}"
    names = [item.split("==")[0] for item in items]
    assert len(names) == len(set(names)), "one version for every Python"


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_other_index_and_no_path(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"index-url|find-links|file:|https?:| @ |/home/", text)


def test_locks_name_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    run_time = project["project"]["dependencies"] + project["dependency-groups"]["build"]
    for lock, wanted in (
        ("requirements.lock", run_time),
        ("requirements-dev.lock", run_time + project["dependency-groups"]["dev"]),
        ("requirements-pi.lock", project["dependency-groups"]["raspberry"]),
        ("requirements-hall.lock", run_time + project["project"]["optional-dependencies"]["hall"]),
    ):
        locked = {item.split("==")[0] for item in requirements(lock)}
        names = {re.split(r"[<>=!~\[; ]", requirement)[0].lower() for requirement in wanted}
        assert names <= locked, f"{lock} lacks {names - locked}; run deploy/lock"


def test_the_check_loads_every_library_that_is_needed() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in needed} == set(LIBRARIES)


def test_locks_of_tests_and_of_the_referee_agree() -> None:
    run_time, dev = ({item.split(" ")[0] for item in requirements(lock)} for lock in LOCKS[:2])
    assert run_time <= dev


@pytest.mark.parametrize(
    ("fails", "advice"),
    [
        ("NewConnectionError: Failed to establish a new connection: [Errno 13] Permission denied", "check the network"),
        ("OSError: [Errno 13] Permission denied: 'site-packages'", "this user may not write to"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
    ],
)
def test_the_bootstrap_tells_why_packages_are_not_there(fails: str, advice: str, tmp_path: Path) -> None:
    for name in ("deploy/dev", "requirements.lock", "requirements-pi.lock", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    pip = tmp_path / ".venv" / "bin" / "python"
    pip.parent.mkdir(parents=True)
    pip.write_text(f'#!/bin/sh\ncase "$*" in *install*) echo "{fails}" >&2; exit 1;; esac\n')
    pip.chmod(0o755)
    done = run("sh", tmp_path / "deploy" / "dev", "demo", cwd=tmp_path)
    assert done.returncode == 1
    assert "minutes" in done.stderr.splitlines()[0]
    assert advice in done.stderr.splitlines()[-1]


def test_the_bootstrap_explains_itself() -> None:
    done = run("sh", ROOT / "deploy" / "dev", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "deploy/dev demo" in done.stdout
    assert "deploy/dev test" in done.stdout
