"""Memory layout of a fire for the active-front kernels.

The raster is cut into tiles of 4 × 16 cells. Fields (``U``, ``S``, …) are flat float32 arrays of whole rows with two
rows of margin above and below and 16 columns left and right, so that no kernel tests for an edge; what lies outside the
raster never burns because its gains are 0. Gains are contiguous per tile: ``[period, tile, row in tile, N, 16]`` for
``N = 8`` or 16 neighbours. Sets of tiles are bits of 64-bit words, ``words`` per row of tiles, so that they are walked
in raster order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from threading import Condition, Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import MAXIMUM_FACTOR, SpreadOnDemand
from firegui.domain.maps import FireMaps
from firegui.domain.stencil import NEIGHBOURS, Stencil
from firegui.native.compiled import kernel
from firegui.rollout.gains import passable
from firegui.rollout.kernels.board import HelperThread
from firegui.rollout.reused_threads import ReusedThreads

Floats = NDArray[np.float32]
Words = NDArray[np.int64]
Slots = NDArray[Any] | tuple[()]

TILE_ROWS, LANES = 4, 16
MARGIN_ROWS, MARGIN = 2, 16
CACHE_LINE, PAGE = 64, 4096
PLACE_LINES = 7
SMALLEST_DECAY = 1e-15
"""Stands for the factor 0 of a burn of one step: what it leaves of ``B`` gives exposures far below the cut-off."""
LARGEST_SCALE = 1e30
CUT_OFF = np.float32(2.0**-25)
"""Exposures up to here ignite nothing in float32: ``1 − e^{−h}`` rounds to 0."""
SMALLEST_LOG = 1 << 14
"""Pieces that a log has room for at first."""
SUM_FIRE, SUM_PROT, SCORED, SCORED_PROT, UNSCORED, ALIGHT = range(6)
"""Running sums: Σ P_t, Σ P_t · density, and what they add up to over the scored states; Σ P_t over the others. Last, a
step from which on nothing burns any more, as far as is known."""


class Gains(NamedTuple):
    """Gains ``K`` of the periods' tiles.

    Where they are laid out whole, they are contiguous and the rest is empty. Else ``slots [period, tile]`` says in
    which place of ``values`` a tile's are, −1 where they have not been made, and ``made`` has the bits of those that
    have been, per period. Emissions up to ``faintest`` ignite nothing in a tile, whatever its gains.
    """

    values: Floats
    slots: Slots
    made: Slots
    faintest: np.float32


class Sizes(NamedTuple):
    """Sizes that the kernels index with."""

    rows: int
    columns: int
    tile_rows: int
    tile_columns: int
    words: int
    stride: int
    cells: int
    """Length of a field."""
    knights: tuple[int, ...]
    """Where the knight's moves of a cell lie in a field, from that cell; none for 8 neighbours.

    The length is part of the type, so that kernels are compiled for each stencil: ``if len(knights) > 0`` is decided
    when they are.
    """

    def offset(self, row: int, column: int) -> int:
        """Return where a cell lies in a field."""
        return (row + MARGIN_ROWS) * self.stride + MARGIN + column


class Decay(NamedTuple):
    """Powers ``decay[k] = (1 − 1/T_burn)^k`` and their inverses.

    ``k`` counts the steps since ``S`` was last rescaled, every ``period`` steps of a day. Gains change every
    ``steps_per_period`` steps.
    """

    steps_per_day: int
    steps_per_period: int
    period: int
    decay: Floats
    growth: Floats


class StateFields(NamedTuple):
    """State of a rollout.

    ``S = B / decay[k]`` changes only where something ignites, so a sleeping cell costs nothing; ``emission`` is
    ``ρ_e S``, what the stencil reads; ``dose`` is 0 between drops. The last two are the gradient's: ``a`` with
    ``g_t = a − l · n_t`` (n_t scored states after t), and ``C`` followed by what water sees of one step.
    """

    unburned: Floats
    scaled: Floats
    emission: Floats
    retardant: Floats
    dose: Floats
    adjoint: Floats
    collected: Floats


class Marks(NamedTuple):
    """Sets of tiles: to be run at this step, at the next, ever burning, and with retardant.

    ``beyond`` is the second half's part of ``after``.
    ``rows`` are the first and last row of tiles that ever burned: only there and one row further anything is awake, so
    that a step does not look at the rest of the raster.
    """

    now: Words
    after: Words
    beyond: Words
    touched: Words
    treated: Words
    rows: Words


class Constants(NamedTuple):
    """Constants of a rollout.

    ``first_water`` and ``last_water`` are the first and the last step at which water is flown, ``n_steps`` and −1 where
    none is: of the whole schedule, so that a resumed rollout does what the whole one does. The log begins anew after
    ``most_logged`` pieces.
    """

    density: Floats
    has_density: NDArray[np.uint8]
    plain_slope: np.float32
    receiver: bool
    emitter: bool
    first_scored: int
    n_steps: int
    first_water: int
    last_water: int
    burn_limit: float
    final_limit: float
    prot_limit: float
    dense: bool
    keep: bool
    most_logged: int
    extent: float


@dataclass(slots=True, eq=False)
class Workspace:
    """Reusable memory of a rollout: fields at their rest values, and logs of any content."""

    fields: StateFields
    marks: Marks
    log_places: NDArray[np.int32]
    log_values: Floats
    stamps: NDArray[np.int32]
    scratch: dict[str, NDArray[Any]]
    partner: HelperThread

    def room(self, name: str, count: int, kind: type[np.generic]) -> NDArray[Any]:
        """Return an array of at least ``count`` numbers of any content, the same for the same name.

        Fresh memory costs a visit of the operating system per page, which is more than most rollouts do with it.
        """
        kept = self.scratch.get(name)
        if kept is None or len(kept) < count:
            kept = self.scratch[name] = np.empty(max(count, 64) * 5 // 4, kind)
        return kept


class Workspaces:
    """Workspaces of the rollouts on rasters of one shape, and threads on which they run side by side."""

    def __init__(self, shape: Sizes) -> None:
        self.shape = shape
        self._idle: list[Workspace] = []
        self._threads: dict[int, ReusedThreads] = {}
        self._lock = Lock()

    def threads(self, count: int) -> ReusedThreads:
        """Return ``count`` threads for rollouts that run side by side."""
        with self._lock:
            return self._threads.setdefault(count, ReusedThreads(count, "firegui rollout"))

    @contextmanager
    def one(self) -> Iterator[Workspace]:
        """Yield a workspace for one rollout, which has to leave it at rest.

        A workspace that an error left is thrown away.
        """
        with self._lock:
            space = self._idle.pop() if self._idle else self._new()
        yield space
        with self._lock:
            self._idle.append(space)

    def _new(self) -> Workspace:
        cells, words = self.shape.cells, self.shape.tile_rows * self.shape.words
        fields = _fields(cells)
        fields.unburned[:], fields.retardant[:] = 1.0, 1.0
        now, after, beyond, touched, treated = (np.zeros(words, np.int64) for _ in range(5))
        marks = Marks(now, after, beyond, touched, treated, np.array([self.shape.tile_rows, -1]))
        stamps = np.full(self.shape.tile_rows * self.shape.tile_columns * TILE_ROWS, -1, np.int32)
        return Workspace(
            fields,
            marks,
            np.empty((SMALLEST_LOG, 2), np.int32),
            unset(SMALLEST_LOG * LANES),
            stamps,
            {},
            HelperThread(),
        )


class Layout:
    """A fire laid out for the kernels."""

    def __init__(
        self, maps: FireMaps, start: NDArray[np.float32], gains: Gains | GainsOnDemand, spaces: Workspaces | None = None
    ) -> None:
        """Lay out ``maps`` with its :func:`tiled_gains`. The fire is ``start [H, W]``: ``P`` at ``t = 0``.

        ``spaces`` are those of rasters of this shape; without them it has its own.
        """
        self.shape = shape_of(*maps.shape, maps.stencil)
        self.spaces = Workspaces(self.shape) if spaces is None else spaces
        self.clock = clock_of(maps)
        self.on_demand = None if isinstance(gains, Gains) else gains
        self.gains = gains if isinstance(gains, Gains) else gains.gains
        self.ignition = places_of(maps.ignition, self.shape)
        self.burned_out = places_of(maps.start.burned, self.shape)
        is_ahead = (start > 0.0) & ~maps.start.fire
        self.ahead, self.ahead_shares = places_of(is_ahead, self.shape), start[is_ahead]

    def reading(self) -> AbstractContextManager[None]:
        """Return a context in which kernels read the gains."""
        return nullcontext() if self.on_demand is None else self.on_demand.reading()

    def workspace(self) -> AbstractContextManager[Workspace]:
        """Return the context of a workspace for one rollout."""
        return self.spaces.one()


def places_of(cells: NDArray[np.bool_], shape: Sizes) -> Words:
    """Return where ``cells [H, W]`` lie in a field."""
    rows, columns = np.nonzero(cells)
    return ((rows + MARGIN_ROWS) * shape.stride + MARGIN + columns).astype(np.int64)


def shape_of(rows: int, columns: int, stencil: Stencil) -> Sizes:
    """Return tiles and strides of a raster."""
    tile_rows, tile_columns = -(-rows // TILE_ROWS), -(-columns // LANES)
    stride = tile_columns * LANES + 2 * MARGIN
    cells = (tile_rows * TILE_ROWS + 2 * MARGIN_ROWS) * stride
    knights = tuple(row * stride + column for row, column in stencil.offsets[len(NEIGHBOURS) :])
    return Sizes(rows, columns, tile_rows, tile_columns, -(-tile_columns // 64), stride, cells, knights)


def clock_of(maps: FireMaps) -> Decay:
    """Return powers of the fraction that burns on.

    ``S`` is rescaled once a day, or before its scale leaves float32.
    """
    rate = max(1.0 - 1.0 / maps.t_burn, SMALLEST_DECAY)
    longest = int(math.log(LARGEST_SCALE) / -math.log(rate)) if rate < 1.0 else maps.steps_per_day
    period = max(1, min(maps.steps_per_day, longest))
    powers = rate ** np.arange(period + 1)
    return Decay(
        maps.steps_per_day, maps.steps_per_period, period, powers.astype(np.float32), (1.0 / powers).astype(np.float32)
    )


def tiled_gains(maps: FireMaps) -> Gains | GainsOnDemand:
    """Return the gains of ``maps`` by tile, laid out whole where the maps are."""
    shape = shape_of(*maps.shape, maps.stencil)
    if isinstance(maps.phi, SpreadOnDemand):
        return GainsOnDemand(maps, shape)
    return Gains(lay_out(maps, shape), (), (), np.float32(0.0))


def lay_out(maps: FireMaps, shape: Sizes) -> Floats:
    """Return ``K_n(x) = clip(γ, 0, 100) clip(φ_n, 0, 100) burnable Π_z burnable(z)`` per tile.

    The products are those of the dense layout.
    """
    burnable, phi = usual(maps.burnable, np.bool_), usual(np.asarray(maps.phi), np.float32)
    tiles = len(phi) * shape.tile_rows * shape.tile_columns
    gains = aligned(tiles * TILE_ROWS * phi.shape[1] * LANES)
    _lay_out(phi, usual(maps.gamma, np.float32), burnable, free_moves(maps), shape, gains)
    return gains


def free_moves(maps: FireMaps) -> NDArray[np.bool_]:
    """Return ``[N − 8, H, W]``: where each knight's move passes burnable cells."""
    stencil = maps.stencil
    passing = [passable(maps.burnable, stencil.between(n)) for n in range(len(NEIGHBOURS), len(stencil.offsets))]
    return np.array(passing, bool).reshape(-1, *maps.shape)


MOST_MADE_BYTES = 1 << 30
"""Gains that are made on demand and kept."""


class GainsOnDemand:
    """Gains that are made for the tiles that a fire reaches, and kept for every rollout on the same maps.

    What has been made stays where it is until there is no more room: then all of it is forgotten, once no rollout is
    :meth:`reading`, and is made again where it is needed. Forward kernels look at every step whether something is
    missing; a backward pass asks for what it needs of a period.
    """

    def __init__(self, maps: FireMaps, shape: Sizes) -> None:
        assert isinstance(maps.phi, SpreadOnDemand)
        self._maps, self._phi, self._shape = maps, maps.phi, shape
        self._free = free_moves(maps)
        self._lock, self._turn, self._readers = Lock(), Condition(), 0
        tiles, count = shape.tile_rows * shape.tile_columns, len(maps.stencil.offsets)
        self._tile = TILE_ROWS * count * LANES
        self._room = max(min(MOST_MADE_BYTES // (4 * self._tile), tiles * len(maps.phi)), tiles)
        self._used = 0
        self._ever = np.zeros((len(maps.phi), tiles), bool)
        strongest = count * min(maps.phi.most, MAXIMUM_FACTOR) * min(float(maps.gamma.max(initial=0.0)), MAXIMUM_FACTOR)
        self._slots = np.full(len(maps.phi) * tiles, -1, np.int32)
        self._made = np.zeros(len(maps.phi) * shape.tile_rows * shape.words, np.int64)
        faintest = np.float32(0.5 * CUT_OFF / max(strongest, 1.0))
        self.gains = Gains(unset(self._room * self._tile), self._slots, self._made, faintest)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep what has been made from being forgotten while a kernel reads it."""
        with self._turn:
            self._readers += 1
        try:
            yield
        finally:
            with self._turn:
                self._readers -= 1
                self._turn.notify_all()

    def make(self, period: int, wanted: NDArray[np.bool_]) -> None:
        """Make the gains of a period in the tiles ``wanted [tiles]``. The caller is not :meth:`reading`."""
        shape, tiles = self._shape, len(wanted)
        slots = self._slots[period * tiles : (period + 1) * tiles]
        with self._lock:
            chosen = np.flatnonzero(wanted & (slots < 0))
            if not len(chosen):
                return
            if self._used + len(chosen) > self._room:
                self._forget()
                chosen = np.flatnonzero(wanted)
            first, last = self._used, self._used + len(chosen)
            self.gains.values[first * self._tile : last * self._tile] = self._gains_of(period, chosen).reshape(-1)
            slots[chosen] = np.arange(first, last, dtype=np.int32)
            self._used = last
            self._ever[period, chosen] = True
            words = self._made[period * shape.tile_rows * shape.words :]
            row, column = np.divmod(chosen, shape.tile_columns)
            np.bitwise_or.at(words, row * shape.words + column // 64, np.int64(1) << (column % 64))

    def make_again(self, period: int, places: NDArray[np.int32], watched: NDArray[np.int32]) -> None:
        """Make what a backward pass needs of a period and what has been forgotten.

        ``places`` are rows of tiles that ignited, and ``watched`` others, of which the forward pass may have needed the
        tiles or not.
        """
        wanted = np.zeros(self._ever.shape[1], bool)
        wanted[watched >> 2] = True
        wanted &= self._ever[period]
        wanted[places >> 2] = True
        self.make(period, wanted)

    def _forget(self) -> None:
        with self._turn:
            self._turn.wait_for(lambda: self._readers == 0)
            self._made[:], self._slots[:], self._used = 0, -1, 0

    def _gains_of(self, period: int, tiles: Words) -> Floats:
        """Return ``[tile, row in tile, N, lane]``."""
        maps, shape = self._maps, self._shape
        row, column = np.divmod(tiles, shape.tile_columns)
        rows = np.repeat((row[:, None] * TILE_ROWS + np.arange(TILE_ROWS))[:, :, None], LANES, axis=2)
        columns = np.repeat((column[:, None] * LANES + np.arange(LANES))[:, None], TILE_ROWS, axis=1)
        inside = (rows < shape.rows) & (columns < shape.columns)
        rows, columns = np.minimum(rows, shape.rows - 1), np.minimum(columns, shape.columns - 1)
        burnable = inside & maps.burnable[rows, columns]
        wide = np.where(burnable, np.clip(maps.gamma[period][rows, columns], 0.0, MAXIMUM_FACTOR), np.float32(0.0))
        gains = np.clip(self._phi.of_cells(period, rows, columns), 0.0, MAXIMUM_FACTOR) * wide
        gains[len(NEIGHBOURS) :] *= self._free[:, rows, columns]
        return np.ascontiguousarray(np.moveaxis(gains, 0, 2))


def aligned(count: int) -> Floats:
    """Return zeros that begin at a page.

    A vector of 16 that straddles two cache lines costs twice the time.
    """
    numbers = unset(count)
    numbers[:] = 0.0
    return numbers


def unset(count: int) -> Floats:
    """Return the same with any content. Unlike memory of zeros, numpy asks for this in large pages."""
    spare = np.empty(count + PAGE // 4, np.float32)
    skip = -spare.ctypes.data % PAGE // spare.itemsize
    return spare[skip : skip + count]


def _fields(cells: int) -> StateFields:
    """Return all fields from one piece of memory, which the system can map with large pages.

    Each begins at another line of a page: processors take a load for one that depends on a store to the same place in
    another page.
    """
    apart = -(-cells // PAGE) * PAGE + PLACE_LINES * CACHE_LINE // 4
    sizes = [apart] * (len(StateFields._fields) - 1) + [2 * apart]
    starts = np.cumsum([0, *sizes])
    block = aligned(int(starts[-1]))
    lengths = [cells] * (len(sizes) - 1) + [2 * cells]
    return StateFields(*(block[start : start + length] for start, length in zip(starts, lengths, strict=False)))


def usual(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    """Return the array in the one form that the kernels are compiled for; a copy where it has another."""
    return np.require(array, kind, ["C", "W"])


def field_of(raster: NDArray[np.generic], shape: Sizes) -> Floats:
    """Return a raster as a field, 0 outside."""
    field = aligned(shape.cells)
    raster_of(field, shape)[:] = raster
    return field


def raster_of(field: Floats, shape: Sizes) -> Floats:
    """Return the raster inside a field, a view ``[H, W]``."""
    whole = field.reshape(-1, shape.stride)
    return whole[MARGIN_ROWS : MARGIN_ROWS + shape.rows, MARGIN : MARGIN + shape.columns]


@kernel
def _lay_out(
    phi: Floats, gamma: Floats, burnable: NDArray[np.bool_], free: NDArray[np.bool_], shape: Sizes, gains: Floats
) -> None:
    top = np.float32(MAXIMUM_FACTOR)
    zero = np.float32(0.0)
    tiles, count = shape.tile_rows * shape.tile_columns, phi.shape[1]
    for day in range(phi.shape[0]):
        for i in range(shape.rows):
            first = (day * tiles + i // 4 * shape.tile_columns) * 4 + i % 4
            for n in range(count):
                for j in range(shape.columns):
                    if burnable[i, j] and (n < 8 or free[n - 8, i, j]):
                        wide = min(max(gamma[day, i, j], zero), top)
                        at = ((first + j // 16 * 4) * count + n) * 16 + j % 16
                        gains[at] = min(max(phi[day, n, i, j], zero), top) * wide
