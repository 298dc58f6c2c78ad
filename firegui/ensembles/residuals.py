"""Errors of the fire model: residuals against observed perimeters (paper, section ``uq``, source 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.grid import bounding_box
from firegui.domain.observation import FireState
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import FLOOR, ErrorFit, ErrorModel, ResidualMode, Semivariogram, UncertaintySettings
from firegui.ensembles.ilr import ilr
from firegui.ensembles.inputs import maps_problems, on_processor
from firegui.ensembles.random_field import covariance_problems, fast_size
from firegui.errors import Check, InputError, Problem
from firegui.fire.maps import project_maps
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.gains import SpreadGains
from firegui.rollout.model import Model
from firegui.rollout.observe import Window
from firegui.rollout.simulate import prepare, simulate_many

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_TITLE = "The model error cannot be fitted"
_REMEDY = "import perimeters of more days, or use the paper's numbers"


@dataclass(frozen=True, slots=True, eq=False)
class DayForecast:
    """Forecast of the end of a day, ``p^U`` and ``p^B [H, W]``, and the observed ``fire [H, W]``."""

    day: int
    unburned: NDArray[np.float32]
    burning: NDArray[np.float32]
    fire: Bools

    @property
    def extent(self) -> float:
        """``Σ P``."""
        return float((1.0 - self.unburned.astype(np.float64)).sum())


def fit_error(
    project: Project, settings: UncertaintySettings, *, backend: str = "auto", check: Check | None = None,
    tell: MessageCallback = ignore_message,
) -> ErrorFit:  # fmt: skip
    """Fit the error model of a project's fire model on the days of its plan.

    This makes the maps and calls :func:`fit_error_model`.

    Raises :class:`~firegui.errors.InputError` like it, and for a project whose fire model cannot be run.
    """
    maps = project_maps(project, check)
    nothing = np.zeros((0, *maps.shape), bool)
    plan = project.plan
    model = prepare(
        maps, Fleet(()), nothing, (), weights=plan.weights, effectiveness=plan.nominal, backend=backend, tell=tell
    )
    return fit_error_model(model, project.scenario, plan.start_day, settings, check=check)


def fit_error_model(
    model: Model, event: Scenario, start_day: int, settings: UncertaintySettings, *, check: Check | None = None
) -> ErrorFit:
    """Return the error model of ``model`` against the perimeters of ``event``.

    The model's day 0 is ``start_day`` of the event. Every day of the plan that has a perimeter of its own is compared;
    days whose perimeter is an earlier one's are not. The forecast runs without drops. Raises
    :class:`~firegui.errors.InputError` where there is nothing to compare with, where the maps have cells without a
    number, and where the residuals do not vary enough to have a covariance.
    """
    problems = maps_problems(model.maps)
    if problems:
        raise InputError(problems, _TITLE)
    model = on_processor(model)
    seen = observed_days(event, start_day, model.maps.days)
    if settings.mode is ResidualMode.CUMULATIVE:
        forecasts = cumulative_forecasts(model, seen, check)
    else:
        forecasts = incremental_forecasts(model, seen, check)
    mask = union_mask(forecasts, settings.threshold)
    residuals = np.stack([_residual(one, mask, settings.softening) for one in forecasts])
    values = residuals[:, :, mask].astype(np.float64)  # [N, 2, cells]
    pooled = values.transpose(1, 0, 2).reshape(2, -1)
    mean, covariance = _moments(pooled)
    centred = (one - mean[:, None, None].astype(np.float32) for one in residuals)
    variogram = semivariogram(centred, mask)
    sill, length = fit_exponential(variogram)
    days = tuple(one.day for one in forecasts)
    error = ErrorModel(
        mean=(float(mean[0]), float(mean[1])),
        covariance=_rows(covariance),
        correlation_cells=length,
        sill=sill,
        softening=settings.softening,
        threshold=settings.threshold,
        source=f"fitted to {event.name}, {len(days)} days, {settings.mode.value} forecasts",
        mode=settings.mode,
    )
    extents = np.array([[one.extent for one in forecasts], [float(one.fire.sum()) for one in forecasts]])
    return ErrorFit(error, variogram, settings.mode, days, residuals, mask, extents)


def observed_days(event: Scenario, start_day: int, days: int) -> dict[int, Bools]:
    """Return the perimeters of the plan's days ``0 … days`` that have one of their own.

    The start is among them.

    Raises :class:`~firegui.errors.InputError` when none is there, or none after the start.
    """
    seen = {}
    for day in range(days + 1):
        fire = event.observed_on(start_day + day)
        if fire is not None and fire.any() and not event.is_filled_forward(start_day + day):
            seen[day] = fire
    if not seen:
        raise InputError([Problem("perimeters", "the event has none on the days of the plan", _REMEDY)], _TITLE)
    if not any(day > 0 for day in seen):
        what = "only the first day of the plan was observed: there is nothing to compare a forecast with"
        raise InputError([Problem("perimeters", what, _REMEDY)], _TITLE)
    return seen


def cumulative_forecasts(model: Model, seen: dict[int, Bools], check: Check | None = None) -> list[DayForecast]:
    """Return the forecast from day 0 on, at the observed days after it."""
    ends = _day_ends(model, check)
    return [DayForecast(day, *ends[day - 1], fire) for day, fire in seen.items() if day > 0]


def incremental_forecasts(model: Model, seen: dict[int, Bools], check: Check | None = None) -> list[DayForecast]:
    """For every two days in a row that were observed, what one day makes of the first.

    What is new on the first day burns, what was there on the observed day before it has burned out. Raises
    :class:`~firegui.errors.InputError` where no two days in a row were observed.
    """
    start = model.maps.start
    seen = {0: start.fire, **seen}
    found, days = [], sorted(seen)
    for earlier, now in zip([None, *days], days, strict=False):
        if now + 1 not in seen:
            continue
        before = start.burned if earlier is None else seen[earlier]
        state = FireState.between(before, seen[now])
        found.append(DayForecast(now + 1, *_next_day(model, now, state, check), seen[now + 1]))
    if not found:
        what = "no two days in a row were observed"
        raise InputError([Problem("perimeters", what, "compare with the forecast from the first day on")], _TITLE)
    return found


def union_mask(forecasts: Sequence[DayForecast], threshold: float) -> Bools:
    """Return ``M [H, W]``: fire was seen on some day, or ``P̂`` was above ``threshold``."""
    mask: Bools = np.logical_or.reduce([one.fire | (1.0 - one.unburned > threshold) for one in forecasts])
    return mask


def softened(fire: Bools, softening: float) -> tuple[Floats, Floats, Floats]:
    """Return observed fire as three states.

    They are ``(ε, (1 − ε)/2, (1 − ε)/2)`` in the fire and ``(1 − ε, ε/2, ε/2)`` outside.
    """
    rest = np.where(fire, 1.0 - softening, softening) / 2.0
    return np.where(fire, softening, 1.0 - softening), rest, rest


def _residual(one: DayForecast, mask: Bools, softening: float) -> NDArray[np.float32]:
    """Return ``Δ [2, H, W]``, NaN outside of the mask."""
    u, b = one.unburned[mask].astype(np.float64), one.burning[mask].astype(np.float64)
    found = np.full((2, *mask.shape), np.nan, np.float32)
    found[:, mask] = ilr(*softened(one.fire[mask], softening)) - ilr(u, b, 1.0 - u - b, floor=FLOOR)
    return found


def _moments(pooled: Floats) -> tuple[Floats, Floats]:
    """Return ``μ [2]`` and ``Σ [2, 2]`` of ``pooled [2, N_b]``."""
    if pooled.shape[1] < 3:
        raise InputError([Problem("residuals", f"there are only {pooled.shape[1]}", _REMEDY)], _TITLE)
    covariance = np.cov(pooled, ddof=1)
    problems = covariance_problems(covariance)
    if problems:
        raise InputError(problems, _TITLE)
    return pooled.mean(axis=1), covariance


def _rows(covariance: Floats) -> tuple[tuple[float, float], tuple[float, float]]:
    (a, b), (_, c) = covariance.tolist()
    return (a, b), (b, c)


def _next_day(
    model: Model, day: int, state: FireState, check: Check | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return ``p^U`` and ``p^B`` a day after ``state``, which is of the start of ``day``."""
    today = model.maps.window(day, 1)
    maps = replace(today, ignition=state.burning, burnable=today.burnable & ~state.burned, burned_out=None)
    unburned = (~state.fire).astype(np.float32)
    burning = np.zeros_like(unburned)
    if state.burning.any():
        single = replace(model, maps=maps, gains=SpreadGains(maps, model.dtype, model.device), rules=None)
        after, burning = _day_ends(single, check)[0]
        unburned = np.where(state.burned, np.float32(0.0), after)
        burning = np.where(state.burned, np.float32(0.0), burning)
    return unburned, burning


def _day_ends(model: Model, check: Check | None) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return ``p^U`` and ``p^B [H, W]`` at the end of every day, without drops."""
    ends: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []

    def note(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        whole = np.ones(model.shape, np.float32), np.zeros(model.shape, np.float32)
        whole[0][window], whole[1][window] = unburned, burning
        ends.append(whole)
        return unburned, burning

    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    simulate_many(model, [nothing], alters=[Alteration(note, only_grows=True)], check=check)
    return ends


BIN_GROWTH = 0.12
"""Bins of distances are at least a cell wide, and this share of their distance where that is more."""
LEAST_BINS = 3
SHORTEST = 0.2
"""Of the correlation lengths that are tried, cells; the longest is :data:`LONGEST` times the largest distance."""
LONGEST = 10.0
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_FIT_TITLE = "The correlation of the errors cannot be fitted"


def semivariogram(fields: Iterable[NDArray[np.floating]], mask: NDArray[np.bool_]) -> Semivariogram:
    """Return ``γ̂(h) = ½ avg ‖R(x) − R(x')‖²`` over all pairs of cells of ``mask [H, W]``.

    ``fields`` are ``[2, H, W]`` each.

    Every pair counts, up to half the longer side of the mask's bounding box: sums over pairs are correlations, which
    transforms give for all lags at once. Values outside the mask are not read. Raises
    :class:`~firegui.errors.InputError` for a mask that is too small and for values that are not numbers.
    """
    box = bounding_box(mask)
    if box is None or mask.sum() < 2:
        raise InputError([Problem("residuals", "cover too few cells", "use perimeters of more days")], _FIT_TITLE)
    inside = mask[box]
    reach = max(inside.shape) // 2
    sizes = tuple(fast_size(size + reach + 1) for size in inside.shape)
    cells = np.fft.rfft2(inside.astype(np.float64), sizes)
    products, squares, count = np.zeros(cells.shape), np.zeros(cells.shape, complex), 0
    for field in fields:
        values = np.where(inside, field[(slice(None), *box)], 0.0).astype(np.float64)
        if not np.isfinite(values).all():
            raise InputError(
                [Problem("residuals", "have cells without a number", "look at the fire model")], _FIT_TITLE
            )
        products += (np.abs(np.fft.rfft2(values, sizes)) ** 2).sum(axis=0)
        squares += np.fft.rfft2((values**2).sum(axis=0), sizes) * cells.conj()
        count += 1
    # Σ over pairs of (R² + R'² − 2 R R') / 2; a lag and its opposite are the same pairs.
    total = np.fft.irfft2(squares.real - products, sizes)
    pairs = np.rint(np.fft.irfft2(np.abs(cells) ** 2, sizes)) * count
    return _binned(total, pairs, reach)


def fit_exponential(found: Semivariogram) -> tuple[float, float]:
    """Return ``(a, ℓ)`` of ``γ(h) = a (1 − e^{−h/ℓ})``.

    They are a least-squares fit of relative deviations over the bins.

    For a given ``ℓ`` the sill ``a`` is a linear problem, so that ``ℓ`` alone is searched for. Raises
    :class:`~firegui.errors.InputError` where there is too little to fit.
    """
    if len(found.distance) < LEAST_BINS or not (found.value > 0.0).any():
        what = "do not vary from cell to cell" if len(found.distance) >= LEAST_BINS else "cover too few cells"
        raise InputError([Problem("residuals", what, "use more days, or the paper's numbers")], _FIT_TITLE)
    weight = 1.0 / np.maximum(found.value, 1e-6 * found.value.max()) ** 2

    def sill(length: float) -> tuple[float, float]:
        shape = -np.expm1(-found.distance / length)
        level = float((weight * shape * found.value).sum() / (weight * shape**2).sum())
        return level, float((weight * (found.value - level * shape) ** 2).sum())

    longest = LONGEST * float(found.distance[-1])
    length = math.exp(_lowest(lambda log: sill(math.exp(log))[1], math.log(SHORTEST), math.log(longest)))
    return sill(length)[0], length


def _binned(total: Floats, pairs: Floats, reach: int) -> Semivariogram:
    rows, columns = (np.minimum(np.arange(size), size - np.arange(size)) for size in total.shape)
    distance = np.hypot(rows[:, None], columns)
    wanted = (pairs > 0.5) & (distance > 0.0) & (distance <= reach)
    edges = _edges(reach)
    bins = np.digitize(distance[wanted], edges) - 1
    amount, summed, far = (
        np.bincount(bins, weights, minlength=len(edges))
        for weights in (pairs[wanted], total[wanted], (pairs * distance)[wanted])
    )
    kept = amount > 0
    return Semivariogram(
        far[kept] / amount[kept],
        np.maximum(summed[kept] / amount[kept], 0.0),
        np.rint(amount[kept] / 2.0).astype(np.int64),
    )


def _edges(reach: int) -> Floats:
    edges = [0.5]
    while edges[-1] <= reach:
        edges.append(edges[-1] + max(1.0, BIN_GROWTH * edges[-1]))
    return np.array(edges)


def _lowest(value: Callable[[float], float], low: float, high: float) -> float:
    """Return where ``value`` is lowest: the best of a grid, then by golden section between its neighbours."""
    grid = np.linspace(low, high, 64)
    best = int(np.argmin([value(float(at)) for at in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    while high - low > 1e-10:
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, second) if value(first) <= value(second) else (first, high)
    return 0.5 * (low + high)
