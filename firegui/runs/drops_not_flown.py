"""Drops of a schedule that the constraints of a project refuse, in words.

An analysis of such a schedule is one of fewer drops than planned.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError
from firegui.io.daylight import dark_steps
from firegui.io.project.schedule_file import read_project_schedule
from firegui.planning.flight_rules import project_gates
from firegui.runs.messages import counted
from firegui.runs.run_folder import DROPS, read_drops


@dataclass(frozen=True, slots=True)
class DropsNotFlown:
    """Number of ``planned`` drops and of those that are not flown: ``dark`` ones at night, and ``others``."""

    planned: int
    dark: int
    others: int

    @property
    def text(self) -> str:
        """Which drops are not flown and why, as a sentence; empty where all are."""
        lost = self.dark + self.others
        if not lost:
            return ""
        why = []
        if self.dark:
            one = "lies" if self.dark == 1 else "lie"
            which = f"{self.dark:,} {one}" if self.others else "it lies" if self.dark == 1 else "they lie"
            why.append(f"{which} at night, and the project has a daylight rule")
        if self.others:
            which = "other constraints of the project refuse" if self.dark else "the constraints of the project refuse"
            them = "it" if self.others == 1 else "them"
            why.append(f"{which} {f'{self.others:,}' if self.dark else them}")
        are = "is" if lost == 1 else "are"
        return f"{lost:,} of {counted(self.planned, 'planned drop')} {are} not flown: {'; '.join(why)}."


def remedy_text(found: DropsNotFlown) -> str:
    """Return what to do about drops that are not flown, as a sentence."""
    rule = "switch the daylight rule off" if not found.others else "change the constraints"
    return f"Plan again, or {rule} under Rules of the operation in the workspace Plan."


class NotFlownNote:
    """Note on the drops of a schedule that a project refuses, computed again once either has changed."""

    def __init__(self) -> None:
        self._asked: object = None
        self._text = ""

    def text(self, file: Path, project: Project) -> str:
        """Return which drops are not flown and what to do; empty for none, and where it is not known."""
        rules, plan = project.operations.rules, project.plan
        asked = file, rules, project.fleet, project.grounded, plan.start_day, plan.days
        if asked != self._asked:
            self._asked, self._text = asked, ""
            with suppress(InputError):
                found = drops_not_flown(file, project)
                self._text = f"{found.text} {remedy_text(found)}" if found.text else ""
        return self._text


def drops_not_flown(file: Path, project: Project) -> DropsNotFlown:
    """Return which drops of the schedule in ``file`` the constraints of ``project`` refuse.

    Of a run those count that its plan executed; of another schedule those that turnaround and grounded days allow.
    Raises :class:`~firegui.errors.InputError` for a file that cannot be read or does not fit the project, and for
    constraints that cannot be kept.
    """
    schedule = read_project_schedule(file, project)
    planned = _planned(file, schedule, project)
    lost = planned & ~project_gates(schedule, project).executed
    rule, dark = project.operations.daylight, 0
    if rule is not None:
        dark = int(lost[dark_steps(rule, project.scenario.grid, project.calendar)].sum())
    return DropsNotFlown(int(planned.sum()), dark, int(lost.sum()) - dark)


def _planned(file: Path, schedule: Schedule, project: Project) -> NDArray[np.bool_]:
    """Return ``[T, A]``: the drops that were to be flown."""
    if not (file.parent / DROPS).is_file():
        return project_gates(schedule, replace(project, operations=Operations())).executed
    planned = np.zeros(schedule.logits.shape, bool)
    for drop in read_drops(file.parent):
        if drop.executed and drop.step < len(planned) and drop.column < project.fleet.n_aircraft:
            planned[drop.step, drop.column] = True
    return planned
