"""Bases, turnarounds and limits of a plan in briefing, KML and GPX."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as XML

import gpxpy
import pytest

from firegui.domain.bases import Base, BaseKind
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.io.exporters.briefing import base_notes
from firegui.io.exporters.briefing_days import periods_of, type_lines
from firegui.io.exporters.kml_gpx_geojson import NAMESPACE, write_gpx, write_kml
from firegui.io.georeference import Georeference
from tests.unit.io.exporters.sheets import content, planned


@pytest.fixture
def served() -> Project:
    whole = planned()
    kind = replace(whole.fleet.types[0], cruise_ms=100.0, most_flight_h=7.0, most_wind_ms=15.0)
    base = Base("Redding", BaseKind.AIRTANKER, -1200.0, 20.0, 12.0, 8.0, 20.5, (kind.id,))
    project = replace(
        whole, fleet=replace(whole.fleet, types=(kind, *whole.fleet.types[1:])), operations=Operations(bases=(base,))
    )
    return project.with_centres(((0.0, 20.0),) * project.plan.days)


def test_the_briefing_names_bases_turnarounds_and_limits(served: Project) -> None:
    kind, cell = served.fleet.types[0].id, served.scenario.grid.cell_size_m
    minutes = 12.0 + 2.0 * 1200.0 * cell / 100.0 / 60.0
    said = "\n".join(base_notes(served))
    assert "Redding, " in said
    assert f"Airtanker base, open 08:00 to 20:30, 12 min to load, for {kind}." in said
    assert f"{kind}: turnaround {minutes:.0f} " in said
    assert f"{kind}: at most flight hours a day 7 h, wind 29.2 kt." in said
    assert "Smoke is not modelled" in said
    assert base_notes(planned()) == []


def test_the_turnaround_of_a_days_first_drop_is_in_its_order(served: Project) -> None:
    plan = content(project=served)
    line = type_lines(served, periods_of(plan)[0])[0]
    assert line.turnaround_h == served.planned_fleet.types[0].wait_h_at(plan.flown[0].drop.step)
    assert line.turnaround_h != served.fleet.types[0].turnaround_h
    other = type_lines(served, periods_of(plan)[0])[1]
    assert other.turnaround_h == served.fleet.types[1].turnaround_h


def test_bases_are_places_of_kml_and_gpx(served: Project, tmp_path: Path) -> None:
    plan, place = content(project=served), Georeference(served.scenario.grid).lonlat(-1200.0, 20.0)
    assert place is not None
    write_kml(tmp_path / "plan.kml", plan)
    folders = XML.parse(tmp_path / "plan.kml").getroot().iter(f"{{{NAMESPACE}}}Folder")
    (bases,) = [each for each in folders if each.findtext(f"{{{NAMESPACE}}}name") == "Bases"]
    text = bases.findtext(f".//{{{NAMESPACE}}}coordinates")
    assert text is not None
    assert [float(part) for part in text.split(",")[:2]] == pytest.approx(list(place), abs=1e-6)
    write_gpx(tmp_path / "plan.gpx", plan)
    points = gpxpy.parse((tmp_path / "plan.gpx").read_text(encoding="utf-8")).waypoints
    (base,) = [point for point in points if point.type == "base"]
    assert base.name == "Redding"
    assert [base.longitude, base.latitude] == pytest.approx(list(place))
