"""Make the pictures of the tutorial in the real window, without a display, on the demo fire.

``.venv/bin/python packaging/tutorial.py`` writes them into ``resources/help/pictures``. The script does with mouse and
keyboard what ``resources/help/tutorial.md`` tells a person to do, and finds every control by the name that the page or
the program gives it. When one is gone it ends with :class:`MissingControlError`, so that page and window cannot part.
``--small`` plans two days in forty epochs without a margin, to see whether the way is still open.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PIL import Image
from PySide6.QtCore import QDeadlineTimer, QEvent, QPoint, QPointF, QSettings, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QRadioButton,
    QTableView,
    QWidget,
)

from firegui.domain.settings import MARGIN_TITLES, Margin
from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.tasks import run_events
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import FireView, Session
from firegui.gui.widgets.split_panel import SplitPanel
from firegui.gui.window.action_registry import plain_title
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import PLACES

PICTURES = Path(__file__).resolve().parents[1] / "resources" / "help" / "pictures"
SIZE = QSize(1280, 800)
WIDEST = 900
"""Pictures are shown in a column beside the map: a wider one only costs room."""
MOST_BYTES = 150_000
_LEFT, _NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
_PATIENCE_MS, _LOOK_MS, _SETTLE_MS = 300_000, 50, 600
_MARK = QColor("#ff9f1a")
FARM = ((124.0, 68.0), (150.0, 104.0))
"""The rectangle that is drawn, ``(row, column)`` of two corners."""
FORMATS = ("csv", "kml", "ics220")
Control = TypeVar("Control", bound=QWidget)
Dialog = TypeVar("Dialog", bound=QDialog)


class MissingControlError(Exception):
    """The tutorial names a control that the window does not have."""


@dataclass(frozen=True)
class Pace:
    """How long the search of the tutorial is. ``margin`` is the title of another margin than the demo's."""

    setting: str
    days: int
    epochs: int
    margin: str = ""


WHOLE, SMALL = Pace("setting_B", 4, 400), Pace("setting_A", 2, 40, MARGIN_TITLES[Margin.NONE])


@dataclass
class Guest:
    """Automated user who follows the tutorial at ``window`` and takes pictures into ``album``."""

    window: MainWindow
    album: Path
    named: list[str] = field(default_factory=list)
    """Every action and button by the words that it was found by."""

    # -- finding -----------------------------------------------------------------------------------------------------
    def action(self, title: str) -> QAction:
        """Return the command of the menus called ``title``."""
        found = next((action for action in self.window.actions() if plain_title(action.text()) == title), None)
        if found is None:
            raise MissingControlError(f"no command is called {title!r}")
        self.named.append(title)
        return found

    def control(self, kind: type[Control], name: str, inside: QWidget | None = None) -> Control:
        """Return a control by its object name, its accessible name or its text."""
        place = self.window if inside is None else inside
        for each in place.findChildren(kind):
            text = each.text() if isinstance(each, QAbstractButton) else ""
            if name in (each.objectName(), each.accessibleName(), text.replace("&", "")):
                return each
        where = "the window" if inside is None else inside.accessibleName() or inside.objectName() or str(type(inside))
        raise MissingControlError(f"{where} has no {kind.__name__} called {name!r}")

    def panel(self, name: str) -> QWidget:
        """Show a panel."""
        if name not in PLACES:
            raise MissingControlError(f"no panel is called {name!r}")
        self.named.append(PLACES[name].title)
        self.window.workbench.show_panel(name)
        self.settle()
        panel = self.window.workbench.panels[name]
        return panel.settings if isinstance(panel, SplitPanel) else panel

    # -- doing -------------------------------------------------------------------------------------------------------
    def press(self, button: QAbstractButton) -> None:
        """Click a button; one that cannot be used would leave the reader stuck."""
        if not button.isEnabled():
            raise MissingControlError(f"{button.text() or button.accessibleName()!r} cannot be used here")
        at = QPoint(8, button.rect().center().y()) if isinstance(button, (QCheckBox, QRadioButton)) else QPoint()
        QTest.mouseClick(button, _LEFT, _NONE, at)
        self.settle()

    def command(self, title: str) -> None:
        """Choose a command, by its keys where it has any."""
        action = self.action(title)
        if not action.isEnabled():
            raise MissingControlError(f"the command {title!r} cannot be used here")
        action.trigger()
        self.settle()

    def type_into(self, box: QAbstractSpinBox, text: str) -> None:
        """Type a number over what is there."""
        box.setFocus()
        box.selectAll()
        QTest.keyClicks(box, text)
        QTest.keyClick(box, Qt.Key.Key_Return)
        self.settle()

    def drag_on_map(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag with the tool that is on; places are ``(row, column)``."""
        camera = self.window.workbench.map.camera
        pixels = [camera.to_point(*place) for place in (start, end)]
        QTest.mousePress(camera.viewport, _LEFT, _NONE, pixels[0])
        for pixel in ((pixels[0] + pixels[1]) / 2, pixels[1]):
            at, button = QPointF(pixel), Qt.MouseButton.NoButton
            where = QPointF(camera.viewport.mapToGlobal(pixel))
            QApplication.sendEvent(
                camera.viewport, QMouseEvent(QEvent.Type.MouseMove, at, where, button, button, _NONE)
            )
        QTest.mouseRelease(camera.viewport, _LEFT, _NONE, pixels[1])
        self.settle()

    def until(self, done: Callable[[], object]) -> None:
        """Wait for something to be true."""
        deadline = QDeadlineTimer(_PATIENCE_MS)
        while not done():
            if deadline.hasExpired():
                raise TimeoutError("the tutorial waits in vain")
            run_events(_LOOK_MS)

    def settle(self, milliseconds: int = _SETTLE_MS) -> None:
        """Let layouts, throttled plots and the map come to rest."""
        run_events(milliseconds)

    # -- pictures ----------------------------------------------------------------------------------------------------
    def photograph(self, name: str, widget: QWidget, mark: QWidget | None = None) -> None:
        """Keep how ``widget`` looks, with a frame around ``mark``."""
        self.settle()
        picture = widget.grab()
        if mark is not None:
            _frame(picture, widget, mark)
        image = picture.toImage()
        if image.width() > WIDEST:
            image = image.scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation)
        path = self.album / f"{name}.png"
        image.save(str(path))
        _squeeze(path)


def _frame(picture: QPixmap, widget: QWidget, mark: QWidget) -> None:
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(_MARK, 3.0))
    corner = mark.mapTo(widget, QPoint(0, 0))
    painter.drawRoundedRect(mark.rect().translated(corner).adjusted(-4, -4, 4, 4), 6, 6)
    painter.end()


def _squeeze(path: Path) -> None:
    """Reduce the colours of the picture to as few as it needs to stay small."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    for colors in (256, 128, 64):
        # Other methods lose the few cells of a burning fire among the colours of the ground.
        reduced = picture.quantize(colors, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
        reduced.save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            return
    raise ValueError(f"{path.name} is larger than {MOST_BYTES:,} bytes")


# -- the way ----------------------------------------------------------------------------------------------------------
def follow(guest: Guest, place: Path, pace: Pace) -> None:
    """Follow the page step by step; the exported files are left in ``place``."""
    _begin(guest)
    _protect(guest)
    _choose(guest, pace)
    _plan(guest)
    _look(guest)
    _hand_over(guest, place / "handover")


def _begin(guest: Guest) -> None:
    session, queue = guest.window.workbench.session, guest.window.workbench.queue
    demo = guest.control(QAbstractButton, "start-new_demo", guest.window.start_page)
    guest.photograph("start", guest.window, mark=demo)
    guest.press(demo)
    guest.until(lambda: session.has_project and not queue.is_busy and not queue.activity)
    guest.command("Fit map")
    guest.photograph("demo", guest.window, mark=guest.control(QAbstractButton, "startTool"))


def _protect(guest: Guest) -> None:
    panel, before = guest.panel("Regions"), len(guest.window.workbench.session.project.regions)
    guest.press(guest.control(QAbstractButton, "rectangleButton", panel))
    guest.drag_on_map(*FARM)
    if len(guest.window.workbench.session.project.regions) != before + 1:
        raise MissingControlError("dragging on the map with the tool Region draws none")
    guest.photograph("region", guest.window.workbench.map)
    guest.command("Pan")


def _choose(guest: Guest, pace: Pace) -> None:
    calendar = guest.panel("Calendar")
    table = guest.control(QTableView, "Grounded days", calendar)
    QTest.mouseClick(table.viewport(), _LEFT, _NONE, table.visualRect(table.model().index(0, 1)).center())
    guest.photograph("calendar", calendar)
    objective = guest.panel("Objective")
    chosen = guest.control(QRadioButton, pace.setting, objective)
    guest.press(chosen)
    guest.type_into(guest.control(QAbstractSpinBox, "days", objective), str(pace.days))
    guest.type_into(guest.control(QAbstractSpinBox, "optimizer_epochs", objective), str(pace.epochs))
    if pace.margin:
        guest.control(QComboBox, "margin_kind", objective).setCurrentText(pace.margin)
    chosen.setFocus()
    guest.photograph("objective", objective, mark=chosen)


def _plan(guest: Guest) -> None:
    queue, session = guest.window.workbench.queue, guest.window.workbench.session
    guest.command("Start plan")
    guest.until(lambda: bool(queue.entries) and not queue.is_busy and not queue.activity)
    if not session.result.drops:
        raise MissingControlError("Start plan leaves no drops on the map")
    guest.photograph("progress", guest.panel("Progress"))


def _look(guest: Guest) -> None:
    guest.window.workbench.shell.set_drawer_visible(False)
    guest.command("Plan")
    session = guest.window.workbench.session
    session.set_step(round(0.6 * session.project.calendar.n_steps))
    guest.until(lambda: session.view is FireView.PLAN)
    guest.photograph("plan", guest.window)


def _hand_over(guest: Guest, folder: Path) -> None:
    written: list[Path] = []

    def fill(dialog: ExportDialog) -> None:
        save = guest.control(QAbstractButton, "Export", dialog)
        guest.until(save.isEnabled)
        for name in FORMATS:
            box = guest.control(QCheckBox, f"format-{name}", dialog)
            if not box.isChecked():
                guest.press(box)
        line = guest.control(QLineEdit, "exportFolder", dialog)
        line.setText(folder.name)  # for the picture; the real folder is not shown
        guest.photograph("export", dialog, mark=save)
        line.setText(str(folder))
        line.editingFinished.emit()
        guest.press(save)
        guest.until(lambda: not dialog.is_busy)
        written.extend(sorted(folder.iterdir()) if folder.is_dir() else [])
        dialog.reject()

    with _answering(guest, ExportDialog, fill):
        guest.command("Export")
    if len(written) < len(FORMATS):
        raise MissingControlError(f"Export wrote {[path.name for path in written]} of {', '.join(FORMATS)}")


@contextmanager
def _answering(guest: Guest, kind: type[Dialog], fill: Callable[[Dialog], None]) -> Iterator[None]:
    """Fill the dialog that opens meanwhile.

    Errors in it are raised afterwards, because Qt would swallow them.
    """
    troubles: list[Exception] = []

    def look() -> None:
        front = QApplication.activeModalWidget()
        if not isinstance(front, kind) or not front.isVisible():
            QTimer.singleShot(_LOOK_MS, guest.window, look)
            return
        try:
            fill(front)
        except Exception as trouble:  # handed on below
            troubles.append(trouble)
            front.done(0)

    QTimer.singleShot(_LOOK_MS, guest.window, look)
    yield
    if troubles:
        raise troubles[0]


@contextmanager
def workbench(place: Path, theme: Theme) -> Iterator[MainWindow]:
    """Yield a window with settings of its own.

    It saves into ``place`` without a question.
    """
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else make_application(["firegui"])
    apply_theme(app, theme)
    session = Session()
    store = QSettings(str(place / "preferences.ini"), QSettings.Format.IniFormat)
    window = MainWindow(session, RunQueue(session), Preferences(store, place / "recent"))
    window.resize(SIZE)
    window.show()
    window.activateWindow()
    asked = patch.object(QFileDialog, "getSaveFileName", lambda *_args, **_named: (str(place / "demo.firegui"), ""))
    try:
        with asked:
            yield window
    finally:
        session.undo_stack.setClean()
        window.stop_work()
        window.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def make(album: Path, place: Path, pace: Pace, theme: Theme = Theme.LIGHT) -> Guest:
    """Follow the whole tutorial and put the pictures into ``album``.

    Raises :class:`MissingControlError` where it is blocked.
    """
    album.mkdir(parents=True, exist_ok=True)
    with workbench(place, theme) as window:
        guest = Guest(window, album)
        guest.settle()
        follow(guest, place, pace)
        return guest


def main(arguments: Sequence[str]) -> None:
    """Read the command line and make the pictures."""
    parser = argparse.ArgumentParser(description="Make the pictures of the tutorial.")
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder for the pictures")
    parser.add_argument("--small", action="store_true", help="a short search, to see whether the way is still open")
    parser.add_argument("--dark", action="store_true", help="the dark theme")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        theme = Theme.DARK if asked.dark else Theme.LIGHT
        make(asked.out, Path(place), SMALL if asked.small else WHOLE, theme)
    for path in sorted(asked.out.glob("*.png")):
        print(f"{path}  {path.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
