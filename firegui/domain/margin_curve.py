"""Cost of a margin: plans of one project with rising margin, their drops and stress results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from firegui.domain.options import bounds_problems, option
from firegui.domain.settings import Margin, Setting
from firegui.domain.stress import (
    MOST_DRAWS,
    MOST_REPAIR_HOURS,
    StressSet,
    StressTable,
    StressTestSettings,
    interval_problems,
)
from firegui.domain.study_table import front_of
from firegui.errors import Problem


class CurvePlan(StrEnum):
    """A plan of the curve: one for each margin, and that of the stress margin with replanning."""

    NONE = "none"
    DESIGN = "design"
    STRESS = "stress"
    REPLANNED = "stress-replanned"

    @property
    def margin(self) -> Margin:
        """The margin it is planned with."""
        return Margin.STRESS if self is CurvePlan.REPLANNED else Margin(self.value)


@dataclass(frozen=True, slots=True)
class MarginCurveSettings:
    """Settings of the tests of a margin curve.

    The settings of its plans are in the project.
    """

    repair_hours: float = option(
        12.0, "Replanned every", "replan the stress margin's plan this often in the last test; 0 leaves it out",
        unit="h", low=0.0, high=MOST_REPAIR_HOURS, flag="--repair", zero_text="left out",
    )  # fmt: skip
    draws: int = option(
        0, "Draws", "draws of every scenario that has something random; 0: as many as the scenario says; more take "
        "longer, most of all with replanning", low=0, high=MOST_DRAWS, zero_text="as in each scenario",
    )  # fmt: skip
    seed: int = option(0, "Random seed", "seed of all draws of the tests", low=0, high=2**32 - 1)

    @property
    def plans(self) -> tuple[CurvePlan, ...]:
        """The plans of the curve, in their order."""
        return tuple(plan for plan in CurvePlan if plan is not CurvePlan.REPLANNED or self.repair_hours)

    def test(self, plan: CurvePlan, stress: StressSet) -> StressTestSettings:
        """Return the stress test of a plan in ``stress``: with replanning in every scenario or in none.

        Scenarios that are replanned by themselves are left out of a test without replanning.
        """
        if plan is CurvePlan.REPLANNED:
            return StressTestSettings(self.draws, self.repair_hours, StressSet(stress.scenarios, self.seed))
        return StressTestSettings(self.draws, 0.0, StressSet(stress.unrepaired, self.seed))

    def problems(self, stress: StressSet, steps_per_day: int) -> list[Problem]:
        """Return every problem of the settings for ``stress``.

        Problems of the stress set itself are not included.
        """
        found = bounds_problems(self, "margin curve")
        found += interval_problems("margin curve", self.repair_hours, steps_per_day)
        if stress.scenarios and not stress.unrepaired:
            what, remedy = "all are replanned, so no plan can be tested without", "add one that is not replanned"
            found.append(Problem("stress scenarios", what, remedy))
        return found


@dataclass(frozen=True, slots=True)
class MarginPoint:
    """A plan of the curve.

    ``folder`` is its run and ``test`` its stress test, both below the folder of the curve. ``drops`` are those it
    proposes, with replanning the mean number flown. ``gallons`` is their volume, ``None`` where it is not known.
    Shares are of the growth that is left: ``nominal_share`` in the model's own world, ``worst_share`` the largest over
    ``scenarios`` scenarios of up to ``draws`` draws. ``left_out`` are scenarios that were not flown, with the reason.
    ``seconds`` were needed to make the plan. ``fixed_share`` is known with replanning: the largest share with the plan
    as it was, on the same drawn fires.
    """

    plan: CurvePlan
    folder: str
    test: str
    drops: float
    gallons: float | None
    nominal_share: float
    worst_scenario: str
    worst_share: float
    scenarios: int
    draws: int
    left_out: tuple[tuple[str, str], ...]
    seconds: float
    fixed_share: float | None = None

    @staticmethod
    def of(plan: CurvePlan, folder: str, test: str, table: StressTable, gallons: float, seconds: float) -> MarginPoint:
        """Return the point of a plan of ``gallons`` with its stress table."""
        drops = float(table.drops)
        volume: float | None = gallons
        if plan is CurvePlan.REPLANNED:
            flown = [draw.flown for result in table.results for draw in result.draws]
            drops, volume = sum(flown) / len(flown), None
        # The first of the table is so to 0.1 % alone, and the share is compared with the limit.
        worst = max(table.worst_first, key=lambda result: result.share_worst, default=table.nominal)
        unrepaired = [one.fixed_share_worst for one in table.results if one.fixed_share_worst is not None]
        return MarginPoint(
            plan=plan,
            folder=folder,
            test=test,
            drops=drops,
            gallons=volume,
            nominal_share=table.nominal.share_worst,
            worst_scenario=worst.scenario.name,
            worst_share=worst.share_worst,
            scenarios=len(table.results),
            draws=max(len(result.draws) for result in (table.nominal, *table.results)),
            left_out=table.left_out,
            seconds=seconds,
            fixed_share=max(unrepaired, default=None),
        )


@dataclass(frozen=True, slots=True)
class MarginCurve:
    """Margin curve of ``event``: drops of the plans with rising margin, and what they leave to burn.

    ``limit`` is the largest share that the stress margin may leave. ``missing`` are plans that could not be tested,
    with the reason.
    """

    event: str
    fire_model: str
    setting: Setting
    limit: float
    settings: MarginCurveSettings
    points: tuple[MarginPoint, ...] = ()
    missing: tuple[tuple[CurvePlan, str], ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every plan is done or known to be missing."""
        return len(self.points) + len(self.missing) == len(self.settings.plans)

    @property
    def front(self) -> tuple[MarginPoint, ...]:
        """The plans without replanning than which no other has both fewer drops and a lower worst share."""
        fixed = [point for point in self.points if point.plan is not CurvePlan.REPLANNED]
        return tuple(fixed[k] for k in front_of([(point.drops, point.worst_share) for point in fixed]))

    def with_point(self, point: MarginPoint) -> MarginCurve:
        """Return the curve with one more point."""
        return replace(self, points=(*self.points, point))

    def without(self, plan: CurvePlan, reason: str) -> MarginCurve:
        """Return the curve with one more plan noted as missing."""
        return replace(self, missing=(*self.missing, (plan, reason)))
