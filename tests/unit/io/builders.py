"""Small values to test readers and writers with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.grid import Grid
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import DropRecord
from firegui.domain.settings import ObjectiveWeights, PlanSettings, Setting
from firegui.errors import InputError

SHARED_DATA = Path(__file__).resolve().parents[3] / "../shared/data"
BEAR = SHARED_DATA / "bear2020"
BEAR_GRID = Grid(619, 748, 30.0, (30.0, 0.0, -104430.0, 0.0, -30.0, 210000.0), "EPSG:3310")

PLACED = Grid(6, 8, 30.0, (30.0, 0.0, 500000.0, 0.0, -30.0, 4400000.0), "EPSG:32610")
UNPLACED = Grid(6, 8, 30.0)
START = datetime(2020, 8, 19, 7, tzinfo=UTC)


def aircraft(**changes: Any) -> AircraftType:
    kind = AircraftType(
        "S-2T", 'Turbo "Tracker"', 2, Material.RETARDANT, 1200.0, 0.5, 66.4, 3.5, 56.1, 111.7, 3.37, "own"
    )
    return replace(kind, **changes)


def fleet() -> Fleet:
    return Fleet((aircraft(), aircraft(id="CL-415", count=1, material=Material.WATER, turnaround_h=0.18)))


def scenario(grid: Grid = PLACED, **changes: Any) -> Scenario:
    rng = np.random.default_rng(5)
    wind = rng.random((3, *grid.shape)).astype(np.float32)
    height = rng.random(grid.shape).astype(np.float32)
    height[0, 0] = np.nan
    height[1, 1] = -0.0
    seen = np.zeros((2, *grid.shape), np.bool_)
    seen[:, 2, 3] = True
    seen[1, 2, 4] = True
    event = Scenario(
        "Tëst “fire”", grid, START, -7.0, wind, wind * 6, {"elevation": height}, np.asarray(seen[0]), seen,
        (date(2020, 8, 19), date(2020, 8, 21)), 50, ("first\nnote", 'a "second"'), True,
        (("village", "Dörfli", ((1.5, 2.0), (3.0, 4.25))),),
    )  # fmt: skip
    return replace(event, **changes)


def maps(grid: Grid = PLACED, days: int = 3) -> FireMaps:
    rng = np.random.default_rng(9)

    def draw(*shape: int) -> NDArray[np.float32]:
        return rng.random(shape, np.float32)

    space = grid.shape
    lit = np.zeros(space, np.bool_)
    lit[3, 3] = True
    return FireMaps(
        draw(days, 8, *space), draw(days, *space), rng.random(space) > 0.1, draw(days, *space), draw(days, *space),
        lit, 10.0, 50, grid.cell_size_m, 2.7,
    )  # fmt: skip


def project(grid: Grid = PLACED, **changes: Any) -> Project:
    hole = ((1.5, 1.5), (1.5, 2.5), (2.5, 2.5))
    odd = Region(
        "odd, with a hole", ((((1.0, 1.0), (1.0, 4.1), (4.7, 3.0)), hole), (((5.0, 5.0), (5.0, 6.0), (6.0, 6.0)),)), 2.5
    )
    whole = Project(
        scenario(grid),
        fleet(),
        {"S-2T": (date(2020, 8, 20),), "CL-415": ()},
        (Region.rectangle("R1", (0, 3), (2, 5)), odd),
        PlanSettings(1, 2, Setting.CUSTOM, ObjectiveWeights(1 / 3, 1e-300, 0.1, 1e-6)),
        FireModel("scalar", "scalar, fitted on days 0–9", {"p": 0.1, "wind": 1 / 3}),
    )
    return replace(whole, **changes)


def drop(step: int, column: int, **changes: Any) -> DropRecord:
    tail = fleet().tails[column]
    kind = tail.type
    record = DropRecord(
        step, tail.name, column, kind.type, kind.material, kind.payload_gal, True, 0.1 + 0.2, 1 / 3, 2 / 3,
        1.25, 3.5, 3.7, 0.11,
    )  # fmt: skip
    return replace(record, **changes)


def said(error: InputError) -> list[str]:
    return [str(problem) for problem in error.problems]


def assert_each_said(error: InputError, parts: Sequence[str]) -> None:
    """Every part is in a problem of its own kind, and every problem says where and what to do."""
    lines = said(error)
    for part in parts:
        assert any(part in line for line in lines), f"{part!r} not in {lines}"
    assert all(problem.where and problem.what for problem in error.problems)


def change_text(path: Path, *swaps: tuple[str, str]) -> None:
    """Put one text in place of another in a file, which must hold it."""
    text = path.read_text(encoding="utf-8")
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


@contextmanager
def refused_for(*parts: str) -> Iterator[pytest.ExceptionInfo[InputError]]:
    """Expect a refusal of the block in which every part is said."""
    with pytest.raises(InputError) as caught:
        yield caught
    assert_each_said(caught.value, parts)


def assert_same_bits(one: Any, other: Any) -> None:
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    assert np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


def files_below(folder: Path) -> set[str]:
    return {str(entry.relative_to(folder)) for entry in folder.rglob("*")}
