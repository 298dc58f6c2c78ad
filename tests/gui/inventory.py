"""Print the window's actions, panels, controls, palette, dialogs, shortcuts and export formats.

``python -m tests.gui.inventory`` prints sorted lines, for two versions of the program to be compared with ``diff``.
``python -m tests.gui.inventory --texts`` prints every text of the code that may be shown instead. The script finds the
classes of other versions, too, whose modules are called otherwise.
"""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QMainWindow, QMenu

_HOMES = {
    "MainWindow": ("firegui.gui.window.main_window", "firegui.gui.main_window"),
    "Session": ("firegui.gui.session.session", "firegui.gui.session"),
    "FORMATS": ("firegui.io.exporters",),
    "ENDINGS": ("firegui.io.exporters.animation",),
    "EnsemblePart": ("firegui.runs.spec",),
}
_FILE_QUESTIONS = (
    "getOpenFileName", "getOpenFileNames", "getSaveFileName", "getExistingDirectory", "ask_export_file",
    "ask_export_folder",
)  # fmt: skip
_MESSAGE_BOXES = {"message_box": 2}
"""Functions that make a box, and which of their arguments is its title."""
_BOXES = (
    "question",
    "confirm",
    "warning",
    "critical",
    "information",
    "about",
    "getText",
    "getItem",
    "getInt",
    "getDouble",
)


def find(name: str) -> Any:
    """Return the object called ``name`` from the first of its modules that exists, else ``None``."""
    for module in _HOMES[name]:
        try:
            return getattr(import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    return None


def text_of(action: QAction) -> str:
    """Return the text of an action without the mark of its mnemonic."""
    return action.text().replace("&", "")


def keys_of(action: QAction) -> str:
    """Return every shortcut of an action."""
    return ", ".join(keys.toString() for keys in action.shortcuts())


def menu_lines(menu: QMenu, path: str) -> Iterator[str]:
    """Return a line for every entry of a menu and of the menus in it."""
    for action in menu.actions():
        inner = action.menu()
        if action.isSeparator():
            continue
        yield f"{path} > {text_of(action)} | {keys_of(action)} | {one_line(action.toolTip())} | {action.statusTip()}"
        if isinstance(inner, QMenu):
            yield from menu_lines(inner, f"{path} > {text_of(action)}")


def one_line(text: str) -> str:
    """Return a text with its line breaks marked."""
    return " / ".join(part.strip() for part in text.splitlines())


def window_lines(window: QMainWindow) -> Iterator[str]:
    """Return a line for every action, panel, control and palette entry of a window without a project."""
    for head in window.menuBar().actions():
        menu = head.menu()
        if isinstance(menu, QMenu):
            yield from (f"menu: {line}" for line in menu_lines(menu, text_of(head)))
    for action in window.actions():
        flags = f"{'checkable' if action.isCheckable() else ''}, {'on' if action.isEnabled() else 'off'}"
        yield f"action: {text_of(action)} | {keys_of(action)} | {one_line(action.toolTip())} | {flags}"
    workbench: Any = getattr(window, "workbench", None) or getattr(window, "bench", None)
    for title, panel in workbench.panels.items():
        yield f"panel: {title}"
        for button in panel.findChildren(QAbstractButton):
            if button.text() or button.toolTip() or button.accessibleName():
                yield f"control: {title} | {one_line(button.text())} | {one_line(button.toolTip())}"
    for button in getattr(window, "start_page").findChildren(QAbstractButton):  # noqa: B009
        yield f"start page: {button.text()} | {button.toolTip()}"
    for shortcut in window.findChildren(QShortcut):
        context = str(shortcut.context()).rpartition(".")[2]
        yield f"shortcut: {shortcut.key().toString(QKeySequence.SequenceFormat.PortableText)} | {context}"
    for entry in workbench.guide.entries():
        yield f"palette: {entry.kind} | {entry.title} | {entry.keys} | {entry.help} | {entry.why_not}"


def sources() -> Iterator[ast.Module]:
    """Return the syntax tree of every module of the window."""
    root = Path(str(import_module("firegui").__file__)).parent / "gui"
    for file in sorted(root.rglob("*.py")):
        yield ast.parse(file.read_text(encoding="utf-8"))


def constant(node: ast.AST, names: dict[str, str]) -> str:
    """Return a text as it stands in the code; what is computed is shown as ``{}``."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        return "".join(str(part) for part in parts)
    if isinstance(node, ast.IfExp):
        return f"{constant(node.body, names)} or {constant(node.orelse, names)}"
    return names.get(node.id, "{}") if isinstance(node, ast.Name) else "{}"


def code_lines(tree: ast.Module) -> Iterator[str]:
    """Return titles of dialogs, keys and kinds of files in one module."""
    texts = {
        target.id: str(node.value.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "(*." in node.value:
            yield f"files: {node.value}"
        if isinstance(node, ast.Attribute) and getattr(node.value, "attr", "") == "StandardKey":
            yield f"standard key: {node.attr}"
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called == "setWindowTitle":
            yield f"title: {constant(node.args[0], texts)}"
        elif (called in _FILE_QUESTIONS or called in _BOXES) and len(node.args) > 1:
            yield f"question: {constant(node.args[1], texts)}"
        elif called == "__init__" and "super" in ast.dump(node.func) and isinstance(node.args[0], ast.Constant):
            yield f"title: {constant(node.args[0], texts)}"
        elif called == "_choose_folder":
            yield f"question: {constant(node.args[0], texts)}"
        elif called in _MESSAGE_BOXES and len(node.args) > _MESSAGE_BOXES[called]:
            yield f"title: {constant(node.args[_MESSAGE_BOXES[called]], texts)}"
        elif called == "QShortcut":
            yield f"key: {constant(node.args[0], texts)}"


def text_lines(tree: ast.Module) -> Iterator[str]:
    """Return every text with a space in it that is not a docstring."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in bare else None
        if isinstance(text, str) and " " in text.strip():
            yield f"text: {one_line(text)}"


def format_lines() -> Iterator[str]:
    """Return a line for every format that a plan, a film or an ensemble can be written in."""
    for name, kind in find("FORMATS").items():
        endings = ", ".join(product.ending for product in kind.products)
        yield f"format: {name} | {kind.title} | {kind.use} | {endings}"
    yield from (f"film: {ending}" for ending in find("ENDINGS"))
    yield from (f"ensemble: {part.name}" for part in find("EnsemblePart"))


def main(arguments: list[str] | None = None) -> int:
    """Print the lines; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", action="store_true", help="print every text of the code that may be shown")
    if parser.parse_args(arguments).texts:
        show(line for tree in sources() for line in text_lines(tree))
        return 0
    app = QApplication.instance() or QApplication([])
    window = find("MainWindow")(find("Session")())
    lines = list(window_lines(window))
    show([*lines, *(line for tree in sources() for line in code_lines(tree)), *format_lines()])
    window.stop_work()
    window.deleteLater()
    app.processEvents()
    return 0


def show(lines: Iterable[str]) -> None:
    """Print every different line once, in order."""
    print("\n".join(sorted(set(lines))))


if __name__ == "__main__":
    raise SystemExit(main())
