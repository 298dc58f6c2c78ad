"""Ensembles: results of a fire with and without the plan under the same random numbers."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.uncertainty import UncertaintyKind, WeatherDraw

Floats = NDArray[np.float64]

BASELINE, PLAN = 0, 1
"""The cases: the first axis of what an ensemble holds."""
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
UNIT = 32_768
"""Probabilities are summed over members in units of 1/32,768: up to 131,071 members fit in 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Results of ``M`` members over ``D`` days on ``H × W`` cells.

    The cases are the :data:`BASELINE` and, where there is one, the plan. Per case, member and day boundary
    ``extent [C, M, D + 1]`` is ``Σ P`` and ``protected [C, M, D + 1]`` that over the union of the protected regions, in
    cells; ``C`` is 1 without a plan. ``fire [C, D + 1, H, W]`` and ``burning`` are the means of ``P = p^B + p^R`` and
    of ``p^B`` over the members, float32, with each member's rounded to 1/32,768. ``samples [C][M]`` are the packed
    drawn states (:func:`packed`) where they were kept. ``weather [M]`` says what wind a member had, where that was
    drawn. ``cell_area_ha`` turns cells into hectares; ``asked`` is the requested number of members.
    """

    kind: UncertaintyKind
    extent: Floats
    protected: Floats
    fire: NDArray[np.float32]
    burning: NDArray[np.float32]
    cell_area_ha: float
    asked: int
    weather: tuple[WeatherDraw, ...] = ()
    samples: tuple[tuple[bytes, ...], ...] = ()

    @property
    def members(self) -> int:
        """Number of finished members."""
        return int(self.extent.shape[1])

    @property
    def complete(self) -> bool:
        """Whether all are."""
        return self.members == self.asked

    @property
    def has_plan(self) -> bool:
        """Whether there is a plan beside the fire without drops."""
        return len(self.extent) > 1

    @property
    def days(self) -> int:
        """``D``."""
        return int(self.extent.shape[2]) - 1

    def final(self, case: int, *, protected: bool = False) -> Floats:
        """Return every member's final extent, or final fire inside the protected regions, in cells ``[M]``."""
        last: Floats = (self.protected if protected else self.extent)[case, :, -1]
        return last

    def benefit(self, *, protected: bool = False) -> Floats:
        """Return how many cells less burn with the plan, member by member ``[M]``.

        Raises :class:`ValueError` without a plan.
        """
        if not self.has_plan:
            raise ValueError("an ensemble without a plan has no benefit")
        return self.final(BASELINE, protected=protected) - self.final(PLAN, protected=protected)

    def exposure(self, case: int, *, protected: bool = False) -> Floats:
        """Return every member's ``Σ`` over the ends of days of what burns, in cell-days ``[M]``."""
        total: Floats = (self.protected if protected else self.extent)[case, :, 1:].sum(axis=1)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleProgress:
    """Progress of an ensemble: ``done`` of ``asked`` members, with their part of :class:`Ensemble`."""

    done: int
    asked: int
    extent: Floats
    protected: Floats


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleState:
    """The members that are done, to go on from or to make an :class:`Ensemble` of.

    ``extent`` and ``protected`` are those of the ensemble. ``fire [C, D + 1, h, w]`` and ``burning`` uint32 are sums of
    probabilities in units of 1/:data:`UNIT`, each member's rounded: whole numbers add up to the same in any order. They
    cover the rectangle that begins at ``corner (row, column)``, outside of which nothing burned.
    """

    extent: Floats
    protected: Floats
    fire: NDArray[np.uint32]
    burning: NDArray[np.uint32]
    corner: tuple[int, int] = (0, 0)
    samples: tuple[tuple[bytes, ...], ...] = ()

    @property
    def members(self) -> int:
        """Number of finished members."""
        return int(self.extent.shape[1])

    def ensemble(
        self, kind: UncertaintyKind, shape: tuple[int, int], cell_area_ha: float, asked: int,
        weather: Sequence[WeatherDraw] = (),
    ) -> Ensemble:  # fmt: skip
        """Return the ensemble of the members that are done, on the raster of ``shape``.

        ``weather`` may hold more members than are done.
        """
        fire, burning = (self._mean(total, shape) for total in (self.fire, self.burning))
        winds = tuple(weather[: self.members])
        return Ensemble(
            kind, self.extent, self.protected, fire, burning, cell_area_ha, asked, winds, self.samples
        )  # fmt: skip

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the state as plain arrays by name, for a file."""
        flat = [sample for case in self.samples for sample in case]
        return {
            "extent": self.extent, "protected": self.protected, "fire": self.fire, "burning": self.burning,
            "corner": np.array(self.corner, np.int64),
            "samples": np.frombuffer(b"".join(flat), np.uint8),
            "sample_sizes": np.array([len(sample) for sample in flat], np.int64),
        }  # fmt: skip

    @staticmethod
    def of_tensors(tensors: Mapping[str, NDArray[Any]]) -> EnsembleState:
        """Return the state of :meth:`tensors`.

        Raises :class:`ValueError` for tensors that do not fit together.
        """
        missing = [name for name in STATE_TENSORS if name not in tensors]
        if missing:
            raise ValueError(f"{', '.join(missing)} is missing")
        extent, protected, fire, burning = (tensors[name] for name in STATE_TENSORS[:4])
        cases, members = extent.shape[:2] if extent.ndim == 3 else (0, 0)
        fitting = extent.shape == protected.shape and fire.shape == burning.shape and fire.ndim == 4
        if not cases or not fitting or fire.shape[:2] != (cases, extent.shape[2]) or fire.dtype != np.uint32:
            raise ValueError(f"the arrays {extent.shape}, {protected.shape}, {fire.shape}, {burning.shape} do not fit")
        sizes = tensors["sample_sizes"]
        if len(sizes) not in (0, cases * members) or int(sizes.sum()) != len(tensors["samples"]):
            raise ValueError(f"{len(sizes)} kept members are not {cases} times {members}")
        row, column = (int(place) for place in tensors["corner"])
        ends = np.cumsum(sizes)
        flat = [tensors["samples"][end - size : end].tobytes() for size, end in zip(sizes, ends, strict=True)]
        samples = tuple(tuple(flat[case * members : (case + 1) * members]) for case in range(cases)) if flat else ()
        return EnsembleState(extent, protected, fire, burning, (row, column), samples)

    def _mean(self, total: NDArray[np.uint32], shape: tuple[int, int]) -> NDArray[np.float32]:
        mean = np.zeros((*total.shape[:2], *shape), np.float32)
        row, column = self.corner
        box = (..., slice(row, row + total.shape[2]), slice(column, column + total.shape[3]))
        mean[box] = total / (UNIT * max(self.members, 1))
        return mean


STATE_TENSORS = ("extent", "protected", "fire", "burning", "corner", "samples", "sample_sizes")


@dataclass(frozen=True, slots=True)
class EnsembleSpread:
    """Statistics of ``count`` numbers.

    They are the mean, the standard deviation (``n − 1``; NaN of one number), its standard error and the
    :data:`QUANTILES`.
    """

    mean: float
    sd: float
    error: float
    quantiles: tuple[float, ...]
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Fan:
    """A fan chart: ``mean [D + 1]``, ``sd [D + 1]`` and ``quantiles [Q, D + 1]`` over members."""

    mean: Floats
    sd: Floats
    quantiles: Floats


def spread_of(values: Floats) -> EnsembleSpread:
    """Return the statistics of ``values``. Raises :class:`ValueError` for no number."""
    if not len(values):
        raise ValueError("nothing to summarise: no member is done")
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    levels = tuple(float(level) for level in np.quantile(values, QUANTILES))
    return EnsembleSpread(float(np.mean(values)), sd, sd / math.sqrt(len(values)), levels, len(values))


def fan_of(series: Floats, levels: Sequence[float] = QUANTILES) -> Fan:
    """Return the fan of ``series [M, D + 1]``. Raises :class:`ValueError` for no member."""
    if not len(series):
        raise ValueError("nothing to summarise: no member is done")
    sd = np.std(series, axis=0, ddof=1) if len(series) > 1 else np.full(series.shape[1], math.nan)
    return Fan(np.mean(series, axis=0), sd, np.quantile(series, levels, axis=0))


def probability_worse(benefit: Floats) -> tuple[float, float]:
    """Return the share of members in which more burns with the plan, and its standard error.

    Members without a difference do not count as worse. The error is Wilson's half width at one standard deviation, so
    that it is not 0 where no member, or every one, is worse.
    """
    count = len(benefit)
    if not count:
        raise ValueError("nothing to summarise: no member is done")
    share = float(np.mean(benefit < 0.0))
    half = math.sqrt(share * (1.0 - share) / count + 0.25 / count**2) / (1.0 + 1.0 / count)
    return share, half


def worst_members(ensemble: Ensemble, count: int, *, protected: bool = False) -> tuple[int, ...]:
    """Return the members in which the plan does least, worst first.

    They are ordered by smallest benefit, then largest fire, then number. Without a plan, those with the largest fire.
    """
    last = ensemble.final(PLAN if ensemble.has_plan else BASELINE, protected=protected)
    gain = ensemble.benefit(protected=protected) if ensemble.has_plan else np.zeros_like(last)
    order = np.lexsort((np.arange(len(last)), -last, gain))
    return tuple(int(member) for member in order[:count])


def below_start(ensemble: Ensemble) -> tuple[tuple[int, int], ...]:
    """Return ``(case, day)`` of every case whose mean extent falls below that of the start.

    The day is the first on which this happens. Days are day boundaries, counted from 0. Less than a millionth of the
    start is rounding.
    """
    found = []
    for case, series in enumerate(ensemble.extent):
        mean = series.mean(axis=0)
        days = np.flatnonzero(mean < mean[0] * (1.0 - 1e-6))
        found += [(case, int(days[0]))] if len(days) else []
    return tuple(found)


def convergence(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean of the first ``1 … M`` of ``values [M]`` and its standard error.

    Both have shape ``[M]``; the standard error of one value is NaN.
    """
    counts = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / counts
    # Of differences from the first value, so that large numbers with a small scatter keep it.
    shifted = values - values[0] if len(values) else values
    squares = np.cumsum(shifted**2) - np.cumsum(shifted) ** 2 / counts
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = np.sqrt(np.maximum(squares, 0.0) / (counts - 1) / counts)
    return means, errors


def packed(fire: NDArray[np.bool_], burning: NDArray[np.bool_]) -> bytes:
    """Pack a member's drawn states ``[D + 1, H, W]`` into bytes.

    ``fire`` is what has burned and ``burning`` is what burns. Hundreds of members fit in memory.
    """
    return zlib.compress(np.packbits(np.stack([fire, burning])).tobytes(), 6)


def unpacked(sample: bytes, shape: tuple[int, int, int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return ``fire`` and ``burning`` of :func:`packed`, ``shape = (D + 1, H, W)``."""
    bits = np.unpackbits(np.frombuffer(zlib.decompress(sample), np.uint8), count=2 * math.prod(shape))
    fire, burning = bits.reshape(2, *shape).astype(bool)
    return fire, burning
