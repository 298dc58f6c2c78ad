"""Quick fits of the network to two small events, done once for all tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from firegui.calibration.network_fit import fit_network, weights_of_state
from firegui.domain.fit import FitProgress, FitState, NetworkFitSettings
from firegui.domain.scenario import Scenario
from firegui.domain.weights import NetworkWeights
from tests.unit.calibration.watched import rough_layers, watched

SHAPE = (19, 21)
HALVES = (1, 3, 4, 6)
QUICK = NetworkFitSettings(fit_days=2, epochs=6, margin_cells=40, node_spacing_m=150.0)


@cache
def small() -> Scenario:
    return watched(SHAPE, HALVES)


@cache
def other() -> Scenario:
    """Another raster, other dates, fewer layers, more wind."""
    layers = {key: rough_layers((17, 23))[key] for key in ("canopy_cover", "fuel")}
    moved = watched((17, 23), (2, 3, 5), layers=layers, name="Other", seed=9)
    dates = tuple(when.replace(year=2021) for when in moved.observed_dates)
    stronger = 1.5 * moved.wind_speed
    return replace(moved, wind_speed=stronger, start=datetime(2021, 8, 19, tzinfo=UTC), observed_dates=dates)


@dataclass(frozen=True, slots=True)
class Heard:
    """A fit with everything that was heard of it."""

    progress: list[FitProgress] = field(default_factory=list)
    kept: list[FitState] = field(default_factory=list)
    last: list[FitState] = field(default_factory=list)

    @property
    def losses(self) -> list[float]:
        return [epoch.loss for epoch in self.progress]


def fitted(*events: Scenario, settings: NetworkFitSettings = QUICK, **more: Any) -> Heard:
    heard = Heard()
    heard.last.append(
        fit_network(events, settings, progress=heard.progress.append, keep=heard.kept.append, **more),
    )
    return heard


@cache
def usual() -> Heard:
    return fitted(small())


def weights_from(
    heard: Heard, *events: Scenario, settings: NetworkFitSettings = QUICK, begin: NetworkWeights | None = None
) -> NetworkWeights:
    return weights_of_state(events or (small(),), settings, heard.last[0], begin)


def weighted(terms: Mapping[str, float]) -> float:
    """The misfit that these terms make up."""
    parts = {"bce": 0.5, "mse": 0.1, "means": 0.1, "area": 0.5, "shape": 4.0, "growth": 1.0}
    return sum(parts[name] * value for name, value in terms.items())


def assert_same_state(one: FitState, two: FitState) -> None:
    assert (one.epoch, one.best_epoch, one.best_loss) == (two.epoch, two.best_epoch, two.best_loss)
    assert set(one.tensors) == set(two.tensors)
    for name, tensor in one.tensors.items():
        assert tensor.tobytes() == two.tensors[name].tobytes(), name


@cache
def joint() -> Heard:
    return fitted(small(), other())
