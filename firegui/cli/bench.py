"""``firegui doctor --bench``: what this machine computes in what time, from one run."""

from __future__ import annotations

import sys
from typing import Any

import click

from firegui.cli.output import table
from firegui.domain.project import Project
from firegui.errors import Problems
from firegui.io.fleet_toml import default_fleet
from firegui.runs.engine import Engine

FIRES = ("unsuppressed", "contained")
_ENGINES = {"cpu": "CPU", "cuda": "GPU"}
_WORK = {
    "rollout": "rollout",
    "gradient": "gradient step",
    "gradient_of_listed": "gradient, drops of a file alone",
}


class Say:
    """Tells on standard error what is being done: one line that is rewritten on a terminal, else a line each."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        """Say ``text``; an empty one takes the line away."""
        if self._live:
            click.echo(f"\r{text}\x1b[K", err=True, nl=False)
        elif text:
            click.echo(text, err=True)


def run_bench(engine: Engine, project: Project | None, rounds: int, say: Say) -> dict[str, Any]:
    """Time the fire and fleet of ``project``, or a synthetic fire of the paper's size with the default fleet.

    Raises :class:`~firegui.errors.InputError` for a project that cannot be planned.
    """
    try:
        if project is None:
            say("making a synthetic fire")
            return engine.benchmark("synthetic fire", engine.synthetic_fire(), default_fleet(), rounds, say)
        problems = Problems()
        problems.extend(project.problems())
        problems.raise_if_any("The project cannot be timed")
        return engine.benchmark(project.scenario.name, engine.project_maps(project), project.planned_fleet, rounds, say)
    finally:
        say("")


def bench_lines(data: dict[str, Any]) -> list[str]:
    """The numbers for people."""
    rows: list[tuple[str, ...]] = [("", "median", "least to most", "dense torch / this", "of its rollout")]
    for fire in FIRES:
        rows.append((f"dense torch rollout, {fire}", *_spread(data["dense"][fire]), "", ""))
    for name, engine in data["engines"].items():
        rows += [row for fire in FIRES for row in _engine_rows(_ENGINES.get(name, name), fire, engine[fire])]
        many = f"{_ENGINES.get(name, name)}: {engine['schedules_at_once']} rollouts at once, contained"
        rows.append((many, *_spread(engine["many"]), "", f"{engine['many']['to_one']:.2f}×"))
    raster = [("", "median", "least to most", "of the first")]
    for row in data["raster"]:
        for name in data["engines"]:
            times, cells = row[name], f"{_ENGINES.get(name, name)}: {row['cells']:,} cells"
            raster.append((cells, *_spread(times), f"{times['to_first']:.2f}×"))
    days = f"{data['raster'][0]['days']} days of the fire on larger rasters:" if data["raster"] else ""
    return [
        *_fire_lines(data),
        *table(rows),
        "dense torch / this: the best round of dense torch on the unsuppressed fire, over this median",
        *([days, *table(raster)] if days else []),
        *(f"left out: {text}" for text in data["skipped"]),
        *_memory_lines(data["engines"]),
    ]


def _fire_lines(data: dict[str, Any]) -> list[str]:
    fire, held, threads = data["fire"], data["fire"]["held"], data["dense"]["threads"]
    size = f"{fire['rows']} × {fire['columns']} cells, {fire['steps']} steps, {fire['aircraft']} aircraft"
    verdict = "" if held["cells"] <= held["within_cells"] else f", more than the {held['within_cells']:,.0f} meant"
    return [
        f"Timed on {fire['name']}: {size}; dense torch on {threads} threads",
        f"  unsuppressed: from {fire['start_cells']:,} to {fire['extent_cells']:,.0f} cells",
        f"  contained: at most {held['cells']:,.0f} cells at a day's end{verdict}, by {held['drops']:,} executed drops",
    ]


def _engine_rows(engine: str, fire: str, found: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for key, words in _WORK.items():
        dense = found["dense_to_rollout"] * found["rollout"]["median_ms"] / found[key]["median_ms"]  # its best round
        own = "" if key == "rollout" else f"{found[key]['median_ms'] / found['rollout']['median_ms']:.2f}×"
        rows.append((f"{engine}: {words}, {fire}", *_spread(found[key]), f"{dense:.1f}×", own))
    return rows


def _spread(times: dict[str, float]) -> tuple[str, str]:
    return f"{times['median_ms']:,.2f} ms", f"{times['least_ms']:,.2f} to {times['most_ms']:,.2f}"


def _memory_lines(engines: dict[str, Any]) -> list[str]:
    lines = []
    for name, engine in engines.items():
        parts = []
        if engine["peak_memory_bytes"] is not None:
            parts.append(f"{engine['peak_memory_bytes'] / 1e9:.2f} GB of memory at most, the maps included")
        if engine["gpu_peak_memory_bytes"] is not None:
            parts.append(f"{engine['gpu_peak_memory_bytes'] / 1e9:.2f} GB on the card")
        prepared = f"prepared in {engine['prepare_s']:.1f} s"
        lines.append(f"{_ENGINES.get(name, name)}: " + ", ".join([prepared, *parts]))
    return lines
