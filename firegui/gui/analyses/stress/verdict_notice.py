"""Notice of the verdict of a stress test that ends while its table is not visible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton

from firegui.gui.analyses.stress.stress_controller import StressController
from firegui.gui.session.session import Session
from firegui.gui.widgets.notice import PassingNotice


class VerdictNotice(PassingNotice):
    """Notice of the verdict of a test that has just ended, with a button for its table.

    ``is_visible`` returns whether the table is visible. Then the notice is not shown; :meth:`follow` takes it away.
    It also goes when the map shows another plan, or when inputs of the plan are edited.
    """

    def __init__(self, controller: StressController, session: Session, is_visible: Callable[[], bool]) -> None:
        super().__init__(QPushButton("Show table"))
        self._controller, self._session, self._is_visible = controller, session, is_visible
        self._plan = ""
        self.button.setToolTip("Show the table of the stress test")
        controller.result_changed.connect(self._on_result)
        session.result_changed.connect(self._on_map)
        session.project_opened.connect(lambda: self.show_text(""))

    def follow(self) -> None:
        """Take the notice away once the table is visible."""
        if self._is_visible():
            self.show_text("")

    @property
    def _plan_on_map(self) -> str:
        """The plan on the map; another text once it is edited or its inputs are."""
        result = self._session.result
        return "" if result.plan is None else f"{result.title}, {result.stale}"

    def _on_map(self) -> None:
        if self._plan and self._plan_on_map != self._plan:
            self.show_text("")

    def _on_result(self) -> None:
        shown = self._controller.shown
        self._plan = self._plan_on_map
        verdict = shown.verdict if shown is not None and self._controller.shows_running else ""
        self.show_text(f"Stress test: {verdict}" if verdict and not self._is_visible() else "")
