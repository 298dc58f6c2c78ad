"""Data that the CPU kernels derive from a model, once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import BlockRaster
from firegui.rollout.deposits import scales_of
from firegui.rollout.kernels.cpu_footprints import Aircraft, Wind
from firegui.rollout.kernels.layout import (
    MARGIN,
    MARGIN_ROWS,
    Floats,
    Layout,
    Workspaces,
    field_of,
    shape_of,
    tiled_gains,
    usual,
)
from firegui.rollout.landing import fall_time_s
from firegui.rollout.model import Model
from firegui.rollout.suppression import dose_of_payload


class Objective(NamedTuple):
    """The objective as fields.

    Protection density and the tiles that have any, slope ``l`` and what it is outside the regions, 1 inside them, and
    what values at risk add to the last slope; the last is empty where they do not count.
    """

    density: Floats
    has_density: NDArray[np.uint8]
    slope: Floats
    plain_slope: np.float32
    protected: Floats
    value_slope: Floats


def layout_of(model: Model) -> Layout:
    """Return the model's fire, laid out once."""
    gains, maps = model.gains, model.maps

    def make() -> Layout:
        spaces = gains.shared("workspaces", lambda: Workspaces(shape_of(*maps.shape, maps.stencil)))
        tiles = gains.spread("tiles of the active front", lambda: tiled_gains(maps))
        return Layout(maps, gains.start()[0], tiles, spaces)

    return gains.layout("active front", make)


def objective_of(model: Model) -> Objective:
    """Return the model's objective as fields, kept for the last few objectives."""

    def make() -> Objective:
        shape = layout_of(model).shape
        density = field_of(model.protection.numpy(), shape)
        inside = density.reshape(-1, shape.stride)[MARGIN_ROWS:-MARGIN_ROWS, MARGIN:-MARGIN]
        tiles = inside.reshape(shape.tile_rows, 4, shape.tile_columns, 16)
        slope = field_of(model.occupancy_slope().numpy(), shape)
        plain = np.float32(model.weights.burn / (model.n_scored * model.n_cells))
        has_density = (tiles > 0.0).any(axis=(1, 3)).reshape(-1).astype(np.uint8)
        last = model.value_slope()
        value_slope = np.zeros(0, np.float32) if last is None else field_of(last.numpy(), shape)
        return Objective(density, has_density, slope, plain, field_of(model.protected.numpy(), shape), value_slope)

    # Regions and values are kept beside it, so that no other object gets their identities.
    kept = (model.protection, model.protected, model.values)
    name = f"{model.weights} from {model.first_scored_step} in {' '.join(str(id(one)) for one in kept)}"
    return model.gains.recent(name, lambda: (make(), kept))[0]


def aircraft_of(model: Model) -> Aircraft:
    """Return the fleet per column, in the order of the types."""
    kinds = model.fleet.types
    shapes = [scales_of(kind, model) for kind in kinds]
    counts = [kind.count for kind in kinds]
    maps = model.maps
    strongest = model.gains.layout("strongest wind", lambda: float(maps.wind_speed.max(initial=0.0)))
    farthest = strongest / maps.cell_size_m
    return Aircraft(
        np.repeat(np.array([fall_time_s(kind) for kind in kinds], np.float64), counts),
        np.repeat(np.array([shape.parallel for shape in shapes], np.float64), counts),
        np.repeat(np.array([shape.perpendicular for shape in shapes], np.float64), counts),
        np.repeat(np.array([shape.half_width for shape in shapes], np.int64), counts),
        np.repeat(
            np.array([dose_of_payload(kind, model.maps, model.effectiveness) for kind in kinds], np.float64), counts
        ),
        np.repeat(np.array([fall_time_s(kind) for kind in kinds], np.float64), counts) * farthest,
    )


def wind_of(model: Model) -> Wind:
    """Return the wind that drops drift in."""
    maps = model.maps

    def make() -> Wind:
        winds = maps.wind_speed, maps.wind_dir
        speed, towards = (usual(part.values if isinstance(part, BlockRaster) else part, np.float32) for part in winds)
        block = winds[0].block if isinstance(winds[0], BlockRaster) else 1
        return Wind(speed, towards, maps.steps_per_period, maps.cell_size_m, block)

    return model.gains.layout("wind", make)
