"""Looking into the files that the answers name: everything the steps and the preview show, found out in a thread.

No widget is touched here, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath, QPolygonF, QTransform

from firegui.domain.coverage import RequiredCoverage
from firegui.domain.grid import HECTARE_M2, Grid
from firegui.domain.relief import hillshade_codes
from firegui.errors import Problem, Problems
from firegui.gui.base.tasks import Check
from firegui.gui.importing.landscape.wizard_answers import Answers
from firegui.gui.map.outline import outline
from firegui.gui.widgets.coverage_table import chosen_coverage
from firegui.io.coverage_toml import shipped_table
from firegui.io.georeference import Georeference
from firegui.io.importers.landscape import perimeters_of
from firegui.io.importers.landscape_survey import Survey, survey_landscape
from firegui.io.importers.observations import Observed, observe
from firegui.io.importers.placing import Place
from firegui.io.importers.wind import read_wind
from firegui.io.importers.wind_means import Winds
from firegui.io.local_time import UNKNOWN_START
from firegui.io.perimeter_survey import PerimeterSurvey, survey_perimeters


@dataclass(frozen=True, slots=True, eq=False)
class DatedOutline:
    """A perimeter in corner coordinates of the preview; ``label`` is its date and area."""

    label: str
    path: QPainterPath


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What was found of ``answers``.

    ``winds`` are daily maps on the preview's grid; ``shade`` and ``required [h, w]`` the relief as codes and the
    required coverage in gal/100 ft² (0 where nothing is required); ``extents`` the outlines of the files; ``fires`` the
    perimeters, oldest first; ``pin`` the cell of an ignition. Whatever could not be found out is ``None`` or empty.
    """

    answers: Answers
    survey: Survey
    fire: PerimeterSurvey | None
    winds: Winds | None
    shade: NDArray[np.uint8] | None
    required: NDArray[np.float32] | None
    coverage: RequiredCoverage
    extents: tuple[QPainterPath, ...]
    fires: tuple[DatedOutline, ...]
    pin: tuple[int, int] | None
    problems: tuple[Problem, ...]

    @property
    def first_date(self) -> date | None:
        """The local date of day 0, ``None`` where nothing tells it."""
        start = self.survey.start
        if start is None or start == UNKNOWN_START:
            return None
        return (start + timedelta(hours=self.survey.utc_offset_h)).date()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was guessed, assumed, converted or is missing."""
        winds = () if self.winds is None else self.winds.notes
        return tuple(dict.fromkeys((*self.survey.notes, *winds, *self.answers.guessed)))

    @property
    def fire_text(self) -> str:
        """What burns, in a few words."""
        if self.fires and not (self.fire is not None and self.fire.ignition):
            return f"{len(self.fires)} perimeters" if len(self.fires) > 1 else "1 perimeter"
        if self.fires or self.pin is not None or self.survey.burning is not None:
            return "a start without observed perimeters"
        return "none yet: without one there is nothing to plan for"

    def lonlat(self, row: float, column: float) -> tuple[float, float] | None:
        """Longitude and latitude of a point in corner coordinates of the preview."""
        grid = self.survey.preview_grid
        return None if grid is None else Georeference(grid).lonlat(row - 0.5, column - 0.5)


def look_at(answers: Answers, former: Look | None, check: Check) -> Look:
    """Look into everything that ``answers`` names; what is wrong is in the result.

    What ``former`` found is used again where the files are the same. ``check`` may raise to cancel.
    """
    source = answers.source
    if former is not None and former.answers.source == source:
        return _weighed(replace(former, answers=answers))
    survey = survey_landscape(source, check)
    check()
    problems = Problems()
    problems.extend(survey.problems)
    winds = _winds(answers, survey, problems, check)
    check()
    fire = None if source.perimeters is None else survey_perimeters(source.perimeters, survey.grid)
    seen = _observed(answers, survey, check)
    check()
    return _weighed(
        Look(
            answers, survey, fire, winds, _shade(survey), None, RequiredCoverage(), _extents(survey),
            _outlines(seen, survey), _pin(answers, survey), tuple(dict.fromkeys(problems)),
        )
    )  # fmt: skip


def _weighed(look: Look) -> Look:
    """The look with the required coverage that its answers make."""
    coverage = chosen_coverage(look.answers.coverage, look.survey.fuel_cells, shipped_table())
    return replace(look, coverage=coverage, required=_required(look.survey, coverage))


def _winds(answers: Answers, survey: Survey, problems: Problems, check: Check) -> Winds | None:
    wind, grid = answers.source.wind, survey.preview_grid
    if not wind.is_given or grid is None or survey.start is None or survey.wind.problems:
        return None
    return read_wind(wind, grid, survey.start, survey.utc_offset_h, survey.days, problems, check)


def _observed(answers: Answers, survey: Survey, check: Check) -> Observed | None:
    """The perimeters on the event's own grid: on the coarser one of the preview a small fire would be lost."""
    if survey.grid is None:
        return None
    place = Place(survey.grid, ())
    perimeters = perimeters_of(answers.source, place)
    # What is wrong with them the survey has said.
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
        DatedOutline(f"{label} · {_area(mask, grid)}", _scaled(outline(mask), 1.0 / step)) for label, mask in masks
    )


def _area(mask: NDArray[np.bool_], grid: Grid) -> str:
    return f"{int(mask.sum()) * grid.cell_size_m**2 / HECTARE_M2:,.0f} ha"


def _scaled(path: QPainterPath, factor: float) -> QPainterPath:
    transform = QTransform.fromScale(factor, factor)
    return transform.map(path)


def _extents(survey: Survey) -> tuple[QPainterPath, ...]:
    """The edge of every file once: layers of one file, or of files on one grid, share theirs."""
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


def _pin(answers: Answers, survey: Survey) -> tuple[int, int] | None:
    """The cell of the preview that the given longitude and latitude lie in."""
    point, grid = answers.source.ignition, survey.preview_grid
    found = None if not isinstance(point, tuple) or grid is None else Georeference(grid).from_lonlat(*point)
    return None if found is None else (int(np.floor(found[0] + 0.5)), int(np.floor(found[1] + 0.5)))
