"""Snapshot of a project without rasters in a run, which stays readable when the project changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

import numpy as np

from firegui.domain.barriers import Barrier, in_utc
from firegui.domain.bases import Point
from firegui.domain.calendar import MOST_DAYS
from firegui.domain.coverage import PAPER_COVERAGE, PAPER_SOURCE, RequiredCoverage
from firegui.domain.fleet import CURRENCY, AircraftType, Fleet
from firegui.domain.fuel_models import fuel_model_problems
from firegui.domain.grid import Grid
from firegui.domain.operations import Operations
from firegui.domain.options import limits_text
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.settings import Margin, PlanSettings, SearchMethod
from firegui.domain.stress import StressSet
from firegui.domain.values import ValueLayer, ValueTerms
from firegui.errors import Problem
from firegui.io.project.migrations import add_physical_settings
from firegui.io.source_files import cells_problem
from firegui.io.times import offset_problems, start_problems, steps_problems

_NO_CELLS = np.zeros((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class ProjectSnapshot:
    """A project without its rasters and coverage levels; the event has weather for ``days`` days.

    ``values`` are the value layers without their cells. ``centres`` are those of the burning area, one a planned day,
    where a base serves a type.
    """

    name: str
    start: datetime
    utc_offset_h: float
    days: int
    steps_per_day: int
    synthetic: bool
    notes: tuple[str, ...]
    missing_layers: tuple[str, ...]
    grid: Grid
    plan: PlanSettings
    fire_model: FireModel
    fleet: tuple[AircraftType, ...]
    grounded: Mapping[str, tuple[date, ...]]
    regions: tuple[Region, ...]
    operations: Operations = field(default_factory=Operations)
    c_req: float = PAPER_COVERAGE
    c_req_source: str = PAPER_SOURCE
    stress: StressSet = field(default_factory=StressSet)
    currency: str = CURRENCY
    values: tuple[ValueTerms, ...] = ()
    centres: tuple[Point, ...] = ()
    barriers: tuple[Barrier, ...] = ()

    @staticmethod
    def of(project: Project) -> ProjectSnapshot:
        """Return what a run keeps of ``project``."""
        event = project.scenario
        return ProjectSnapshot(
            name=event.name,
            start=event.start,
            utc_offset_h=event.utc_offset_h,
            days=event.days,
            steps_per_day=event.steps_per_day,
            synthetic=event.synthetic,
            notes=event.notes,
            missing_layers=event.missing_layers,
            grid=event.grid,
            plan=project.plan,
            fire_model=project.fire_model,
            fleet=project.fleet.types,
            currency=project.fleet.currency,
            grounded=dict(project.grounded),
            regions=project.regions,
            operations=project.operations,
            c_req=project.coverage.c_req,
            c_req_source=project.coverage.source,
            stress=project.stress,
            values=tuple(layer.terms for layer in project.values),
            centres=project.burning_centres,
            barriers=tuple(map(in_utc, project.barriers)),
        )

    def problems(self) -> list[Problem]:
        """Return what keeps :meth:`project` from being made: sizes and dates that no project has."""
        found = [
            *start_problems(self.start, "project"),
            *offset_problems(self.utc_offset_h, "project"),
            *steps_problems(self.steps_per_day, "project"),
            *fuel_model_problems(self.fire_model.fuels),
        ]
        size = cells_problem("project", self.grid.rows, self.grid.columns)
        found += [] if size is None else [size]
        if not 1 <= self.days <= MOST_DAYS:
            found.append(Problem("project", f"days is {self.days}", f"use {limits_text(1, MOST_DAYS)}"))
        return found

    def project(self) -> Project:
        """Return a project with place, dates, fleet, regions and settings, but without layers and weather.

        Enough for every exporter. Its wind is NaN on every day, so that it is not taken for weather, and its value
        layers have no cells.
        """
        calm = np.broadcast_to(np.float32(np.nan), (self.days, *self.grid.shape))
        scenario = Scenario(
            name=self.name,
            grid=self.grid,
            start=self.start,
            utc_offset_h=self.utc_offset_h,
            wind_speed=calm,
            wind_dir=calm,
            layers={},
            steps_per_day=self.steps_per_day,
            notes=self.notes,
            synthetic=self.synthetic,
        )
        made = Project(
            scenario, Fleet(self.fleet, self.currency), self.grounded, self.regions, self.plan, self.fire_model,
            operations=self.operations, coverage=RequiredCoverage(self.c_req, self.c_req_source),
            stress=self.stress, values=tuple(ValueLayer(terms, _NO_CELLS) for terms in self.values),
            barriers=self.barriers,
        )  # fmt: skip
        return made.with_centres(self.centres)

    def on(self, project: Project) -> Project:
        """Return ``project``, read from its folder, with what this snapshot has.

        That is fleet, regions, values, barriers and settings.

        Value layers whose cells the project no longer has are left out, and their weight where none is left.
        Whether its event is still that one only :func:`~firegui.runs.header.event_hash` can tell.
        """
        coverage = RequiredCoverage(self.c_req, self.c_req_source)
        cells = {layer.terms.content: layer.cells for layer in project.values}
        values = tuple(ValueLayer(terms, cells[terms.content]) for terms in self.values if terms.content in cells)
        plan = self.plan if values else replace(self.plan, weights=replace(self.plan.weights, val=0.0))
        made = replace(
            project.with_steps_per_day(self.steps_per_day), fleet=Fleet(self.fleet, self.currency),
            grounded=self.grounded, regions=self.regions, plan=plan, fire_model=self.fire_model,
            operations=self.operations, stress=self.stress, values=values, barriers=self.barriers,
            coverage=project.coverage if project.coverage.c_req == self.c_req else coverage,
            weights=project.weights if self.fire_model.kind == "network" else None,
        )  # fmt: skip
        return made.with_centres(self.centres)


def add_missing_settings(header: dict[str, Any]) -> None:
    """Complete a header from before margins, the fast search and some settings of the physical model."""
    project = header.get("project")
    if not isinstance(project, dict):
        return
    if isinstance(project.get("plan"), dict):
        project["plan"].setdefault("margin", {"kind": Margin.NONE.value})
        if isinstance(project["plan"].get("optimizer"), dict):
            project["plan"]["optimizer"].setdefault("search", SearchMethod.PAPER.value)
    add_physical_settings(project)
