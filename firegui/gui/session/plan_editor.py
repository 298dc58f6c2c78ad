"""Editor of the shown plan's drops: selection, preview of a change, and edits as undo steps.

The drops are not part of the project. Their edits are on the undo stack with all others. They are shown and exported as
the current plan, and saved as a run by :class:`~firegui.gui.planning.edited_plan_saver.EditedPlanSaver`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from firegui.domain.drops import Drop, DropList
from firegui.domain.project import Project
from firegui.gui.session.undo import ReplaceCommand
from firegui.planning.drop_validator import DropValidator
from firegui.runs.plan_preview import PreviewResult

if TYPE_CHECKING:
    from firegui.gui.session.session import Session, ShownResult

EDITED = "edited by hand"
ON_SIMULATED = ", on the simulated fire"
_EFFECTS = 16
"""Edits whose effects are remembered for undo and redo."""


@dataclass(frozen=True, slots=True, eq=False)
class EditedPlan:
    """Drops that replaced those of ``origin``, the result shown before the first edit."""

    origin: ShownResult
    drops: DropList


@dataclass(frozen=True, slots=True)
class DropChange:
    """Possible edit of ``drop``, which turns the drops ``before`` into ``after``.

    ``broken`` are the texts of the rules that it would break. ``text`` is the name of the edit.
    """

    before: DropList
    after: DropList
    drop: Drop
    text: str
    broken: tuple[str, ...] = ()


class PlanEditor(QObject):
    """Editor of the drops that a session shows. The session creates it."""

    edited = Signal()
    """The edited drops changed, or all edits were undone. Their fire must be computed, or is known again."""
    selected_changed = Signal()
    preview_requested = Signal(object)
    """A :class:`DropChange` to preview, or ``None`` to end the preview."""
    preview_ready = Signal()
    """:attr:`preview` changed."""
    superseded = Signal(object)
    """The :class:`EditedPlan` that was shown; another plan has replaced it."""
    save_requested = Signal()
    """The drops should be saved as a run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._plan: EditedPlan | None = None
        self._selected: tuple[int, int] | None = None
        self._marked: frozenset[tuple[int, int]] = frozenset()
        self._change: DropChange | None = None
        self._preview: PreviewResult | None = None
        self._effects: deque[tuple[DropChange, PreviewResult]] = deque(maxlen=_EFFECTS)
        self._validator: DropValidator | None = None
        self._blocked = ""
        session.project_opened.connect(self._reset)
        session.result_changed.connect(self._on_result_changed)

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def plan(self) -> EditedPlan | None:
        """The shown plan as edited; ``None`` if it was not edited."""
        return self._plan

    @property
    def drops(self) -> DropList:
        """The executed drops of the shown plan."""
        return self._plan.drops if self._plan is not None else DropList.of(self._session.result.drops)

    @property
    def obstacle(self) -> str:
        """Reason why the shown drops cannot be edited, or empty."""
        session, result = self._session, self._session.result
        if not session.has_project or result.plan is None:
            return "no plan is shown: start a run, or show one from the list of runs"
        if result.is_sample:
            return "a fire of an analysis is shown: go back to the run of its plan"
        if self._blocked:
            return self._blocked
        if self.project.problems():
            return "the project has problems that keep it from being planned: see the panel Goal and search"
        return ""

    @property
    def project(self) -> Project:
        """The project that the shown plan was made for."""
        return self._session.result.project or self._session.project

    @property
    def rules(self) -> DropValidator:
        """The flight rules of :attr:`project`."""
        return self._rules_of(self.project)

    @property
    def selected(self) -> Drop | None:
        """The selected drop of the shown plan."""
        return None if self._selected is None else self.drops.at(self._selected)

    @property
    def marked(self) -> tuple[Drop, ...]:
        """All selected drops of the shown plan, among them :attr:`selected`."""
        if self._selected is None and not self._marked:
            return ()
        return tuple(drop for drop in self.drops.drops if drop.key in self._marked or drop.key == self._selected)

    @property
    def change(self) -> DropChange | None:
        """The change that is previewed."""
        return self._change

    @property
    def preview(self) -> PreviewResult | None:
        """The latest preview. It may answer an earlier :attr:`change`."""
        return self._preview

    # -- commands ----------------------------------------------------------------------------------------------------
    def block(self, why: str) -> None:
        """Prevent edits for the reason ``why``; empty allows them again."""
        self._blocked = why

    def select(self, drop: Drop | None) -> None:
        """Select a drop of the shown plan, or none."""
        self.select_all(() if drop is None else (drop,))

    def select_all(self, drops: Sequence[Drop]) -> None:
        """Select several drops of the shown plan; the last one is the one to edit."""
        keys, last = frozenset(drop.key for drop in drops), drops[-1].key if drops else None
        if last != self._selected or keys != self._marked:
            self._selected, self._marked = last, keys
            self.selected_changed.emit()

    def request_preview(self, change: DropChange | None) -> None:
        """Preview the fire after ``change`` without applying it; ``None`` ends the preview."""
        self._change = change
        if change is None:
            self._preview = None
        self.preview_requested.emit(change)
        self.preview_ready.emit()

    def show_preview(self, preview: PreviewResult) -> None:
        """Show a preview that was computed."""
        if self._change is not None:
            self._preview = preview
            self._remember_effect()
            self.preview_ready.emit()

    def edit(self, text: str, after: DropList, selected: Drop | None, merge: int = -1) -> None:
        """Replace the shown plan's drops with ``after`` as one undo step, and select ``selected``."""
        before, session = self._plan or self._session.result, self._session
        plan = EditedPlan(before.origin if isinstance(before, EditedPlan) else before, after)
        self._selected = None if selected is None else selected.key
        self._marked = frozenset() if selected is None else frozenset({selected.key})
        session.push(ReplaceCommand(text, self._set, before, plan, merge))
        self.selected_changed.emit()

    def show_frames(self, preview: PreviewResult) -> None:
        """Show the playback frames of the edited drops, unless these have changed since."""
        plan, result = self._plan, self._session.result
        if plan is not None and result.pending and preview.request.after == plan.drops and preview.frames is not None:
            self._session.show_result(replace(result, plan=preview.frames, plan_metrics=preview.after, pending=False))

    # -- following the session ---------------------------------------------------------------------------------------
    def _set(self, plan: EditedPlan | ShownResult) -> None:
        shown, before_drops, had_selection = self._session.result, self.drops, self._selected is not None
        if not isinstance(plan, EditedPlan):
            # Another plan may have been shown since: the one that an undo changes is shown again.
            self._plan = None
            self._session.show_result(plan)
        else:
            self._plan = plan
            rules = self._rules_of(plan.origin.project or self._session.project)
            self._session.show_result(_edited_result(plan, shown if shown.by_hand else plan.origin, rules))
            self._remember_effect()
        brought = [drop for drop in self.drops.drops if before_drops.at(drop.key) != drop]
        if had_selection and self.selected is None and len(brought) == 1:
            self.select(brought[0])
        if self._change is None or self._change.after != self.drops or self._change.drop != self.selected:
            self._show_known_effect()
        self.edited.emit()

    def _show_known_effect(self) -> None:
        """Show the effect of the latest edit if it is known and of the selected drop; else end the preview."""
        effects = self._effects if self._plan is not None else ()
        known = [each for each in effects if each[0].after == self.drops and each[0].drop == self.selected]
        if known:
            self._change, self._preview = known[-1]
            self.preview_ready.emit()
        elif self._change is not None:
            self.request_preview(None)

    def _remember_effect(self) -> None:
        """Remember the previewed effect if it is that of the edit that made the drops."""
        change, preview = self._change, self._preview
        if self._plan is None or change is None or preview is None or preview.before is None:
            return
        if change.before != change.after == preview.request.after == self.drops:
            # The preview of another step replaces that of the same edit.
            if self._effects and self._effects[-1][0] is change:
                self._effects.pop()
            self._effects.append((change, preview))

    def _rules_of(self, project: Project) -> DropValidator:
        if self._validator is None or self._validator.project is not project:
            self._validator = DropValidator(project)
        return self._validator

    def _on_result_changed(self) -> None:
        plan = self._plan
        if plan is not None and not self._session.result.by_hand:
            self._plan = None
            self._effects.clear()
            self.request_preview(None)
            self.superseded.emit(plan)
        if self._selected is not None and self.drops.at(self._selected) is None:
            self.select(None)

    def _reset(self) -> None:
        self._plan, self._validator = None, None
        self._effects.clear()
        self.select(None)
        self.request_preview(None)


def _edited_result(plan: EditedPlan, shown: ShownResult, rules: DropValidator) -> ShownResult:
    """Return ``shown`` with the drops of ``plan``. The previous fire stays until the new one is computed.

    Edited drops are flown in the fire simulated from the start, so a replanned run's fire without drops is left out.
    """
    # A run that was kept of edited drops says so in its name already.
    name = f"{(plan.origin.plan_name or plan.origin.title).removesuffix(f', {EDITED}')}, {EDITED}"
    if plan.origin.fire:
        name += ON_SIMULATED
        shown = replace(shown, baseline=None, baseline_metrics=None, fire="")
    return replace(
        shown, title=name, plan_name=name, drops=rules.records(plan.drops), folder=None, by_hand=True, pending=True
    )
