"""How much the program computes, against the last stored figures.

``python tests/performance/instructions.py [--json FILE] [--store]`` counts the instructions of the help, of loading the
engine, of rollouts with gradients and of a small plan, each in a process of its own on one thread, and prints the ratio
to the figures in ``instructions.json``, which ``--store`` replaces. A busy machine does not change a count. ``perf``
counts where the processor lets it, else callgrind: the help alone, and with ``--slow`` the engine too, which takes half
an hour. With neither tool it is processor time, which a busy machine does change.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
STORED = Path(__file__).with_suffix(".json")
PERF, CALLGRIND, TIME = "perf", "callgrind", "processor time"
UNITS = {PERF: "instructions", CALLGRIND: "instructions", TIME: "seconds"}

_LOAD = """
from dataclasses import replace
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, EliminationSettings, ObjectiveWeights, OptimizerSettings
from firegui.domain.settings import PlanSettings, Setting
from firegui.planning.fast_search import planner
from firegui.planning.initialization import start_schedule
from firegui.planning.two_stage import eliminator
from firegui.rollout.simulate import prepare, simulate, simulate_with_gradient
from tests.numerics.cases import random_maps, random_schedule, small_fleet
maps, fleet = random_maps(1, (96, 128), days=3, steps_per_day=20), small_fleet()
masks = maps.burnable[None]
weights = ObjectiveWeights.of(Setting.A)
model = prepare(maps, fleet, masks[:0], [], weights=weights, effectiveness=NOMINAL, backend="cpu")
simulate_with_gradient(model, random_schedule(1, maps, fleet))
"""
_ROLLOUT = """
for seed in range(20):
    simulate(model, random_schedule(seed, maps, fleet))
    simulate_with_gradient(model, random_schedule(seed, maps, fleet))
"""
_PLAN = """
settings = OptimizerSettings(epochs=40, seed=1)
plan = PlanSettings(days=3, optimizer=settings, elimination=EliminationSettings())
search = planner(model, settings, start_schedule(model, settings))
while not search.finished:
    search.epoch()
removal = eliminator(model, plan, search.best)
while not removal.finished:
    removal.advance()
"""
WORK: Mapping[str, tuple[Sequence[str], str | None]] = {
    "help": (("-m", "firegui", "--help"), None),
    "load": (("-c", _LOAD), None),
    "rollout": (("-c", _LOAD + _ROLLOUT), "load"),
    "plan": (("-c", _LOAD + _PLAN), "load"),
}
"""Arguments of Python for each work, and the work that is a part of it and does not count."""

# Without a name and features of its own, callgrind's processor would have kernels compiled for it, which takes hours.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0", "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1", "FIREGUI_THREADS": "1",
    "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+bmi,+bmi2,+sse4.2,+popcnt,+lzcnt",
    "MKL_CBWR": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
}  # fmt: skip

Count = Callable[[Sequence[str], Mapping[str, str]], float]


def by_perf(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Instructions of a command; raises ``ValueError`` where the processor does not let them be counted."""
    perf = ["perf", "stat", "-x", ",", "-e", "instructions:u", *command]
    done = subprocess.run(
        perf, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return float(next(line for line in done.stderr.splitlines() if "instructions" in line).split(",")[0])


def by_callgrind(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Instructions of a command, as callgrind counts them."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    done = subprocess.run(
        tool, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return float(re.findall(r"Collected : (\d+)", done.stderr)[-1])


def by_time(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Least processor seconds of a command in three calls."""
    found = []
    for _ in range(3):
        before = os.times()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = os.times()
        found.append((after.children_user - before.children_user) + (after.children_system - before.children_system))
    return min(found)


def counter() -> tuple[str, Count]:
    """What counts on this machine, and how."""
    if shutil.which("perf") is not None:
        try:
            by_perf([sys.executable, "-c", "pass"], os.environ)
        except (OSError, ValueError, StopIteration, subprocess.CalledProcessError):
            pass
        else:
            return PERF, by_perf
    return (CALLGRIND, by_callgrind) if shutil.which("valgrind") is not None else (TIME, by_time)


def measured(count: Count, names: Sequence[str] = tuple(WORK)) -> dict[str, float]:
    """Figures of the work called ``names``."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **_ENVIRONMENT}
        whole = {}
        for name in names:
            command = [sys.executable, *WORK[name][0]]
            # The first call compiles what is compiled, and is not counted.
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, cwd=folder)
            whole[name] = count(command, environment)
    return {name: whole[name] - whole.get(WORK[name][1] or "", 0.0) for name in names}


def report(tool: str, figures: Mapping[str, float], stored: Mapping[str, float]) -> list[str]:
    """The figures with their ratios, for people."""
    found = [f"counted by {tool}" + ("" if tool != TIME else ": neither perf nor callgrind is there; load changes it")]
    for name, figure in figures.items():
        before = stored.get(name)
        ratio = "nothing stored" if not before else f"{figure / before:.3f} of the stored {before:,.4g}"
        found.append(f"  {name:<8} {figure:>10,.4g} {UNITS[tool]}, {ratio}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="file for the figures and their ratios")
    parser.add_argument("--store", action="store_true", help="make these the stored figures")
    parser.add_argument("--slow", action="store_true", help="count the engine with callgrind as well")
    asked = parser.parse_args(arguments)
    tool, count = counter()
    kept = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}
    names = tuple(WORK) if tool != CALLGRIND or asked.slow else ("help",)
    figures, stored = measured(count, names), kept.get(tool, {})
    print("\n".join(report(tool, figures, stored)))
    if asked.json is not None:
        ratios = {name: figure / stored[name] for name, figure in figures.items() if stored.get(name)}
        asked.json.write_text(json.dumps({"tool": tool, "figures": figures, "ratios": ratios}, indent=2) + "\n")
    if asked.store:
        STORED.write_text(json.dumps({**kept, tool: {**stored, **figures}}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
