"""Messages about wrong values: they name settings as the window does, never as the code does."""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

import firegui.domain
from firegui.domain.airspace import AirspaceRule
from firegui.domain.barriers import Barrier, BarrierKind
from firegui.domain.bases import Base, BaseKind
from firegui.domain.benchmark import BenchmarkSettings, PlannerName
from firegui.domain.calendar import Calendar
from firegui.domain.coverage import RequiredCoverage
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.fit import FactorFitSettings, NetworkFitSettings
from firegui.domain.fleet import Fleet
from firegui.domain.front import FrontSettings
from firegui.domain.fuel_models import FuelModel, FuelMoisture, SurfaceConditions
from firegui.domain.grid import Grid
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingSettings
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings
from firegui.domain.settings import PlanSettings
from firegui.domain.spread_factors import SpreadFactors
from firegui.domain.stress import StressScenario, StressSet, StressTestSettings
from firegui.domain.study import Sampling, StudySettings, Vary
from firegui.domain.uncertainty import UncertaintyKind, UncertaintySettings
from firegui.domain.weather import PeriodWeather
from firegui.domain.weights import Correction, NetworkWeights, TrainedEvent, Training
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problem
from tests.unit.domain.samples import aircraft, project

_NOON = datetime(2020, 8, 19, 12, tzinfo=UTC)
_GRID, _CALENDAR = Grid(40, 60, 30.0), Calendar(_NOON, 4, 50)
_EVENT = TrainedEvent("Ridge", date(2020, 1, 1), 1, ("snow_depth",), 1.0, 1.0)
_TRAINING = Training("one", (_EVENT,), 1, 1, ("good_luck",), (), "1")
_PIN = PinnedDrop(_NOON, "S-2T-1", 3.0, 3.0, 0.0)
_TIGHT = Operations(
    Daylight(), (Grounding("B-52", _NOON.replace(tzinfo=None), _NOON),), {"S-2T": 0, "B-52": -1}, 0, (),
    (_PIN, replace(_PIN, y=99.0)), airspace=(AirspaceRule(0, -1.0, 0.0, ("B-52", "B-52")),),
)  # fmt: skip


def _operations(operations: Operations) -> list[Problem]:
    return operations.own_problems() + operations.problems(Fleet((aircraft(),)), _CALENDAR, _GRID)


def _sensitivity(settings: SensitivitySettings) -> list[Problem]:
    return [problem for kind in SensitivityKind for problem in settings.problems(kind)]


def _own(value: Any) -> list[Problem]:
    found: list[Problem] = value.problems()
    return found


_WEATHER = PeriodWeather(4, 2, np.zeros((8, 2, 2), np.float32), np.zeros((8, 2, 2), np.float32), np.zeros(3), None)
_STRESS = StressSet((StressScenario("odd", repair_hours=0.7), StressScenario("odd")))
VALUES: tuple[tuple[Any, Callable[[Any], list[Problem]]], ...] = (
    (BenchmarkSettings(planners=(), matched=tuple(PlannerName)), _own),
    (RequiredCoverage(levels={1: 2.0}), _own),
    (NetworkFitSettings(), _own),
    (FactorFitSettings(), _own),
    (aircraft(id="", grounded_days=(-3,)), _own),
    (Base("", BaseKind.AIRTANKER, math.nan, 0.0, -1.0, 8.0, None, ("S-2T", "S-2T")), _own),
    (RadioFrequency("", "soon", "\x07"), _own),
    (AirspaceRule(0, -1.0, math.nan, ("S-2T", "S-2T")), lambda rule: rule.problems("airspace rule 1")),
    (Barrier("", BarrierKind.ROAD, (((0.0, 0.0), (0.0, 0.0)),), width_m=-1.0, strength=2.0), _own),
    (Fleet((aircraft(), aircraft(count=0))), _own),
    (FrontSettings(), _own),
    (
        FuelModel(
            102,
            "GR2",
            "",
            (0.1, 0.0, 0.0, 1.0, 0.0),
            (2000.0, 109.0, 30.0, 1800.0, 1500.0),
            1.0,
            0.15,
            (8e3, 8e3),
            True,
        ),
        _own,
    ),
    (FuelMoisture(), _own),
    (PhysicalSettings(), _own),
    (SpreadFactors(), _own),
    (SurfaceConditions(flame_wind=1.0), _own),
    (_GRID, _own),
    (MarginCurveSettings(), lambda settings: settings.problems(StressSet(), 50)),
    (Daylight(), _own),
    (Grounding("S-2T", _NOON, _NOON), _own),
    (_PIN, _own),
    (_TIGHT, _operations),
    (project(fleet=Fleet(()), regions=()), _own),
    (ScalingSettings(), _own),
    (SensitivitySettings(), _sensitivity),
    (PlanSettings(), _own),
    (StressScenario(""), _own),
    (_STRESS, lambda stress: stress.problems(50)),
    (StressTestSettings(stress=_STRESS), lambda settings: settings.problems(50)),
    (Vary("days", (), 1.0, 2.0), lambda vary: vary.problems(Sampling.GRID)),
    (StudySettings(name=""), _own),
    (UncertaintySettings(kind=UncertaintyKind.WEATHER, keep_members=True), _own),
    (_TRAINING, _own),
    (Correction("Ridge", (4, 4), None, np.zeros((1, 1), np.float32)), _own),
    (NetworkWeights({}, _TRAINING), _own),
    (WorkerSettings(), _own),
    (_WEATHER, lambda weather: weather.problems((4, 4), 2)),
)
"""A value of every domain class that names its problems, some of them wrong already, and how they are asked for."""
_BAD_NUMBERS = (-(10**12), 10**12, math.nan, math.inf)


def _wrong(value: Any) -> Iterator[Any]:
    """Yield ``value`` itself and with each number in it, or in the values in it, out of every bound."""
    yield value
    for item in fields(value):
        inner = getattr(value, item.name)
        bad_numbers = _BAD_NUMBERS if isinstance(inner, float) else _BAD_NUMBERS[:2]
        if isinstance(inner, (int, float)) and not isinstance(inner, bool):
            yield from (replace(value, **{item.name: bad}) for bad in bad_numbers)
        elif isinstance(inner, tuple) and inner and is_dataclass(inner[0]):
            yield from (replace(value, **{item.name: (bad,)}) for bad in _wrong(inner[0]))
        elif isinstance(inner, tuple) and inner and isinstance(inner[0], float):
            yield from (replace(value, **{item.name: (bad, *inner[1:])}) for bad in _BAD_NUMBERS)
        elif is_dataclass(inner) and not isinstance(value, Project):
            yield from (replace(value, **{item.name: bad}) for bad in _wrong(inner))


@pytest.mark.parametrize(("value", "problems"), VALUES, ids=lambda each: type(each).__name__)
def test_no_message_has_a_name_of_the_code(value: Any, problems: Callable[[Any], list[Problem]]) -> None:
    found = {str(problem) for wrong in _wrong(value) for problem in problems(wrong)}
    assert found
    assert {
        text for text in found if re.search(r"[A-Za-z]_[A-Za-z]", re.sub("good_luck|snow_depth", "", text))
    } == set()


def test_every_class_that_names_its_problems_is_tried() -> None:
    modules = [importlib.import_module(f"firegui.domain.{each.name}") for each in pkgutil.iter_modules(_PATH)]
    classes = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == module.__name__
    }
    asked = {each for each in classes if hasattr(each, "problems")}
    assert asked == {type(value) for value, _problems in VALUES}


_PATH = firegui.domain.__path__
