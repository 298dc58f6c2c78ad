"""The map's share of the window in every workspace, and texts that are cut off.

``python -m tests.gui.shots --shares`` prints both, in windows of three sizes, with texts 30 % longer, and at 200 %.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QLabel, QWidget

from firegui.gui.app import make_application
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from tests.gui.shell_scene import settle, workbench

SIZES = (QSize(1280, 720), QSize(1440, 900), QSize(1920, 1080))
LONGER = 1.3
_SCALE = "QT_SCALE_FACTOR"
_AIR_PX = 2


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
        column = shell.side.columns[workspace]
        for section in column.sections.values():
            section.set_open(True)
            for folded in section.findChildren(FoldedSection):
                folded.set_open(True)
            settle()
            if column.horizontalScrollBar().maximum() > 0:
                yield f"{workspace}: {section.title} must be scrolled sideways"
            yield from (f"{workspace}: {line}" for line in _cut_in(section))
    for part in (window.menuBar(), shell.centre.bar, window.workbench.timeline, window.statusBar()):
        yield from _cut_in(part)
        if not window.rect().contains(QRect(part.mapTo(window, part.rect().topLeft()), part.size())):
            yield f"{type(part).__name__} is not within the window"


def _cut_in(root: QWidget) -> Iterator[str]:
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton):
            continue
        text = widget.text().replace("&", "")
        wraps = isinstance(widget, QLabel) and (widget.wordWrap() or "<" in text)
        if not text or wraps or (isinstance(widget, QAbstractButton) and not _shows_text(widget)):
            continue
        needed = max(widget.fontMetrics().horizontalAdvance(line) for line in text.splitlines())
        if needed > widget.width() + _AIR_PX:
            yield f"{text!r} needs {needed} pixels and has {widget.width()}"


def _shows_text(button: QAbstractButton) -> bool:
    # A tool button with an icon alone keeps its text for its name.
    return isinstance(button, QCheckBox) or button.sizeHint().width() > button.iconSize().width() + 24


def lengthen(window: MainWindow) -> None:
    """Make every text about 30 % longer, as in a German translation, by a wider font."""
    for widget in (window, *window.findChildren(QWidget)):
        font = widget.font()
        font.setStretch(round(100 * LONGER))
        widget.setFont(font)
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


def main(*, scaled: bool = True) -> int:
    """Print the report."""
    app = QApplication.instance() or make_application(["firegui"])
    assert isinstance(app, QApplication)
    apply_theme(app, Theme.DARK)
    factor = float(os.environ.get(_SCALE, "1"))
    sizes = SIZES if factor == 1 else (QSize(960, 480),)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place, workbench(Path(place)) as window:
        window.hide_start_page()
        for size in sizes:
            print("\n".join(report(window, size, "" if factor == 1 else f" at {factor:.0%}")), flush=True)
        lengthen(window)
        for size in sizes[:2]:
            print("\n".join(report(window, size, " +30 %")), flush=True)
    if factor == 1 and scaled:
        # The factor is read once, when the application is made.
        again = [sys.executable, "-m", "tests.gui.shots", "--shares"]
        subprocess.run(again, env=os.environ | {_SCALE: "2"}, check=True)
    return 0
