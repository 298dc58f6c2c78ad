"""Random small cases for the numerics tests: every map, pose and logit drawn from a seed."""

from __future__ import annotations

import numpy as np

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare

WEIGHTS = ObjectiveWeights(burn=50.0, final=30.0, prot=20.0, budget=1e-3)


def random_maps(
    seed: int, shape: tuple[int, int] = (14, 17), days: int = 2, steps_per_day: int = 10, neighbours: int = 8,
    periods: int = 1,
) -> FireMaps:  # fmt: skip
    """A lively random fire: maps vary by cell and period, some cells do not burn."""
    rng = np.random.default_rng(seed)
    ignition = np.zeros(shape, bool)
    ignition[shape[0] // 2 - 1 : shape[0] // 2 + 2, shape[1] // 2 - 2 : shape[1] // 2 + 1] = True
    return FireMaps(
        phi=rng.uniform(0.0, 2.8 / neighbours, (days * periods, neighbours, *shape)).astype(np.float32),
        gamma=rng.uniform(0.3, 1.2, (days * periods, *shape)).astype(np.float32),
        burnable=(rng.uniform(size=shape) > 0.1) | ignition,
        wind_speed=rng.uniform(0.0, 12.0, (days * periods, *shape)).astype(np.float32),
        wind_dir=rng.uniform(-np.pi, np.pi, (days * periods, *shape)).astype(np.float32),
        ignition=ignition,
        t_burn=6.0,
        steps_per_day=steps_per_day,
        cell_size_m=30.0,
        c_req=2.7,
        periods_per_day=periods,
    )


def aircraft(name: str, material: Material, count: int, **changes: object) -> AircraftType:
    """An aircraft type small enough for the test rasters."""
    values: dict[str, object] = {
        "payload_gal": 900.0,
        "turnaround_h": 5.0,
        "speed_ms": 60.0,
        "drop_duration_s": 3.0,
        "drop_height_m": 50.0,
        "sigma_parallel_m": 60.0,
        "sigma_perpendicular_m": 6.0,
    }
    values.update(changes)
    return AircraftType(name, name, count, material, **values)  # type: ignore[arg-type]


def small_fleet() -> Fleet:
    """Two retardant types, one grounded on day 1, and a scooper."""
    return Fleet(
        (
            aircraft("R", Material.RETARDANT, 2),
            aircraft("BIG", Material.RETARDANT, 1, sigma_parallel_m=110.0, payload_gal=3000.0, grounded_days=(1,)),
            aircraft("W", Material.WATER, 2, turnaround_h=3.0, payload_gal=700.0),
        )
    )


def random_schedule(seed: int, maps: FireMaps, fleet: Fleet, share: float = 0.5) -> Schedule:
    """Logits of both signs and poses all over the raster."""
    rng = np.random.default_rng(seed)
    size = (maps.n_steps, fleet.n_aircraft)
    logits = rng.normal(size=size) + (share - 0.5) * 4.0
    poses = rng.uniform(size=(*size, 3)) * [maps.shape[0] - 1, maps.shape[1] - 1, np.pi]
    return Schedule(logits, poses)


def region_masks(maps: FireMaps) -> np.ndarray:
    """Two protected regions of different size."""
    masks = np.zeros((2, *maps.shape), bool)
    masks[0, :4, :6] = True
    masks[1, -3:, -9:] = True
    return masks


def model_of(
    maps: FireMaps,
    fleet: Fleet,
    *,
    side: RetardantSide = RetardantSide.BOTH,
    weights: ObjectiveWeights = WEIGHTS,
    backend: str = "cpu",
    precision: str = "float32",
) -> Model:
    """A prepared model on the CPU."""
    return prepare(
        maps, fleet, region_masks(maps), [1.0, 2.0], weights=weights, effectiveness=Effectiveness(0.9, 0.8),
        retardant_acts_on=side, backend=backend, precision=precision,
    )  # fmt: skip
