"""The folder of a stress test on disk.

``stress.toml`` says what was asked, with what. ``stress.json`` is the table, ``table.csv`` a row for each draw,
``leak.tif`` where fire burns that the plan holds in the model's own world. ``draws.safetensors`` is there while the
test is not complete, for going on with it. Every file is replaced whole.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from firegui.domain.project import Project
from firegui.domain.stress import StressDraw, StressResult, StressScenario, StressTable, StressTestSettings
from firegui.errors import Problem
from firegui.io import atomic
from firegui.io.array_files import write_arrays
from firegui.io.tables import records_csv
from firegui.runs.fire_specs import on_same_days, project_then, same_schedule
from firegui.runs.header import SavedHeader
from firegui.runs.leaks import Bools, LeakCounts, LeakMaps, write_leaks
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import ResumeCheck
from firegui.runs.spec import EvaluateSpec, StressDrawOf, StressSpec

HEADER, TABLE, SHEET, DRAWS = "stress.toml", "stress.json", "table.csv", "draws.safetensors"
TITLE = "The stress test cannot be made"

_CHECK = ResumeCheck("made", "made of", "set it back, or test in another folder")
_AGAIN = "make the stress test again elsewhere"
_LEVEL = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StressHeader(SavedHeader):
    """The content of ``stress.toml``; ``schedule`` is a hash."""

    settings: StressTestSettings
    seed: int
    device: str = ""
    schedule: str = ""
    schedule_file: str = ""
    scenarios_file: str = ""


STORE = ResultStore("a stress test", HEADER, TITLE, StressHeader, _AGAIN)


def resume_problems(then: StressHeader, spec: StressSpec, schedule: str) -> list[Problem]:
    """Return what keeps ``spec`` from resuming ``then``; ``schedule`` is the hash of the schedule now."""
    where, more = str(spec.out), []
    before, now = then.settings, spec.settings
    if then.schedule != schedule:
        more.append(Problem(where, "was made of another schedule", "give its schedule again (--schedule)"))
    if before.stress.scenarios != now.stress.scenarios:
        more.append(Problem(where, "was made with other scenarios", "give its scenarios again, or another folder"))
    elif (
        any(one.repair_hours for one in now.scenarios)
        and then.project.stress.scenarios != spec.project.stress.scenarios
    ):
        # A plan is repaired for the scenarios of its project.
        what = "was made with other stress scenarios of the project"
        more.append(Problem(where, what, "set them back, or test in another folder"))
    likened = replace(before, stress=replace(before.stress, scenarios=now.stress.scenarios))
    return _CHECK.problems(spec, then, likened, more=more)


@dataclass(frozen=True, slots=True, eq=False)
class StressTally:
    """The draws so far: their ``table``, and where fire gets through the plan in them."""

    table: StressTable
    leaks: LeakCounts

    def with_draw(self, bare: StressResult, draw: StressDraw, burns: Bools) -> StressTally:
        """Return the tally with the next draw of a scenario; ``bare`` is its result without draws."""
        name = bare.scenario.name
        there = next((one for one in self.table.results if one.scenario.name == name), bare)
        others = tuple(one for one in self.table.results if one.scenario.name != name)
        result = replace(there, draws=(*there.draws, draw))
        return StressTally(replace(self.table, results=(*others, result)), self.leaks.with_draw(name, burns))

    def without(self, name: str, reason: str) -> StressTally:
        """Return the tally with a scenario noted as left out."""
        left_out = (*self.table.left_out, (name, reason))
        return replace(self, table=replace(self.table, left_out=left_out))

    def done(self, name: str) -> int:
        """Return the draws that are done of a scenario."""
        return next((len(one.draws) for one in self.table.results if one.scenario.name == name), 0)

    @property
    def maps(self) -> LeakMaps:
        """Maps of where fire gets through, of all scenarios and of each."""
        return self.leaks.maps(self.table)


def write_results(folder: Path, tally: StressTally, project: Project) -> None:
    """Replace ``stress.json``, ``table.csv`` and ``leak.tif``."""
    atomic.write_text(folder / SHEET, table_csv(tally.table))
    write_leaks(folder, tally.maps, project)
    atomic.write_json(folder / TABLE, tally.table)


def read_table(folder: Path) -> StressTable:
    """Read the table in ``folder``. Raises :class:`~firegui.errors.InputError` where it cannot."""
    return STORE.read_json(folder / TABLE, StressTable)


def write_draws(path: Path, tally: StressTally) -> None:
    """Write the draws so far, atomically, to go on with."""
    tensors = {"table": np.frombuffer(msgspec.json.encode(tally.table), np.uint8)}
    maps: dict[str, NDArray[Any]] = {"nominal": tally.leaks.nominal}
    maps |= {f"leak {k}": v for k, v in tally.leaks.counts.items()}
    for name, values in maps.items():
        tensors[name] = np.frombuffer(zlib.compress(np.ascontiguousarray(values).data, _LEVEL), np.uint8)
    write_arrays(path, tensors)


def read_draws(path: Path, shape: tuple[int, int]) -> StressTally:
    """Read what :func:`write_draws` wrote. Raises :class:`~firegui.errors.InputError` where it cannot."""
    try:
        tensors = load(path.read_bytes())
        table = msgspec.json.decode(tensors["table"].tobytes(), type=StressTable)
        nominal = _unpacked(tensors["nominal"], np.bool_, shape)
        names = [result.scenario.name for result in table.results]
        leaks = {name: _unpacked(tensors[f"leak {name}"], np.uint16, shape) for name in names}
    except (OSError, SafetensorError, KeyError, ValueError, msgspec.MsgspecError, zlib.error) as error:
        raise STORE.unreadable(path, error) from error
    return StressTally(table, LeakCounts(nominal, leaks))


def _unpacked(data: NDArray[Any], kind: Any, shape: tuple[int, int]) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(data.tobytes()), kind).reshape(shape)


def table_csv(table: StressTable) -> str:
    """Return ``table.csv``: a row for each scenario and draw, the model's own world first.

    ``draw`` is counted from 0. With the seed of the set it is what rolls the same draw out again.
    """
    rows = [
        {
            "scenario": result.scenario.name,
            "draw": number,
            "share": draw.share,
            "cells": draw.cells,
            "protected_cells": draw.protected_cells,
            "drops_flown": draw.flown,
            "repair_hours": result.scenario.repair_hours,
            "start_cells": result.start_cells,
            "cells_no_drops": result.cells_no_drops,
            "fixed_share": draw.fixed_share,
        }
        for result in (table.nominal, *table.results)
        for number, draw in enumerate(result.draws)
    ]
    return records_csv(rows)


def table_data(table: StressTable) -> dict[str, Any]:
    """Return the table as plain values, as ``stress --json`` prints it."""
    return {
        "drops": table.drops,
        "nominal": {"final_extent_cells": table.nominal.cells_worst, "share": table.nominal.share_worst},
        "scenarios": [
            {
                "name": result.scenario.name,
                **result_values(result),
                "region_share_worst": result.region_share(),
                "start_cells": result.start_cells,
                "worst_draw": result.worst_draw,
                "repair_hours": result.scenario.repair_hours,
                "fixed_share_worst": result.fixed_share_worst,
            }
            for result in table.results
        ],
        "left_out": [{"name": name, "reason": reason} for name, reason in table.left_out],
    }


def result_values(result: StressResult) -> dict[str, Any]:
    """Return the numbers of a scenario as plain values."""
    return {
        "draws": len(result.draws),
        "share_worst": result.share_worst,
        "share_mean": result.share_mean,
        "cells_worst": result.cells_worst,
        "cells_no_drops": result.cells_no_drops,
        "drops_flown_mean": result.flown_mean,
    }


# -- on the map -------------------------------------------------------------------------------------------------------
def stress_draw_spec(
    header: StressHeader, scenario: StressScenario, number: int, project: Project, backend: str
) -> EvaluateSpec:
    """Return the spec of both fires of a draw of a scenario. Its schedule must not have changed."""
    then = project_then(header, project, "stress test", "made", "make it again")
    then = on_same_days(then, project, "stress test")
    schedule = same_schedule(header.schedule_file, header.schedule, then, "stress test")
    return EvaluateSpec(then, schedule, backend=backend, stress=StressDrawOf(scenario, number, header.seed))
