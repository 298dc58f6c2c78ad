"""Fuels and canopy that follow the invented terrain, with water, houses, fields and rock where nothing burns."""

from __future__ import annotations

import numpy as np

from firegui.fire.demo.places import Bools, Places, distance_from
from firegui.fire.demo.terrain import Floats, Relief, ranked
from firegui.fire.landscape import Raster

URBAN, FIELD, WATER, ROCK = 91, 93, 98, 99

# FBFM40 code, up to which share of the moisture ranking, and (cover %, height m, bulk density kg/m³) of its canopy.
FUELS = (
    (102, 0.10, (0.0, 0.0, 0.0)),  # GR2, dry grass
    (122, 0.24, (8.0, 4.0, 0.02)),  # GS2, grass and shrub
    (145, 0.40, (18.0, 5.0, 0.04)),  # SH5, dry shrub
    (165, 0.58, (42.0, 14.0, 0.10)),  # TU5, timber with shrub below
    (188, 0.82, (58.0, 22.0, 0.14)),  # TL8, long-needle litter
    (183, 1.00, (70.0, 28.0, 0.18)),  # TL3, moist conifer litter
)


def moisture_rank(relief: Relief, noise: Floats) -> Floats:
    """Rank of every cell from dry to moist, 0 to 1: low ground and slopes that face north are moist."""
    high = (relief.elevation - relief.elevation.mean()) / relief.elevation.std()
    northness = np.where(relief.aspect < 0.0, 0.0, np.cos(np.deg2rad(relief.aspect)))
    return ranked(-0.6 * high + 0.9 * northness * np.minimum(relief.slope / 15.0, 1.0) + 0.8 * noise)


def make_layers(relief: Relief, places: Places, noise: Floats) -> dict[str, Raster]:
    """Every landscape layer of :data:`firegui.domain.scenario.LAYERS`, float32 ``[H, W]``."""
    rank = moisture_rank(relief, noise)
    fuel = np.zeros(rank.shape)
    canopy = np.zeros((3, *rank.shape))
    lower = 0.0
    for code, upper, values in FUELS:
        inside = (rank >= lower) & (rank < upper)
        fuel[inside] = code
        vigour = 0.8 + 0.4 * (rank[inside] - lower) / (upper - lower)
        canopy[:, inside] = np.array(values)[:, None] * vigour
        lower = upper
    for code, bare in unburnable(relief, places, rank):
        fuel[bare] = code
        canopy[:, bare] = 0.0
    layers = {
        "elevation": relief.elevation,
        "slope": relief.slope,
        "aspect": relief.aspect,
        "fuel": fuel,
        "canopy_cover": np.round(canopy[0]),
        "canopy_height": np.round(canopy[1], 1),
        "canopy_density": np.round(canopy[2], 3),
    }
    return {key: layer.astype(np.float32) for key, layer in layers.items()}


def unburnable(relief: Relief, places: Places, rank: Floats) -> list[tuple[int, Bools]]:
    """``(code, cells)`` of what does not burn, later ones over earlier ones.

    Rock on the steepest heights, fields on gentle ground around the village, houses, water.
    """
    shape = (int(rank.shape[0]), int(rank.shape[1]))
    steep_and_high = ranked(ranked(relief.elevation) + ranked(relief.slope))
    around = distance_from(places.village_centre, shape) < 17.0
    return [
        (ROCK, steep_and_high > 0.985),
        (FIELD, around & (relief.slope < 9.0) & (rank > 0.3)),
        (URBAN, places.village),
        (WATER, places.reservoir),
    ]
