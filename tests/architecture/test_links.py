"""Links, and names of files and classes, in the documents of the repository lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from firegui.gui.help.help_view import heading_anchor

CHECKOUT = Path(__file__).resolve().parents[2]
ARCHITECTURE = CHECKOUT / "firegui" / "ARCHITECTURE.md"
CONTRIBUTING = CHECKOUT / ".github" / "CONTRIBUTING.md"
CHANGELOG = CHECKOUT / "packaging" / "CHANGELOG.md"
README = CHECKOUT / "README.md"
DOCUMENTS = (README, ARCHITECTURE, CONTRIBUTING, CHANGELOG, *sorted((CHECKOUT / "resources" / "help").glob("*.md")))
MOST_LINES_OF_README = 120

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
_CLASS = re.compile(r"([A-Z][a-z]+(?:[A-Z][a-z]*)*)(?:\.\w+)?")
_ENDINGS = (".py", ".md", ".toml", ".txt", ".spec", ".iss", ".yaml")
# Written by the program or by the reader, or names of a file to make.
_NOT_IN_THE_REPOSITORY = re.compile(r"NAME|FILE|^run\.toml$|^layers/$|^build\.py$|^smoke\.py$")


def broken_links(document: Path) -> Iterator[str]:
    """Yield every relative link of a document that leads to no file, or to no heading of the file."""
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+://", link):
            continue
        if not leads_somewhere(document, link):
            yield link


def leads_somewhere(document: Path, link: str) -> bool:
    """Whether a relative link of a document leads to a file, and to a heading of it where it names one."""
    name, _, anchor = link.partition("#")
    target = document.parent / name if name else document
    if not target.exists():
        return False
    return not anchor or anchor in map(heading_anchor, _HEADING.findall(target.read_text(encoding="utf-8")))


def missing_names(document: Path) -> Iterator[str]:
    """Yield every file and class in backticks that is not there; files count from the document or the checkout."""
    classes = _class_names()
    quoted = " ".join(_QUOTED.findall(_FENCE.sub("", document.read_text(encoding="utf-8"))))
    for name in quoted.split():
        if _NOT_IN_THE_REPOSITORY.search(name):
            continue
        if _FILE.fullmatch(name) and ("/" in name or name.endswith(_ENDINGS)) and not name.startswith("../"):
            if not ((document.parent / name).exists() or (CHECKOUT / name).exists()):
                yield name
        elif (named := _CLASS.fullmatch(name)) and named[1] not in classes:
            yield name


def _class_names() -> frozenset[str]:
    sources = (path.read_text(encoding="utf-8") for path in (CHECKOUT / "firegui").rglob("*.py"))
    return frozenset(name for source in sources for name in re.findall(r"^class (\w+)", source, re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert list(broken_links(document)) == []


@pytest.mark.parametrize("document", [ARCHITECTURE, CONTRIBUTING], ids=lambda path: path.name)
def test_every_file_and_class_that_is_named_is_there(document: Path) -> None:
    assert list(missing_names(document)) == []


def test_a_link_to_a_missing_file_or_heading_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# There it is\n", encoding="utf-8")
    document = tmp_path / "one.md"
    document.write_text(
        "# One\n[a](other.md) [b](other.md#there-it-is) [c](#one) [d](https://example.org/x)\n"
        "[e](gone.md) [f](other.md#not-there) ![g](gone.png) [h](#two)\n"
        "```\n[i](in-code.md)\n```\n",
        encoding="utf-8",
    )
    assert list(broken_links(document)) == ["gone.md", "other.md#not-there", "gone.png", "#two"]


def test_a_file_or_class_that_is_gone_is_found(tmp_path: Path) -> None:
    document = tmp_path / "one.md"
    document.write_text(
        "`firegui/errors.py`, `firegui/gone.py`, `tests/`, `gone/`, `pyproject.toml`, `gone.toml`, `RunQueue.plan`, "
        "`GoneQueue`, `--json`, `python tests/gone.py -n0`, `firegui/io/exporters/NAME.py`\n",
        encoding="utf-8",
    )
    assert list(missing_names(document)) == ["firegui/gone.py", "gone/", "gone.toml", "GoneQueue", "tests/gone.py"]


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES_OF_README
