"""``firegui doctor --bench`` on a tiny fire."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.runs.engine import Engine
from tests.cli.conftest import Run
from tests.support import make_project


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small synthetic fire in place of the large one."""
    maps = make_project().maps
    monkeypatch.setattr("firegui.rollout.synthetic_fires.synthetic_fire", lambda: maps)


def test_a_person_sees_both_fires_the_rasters_and_the_memory(firegui: Run, tiny: None) -> None:
    answer = firegui("doctor", "--bench", "--rounds", 1)
    assert answer.code == 0
    for words in (
        "Timed on synthetic fire: 20 × 16 cells (width × height), 20 steps, 21 aircraft",
        "contained: at most",
        "dense torch rollout, unsuppressed",
        "CPU: gradient step, contained",
        "CPU: 5,120 cells",
        "prepared in",
    ):
        assert words in answer.out
    assert "round 1 of 1: cpu rollout unsuppressed" in answer.err


def test_a_program_gets_every_number_in_one_object(firegui: Run, tiny: None) -> None:
    found = firegui("doctor", "--bench", "--rounds", 1, "--json").json
    assert set(found["bench"]) == {"fire", "dense", "engines", "raster", "skipped"}
    assert found["bench"]["engines"]["cpu"]["contained"]["rollout"]["median_ms"] > 0.0
    assert found["engine"]["kernels"].keys() >= {"numba", "triton", "kept_kernels"}


def test_the_fire_and_the_fleet_of_a_project_are_timed(firegui: Run, project: Path) -> None:
    fire = firegui("doctor", "--bench", "--rounds", 1, "--project", project, "--json").json["bench"]["fire"]
    assert (fire["name"], fire["rows"], fire["aircraft"]) == ("Tiny", 16, 4)


def test_a_project_without_bench_is_a_slip(firegui: Run, project: Path) -> None:
    answer = firegui("doctor", "--project", project)
    answer.assert_refused("--bench")


def test_ctrl_c_ends_it_with_its_own_exit_code(firegui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "benchmark", interrupted)
    assert firegui("doctor", "--bench").code == 130


def test_without_bench_nothing_is_timed(firegui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "benchmark", lambda *_: pytest.fail("was timed"))
    assert "bench" not in firegui("doctor", "--json").json
