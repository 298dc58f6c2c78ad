"""The table of scalability has all of the paper's rows. How fast anything is, no test asserts."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firegui.io.project.scenario_toml import default_fleet
from tests.performance import scalability
from tests.performance.scalability import ROWS, first_aircraft, main, paper_fleet

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A quick run on the processor."""
    out = tmp_path_factory.mktemp("scalability") / "table.json"
    assert main(["--out", str(out), "--backend", "cpu", "--quick", "--repeats", "1"]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def test_all_fifteen_rows_are_measured_with_their_spread(data: dict[str, Any]) -> None:
    assert [row["setting"] for row in data["table"]] == [row.setting for row in ROWS]
    assert len(data["table"]) == 15
    for row in data["table"]:
        assert row["decisions"] == 4 * row["steps"] * row["aircraft"]
        assert len(row["rollout"]["ms"]) == len(row["gradient_step"]["ms"]) == 1
        assert math.isfinite(row["gradient_to_rollout"])
        assert row["executed_drops"] > 0


def test_the_machine_its_memory_and_the_batch_are_described(data: dict[str, Any]) -> None:
    assert data["machine"]["torch"]
    assert data["host_peak_bytes"] > 0
    assert data["batch"]["schedules"] == 3
    assert data["batch"]["many_to_one"] > 0.0


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
def test_another_backend_is_compared_with_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalability, "ROWS", ROWS[-5:-4])
    out = tmp_path / "table.json"
    assert main(["--out", str(out), "--backend", "reference", "--quick", "--repeats", "1"]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))["against_the_cpu"]
    assert found["second_run_has_the_same_bits"] and found["batch_has_the_bits_of_one"]
    assert abs(found["extent"]) < 1e-5
    assert found["logit_gradient"] < 1e-3


def test_the_rows_have_the_papers_decision_counts() -> None:
    decisions = [4 * 50 * row.days * row.aircraft for row in ROWS]
    assert decisions == [2400, 6000, 12000, 18000, *[25200] * 6, 12600, 25200, 37800, 50400, 63000]


def test_the_fleet_is_the_papers_and_may_be_cut_short() -> None:
    assert paper_fleet() == default_fleet()
    assert first_aircraft(paper_fleet(), 10).n_aircraft == 10


def test_neither_window_nor_geodata_are_imported() -> None:
    code = "import sys, tests.performance.scalability; print(sorted(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in ("PySide6", "rasterio", "pyogrio", "msgspec", "safetensors", "click", "matplotlib", "shapely"):
        assert f"'{name}'" not in found
