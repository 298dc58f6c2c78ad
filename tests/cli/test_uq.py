from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.uncertainty.results import read_ensemble
from firegui.domain.ensemble import unpacked
from firegui.domain.project import FireModel
from firegui.fire.card import scalar_card
from firegui.io.rasters.geotiff import read_raster
from tests.cli.conftest import Run
from tests.support import assert_same_files, csv_rows, make_project, tiny_project, watched_project, write_schedule

KEYS = {
    "run", "reason", "message", "complete", "seconds", "backend", "device", "event", "fire_model", "days", "nominal",
    "schedule", "seed", "error_model", "weather", "notes", "deterministic", "kind", "members", "members_asked",
    "quantiles", "rows", "worst",
}  # fmt: skip


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    """A project with a perimeter a day."""
    return tiny_project(tmp_path, watched_project())


@pytest.fixture
def windy(tmp_path: Path) -> Path:
    """A project whose fire model heeds the wind."""
    card = scalar_card()
    return tiny_project(
        tmp_path, make_project().with_model(FireModel("scalar", card.label, card.parameters.as_mapping()))
    )


def final(found: dict[str, Any]) -> dict[str, Any]:
    """The row of the final extent."""
    rows: dict[str, dict[str, Any]] = {row["quantity"]: row for row in found["rows"]}
    return rows["final_extent"]


@pytest.mark.slow
def test_drawn_states_come_with_the_table_of_the_paper_and_its_files(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ("--schedule", schedule, "--kind", "aleatoric", "--members", 12, "--seed", 4, "--out", out)
    found = firegui("uq", project, *words, "--json").json

    assert set(found) == KEYS and found["complete"] and found["members"] == 12 and found["seed"] == 4
    row = final(found)
    assert row["baseline"]["mean"] > row["plan"]["mean"] > 0.0 and row["benefit"]["reduction"] > 0.0
    evaluated = firegui("evaluate", project, "--schedule", schedule, "--json").json
    assert found["deterministic"]["plan"]["final_extent_cells"] == evaluated["final_extent_cells"]
    members = csv_rows(out / "ensemble.csv")
    ends = [float(one["baseline_extent_2"]) for one in members]
    assert ends == [round(value) for value in ends], "drawn states are whole cells"
    assert sum(ends) / 12 == pytest.approx(row["baseline"]["mean"])
    mean = read_raster(out / "mean_baseline.tif").bands
    assert float(mean[-1].sum()) == pytest.approx(row["baseline"]["mean"], rel=1e-3)
    names = {path.name for path in out.iterdir()}
    for name in ("fan", "benefit", "convergence"):
        assert {f"{name}.png", f"{name}.svg"} <= names
    assert "run.toml" not in names and "firegui uq" in (out / "ensemble.toml").read_text()
    assert json.loads((out / "summary.json").read_text())["rows"] == found["rows"]


@pytest.mark.slow
def test_the_drawn_states_of_every_member_can_be_kept(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--kind", "aleatoric", "--members", 5, "--keep-members", "--out", tmp_path / "run")
    assert firegui("uq", project, *words).code == 0
    _header, ensemble = read_ensemble(tmp_path / "run")
    for case in range(2):
        fires = np.stack([unpacked(sample, (3, 16, 20))[0] for sample in ensemble.samples[case]])
        assert (fires.sum(axis=(2, 3)) == ensemble.extent[case]).all()
        assert np.allclose(fires.mean(axis=0), ensemble.fire[case], atol=1e-4)
    refused = firegui("uq", project, "--kind", "epistemic", "--keep-members", "--out", tmp_path / "new", "--json")
    assert refused.code == 2


def test_people_read_the_paired_table_and_what_is_approximate(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("--schedule", schedule, "--kind", "epistemic", "--preset", "bear", "--members", 4)
    answer = firegui("uq", project, *words, "--out", tmp_path / "run")
    assert answer.code == 0
    for text in (
        "4 fires", "final size, ha", "protected, cells", "reduction", "More burns with the plan in", "approximate",
        "another fire", "ℓ 53.79 cells", "Least benefit, cells: fire", "Without chance", "may unburn them",
    ):  # fmt: skip
        assert text in answer.out
    assert "fire 4/4" in answer.err and "approximate" in answer.err


@pytest.mark.usefixtures("undrawn")
def test_the_model_error_is_fitted_to_the_projects_own_perimeters(firegui: Run, watched: Path, tmp_path: Path) -> None:
    words = ("--kind", "epistemic", "--members", 2, "--out", tmp_path / "run", "--json")
    found = firegui("uq", watched, *words, "--mode", "incremental", "--softening", 0.02).json
    assert found["error_model"]["mode"] == "incremental" and found["error_model"]["softening"] == 0.02
    assert found["error_model"]["source"].startswith("fitted") and final(found)["plan"] is None
    lines = (tmp_path / "run" / "semivariogram.csv").read_text().splitlines()
    assert lines[0] == "distance_cells,value,fitted,pairs" and len(lines) > 3
    bands = read_raster(tmp_path / "run" / "residuals.tif")
    assert len(bands.bands) == 8 and bands.descriptions[3] == "residual z2, end of day 2"


@pytest.mark.usefixtures("undrawn")
def test_the_wind_of_every_member_is_kept(firegui: Run, windy: Path, schedule: Path, tmp_path: Path) -> None:
    words = ("--kind", "weather", "--schedule", schedule, "--members", 3, "--out", tmp_path / "run")
    found = firegui("uq", windy, *words, "--speed-sd", 0.5, "--direction-sd", 30, "--json").json
    assert found["weather"]["speed_sd"] == 0.5 and found["weather"]["direction_sd"] == pytest.approx(0.5235987756)
    assert "a guess" in found["notes"][0]
    assert len({float(row["speed_factor"]) for row in csv_rows(tmp_path / "run" / "ensemble.csv")}) == 3


@pytest.mark.slow
def test_a_plan_without_drops_helps_in_no_pair(firegui: Run, watched: Path, tmp_path: Path) -> None:
    nothing = write_schedule(tmp_path / "none.csv", [])
    for kind in ("aleatoric", "epistemic"):
        words = ("--kind", kind, "--schedule", nothing, "--members", 3, "--out", tmp_path / kind)
        gain = final(firegui("uq", watched, *words, "--json").json)["benefit"]
        assert gain["spread"]["mean"] == 0.0 and gain["spread"]["sd"] == 0.0 and gain["worse"] == 0.0


@pytest.mark.usefixtures("undrawn")
def test_members_are_added_with_resume_and_are_those_of_a_longer_ensemble(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    words = ("uq", project, "--kind", "aleatoric", "--schedule", schedule, "--json")
    firegui(*words, "--members", 3, "--out", tmp_path / "run")
    assert firegui(*words, "--members", 5, "--out", tmp_path / "run").code == 2
    more = firegui(*words, "--members", 5, "--out", tmp_path / "run", "--resume")
    whole = firegui(*words, "--members", 5, "--out", tmp_path / "whole")
    assert more.json["rows"] == whole.json["rows"]
    files = ("ensemble.csv", "ensemble.safetensors", "mean_plan.tif")
    assert_same_files(tmp_path / "run", tmp_path / "whole", *files)


def test_everything_wrong_is_listed_at_once(firegui: Run, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "file"
    out.write_text("mine")
    missing = tmp_path / "missing.csv"
    words = ("--kind", "colour", "--mode", "daily", "--preset", "camp", "--schedule", missing, "--backend", "abacus")
    wrong = firegui("uq", project, *words, "--out", out)
    wrong.assert_refused(
        "'colour' is not known", "'daily' is not known", "'camp' is not known", "missing.csv", "abacus", "is a file"
    )
    both = ("--fit", "--preset", "bear")
    wind = ("--kind", "weather", "--members", 0, "--speed-sd", -1, "--softening", 0.1, *both)
    other = firegui("uq", project, *wind, "--out", tmp_path / "new", "--json")
    other.assert_refused(
        "--members is 0",
        "--speed-sd is -1",
        "--softening does not belong",
        "two error models",
        "hold only for the wind",
    )
    assert out.read_text() == "mine" and not (tmp_path / "new").exists()


def test_what_keeps_a_model_error_from_being_fitted_is_said(firegui: Run, project: Path, tmp_path: Path) -> None:
    words = ("--kind", "epistemic", "--members", 2, "--out", tmp_path / "run", "--json")
    nothing = firegui("uq", project, *words)
    assert nothing.code == 2 and "no perimeters" in nothing.json["problems"][0]["what"]
    (tmp_path / "one").mkdir()
    single = tiny_project(tmp_path / "one", watched_project(2, skipped=(1, 2)))
    answer = firegui("uq", single, *words)
    assert answer.code == 2 and "only the first day" in answer.json["problems"][0]["what"]
    assert not (tmp_path / "run").exists()
    softened = firegui("uq", project, *words, "--preset", "bear", "--softening", 0.1)
    assert "fitted already" in softened.json["problems"][0]["what"]
