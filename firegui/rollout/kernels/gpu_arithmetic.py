"""Arithmetic that the Triton kernels share. Imported only where Triton is installed."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc"

from __future__ import annotations

import triton
import triton.language as tl

from firegui.domain.stencil import NEIGHBOURS, SIXTEEN

# The stencil: offsets to the eight nearest neighbours, then to the knight's moves, and to the two cells that each of
# those passes, one move after another.
NEAREST = tl.constexpr(len(NEIGHBOURS))
OFFSETS = tl.constexpr(SIXTEEN.offsets)
BETWEEN = tl.constexpr(tuple(cell for n in range(len(SIXTEEN.offsets)) for cell in SIXTEEN.between(n)))

# Bits of a tile's flag: what it did at the last step, and what it has ever seen.
IGNITED = tl.constexpr(1)  # a cell of it ignited: its neighbours may be reached
TOUCHED = tl.constexpr(2)  # it has held fire
AGAIN = tl.constexpr(4)  # it has to be run once more: an exposure counts, or its two emission buffers differ
TREATED = tl.constexpr(8)  # a drop has reached it
KEPT = tl.constexpr(10)  # TOUCHED | TREATED, what a sleeping tile keeps

# Columns of the table of steps.
SCALE = tl.constexpr(0)  # B_t = S · fold · scale
FOLD = tl.constexpr(1)  # rescales S at a day's start
KEEP = tl.constexpr(2)  # what a step leaves of S
GAIN = tl.constexpr(3)  # what an ignition adds to S
SCORED = tl.constexpr(4)  # 1 where state t + 1 counts
LEFT = tl.constexpr(5)  # number of scored states from t + 1 on
ROUSE = tl.constexpr(6)  # 1 where everything touched is run, because K changes or B is not scaled
TABLE = tl.constexpr(8)  # columns

# Columns of a list of drops.
FINE_Y = tl.constexpr(0)  # landing minus the centre cell of the window
FINE_X = tl.constexpr(1)
COS = tl.constexpr(2)
SIN = tl.constexpr(3)
ALONG = tl.constexpr(4)  # 1 / (σ∥² + 1/12)
ACROSS = tl.constexpr(5)
DOSE = tl.constexpr(6)  # P α
HALF = tl.constexpr(7)
CENTRE_Y = tl.constexpr(8)
CENTRE_X = tl.constexpr(9)
WATER = tl.constexpr(10)  # 1 for water, 0 for retardant
TILE_TOP = tl.constexpr(11)  # tiles that the footprint can reach
TILE_LEFT = tl.constexpr(12)
TILES_DOWN = tl.constexpr(13)
TILES_RIGHT = tl.constexpr(14)
PAIR = tl.constexpr(15)  # its first (drop, tile) pair
FIRST = tl.constexpr(16)  # the drops of the same step and run
END = tl.constexpr(17)
RUN = tl.constexpr(18)
STEP = tl.constexpr(19)
FAR = tl.constexpr(20)  # exponent beyond which the Gaussian is not evaluated
DROP = tl.constexpr(21)  # columns

CUT_OFF = tl.constexpr(2.0**-25)
MAXIMUM_DOSE = tl.constexpr(50.0)
CAPPED = tl.constexpr(1.9287498479639178e-22)  # exp(−50) in float32


@triton.jit
def ignition(heat):
    """Return ``1 − exp(−h)`` for ``h ≥ 0``.

    It is exactly 0 for ``h ≤ 2⁻²⁵``, because the last addition of ``exp`` rounds once. ``exp(−h) = 2⁻ⁿ exp(f)`` with
    ``f = n ln 2 − h`` in two parts and a Taylor polynomial of degree 7.
    """
    clipped = tl.minimum(heat, 80.0)
    n = tl.floor(clipped * 1.44269502162933349609375 + 0.5)
    f = tl.fma(n, 0.693145751953125, -clipped)
    f = tl.fma(n, 1.428606765330187045e-06, f)
    p = tl.fma(f, 1.0 / 5040.0, 1.0 / 720.0)
    p = tl.fma(p, f, 1.0 / 120.0)
    p = tl.fma(p, f, 1.0 / 24.0)
    p = tl.fma(p, f, 1.0 / 6.0)
    p = tl.fma(p, f, 0.5)
    p = tl.fma(p, f, 1.0)
    p = tl.fma(f, p, 1.0)
    power = ((127 - n.to(tl.int32)) << 23).to(tl.float32, bitcast=True)
    return 1.0 - p * power


@triton.jit
def beside(field, row, column, rows, columns, width, DY: tl.constexpr, DX: tl.constexpr, OUTSIDE: tl.constexpr):
    """Return the values at an offset from every cell of a block, ``OUTSIDE`` where there is no cell."""
    there = (row < rows) & (column < columns)
    there = there & (row + DY >= 0) & (row + DY < rows) & (column + DX >= 0) & (column + DX < columns)
    return tl.load(field + (row + DY) * width + (column + DX), mask=there, other=OUTSIDE)


@triton.jit
def passed(passing, row, column, rows, columns, width, N: tl.constexpr):
    """Return ``Π_z r(z)`` of the two cells between which the line to knight's move ``N`` passes."""
    Z: tl.constexpr = 2 * (N - NEAREST)
    first = beside(passing, row, column, rows, columns, width, BETWEEN[Z][0], BETWEEN[Z][1], 1.0)
    return first * beside(passing, row, column, rows, columns, width, BETWEEN[Z + 1][0], BETWEEN[Z + 1][1], 1.0)


@triton.jit
def weigh(drop, row, column):
    """Return exponent terms of a drop's Gaussian at offsets ``(row, column)``, float64.

    Offsets are from its centre cell.

    Returns ``G``, 0 beyond its ``FAR`` and outside the square window, and the distances to the landing point.
    """
    cos, sin = tl.load(drop + COS), tl.load(drop + SIN)
    along, across, half = tl.load(drop + ALONG), tl.load(drop + ACROSS), tl.load(drop + HALF)
    dy, dx = row - tl.load(drop + FINE_Y), column - tl.load(drop + FINE_X)
    qxx = cos * cos * along + sin * sin * across
    qyy = sin * sin * along + cos * cos * across
    qxy = -cos * sin * (along - across)
    exponent = -0.5 * (qxx * dx * dx + 2.0 * qxy * dx * dy + qyy * dy * dy)
    counts = (exponent >= tl.load(drop + FAR)) & (tl.abs(row) <= half) & (tl.abs(column) <= half)
    return tl.where(counts, tl.exp(exponent), 0.0), dy, dx


@triton.jit
def works_at(working, period, row, column, rows, columns):
    """Return where drops work in a period, false outside the raster."""
    there = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    at = period.to(tl.int64) * rows * columns + row * columns + column
    return tl.load(working + at, mask=there, other=0) != 0


@triton.jit
def band(drop, first, LONG: tl.constexpr, WIDE: tl.constexpr):
    """Return offsets ``(row, column) [LONG, WIDE]`` of the cells about the long axis.

    They begin at its ``first``. The window is walked along the coordinate that the axis is closer to. Across it, the
    Gaussian at a fixed distance ``a`` is centred at ``−q_xy a / q``, with a standard deviation of at most ``√2 σ⊥``;
    ``WIDE`` covers what counts.
    """
    cos, sin = tl.load(drop + COS), tl.load(drop + SIN)
    along, across, half = tl.load(drop + ALONG), tl.load(drop + ACROSS), tl.load(drop + HALF)
    fine_y, fine_x = tl.load(drop + FINE_Y), tl.load(drop + FINE_X)
    flat = tl.abs(cos) >= tl.abs(sin)
    major = (first + tl.arange(0, LONG)).to(tl.float64) - half
    own, other = tl.where(flat, fine_x, fine_y), tl.where(flat, fine_y, fine_x)
    q = tl.where(flat, sin * sin * along + cos * cos * across, cos * cos * along + sin * sin * across)
    middle = tl.floor(other + cos * sin * (along - across) * (major - own) / q + 0.5)
    minor = middle[:, None] + (tl.arange(0, WIDE)[None, :] - WIDE // 2).to(tl.float64)
    across_it = major[:, None] + minor * 0.0
    return tl.where(flat, minor, across_it), tl.where(flat, across_it, minor)
