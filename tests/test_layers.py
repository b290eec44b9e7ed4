"""One direction: models <- calibration <- referee, and inside it each stage imports only stages to its left."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("models", "calibration", "referee", "tools")

STAGES = (
    {"atomic_files", "facts", "languages", "process_priority"},
    {"frames"},
    {"foreground"},
    {"scheduling", "stabilise"},
    {"pieces"},
    {"tracking"},
    {"board_state"},
    {"striker"},
    {"setup"},
    {"outcome"},
    {"census"},
    {"fouls"},
    {"strokes"},
    {"seeing"},  # joins the stages before it, frames to facts; not more
    {"laws"},
    {"match"},
    {"log"},
    {"link"},
    {"replay"},
    {"board_condition", "membership"},
    {"web"},
    {"courier"},
    {"hub"},
)
"""From left to right; stages that stand together may not import each other."""

SEEING = ("foreground", "scheduling", "stabilise", "pieces", "tracking", "board_state", "striker", "outcome", "census",
          "fouls", "strokes", "board_condition")  # fmt: skip
"""The rooms of seeing."""

WIRING = {"pipeline", "bench", "commands", "cli"}
"""What may know every stage; the bench measures them all."""

LAWS_MAY = ("models", "referee.laws", "referee.facts", "referee.languages")
"""The laws read what vision says and the words of people, and nothing of how vision came to say so."""

SIM_MAY = (
    "models",
    "referee.sim",
    "referee.laws",
    "referee.frames.frame",
    "calibration.geometry.camera",
    "calibration.geometry.picture",
)
"""The simulator knows the world and the laws, and nothing of seeing."""


@dataclass(frozen=True, order=True)
class Import:
    """One import statement of one of our modules."""

    importer: str
    imported: str
    is_inside_function: bool

    def __str__(self) -> str:
        return f"{self.importer} -> {self.imported}"


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path) -> Iterator[Import]:
    """Every module imported in `path`, in functions and under TYPE_CHECKING too."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (Import(module_name(path), name, id(node) in inside) for name in names)


@cache
def all_imports() -> list[Import]:
    """Every import of our modules; read by the first test and not by whoever only collects them."""
    paths = sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))
    return [imported for path in paths for imported in imports_of(path)]


def ours(package: str) -> Iterator[Import]:
    """Imports of our own modules by those of `package`."""
    for imported in all_imports():
        if is_in(imported.importer, package) and imported.imported.split(".")[0] in OURS:
            yield imported


def is_in(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def stage(name: str) -> str | None:
    """`strokes` for anything in `referee.strokes`; None outside of referee and for referee itself."""
    parts = name.split(".")
    return parts[1] if parts[0] == "referee" and len(parts) > 1 else None


def rank(name: str) -> int | None:
    return next((place for place, stages in enumerate(STAGES) if stage(name) in stages), None)


def told(wrong: list[Import]) -> str:
    return "\n".join(map(str, wrong))


def test_models_know_nothing_of_the_rest() -> None:
    wrong = [i for i in ours("models") if not is_in(i.imported, "models")]
    assert not wrong, told(wrong)


def test_calibration_knows_models_only() -> None:
    wrong = [i for i in ours("calibration") if not is_in(i.imported, "models", "calibration")]
    assert not wrong, told(wrong)


def test_nothing_that_is_installed_knows_the_tools() -> None:
    wrong = [i for package in ("models", "calibration", "referee") for i in ours(package) if is_in(i.imported, "tools")]
    assert not wrong, told(wrong)


def test_models_hold_no_pixels() -> None:
    wrong = [i for i in all_imports() if is_in(i.importer, "models") and is_in(i.imported, "cv2", "av", "scipy")]
    assert not wrong, told(wrong)


def test_every_module_has_its_place() -> None:
    known = set().union(*STAGES, WIRING, {"sim"})
    stages = {stage(module_name(path)) for path in (ROOT / "referee").rglob("*.py")} - {None}
    assert stages <= known, f"give these a place in this test: {stages - known}"


def test_every_stage_is_drawn_and_described() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture, _, page = text.partition("```\n\n")
    described = {word for bold in re.findall(r"\*\*([a-z_, ]+)\*\*", page) for word in bold.split(", ")}
    stages = set().union(*STAGES, {"sim"}) - {"atomic_files", "facts", "languages", "process_priority"}
    assert not stages - set(re.findall(r"[a-z_]+", picture))
    assert not (stages | {"pipeline", "bench"}) - described


def test_a_stage_imports_only_stages_to_its_left() -> None:
    wrong = []
    for i in ours("referee"):
        here, there = rank(i.importer), rank(i.imported)
        if here is None or stage(i.imported) in (None, stage(i.importer)):
            continue
        if there is None or there >= here:
            wrong.append(i)
    assert not wrong, told(wrong)


def measures(path: Path) -> Iterator[str]:
    """Names that a module gives to numbers, alone or in tuples."""
    for node in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            names, values = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)], [*ast.walk(node.value)]
            if all(isinstance(v, ast.Tuple | ast.Load | ast.UnaryOp | ast.USub | ast.BinOp | ast.operator)
                   or (isinstance(v, ast.Constant) and isinstance(v.value, int | float)) for v in values):  # fmt: skip
                yield from (name for name in names if name.isupper())


def test_no_room_of_seeing_imports_the_threshold_of_another() -> None:
    """A room asks another by a function, so that a threshold has one meaning and one place."""
    paths = [path for room in SEEING for path in (ROOT / "referee" / room).rglob("*.py")]
    numbers = {f"{module_name(path)}.{name}" for path in paths for name in measures(path)}
    assert len(numbers) > 100
    wrong = [i for i in ours("referee") if i.imported in numbers and stage(i.importer) in SEEING
             and stage(i.importer) != stage(i.imported)]  # fmt: skip
    assert not wrong, told(wrong)


def test_laws_read_models_and_facts_only() -> None:
    wrong = [i for i in ours("referee.laws") if not is_in(i.imported, *LAWS_MAY)]
    assert not wrong, told(wrong)


def test_no_modules_import_each_other_in_a_circle() -> None:
    modules = {module_name(path) for package in OURS for path in (ROOT / package).rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for i in all_imports():
        target = i.imported if i.imported in modules else i.imported.rpartition(".")[0]
        if target in modules - {i.importer} and not i.is_inside_function:
            graph.setdefault(i.importer, set()).add(target)
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_the_simulator_knows_nothing_of_seeing() -> None:
    wrong = [i for i in ours("referee.sim") if not is_in(i.imported, *SIM_MAY)]
    assert not wrong, told(wrong)


def test_picamera2_is_imported_only_when_asked_for() -> None:
    wrong = [i for i in all_imports() if is_in(i.imported, "picamera2", "libcamera") and not i.is_inside_function]
    assert not wrong, told(wrong)


@pytest.mark.parametrize("package", ["laws", "match", "log"])
def test_rulings_need_no_pixels(package: str) -> None:
    """The laws, the match and its log can be used where there is neither OpenCV nor FFmpeg."""
    modules = [module_name(path) for path in sorted((ROOT / "referee" / package).rglob("*.py"))]
    code = f"import sys, {', '.join(modules)}; print(sorted({{'cv2', 'av', 'scipy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_the_walk_sees_what_it_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / "referee" / "laws" / "bad.py"
    path.parent.mkdir(parents=True)
    path.write_text("import os\nfrom referee.web import app\ndef f():\n    import picamera2\n")
    assert sorted(imports_of(path)) == [
        Import("referee.laws.bad", "os", False),
        Import("referee.laws.bad", "picamera2", True),
        Import("referee.laws.bad", "referee.web.app", False),
    ]
