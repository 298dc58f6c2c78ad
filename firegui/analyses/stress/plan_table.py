"""The stress table that a run keeps of its plan, and what later stress tests of that plan add."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.stress import StressTable
from firegui.errors import InputError
from firegui.runs.header import event_hash, schedule_hash
from firegui.runs.leaks import LeakMaps, read_leaks, with_mean, write_leaks
from firegui.runs.lock import FolderLock
from firegui.runs.run_folder import LEAK, RUN, RunFolder, kept_plan, kept_schedule, read_run
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import StressSpec
from firegui.runs.stages import RunState


def complete_plan_table(spec: StressSpec, table: StressTable, maps: LeakMaps) -> bool:
    """Add the scenarios that a run left out to its stress table; return whether the table changed.

    ``table`` is that of a complete test of ``spec``, and ``maps`` are where fire gets through in it. Only scenarios of
    the run count, with its plan on its project. A run without a table, such as one that was stopped, gets that of a
    test in all its scenarios. Raises :class:`~firegui.errors.InputError` where the run cannot be read or is being
    written.
    """
    file, project = spec.schedule_file, spec.project
    if file is None or not (file.parent / RUN).is_file() or kept_plan(file.parent) != file:
        return False
    lock = FolderLock(file.parent)
    try:
        record = read_run(file.parent)
        run, before = record.header, record.scores.stress
        # The scores of a replanned run are of the rest of a plan, on the fire that was observed.
        if run.state is not RunState.FINISHED or run.replan is not None or run.event_hash != event_hash(project):
            return False
        is_same = run.project == ProjectSnapshot.of(project) and run.project.stress.seed == spec.settings.stress.seed
        if not is_same or schedule_hash(kept_schedule(file.parent, project)) != schedule_hash(spec.schedule):
            return False
        names = {one.name for one in spec.settings.scenarios if one in run.project.stress.scenarios}
        results = tuple(one for one in table.results if one.scenario.name in names)
        left_out = tuple((name, why) for name, why in table.left_out if name in names)
        found = replace(table, results=results, left_out=left_out)
        if before is None and names != {one.name for one in run.project.stress.scenarios}:
            return False
        completed = found if before is None else before.completed_by(found)
        if completed == before:
            return False
        _complete_maps(file.parent, before, completed, maps, project)
        RunFolder(file.parent).add_scores(record, replace(record.scores, stress=completed))
        return True
    finally:
        lock.release()


def _complete_maps(
    folder: Path, before: StressTable | None, completed: StressTable, maps: LeakMaps, project: Project
) -> None:
    """Write the maps of all scenarios of the ``completed`` table; none where one of them has no map."""
    kept: LeakMaps = {}
    with suppress(InputError):
        kept = {} if before is None else read_leaks(folder, before)
    names = [one.scenario.name for one in completed.results]
    if any(name not in kept and name not in maps for name in names):
        (folder / LEAK).unlink(missing_ok=True)
        return
    write_leaks(folder, with_mean({name: kept[name] if name in kept else maps[name] for name in names}), project)
