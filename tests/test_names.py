"""One word, one meaning: names that say nothing are banned, and no two public things share a name."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("models", "calibration", "referee")

BANNED = {"told", "tell", "telling", "retold", "look", "looks", "take", "kept"}
"""They once stood for labelled, reported, classified, declared and inferred; for sample, colour and appearance."""
BANNED_PARTS = {"told", "retold", "telling"}
"""Not even as a part of a longer name."""
BANNED_ACTS = {
    "again", "begun", "found", "given", "go", "goes", "hear", "heard", "held", "holds", "lay", "rest", "said",
    "saw", "says", "see", "seen", "shown", "shows", "stand", "stands", "way", "ways", "went", "wish", "worth",
}  # fmt: skip
"""A function or class of such a name does not say what it does to what: `update`, `process`, `find_new`, `trajectory`
do. Variables may be called so."""
NAMED = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z][A-Z0-9]{3,}(?=: )")
"""A constant named in prose: capitals with an underscore, or capitals before the colon of their explanation."""
FOREIGN = {"AVFMT_NOTIMESTAMPS", "M_MMAP_THRESHOLD", "HTTP"}
"""Names of FFmpeg, of the C library and of a protocol."""
SAME_ROLE = {
    "command",  # the click command of each module of `commands`
    "fitted",  # the fitted parameters of a stage
    "main",  # what a program runs
    "objection",  # why an operator's event is impossible, by the laws and at this moment of the match
    "opened",  # what must be closed again, opened
    "phrases",  # the words of a part of the program in a language
    "rebuild",  # the hub's command, and what it calls
    "Publish",  # sends a message with a picture to the pages
    "Planes",  # the planes of a picture: as the marks are measured in them, and as two frames are compared
}
"""Functions and types of one name in several modules that are the same role of several things."""
PER_MODULE = {"VERSION", "KIND", "SUFFIX"}
"""Each file format has its own."""


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Our modules; read by the first test and not by whoever only collects them."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def bound(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that is given to something, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Public constants of a module, each with its value as written."""
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name):
            pairs = [(target, node.value)]
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=True))
        else:
            continue
        for name, value in pairs:
            if isinstance(name, ast.Name) and name.id.isupper() and len(name.id) > 3 and not name.id.startswith("_"):
                yield name.id, ast.unparse(value)


def test_no_name_is_a_word_that_means_five_things() -> None:
    wrong = [
        f"{path}:{line}: {name}"
        for path, tree in modules()
        for line, name in bound(tree)
        if name.strip("_").lower() in BANNED or BANNED_PARTS & set(name.lower().split("_"))
    ]
    assert not wrong, "\n".join(wrong)


def test_functions_say_what_they_do() -> None:
    wrong = [
        f"{path}:{node.lineno}: {node.name}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name.strip("_").lower() in BANNED_ACTS
    ]
    assert not wrong, "\n".join(wrong)


def types(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Public classes and aliases of a module; an alias with its value, a class with an empty one."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, ""
        elif isinstance(node, ast.Assign):
            yield from ((n.id, ast.unparse(node.value)) for n in node.targets if isinstance(n, ast.Name))


def test_no_two_public_types_share_a_name() -> None:
    """An alias may stand in two modules if it stands for the same."""
    places: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, tree in modules():
        for name, value in types(tree):
            if name[0].isupper() and not name.isupper():
                places[name].append((path, value))
    wrong = {
        name: found
        for name, found in places.items()
        if len(found) > 1 and name not in SAME_ROLE and (len({value for _, value in found}) > 1 or not found[0][1])
    }
    assert not wrong, "\n".join(f"{name}: {found}" for name, found in wrong.items())


def test_no_two_public_functions_share_a_name() -> None:
    places: defaultdict[str, set[str]] = defaultdict(set)
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                places[node.name].add(path)
    wrong = {name: sorted(paths) for name, paths in places.items() if len(paths) > 1 and name not in SAME_ROLE}
    assert not wrong, "\n".join(f"{name}: {paths}" for name, paths in wrong.items())


def test_every_role_that_several_modules_have_is_had_by_several() -> None:
    """So that the list of them does not outlive its reasons."""
    found = [node.name for _, tree in modules() for node in tree.body if isinstance(node, ast.FunctionDef)]
    found += [name for _, tree in modules() for name, _ in types(tree)]
    assert not {name for name in SAME_ROLE if found.count(name) < 2}


def test_no_constant_stands_in_two_modules() -> None:
    """One name with two values means two things; with one value it has two places that may come apart."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, tree in modules():
        for name, value in constants(tree):
            places[name].append(f"{path} ({value})")
    wrong = {name: found for name, found in places.items() if len(found) > 1 and name not in PER_MODULE}
    assert not wrong, "\n".join(f"{name}: {found}" for name, found in wrong.items())


def test_no_two_modules_differ_only_by_their_folder() -> None:
    """But for a command that is named for what it does."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, _ in modules():
        stem = Path(path).stem
        if stem not in ("__init__", "__main__") and "referee/commands/" not in path:
            places[stem].append(path)
    assert not {stem: paths for stem, paths in places.items() if len(paths) > 1}


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings and comments of a module, each with its line."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def words(tree: ast.Module) -> Iterator[str]:
    """Names that a module uses, and the words of its strings, but not of its docstrings."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield from re.findall(r"\w+", node.value)


def test_prose_names_constants_that_exist() -> None:
    known = FOREIGN.union(*(words(tree) for _, tree in modules()))
    wrong = [
        f"{path}:{line}: {name}"
        for path, _ in modules()
        for line, text in prose(ROOT / path)
        for name in NAMED.findall(text)
        if name not in known
    ]
    assert not wrong, "\n".join(wrong)
