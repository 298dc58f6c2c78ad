"""Maps of sixteen neighbours of the physical fire model.

A cell's speed, direction and length-to-width ratio (:mod:`firegui.fire.physical`) become gains by a table; ``φ`` holds
them and ``γ`` is 1. With the gains of the table the front moves as an ellipse does on uniform ground.

The table, ``resources/fire/steady_front_table.npz``, was fitted to fronts in motion by
``packaging/fit_front_table.py``. It holds ``ln K`` in thousandths by the head's speed ``c`` in cells per step, by
``1 / (c T_b)`` with the burn duration ``T_b`` in steps, by the length-to-width ratio and by the angle of the head to
the grid from 0 to 45°; the symmetry of the neighbours gives the other angles. At a burn duration ``ln(K / c)`` is
interpolated. Between ratios, angles and speeds ``K`` itself is: interpolating ``ln K`` slows a long ellipse down, by
8 % where the head is between two angles. Without ``steady_front``, as in projects up to format 21, the table is
``front_table.npz``, in which ``ln K`` is interpolated. It was fitted to fronts that start from an edge of burning
cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from firegui.assets import resource
from firegui.domain.compact_maps import DropCells, SpreadOnDemand
from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel
from firegui.domain.scenario import Scenario
from firegui.domain.stencil import SIXTEEN
from firegui.errors import InputError, Problem
from firegui.fire.landscape import Raster
from firegui.fire.physical import TITLE, WHOLE, PhysicalGround, Place, Wind

Floats = NDArray[np.float64]

MOST_CELLS_PER_STEP = 1.0
"""The fastest head of the table."""
MOST_RATIO = 4.0
"""The longest ellipse of the table: sixteen neighbours carry no longer one at every angle."""
LEAST_MOVED = 0.25
"""Cells that the head of the slowest fire of the table moves during a burn duration."""
_SLOWEST = 0.005
_SPEED_NODES = 48
_CHUNK = 1 << 16
"""Cells that are interpolated at a time."""
_QUARTER = np.pi / 2.0


@dataclass(frozen=True, slots=True, eq=False)
class FrontTable:
    """The table at one burn duration.

    ``nodes [speeds, ratios, angles, 16]`` are ``K`` of fronts in motion, and ``ln K`` where ``steady`` is not set. They
    are at equally spaced logarithms of the speed from ``slowest`` to :data:`MOST_CELLS_PER_STEP`, at equally spaced
    ``arccosh`` of the ratio up to :data:`MOST_RATIO`, and at ``angles`` from 0 to 45°.
    """

    nodes: Raster
    slowest: float
    angles: Floats
    steady: bool

    @staticmethod
    def of(t_burn: float, *, steady: bool = True) -> FrontTable:
        """Return the shipped table at a burn duration in steps.

        It is that of fronts in motion if ``steady``, else that of a fire that has just started.
        """
        logs, burns, speeds, angles = _shipped(steady)
        slowest = max(_SLOWEST, 1.0 / (burns[-1] * t_burn))
        at = np.geomspace(slowest, MOST_CELLS_PER_STEP, _SPEED_NODES)
        # ln(K / c) changes little with the speed.
        level = logs - np.log(speeds)[:, None, None, None]
        along_burns, weight = _between(burns, 1.0 / (at * t_burn))
        along_speeds, share = _between(speeds, at)
        found = np.log(at)[:, None, None, None] + sum(
            (abs(1 - more - weight) * abs(1 - higher - share))[:, None, None, None]
            * level[along_burns + more, along_speeds + higher]
            for more in (0, 1)
            for higher in (0, 1)
        )
        return FrontTable((np.exp(found) if steady else found).astype(np.float32), slowest, angles, steady)

    @property
    def most_gain(self) -> float:
        """The largest gain of any head: where nodes are interpolated, it lies between them."""
        most = self.nodes.max()
        return float(most if self.steady else np.exp(most))

    def gains(self, speed: Raster, ratio: Raster, direction: Raster) -> Raster:
        """Return the gains ``K [16, ...]`` per step of heads of ``speed [...]`` in cells per step.

        ``direction [...]`` is that of the head in radians, counter-clockwise from the grid's east. Speeds above
        :data:`MOST_CELLS_PER_STEP` and ratios above :data:`MOST_RATIO` are taken as these. Below ``slowest`` gains are
        proportional to the speed: such a fire goes out where its burn duration is too short for it.
        """
        found = np.empty((16, speed.size), np.float32)
        flat = [np.ravel(values) for values in (speed, ratio, direction)]
        for first in range(0, speed.size, _CHUNK):
            part = slice(first, first + _CHUNK)
            found[:, part] = self._gains(*(values[part] for values in flat)).T
        return found.reshape(16, *speed.shape)

    def _gains(self, speed: Raster, ratio: Raster, direction: Raster) -> Raster:
        speeds, lengths, angles, _ = self.nodes.shape
        bounded = np.clip(speed, self.slowest, MOST_CELLS_PER_STEP)
        per_node = (speeds - 1) / np.log(MOST_CELLS_PER_STEP / self.slowest)
        low, up = _split(np.log(bounded / self.slowest) * per_node, speeds)
        if self.steady:  # K is nearly proportional to the speed
            up = np.expm1(up / per_node) / np.expm1(1.0 / per_node)
        stretch = np.arccosh(np.clip(ratio, 1.0, MOST_RATIO)) / np.arccosh(MOST_RATIO)
        short, longer = _split(stretch * (lengths - 1), lengths)
        turned = np.mod(direction, 2.0 * np.pi)
        quarter = np.minimum(turned // _QUARTER, 3).astype(np.int64)
        within = turned - quarter * _QUARTER
        is_mirrored = within > _QUARTER / 2.0
        folded = np.where(is_mirrored, _QUARTER - within, within)
        near, along = _between(self.angles, folded)
        flat = self.nodes.reshape(-1, 16)
        first = (low * lengths + short) * angles + near
        blend = np.zeros((len(speed), 16), np.float32)
        for faster, by_speed in ((0, 1.0 - up), (lengths * angles, up)):
            for wider, by_ratio in ((0, 1.0 - longer), (angles, longer)):
                for further, by_angle in ((0, 1.0 - along), (1, along)):
                    weight = (by_speed * by_ratio * by_angle).astype(np.float32)
                    blend += weight[:, None] * flat[first + faster + wider + further]
        slower = (np.minimum(speed, self.slowest) / self.slowest)[:, None].astype(np.float32)
        gains = (blend if self.steady else np.exp(blend)) * slower
        found: Raster = np.take_along_axis(gains, _TURNED[2 * quarter + is_mirrored], axis=1)
        return found


@cache
def _shipped(steady: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """Return ``ln K [burns, speeds, ratios, angles, 16]`` and the nodes of burn, speed and angle."""
    name = "fire/steady_front_table.npz" if steady else "fire/front_table.npz"
    with np.load(resource(name), allow_pickle=False) as held:
        logs, burns, speeds, angles = (held[name] for name in ("log_thousandths", "burns", "speeds", "angles"))
    return logs / 1000.0, burns, speeds, angles


def _between(nodes: Floats, values: NDArray[np.floating]) -> tuple[NDArray[np.int64], Floats]:
    """Return the node below every value, never the last one, and the share of the way to the next."""
    low = np.clip(np.searchsorted(nodes, values, side="right") - 1, 0, len(nodes) - 2)
    share = np.clip((values - nodes[low]) / (nodes[low + 1] - nodes[low]), 0.0, 1.0)
    return low, share.astype(np.float64)


def _split(places: NDArray[np.floating], count: int) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
    low = np.clip(places.astype(np.int64), 0, count - 2)
    return low, places - low


def _turns() -> NDArray[np.int64]:
    """Return ``[8, 16]`` which neighbour of the table has a neighbour's gain.

    The first axis is that of quarter turns and mirroring.
    """
    ways = [(column, -row) for row, column in map(SIXTEEN.displacement, range(16))]
    found = []
    for quarter in range(4):
        for is_mirrored in (False, True):
            back = ways
            for _ in range(quarter):
                back = [(y, -x) for x, y in back]  # by 90° clockwise
            found.append([ways.index((y, x) if is_mirrored else (x, y)) for x, y in back])
    return np.array(found)


_TURNED = _turns()


@dataclass(frozen=True, slots=True, eq=False)
class PhysicalFire:
    """Ground and table of an event whose steps a day are chosen.

    ``cells_per_metre_min`` turns m/min into cells per step; ``most`` is the fastest head in cells per step.
    ``refuses_faster`` is set where no limit of the user's slows the fire down.
    """

    ground: PhysicalGround
    table: FrontTable
    cells_per_metre_min: float
    most: float
    steps_per_day: int
    refuses_faster: bool

    @staticmethod
    def of(event: Scenario, model: FireModel) -> PhysicalFire:
        """Raise :class:`~firegui.errors.InputError` like :meth:`PhysicalGround.of`."""
        settings = model.physical
        ground = PhysicalGround.of(event, settings, model.fuels)
        scale = 1440.0 / (event.steps_per_day * event.grid.cell_size_m)
        is_limited = settings.speed_percentile < 100.0
        most = settings.cells_per_step if is_limited else MOST_CELLS_PER_STEP
        table = FrontTable.of(settings.burn_steps(event.steps_per_day), steady=settings.steady_front)
        return PhysicalFire(ground, table, scale, most, event.steps_per_day, not is_limited)

    def maps(self, period: int, wind: Wind, box: Place = WHOLE) -> tuple[Raster, Raster, float]:
        """Return ``φ [16, h, w]`` and ``γ [h, w]`` of a period on ``box``, or on cells, under ``wind`` there.

        The third is its fastest head in cells per step.
        """
        spread = self.ground.spread(period, wind, box)
        cells = spread.speed * np.float32(self.cells_per_metre_min)
        phi = self.table.gains(np.minimum(cells, np.float32(self.most)), spread.ratio, spread.direction)
        return phi, self.ground.burnable[box].astype(np.float32), float(cells.max(initial=0.0))

    def potentials(self, period: int, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Raster:
        """Return ``φ [16, ...]`` of cells ``rows [...], columns [...]`` in a period of the event.

        Raises :class:`~firegui.errors.InputError` where the fire there needs more steps than the event has.
        """
        wind = self.ground.weather.wind_of_cells(period, rows, columns)
        phi, _, fastest = self.maps(period, wind, (rows, columns))
        if self.refuses_faster and fastest > MOST_CELLS_PER_STEP:
            what = f"is too fast for {self.steps_per_day:,} steps a day: it moves {fastest:.2f} cells a step"
            remedy = "choose the physical model again, so that the steps follow from it, or test a weaker wind"
            raise InputError([Problem("the fastest fire", what, remedy)], TITLE)
        return phi


def physical_maps(
    event: Scenario, model: FireModel, ignition: NDArray[np.bool_], start_day: int, days: int,
    flame_limit_m: float | None = None,
) -> FireMaps:  # fmt: skip
    """Return the maps of ``days`` event days from ``start_day``, started from ``ignition [H, W]``.

    Their spread is made where the fire goes. Drops work where flames are at most ``flame_limit_m`` long, everywhere
    where that is ``None``. Raises :class:`~firegui.errors.InputError` like
    :meth:`PhysicalGround.of`.
    """
    fire = PhysicalFire.of(event, model)
    weather, shape = fire.ground.weather, event.grid.shape
    first, count = (number * weather.periods_per_day for number in (start_day, days))
    speed, towards = weather.winds(slice(first, first + count), shape)
    periods = np.arange(first, first + count)
    return FireMaps(
        phi=SpreadOnDemand(fire.potentials, periods, len(SIXTEEN.offsets), shape, fire.table.most_gain),
        gamma=np.broadcast_to(fire.ground.burnable.astype(np.float32), (count, *shape)),
        burnable=fire.ground.burnable,
        wind_speed=speed,
        wind_dir=towards,
        ignition=ignition,
        t_burn=model.physical.burn_steps(event.steps_per_day),
        steps_per_day=event.steps_per_day,
        cell_size_m=event.grid.cell_size_m,
        c_req=PAPER_COVERAGE,
        periods_per_day=weather.periods_per_day,
        drop_cells=(
            None
            if flame_limit_m is None
            else DropCells.of(partial(_drops_work, fire.ground, flame_limit_m, first), count, shape)
        ),
        moving_start=model.physical.moving_start,
    )


def _drops_work(
    ground: PhysicalGround, limit: float, first: int, number: int, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.bool_]:
    period = first + number
    wind = ground.weather.wind_of_cells(period, rows, columns)
    works: NDArray[np.bool_] = ground.flame_length(period, wind, (rows, columns)) <= limit
    return works
