"""``firegui margin`` as a person or a script meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.analyses.margin.results import CURVE, HEADER, SHEET, STORE
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("short_repairs")

TEXT = """
[[scenario]]
name = "weak"
effectiveness = "0.30/0.20"
[[scenario]]
name = "failures"
failure_rate = 0.5
draws = 4
[[scenario]]
name = "mended"
failure_rate = 0.5
repair_hours = 12
"""
FAST = ("--epochs", 3, "--search-epochs", 3, "--training-epochs", 2, "--adapt-epochs", 1)


@pytest.fixture
def stressed(firegui: Run, project: Path, tmp_path: Path) -> Path:
    """The project with few scenarios."""
    path = tmp_path / "scenarios.toml"
    path.write_text(TEXT, encoding="utf-8")
    firegui("configure", project, "--scenarios", path)
    return project


@pytest.mark.slow
def test_the_curve_is_made_reported_and_repeated_by_its_own_command(
    firegui: Run, stressed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "curve"
    found = firegui("margin", stressed, "--out", out, *FAST, "--limit", 0.2, "--draws", 2, "--seed", 4, "--json").json
    assert [plan["plan"] for plan in found["plans"]] == ["none", "design", "stress", "stress-replanned"]
    assert found["missing"] == []
    assert (found["limit"], found["seed"], found["complete"], found["reason"]) == (0.2, 4, True, "completed")
    first = found["plans"][0]
    assert list(first)[:8] == [
        "plan", "folder", "test", "drops", "gallons", "nominal_share", "worst_scenario", "worst_share",
    ]  # fmt: skip
    assert (first["draws"], first["scenarios"]) == (2, 2)
    own = firegui("stress", stressed, "--schedule", out / first["folder"], "--out", tmp_path / "s", "--draws", 2,
                  "--seed", 4, "--json").json  # fmt: skip
    fixed = [row["share_worst"] for row in own["scenarios"] if row["name"] != "mended"]
    assert first["worst_share"] == max(fixed)
    last = found["plans"][3]
    assert (last["folder"], last["gallons"], last["scenarios"]) == ("margin-stress", None, 3)
    assert {path.name for path in out.iterdir()} >= {HEADER, CURVE, SHEET, "margin.png", "margin.svg"}
    command = STORE.read(out).command
    for words in ("--limit 0.2", "--draws 2", "--seed 4", "--epochs 3", "--training-epochs 2"):
        assert words in command


@pytest.mark.slow
def test_the_table_is_for_people_and_a_resumed_curve_is_complete(firegui: Run, stressed: Path, tmp_path: Path) -> None:
    out = tmp_path / "curve"
    text = firegui("margin", stressed, "--out", out, *FAST, "--repair", 0).out
    for words in (
        "worst scenario",
        "No margin",
        "Cautious margin",
        "Stress margin",
        "up to 4 draws a scenario",
        "curve:",
    ):
        assert words in text
    assert "replanned every" not in text
    again = firegui("margin", stressed, "--out", out, "--resume", "--json").json
    assert again["message"].startswith("nothing left to do")
    assert len(again["plans"]) == 3


def test_bad_input_is_listed_and_nothing_is_written(firegui: Run, stressed: Path, tmp_path: Path) -> None:
    words = ("--limit", 7, "--repair", 5, "--draws", -1, "--epochs", 0, "--backend", "none")
    ended = firegui("margin", stressed, "--out", tmp_path / "curve", *words)
    ended.assert_refused(
        "--limit is 7", "every 5 h, which is not a whole number", "--draws is -1", "--epochs is 0", "none"
    )
    assert not (tmp_path / "curve").exists()
