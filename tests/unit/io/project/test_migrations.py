from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from firegui.io.project import migrations
from firegui.io.project.migrations import CURRENT_FORMAT, STEPS, migrate


def rename(table: dict[str, Any]) -> dict[str, Any]:
    table["label"] = table.pop("title")
    return table


def split(table: dict[str, Any]) -> dict[str, Any]:
    return table | {"words": table["label"].split()}


FAKE = {1: rename, 2: split}


def test_steps_are_taken_in_order_up_to_the_current_format() -> None:
    assert migrate({"format": 1, "title": "a b"}, steps=FAKE, current=3) == {
        "format": 3,
        "label": "a b",
        "words": ["a", "b"],
    }


def test_a_newer_file_starts_at_its_own_step() -> None:
    assert migrate({"format": 2, "label": "a"}, steps=FAKE, current=3) == {"format": 3, "label": "a", "words": ["a"]}


def test_a_current_file_is_left_as_it_is() -> None:
    assert migrate({"format": 3, "x": 1}, steps=FAKE, current=3) == {"format": 3, "x": 1}
    assert migrate({"format": CURRENT_FORMAT, "x": 1}) == {"format": CURRENT_FORMAT, "x": 1}


def test_the_table_that_was_read_is_not_changed() -> None:
    before = {"format": 1, "title": "a"}
    migrate(before, steps=FAKE, current=2)
    assert before == {"format": 1, "title": "a"}


def test_a_missing_step_is_an_error() -> None:
    with pytest.raises(KeyError):
        migrate({"format": 1}, steps={}, current=2)


def test_there_is_a_step_from_every_older_format() -> None:
    assert sorted(STEPS) == list(range(1, CURRENT_FORMAT))


def test_no_step_imports_live_code() -> None:
    for node in ast.walk(ast.parse(Path(migrations.__file__).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(name.startswith("firegui") for name in names)
