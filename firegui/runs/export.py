"""Export of a run's plan: read it, check it against its rules, write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from firegui.domain.observation import FireRecord
from firegui.domain.project import Project, changes_text
from firegui.domain.schedule import LISTED_LOGIT, DropRecord, Schedule
from firegui.errors import Check, InputError, Problem, Problems
from firegui.fire.behaviour_rasters import strongest_fire
from firegui.fire.drop_flames import flame_lengths
from firegui.fire.model_caveats import model_caveats
from firegui.io.crs import grid_problems
from firegui.io.exporters import NO_FILMS, checked_formats, known_formats
from firegui.io.exporters import export as write_formats
from firegui.io.exporters.content import ExportContent, Occupancy, Sheet, export_content
from firegui.io.paths import real_path
from firegui.io.project.store import load_project
from firegui.io.vectors.water import read_water
from firegui.planning.audit import Conditions, audit, zone_violations
from firegui.runs.control import RunControl
from firegui.runs.events import Emit, RunEvent, RunFinished
from firegui.runs.header import RunHeader, event_hash
from firegui.runs.kept_fire import saved_fire
from firegui.runs.notes import read_name
from firegui.runs.replan_base import read_scores
from firegui.runs.run_folder import (
    BASELINE,
    DROPS,
    ELIMINATION,
    HISTORY,
    METRICS,
    OCCUPANCY,
    RUN,
    STORE,
    RunRecord,
    read_drops,
    read_run,
)
from firegui.runs.run_repair import damage_problems, damaged_files
from firegui.runs.run_requests import resume_spec
from firegui.runs.runner import execute
from firegui.runs.stages import DONE_REASONS
from firegui.runs.summary import day_states

T = TypeVar("T")

TITLE = "The run cannot be exported"
EXPORTED = (DROPS, METRICS, OCCUPANCY, BASELINE)
"""Files of a run that an export is made of."""
_REMEDY = "plan again, or take the drop out of the schedule"


def hand_over(
    content: ExportContent,
    formats: Sequence[str],
    folder: Path,
    stem: str | None = None,
    check: Check | None = None,
    tell: Callable[[str], None] | None = None,
    films: Mapping[str, Callable[[Path], None]] = NO_FILMS,
) -> list[Path]:
    """Write a plan whose drops keep its rules (:func:`firegui.io.exporters.export`): all files, or none.

    Raises :class:`~firegui.errors.InputError` listing every drop that breaks a rule and every format that does not fit.
    """
    problems = Problems()
    try:
        if formats or not films:
            checked_formats(content, formats)
    except InputError as error:
        problems.extend(error.problems)
    problems.extend(rule_problems(content.project, [row.drop for row in content.rows]))
    problems.raise_if_any(TITLE)
    return write_formats(content, formats, folder, stem, check, tell, films)


def run_content(
    folder: Path, water: Path | None = None, formats: Sequence[str] = (), sheet: Sheet | None = None
) -> ExportContent:
    """Return all that is known of the plan of a run, with its project's layers if that is unchanged.

    ``water`` is a layer in place of the fuel's water; ``formats`` are looked at first, so that what is wrong with them
    is said with everything else. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    if formats:
        _attempt(problems, lambda: known_formats(formats))
    header = _attempt(problems, lambda: STORE.read(folder))
    if header is None:
        raise InputError(problems, TITLE)
    damaged = damaged_files(folder, header, (*EXPORTED, HISTORY, ELIMINATION))
    # A plan is exported without its logs.
    problems.extend(damage_problems(folder, damaged.intersection(EXPORTED)))
    record = _attempt(problems, lambda: read_run(folder, damaged))
    if record is None:
        raise InputError(problems, TITLE)
    problems.extend(_header_problems(record))
    drops = () if DROPS in damaged else _attempt(problems, lambda: read_drops(folder))
    layer = None if water is None else _attempt(problems, lambda: read_water(water, record.project.scenario.grid))
    fires = [_attempt(problems, lambda: _fire(record, OCCUPANCY)), _attempt(problems, lambda: _fire(record, BASELINE))]
    saved = _attempt(problems, lambda: saved_fire(folder))
    name = _attempt(problems, lambda: read_name(folder)) or real_path(folder).name
    problems.raise_if_any(TITLE)
    assert drops is not None and saved is not None
    project, notes, changes = _project(record)
    notes += [saved.note] if saved.note else []
    if header.replan is not None and header.replan.closed_loop:
        notes += list(filter(None, [read_scores(folder).failed_text()]))
    plan, baseline = (_with_start(fire, project, saved.kept) for fire in fires)
    made = record.header.updated or record.header.started
    content = export_content(
        project, drops, run=name, made=made, plan=plan, baseline=baseline, water=layer, sheet=sheet,
        limits=model_caveats(project, (sheet or Sheet()).units), unfinished=_unfinished(header),
        changes=changes, flames=flame_lengths(project, drops),
    )  # fmt: skip
    fire = saved.kept.kind if saved.kept is not None else ""
    behaviour = partial(strongest_fire, project)
    return replace(content, notes=(*notes, *content.notes), fire=fire, stress=record.scores.stress, behaviour=behaviour)


def unfinished_text(folder: Path) -> str:
    """Return that the search of the run in ``folder`` has not ended, as a clause; empty where it has.

    Empty where the run has not begun, too. Raises :class:`~firegui.errors.InputError` for a header that cannot be read.
    """
    return _unfinished(STORE.read(folder)) if (folder / RUN).is_file() else ""


def _unfinished(header: RunHeader) -> str:
    if header.reason in DONE_REASONS:
        return ""
    return f"The search {'has not ended' if header.reason is None else 'was stopped'}: the plan is unfinished"


def damaged_exports(folder: Path) -> tuple[str, ...]:
    """Return the damaged files that an export of the run in ``folder`` is made of.

    There are none where the run has not begun. Raises :class:`~firegui.errors.InputError` for a header that cannot be
    read.
    """
    if not (folder / RUN).is_file():
        return ()
    return tuple(sorted(damaged_files(folder, STORE.read(folder), EXPORTED)))


def make_again(folder: Path, emit: Emit = lambda event: None) -> None:
    """Resume a completed run with damaged files, which makes them again.

    ``emit`` receives the events of that. A folder that is no run, and a run that would go on planning, are left to
    :func:`run_content`. Raises :class:`~firegui.errors.InputError` for files that cannot be made again.
    """
    try:
        header = STORE.read(folder)
    except InputError:
        return
    damaged = damaged_files(folder, header, EXPORTED)
    if not damaged or header.reason not in DONE_REASONS:
        return
    problems = Problems()
    problems.extend(damage_problems(folder, damaged))
    place = Path(header.project_folder)
    # The run's own backend gives the same digits; a card may be gone by now.
    backend = "auto" if header.backend == "cuda" else header.backend
    try:
        spec = resume_spec(header.project.on(load_project(place)), place, folder, backend)
    except InputError as error:
        problems.extend(error.problems)
        raise InputError(problems, TITLE) from error
    ends: list[RunFinished] = []

    def note(event: RunEvent) -> None:
        emit(event)
        ends.extend([event] if isinstance(event, RunFinished) else [])

    execute(spec, note, RunControl())
    if ends[-1].reason not in DONE_REASONS or damaged_files(folder, STORE.read(folder), EXPORTED):
        problems.extend(ends[-1].problems)
        raise InputError(problems, TITLE)


def _header_problems(record: RunRecord) -> list[Problem]:
    """Return what no run was started with: places and numbers of its project that are out of range."""
    project = record.project
    found = [*grid_problems(project.scenario.grid), *project.input_problems()]
    return [replace(each, where=f"{record.folder / RUN}, {each.where}") for each in found]


def rule_problems(project: Project, drops: Sequence[DropRecord]) -> list[Problem]:
    """Return every executed drop that breaks a rule of ``project``, found by the audit.

    The rules are the paper's (grid, grounded days, turnaround, one drop at a time) and the project's own constraints
    but for pins, which are about drops that are not there. Where a drop comes down is taken from its record, so that
    no wind is needed.
    """
    fleet, calendar, grid = project.planned_fleet, project.calendar, project.scenario.grid
    columns = {tail.name: tail.index for tail in fleet.tails}
    executed, found = [], []
    for drop in drops:
        if not drop.executed:
            continue
        where = f"{drop.aircraft}, step {drop.step}"
        if columns.get(drop.aircraft) != drop.column:
            found.append(Problem(where, "is not a drop of the fleet that the plan was made for", _REMEDY))
        elif not 0 <= drop.step < calendar.n_steps:
            found.append(Problem(where, f"lies outside the plan of {calendar.n_steps} steps", _REMEDY))
        else:
            executed.append(drop)
    released = _schedule(project, executed, landing=False)
    landed = _schedule(project, executed, landing=True)
    pairs = sorted((drop.step, drop.column) for drop in executed)
    calm = np.broadcast_to(np.float32(0.0), (calendar.days, *grid.shape))
    conditions = Conditions(project.operations, calendar, grid, calm, calm, project.burning_centres)
    airborne = replace(conditions, operations=replace(project.operations, no_drop_zones=(), pinned=()))

    def day_name(day: int) -> str:
        return calendar.date_text(day) if calendar.is_dated else f"day {day + 1}"

    report = audit(released, fleet, calendar.steps_per_day, grid.shape, pairs, day_name, airborne)
    into_zones = zone_violations(landed, pairs, fleet.tails, conditions)
    return found + [Problem("plan", sentence, _REMEDY) for sentence in (*report.violations, *into_zones)]


def _schedule(project: Project, drops: Sequence[DropRecord], *, landing: bool) -> Schedule:
    """Return the drops as a schedule, at their release points or where they come down."""
    schedule = Schedule.empty(project.calendar.n_steps, project.planned_fleet.n_aircraft)
    for drop in drops:
        place = (drop.landing_y, drop.landing_x) if landing else (drop.y, drop.x)
        schedule.logits[drop.step, drop.column] = LISTED_LOGIT
        schedule.poses[drop.step, drop.column] = *place, drop.theta
    return schedule


def _fire(record: RunRecord, name: str) -> Occupancy | None:
    """Return one band a day of a raster that the run wrote, or ``None`` where it wrote none."""
    states = None if name in record.without else day_states(record, name)
    return None if states is None else Occupancy(*states)


def _with_start(fire: Occupancy | None, project: Project, kept: FireRecord | None) -> Occupancy | None:
    """Return the fire after the state at its start, in which everything observed burns for certain."""
    start, day = project.scenario.fire_on(project.plan.start_day), 0
    if kept is not None:
        start, day = kept.plan.state(0).fire, kept.plan.first
    if fire is None or fire.first != day + 1 or start is None:
        return fire
    return Occupancy(np.concatenate([start[None].astype(np.float32), fire.days]), day)


def _project(record: RunRecord) -> tuple[Project, list[str], tuple[str, ...]]:
    """Return the run's project, notes on it, and what changed since.

    It has its layers, and the frequencies and hazards of now, if it is still there unchanged.
    """
    header, small = record.header, record.project
    where = header.project_folder
    if not where:
        return small, [], ()
    try:
        now = load_project(Path(where))
    except InputError:
        return (
            small,
            [f"the run's project is no longer readable at {where}: no layers or perimeters of it are in here"],
            (),
        )
    whole = header.project.on(now)
    if event_hash(whole) != header.event_hash:
        note = f"the project at {where} has another event or fire model by now: nothing of it is in here"
        return small, [note], changes_text(None, now)
    # Crews need the frequencies and hazards of today. The plan does not depend on them.
    return whole.with_notes_of(now), [], changes_text(whole, now)


def _attempt(problems: Problems, read: Callable[[], T]) -> T | None:
    """Return the result of ``read``, or ``None`` with its problems noted."""
    try:
        return read()
    except InputError as error:
        problems.extend(error.problems)
        return None
