"""Whether a run may go on with what it is given now, and if not, what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firegui.domain.options import changeable, title_of
from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness, Margin, OptimizerSettings, PlanSettings
from firegui.errors import Problem
from firegui.io.project.store import project_hash
from firegui.runs.header import NOT_INSTALLED, SavedHeader, SavedResultSpec, event_hash, schedule_hash
from firegui.runs.messages import counted
from firegui.runs.run_folder import PRELIMINARY, REFERENCE, RunRecord
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.stages import Stage

if TYPE_CHECKING:
    from firegui.runs.spec import PlanSpec

_ONLY_TEXT = ("setting",)
_REMEDY = "set it back, or start a new run in another folder"


def resume_problems(record: RunRecord, spec: PlanSpec) -> list[Problem]:
    """Return everything that keeps ``spec`` from resuming ``record`` with the result of an unbroken run."""
    then, now = record.header.project, ProjectSnapshot.of(spec.project)
    where = str(record.folder)
    found = []
    if record.header.replan is not None:
        found.append(Problem(where, "is a replanned run", "resume it as one (replan --resume)"))
    if record.header.event_hash != event_hash(spec.project):
        found.append(
            Problem(
                where, f"was run on another event or fire model ({then.name})", "give the project it was started on"
            )
        )
    if then.project().planned_fleet.without_cycles != now.project().planned_fleet.without_cycles:
        found.append(Problem(where, "was run with another fleet or other grounded days", _REMEDY))
    if then.regions != now.regions:
        found.append(Problem(where, "was run with other protected regions", _REMEDY))
    if then.values != now.values:
        found.append(Problem(where, "was run with other values at risk", _REMEDY))
    if then.barriers != now.barriers:
        found.append(Problem(where, "was run with other barriers", _REMEDY))
    if then.operations.rules != now.operations.rules:
        found.append(Problem(where, "was run with other operational rules", _REMEDY))
    if now.plan.margin.kind is Margin.STRESS and then.stress != now.stress:
        found.append(Problem(where, "was run with another stress set", _REMEDY))
    for title, before, after in differences(then.plan, now.plan):
        found.append(Problem(where, f"was run with {title} = {before}, now {after}", _REMEDY))
    if record.stages != spec.stages:
        found.append(Problem(where, f"is a run of {_named(record.stages)}", f"go on with firegui {_command(record)}"))
    if record.stages == spec.stages and record.header.budget != spec.budget:
        text = f"was run with {_budget(record.header.budget)}, now {_budget(spec.budget)}"
        found.append(Problem(where, text, _REMEDY))
    found += _stopping_problems(record, now.plan.optimizer)
    if spec.warm_start is not None and record.can_resume and record.header.warm_start != schedule_hash(spec.warm_start):
        found.append(Problem(where, "was started from another schedule", "leave the schedule out, or give its own"))
    if not record.can_resume and record.header.warm_start != schedule_hash(spec.warm_start):
        found.append(
            Problem(
                where,
                "stopped before its first checkpoint and was started from another schedule",
                "give the same one again (--warm-start)",
            )
        )
    return found


def _stopping_problems(record: RunRecord, now: OptimizerSettings) -> Iterator[Problem]:
    done, then = record.header.epochs_done, record.settings.optimizer
    if now.epochs < done:
        yield Problem(
            str(record.folder),
            f"has done {counted(done, 'search step')}, more than the {now.epochs} asked for",
            f"give at least {counted(done, 'search step')}",
        )
    if now.patience < then.patience:
        text = f"was run with a stop after {counted(then.patience, 'search step')} without gain, now {now.patience}"
        yield Problem(str(record.folder), text, "it can only be raised when resuming (patience)")

    begun = any((record.folder / name).is_file() for name in (REFERENCE, PRELIMINARY))
    if begun and (now.epochs, now.patience) != (then.epochs, then.patience):
        remedy = "leave out search steps (epochs) and patience, or start a new run from its plan"
        yield Problem(str(record.folder), "has done its search, so that cannot go on", remedy)


def _named(stages: tuple[Stage, ...]) -> str:
    return "placing and removing drops" if len(stages) > 1 else f"{stages[0].value} alone"


def _budget(drops: int | None) -> str:
    return "no budget" if drops is None else f"a budget of {counted(drops, 'drop')}"


def _command(record: RunRecord) -> str:
    return "plan" if len(record.stages) > 1 else record.stages[0].value


def settings_changed(record: RunRecord, project: Project, event: str) -> list[str]:
    """Return what of ``project`` has changed since the run, whose numbers are then not the project's.

    How the plan was searched for, the optimizer and the design effectiveness, counts for nothing here. ``event`` is
    :func:`~firegui.runs.header.event_hash` of ``project``, which takes a moment.
    """
    then, now = record.header.project, ProjectSnapshot.of(project)
    found = [] if record.header.event_hash == event else ["another event or fire model"]
    if then.fleet != now.fleet or _without_empty(then.grounded) != _without_empty(now.grounded):
        found.append("another fleet or other grounded days")
    if then.regions != now.regions:
        found.append("other protected regions")
    if then.values != now.values:
        found.append("other values at risk")
    if then.barriers != now.barriers:
        found.append("other barriers")
    if then.operations.rules != now.operations.rules:
        found.append("other operational rules")
    if then.c_req != now.c_req and now.fire_model.kind != "maps":
        found.append(f"required coverage {then.c_req:.2f} gal/100 ft², now {now.c_req:.2f}")
    searched = now.plan
    plan = replace(
        then.plan, optimizer=searched.optimizer, elimination=searched.elimination, margin=searched.margin,
        design=searched.design,
    )  # fmt: skip
    return found + [
        f"{title[0].lower()}{title[1:]} {old}, now {new}" for title, old, new in differences(plan, now.plan)
    ]


def _without_empty(grounded: Mapping[str, tuple[date, ...]]) -> dict[str, tuple[date, ...]]:
    return {kind: dates for kind, dates in grounded.items() if dates}


def differences(then: Any, now: Any, *, all_of: bool = False) -> Iterator[tuple[str, Any, Any]]:
    """Return title and both values of every setting that differs now.

    Settings that may change when a run is resumed count only with ``all_of``. A search method that is named does not
    differ from the same method by the margin.
    """
    if isinstance(then, PlanSettings) and then.is_fast == now.is_fast:
        now = replace(now, optimizer=replace(now.optimizer, search=then.optimizer.search))
    free = () if all_of else changeable(then)
    if isinstance(then, PlanSettings) and then.drops_fail_in_flames:
        free = tuple(name for name in free if name != "flame_limit_m")  # it decides where drops fail
    for item in fields(then):
        before, after = getattr(then, item.name), getattr(now, item.name)
        if item.name in _ONLY_TEXT or item.name in free:
            continue
        if is_dataclass(before):
            yield from differences(before, after, all_of=all_of)
        elif before != after:
            yield title_of(then, item.name), before, after


def value_words(value: Any) -> str:
    """Return the value of a setting as text."""
    if isinstance(value, Effectiveness):
        return f"{value.retardant:g}/{value.water:g}"
    return ", ".join(map(value_words, value)) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True, slots=True)
class ResumeCheck:
    """Check of a run to resume against its saved header.

    ``made``, ``made_of`` and ``remedy`` are words of the messages: a result was ``made_of`` a project.
    """

    made: str
    made_of: str
    remedy: str

    def problems(
        self, spec: SavedResultSpec, then: SavedHeader, settings: Any, more: Iterable[Problem] = ()
    ) -> list[Problem]:
        """Return what keeps ``spec`` from resuming ``then``, which had ``settings``.

        ``more`` are problems of the kind alone. Any other difference is reported as another project.
        """
        where, found = str(spec.out), []
        if then.event_hash != event_hash(spec.project):
            what = f"was {self.made} on another event or fire model"
            found.append(Problem(where, what, f"give the project it was {self.made_of}"))
        pairs = [
            *differences(then.project.plan, ProjectSnapshot.of(spec.project).plan, all_of=True),
            *differences(settings, spec.settings),
        ]
        for title, before, after in pairs:
            what = f"was {self.made} with {title} = {value_words(before)}, now {value_words(after)}"
            found.append(Problem(where, what, self.remedy))
        found += more
        if not found and then.project_hash != project_hash(spec.project):
            what = f"was {self.made} with another fleet, other regions, barriers or rules"
            found.append(Problem(where, what, self.remedy))
        return found

    def engine_problems(self, then: SavedHeader, now: SavedHeader, where: Path) -> list[Problem]:
        """Return differences of the backend and the packages, which make rows of a table incomparable.

        Packages that were not installed then, or are not now, do not count.
        """
        pairs = [("backend", then.backend, now.backend)]
        both = (then.versions.keys() & now.versions.keys()) - {"python"}
        pairs += [(name, then.versions[name], now.versions[name]) for name in sorted(both)]
        return [
            Problem(str(where), f"was {self.made} with {name} {before}, now {after}", self.remedy)
            for name, before, after in pairs
            if before != after and NOT_INSTALLED not in (before, after)
        ]
