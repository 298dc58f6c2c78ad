"""Notices over the map: an analysis that ended out of sight, and where a planned demo was saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton

from firegui.gui.analyses.registry import Controller
from firegui.gui.base.plain_text import tooltip
from firegui.gui.session.session import Session
from firegui.gui.widgets.notice import OverlayNotice
from firegui.gui.window.documents import Documents


class ReadyNotice(OverlayNotice):
    """Notice of the result of an analysis that has just ended, with a button that shows it.

    ``is_visible`` returns whether the result of an analysis is visible. Then the notice is not shown; :meth:`follow`
    takes it away. It also goes when the map shows another plan, or when inputs of the plan are edited.
    """

    show_requested = Signal(str)
    """Show the result of this analysis."""

    def __init__(
        self, controllers: Mapping[str, Controller], session: Session, is_visible: Callable[[str], bool]
    ) -> None:
        super().__init__(QPushButton("Show"))
        self._session, self._is_visible = session, is_visible
        self._plan = self._name = ""
        self.button.setToolTip("Show the result of the analysis")
        self.button.clicked.connect(lambda _checked=False: self.show_requested.emit(self._name))
        for name, controller in controllers.items():
            controller.ready.connect(partial(self._on_ready, name))
        session.result_changed.connect(self._on_map)
        session.project_opened.connect(lambda: self.show_text(""))

    def follow(self) -> None:
        """Take the notice away once the result is visible."""
        if self._name and self._is_visible(self._name):
            self.show_text("")

    @property
    def _plan_on_map(self) -> str:
        """The plan on the map; another text once it is edited or its inputs are."""
        result = self._session.result
        return "" if result.plan is None else f"{result.title}, {result.stale}"

    def _on_map(self) -> None:
        if self._plan and self._plan_on_map != self._plan:
            self.show_text("")

    def _on_ready(self, name: str, text: str) -> None:
        self._name, self._plan = name, self._plan_on_map
        self.show_text("" if self._is_visible(name) else self._session.units.restate(text))


class DemoNotice(OverlayNotice):
    """Notice that names the folder of a demo, opens it, and saves the project in another one.

    It goes with another project or folder, or when it is closed.
    """

    def __init__(self, session: Session, documents: Documents) -> None:
        self.open_button, self.save_button = QPushButton("Open folder"), QPushButton("Save as…")
        super().__init__(self.open_button, self.save_button)
        self._folder: Path | None = None
        self.open_button.setToolTip("Show the folder of the project in the file manager")
        self.save_button.setToolTip("Save the project in a folder of your own, and go on there")
        self.open_button.clicked.connect(lambda _checked=False: self._open())
        self.save_button.clicked.connect(lambda _checked=False: documents.save_as())
        documents.demo_saved.connect(self._tell)
        for signal in (session.project_opened, session.folder_changed):
            signal.connect(self._forget)

    def _tell(self, folder: Path) -> None:
        self._folder = folder
        home = Path.home()
        place = Path("~") / folder.relative_to(home) if folder.is_relative_to(home) else folder
        self.show_text(f"The demo project is saved in {place}")
        self.label.setToolTip(tooltip(str(folder)))

    def _forget(self) -> None:
        self._folder = None
        self.show_text("")

    def _open(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))
