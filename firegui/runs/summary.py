"""Summary of a run's plan: kept in its folder, else computed from the other files of an older run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firegui.domain.model_range import outside_text
from firegui.domain.plan_summary import (
    PlanSummary,
    boundary_areas,
    plan_summary,
    start_area,
    value_summaries,
    with_regions,
)
from firegui.domain.project import Project
from firegui.domain.stress import missed_text, verdict_text
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.daylight import night_steps
from firegui.io.source_files import outside_problem
from firegui.runs.engine import LazyPackage
from firegui.runs.kept_fire import kind_of_fire
from firegui.runs.run_folder import (
    BASELINE,
    DROPS,
    OCCUPANCY,
    SUMMARY,
    RunRecord,
    read_drops,
    read_json,
    read_run,
)

# Reading a summary must not wait for what only reading rasters needs.
if TYPE_CHECKING:
    import firegui.io.rasters.geotiff
    import firegui.io.rasters.masks
else:
    firegui = LazyPackage("firegui")


def saved_summary(record: RunRecord) -> PlanSummary | None:
    """Return the summary that a run keeps, with its stress table; ``None`` without one.

    Raises :class:`~firegui.errors.InputError` for a file that cannot be read.
    """
    found: PlanSummary | None = read_json(record.folder / SUMMARY, PlanSummary | None, None)
    if found is None:
        return None
    # The summary is written before the stress test, and runs of earlier versions do not keep what is outside.
    stress, project = record.scores.stress, record.project
    missed = missed_text(stress, project.plan)
    cell_ha = project.scenario.grid.cell_area_ha
    verdict = verdict_text(stress, project.plan, cell_ha)
    start_ha = found.start_ha
    if start_ha is None and stress is not None:
        start_ha = stress.nominal.start_cells * cell_ha
    return replace(
        found, stress=stress, outside=outside_text(project), missed=missed, verdict=verdict, start_ha=start_ha
    )


def run_summary(record: RunRecord) -> PlanSummary | None:
    """Return the summary that a run keeps, else one from its files; ``None`` without a finished plan.

    A summary that was saved before summaries had regions gets them. Raises :class:`~firegui.errors.InputError` for a
    file that cannot be read.
    """
    found = saved_summary(record)
    if found is None:
        return _computed(record) if (record.folder / DROPS).is_file() else None
    if len(found.regions) == len(record.project.regions):
        return found
    return _with_regions(found, record.project, [day_states(record, name) for name in (OCCUPANCY, BASELINE)])


def write_summary(folder: Path, project: Project, flames: Mapping[tuple[int, int], float] | None) -> None:
    """Write the summary of the plan in ``folder``, whose drops and fires were written before.

    ``project`` is that of the run with its rasters, which have the fire at the start. ``flames`` are the flame lengths
    where the drops land.
    """
    atomic.write_json(folder / SUMMARY, replace(_computed(read_run(folder), flames), start_ha=start_area(project)))


def day_states(record: RunRecord, name: str) -> tuple[NDArray[np.float32], int] | None:
    """Return a raster of a run with one band a day, and the day boundary of its first band.

    ``None`` where the run wrote none. Raises :class:`~firegui.errors.InputError` for one of another grid.
    """
    path = record.folder / name
    if not path.is_file():
        return None
    outside = outside_problem(path, record.folder)
    if outside is not None:
        raise InputError([outside])
    raster, shape = firegui.io.rasters.geotiff.read_raster(path), record.project.scenario.grid.shape
    if raster.bands.shape[1:] != shape or not np.issubdtype(raster.bands.dtype, np.floating):
        what = f"has {raster.bands.shape[1]} × {raster.bands.shape[2]} cells, and the run {shape[0]} × {shape[1]}"
        raise InputError([Problem(str(path), what, "restore the file or run again elsewhere")])
    # The last band is the end of the plan; a replanned run has the days from its own first on.
    return np.asarray(raster.bands, np.float32), record.project.plan.days + 1 - len(raster.bands)


def _computed(record: RunRecord, flames: Mapping[tuple[int, int], float] | None = None) -> PlanSummary:
    project, scores = record.project, record.scores
    fires = [day_states(record, name) for name in (OCCUPANCY, BASELINE)]
    plan, baseline = ({} if states is None else boundary_areas(*states, project) for states in fires)
    fire = kind_of_fire(record.folder, record.header)
    drops, night = read_drops(record.folder), night_steps(project)
    found = plan_summary(project, drops, night, plan, baseline, fire=fire, stress=scores.stress, flames=flames)
    # Old runs saved no fire without drops, but its size.
    if found.final_ha_no_drops is None and scores.baseline is not None:
        found = replace(found, final_ha_no_drops=scores.baseline.final_extent_ha)
    if found.final_ha is None and scores.nominal is not None:
        found = replace(found, final_ha=scores.nominal.final_extent_ha)
    lost = [() if metrics is None else metrics.value_lost for metrics in (scores.nominal, scores.baseline)]
    return replace(_with_regions(found, project, fires), values=value_summaries(project, *lost))


def _with_regions(
    summary: PlanSummary, project: Project, fires: Sequence[tuple[NDArray[np.float32], int] | None]
) -> PlanSummary:
    if not project.regions:
        return summary
    masks = firegui.io.rasters.masks.region_masks(project.regions, project.scenario.grid.shape)
    plan, baseline = (None if states is None else states[0][-1] for states in fires)
    return with_regions(summary, project, masks, plan, baseline)
