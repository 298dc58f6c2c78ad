"""Coverage levels by fuel model as TOML: the shipped table, and files that people give in its place.

A file holds ``source`` and ``[[model]]`` tables of ``code``, ``coverage`` (gal/100 ft²), ``name`` and ``basis``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firegui.assets import resource
from firegui.domain.coverage import HIGHEST, LOWEST, RequiredCoverage, weighted_coverage
from firegui.domain.fuel import FBFM13, FBFM40, NONBURNABLE, fuel_name
from firegui.domain.scenario import Scenario
from firegui.errors import Problems
from firegui.io import strict
from firegui.io.atomic import write_text
from firegui.io.toml_text import dumps

SHIPPED = "fuel/coverage.toml"


@dataclass(frozen=True, slots=True)
class FuelCoverage:
    """The coverage level of one fuel model; ``basis`` says what it rests on."""

    code: int
    coverage: float
    name: str = ""
    basis: str = ""


@dataclass(frozen=True, slots=True)
class CoverageTable:
    """Levels by fuel model, and where they are from."""

    source: str
    models: tuple[FuelCoverage, ...]

    @property
    def levels(self) -> dict[int, float]:
        """``code → gal/100 ft²``."""
        return {model.code: model.coverage for model in self.models}


def shipped_table() -> CoverageTable:
    """The shipped levels. Raises :class:`~firegui.errors.InputError` when the installation is damaged."""
    return read_table(resource(SHIPPED))


def read_table(path: Path) -> CoverageTable:
    """Read a table of levels. Raises :class:`~firegui.errors.InputError` listing everything that is wrong in it."""
    problems = Problems()
    raw = strict.read_toml(path, problems)
    problems.raise_if_any(f"{path.name} cannot be used")
    table = strict.Table(raw, path.name, problems)
    source = table.take("source", str, "")
    rows = [(row.where, strict.read_dataclass(FuelCoverage, row, lenient=True)) for row in table.tables("model")]
    table.finish()
    if not rows:
        problems.add(path.name, "names no fuel model", "add [[model]] with code and coverage")
    seen: set[int] = set()
    for where, model in rows:
        if model is not None:
            _check(model, where, seen, problems)
            seen.add(model.code)
    problems.raise_if_any(f"{path.name} cannot be used")
    return CoverageTable(source or path.name, tuple(model for _, model in rows if model is not None))


def write_table(path: Path, coverage: RequiredCoverage) -> None:
    """Write a project's levels as a table that :func:`read_table` reads, to be edited."""
    models = [
        {"code": code, "name": fuel_name(code), "coverage": float(level)}
        for code, level in sorted(coverage.levels.items())
    ]
    write_text(path, dumps({"source": coverage.source, "model": models}))


def coverage_of(event: Scenario, table: CoverageTable | None = None) -> RequiredCoverage:
    """What an event's fuel requires by ``table``, by the shipped one where there is none."""
    chosen = table or shipped_table()
    return weighted_coverage(event.layers.get("fuel"), chosen.levels, chosen.source)


def _check(model: FuelCoverage, where: str, seen: set[int], problems: Problems) -> None:
    if model.code in NONBURNABLE:
        problems.add(where, f"model {model.code} does not burn", "leave it out")
    elif model.code not in FBFM40 | FBFM13:
        problems.add(where, f"there is no fuel model {model.code}", "give a code of FBFM40 or FBFM13")
    if model.code in seen:
        problems.add(where, f"model {model.code} is given twice", "keep one")
    if not LOWEST <= model.coverage <= HIGHEST:
        what = f"the coverage of model {model.code} is {model.coverage:g} gal/100 ft²"
        problems.add(where, what, f"use a value from {LOWEST:g} to {HIGHEST:g}")
