"""Flight rules of single drops, and their landing points. Loads no torch."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

import numpy as np

from firegui.domain.drops import Drop, DropList
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.planning.audit import Conditions, audit
from firegui.planning.flight_rules import PlannedAir, flight_rules
from firegui.rollout.drops import drop_records
from firegui.rollout.gates import FlightRules
from firegui.rollout.landing import drift_cells


class DropValidator:
    """Validator of drops on ``project``, without a fire simulation.

    The project must have no :meth:`~Project.problems`.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.fleet = project.planned_fleet
        self.tails = self.fleet.tails
        self._air = PlannedAir.of(project)
        self._conditions = Conditions.of(project)
        self._known: tuple[DropList, Counter[str]] | None = None

    @cached_property
    def _rules(self) -> FlightRules | None:
        return flight_rules(self.project, self._air)

    def violations(self, drops: DropList) -> tuple[str, ...]:
        """Return a sentence for each rule that flying all of ``drops`` would break, as the audit does."""
        calendar, shape = self.project.calendar, self.project.scenario.grid.shape
        inside = DropList(tuple(drop for drop in drops.drops if 0 <= drop.step < calendar.n_steps))
        schedule = inside.schedule(calendar.n_steps, self.fleet.n_aircraft)
        claimed = [drop.key for drop in drops.drops]
        report = audit(
            schedule, self.fleet, calendar.steps_per_day, shape, claimed, lambda day: f"day {day + 1}", self._conditions
        )
        return report.violations

    def broken(self, before: DropList, after: DropList) -> tuple[str, ...]:
        """Return the violations of ``after`` that ``before`` did not have."""
        if before == after:
            return ()
        if self._known is None or self._known[0] != before:
            self._known = before, Counter(self.violations(before))
        return tuple((Counter(self.violations(after)) - self._known[1]).elements())

    def records(self, drops: DropList) -> tuple[DropRecord, ...]:
        """Return the table of ``drops``: landing points, and whether the gates execute them."""
        schedule = drops.schedule(self.project.calendar.n_steps, self.fleet.n_aircraft)
        return drop_records(self._air, self.fleet, schedule, self._rules)

    def landing(self, drop: Drop) -> tuple[float, float]:
        """Return where the wind carries ``drop``, in cells, cell centres at integers."""
        kind, steps = self.tails[drop.column].type, np.array([drop.step])
        drift = drift_cells(self._air, kind, steps, np.array([drop.y]), np.array([drop.x]))
        return drop.y + float(drift[0][0]), drop.x + float(drift[1][0])
