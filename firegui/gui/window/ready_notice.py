"""Notice of an analysis that ends while its result is not visible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from firegui.gui.analyses.registry import Controller
from firegui.gui.session.session import Session
from firegui.gui.widgets.notice import OverlayNotice


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
