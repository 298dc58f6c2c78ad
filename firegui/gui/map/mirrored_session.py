"""A session that shows what another one shows, but always from the same side."""

from __future__ import annotations

from PySide6.QtCore import QObject

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.session.session import Session, ShownResult, Tool, View


class MirrorSession(Session):
    """Follows ``main``; what a person does with it happens there. Only the view is its own, and stays ``view``."""

    def __init__(self, main: Session, view: View, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._main, self._view = main, view
        # The drops are changed, looked at and undone in one place.
        self.plan_editor, self.ground, self.drawing = main.plan_editor, main.ground, main.drawing
        main.project_opened.connect(self._follow_project)
        main.project_edited.connect(self._follow_edit)
        main.step_changed.connect(super().set_step)
        main.result_changed.connect(self._follow_result)
        main.region_selected.connect(super().select_region)
        main.tool_changed.connect(self._follow_tool)
        self._follow_project()
        self._follow_result()
        super().set_step(main.step)
        self._follow_tool(main.tool.value)

    # -- following ---------------------------------------------------------------------------------------------------
    def _follow_project(self) -> None:
        if self._main.has_project:
            self.open_project(self._main.project, self._main.folder)

    def _follow_edit(self) -> None:
        self._set_project(self._main.project)

    def _follow_result(self) -> None:
        self.show_result(self._main.result)

    def _follow_tool(self, name: str) -> None:
        super().set_tool(Tool(name))

    # -- handing on --------------------------------------------------------------------------------------------------
    def edit(self, text: str, project: Project, merge: int = -1) -> None:
        """Edit the one project there is."""
        self._main.edit(text, project, merge)

    def refuse(self, error: InputError) -> None:
        """Let the window tell."""
        self._main.refuse(error)

    def select_region(self, name: str) -> None:
        """Select it everywhere."""
        self._main.select_region(name)

    def set_tool(self, tool: Tool) -> None:
        """Choose it everywhere."""
        self._main.set_tool(tool)

    def set_step(self, step: int) -> None:
        """Show it everywhere."""
        self._main.set_step(step)

    def set_view(self, view: View) -> None:
        """Nothing: this session has its own."""

    def show_result(self, result: ShownResult) -> None:
        """Show it, from the same side as ever."""
        self._result = result
        self.result_changed.emit()
