"""The window has one thread class. Only there is it decided how a thread is owned, stopped and waited for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "firegui"
QT_THREADS = frozenset({"QThread", "QRunnable", "QThreadPool"})
TASK = "gui/base/tasks.py:Task"


def thread_classes(package: Path) -> set[str]:
    """Return the classes that are made of one of Qt's thread classes, directly or through another."""
    texts = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    threads, found = set(QT_THREADS), set[str]()
    while True:
        named = {file: text for file, text in texts.items() if any(name in text for name in threads)}
        more = {f"{file}:{name}" for file, text in named.items() for name in subclasses(ast.parse(text), threads)}
        if more == found:
            return found
        found = more
        threads |= {name.partition(":")[2] for name in found}


def subclasses(tree: ast.Module, threads: set[str]) -> Iterator[str]:
    # An import may give the class another name.
    imported = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    aliases = {alias.asname for alias in imported if alias.asname and alias.name in threads}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(base_name(base) in threads | aliases for base in node.bases):
            yield node.name


def base_name(base: ast.expr) -> str:
    match base:
        case ast.Subscript(value=value):
            return base_name(value)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def test_there_is_one_thread_class() -> None:
    assert thread_classes(PACKAGE) == {TASK}


@pytest.mark.parametrize(
    "lines",
    [
        "from PySide6.QtCore import QThread\nclass Second(QThread): ...",
        "from PySide6.QtCore import QThread as Base\nclass Second(Base): ...",
        "from PySide6 import QtCore\nclass Second(QtCore.QThread): ...",
        "from PySide6.QtCore import QRunnable\nclass Second(QRunnable): ...",
        "from firegui.gui.base.tasks import Task\nclass Second(Task[int]): ...",
    ],
)
def test_a_second_thread_class_is_found(tmp_path: Path, lines: str) -> None:
    for file, text in {TASK.partition(":")[0]: "class Task(QThread): ...", "gui/jobs/second.py": lines}.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)

    assert thread_classes(tmp_path) == {TASK, "gui/jobs/second.py:Second"}
