"""The map's share of the window in every workspace, and texts that are cut off.

``python -m tests.gui.shots --shares`` prints both, in windows of three sizes, also with texts 30 % longer, and on a
screen of 1920×1080 at 200 %, where all dialogs are looked at, too. It ends with 1 where that screen cuts something off.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRect, QSettings, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLayout,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.screen_geometry import default_size
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.widgets.fields import NameComboBox
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from tests.gui.all_dialogs import dialogs
from tests.gui.shell_scene import build_panels, settle, workbench

SIZES = (QSize(1280, 720), QSize(1440, 900), QSize(1920, 1080))
LONGER = 1.3
_SCALE = "QT_SCALE_FACTOR"
_AIR_PX = 2
_WIDE = round(100 * LONGER)
_SCREEN = QSize(1920, 1080)
_TASK_BAR_PX = 40


@dataclass(frozen=True, slots=True)
class Share:
    """Share of the window that the centre of a workspace has: the map, or in Hand over the preview of the page."""

    workspace: WorkspaceName
    with_side: float
    without_side: float


def shares(window: MainWindow) -> Iterator[Share]:
    """Yield the shares of all workspaces, with the drawer closed, at the current size of the window."""
    shell = window.workbench.shell
    shell.set_drawer_visible(False)
    shell.close_help()
    for workspace in WorkspaceName:
        shell.show_workspace(workspace)
        found = []
        for visible in (True, False):
            shell.set_side_visible(visible)
            settle()
            part = shell.stage if shell.stage.isVisible() else shell.centre.result
            found.append(part.width() * part.height() / (window.width() * window.height()))
        yield Share(workspace, *found)


def cut_texts(window: MainWindow) -> Iterator[str]:
    """Yield a line for every text in the window that has less room than it needs, workspace by workspace.

    Sections, and what is folded in them, are all open; what scrolls vertically is not cut. A row that must be scrolled
    sideways is.
    """
    shell = window.workbench.shell
    for workspace in WorkspaceName:
        shell.show_workspace(workspace)
        shell.set_side_visible(True)
        if isinstance(hand_over := window.workbench.panels["Export"], HandOverPanel):
            # It would build its forms a moment after it is shown.
            hand_over.refresh()
            settle()
        column = shell.side.columns[workspace]
        for section in column.sections.values():
            section.set_open(True)
            for folded in section.findChildren(FoldedSection):
                folded.set_open(True)
            settle()
            if column.horizontalScrollBar().maximum() > 0:
                yield f"{workspace}: {section.title} must be scrolled sideways"
            yield from (f"{workspace}: {line}" for line in _cut_in(section))
    for name in window.workbench.panels:
        window.workbench.show_panel(name)
        for mode in CentreMode:
            shell.set_mode(mode)
            settle()
            yield from (f"{name}, {mode}: {line}" for line in _cut_in(window))
        shell.set_mode(CentreMode.MAP)
        shell.close_help()
    shell.set_drawer_visible(False)
    for part in (window.menuBar(), shell.centre.bar, window.workbench.timeline, window.statusBar()):
        yield from _cut_in(part)
        if not window.rect().contains(QRect(part.mapTo(window, part.rect().topLeft()), part.size())):
            yield f"{type(part).__name__} is not within the window"


def cut_titles(root: QWidget) -> Iterator[str]:
    """Yield a line for every title of a table below ``root`` that has less room than it needs."""
    for header in root.findChildren(QHeaderView):
        if not header.isVisible() or header.orientation() is not Qt.Orientation.Horizontal:
            continue
        for section in (each for each in range(header.count()) if not header.isSectionHidden(each)):
            needed, has = header.sectionSizeHint(section), header.sectionSize(section)
            title = str(header.model().headerData(section, header.orientation()) or "")
            if title and needed > has:
                yield f"the title {title!r} of a column needs {needed} pixels and has {has}"
        if (needed := header.sizeHint().height()) > header.height():
            yield f"the titles of {name_of(header)!r} need a height of {needed} pixels and have {header.height()}"


def cut_cells(table: QTableView) -> Iterator[str]:
    """Yield a line for every cell of a table whose text has less room than its lines need."""
    option = QStyleOptionViewItem()
    table.initViewItemOption(option)
    for row, column in product(range(table.model().rowCount()), range(table.model().columnCount())):
        index = table.model().index(row, column)
        option.rect = QRect(0, 0, table.columnWidth(column), table.rowHeight(row))
        needed, has = table.itemDelegateForIndex(index).sizeHint(option, index), option.rect.size()
        if needed.width() > has.width() or needed.height() > has.height():
            yield f"{index.data()!r} needs {needed.toTuple()} pixels and has {has.toTuple()}"


def name_of(header: QHeaderView) -> str:
    """Return the name of the table of a header."""
    table = header.parentWidget()
    return table.accessibleName() if table is not None else ""


def _cut_in(root: QWidget) -> Iterator[str]:
    yield from cut_titles(root)
    for widget in root.findChildren(QWidget):
        if isinstance(widget, QComboBox) and widget.isVisible() and not isinstance(widget, NameComboBox):
            room = room_of(widget)
            for text in (widget.itemText(index) for index in range(widget.count())):
                if (needed := widget.fontMetrics().horizontalAdvance(text)) > room:
                    yield f"{text!r} in a combo box needs {needed} pixels and has {room}"
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton):
            continue
        text = widget.text().replace("&", "")
        if not text or (isinstance(widget, QAbstractButton) and not _shows_text(widget)):
            continue
        if isinstance(widget, QLabel) and (widget.wordWrap() or "<" in text):
            if widget.heightForWidth(widget.width()) > widget.height():
                # Qt keeps the height of a text that was hidden while its font or its room was changed.
                widget.updateGeometry()
                settle()
            lines = widget.heightForWidth(widget.width())
            if lines > widget.height() + _AIR_PX:
                yield f"{text!r} needs a height of {lines} pixels and has {widget.height()}"
            continue
        needed = max(widget.fontMetrics().horizontalAdvance(line) for line in text.splitlines())
        if needed > widget.width() + _AIR_PX:
            yield f"{text!r} needs {needed} pixels and has {widget.width()}"


def room_of(box: QComboBox) -> int:
    """Return the pixels that a closed combo box has for its text."""
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    room = box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, box).width()
    return room - (box.iconSize().width() + 4 if not box.itemIcon(box.currentIndex()).isNull() else 0)


def _shows_text(button: QAbstractButton) -> bool:
    # A tool button with an icon alone keeps its text for its name.
    return isinstance(button, QCheckBox) or button.sizeHint().width() > button.iconSize().width() + 24


def lengthen(root: QWidget) -> None:
    """Make every text about 30 % longer, as in a German translation, by a wider font."""
    for widget in (root, *root.findChildren(QWidget)):
        font = widget.font()
        font.setStretch(_WIDE)
        widget.setFont(font)
    for layout in root.findChildren(QLayout):
        # Layouts that are hidden keep the sizes of fields whose font changes.
        layout.invalidate()
    settle()


def report(window: MainWindow, size: QSize, note: str = "") -> Iterator[str]:
    """Yield the lines of the report on a window of a size."""
    window.resize(size)
    window.workbench.shell.reset()
    settle()
    name = f"{size.width()}x{size.height()}{note}"
    if window.size() != size:
        yield f"{name}: the window is {window.width()}x{window.height()}"
    for share in shares(window):
        line = f"{share.workspace.value:<10} {share.with_side:6.1%}   panel hidden {share.without_side:6.1%}"
        yield f"{name:<22} {line}"
    cut = list(dict.fromkeys(cut_texts(window)))
    yield f"{name:<22} {len(cut)} texts are cut off"
    yield from (f"    {line}" for line in cut)


def cut_dialogs(window: MainWindow, room: QSize, *, longer: bool = False) -> Iterator[str]:
    """Yield a line for every dialog that needs more than ``room``, scrolls sideways or cuts a text off in it.

    The texts are longer if so asked.
    """
    for dialog in dialogs(window):
        name = type(dialog).__name__
        if longer:
            lengthen(dialog)
        dialog.show()
        least = dialog.minimumSizeHint().expandedTo(dialog.minimumSize())
        if room.expandedTo(least) != room:
            yield f"{name} cannot be made smaller than {least.width()}x{least.height()}"
        dialog.resize(dialog.size().boundedTo(room))
        settle()
        yield from (f"{name}: {line}" for line in _cut_in(dialog))
        for area in dialog.findChildren(QScrollArea):
            if area.isVisible() and area.horizontalScrollBar().maximum() > 0:
                yield f"{name} must be scrolled sideways"
        dialog.hide()
        dialog.deleteLater()


def oversized_dialogs(window: MainWindow) -> Iterator[str]:
    """Yield a line for every dialog that opens larger than the screen."""
    for dialog in dialogs(window):
        dialog.show()
        settle()
        room = default_size(dialog.screen().availableSize())
        if room.expandedTo(dialog.size()) != room:
            yield f"{type(dialog).__name__} opens with {dialog.width()}x{dialog.height()}"
        dialog.hide()
        dialog.deleteLater()


def oversized_windows(place: Path) -> Iterator[str]:
    """Yield a line for every window that opens larger than the screen: the first one, and one that was larger once."""
    store = QSettings(str(place / "geometry.ini"), QSettings.Format.IniFormat)
    for name in ("the first window", "a window that was larger once"):
        window = MainWindow(preferences=Preferences(store))
        window.show_on_screen()
        settle()
        screen = window.screen().availableGeometry()
        if not screen.contains(window.frameGeometry()):
            yield f"{name} is {window.width()}x{window.height()} on {screen.width()}x{screen.height()}"
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.resize(1440, 900)
        settle()
        Preferences(store).save_layout(window.saveGeometry(), "{}")
        window.hide()
        window.deleteLater()


def scaled(place: Path) -> int:
    """Print what a screen of 1920×1080 at 200 % cuts off, and return 1 if something is."""
    found = list(oversized_windows(place))
    with workbench(place) as window:
        build_panels(window)
        found += oversized_dialogs(window)
        screen = window.screen().size()
        room = default_size(screen - QSize(0, _TASK_BAR_PX))
        window.hide_start_page()
        for note in ("", " +30 %"):
            if note:
                lengthen(window)
            lines = list(report(window, room, f" at 200 %{note}"))
            found += [line for line in lines if line.startswith("    ") or "the window is" in line]
            of_dialogs = list(dict.fromkeys(cut_dialogs(window, room, longer=bool(note))))
            found += of_dialogs
            print("\n".join([*lines, f"{len(of_dialogs)} faults of dialogs", *of_dialogs]), flush=True)
    print("\n".join([f"screen {screen.width()}x{screen.height()}: {len(found)} faults", *found]))
    return 1 if found else 0


def run_scaled() -> subprocess.CompletedProcess[str]:
    """Run :func:`scaled` in a process of its own: Qt reads the factor once, when the application is made."""
    with tempfile.TemporaryDirectory() as place:
        screen = {"name": "screen", "x": 0, "y": 0, "width": _SCREEN.width(), "height": _SCREEN.height()}
        file = Path(place) / "screen.json"
        file.write_text(json.dumps({"screens": [screen | {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]}))
        environment = os.environ | {_SCALE: "2", "QT_QPA_PLATFORM": f"offscreen:configfile={file}"}
        again = [sys.executable, "-m", "tests.gui.layout_shares"]
        return subprocess.run(again, env=environment, capture_output=True, text=True, check=False)


def main() -> int:
    """Print the report; on a scaled screen, as :func:`run_scaled` makes it, that of the screen alone."""
    app = QApplication.instance() or make_application(["firegui"])
    assert isinstance(app, QApplication)
    apply_theme(app, Theme.DARK)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        if os.environ.get(_SCALE, "1") != "1":
            return scaled(Path(place))
        with workbench(Path(place)) as window:
            build_panels(window)
            window.hide_start_page()
            for size in SIZES:
                print("\n".join(report(window, size)), flush=True)
            lengthen(window)
            for size in SIZES:
                print("\n".join(report(window, size, " +30 %")), flush=True)
    done = run_scaled()
    print(done.stdout)
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
