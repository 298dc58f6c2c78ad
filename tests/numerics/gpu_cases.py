"""Small cases for the GPU engine: on a CUDA device where there is one, else in Triton's interpreter, which is slow."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.errors import Check
from firegui.rollout.gains import SpreadGains
from firegui.rollout.kernels.gpu import Gpu
from firegui.rollout.model import Model, build
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, Hear, Outcome, RolloutOptions, Slopes
from tests.numerics.cases import WEIGHTS, random_maps, random_schedule, region_masks, small_fleet
from tests.numerics.test_gradient import autograd

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TILE, SMALL = (16, 16), (8, 8)

needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")


def gpu_model(maps: FireMaps, fleet: Fleet, *, side: RetardantSide = RetardantSide.BOTH) -> Model:
    """A model whose tensors lie where the kernels run."""
    return build(
        maps, fleet, region_masks(maps), [1.0, 2.0], weights=WEIGHTS, effectiveness=Effectiveness(0.9, 0.8),
        retardant_acts_on=side, backend="cuda", device=DEVICE,
    )  # fmt: skip


def short_maps(seed: int, **changes: Any) -> FireMaps:
    """Two days of four steps, on a raster that no tile divides."""
    return random_maps(seed, **{"shape": (14, 17), "days": 2, "steps_per_day": 4, **changes})


def narrow_fire(seed: int) -> tuple[FireMaps, Schedule]:
    """A fire that stays in the middle of a long raster, a cell that burns alone at its end, and a drop on each.

    Most tiles sleep most of the time; one is woken by water, one by retardant.
    """
    maps = random_maps(seed, shape=(6, 40), days=2, steps_per_day=4)
    phi, ignition = np.asarray(maps.phi).copy(), maps.ignition.copy()
    phi[:, :, :, :16] = phi[:, :, :, 24:] = 0.0
    ignition[2, 36] = True
    schedule = Schedule.empty(8, small_fleet().n_aircraft)
    for step, column, y, x in ((1, 0, 2.0, 20.0), (1, 3, 3.0, 19.0), (2, 4, 2.0, 36.0), (6, 1, 2.0, 3.0)):
        schedule.logits[step, column], schedule.poses[step, column] = 3.0, (y, x, 0.4)
    calm = np.zeros_like(maps.wind_speed)
    return replace(maps, phi=phi, ignition=ignition, burnable=maps.burnable | ignition, wind_speed=calm), schedule


def case(seed: int, maps: FireMaps | None = None, **settings: Any) -> tuple[Model, Schedule]:
    """A model and a schedule with drops of both materials."""
    maps, fleet = maps or short_maps(seed), small_fleet()
    return gpu_model(maps, fleet, **settings), random_schedule(seed, maps, fleet)


def nobody(model: Model) -> Observer:
    """An observer that looks at nothing."""
    return Observer(model, None, keep_days=False)


def gpu(**settings: Any) -> Gpu:
    """The engine with small tiles; what it would compute on the processor fails."""
    return Gpu(settings.pop("spare", Absent()), **{"tile": TILE, "triton": True, **settings})


def roll(model: Model, schedule: Schedule, wanted: RolloutOptions = WHOLE, **settings: Any) -> Outcome:
    """One rollout."""
    return gpu(**settings).simulate(model, schedule, nobody(model), None, wanted)


def assert_near(actual: NDArray[np.float64], expected: NDArray[np.float64], tolerance: float) -> None:
    """Equal but for ``tolerance`` of the largest value."""
    scale = np.abs(expected).max()
    assert scale > 0.0
    assert np.abs(actual - expected).max() <= tolerance * scale


def exact(model: Model, schedule: Schedule) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gradient by autograd in float64, on the processor."""
    gains = SpreadGains(model.maps, torch.float64, "cpu")
    return autograd(replace(model, device="cpu", gains=gains, protection=model.protection.cpu()), schedule)


class Absent:
    """A processor that must not be needed."""

    def prepare(self, *_: object) -> None:
        raise AssertionError("the processor was asked")

    def simulate(self, *_: object) -> Outcome:
        raise AssertionError("the processor was asked")

    def simulate_many(self, *_: object) -> list[Outcome]:
        raise AssertionError("the processor was asked")

    def gradient(self, *_: object, alone: bool = False) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
        raise AssertionError("the processor was asked")

    def gain_slopes(self, *_: object, through_days: bool) -> NDArray[np.float32]:
        raise AssertionError("the processor was asked")


@dataclass
class Standin:
    """A processor that remembers that it was asked, and answers ``outcome``."""

    outcome: Outcome
    asked: list[str] = field(default_factory=list)

    def prepare(self, model: Model) -> None:
        self.asked.append(f"prepare on {model.device}")

    def simulate(self, model: Model, *_: object) -> Outcome:
        self.asked.append(f"simulate on {model.device}")
        return self.outcome

    def simulate_many(self, model: Model, schedules: Sequence[Schedule], *_: object) -> list[Outcome]:
        self.asked.append(f"simulate many on {model.device}")
        return [self.outcome for _ in schedules]

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
        self.asked.append(f"gradient on {model.device}")
        return self.outcome, np.zeros(schedule.logits.shape), np.zeros(schedule.poses.shape)

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        self.asked.append(f"gain slopes on {model.device}")
        return np.zeros((model.maps.days + 1, *model.shape), np.float32)
