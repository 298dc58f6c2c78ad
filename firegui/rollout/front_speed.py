"""Speed of the fire's front on uniform ground, by formula and as measured in a rollout.

On uniform gains ``K_n`` a straight front with the normal ``n`` moves at the speed of a pulled front,

    v(n) = min over λ > 0 of ln(1 − 1/T_b + Σ_k K_k exp(λ n·d_k)) / λ        cells per step,

with ``d_k`` the displacement from neighbour ``k`` to the cell and ``T_b`` the burn duration in steps. A fire that
starts from a spot takes the shape ``{x : x·n ≤ v(n) t for every n}``. Its support function ``h(n) = max x·n`` is
``v(n) t`` where ``v`` is itself the support function of a convex shape, such as an ellipse, and less elsewhere.

A measured front is slower than the formula. A pulled front's speed is approached like ``1/t``, and in float32 the tail
that pulls it ends at the cut-off of the exponential (``DESIGN.md``). Both slow a front on a line as much
(:mod:`~firegui.rollout.line_front`), which tells how much of a difference is theirs. Where a single gain is above 0.5,
rounding the least ignition up to a whole step of float32 can also make it faster: the tail then goes on by itself at
the neighbour's distance a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.front import EllipseFront, Floats, FrontSettings, FrontSpeeds
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.stencil import stencil_of
from firegui.errors import Check, InputError, Problem, Problems
from firegui.rollout.line_front import BEHIND, line_front_speeds
from firegui.rollout.simulate import prepare, simulate

DIRECTIONS = 32
_STEEPNESS = np.geomspace(1e-3, 60.0, 4000)
"""The ``λ`` that are tried: 0.3 % apart, so the speed at the minimum is right to 1e-5."""
_RAYS = 720
_START_RADIUS, _MARGIN = 3.0, 12
_RAY_STEP = 0.25
_THIRDS = 3
_MOST_HALF_WIDTH = 400.0
"""The widest half of the strip of a straight front."""
_MIDDLE, _MIDDLE_RAYS = 3.0, 13
_FIT_ROUNDS = 120


def directions_of(count: int = DIRECTIONS) -> Floats:
    """Return ``count`` directions, equally spaced, from east counter-clockwise."""
    return np.linspace(0.0, 2.0 * np.pi, count, endpoint=False, dtype=np.float64)


def front_speed(gains: NDArray[Any], t_burn: float, directions: Floats) -> Floats:
    """Return ``v(n) [M]`` for the uniform ``gains [N]`` along ``directions [M]``.

    It is 0 or less along directions in which the fire does not advance. Raises :class:`~firegui.errors.InputError` for
    gains of another stencil, for gains that are negative or not finite, and for a burn of less than a step.
    """
    gains = np.asarray(gains, np.float64)
    stencil_of(len(gains))
    if not (np.isfinite(gains).all() and (gains >= 0.0).all()):
        raise InputError([Problem("gains", "some are negative or not finite", "give 0 or more")])
    if not t_burn >= 1.0:
        raise InputError([Problem("burn duration", f"is {t_burn:g} steps", "give 1 or more")])
    return _pulled(gains, t_burn, _growths(len(gains), directions))[0]


def _along(neighbours: int, directions: Floats) -> Floats:
    """Return ``n·d_k [N, M]`` of every neighbour and direction."""
    stencil = stencil_of(neighbours)
    ways = np.array([stencil.displacement(n) for n in range(neighbours)], np.float64)
    along: Floats = ways[:, 1, None] * np.cos(directions) - ways[:, 0, None] * np.sin(directions)
    return along  # rows count southward


def _growths(neighbours: int, directions: Floats) -> Floats:
    """Return ``exp(λ n·d_k) [N, M, L]`` of every neighbour, direction and ``λ`` that is tried."""
    growths: Floats = np.exp(_along(neighbours, directions)[:, :, None] * _STEEPNESS)
    return growths


def _pulled(gains: Floats, t_burn: float, growths: Floats) -> tuple[Floats, Floats]:
    """Return ``v(n) [M]`` and its derivatives by the gains ``[M, N]``, those of the least ``λ``."""
    total = 1.0 - 1.0 / t_burn + np.einsum("n,nml->ml", gains, growths)
    # A fire that dies everywhere has no growth at all, whose logarithm is −∞.
    with np.errstate(divide="ignore"):
        speeds = np.log(total) / _STEEPNESS
    rows, least = np.arange(len(speeds)), speeds.argmin(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = growths[:, rows, least] / (total[rows, least] * _STEEPNESS[least])
    return speeds[rows, least], slopes.T


def ellipse_speed(settings: FrontSettings, directions: Floats) -> Floats:
    """Return the support function per step of the ellipse, with the fire's start in its rear focus."""
    eccentricity = np.sqrt(1.0 - settings.length_to_width**-2)
    length = settings.speed / (1.0 + eccentricity)
    ahead = np.cos(directions - np.radians(settings.wind_towards))
    across = (1.0 - ahead**2) / settings.length_to_width**2
    speeds: Floats = length * (eccentricity * ahead + np.sqrt(ahead**2 + across))
    return speeds


def fit_gains(wanted: Floats, neighbours: int, t_burn: float, directions: Floats) -> Floats:
    """Return gains ``[N]`` whose ``v(n)`` comes nearest to the ``wanted`` speeds ``[M]``, all above 0.

    They are the least squares of ``v(n) / wanted − 1``, by Levenberg's and Marquardt's steps on ``√K``, so that no gain
    is negative. The start has small gains of the knight's moves.
    """
    growths, stencil = _growths(neighbours, directions), stencil_of(neighbours)
    roots = np.array([np.hypot(*stencil.displacement(n)) ** -2.0 for n in range(neighbours)])
    roots *= np.sqrt(0.5 / np.sum(roots**2))
    damping = 1e-3

    def linearized(roots: Floats) -> tuple[Floats, Floats]:
        speeds, slopes = _pulled(roots**2, t_burn, growths)
        return speeds / wanted - 1.0, slopes * 2.0 * roots / wanted[:, None]

    errors, slopes = linearized(roots)
    for _ in range(_FIT_ROUNDS):
        normal, cost = slopes.T @ slopes, errors @ errors
        damped = normal + damping * np.trace(normal) / neighbours * np.eye(neighbours)
        tried = np.abs(roots - np.linalg.solve(damped, slopes.T @ errors))
        found = linearized(tried)
        gained = cost - found[0] @ found[0]
        if gained > 0.0:
            roots, (errors, slopes), damping = tried, found, max(damping / 5.0, 1e-12)
        else:
            damping *= 4.0
        if 0.0 < gained < 1e-6 * cost or damping > 1e4:
            break
    gains: Floats = roots**2
    return gains


def ellipse_front(settings: FrontSettings, check: Check | None = None) -> EllipseFront:
    """Fit gains to an ellipse, and measure the front of their fire along 32 directions.

    A correction fits the gains again, to the ellipse times what is missing in the measurement: at most half or twice
    the speed each time. Raises :class:`~firegui.errors.InputError` for settings that cannot be measured.
    """
    problems = Problems()
    problems.extend(settings.problems())
    problems.raise_if_any("The front cannot be measured")
    directions = directions_of()
    ellipse = ellipse_speed(settings, directions)
    wanted = ellipse
    for correction in range(settings.corrections + 1):
        gains = fit_gains(wanted, settings.neighbours, settings.burn_steps, directions)
        measure = measure_straight_fronts if settings.straight else measure_front
        speeds = measure(gains, settings.burn_steps, cells=settings.distance, directions=directions, check=check)
        if correction < settings.corrections:
            wanted = wanted * np.clip(ellipse / np.maximum(speeds.measured, 1e-9), 0.5, 2.0)
    return EllipseFront(settings, gains, ellipse, speeds)


def support_speed(gains: NDArray[Any], t_burn: float, directions: Floats) -> Floats:
    """Return the support function per step of the shape that a fire from a spot takes.

    It is right for gains under which the fire advances in every direction.
    """
    normals = directions_of(_RAYS)
    speeds = front_speed(gains, t_burn, normals)
    cosines = np.cos(normals[:, None] - normals[None, :])
    with np.errstate(divide="ignore"):
        radii = np.where(cosines > 1e-6, speeds[:, None] / cosines, np.inf).min(axis=0)
    return _support(radii, normals, directions)


def measure_front(
    gains: NDArray[Any],
    t_burn: float,
    *,
    cells: int = 150,
    directions: Floats | None = None,
    moving_start: bool = False,
    backend: str = "cpu",
    precision: str = "float32",
    check: Check | None = None,
) -> FrontSpeeds:
    """Measure the speed of the front on uniform ``gains [N]``, and compare it with the formula.

    The fire starts from a disc of three cells and runs until its fastest point has gone about ``cells`` cells; speeds
    are those of the second half. With ``moving_start`` the disc's front is in motion at the start; the line of the
    comparison never is. Raises :class:`~firegui.errors.InputError` like :func:`front_speed`, and where the
    fire does not advance in every direction.
    """
    _check_advance(gains, t_burn)
    where = directions_of() if directions is None else directions
    formula, support = front_speed(gains, t_burn, where), support_speed(gains, t_burn, where)
    east, north, west, south = support_speed(gains, t_burn, directions_of(4))
    fastest = max(support.max(), east, north, west, south)
    half = max(int(np.ceil(0.5 * cells / fastest)), 1)
    reach = [int(np.ceil(2 * half * speed)) + _MARGIN for speed in (north, south, west, east)]
    middle, shape = (reach[0], reach[2]), (reach[0] + reach[1] + 1, reach[2] + reach[3] + 1)
    rows, columns = np.indices(shape)
    ignition = np.hypot(rows - middle[0], columns - middle[1]) <= _START_RADIUS
    ground = np.ones(shape, bool)
    states = _states(gains, t_burn, ground, ignition, (half, 2), backend, precision, check, moving_start=moving_start)
    rays = directions_of(_RAYS)
    before, after = (_support(_radii(state, middle, rays), rays, where) for state in states)
    steps = np.full(len(where), half)
    cells_ahead = np.ceil(2 * half * formula).astype(np.int64) + _MARGIN
    line = line_front_speeds(gains, t_burn, where, (steps, 2 * steps), cells_ahead)
    return FrontSpeeds(where, formula, line, support, (after - before) / half, steps)


def measure_straight_fronts(
    gains: NDArray[Any],
    t_burn: float,
    *,
    cells: int = 150,
    directions: Floats | None = None,
    backend: str = "cpu",
    precision: str = "float32",
    check: Check | None = None,
) -> FrontSpeeds:
    """Measure the speed of straight fronts on uniform ``gains [N]``, and compare it with the formula.

    Each runs until it has gone about ``cells`` cells along its normal, in a strip so wide that its sides do not reach
    the middle; the speed is that of the last third. Raises :class:`~firegui.errors.InputError` like
    :func:`measure_front`.
    """
    _check_advance(gains, t_burn)
    where = directions_of() if directions is None else directions
    formula = front_speed(gains, t_burn, where)
    measured, steps = np.zeros(len(where)), np.ceil(cells / (_THIRDS * formula)).astype(np.int64)
    right, left = (support_speed(gains, t_burn, where + turn) for turn in (-np.pi / 2.0, np.pi / 2.0))
    half_widths = np.minimum(_THIRDS * steps * np.maximum(right, left), _MOST_HALF_WIDTH) + _MARGIN
    for number, (angle, third, half_width) in enumerate(zip(where, steps, half_widths, strict=True)):
        strip = _Strip.of(float(angle), cells + _MARGIN, float(half_width))
        ground, started = strip.ground()
        states = _states(gains, t_burn, ground, started, (int(third), _THIRDS), backend, precision, check)
        before, after = (strip.reached(state) for state in states[-2:])
        measured[number] = (after - before) / third
    between = (_THIRDS - 1) * steps, _THIRDS * steps
    line = line_front_speeds(gains, t_burn, where, between, np.full(len(where), cells + _MARGIN))
    return FrontSpeeds(where, formula, line, formula, measured, steps)


def _check_advance(gains: NDArray[Any], t_burn: float) -> None:
    if not front_speed(gains, t_burn, directions_of(_RAYS)).min() > 0.0:
        raise InputError([Problem("gains", "the fire does not advance in every direction", "give larger gains")])


@dataclass(frozen=True, slots=True)
class _Strip:
    """Ground along the normal of a straight front at ``angle``.

    It is ``ahead`` cells long and twice ``half_width`` wide. The front starts at ``origin`` (row, column) of a raster
    of ``shape``.
    """

    angle: float
    ahead: float
    half_width: float
    origin: tuple[float, float]
    shape: tuple[int, int]

    @staticmethod
    def of(angle: float, ahead: float, half_width: float) -> _Strip:
        east, north = np.cos(angle), np.sin(angle)
        corners = [(a * east - b * north, a * north + b * east) for a in (-BEHIND, ahead)
                   for b in (-half_width, half_width)]  # fmt: skip
        (left, right), (low, high) = ((min(side), max(side)) for side in zip(*corners, strict=True))
        shape = (int(high - low) + 3, int(right - left) + 3)
        return _Strip(angle, ahead, half_width, (high + 1.0, 1.0 - left), shape)

    def ground(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the cells of the strip, and those behind the front's start ``[H, W]``."""
        rows, columns = np.indices(self.shape)
        x, y = columns - self.origin[1], self.origin[0] - rows
        along, across = (x * np.cos(turn) + y * np.sin(turn) for turn in (self.angle, self.angle + np.pi / 2.0))
        strip = (along > -BEHIND) & (along < self.ahead) & (np.abs(across) < self.half_width)
        return strip, strip & (along <= 0.0)

    def reached(self, state: NDArray[np.float32]) -> float:
        """Return how far the front with ``P = 0.5`` is along the normal: the mean of some rays in the middle."""
        far = np.arange(0.0, self.ahead - 1.0, _RAY_STEP)
        across = np.linspace(-_MIDDLE, _MIDDLE, _MIDDLE_RAYS)[:, None]
        east, north = np.cos(self.angle), np.sin(self.angle)
        y = self.origin[0] - (far * north + across * east)
        x = self.origin[1] + far * east - across * north
        return float(_farthest(_bilinear(state.astype(np.float64), y, x)).mean())


def _states(
    gains: NDArray[Any],
    t_burn: float,
    ground: NDArray[np.bool_],
    ignition: NDArray[np.bool_],
    steps_and_parts: tuple[int, int],
    backend: str,
    precision: str,
    check: Check | None,
    *,
    moving_start: bool = False,
) -> NDArray[np.float32]:
    """Return ``P [parts, H, W]`` after each part of a rollout on uniform gains, each of so many steps."""
    (steps, parts), shape = steps_and_parts, ground.shape
    phi = np.empty((parts, len(gains), *shape), np.float32)
    phi[:] = np.asarray(gains, np.float32)[:, None, None]
    calm: NDArray[np.float32] = np.zeros((parts, *shape), np.float32)
    maps = FireMaps(phi, calm + 1.0, ground, calm, calm, ignition, t_burn, steps, 30.0, 2.7, moving_start=moving_start)
    model = prepare(
        maps, Fleet(()), np.empty((0, *shape), bool), [], weights=ObjectiveWeights(1.0, 1.0, 1.0, 1.0),
        effectiveness=NOMINAL, backend=backend, precision=precision,
    )  # fmt: skip
    states = simulate(model, Schedule.empty(maps.n_steps, 0), keep_days=True, check=check).p_fire_days
    assert states is not None
    return states[1:]


def _support(radii: Floats, rays: Floats, directions: Floats) -> Floats:
    """Return ``max over rays of r(u) cos(u − n)`` for every direction ``n``."""
    found: Floats = (radii * np.cos(rays - directions[:, None])).max(axis=1)
    return found


def _radii(state: NDArray[np.float32], middle: tuple[int, int], rays: Floats) -> Floats:
    """Return how far along each ray ``P`` is 0.5, bilinear between cells and linear between samples."""
    far = np.arange(0.0, float(np.hypot(*state.shape)), _RAY_STEP)
    padded = np.pad(state.astype(np.float64), 1)
    y = np.clip(middle[0] - np.sin(rays)[:, None] * far, -1.0, state.shape[0]) + 1.0
    x = np.clip(middle[1] + np.cos(rays)[:, None] * far, -1.0, state.shape[1]) + 1.0
    return _farthest(_bilinear(padded, y, x))


def _bilinear(values: Floats, y: Floats, x: Floats) -> Floats:
    """Return ``values [H, W]`` at places inside, bilinear between cells."""
    i, j = np.minimum(y.astype(int), values.shape[0] - 2), np.minimum(x.astype(int), values.shape[1] - 2)
    down, right = y - i, x - j
    upper = values[i, j] * (1.0 - right) + values[i, j + 1] * right
    lower = values[i + 1, j] * (1.0 - right) + values[i + 1, j + 1] * right
    found: Floats = upper * (1.0 - down) + lower * down
    return found


def _farthest(values: Floats) -> Floats:
    """Return how far along rays ``[R, samples]`` the farthest 0.5 is, linear between samples."""
    last = values.shape[1] - 1 - np.argmax(values[:, ::-1] >= 0.5, axis=1)
    inside, outside = (values[np.arange(len(values)), np.minimum(last + k, values.shape[1] - 1)] for k in (0, 1))
    share: Floats = (inside - 0.5) / np.maximum(inside - outside, 1e-12)
    reached: Floats = (last + np.clip(share, 0.0, 1.0)) * _RAY_STEP
    return reached
