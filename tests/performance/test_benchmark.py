"""The benchmark measures what it says it measures. How fast anything is, no test asserts."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from firegui.rollout import benchmark as benchmark_module
from firegui.rollout.benchmark import Extent, Times, benchmark, interleaved
from firegui.rollout.machine import available_memory, compilers, peak_memory
from firegui.rollout.synthetic_fires import bytes_of
from tests.numerics.cases import random_maps, small_fleet
from tests.performance.cpu_engine import Demand, demands, main, tables

SHARED = Path(__file__).resolve().parents[3] / "shared"
QUICK = Extent(rounds=2, drops=12, factors=(1, 2), raster_days=1)


@pytest.fixture(scope="module")
def said() -> list[str]:
    return []


@pytest.fixture(scope="module")
def data(said: list[str]) -> dict[str, Any]:
    """A run on a tiny fire."""
    return benchmark("tiny", random_maps(1), small_fleet(), QUICK, said.append)


def test_the_fire_and_what_holds_it_are_described(data: dict[str, Any]) -> None:
    fire = data["fire"]
    assert (fire["name"], fire["rows"], fire["columns"], fire["steps"]) == ("tiny", 14, 17, 20)
    assert fire["held"]["drops"] == 12
    assert fire["start_cells"] == 9 < fire["extent_cells"]


def test_every_piece_of_work_is_timed_as_often_as_asked(data: dict[str, Any]) -> None:
    engine = data["engines"]["cpu"]
    timed = [data["dense"][fire] for fire in ("unsuppressed", "contained")]
    for fire in ("unsuppressed", "contained"):
        timed += [engine[fire][what] for what in ("rollout", "gradient", "gradient_of_listed")]
    timed += [engine["many"], *(row["cpu"] for row in data["raster"])]
    assert len(timed) == 11
    for times in timed:
        assert times["rounds"] == 2
        assert 0.0 < times["least_ms"] <= times["median_ms"] <= times["most_ms"]


def test_the_engine_has_to_beat_the_best_round_of_dense_torch_by_its_median(data: dict[str, Any]) -> None:
    found = data["engines"]["cpu"]["contained"]
    rollout, gradient = found["rollout"]["median_ms"], found["gradient"]["median_ms"]
    assert found["gradient_to_rollout"] == pytest.approx(gradient / rollout)
    assert found["dense_to_rollout"] == pytest.approx(data["dense"]["unsuppressed"]["least_ms"] / rollout)


def test_each_raster_says_how_many_cells_it_has(data: dict[str, Any]) -> None:
    assert [(row["factor"], row["cells"]) for row in data["raster"]] == [(1, 14 * 17), (4, 4 * 14 * 17)]
    assert data["raster"][0]["cpu"]["to_first"] == 1.0
    assert data["skipped"] == []


def test_whoever_waits_is_told_what_is_being_done(data: dict[str, Any], said: list[str]) -> None:
    assert "round 2 of 2: cpu rollout contained" in said
    assert any("compiling" in text for text in said)


def test_a_raster_that_does_not_fit_is_left_out_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = random_maps(1)
    room = 4 * bytes_of(maps.window(0, 1))
    monkeypatch.setattr(benchmark_module, "available_memory", lambda: room)
    found = benchmark("tiny", maps, small_fleet(), QUICK, lambda _text: None)
    assert [row["factor"] for row in found["raster"]] == [1]
    assert "4× the cells needs" in found["skipped"][0]


def test_works_take_turns_and_the_first_call_of_each_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_module, "LEAST_MS", 0.0)
    calls: list[str] = []
    works = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    found = interleaved(works, 3, lambda _text: None)
    assert calls == ["a", "b"] * 4
    assert {name: len(times.rounds) for name, times in found.items()} == {"a": 3, "b": 3}


def test_the_median_stands_for_the_rounds() -> None:
    assert Times((5.0, 1.0, 9.0)).plain() == {"median_ms": 5.0, "least_ms": 1.0, "most_ms": 9.0, "rounds": 3}


def test_the_threads_of_torch_are_given_back() -> None:
    before = torch.get_num_threads()
    with benchmark_module.all_cores():
        pass
    assert torch.get_num_threads() == before


def test_the_peak_of_memory_rises_with_what_is_held() -> None:
    before = peak_memory()
    if before is None:
        pytest.skip("this system does not say")
    held = b"\1" * 300_000_000
    after = peak_memory()
    assert after is not None
    assert after >= max(before, len(held))


def test_free_memory_and_compilers_are_known() -> None:
    free = available_memory()
    assert free is None or free > 0
    assert set(compilers()) == {"numba", "llvmlite", "triton", "kept_kernels", "kept_in"}


def test_each_demand_is_compared_in_its_own_direction() -> None:
    assert Demand("more is better", 16.0, 15.0, "×", at_least=True).met
    assert not Demand("less is better", 16.0, 15.0, "×").met
    assert Demand("less is better", 16.0, 15.0, "×").line().startswith("missed")


def test_every_demand_has_a_number(data: dict[str, Any]) -> None:
    found = demands(data, 1_000_000)
    assert len(found) == 12
    assert all(math.isfinite(one.found) for one in found)
    assert len(tables(data)) == 11


@pytest.mark.slow
def test_the_yardstick_fire_is_timed_and_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool, bear = SHARED / "tools" / "constant_maps.py", SHARED / "data" / "bear2020"
    if not (tool.exists() and bear.exists()):
        pytest.skip("the data of the Bear fire are not beside this checkout")
    maps = tmp_path / "bear165k.npz"
    subprocess.run([sys.executable, str(tool), str(bear), str(maps)], check=True, capture_output=True)
    main(["--maps", str(maps), "--rounds", "5"])
    text = capsys.readouterr().out
    with capsys.disabled():
        print(f"\n{text}")
    held = [line for line in text.splitlines() if "of the contained fire" in line]
    assert len(held) == 2 and all(line.startswith("met") for line in held)
