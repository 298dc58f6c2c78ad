"""Names from files are shown as they are: no label, tooltip, box or table takes them for HTML."""

from __future__ import annotations

import ast
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QLabel, QMessageBox, QWidget

from firegui.domain.coverage import RequiredCoverage
from firegui.domain.fleet import Fleet
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError, Problem
from firegui.gui.base.dialogs import ProblemsDialog, message_box
from firegui.gui.base.plain_text import TOOLTIP_WIDTH, plain, tooltip
from firegui.gui.window.main_window import MainWindow
from tests.gui.all_dialogs import dialogs
from tests.gui.shell_scene import build_panels, ridge, settle, workbench

GUI = Path(__file__).resolve().parents[2] / "firegui" / "gui"
ROLES = (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.StatusTipRole)


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[bytes]]]:
    """A text with a picture on a loopback port and a mark-up, and the requests for the picture."""
    server, requests = socket.create_server(("127.0.0.1", 0)), list[bytes]()
    server.settimeout(0.2)
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            with connection:
                requests.append(connection.recv(200))

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"<img src=http://127.0.0.1:{server.getsockname()[1]}/x><b>x</b>", requests
    is_over.set()
    thread.join()
    server.close()


@pytest.fixture(scope="module")
def hostile(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, listener: tuple[str, list[bytes]]
) -> Iterator[MainWindow]:
    """A window with a project in which every name is mark-up."""
    with workbench(tmp_path_factory.mktemp("plain"), project=named(listener[0])) as window:
        build_panels(window)
        yield window


def named(text: str) -> Project:
    project = ridge(text)
    types = (*(replace(kind, id=f"{kind.id} {text}", type=text, provenance=text) for kind in project.fleet.types),)
    zone = Region.rectangle(f"zone {text}", (11, 14), (5, 25))
    return replace(
        project,
        scenario=replace(project.scenario, notes=(text, f"Note {text}"), markers=(("village", text, ((3.0, 3.0),)),)),
        fleet=Fleet(types),
        regions=(Region.rectangle(text, (2, 10), (5, 25)), Region.rectangle(f"b {text}", (11, 14), (5, 25))),
        fire_model=replace(project.fire_model, label=text),
        coverage=RequiredCoverage(2.0, text),
        operations=Operations(no_drop_zones=(zone,), sorties_per_day={types[0].id: 3}),
        stress=replace(
            project.stress,
            scenarios=tuple(replace(each, name=f"{each.name} {text}") for each in project.stress.scenarios),
        ),
    )


def faults(root: QWidget, mark: str) -> list[str]:
    """Return every text under ``root`` that Qt would take for HTML with the mark-up in it."""
    found = []
    for label in (root, *root.findChildren(QLabel)):
        if isinstance(label, QLabel) and is_markup(label.text(), label.textFormat(), mark):
            found.append(f"label {label.objectName()}: {label.text()[:200]}")
    for widget in (root, *root.findChildren(QWidget)):
        found += [f"tip of {type(widget).__name__}: {widget.toolTip()[:200]}"] * loads(widget.toolTip(), mark)
    for action in root.findChildren(QAction):
        found += [f"tip of action {action.text()[:200]}"] * loads(action.toolTip(), mark)
    for view in root.findChildren(QAbstractItemView):
        found += model_faults(view.model(), mark)
    for box in root.findChildren(QComboBox):
        found += model_faults(box.model(), mark)
    return found


def model_faults(model: QAbstractItemModel | None, mark: str) -> list[str]:
    if model is None:
        return []
    # A list model has no public number of columns.
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    rows = min(model.rowCount(), 50)
    cells = [model.index(row, column) for row in range(rows) for column in range(columns)]
    tips = [str(model.data(index, role) or "") for index in cells for role in ROLES]
    ways = ((Qt.Orientation.Horizontal, columns), (Qt.Orientation.Vertical, rows))
    tips += [str(model.headerData(n, way, ROLES[0]) or "") for way, count in ways for n in range(count)]
    return [f"tip of {type(model).__name__}: {tip[:200]}" for tip in tips if loads(tip, mark)]


def loads(text: str, mark: str) -> bool:
    """Return whether a text is taken for HTML and has the mark-up unescaped."""
    return QtGui.Qt.mightBeRichText(text) and mark in text


def is_markup(text: str, form: Qt.TextFormat, mark: str) -> bool:
    if form is Qt.TextFormat.PlainText:
        return False
    return mark in text if form is Qt.TextFormat.RichText else loads(text, mark)


def test_no_text_of_a_hostile_project_is_taken_for_html(hostile: MainWindow, listener: tuple[str, list[bytes]]) -> None:
    mark, requests = listener
    shown = [label for label in hostile.findChildren(QLabel) if mark in label.text() or "&lt;img" in label.text()]
    assert len(shown) > 3
    assert faults(hostile, mark) == []
    assert requests == []


def test_nor_in_the_dialogs(hostile: MainWindow, listener: tuple[str, list[bytes]]) -> None:
    mark, requests = listener
    found = []
    for dialog in dialogs(hostile):
        dialog.show()
        settle(2)
        found += [f"{type(dialog).__name__}: {fault}" for fault in faults(dialog, mark)]
        dialog.hide()
        dialog.deleteLater()
    assert found == []
    assert requests == []


def test_nor_in_message_boxes_and_problems(hostile: MainWindow, listener: tuple[str, list[bytes]]) -> None:
    mark, _ = listener
    problem = InputError([Problem(mark, mark, mark)], mark)
    boxes = (message_box(hostile, QMessageBox.Icon.Question, mark, mark, mark), ProblemsDialog(problem, hostile))
    found = [fault for box in boxes for fault in faults(box, mark)]
    for box in boxes:
        box.deleteLater()
    assert found == []


def test_only_what_looks_like_html_is_changed() -> None:
    assert plain("a < b & c\nsecond line") == "a < b & c\nsecond line"
    assert plain("") == ""
    assert plain("<b>x</b>\n&") == "<p style='white-space:pre-wrap'>&lt;b&gt;x&lt;/b&gt;\n&amp;</p>"


def test_tooltips_are_wrapped_and_keep_their_lines_and_long_words() -> None:
    path = "/" + "folder/" * 20
    text = f"Title (Ctrl+T)\n\n{'word ' * 40}\n{path} with <b>names</b>"
    lines = unescape(tooltip(text)).removeprefix("<p style='white-space:pre-wrap'>").removesuffix("</p>").split("\n")
    assert lines[:2] == ["Title (Ctrl+T)", ""] and path in lines
    assert all(len(line) <= TOOLTIP_WIDTH for line in lines if line != path)
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert tooltip("") == "" and tooltip(tooltip("word " * 40)) == tooltip("word " * 40)


def wide_tips(root: QWidget) -> list[str]:
    """Return the lines of tooltips in the window that are wider than a tooltip is."""
    tips = [widget.toolTip() for widget in (root, *root.findChildren(QWidget))]
    tips += [action.toolTip() for action in root.findChildren(QAction)]
    for model in (view.model() for view in root.findChildren(QAbstractItemView)):
        columns = 0 if model is None or isinstance(model, QAbstractListModel) else model.columnCount()
        across = Qt.Orientation.Horizontal
        tips += [str(model.headerData(n, across, ROLES[0]) or "") for n in range(columns)]
    lines = [line for tip in tips if not QtGui.Qt.mightBeRichText(tip) for line in tip.split("\n")]
    return [line for line in lines if len(line) > TOOLTIP_WIDTH and " " in line]


def test_no_tooltip_is_wider_than_easily_read(hostile: MainWindow) -> None:
    assert wide_tips(hostile) == []


# -- the rule for new code ---------------------------------------------------------------------------------------------
MAKERS = {"QLabel": "base/layouts.py", "QMessageBox": "base/dialogs.py"}
QUESTIONS = ("question", "warning", "critical", "information")


def breaches(source: str, file: str) -> list[str]:
    """Return the calls of a module that make a label or a box, or set a computed or long tooltip as it is."""
    found = []
    for node in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = ast.unparse(node.func)
        if name in MAKERS and MAKERS[name] != file:
            found.append(name)
        if name.startswith("QMessageBox.") and name.rpartition(".")[2] in QUESTIONS and file != "base/dialogs.py":
            found.append(name)
        if name.endswith(".setToolTip") and not is_fixed(node.args[0]):
            found.append(f"{name}({ast.unparse(node.args[0])})")
    return found


def is_fixed(text: ast.expr) -> bool:
    match text:
        case ast.Constant(value=str(words)):
            return len(words) <= TOOLTIP_WIDTH
        case ast.Call(func=ast.Name(id="tooltip")):
            return True
    return False


def test_labels_boxes_and_tooltips_are_made_by_the_helpers() -> None:
    files = {path.relative_to(GUI).as_posix(): path.read_text("utf-8") for path in GUI.rglob("*.py")}
    assert {file: found for file, source in files.items() if (found := breaches(source, file))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "QLabel(name)", "QMessageBox(parent)", "QMessageBox.question(a, b, name)", "x.setToolTip(f'{name}')",
        f"x.setToolTip('{'long ' * 20}')",
    ],
)  # fmt: skip
def test_the_rule_finds_one(source: str) -> None:
    assert len(breaches(source, "window/documents.py")) == 1
