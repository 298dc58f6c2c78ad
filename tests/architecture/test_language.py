"""Names, docstrings and comments are in plain technical English, and each check can fail.

The imperative mood of functions is ruff's rule D401, which ``pyproject.toml`` turns on.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PARTS = ("firegui", "packaging")
LONGEST_FIRST_LINE = 100

PHRASES = re.compile(
    r"\b(?:see the module|somebody|nobody|whoever|(?:is|are|was|were) asked for|is asked to|gone through|gone on with"
    r"|goes on with|hears? from|wonders?)\b",
    re.IGNORECASE,
)
"""Phrases that hide who does what to which thing."""

CLASSES = frozenset(
    {
        "AtWork", "Means", "Notice", "HandDrops", "HandKeeper", "HandCheck", "LiveLook", "LiveWish", "Look", "Wish",
        "Wanted", "Earlier", "Screen", "Viewer", "Leaving", "Beside", "SideJob", "InTurns", "Photographer", "Postcards",
        "Forgetful", "Place", "Said", "Likeness", "Speaker", "Tabulation", "Agenda", "Crew", "Line", "Word", "Bench",
        "Errand", "Parcel", "Shelf", "Contest", "Left", "LeftToPlan", "Remark", "Tell", "Sight", "Onlooker", "LastLook",
        "Lie", "Laid", "Traits",
    }
)  # fmt: skip
CLASS_PARTS = re.compile(r"^Kept[A-Z]|Desk$")
FUNCTIONS = frozenset({"attend", "contest", "doubt", "fulfil", "furnish", "glance", "placing", "wonder"})
MODULES = frozenset({"attend", "grey", "left_out", "placing", "taught", "yardstick"})
"""Names whose meaning only the file tells: a ``Wish`` was a request, a ``Bench`` a worker, a ``Lie`` a geometry."""


# -- what is checked ---------------------------------------------------------------------------------------------------
def first_lines(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line number and the first line of every docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text.splitlines()[0]


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of every docstring and comment, those of attributes and constants too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, " ".join(node.value.value.split())
    yield from comments(source)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield every comment; comments on consecutive lines are one, so that a phrase may be broken over two lines."""
    start, parts, last = 0, list[str](), -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                if parts:
                    yield start, " ".join(parts)
                start, parts = token.start[0], []
            parts.append(token.string.lstrip("#").strip())
            last = token.start[0]
    if parts:
        yield start, " ".join(parts)


def private_names(file: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line number and the name of every module, class and function that has a private term as its name."""
    if Path(file).stem in MODULES:
        yield 1, f"module {Path(file).stem}"
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            plain = node.name.lstrip("_")
            if plain in CLASSES or CLASS_PARTS.search(plain):
                yield node.lineno, f"class {node.name}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.lstrip("_") in FUNCTIONS:
            yield node.lineno, f"function {node.name}"


def problems(file: str, source: str) -> list[str]:
    """Return what is wrong with the language of one module."""
    tree = ast.parse(source)
    found = [
        f"{file}:{line}: first line of {len(text)} characters: {text}"
        for line, text in first_lines(tree)
        if len(text) > LONGEST_FIRST_LINE
    ]
    if PHRASES.search(re.sub(r"[\s#]+", " ", source)):  # in prose or elsewhere
        found += [
            f"{file}:{line}: “{match[0]}” in: {text}"
            for line, text in prose(source)
            for match in PHRASES.finditer(text)
        ]
    return found + [f"{file}:{line}: {name}" for line, name in private_names(file, tree)]


def repeated_classes(package: Path) -> dict[str, list[str]]:
    """Return the names of the top-level classes that more than one module defines, with these modules."""
    where = defaultdict[str, list[str]](list)
    for path in sorted(package.rglob("*.py")):
        for name in set(re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)):
            where[name].append(path.relative_to(package).as_posix())
    return {name: files for name, files in where.items() if len(files) > 1}


def modules() -> Iterator[tuple[str, str]]:
    """Yield the path and the source of every module that is checked."""
    for part in PARTS:
        for path in sorted((CHECKOUT / part).rglob("*.py")):
            yield path.relative_to(CHECKOUT).as_posix(), path.read_text(encoding="utf-8")


# -- the checks --------------------------------------------------------------------------------------------------------
def test_docstrings_comments_and_names_are_plain() -> None:
    found = [each for file, source in modules() for each in problems(file, source)]

    assert found == []


def glued_percents(source: str) -> list[int]:
    """Return the lines that write a percent sign without a space before it.

    Texts use :func:`firegui.domain.units.percent_text`. Style sheets and markup have lengths in percent.
    """
    found = []
    for node in ast.walk(ast.parse(source)) if "%" in source else ():
        if isinstance(node, ast.JoinedStr):
            for part, after in pairwise(node.values):
                is_glued = isinstance(after, ast.Constant) and str(after.value).startswith("%")
                found += [node.lineno] if isinstance(part, ast.FormattedValue) and is_glued else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not re.search("[<>;]", node.value):
            found += [node.lineno] if re.search(r"\d%(?![\w-])|\{[^{}]*%\}", node.value) else []
    return found


def test_a_percent_sign_has_a_space_before_it_as_a_unit_has() -> None:
    found = [f"{file}:{line}" for file, source in modules() for line in glued_percents(source)]
    assert found == []


@pytest.mark.parametrize("text", ['f"{share:.1%} left"', 'f"{percent}% left"', '"5% of it"', '"{:.0%}".format'])
def test_a_percent_sign_without_a_space_is_found(text: str) -> None:
    assert glued_percents(f"a = {text}") == [1]


def test_no_class_name_is_repeated() -> None:
    assert repeated_classes(CHECKOUT / "firegui") == {}


# -- each check can fail -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "source",
    [
        f'"""{"x" * 101}"""',
        f'class One:\n    """{"x" * 101}"""',
        f'def one():\n    """{"x" * 101}\n\n    More.\n    """',
        f'async def one():\n    """{"x" * 101}"""',
        '"""See the module."""',
        '"""One.\n\nA picture for somebody\nwho looks.\n"""',
        "class One:\n    # Nobody reads it.\n    pass",
        "one = 1  # what was asked for",
        "# It is sent to whoever\n# computes.",
        'ONE = 1\n"""What a run is asked to do."""',
        "class Wish: ...",
        "class _Bench: ...",
        "class KeptFolder: ...",
        "class SkillDesk: ...",
        "class One:\n    class Look: ...",
        "def furnish(): ...",
        "class One:\n    def _wonder(self): ...",
    ],
)
def test_bad_language_is_found(source: str) -> None:
    assert len(problems("firegui/one.py", source)) == 1


def test_a_module_with_a_private_term_as_its_name_is_found() -> None:
    assert len(problems("firegui/io/yardstick.py", '"""Synthetic fires."""')) == 1


@pytest.mark.parametrize(
    "source",
    [
        f'"""{"x" * 100}"""',
        f'def one():\n    """Return one.\n\n    {"x" * 110}\n    """',
        'text = "nobody and somebody"',
        "class BenchmarkTable: ...",
        "class Keeper: ...",
        "class DeskLamp: ...",
        "def place(): ...",
        "def contestants(): ...",
    ],
)
def test_plain_language_is_left_alone(source: str) -> None:
    assert problems("firegui/one.py", source) == []


def test_a_repeated_class_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class One: ...\nclass Two: ...", encoding="utf-8")
    (tmp_path / "two.py").write_text("class One: ...\ndef f():\n    class Two: ...", encoding="utf-8")

    assert repeated_classes(tmp_path) == {"One": ["one.py", "two.py"]}
