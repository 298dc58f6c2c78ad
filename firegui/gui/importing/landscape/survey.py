"""Answers given in the wizard, and the facts found in the files that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtGui import QPainterPath, QPolygonF, QTransform

from firegui.domain.coverage import RequiredCoverage, fuel_cells
from firegui.domain.project import Project
from firegui.domain.relief import hillshade_codes
from firegui.domain.scenario import LAYERS, UNKNOWN_START
from firegui.domain.units import Units
from firegui.domain.weather import WeatherEnd
from firegui.errors import Check, Problem, Problems
from firegui.fire.first_project import first_project
from firegui.fire.project_notes import short_weather_text
from firegui.gui.map.items import mask_path
from firegui.gui.widgets.coverage_form import CoverageChoice, chosen_coverage
from firegui.io.georeference import Georeference
from firegui.io.importers.folder import recognise
from firegui.io.importers.georeferencing import GridPlacement
from firegui.io.importers.landscape import import_landscape, perimeters_of
from firegui.io.importers.landscape_source import LandscapeSource
from firegui.io.importers.landscape_survey import Survey, survey_landscape
from firegui.io.importers.observations import Observed, observe
from firegui.io.project.scenario_toml import shipped_table
from firegui.io.vectors.perimeter_survey import PerimeterSurvey, survey_perimeters
from firegui.io.vectors.perimeters import PerimeterSource
from firegui.io.weather.daily import WindFields
from firegui.io.weather.wind import read_wind


@dataclass(frozen=True, slots=True)
class ImportAnswers:
    """Source of the import, its required coverage, and the folder of the project.

    ``folder`` ``None`` leaves the folder to the first save. ``guessed`` lists what was recognised from names and
    contents of files, ``unreadable`` the files that are left out because they cannot be read.
    """

    source: LandscapeSource = field(default_factory=LandscapeSource)
    coverage: CoverageChoice = field(default_factory=CoverageChoice)
    folder: Path | None = None
    guessed: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


class ImportDraft(QObject):
    """Holder of the :class:`ImportAnswers` that the steps change."""

    changed = Signal()
    """The answers changed."""

    def __init__(self, parent: QObject | None = None, units: Units = Units.METRIC) -> None:
        super().__init__(parent)
        self.units = units
        self._answers = ImportAnswers()

    @property
    def answers(self) -> ImportAnswers:
        """All answers."""
        return self._answers

    @property
    def source(self) -> LandscapeSource:
        """Source of the event."""
        return self._answers.source

    def change(self, **fields: Any) -> None:
        """Replace fields of the source, such as ``layers`` or ``days``."""
        self.answer(source=replace(self.source, **fields))

    def answer(self, **fields: Any) -> None:
        """Replace answers; emits :attr:`changed` only for a difference."""
        changed = replace(self._answers, **fields)
        if changed != self._answers:
            self._answers = changed
            self.changed.emit()


def recognise_files(answers: ImportAnswers, paths: Sequence[Path], check: Check) -> ImportAnswers:
    """Return the answers with the recognised contents of ``paths``: one folder or some files.

    A folder replaces all former files; files are added to them. ``check`` may raise to cancel. Raises
    :class:`~firegui.errors.InputError` if nothing is recognised.
    """
    folder = len(paths) == 1 and paths[0].is_dir()
    found = recognise(paths[0] if folder else tuple(paths), check)
    new = found.source
    if isinstance(new.ignition, Path) and new.perimeters is None:
        # An ignition file is shown in the field of the perimeters, unless there are both.
        new = replace(new, perimeters=PerimeterSource(new.ignition), ignition=None)
    source = answers.source.replaced_by(new) if folder else answers.source.joined_with(new)
    guessed = found.notes if folder else tuple(dict.fromkeys((*answers.guessed, *found.notes)))
    unreadable = tuple(dict.fromkeys((*(() if folder else answers.unreadable), *found.unreadable)))
    return replace(answers, source=source, guessed=guessed, unreadable=unreadable)


@dataclass(frozen=True, slots=True, eq=False)
class DatedOutline:
    """Perimeter in corner coordinates of the preview; ``label`` is its date."""

    label: str
    hectares: float
    path: QPainterPath


ASK_DATE = (
    "The date of the fire is not known. Enter when day 0 begins, on the page Weather. Without it the project says date "
    "unknown, and has no sunrise, no daylight rule and no magnetic north."
)


@dataclass(frozen=True, slots=True, eq=False)
class SurveyResult:
    """Facts found in the files of ``answers``.

    ``winds`` are daily maps on the preview's grid. ``shade [h, w]`` are the codes of the relief. ``required [h, w]`` is
    the required coverage in gal/100 ft², 0 for none. ``extents`` are the outlines of the files. ``fires`` are the
    perimeters, oldest first. ``pin`` is the cell of an ignition. Unknown facts are ``None`` or empty.
    """

    answers: ImportAnswers
    survey: Survey
    fire: PerimeterSurvey | None
    winds: WindFields | None
    shade: NDArray[np.uint8] | None
    required: NDArray[np.float32] | None
    coverage: RequiredCoverage
    extents: tuple[QPainterPath, ...]
    fires: tuple[DatedOutline, ...]
    pin: tuple[int, int] | None
    problems: tuple[Problem, ...]

    @property
    def first_date(self) -> date | None:
        """The local date of day 0, if known."""
        start = self.survey.start
        if start is None or start == UNKNOWN_START:
            return None
        return (start + timedelta(hours=self.survey.utc_offset_h)).date()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes the import less usable, though possible: no date, short weather, missing layers."""
        undated = self.survey.start is not None and self.first_date is None
        present = {fact.key for fact in self.survey.layers}
        missing = [title.lower() for key, (title, _) in LAYERS.items() if key not in present]
        lacking = f"Layers are missing, and the fire model does without them: {', '.join(missing)}."
        ends = self._short_weather()
        facts = (
            *((ASK_DATE,) if undated else ()),
            *((ends,) if ends else ()),
            *((lacking,) if missing and present else ()),
        )
        return (*self.answers.unreadable, *facts)

    def _short_weather(self) -> str:
        start, files = self.survey.start, self.answers.source.wind.files
        if start is None or self.winds is None or self.winds.until is None:
            return ""
        end = WeatherEnd(files[0].name, self.winds.until)
        return short_weather_text(end, start, self.survey.utc_offset_h, 0, self.survey.days)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what was guessed, assumed, converted or is missing."""
        winds = () if self.winds is None else self.winds.notes
        return tuple(dict.fromkeys((*self.survey.notes, *winds, *self.answers.guessed)))

    @property
    def fire_text(self) -> str:
        """Short text on the fire."""
        if self.fires and not (self.fire is not None and self.fire.ignition):
            return f"{len(self.fires)} perimeters" if len(self.fires) > 1 else "1 perimeter"
        if self.fires or self.pin is not None or self.survey.burning is not None:
            return "a start without observed perimeters"
        return "none yet: without one there is nothing to plan for"

    def lonlat(self, row: float, column: float) -> tuple[float, float] | None:
        """Return longitude and latitude of a point in corner coordinates of the preview."""
        grid = self.survey.preview_grid
        return None if grid is None else Georeference(grid).lonlat(row - 0.5, column - 0.5)


def survey_files(answers: ImportAnswers, former: SurveyResult | None, check: Check) -> SurveyResult:
    """Read everything that ``answers`` name; the result holds the problems.

    Facts of ``former`` are reused if the files are the same. ``check`` may raise to cancel.
    """
    source = answers.source
    if former is not None and former.answers.source == source:
        return _with_coverage(replace(former, answers=answers))
    survey = survey_landscape(source, check)
    check()
    problems = Problems()
    problems.extend(survey.problems)
    winds = _winds(answers, survey, problems, check)
    check()
    fire = None if source.perimeters is None else survey_perimeters(source.perimeters, survey.grid)
    seen = _observed(answers, survey, check)
    check()
    return _with_coverage(
        SurveyResult(
            answers, survey, fire, winds, _shade(survey), None, RequiredCoverage(), _extents(survey),
            _outlines(seen, survey), _pin(answers, survey), tuple(dict.fromkeys(problems)),
        )
    )  # fmt: skip


def _with_coverage(survey_result: SurveyResult) -> SurveyResult:
    """Return the result with the required coverage of its answers."""
    coverage = chosen_coverage(survey_result.answers.coverage, survey_result.survey.fuel_cells, shipped_table())
    return replace(survey_result, coverage=coverage, required=_required(survey_result.survey, coverage))


def _winds(answers: ImportAnswers, survey: Survey, problems: Problems, check: Check) -> WindFields | None:
    wind, grid = answers.source.wind, survey.preview_grid
    if not wind.is_given or grid is None or survey.start is None or survey.wind.problems:
        return None
    return read_wind(wind, grid, survey.start, survey.utc_offset_h, survey.days, problems, check)


def _observed(answers: ImportAnswers, survey: Survey, check: Check) -> Observed | None:
    """Return the perimeters on the event's grid; the coarser grid of the preview would lose a small fire."""
    if survey.grid is None:
        return None
    place = GridPlacement(survey.grid, ())
    perimeters = perimeters_of(answers.source, place)
    # The survey has already reported the problems of the perimeters.
    return None if perimeters is None else observe(perimeters, place, Problems(), check)


def _outlines(seen: Observed | None, survey: Survey) -> tuple[DatedOutline, ...]:
    grid, coarse = survey.grid, survey.preview_grid
    if seen is None or grid is None or coarse is None:
        return ()
    step = coarse.cell_size_m / grid.cell_size_m
    if seen.masks is None:
        masks: Sequence[tuple[str, NDArray[np.bool_]]] = () if seen.ignition is None else (("start", seen.ignition),)
    else:
        masks = [(f"{day.day} {day:%b}", mask) for day, mask in zip(seen.dates, seen.masks, strict=True)]
    return tuple(
        DatedOutline(label, int(mask.sum()) * grid.cell_area_ha, _scaled(mask_path(mask), 1.0 / step))
        for label, mask in masks
    )


def _scaled(path: QPainterPath, factor: float) -> QPainterPath:
    transform = QTransform.fromScale(factor, factor)
    return transform.map(path)


def _extents(survey: Survey) -> tuple[QPainterPath, ...]:
    """Return the extent of every file once; layers of one file or grid share it."""
    grid = survey.preview_grid
    if grid is None:
        return ()
    paths = []
    for ring in dict.fromkeys(fact.outline for fact in survey.layers if fact.outline):
        corners = [grid.from_world(*corner) for corner in ring]
        path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(x + 0.5, y + 0.5) for y, x in corners]))
        path.closeSubpath()
        paths.append(path)
    return tuple(paths)


def _layer(survey: Survey, key: str) -> NDArray[np.float32] | None:
    return next((fact.preview for fact in survey.layers if fact.key == key), None)


def _shade(survey: Survey) -> NDArray[np.uint8] | None:
    elevation, grid = _layer(survey, "elevation"), survey.preview_grid
    if elevation is None or grid is None or min(elevation.shape) < 2:
        return None
    return hillshade_codes(elevation, grid.cell_size_m)


def _required(survey: Survey, coverage: RequiredCoverage) -> NDArray[np.float32] | None:
    fuel = _layer(survey, "fuel")
    if fuel is None:
        return None
    result = np.zeros(fuel.shape, np.float32)
    if not coverage.levels:
        return np.full(fuel.shape, coverage.c_req, np.float32)
    for code, level in coverage.levels.items():
        result[fuel == code] = level
    return result


def _pin(answers: ImportAnswers, survey: Survey) -> tuple[int, int] | None:
    """Return the cell of the preview that contains the entered longitude and latitude."""
    point, grid = answers.source.ignition, survey.preview_grid
    found = None if not isinstance(point, tuple) or grid is None else Georeference(grid).from_lonlat(*point)
    return None if found is None else (int(np.floor(found[0] + 0.5)), int(np.floor(found[1] + 0.5)))


def make_landscape(answers: ImportAnswers, check: Check) -> Project:
    """Return the project that ``answers`` describe, without writing it. ``check`` may raise to cancel.

    Raises :class:`~firegui.errors.InputError` with all problems.
    """
    event = import_landscape(answers.source, check)
    project = first_project(event, of_paper=False, fuels=answers.source.fuels, check=check)
    if answers.coverage.is_published:
        return project
    fuel = event.layers.get("fuel")
    cells = {} if fuel is None else fuel_cells(fuel)
    return replace(project, coverage=chosen_coverage(answers.coverage, cells, shipped_table()))
