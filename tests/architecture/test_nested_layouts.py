"""One function adds a layout to another one: it releases what Shiboken would keep of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "firegui"
HOME = "gui/base/layouts.py"
METHODS = frozenset({"addLayout", "insertLayout"})


def nesting_files(package: Path) -> set[str]:
    """Return the files that call a method of Qt that adds a layout to another one."""
    return {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(method in (text := path.read_text("utf-8")) for method in METHODS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
    }


def test_layouts_are_nested_in_one_place() -> None:
    assert nesting_files(PACKAGE) == {HOME}


@pytest.mark.parametrize(
    "line", ["box.addLayout(row, 1)", "self.grid.addLayout(cell, 0, 1)", "box.insertLayout(0, row)"]
)
def test_a_layout_that_is_nested_elsewhere_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "panel.py").write_text(line)
    assert nesting_files(tmp_path) == {"panel.py"}
