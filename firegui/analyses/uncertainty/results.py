"""The folder of an ensemble on disk.

::

    ensemble.toml        what was asked, with what, on what, and how it ended
    ensemble.safetensors everything that going on needs, and every number of the ensemble
    ensemble.csv         one line a member
    summary.json|csv     the tables
    mean_baseline.tif, mean_plan.tif, difference.tif    mean probability of fire, one band per day boundary
    semivariogram.csv, residuals.tif    what an error model was fitted to
    *.png, *.svg         pictures

Every file is replaced whole. There is no ``run.toml``, so that nothing takes it for a plan.
"""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.analyses.uncertainty.ensemble_file import read_members
from firegui.analyses.uncertainty.summary import Summary, by_day, ensemble_csv, summary_csv, summary_values
from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.domain.grid import HECTARE_M2
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.uncertainty import ErrorFit, ErrorModel, Semivariogram, UncertaintySettings
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.exporters.geotiff import write_occupancy_tif
from firegui.io.rasters.geotiff import read_raster, write_raster
from firegui.runs.fire_specs import on_same_days, project_then, same_schedule
from firegui.runs.header import SavedHeader, event_hash
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import differences
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import EvaluateSpec, MemberOf, UncertaintySpec

HEADER, STATE = "ensemble.toml", "ensemble.safetensors"
MEMBERS, SUMMARY, TABLE = "ensemble.csv", "summary.json", "summary.csv"
VARIOGRAM, RESIDUALS = "semivariogram.csv", "residuals.tif"
MEAN_BASELINE, MEAN_PLAN, DIFFERENCE = "mean_baseline.tif", "mean_plan.tif", "difference.tif"
FIGURES = tuple(f"{name}.{kind}" for name in ("fan", "benefit", "convergence") for kind in ("png", "svg"))
TITLE = "The ensemble cannot be made"

_RESIDUAL = re.compile(r"residual z([12]), end of day (\d+)")
_REMEDY = "set it back, or make the ensemble in another folder"
_TEXTS = {
    MEAN_BASELINE: "mean P(fire) without drops",
    MEAN_PLAN: "mean P(fire) with the plan",
    DIFFERENCE: "mean P(fire) without drops less that with the plan",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsembleHeader(SavedHeader):
    """The content of ``ensemble.toml``. Its hashes, ``schedule`` included, are those of ``run.toml``.

    ``error`` is the error model that the members are drawn from, where they are; ``notes`` say what is approximate.
    """

    settings: UncertaintySettings
    error: ErrorModel | None = None
    notes: tuple[str, ...] = ()
    members_done: int = 0
    seed: int
    device: str = ""
    schedule: str = ""
    schedule_file: str = ""


STORE = ResultStore("an ensemble", HEADER, TITLE, EnsembleHeader, "make the ensemble again elsewhere")
read_header, write_header = STORE.read, STORE.write


def resume_problems(then: EnsembleHeader, spec: UncertaintySpec, schedule: str) -> list[Problem]:
    """Return what keeps ``spec`` from resuming ``then``; ``schedule`` is the hash of the schedule now.

    How a plan is searched for counts for nothing here, and there may be more members than before.
    """
    where, old, new = str(spec.out), then.project, ProjectSnapshot.of(spec.project)
    found = []
    if then.event_hash != event_hash(spec.project):
        found.append(Problem(where, "was made on another event or fire model", "give the project it was made of"))
    if old.project().planned_fleet.without_cycles != new.project().planned_fleet.without_cycles:
        found.append(Problem(where, "was made with another fleet or other grounded days", _REMEDY))
    if old.regions != new.regions:
        found.append(Problem(where, "was made with other protected regions", _REMEDY))
    if old.barriers != new.barriers:
        found.append(Problem(where, "was made with other barriers", _REMEDY))
    if old.operations.rules != new.operations.rules:
        found.append(Problem(where, "was made with other operational rules", _REMEDY))
    plan = replace(
        old.plan, optimizer=new.plan.optimizer, elimination=new.plan.elimination, margin=new.plan.margin,
        design=new.plan.design,
    )  # fmt: skip
    pairs = [*differences(plan, new.plan, all_of=True), *differences(then.settings, spec.settings)]
    for title, before, after in pairs:
        found.append(Problem(where, f"was made with {title} = {before}, now {after}", _REMEDY))
    if then.schedule != schedule:
        found.append(Problem(where, "was made of another schedule, or of none", "give its schedule again (--schedule)"))
    if spec.settings.members < then.members_done:
        done = f"has {then.members_done:,} fires, more than the {spec.settings.members:,} asked for"
        found.append(Problem(where, done, "fires can only be added"))
    return found


@dataclass(frozen=True, slots=True)
class Deterministic:
    """The same fires without chance: the mean field that a plan is made with."""

    baseline: Metrics
    plan: Metrics | None


def write_tables(
    folder: Path, header: EnsembleHeader, ensemble: Ensemble, summary: Summary, still: Deterministic
) -> None:
    """Replace ``ensemble.csv``, ``summary.csv`` and ``summary.json``."""
    regions = bool(header.project.regions)
    atomic.write_text(folder / MEMBERS, ensemble_csv(ensemble, regions=regions))
    atomic.write_text(folder / TABLE, summary_csv(summary))
    values = summary_content(header, summary, still) | {"by_day": by_day(ensemble, regions=regions)}
    atomic.write_json(folder / SUMMARY, values)


def summary_content(header: EnsembleHeader, summary: Summary, still: Deterministic) -> dict[str, Any]:
    """Return the content of ``summary.json`` and ``--json``, but for the days."""
    return {
        "event": header.project.name,
        "fire_model": header.project.fire_model.label,
        "days": header.project.plan.days,
        "nominal": asdict(header.project.plan.nominal),
        "schedule": header.schedule_file,
        "seed": header.seed,
        "error_model": None if header.error is None else asdict(header.error),
        "weather": asdict(header.settings.weather) if header.settings.kind.value == "weather" else None,
        "notes": list(header.notes),
        "deterministic": asdict(still),
        **summary_values(summary),
    }


def write_maps(folder: Path, ensemble: Ensemble, project: Project) -> None:
    """Replace the GeoTIFFs: mean probability of fire of both cases, and the first less the second."""
    fire = {MEAN_BASELINE: ensemble.fire[BASELINE]}
    if ensemble.has_plan:
        plan = ensemble.fire[PLAN]
        fire |= {MEAN_PLAN: plan, DIFFERENCE: ensemble.fire[BASELINE] - plan}
    for name, states in fire.items():
        write_occupancy_tif(folder / name, states, project, title=_TEXTS[name])


def write_fit(folder: Path, fit: ErrorFit, project: Project) -> None:
    """Replace ``semivariogram.csv`` and ``residuals.tif``: what an error model was fitted to.

    The sheet has a line a distance, in cells, with the empirical value, the fitted one and the number of pairs. The
    raster has two bands an observed day, the residual's coordinates ``z_1`` and ``z_2``, no data outside the mask.
    """
    found, error = fit.variogram, fit.error
    fitted = error.nugget + error.sill * (1.0 - np.exp(-found.distance / error.correlation_cells))
    columns = (found.distance.tolist(), found.value.tolist(), fitted.tolist(), found.pairs.tolist())
    rows = [",".join(map(repr, row)) for row in zip(*columns, strict=True)]
    atomic.write_text(folder / VARIOGRAM, "\n".join(["distance_cells,value,fitted,pairs", *rows]) + "\n")
    texts = [f"residual z{number}, end of day {day}" for day in fit.days for number in (1, 2)]
    bands = fit.residuals.reshape(-1, *fit.residuals.shape[2:])
    tags = {"EVENT": project.scenario.name, "FIRE_MODEL": project.fire_model.label, "MODE": fit.mode.value}
    write_raster(folder / RESIDUALS, bands, project.scenario.grid, descriptions=texts, tags=tags)


def residual_days(folder: Path) -> tuple[int, ...]:
    """Return the observed days, from 1 on, whose residuals are in ``folder``.

    Raises :class:`~firegui.errors.InputError` for a file that cannot be read.
    """
    path = folder / RESIDUALS
    if not path.is_file():
        return ()
    days = [_RESIDUAL.fullmatch(text) for text in read_raster(path, ()).descriptions]
    if not days or None in days:
        raise _refusal(path, "is not a file of residuals", "make the ensemble again elsewhere")
    return tuple(int(found[2]) for found in days if found is not None and found[1] == "1")


def read_residual(folder: Path, day: int) -> NDArray[np.float32]:
    """Read the residual ``Δ [2, H, W]`` of an observed day, NaN outside of the mask.

    Raises :class:`~firegui.errors.InputError` for a day that was not observed and a file that cannot be read.
    """
    days, path = residual_days(folder), folder / RESIDUALS
    if day not in days:
        raise _refusal(path, f"has no residuals of the end of day {day}", "choose another day")
    first = 2 * days.index(day) + 1
    return np.asarray(read_raster(path, (first, first + 1)).bands, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorResiduals:
    """Residuals that an error model was fitted to, at the ends of ``days``, of a ``fit`` or a ``folder``."""

    days: tuple[int, ...] = ()
    fit: ErrorFit | None = None
    folder: Path = Path()

    @staticmethod
    def in_folder(folder: Path) -> ErrorResiduals:
        """Return those of a saved ensemble, none where there are none that can be read."""
        with suppress(InputError):
            return ErrorResiduals(residual_days(folder), folder=folder)
        return ErrorResiduals()

    def of(self, day: int) -> NDArray[np.float32]:
        """Return ``Δ [2, H, W]`` in ILR coordinates, NaN outside of the mask. Raises :class:`InputError`."""
        if self.fit is not None:
            return np.asarray(self.fit.residuals[self.fit.days.index(day)], np.float32)
        return read_residual(self.folder, day)


def read_variogram(folder: Path) -> Semivariogram | None:
    """Return the points that an error model was fitted to, ``None`` where there are none that can be read."""
    try:
        with (folder / VARIOGRAM).open(encoding="utf-8", newline="") as lines:
            rows = [
                (float(row["distance_cells"]), float(row["value"]), int(float(row["pairs"])))
                for row in csv.DictReader(lines)
            ]
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, csv.Error):
        return None
    distance, value, pairs = zip(*rows, strict=True) if rows else ((), (), ())
    return Semivariogram(np.array(distance, float), np.array(value, float), np.array(pairs, np.int64))


def read_ensemble(folder: Path) -> tuple[EnsembleHeader, Ensemble]:
    """Read a saved ensemble with what it was made of, to be looked at again.

    Raises :class:`~firegui.errors.InputError` where there is none that can be read, or no member of it is done.
    """
    header = read_header(folder)
    state, weather = read_members(folder / STATE)
    if not state.members:
        raise _refusal(folder, "holds no fire yet", "resume it (--resume)")
    grid, settings = header.project.grid, header.settings
    area = grid.cell_size_m**2 / HECTARE_M2
    return header, state.ensemble(settings.kind, grid.shape, area, settings.members, weather)


def _refusal(path: Path, what: str, remedy: str) -> InputError:
    return InputError([Problem(str(path), what, remedy)], TITLE)


# -- on the map -------------------------------------------------------------------------------------------------------
def ensemble_project(header: EnsembleHeader, project: Project) -> Project:
    """Return the project as the ensemble had it."""
    return project_then(header, project, "ensemble", "made", "make it again")


def ensemble_project_on_same_days(header: EnsembleHeader, project: Project) -> Project:
    """Return the project as the ensemble had it, with the days of ``project`` and thus the right dates."""
    return on_same_days(ensemble_project(header, project), project, "ensemble")


def member_spec(header: EnsembleHeader, number: int, project: Project, backend: str) -> EvaluateSpec:
    """Return the spec of both fires of a member. The schedule must be where it was, and the same."""
    project = ensemble_project_on_same_days(header, project)
    schedule = None
    if header.schedule:
        schedule = same_schedule(header.schedule_file, header.schedule, project, "ensemble")
    # A smaller ensemble has the same members; one that was raised later has more than its settings may say.
    settings = replace(header.settings, members=max(header.settings.members, number + 1))
    return EvaluateSpec(project, schedule, backend=backend, member=MemberOf(number, settings, header.error))
