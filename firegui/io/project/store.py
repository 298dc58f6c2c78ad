"""The project folder ``NAME.firegui/``: ``project.toml``, the arrays beside it, and the runs.

::

    project.toml      format = 22; everything people can edit; the list of layer files with their hashes
    layers/*.tif      landscape, wind (one band a day), ignition, observed perimeters (one band a date);
                      where it is known, wind by the periods of a day on blocks of cells (one band a period)
    maps.npz          imported fire maps, if there are any
    fire-*.safetensors  the weights of the network fire model, if that is the project's
    values-*.tif      values at risk, one file a layer
    runs/*            one folder per run
    calibrations/*    weights calibrated for it, and what an interrupted calibration goes on from

The arrays never change once written; edits replace ``project.toml`` in one step. Other weights are another file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.fleet import OF_BASES, PRICES
from firegui.domain.physical import CROWN_SETTINGS, MOVING_START, STEADY_FRONT
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.settings import BurningAtStart, RemovalOrder, SearchMethod
from firegui.domain.spread_factors import FACTORS
from firegui.domain.values import ValueLayer
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problem, Problems
from firegui.io import toml
from firegui.io.atomic import new_folder, write_text
from firegui.io.paths import PROJECT_FILE
from firegui.io.project.layers import (
    PERIOD_WIND,
    arrays_of,
    check_files,
    contents_of,
    kept_weights,
    read_layers,
    read_project_weights,
    read_weather,
    remove_weights,
    steps_problems,
    weights_content,
    write_layers,
    write_project_weights,
)
from firegui.io.project.migrations import CURRENT_FORMAT, migrate
from firegui.io.project.text import ArrayFile, ProjectText, listed_layers, read_text, to_tables
from firegui.io.project.values_file import read_values, remove_values, write_values
from firegui.io.source_files import file_problem, outside_problem
from firegui.io.toml import dumps

RUNS = "runs"
"""Folder of a project's results."""
# What says of a folder that it holds the result of an analysis; a plan has none of them.
_NO_PLANS = ("sensitivity.toml", "stress.toml", "margin.toml", "ensemble.toml", "benchmark.toml", "study.toml")
_HEADER = "# A firegui project. Everything here can be edited by hand, except [layers] and [weights].\n\n"
_STORED = ("wind_speed", "wind_dir", "ignition", "observed", *PERIOD_WIND)
# What people read but no run depends on.
_UNHASHED_EVENT = ("name", "notes", "markers", "synthetic", "weather_end")
_UNHASHED_AIRCRAFT = ("type", "provenance", "price_source")


class ProjectExistsError(InputError):
    """The folder holds a project of the same event, whose regions, fleet and plan would be lost."""


def save_project(project: Project, folder: Path, *, replacing: bool = False) -> None:
    """Save ``project``: all of it into a new (or empty) folder, or its edits into the folder it came from.

    ``replacing`` says that it came from ``folder``, or that the project there may be lost. Either way the folder
    afterwards holds the old state or the new one, nothing between. Raises :class:`~firegui.errors.InputError` when the
    folder holds something else, another event, or cannot be written, and :class:`ProjectExistsError` when it holds a
    project of the same event that is not to be replaced.
    """
    if folder.exists() and not _is_empty_folder(folder):
        held = _same_event_in(folder, project)
        if not replacing:
            problem = Problem(str(folder), "already holds a project of this event", "save under another name")
            raise ProjectExistsError([problem], f"Nothing was written to {folder}")
        _save_edits(project, folder, held)
        return
    with new_folder(folder) as temporary:
        layers = write_layers(project, temporary)
        weights, values = write_project_weights(project, temporary), write_values(project, temporary)
        write_text(temporary / PROJECT_FILE, _text(project, layers, weights, values))


def _save_edits(project: Project, folder: Path, held: ProjectText) -> None:
    weights, before = write_project_weights(project, folder), {row.file.file for row in held.values}
    values: list[dict[str, Any]] = []
    try:
        values = write_values(project, folder)
        write_text(folder / PROJECT_FILE, _text(project, held.layers, weights, values))
    except BaseException:
        remove_weights(folder, weights, kept=held.weights)
        remove_values(folder, {row["file"] for row in values}, kept=before)
        raise
    remove_weights(folder, held.weights, kept=weights)
    remove_values(folder, before, kept={row["file"] for row in values})


def load_project(folder: Path, saved: Project | None = None) -> Project:
    """Read a project back, equal to the one saved and its arrays bit for bit.

    ``saved`` is what was just saved there: copies of its arrays spare reading the files. Raises
    :class:`~firegui.errors.InputError` listing every problem of a damaged or newer project.
    """
    problems = Problems()
    title = f"The project {folder.name} cannot be opened"
    table = _read_table(folder, problems)
    text = None if table is None else read_text(table)
    if table is not None and text is None:
        # What is wrong with the text must not hide what is wrong with the files beside it.
        check_files(folder, listed_layers(table), problems)
    if text is None:
        raise InputError(problems, title)
    known = {} if saved is None else {key: array.copy() for key, array in arrays_of(saved.scenario).items()}
    arrays, maps = read_layers(folder, text.layers, text.event, problems, known)
    if text.fire_model.kind == "maps" and "maps" not in text.layers:
        problems.add("layers", "the fire model is imported maps, but maps.npz is not listed", "import the maps again")
    if text.fire_model.kind == "maps" and maps is not None:
        problems.extend(steps_problems(maps, text.event))
    weights = read_project_weights(folder, text.weights, problems)
    values = read_values([folder], text.values, text.event.grid.shape, problems)
    if text.fire_model.kind == "network" and text.weights is None:
        remedy = "restore the folder from a copy, or import the event again"
        problems.add(PROJECT_FILE, "the fire model is the network, but its weights are not listed", remedy)
    problems.raise_if_any(title)
    event = text.event
    weather = read_weather(event, arrays, problems)
    problems.raise_if_any(title)
    scenario = Scenario(
        name=event.name,
        grid=event.grid,
        start=event.start,
        utc_offset_h=event.utc_offset_h,
        wind_speed=arrays["wind_speed"],
        wind_dir=arrays["wind_dir"],
        layers={key: array for key, array in arrays.items() if key not in _STORED},
        ignition=arrays.get("ignition"),
        observed=arrays.get("observed"),
        observed_dates=event.observed_dates,
        steps_per_day=event.steps_per_day,
        notes=event.notes,
        synthetic=event.synthetic,
        weather=weather,
        weather_end=event.weather_end,
        markers=event.markers,
    )
    return Project(
        scenario, text.fleet, text.grounded, text.regions, text.plan, text.fire_model, maps, weights, text.operations,
        text.coverage, text.stress, values, barriers=text.barriers,
    )  # fmt: skip


def write_edits(project: Project, base: Path, folder: Path) -> None:
    """Write into ``folder`` what an edited ``project`` has beyond the event that is kept in ``base``.

    That is another ``project.toml``, which names the arrays in ``base``, and weights and values that are not kept
    there; nothing is written to ``base``. Raises :class:`~firegui.errors.InputError` where ``base`` cannot be read or
    ``folder`` not be written.
    """
    problems = Problems()
    held = _read_project_file(base, problems)
    if held is None:
        raise InputError(problems, f"The edits of {base.name} were not kept")
    weights = project.weights
    there = base if weights is None or kept_weights(base, weights) is not None else folder
    values = write_values(project, folder, base)
    text = _text(project, held.layers, write_project_weights(project, there), values)
    if not _reads_as(folder, text):
        write_text(folder / PROJECT_FILE, text)


def read_edits(saved: Project, base: Path, folder: Path) -> Project:
    """Return ``saved``, read from ``base``, with the edits that :func:`write_edits` kept in ``folder``.

    Raises :class:`~firegui.errors.InputError` for damaged edits.
    """
    problems = Problems()
    text = _read_project_file(folder, problems)
    weights: NetworkWeights | None = None
    values: tuple[ValueLayer, ...] = ()
    if text is not None:
        values = read_values([folder, base], text.values, saved.scenario.grid.shape, problems)
        of_edits = text.weights is not None and (folder / text.weights.file).is_file()
        weights = read_project_weights(folder if of_edits else base, text.weights, problems)
    if text is None or problems:
        raise InputError(problems, "The unsaved edits cannot be read")
    steps = text.event.steps_per_day
    return replace(
        saved.with_steps_per_day(steps), fleet=text.fleet, grounded=text.grounded, regions=text.regions, plan=text.plan,
        fire_model=text.fire_model, weights=weights, operations=text.operations, coverage=text.coverage,
        stress=text.stress, values=values, barriers=text.barriers,
    )  # fmt: skip


def reload_edits(project: Project, folder: Path) -> Project:
    """Return ``project``, which was opened from ``folder``, with the edits that were saved there since.

    Raises :class:`~firegui.errors.InputError` where the folder holds another event or is damaged.
    """
    _same_event_in(folder, project)
    return read_edits(project, folder, folder)


def saved_state(folder: Path) -> str:
    """Return the hash of the text of the project in ``folder``; empty without a project.

    It changes whenever the project is saved with edits.
    """
    path = folder / PROJECT_FILE
    # A pipe would be waited for without end.
    if file_problem(path) is not None:
        return ""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def holds_edits(base: Path, folder: Path) -> bool:
    """Return whether the edits in ``folder`` differ from what is saved in ``base``.

    :func:`write_edits` wrote them.
    """
    try:
        return not _reads_as(base, (folder / PROJECT_FILE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return False


def list_runs(folder: Path) -> list[Path]:
    """Return the folders of a project's plans, by name.

    Hidden ones are still being written. Other results and links that lead out of the project are left out.
    """
    runs = result_folders(folder, RUNS)
    return sorted(entry for entry in runs if not any((entry / name).is_file() for name in _NO_PLANS))


def result_folders(folder: Path, directory: str) -> list[Path]:
    """Return the folders in ``directory`` of a project.

    Hidden ones and links that lead out of the project are left out.
    """
    parent = folder / directory
    if not parent.is_dir() or outside_problem(parent, folder) is not None:
        return []
    found = (entry for entry in parent.iterdir() if entry.is_dir() and entry.name[0] != ".")
    return [entry for entry in found if not entry.is_symlink() or outside_problem(entry, folder) is None]


def project_hash(project: Project) -> str:
    """Return SHA-256 of everything a run depends on.

    Arrays, grid, times, fleet, calendar, regions, plan, fire model. Names, notes and provenance are left out; saving
    and loading does not change it.
    """
    tables = to_tables(project)
    tables["event"] = {key: value for key, value in tables["event"].items() if key not in _UNHASHED_EVENT}
    tables.pop("currency")
    unhashed = {*_UNHASHED_AIRCRAFT, *(() if project.plan.counts_cost else PRICES)}
    # What no base serves flies at no cruise speed.
    unhashed |= set() if project.operations.serves(project.fleet) else set(OF_BASES)
    tables["fleet"] = [{k: v for k, v in row.items() if k not in unhashed} for row in tables["fleet"]]
    plan = tables["plan"]
    if not project.plan.weights.cost:
        plan["weights"].pop("cost")  # as it was before cost could count
    if project.plan.elimination.order is RemovalOrder.EFFECT:
        plan["elimination"].pop("order")  # as it was before there was a choice
    notes = {"frequency", "hazards"}  # printed for the crews; no run depends on them
    tables["operations"] = {key: value for key, value in tables["operations"].items() if key not in notes}
    tables["fire_model"] = {key: value for key, value in tables["fire_model"].items() if key != "label"}
    if project.fire_model.kind == "physical":
        physical, parameters = project.physical, tables["fire_model"]["parameters"]
        # As it was before crowns could burn, before there were factors, before a front could be in motion at first, and
        # before gains were fitted to it.
        unused = {*(() if physical.crown_fire else CROWN_SETTINGS), *(() if physical.factors.are_set else FACTORS)}
        unused |= set() if physical.moving_start else {MOVING_START}
        unused |= set() if physical.steady_front else {STEADY_FRONT}
        tables["fire_model"]["parameters"] = {key: value for key, value in parameters.items() if key not in unused}
    tables["grounded"] = {key: sorted(set(days)) for key, days in tables["grounded"].items() if days}
    tables["layers"] = contents_of(project)
    # Only the number counts, and the paper's is left out, as it was before projects had one of their own.
    tables.pop("coverage")
    # Runs that depend on the stress set or the margin compare them by themselves.
    tables.pop("stress")
    tables["plan"].pop("margin")
    tables["values"] = [{k: v for k, v in row.items() if k != "source"} for row in tables.pop("values", [])]
    # Names and kinds of barriers are for people.
    if "barrier" in tables:
        tables["barrier"] = [{k: v for k, v in row.items() if k not in ("name", "kind")} for row in tables["barrier"]]
    # As it was before there were values at risk.
    if not project.values:
        tables.pop("values")
    if project.plan.weights.val == 0.0:
        tables["plan"]["weights"].pop("val")
    if not project.plan.drops_fail_in_flames:
        tables["plan"].pop("drops_fail_in_flames")  # as it was before drops could fail
        tables["plan"].pop("flame_limit_m")  # marks drops and changes no number
    if project.plan.optimizer.search is not SearchMethod.FAST:
        tables["plan"]["optimizer"].pop("search")  # as it was before there was a choice
    if project.plan.burning_at_start is BurningAtStart.WHOLE:
        tables["plan"].pop("burning_at_start")  # as it was before there was a choice
    if project.coverage.c_req != PAPER_COVERAGE and project.fire_model.kind != "maps":
        tables["c_req"] = float(project.coverage.c_req)
    if project.weights is not None:
        tables["weights"] = weights_content(project.weights)
    canonical = json.dumps(tables, sort_keys=True, separators=(",", ":"), default=_plain_date)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain_date(value: Any) -> str:
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    raise TypeError(f"{value!r} is not a plain value")


def _text(
    project: Project, layers: Mapping[str, ArrayFile], weights: ArrayFile | None, values: list[dict[str, Any]]
) -> str:
    tables = to_tables(project) | {"layers": {key: asdict(file) for key, file in layers.items()}}
    tables |= {} if weights is None else {"weights": asdict(weights)}
    tables |= {"values": values} if values else {}
    return _HEADER + dumps({"format": CURRENT_FORMAT, **tables})


def _reads_as(folder: Path, text: str) -> bool:
    """Return whether the ``project.toml`` in ``folder`` reads exactly so."""
    try:
        return (folder / PROJECT_FILE).read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False


def _is_empty_folder(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _same_event_in(folder: Path, project: Project) -> ProjectText:
    """Return what the project already in ``folder`` says, once it is certain that its event is this one."""
    title = f"Nothing was written to {folder}"
    if not (folder / PROJECT_FILE).is_file():
        remedy = "choose another name; existing files are never overwritten"
        raise InputError([Problem(str(folder), "exists and is not a firegui project", remedy)], title)
    problems = Problems()
    text = _read_project_file(folder, problems)
    if text is None:
        raise InputError(
            [*problems, Problem(str(folder), "its project.toml is damaged", "save under another name")], title
        )
    stored = {key: file.content for key, file in text.layers.items()}
    if stored != contents_of(project):
        raise InputError([Problem(str(folder), "already holds another event", "save under another name")], title)
    return text


def _read_project_file(folder: Path, problems: Problems) -> ProjectText | None:
    table = _read_table(folder, problems)
    return None if table is None else read_text(table)


def _read_table(folder: Path, problems: Problems) -> toml.Table | None:
    path = folder / PROJECT_FILE
    if not path.is_file():
        what = "is not a firegui project (it has no project.toml)" if folder.is_dir() else "the project does not exist"
        if folder.is_file():
            what = "is a file, not the folder of a project"
        elif os.path.lexists(path):
            what = f"is not a firegui project (its {PROJECT_FILE} is not a file that can be read)"
        problems.add(str(folder), what, "choose a folder such as NAME.firegui")
        return None
    outside = outside_problem(path, folder)
    if outside is not None:
        problems.extend([outside])
        return None
    raw = toml.read_toml(path, problems)
    if raw is None or not _is_readable_format(raw, problems):
        return None
    table = toml.Table(migrate(raw), PROJECT_FILE, problems)
    table.raw("format")
    return table


def _is_readable_format(raw: Mapping[str, Any], problems: Problems) -> bool:
    number = raw.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        problems.add(
            PROJECT_FILE, f"format is {number!r}", f"the first line of a project reads format = {CURRENT_FORMAT}"
        )
        return False
    if number > CURRENT_FORMAT:
        what = f"was made by a newer firegui (format {number}; this one reads up to {CURRENT_FORMAT})"
        problems.add(PROJECT_FILE, what, "update firegui")
        return False
    return True
