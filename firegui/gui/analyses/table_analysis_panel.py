"""A dock of a desk: buttons and earlier results above; below them pages, the first of which is the form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from firegui.errors import Problem
from firegui.gui.analyses.controller import AnalysisController
from firegui.gui.base.dialogs import may_replace
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.session.session import Session
from firegui.gui.widgets.plan_choices import narrow_combo
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_view import table_text

_LARGE = "Show this dock in a window of its own, or put it back"


class Kept(Protocol):
    """A result that lies in the project's folder."""

    @property
    def folder(self) -> Path:
        """Where it lies."""

    def title(self, today: date) -> str:
        """What it is called in a list."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a person reads of a desk: what it makes, its first button, what buttons do, the list of earlier results."""

    thing: str
    start: str
    start_tip: str
    stop_tip: str
    resume_tip: str
    progress: str
    earlier: str
    none_earlier: str


class TableAnalysisPanel(QWidget):
    """A kind of panel hands its pages to :meth:`_put_together`, and fills in the methods after it.

    The form is a page among the others: a dock is low and wide, and what came of the work needs all of the width.
    """

    start_requested = Signal()
    """A person wants it done; the project must be saved first."""
    enlarge_requested = Signal()
    """A person wants more room for it."""

    def __init__(
        self,
        session: Session,
        desk: AnalysisController[Any, Any, Any],
        form: QWidget,
        words: Words,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self._session, self._of, self._words, self._form = session, desk, words, form
        self._kept: Sequence[Kept] = ()
        self.earlier = narrow_combo(words.earlier, "earlier")
        self.earlier.setToolTip(f"{words.earlier} of this project")
        self.pages, self.bar, self.head = QTabWidget(documentMode=True), QProgressBar(), ElidedLabel(role="muted")
        self.notes, self.about = QLabel(wordWrap=True), QLabel(wordWrap=True)
        self._activity = ElidedLabel()
        self._buttons: dict[str, QToolButton] = {}

    def button(self, name: str) -> QToolButton:
        """``start``, ``stop``, ``resume``, ``fit`` and those of the results; else ``KeyError``."""
        return self._buttons[name]

    def copy(self) -> None:
        """Put the table in front on the clipboard as it is shown, tabs between its columns."""
        QGuiApplication.clipboard().setText(table_text(self._front()))
        self._session.message.emit("The table is on the clipboard.")

    # -- putting together --------------------------------------------------------------------------------------------
    def _put_together(self, pages: Sequence[tuple[str, QWidget]], more: ButtonRow) -> None:
        """Called once, with the pages after the first and the buttons for what they show."""
        self.pages.addTab(self._set_up_page(), "Set up")
        for title, page in pages:
            self.pages.addTab(page, title)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 4)
        column.setSpacing(2)
        column.addLayout(self._top(more))
        column.addWidget(self._progress())
        column.addWidget(self.pages, 1)
        column.addWidget(self.head)
        self._of.saved_changed.connect(self._offer_earlier)
        self._of.changed.connect(self._refresh)
        self._session.project_opened.connect(self._offer_earlier)
        self.earlier.activated.connect(self._open_earlier)

    def _top(self, more: ButtonRow) -> QHBoxLayout:
        row, words = ButtonRow(), self._words
        self._buttons |= {
            "start": row.add("start", words.start, words.start_tip, self.start_requested.emit, show_text=True),
            "stop": row.add("stop", "Stop", words.stop_tip, self._of.stop),
            "resume": row.add("resume", "Go on", words.resume_tip, self._go_on),
            "fit": more.add("fit", "Enlarge", _LARGE, self.enlarge_requested.emit),
        }
        for buttons in (row, more):
            buttons.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        line = QHBoxLayout()
        line.addWidget(row)
        line.addWidget(self.earlier, 1)
        line.addWidget(more)
        return line

    def _progress(self) -> QWidget:
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(self._words.progress)
        self._work = QWidget()
        line = QHBoxLayout(self._work)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._activity, 1)
        line.addWidget(self.bar, 1)
        return self._work

    def _set_up_page(self) -> QWidget:
        self.notes.setProperty("role", "warning")
        self.about.setProperty("role", "muted")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(2, 4, 4, 0)
        column.setSpacing(4)
        for part in (self.notes, self.about, self._form):
            column.addWidget(part)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        return area

    # -- what a kind of panel fills in -------------------------------------------------------------------------------
    def _kept_results(self) -> Sequence[Kept]:
        """What lies in the project's folder, the latest first."""
        raise NotImplementedError

    def _front(self) -> QAbstractItemView:
        """Return the table in front."""
        raise NotImplementedError

    def _open(self, index: int) -> None:
        """Show one of the earlier results, counted from 0."""
        raise NotImplementedError

    def _go_on(self) -> None:
        """Go on with the earlier result that is chosen."""
        raise NotImplementedError

    def _refresh(self) -> None:
        """Show what can be done now; see :meth:`_show_work`."""
        raise NotImplementedError

    # -- earlier ones ------------------------------------------------------------------------------------------------
    @property
    def _chosen_index(self) -> int | None:
        """Which of the earlier results is chosen, counted from 0."""
        index = self.earlier.currentIndex()
        return index - 1 if 0 < index <= len(self._kept) else None

    def _offer_earlier(self) -> None:
        self._kept = self._kept_results()
        words = self._words
        with QSignalBlocker(self.earlier):
            self.earlier.clear()
            self.earlier.addItem(f"{words.earlier}…" if self._kept else words.none_earlier)
            for each in self._kept:
                self.earlier.addItem(each.title(self._of.today))
        self.earlier.setEnabled(bool(self._kept))
        self._choose_shown()
        self._refresh()

    def _choose_shown(self) -> None:
        """Choose the entry of the result that is shown, the first for none."""
        shown = None if self._of.shown is None else self._of.shown.folder
        folders = [each.folder for each in self._kept]
        with QSignalBlocker(self.earlier):
            self.earlier.setCurrentIndex(folders.index(shown) + 1 if shown in folders else 0)

    def _open_earlier(self, index: int) -> None:
        if 0 < index <= len(self._kept):
            self._open(index - 1)
            self._refresh()

    # -- tables ------------------------------------------------------------------------------------------------------
    def _ask_folder(self) -> None:
        """Export what is shown into a folder that a person chooses."""
        start = self._session.folder.parent if self._session.folder is not None else Path.home()
        title = f"Export the {self._words.thing} into a folder"
        name = QFileDialog.getExistingDirectory(self.window(), title, str(start))
        out = Path(name)
        if name and may_replace(self.window(), out, self._of.exported_names(out)):
            self._of.export(out)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show_work(self, activity: str, share: float, problems: Sequence[Problem]) -> None:
        """Show what is being done, or what keeps it from being begun."""
        busy = self._of.is_busy
        self._form.setEnabled(self._session.has_project and not busy)
        self._activity.set_text(activity)
        self.bar.setValue(round(1000 * share))
        self._work.setVisible(busy)
        self.notes.setText("\n".join(f"⚠ {problem}" for problem in problems))
        self.notes.setVisible(bool(problems) and not busy)
