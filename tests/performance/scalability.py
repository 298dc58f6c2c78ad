"""The paper's Table ``scalability`` on this machine: rollout and gradient step in fifteen settings, and many at once.

    python tests/performance/scalability.py --out table.json [--backend cuda|cpu|reference] [--repeats 15] [--quick]

Needs numpy and torch, and numba or triton for the kernels; no window and no geodata. Run it from the repository with
``PYTHONPATH=.``. The fire is made up, of constant parameters under a made-up wind, on rasters of the paper's sizes; the
fleet is the paper's. Every aircraft drops as often as it can, over cells that the unsuppressed fire reaches, so that
footprints are part of every time. A gradient step is a rollout, its gradient, and Adam's update of every logit and
pose. The repeats of a group of settings are interleaved. ``--quick`` shrinks rasters and horizons to see whether
everything runs. Another backend's last row is also compared with the CPU's, and its second run with its first.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.schedule import Schedule, pose_scale
from firegui.domain.settings import DESIGN, ObjectiveWeights
from firegui.io.cache_folder import processor
from firegui.rollout.benchmark import Times, Work, interleaved
from firegui.rollout.machine import compilers, peak_memory
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare, simulate, simulate_many, simulate_with_gradient
from firegui.rollout.synthetic_fires import SHAPE, START_CELLS, synthetic_fire

FLEET = Path(__file__).resolve().parents[2] / "resources" / "fleet" / "default.toml"
GRIDS = ((154, 187), (247, 299), (371, 448), (464, 561), SHAPE)
BATCH = 64
BATCH_DROPS = 1000
"""Drops of a schedule in a batch: about what elimination and population methods roll out together."""
WARM_UPS = 2
"""A GPU compiles at the first call and captures its graphs at the second."""


@dataclass(frozen=True, slots=True)
class Row:
    """One setting of the table; ``paper_ms`` and ``paper_ratio`` are what the paper measured on its GPU."""

    group: str
    setting: str
    shape: tuple[int, int]
    days: int
    aircraft: int
    paper_ms: float
    paper_ratio: float


ROWS = (
    *(Row("fleet", f"fleet: {n} aircraft", SHAPE, 6, n, ms, ratio) for n, ms, ratio in (
        (2, 31.6, 2.24), (5, 33.0, 2.23), (10, 35.9, 2.03), (15, 37.9, 1.94), (21, 41.7, 1.93))),
    *(Row("grid", f"grid: {grid[0]}x{grid[1]}", grid, 6, 21, ms, ratio) for grid, ms, ratio in zip(
        GRIDS, (13.9, 15.4, 19.3, 39.1, 41.7), (2.47, 2.24, 2.10, 2.01, 1.96), strict=True)),
    *(Row("horizon", f"horizon: {days}d", SHAPE, days, 21, ms, ratio) for days, ms, ratio in (
        (3, 23.5, 1.71), (6, 42.0, 1.92), (9, 60.5, 2.00), (12, 81.0, 1.99), (15, 100.8, 2.00))),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of the table to measure."""

    backend: str
    repeats: int
    batch: int
    rows: tuple[Row, ...]


def quick(row: Row) -> Row:
    """A small stand-in for a row."""
    return replace(row, shape=(row.shape[0] // 12, row.shape[1] // 12), days=-(-row.days // 6))


def paper_fleet(path: Path = FLEET) -> Fleet:
    """The fleet file, read without its reader's checks."""
    names = AircraftType.__dataclass_fields__
    types = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["aircraft"]:
        values = {name: value for name, value in entry.items() if name in names}
        values["grounded_days"] = tuple(values.get("grounded_days", ()))
        types.append(AircraftType(**{**values, "material": Material(values["material"])}))
    return Fleet(tuple(types))


def first_aircraft(fleet: Fleet, count: int) -> Fleet:
    """The first ``count`` aircraft."""
    types = []
    for kind in fleet.types:
        taken = min(kind.count, count)
        count -= taken
        if taken:
            types.append(replace(kind, count=taken))
    return Fleet(tuple(types))


def model_of(row: Row, fleet: Fleet, backend: str) -> Model:
    """The row's fire, prepared. A fire of the same share of the raster on every grid."""
    start = max(START_CELLS * row.shape[0] * row.shape[1] / (SHAPE[0] * SHAPE[1]), 9)
    maps = synthetic_fire(row.shape, row.days, round(start))
    return prepare(
        maps, fleet, np.zeros((0, *row.shape), bool), [], weights=ObjectiveWeights(), effectiveness=DESIGN,
        backend=backend,
    )  # fmt: skip


def busy_schedule(model: Model, reached: np.ndarray[Any, Any], seed: int) -> Schedule:
    """Every aircraft proposes a drop at every step, over random cells of ``reached [n, 2]``."""
    rng = np.random.default_rng(seed)
    size = (model.n_steps, model.fleet.n_aircraft)
    cells = reached[rng.integers(len(reached), size=size)]
    poses = np.concatenate([cells, rng.uniform(0.0, np.pi, (*size, 1))], axis=2)
    return Schedule(rng.uniform(0.1, 3.0, size), poses.astype(np.float64))


def thinned(schedule: Schedule, executed: np.ndarray[Any, Any], seed: int) -> Schedule:
    """The schedule with some of its executed drops and no other proposal."""
    kept = np.argwhere(executed)
    chosen = np.random.default_rng(seed).permutation(len(kept))[:BATCH_DROPS]
    logits = np.full_like(schedule.logits, -3.0)
    logits[tuple(kept[chosen].T)] = 3.0
    return Schedule(logits, schedule.poses)


def reached_cells(model: Model) -> np.ndarray[Any, Any]:
    """Cells that burn without any drop."""
    empty = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    days = simulate(model, empty, keep_days=True).p_fire_days
    assert days is not None
    return np.argwhere(days[-1] > 0.5 * days[-1].max())


class AdamStep:
    """A gradient step: the derivatives with respect to every logit and pose, and Adam's update of their copies."""

    def __init__(self, model: Model, schedule: Schedule) -> None:
        self._model, self._schedule = model, schedule
        self._values = np.concatenate([schedule.logits[:, :, None], schedule.poses], axis=2)
        self._first, self._second = np.zeros_like(self._values), np.zeros_like(self._values)
        self._scale = np.concatenate([[1.0], pose_scale(model.shape)])

    def __call__(self) -> None:
        """Always at the same schedule, so that every repeat does the same work."""
        gradient = simulate_with_gradient(self._model, self._schedule)[1]
        slope = np.concatenate([gradient.logit[:, :, None], gradient.pose], axis=2) * self._scale
        self._first += 0.1 * (slope - self._first)
        self._second += 0.001 * (slope**2 - self._second)
        self._values -= 3e-3 * self._first / (np.sqrt(self._second) + 1e-8)


def measure_group(
    rows: Sequence[Row], fleet: Fleet, plan: Plan, say: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """The rows of a group, interleaved. Rows of one fire share it."""
    works: dict[str, Work] = {}
    models: dict[tuple[tuple[int, int], int], Model] = {}
    drops: dict[str, int] = {}
    for row in rows:
        key = (row.shape, row.days)
        if key not in models:
            models[key] = model_of(row, fleet, plan.backend)
        model = replace(models[key], fleet=first_aircraft(fleet, row.aircraft))
        schedule = busy_schedule(model, reached_cells(model), seed=row.aircraft)
        works[f"{row.setting} rollout"] = rollout = _rollout(model, schedule)
        works[f"{row.setting} gradient step"] = AdamStep(model, schedule)
        drops[row.setting] = int(rollout().executed.sum())
    reset_peak(plan.backend)
    peaks = {}
    for name, work in works.items():
        for _ in range(WARM_UPS):
            work()
        peaks[name] = device_peak(plan.backend)
    times = interleaved(works, plan.repeats, say)
    for row in rows:
        names = (f"{row.setting} rollout", f"{row.setting} gradient step")
        yield line(row, times[names[0]], times[names[1]], drops[row.setting], peaks[names[1]])


def _rollout(model: Model, schedule: Schedule) -> Callable[[], Any]:
    return lambda: simulate(model, schedule)


def line(row: Row, rollout: Times, gradient: Times, drops: int, device_bytes: int | None) -> dict[str, Any]:
    """One row of the table."""
    steps = row.days * 50
    return {
        "setting": row.setting,
        "rows": row.shape[0],
        "columns": row.shape[1],
        "steps": steps,
        "aircraft": row.aircraft,
        "decisions": 4 * steps * row.aircraft,
        "executed_drops": drops,
        "rollout": spread(rollout),
        "gradient_step": spread(gradient),
        "gradient_to_rollout": gradient.median / rollout.median,
        "device_peak_bytes_so_far": device_bytes,
        "paper": {"rollout_ms": row.paper_ms, "gradient_to_rollout": row.paper_ratio},
    }


def spread(times: Times) -> dict[str, Any]:
    """Median and interquartile range, and every repeat."""
    low, high = np.percentile(times.rounds, [25, 75])
    return {"median_ms": times.median, "iqr_percent": 100.0 * (high - low) / times.median, "ms": list(times.rounds)}


def measure_batch(row: Row, fleet: Fleet, plan: Plan, say: Callable[[str], None]) -> dict[str, Any]:
    """``batch`` schedules of at most :data:`BATCH_DROPS` drops at once against one of them, and as many busy ones."""
    model = model_of(row, fleet, plan.backend)
    reached = reached_cells(model)
    busy = [busy_schedule(model, reached, seed) for seed in range(plan.batch)]
    thin = [thinned(schedule, simulate(model, schedule).executed, seed) for seed, schedule in enumerate(busy)]
    works: dict[str, Work] = {
        "one": _rollout(model, thin[0]),
        "many": lambda: simulate_many(model, thin),
        "one_busy": _rollout(model, busy[0]),
        "many_busy": lambda: simulate_many(model, busy),
    }
    for work in works.values():
        for _ in range(WARM_UPS):
            work()
    reset_peak(plan.backend)
    times = interleaved(works, max(plan.repeats // 3, 1), say)
    return {
        "schedules": plan.batch,
        "drops_of_one": int((thin[0].logits > 0.0).sum()),
        **{name: spread(taken) for name, taken in times.items()},
        "many_to_one": times["many"].median / times["one"].median,
        "many_to_one_busy": times["many_busy"].median / times["one_busy"].median,
        "device_peak_bytes": device_peak(plan.backend),
    }


def agreement(row: Row, fleet: Fleet, plan: Plan) -> dict[str, Any]:
    """How far the answers are from those of the CPU's kernels, and whether a second run gives the same bits."""
    model, judge = (model_of(row, fleet, backend) for backend in (plan.backend, "cpu"))
    schedule = busy_schedule(model, reached_cells(judge), seed=row.aircraft)
    (rollout, gradient), (again, second) = (simulate_with_gradient(model, schedule) for _ in range(2))
    expected, slopes = simulate_with_gradient(judge, schedule)
    batch = simulate_many(model, [schedule, Schedule.empty(model.n_steps, model.fleet.n_aircraft), schedule])
    extent = expected.metrics.final_extent_cells
    return {
        "extent": rollout.metrics.final_extent_cells / extent - 1.0,
        "objective": rollout.metrics.objective / expected.metrics.objective - 1.0,
        "logit_gradient": far(gradient.logit, slopes.logit),
        "pose_gradient": far(gradient.pose, slopes.pose),
        "second_run_has_the_same_bits": rollout.metrics == again.metrics
        and np.array_equal(gradient.logit, second.logit)
        and np.array_equal(gradient.pose, second.pose),
        "batch_has_the_bits_of_one": batch[0].metrics == batch[2].metrics == simulate(model, schedule).metrics,
    }


def far(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """The largest difference, as a share of the largest value."""
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))


def reset_peak(backend: str) -> None:
    """Begin to count the device's memory anew."""
    if backend == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()


def device_peak(backend: str) -> int | None:
    """The most bytes that tensors took on the device since the last reset."""
    return int(torch.cuda.max_memory_allocated()) if backend == "cuda" else None


def machine(backend: str) -> dict[str, Any]:
    """What the numbers were measured on."""
    device = torch.cuda.get_device_name() if backend == "cuda" else None
    return {
        "processor": processor(),
        "device": device,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        **compilers(),
    }


def measure(plan: Plan, say: Callable[[str], None]) -> dict[str, Any]:
    """The whole table."""
    fleet, lines = paper_fleet(), []
    for group in dict.fromkeys(row.group for row in plan.rows):
        lines += list(measure_group([row for row in plan.rows if row.group == group], fleet, plan, say))
    ratios = [one["gradient_to_rollout"] for one in lines]
    return {
        "backend": plan.backend,
        "repeats": plan.repeats,
        "machine": machine(plan.backend),
        "table": lines,
        "gradient_to_rollout": {"mean": float(np.mean(ratios)), "least": min(ratios), "most": max(ratios)},
        "batch": measure_batch(plan.rows[-1], fleet, plan, say),
        "against_the_cpu": None if plan.backend == "cpu" else agreement(plan.rows[-1], fleet, plan),
        "host_peak_bytes": peak_memory(),
    }


def shown(data: dict[str, Any]) -> str:
    """The table for people."""
    lines = [f"{'setting':<20} {'T':>4} {'d':>6} {'drops':>6} {'rollout ms':>16} {'grad./rollout':>14} {'paper':>16}"]
    for one in data["table"]:
        time, paper = one["rollout"], one["paper"]
        lines.append(
            f"{one['setting']:<20} {one['steps']:>4} {one['decisions']:>6} {one['executed_drops']:>6} "
            f"{time['median_ms']:>9.2f} ({time['iqr_percent']:3.0f}%) {one['gradient_to_rollout']:>13.2f}× "
            f"{paper['rollout_ms']:>7.1f} {paper['gradient_to_rollout']:>7.2f}×"
        )
    batch = data["batch"]
    lines.append(f"{batch['schedules']} schedules at once: {batch['many_to_one']:.2f}× the time of one")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description="Measure the paper's table of scalability on this machine.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--backend", choices=("cuda", "cpu", "reference"))
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    backend = options.backend or ("cuda" if torch.cuda.is_available() else "cpu")
    plan = Plan(backend, options.repeats, BATCH, ROWS)
    if options.quick:
        plan = Plan(backend, min(options.repeats, 2), 3, tuple(quick(row) for row in ROWS))
    data = measure(plan, lambda text: print(text, file=sys.stderr))
    options.out.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    print(shown(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
