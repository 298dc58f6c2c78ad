from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.weights import Correction, TrainedEvent, Training
from firegui.io.project.weights_file import write_weights
from tests.cli.conftest import Run
from tests.support import tiny_project, watched_project

BEAR = Path(__file__).resolve().parents[2] / "../shared/data/bear2020"


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    return tiny_project(tmp_path, watched_project(skipped=(2,)))


def test_the_report_for_people_has_a_line_a_day_and_the_references(firegui: Run, watched: Path) -> None:
    answer = firegui("skill", watched, "--fit-days", 1)

    assert answer.code == 0
    days = [line.split()[0] for line in answer.out.splitlines() if "Aug)" in line]
    assert days == ["1", "3", "4"]
    assert "constant parameters" in answer.out
    assert "last perimeter held" in answer.out
    assert "Not scored: day 2, whose perimeter is only filled forward from an earlier day." in answer.out
    assert "published" not in answer.out


def test_the_json_holds_every_score_of_every_model(firegui: Run, watched: Path) -> None:
    found = firegui("skill", watched, "--fit-days", 1, "--json").json

    assert (found["days"], found["fit_days"], found["not_scored"]) == (4, 1, [2])
    assert set(found["references"]) == {"scalar", "held"}
    assert found["published"] is None
    day = found["model"]["days"][1]
    assert set(day) == {
        "day", "observed_cells", "expected_cells", "likely_cells", "iou", "soft_iou", "precision", "recall",
        "manhattan_cells", "area_error", "brier", "new_iou",
    }  # fmt: skip
    assert day["day"] == 3 and 0.0 < day["iou"] < 1.0
    daily = [item["iou"] for item in found["model"]["days"]]
    assert found["model"]["all"]["mean_iou"] == pytest.approx(np.mean(daily))
    assert found["model"]["after"]["lowest_iou"] == pytest.approx(min(daily[1:]))
    assert found["model"]["growth"]["ratio"] > 0
    assert found["references"]["held"]["growth"]["expected"] == 0.0
    assert len(found["reliability"]["all"]["bins"]) == 10


def test_nothing_is_written_unless_a_folder_is_named(firegui: Run, watched: Path, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    assert firegui("skill", watched, "--json").json["files"] == []
    assert set(tmp_path.rglob("*")) == before

    out = tmp_path / "scores"
    files = firegui("skill", watched, "--out", out, "--json").json["files"]
    assert {Path(name).name for name in files} == {path.name for path in out.iterdir()}


def test_as_many_days_as_there_are_maps_for_are_rolled_out(firegui: Run, watched: Path) -> None:
    assert firegui("skill", watched, "--json").json["days"] == 4
    assert firegui("skill", watched, "--days", 3, "--json").json["days"] == 3


def test_everything_wrong_is_listed_and_nothing_written(firegui: Run, watched: Path, tmp_path: Path) -> None:
    out = tmp_path / "file"
    out.write_text("mine")
    answer = firegui("skill", watched, "--days", 9, "--fit-days", -1, "--out", out, "--weights", tmp_path / "none")

    answer.assert_refused("9 asked for", "-1 asked for", "is a file", "none")
    assert out.read_text() == "mine"


def test_a_project_without_perimeters_says_what_is_missing(firegui: Run, project: Path) -> None:
    answer = firegui("skill", project, "--json")

    answer.assert_refused("no observed perimeter on day 0")


def test_progress_is_told_for_programs(firegui: Run, watched: Path) -> None:
    answer = firegui("skill", watched, "--progress", "json", "--json")
    lines = [json.loads(line) for line in answer.err.splitlines()]

    assert [line["done"] for line in lines if line["event"] == "progress"] == [0, 1, 2]
    assert lines[-1]["reason"] == "completed"


def test_weights_of_another_file_take_the_place_of_the_projects_model(
    firegui: Run, watched: Path, tmp_path: Path
) -> None:
    network = pytest.importorskip("firegui.fire.network")
    event = watched_project().scenario
    seen = TrainedEvent(event.name, date(2020, 8, 19), 2, (), 9.0, 0.0)
    training = Training("trial weights", (seen,), 1, 0, (), (), "0")
    field = Correction(event.name, event.grid.shape, event.grid.transform, np.full((2, 2), 0.5, np.float32))
    file = tmp_path / "w.safetensors"
    write_weights(file, network.weights_of(network.initial(0), training, (field,)))

    found = firegui("skill", watched, "--weights", file, "--json").json

    assert found["model"]["label"] == "trial weights"
    assert found["fit_days"] == 2
    assert list(found["references"]) == ["uncorrected", "scalar", "held"]
    growths = [item["growth"]["expected"] for item in (found["model"], found["references"]["uncorrected"])]
    assert growths[0] != growths[1]


@pytest.mark.slow
@pytest.mark.skipif(not BEAR.exists(), reason="the Bear 2020 data are not here")
def test_bear_is_scored_beside_the_published_curve(firegui: Run, tmp_path: Path) -> None:
    bear = tmp_path / "bear.firegui"
    firegui("import", "pytorchfire", BEAR / "pytorchfire", "--perimeters", BEAR / "perimeters", "--out", bear)
    found = firegui("skill", bear, "--json").json

    assert found["published"]["mean"] == 0.74
    assert found["references"]["held"]["after"]["mean_iou"] == pytest.approx(0.87, abs=0.01)
    assert found["model"]["growth"]["observed"] == 8812
    assert len(found["model"]["days"]) == 20
