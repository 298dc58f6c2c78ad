"""The paper's fleet and a small project, built by hand so that the domain is tested alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from firegui.domain.film import Film, Part
from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.grid import Grid
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.settings import PlanSettings
from firegui.domain.weights import TENSOR_SHAPES, NetworkWeights, TrainedEvent, Training

# id, count, turnaround in hours, grounded days: paper, Table aircraft_params.
PAPER_FLEET = (
    ("S-2T", 6, 0.50, (2, 3)),
    ("AT-802F", 2, 0.60, (2, 3)),
    ("BAe-146", 4, 1.10, (2, 3, 4)),
    ("MD-87", 2, 1.10, (2, 3, 4)),
    ("C-130", 2, 0.90, (2, 3, 4)),
    ("DC-10", 2, 1.50, (2, 3, 4)),
    ("747", 1, 2.20, (2, 3, 4)),
    ("CL-415", 2, 0.18, (2, 3)),
)


def aircraft(id: str = "S-2T", **changes: Any) -> AircraftType:
    """One valid aircraft type, with changes."""
    kind = AircraftType(
        id=id,
        type="Tracker",
        count=2,
        material=Material.RETARDANT,
        payload_gal=1200.0,
        turnaround_h=0.5,
        speed_ms=66.4,
        drop_duration_s=3.5,
        drop_height_m=56.1,
        sigma_parallel_m=111.7,
        sigma_perpendicular_m=3.37,
    )
    return replace(kind, **changes)


def paper_fleet() -> Fleet:
    """The paper's 21 aircraft, as far as the calendar knows them."""
    return Fleet(
        tuple(
            aircraft(id, count=count, turnaround_h=hours, grounded_days=days) for id, count, hours, days in PAPER_FLEET
        )
    )


def scenario(days: int = 10) -> Scenario:
    """Ten days from 19 August 2020, 00:00 local at −7 h, with perimeters on the first and the third day."""
    first = np.zeros((20, 30), bool)
    first[9:12, 14:17] = True
    third = first.copy()
    third[6:15, 10:20] = True
    return Scenario(
        name="Ridge",
        grid=Grid(20, 30, 30.0),
        start=datetime(2020, 8, 19, 7, tzinfo=UTC),
        utc_offset_h=-7.0,
        wind_speed=np.ones((days, 20, 30), np.float32),
        wind_dir=np.zeros((days, 20, 30), np.float32),
        layers={},
        observed=np.stack([first, third]),
        observed_dates=(date(2020, 8, 19), date(2020, 8, 21)),
    )


def training(**changes: Any) -> Training:
    """A training on one event with cover and density and weak wind, with changes."""
    bear = TrainedEvent("Bear", date(2020, 8, 19), 10, ("canopy_cover", "canopy_density"), 1.3, 0.0)
    return replace(Training("test network", (bear,), 60, 1, (), ("one fire",), "0.1.0"), **changes)


def weights(seed: int = 0, **changes: Any) -> NetworkWeights:
    """Small random weights without a correction, with changes."""
    rng = np.random.default_rng(seed)
    tensors = {name: rng.normal(0.0, 0.01, shape).astype(np.float32) for name, shape in TENSOR_SHAPES.items()}
    return replace(NetworkWeights(tensors, training()), **changes)


def project(**changes: Any) -> Project:
    """A valid project of five planned days, with changes."""
    whole = Project(
        scenario=scenario(),
        fleet=Fleet((aircraft(), aircraft("CL-415", material=Material.WATER))),
        grounded={},
        regions=(Region.rectangle("Village", (2, 6), (3, 9)),),
        plan=PlanSettings(days=5),
        fire_model=FireModel("scalar", "Scalar", {}),
    )
    return replace(whole, **changes)


def untreated(film: Film) -> Film:
    """As many pictures of ground without retardant."""
    return Film(film.shape, (Part(0, 0, np.empty((0, 0), np.uint8)),) * len(film), 255)
