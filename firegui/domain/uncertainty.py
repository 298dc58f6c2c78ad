"""Uncertainty of a plan (paper, section ``uq``): settings, error model and weather model.

What an ensemble comes to is in :mod:`firegui.domain.ensemble`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem

Floats = NDArray[np.float64]

FLOOR = 1e-6
"""What probabilities are raised to before a logarithm (``design/3-model.md``)."""


class UncertaintyKind(StrEnum):
    """Source of uncertainty: drawn daily states, the error of the fire model, or the wind."""

    ALEATORIC = "aleatoric"
    EPISTEMIC = "epistemic"
    WEATHER = "weather"


KIND_TITLES = {
    UncertaintyKind.ALEATORIC: "Chance of spread",
    UncertaintyKind.EPISTEMIC: "Model error",
    UncertaintyKind.WEATHER: "Wind",
}


class ResidualMode(StrEnum):
    """Forecast that a residual compares with a perimeter.

    It starts on day 0, or a day before the perimeter.
    """

    CUMULATIVE = "cumulative"
    INCREMENTAL = "incremental"


class ErrorSource(StrEnum):
    """Source of the error model: the project's own perimeters, or the paper's Table ``grf_params``."""

    FITTED = "fitted"
    PAPER = "paper"


SOURCE_TITLES = {ErrorSource.FITTED: "fitted to the perimeters", ErrorSource.PAPER: "paper's Bear, approximate"}
SOURCE_FLAGS = {ErrorSource.FITTED: ("--fit",), ErrorSource.PAPER: ("--preset", "bear")}
_DRAWN, _MODEL, _WIND = ((kind,) for kind in UncertaintyKind)


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """Correlated Gaussian field of errors in ILR coordinates.

    Its covariance is ``Cov(η(x), η(x')) ≈ Σ exp(−‖x − x'‖ / ℓ)``. ``mean [2]`` and ``covariance [2, 2]`` are ``μ`` and
    ``Σ`` of the residuals. ``correlation_cells`` is ``ℓ``; ``sill`` and ``nugget`` are the fitted semivariogram's
    ``nugget + sill (1 − exp(−h/ℓ))``, 0 nugget in the paper. ``softening`` is the ε of observed states, ``threshold``
    the ``P`` above which a cell is touched, ``floor`` what probabilities are raised to before the logarithm. A field
    has the mean ``μ`` in incremental ``mode`` and 0 in cumulative mode. ``source`` says where the numbers are from.
    """

    mean: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]
    correlation_cells: float
    sill: float
    nugget: float = 0.0
    softening: float = 0.01
    threshold: float = 0.1
    floor: float = FLOOR
    source: str = ""
    mode: ResidualMode = ResidualMode.CUMULATIVE

    def __post_init__(self) -> None:
        """Raise :class:`ValueError` unless ``Σ`` is a covariance and the length is positive."""
        covariance = np.array(self.covariance)
        if not np.isfinite(covariance).all() or abs(covariance[0, 1] - covariance[1, 0]) > 1e-9 * abs(covariance).max():
            raise ValueError(f"Σ = {self.covariance} is not symmetric")
        if np.linalg.eigvalsh(covariance)[0] < 0.0:
            raise ValueError(f"Σ = {self.covariance} is not a covariance: one direction has a negative variance")
        if not self.correlation_cells > 0.0:
            raise ValueError(f"ℓ = {self.correlation_cells} cells is not positive")

    def principal(self) -> tuple[float, Floats]:
        """Return the standard deviation along the direction of the largest variance, and the direction.

        The direction is a unit vector ``[2]``. Its sign is the one in which ``U`` loses against the geometric mean of
        ``B`` and ``R``: towards more fire.
        """
        variances, directions = np.linalg.eigh(np.array(self.covariance))
        direction: Floats = directions[:, -1]
        against = direction[0] / np.sqrt(2.0) + direction[1] / np.sqrt(6.0)  # of ln U, with the sum of logs at 0
        return float(np.sqrt(variances[-1])), -direction if against > 0.0 else direction


PAPER_BEAR = ErrorModel(
    mean=(-4.289, -1.175), covariance=((28.39, 21.95), (21.95, 26.91)), correlation_cells=53.79, sill=36.17,
    source="paper, Table grf_params: Bear 2020, 15 days, fitted on the paper's own fire model",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WeatherSpread:
    """Spread of the wind's errors for a whole member: three independent normal numbers.

    The speed is multiplied by ``exp(speed_sd · g)``, the direction turned by ``direction_sd · g`` radians
    (counter-clockwise), and the weather comes ``timing_sd · g`` hours later. The defaults are a modeller's guess at a
    forecast some days ahead, not fitted to anything.
    """

    speed_sd: float = option(
        0.2, "Wind speed error", "how far the wind speed is off; the standard deviation of the log of its factor",
        low=0.0, high=2.0, percent=True, about="standard deviation of the log of the wind speed factor", kinds=_WIND,
        label="Wind speed off by",
    )  # fmt: skip
    direction_sd: float = option(
        math.radians(15.0), "Wind direction error", "standard deviation of the wind direction's offset", unit="rad",
        low=0.0, high=math.pi, degrees=True, kinds=_WIND, label="Wind direction off by",
    )  # fmt: skip
    timing_sd: float = option(
        3.0, "Delay of the weather", "standard deviation of how much later the weather comes", unit="h", low=0.0,
        high=48.0, kinds=_WIND, label="Weather late by",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WeatherDraw:
    """Wind of a member.

    Its speed is multiplied by ``speed_factor``. It is turned by ``direction`` rad and delayed by ``delay_h`` hours.
    """

    speed_factor: float
    direction: float
    delay_h: float


@dataclass(frozen=True, slots=True)
class UncertaintySettings:
    """Settings of an ensemble; each kind reads its own.

    ``keep_members`` keeps the full drawn states of every member (aleatoric only; any member of any kind can be
    computed again). ``error``, ``mode`` and ``softening`` choose the error model and how it is fitted.
    """

    kind: UncertaintyKind = option(UncertaintyKind.ALEATORIC, "Kind", "where the members differ", choices=KIND_TITLES)
    members: int = option(
        300,
        "Number of fires",
        "pairs of a fire without drops and one with the plan; members of the ensemble",
        low=1,
        high=100_000,
        restarts=False,
    )
    seed: int = option(0, "Random seed", "seed of every random number of the ensemble", low=0, high=2**32 - 1)
    threshold: float = option(
        0.1, "Count as fire above", "the model error touches cells whose chance to have burned is above this", low=0.0,
        high=1.0, symbol="P", kinds=_MODEL,
    )  # fmt: skip
    keep_members: bool = option(
        False, "Save each fire", "save the states of each fire in the folder too; this takes room", kinds=_DRAWN,
    )  # fmt: skip
    error: ErrorSource = option(
        ErrorSource.FITTED, "Error model",
        "fitted from the project's own perimeters, or the paper's numbers for Bear 2020",
        choices=SOURCE_TITLES, flags=SOURCE_FLAGS, about="model error", kinds=_MODEL,
    )  # fmt: skip
    mode: ResidualMode = option(
        ResidualMode.CUMULATIVE, "Residuals",
        "of the forecast from the first day on, or of one-day forecasts, each from the day before",
        choices={mode: mode.value for mode in ResidualMode}, kinds=_MODEL,
        about="residuals of the whole forecast, or of one-day forecasts",
    )  # fmt: skip
    softening: float = option(
        0.01, "Softening", "an observed state counts as this far from certain", low=1e-6, high=0.3,
        kinds=_MODEL, symbol="ε", about="softening of an observed state, where the error is fitted",
    )  # fmt: skip
    weather: WeatherSpread = WeatherSpread()

    def of_kind(self) -> UncertaintySettings:
        """Return the settings without what another kind alone reads: only drawn states can be kept."""
        kept = self.keep_members and self.kind is UncertaintyKind.ALEATORIC
        return replace(self, keep_members=kept)

    def problems(self) -> list[Problem]:
        """Return everything that is wrong."""
        found = bounds_problems(self, "uncertainty") + bounds_problems(self.weather, "wind")
        if self.keep_members and self.kind is not UncertaintyKind.ALEATORIC:
            what = f"each fire of the kind {self.kind.value} cannot be saved"
            found.append(Problem("uncertainty", what, "leave it out: any fire can be computed again"))
        spread = (self.weather.speed_sd, self.weather.direction_sd, self.weather.timing_sd)
        if self.kind is UncertaintyKind.WEATHER and not any(spread):
            found.append(Problem("wind", "nothing is off: all three spreads are 0", "give at least one a value"))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Semivariogram:
    """Semivariogram ``γ(h)`` of centred residuals.

    ``value [K]`` is at the mean ``distance [K]`` of ``pairs [K]`` pairs of cells.
    """

    distance: Floats
    value: Floats
    pairs: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorFit:
    """An error model with what it was fitted to.

    ``residuals [N, 2, H, W]`` float32 are those of the ``days [N]`` (of the plan, 1 and later) that were observed, NaN
    outside of the ``mask [H, W]``; ``extents`` are the forecast ``Σ P`` and the observed number of cells ``[2, N]``.
    """

    error: ErrorModel
    variogram: Semivariogram
    mode: ResidualMode
    days: tuple[int, ...]
    residuals: NDArray[np.float32]
    mask: NDArray[np.bool_]
    extents: Floats
