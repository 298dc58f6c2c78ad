"""How the engine compares with what is asked of it, on maps of your own.

    python tests/performance/cpu_engine.py --maps FILE.npz [--rounds 7] [--epochs 25] [--json]

Measures the CPU engine against dense torch on all cores, a gradient against its rollout, a raster of 16 times the cells
against the first, and the peak memory of an optimization in a process of its own; prints one line per demand.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from firegui.domain.maps import FireMaps
from firegui.io.project.maps_file import read_maps
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout.benchmark import Extent, all_cores, benchmark
from firegui.rollout.gains import SpreadGains
from firegui.rollout.reference import exposure

POLL_S = 0.05
PLAIN_ROUNDS = 3
FIRES = ("unsuppressed", "contained")


@dataclass(frozen=True, slots=True)
class Demand:
    """One number with its limit; ``at_least`` turns the comparison round."""

    what: str
    found: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the number is within its limit."""
        return self.found >= self.limit if self.at_least else self.found <= self.limit

    def line(self) -> str:
        """For people."""
        sign = "≥" if self.at_least else "≤"
        return (
            f"{'met   ' if self.met else 'missed'}  {self.what:<66} {self.found:9.2f} {sign} {self.limit:g} {self.unit}"
        )


def demands(data: dict[str, Any], memory: int | None) -> list[Demand]:
    """What is asked of the engine, as measured by :func:`~firegui.rollout.benchmark.benchmark`."""
    free, held = (data["engines"]["cpu"][fire] for fire in FIRES)
    found = [
        Demand("dense torch / rollout, unsuppressed", free["dense_to_rollout"], 15.0, "×", at_least=True),
        Demand("dense torch / rollout, contained", held["dense_to_rollout"], 150.0, "×", at_least=True),
        Demand("most cells of the contained fire", data["fire"]["held"]["cells"], 5000.0, "cells"),
        Demand("executed drops of the contained fire", data["fire"]["held"]["drops"], 1000.0, "drops", at_least=True),
        Demand("gradient step / rollout, unsuppressed", free["gradient_to_rollout"], 3.0, "×"),
        Demand("gradient step / rollout, contained", held["gradient_to_rollout"], 2.0, "×"),
        Demand("  the same, drops of a file only, unsuppressed", free["gradient_of_listed_to_rollout"], 3.0, "×"),
        Demand("  the same, drops of a file only, contained", held["gradient_of_listed_to_rollout"], 2.0, "×"),
        Demand("dense torch / gradient step, unsuppressed", free["dense_to_gradient"], 10.0, "×", at_least=True),
        Demand("dense torch / gradient step, contained", held["dense_to_gradient"], 10.0, "×", at_least=True),
    ]
    found += [
        Demand(f"rollout on {row['factor']}× the cells / on the first", row["cpu"]["to_first"], 1.2, "×")
        for row in data["raster"][1:]
    ]
    return found if memory is None else [*found, Demand("peak memory of an optimization", memory / 1e9, 1.5, "GB")]


def optimization_memory(maps: Path, epochs: int) -> int | None:
    """Peak bytes of planning ``maps`` with the default fleet for ``epochs``, in its own process; None off Linux."""
    with tempfile.TemporaryDirectory() as folder:
        project, run = Path(folder) / "bench.firegui", Path(folder) / "run"
        firegui = [sys.executable, "-m", "firegui"]
        subprocess.run([*firegui, "import", "maps", str(maps), "--out", str(project)], check=True, capture_output=True)
        command = [*firegui, "optimize", str(project), "--out", str(run), "--epochs", str(epochs), "--progress", "none"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, _peak_of(process.pid))
            time.sleep(POLL_S)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
    return peak or None


def _peak_of(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def plain_seconds(maps: FireMaps, rounds: int) -> float:
    """Least seconds of the same fire without drops in torch as one writes it down: a new tensor for each operation."""
    gains = SpreadGains(maps, torch.float32, "cpu").dense()
    ignition = torch.from_numpy(maps.ignition).float()
    spent = []
    with all_cores():
        for _ in range(rounds):
            began, burning, unburned = time.perf_counter(), ignition, 1.0 - ignition
            for step in range(maps.n_steps):
                heat = exposure(burning, gains[step // maps.steps_per_day])
                new = unburned * (1.0 - torch.exp(-heat))
                burning = (burning + new - burning / maps.t_burn).clamp(0.0, 1.0)
                unburned = (unburned - new).clamp(0.0, 1.0)
            spent.append(time.perf_counter() - began)
    return min(spent)


def tables(data: dict[str, Any]) -> list[str]:
    """The times behind the demands."""
    rows = [("dense torch, " + fire, data["dense"][fire]) for fire in FIRES]
    engine = data["engines"]["cpu"]
    for fire in FIRES:
        rows += [
            (f"engine, {what.replace('_', ' ')}, {fire}", engine[fire][what])
            for what in ("rollout", "gradient", "gradient_of_listed")
        ]
    rows.append((f"engine, {engine['schedules_at_once']} rollouts at once, contained", engine["many"]))
    rows += [(f"engine, {row['days']} days, {row['factor']}× the cells", row["cpu"]) for row in data["raster"]]
    return [
        f"{name:<46} {times['median_ms']:9.2f} ms  ({times['least_ms']:.2f} to {times['most_ms']:.2f})"
        for name, times in rows
    ]


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maps", type=Path, required=True, help="maps npz")
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is timed in turn")
    parser.add_argument("--epochs", type=int, default=25, help="of the optimization whose memory is read; 0 leaves out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 0 when every demand is met, else 1."""
    asked = parsed(arguments)

    def say(text: str) -> None:
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)

    say("optimizing in a process of its own")
    memory = optimization_memory(asked.maps, asked.epochs) if asked.epochs else None
    maps = read_maps(asked.maps).maps
    data = benchmark(asked.maps.stem, maps, default_fleet(), Extent(rounds=asked.rounds), say)
    say("dense torch, a new tensor for each operation")
    plain = plain_seconds(maps, min(asked.rounds, PLAIN_ROUNDS))
    say("")
    found = demands(data, memory)
    if asked.json:
        said = [{"what": one.what, "found": one.found, "limit": one.limit, "met": one.met} for one in found]
        print(json.dumps({**data, "plain_dense_s": plain, "optimization_peak_bytes": memory, "demands": said}))
    else:
        print(f"{asked.maps.name}: {data['fire']['extent_cells']:,.0f} cells without drops; {os.cpu_count()} cores")
        ratios = [1000.0 * plain / data["engines"]["cpu"][fire]["rollout"]["median_ms"] for fire in FIRES]
        as_written = f"{'dense torch as one writes it down':<46} {1000.0 * plain:9.2f} ms"
        as_written += f"  ({ratios[0]:.1f}× the rollout unsuppressed, {ratios[1]:.0f}× contained)"
        print("\n".join([as_written, *tables(data), *data["skipped"], "", *(one.line() for one in found)]))
    return 0 if all(one.met for one in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
