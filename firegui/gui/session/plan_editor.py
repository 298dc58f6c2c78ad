"""The shown plan changed by hand: its drops, which one is chosen, what a change does to the fire. Undone like any edit.

The drops are no part of the project. They stand in the undo stack with everything else, are shown and exported as the
plan they are, and are kept as a run of their own (:class:`~firegui.gui.planning.plan_preview.PlanPreview`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from firegui.domain.drops import Drop, DropList
from firegui.domain.project import Project
from firegui.gui.session.undo import ReplaceCommand
from firegui.planning.hand_check import HandCheck
from firegui.runs.live import LiveLook

if TYPE_CHECKING:
    from firegui.gui.session.session import Session, ShownResult

EDITED = "edited by hand"


@dataclass(frozen=True, slots=True, eq=False)
class EditedPlan:
    """The ``drops`` that took the place of those of ``origin``, which was shown before the first edit."""

    origin: ShownResult
    drops: DropList


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody wonders about: what if the drops ``before`` were ``after``? ``drop`` is the one it is about.

    ``broken`` are the rules that it would break, in words. ``text`` is what the change is called.
    """

    before: DropList
    after: DropList
    drop: Drop
    text: str
    broken: tuple[str, ...] = ()


class PlanEditor(QObject):
    """See the module. Belongs to a session, which made it."""

    edited = Signal()
    """There are other drops by hand, or none any more: their fire has to be worked out, or is there again."""
    selected_changed = Signal()
    wondered = Signal(object)
    """A :class:`Change` whose fire somebody wants to see, or ``None`` when nobody does any more."""
    looked = Signal()
    """There is another answer, or none any more."""
    left = Signal(object)
    """The :class:`EditedPlan` that was shown; another plan has taken its place."""
    keep_wanted = Signal()
    """The drops are to be kept as a run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._plan: EditedPlan | None = None
        self._selected: tuple[int, int] | None = None
        self._change: Change | None = None
        self._look: LiveLook | None = None
        self._check: HandCheck | None = None
        self._blocked = ""
        session.project_opened.connect(self._forget)
        session.result_changed.connect(self._follow)

    # -- what there is -----------------------------------------------------------------------------------------------
    @property
    def plan(self) -> EditedPlan | None:
        """The shown plan as a person made it; ``None`` while it is as it was."""
        return self._plan

    @property
    def drops(self) -> DropList:
        """The drops of the shown plan that are flown."""
        return self._plan.drops if self._plan is not None else DropList.of(self._session.result.drops)

    @property
    def obstacle(self) -> str:
        """Why the drops that are shown cannot be changed, or empty."""
        session, result = self._session, self._session.result
        if not session.has_project or result.plan is None:
            return "no plan is shown: start a run, or show one from the list of runs"
        if result.of_ensemble:
            return "an ensemble is shown: show the run of its plan"
        if self._blocked:
            return self._blocked
        if self.project.problems():
            return "the project has problems that keep it from being planned: see the Objective dock"
        return ""

    @property
    def project(self) -> Project:
        """What the shown plan was made for."""
        return self._session.result.project or self._session.project

    @property
    def rules(self) -> HandCheck:
        """What may be flown in :attr:`project`."""
        return self._rules_of(self.project)

    @property
    def selected(self) -> Drop | None:
        """The chosen drop of the shown plan."""
        return None if self._selected is None else self.drops.at(self._selected)

    @property
    def change(self) -> Change | None:
        """What is wondered about."""
        return self._change

    @property
    def look(self) -> LiveLook | None:
        """The latest answer to what is wondered about; it may be of a moment ago."""
        return self._look

    # -- what can be asked -------------------------------------------------------------------------------------------
    def block(self, why: str) -> None:
        """Let nobody change the shown drops, and say why; empty lets them again."""
        self._blocked = why

    def select(self, drop: Drop | None) -> None:
        """Choose a drop of the shown plan, or none."""
        key = None if drop is None else drop.key
        if key != self._selected:
            self._selected = key
            self.selected_changed.emit()

    def wonder(self, change: Change | None) -> None:
        """See what ``change`` would do to the fire, without making it."""
        self._change = change
        if change is None:
            self._look = None
        self.wondered.emit(change)
        self.looked.emit()

    def show_look(self, look: LiveLook) -> None:
        """An answer is here."""
        if self._change is not None:
            self._look = look
            self.looked.emit()

    def edit(self, text: str, after: DropList, chosen: Drop | None, merge: int = -1) -> None:
        """Make ``after`` the shown plan's drops as one undoable step, with ``chosen`` selected."""
        before, session = self._plan, self._session
        plan = EditedPlan(session.result if before is None else before.origin, after)
        self._selected = None if chosen is None else chosen.key
        session.undo_stack.push(ReplaceCommand(text, self._set, before, plan, merge))
        self.selected_changed.emit()

    def take_frames(self, look: LiveLook) -> None:
        """The fire of the drops that are shown is worked out."""
        plan, result = self._plan, self._session.result
        if plan is not None and result.pending and look.wish.after == plan.drops and look.frames is not None:
            self._session.show_result(
                replace(result, plan=look.frames, plan_metrics=look.after, pending=False)
            )  # fmt: skip

    # -- following ---------------------------------------------------------------------------------------------------
    def _set(self, plan: EditedPlan | None) -> None:
        shown = self._session.result
        if plan is None:
            before, self._plan = self._plan, None
            # Another plan may have been shown since, which an undo does not take away.
            if before is not None and shown.by_hand:
                self._session.show_result(before.origin)
        else:
            self._plan = plan
            rules = self._rules_of(plan.origin.project or self._session.project)
            self._session.show_result(_by_hand(plan, shown if shown.by_hand else plan.origin, rules))
        self.edited.emit()

    def _rules_of(self, project: Project) -> HandCheck:
        if self._check is None or self._check.project is not project:
            self._check = HandCheck(project)
        return self._check

    def _follow(self) -> None:
        """What is shown may be another plan now."""
        plan = self._plan
        if plan is not None and not self._session.result.by_hand:
            self._plan = None
            self.wonder(None)
            self.left.emit(plan)
        if self._selected is not None and self.drops.at(self._selected) is None:
            self.select(None)

    def _forget(self) -> None:
        self._plan, self._check = None, None
        self.select(None)
        self.wonder(None)


def _by_hand(plan: EditedPlan, shown: ShownResult, rules: HandCheck) -> ShownResult:
    """What is shown with other drops, whose fire is still to be worked out; that of before is shown until then."""
    name = f"{plan.origin.plan_name or plan.origin.title}, {EDITED}"
    return replace(
        shown, title=name, plan_name=name, drops=rules.records(plan.drops), folder=None, by_hand=True, pending=True
    )
