from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.support import DAYS, SHAPE, make_project, write_schedule

METRICS = {
    "final_extent_cells",
    "final_extent_ha",
    "occupancy_cell_days",
    "protected_cells",
    "loss_burn",
    "loss_final",
    "loss_prot",
    "drops_proposed",
    "drops_executed",
    "objective",
    "gallons",
    "flight_hours",
    "cost",
}
DROPS = [
    (0, "R-1", 7.0, 9.0, 0.5),
    (1, "BIG-1", 9.0, 10.0, 1.0),
    (1, "W-1", 8.0, 8.0, 0.0),
    (11, "BIG-1", 5.0, 5.0, 0.0),
]


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    return write_schedule(tmp_path / "drops.csv", DROPS)


def test_evaluate_prints_exactly_the_documented_keys(firegui: Run, project: Path, schedule: Path) -> None:
    answer = firegui("evaluate", project, "--schedule", schedule, "--json")
    assert answer.code == 0
    assert set(answer.json) == METRICS | {"baseline", "backend", "device", "seconds", "regions"}
    assert set(answer.json["baseline"]) == METRICS


def test_drops_help_and_blocked_ones_are_not_executed(firegui: Run, project: Path, schedule: Path) -> None:
    found = firegui("evaluate", project, "--schedule", schedule, "--json").json
    assert (found["drops_proposed"], found["drops_executed"]) == (4, 3)
    assert found["objective"] < found["baseline"]["objective"]
    assert found["baseline"]["drops_executed"] == 0
    (region,) = found["regions"]
    assert (region["name"], region["area_ha"]) == ("Village", pytest.approx(24 * 0.09))
    assert region["burned_ha"] == pytest.approx(found["protected_cells"] * 0.09, rel=1e-5)
    assert region["burned_ha_no_drops"] == pytest.approx(found["baseline"]["protected_cells"] * 0.09, rel=1e-5)
    text = firegui("evaluate", project, "--schedule", schedule).out
    verdict, burned = text.splitlines()[:2]
    assert verdict.split(maxsplit=1) == ["Verdict", "not stress-tested"]
    assert burned.startswith("Burned in Village") and " without drops; area 2.2 ha)" in burned


def test_without_a_schedule_evaluate_is_the_baseline(firegui: Run, project: Path) -> None:
    found = firegui("evaluate", project, "--json").json
    assert {key: found[key] for key in METRICS} == found["baseline"]


def test_the_project_sets_the_effectiveness_unless_one_is_given(firegui: Run, project: Path, schedule: Path) -> None:
    as_saved = firegui("evaluate", project, "--schedule", schedule, "--json").json
    same = firegui(
        "evaluate", project, "--schedule", schedule, "--json", "--eta-retardant", 0.9, "--eta-water", 0.9
    ).json
    weak = firegui("evaluate", project, "--schedule", schedule, "--json", "--eta-retardant", 0.1).json
    assert as_saved["objective"] == same["objective"]
    assert as_saved["objective"] < weak["objective"]
    assert as_saved["baseline"] == weak["baseline"]


def test_the_state_file_holds_the_day_boundaries(firegui: Run, project: Path, tmp_path: Path) -> None:
    state = tmp_path / "out" / "state.npz"
    state.parent.mkdir()
    found = firegui("evaluate", project, "--state", state, "--json").json
    with np.load(state) as file:
        assert file.files == ["p_fire"]
        p_fire = file["p_fire"]
    assert p_fire.shape == (DAYS + 1, *SHAPE)
    assert p_fire.dtype == np.float32
    assert p_fire[-1].sum() == pytest.approx(found["final_extent_cells"], rel=1e-6)
    np.testing.assert_array_equal(p_fire[0], make_project().scenario.ignition)


def test_every_backend_of_this_machine_agrees(firegui: Run, project: Path, schedule: Path) -> None:
    auto, reference = (
        firegui("evaluate", project, "--schedule", schedule, "--backend", name, "--json").json
        for name in ("auto", "reference")
    )
    assert auto["objective"] == pytest.approx(reference["objective"], rel=1e-5)
    assert reference["backend"] == "reference"


def test_the_report_for_people_shows_both_fires(firegui: Run, project: Path, schedule: Path) -> None:
    answer = firegui("evaluate", project, "--schedule", schedule)
    assert "no drops" in answer.out
    assert "schedule" in answer.out
    assert "drops executed" in answer.out


def test_gradient_writes_the_documented_arrays(firegui: Run, project: Path, schedule: Path, tmp_path: Path) -> None:
    out = tmp_path / "gradient.npz"
    answer = firegui("gradient", project, "--schedule", schedule, "--out", out, "--json")
    assert answer.code == 0
    evaluated = firegui("evaluate", project, "--schedule", schedule, "--json").json
    with np.load(out, allow_pickle=False) as file:
        assert set(file.files) == {"loss", "logit", "pose", "aircraft"}
        assert file["logit"].shape == (20, 4)
        assert file["pose"].shape == (20, 4, 3)
        assert file["logit"].dtype == file["pose"].dtype == np.float64
        assert list(file["aircraft"]) == ["R-1", "R-2", "BIG-1", "W-1"]
        assert float(file["loss"]) == pytest.approx(evaluated["objective"], rel=1e-12)
        assert np.abs(file["logit"]).max() > 0
        # Only executed drops have a pose to move, and BIG-1 is grounded on day 1.
        assert np.count_nonzero(np.abs(file["pose"]).sum(axis=2)) == 3
        assert not file["logit"][10:, 2].any()


def test_the_gradient_follows_the_given_effectiveness(
    firegui: Run, project: Path, schedule: Path, tmp_path: Path
) -> None:
    losses = []
    for number, options in enumerate([(), ("--eta-retardant", 0.9, "--eta-water", 0.9), ("--eta-retardant", 0.3)]):
        answer = firegui(
            "gradient", project, "--schedule", schedule, "--out", tmp_path / f"{number}.npz", "--json", *options
        )
        losses.append(answer.json["loss"])
    assert losses[0] == losses[1] != losses[2]


def test_maps_come_out_as_they_went_in(firegui: Run, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "maps.npz"
    assert firegui("maps", project, "--out", out, "--json").json["days"] == DAYS
    fire = make_project().maps
    assert fire is not None
    with np.load(out) as file:
        for name in ("phi", "gamma", "burnable", "wind_speed", "wind_dir", "ignition"):
            np.testing.assert_array_equal(file[name], getattr(fire, name))
        assert (float(file["T_burn"]), int(file["S_day"]), float(file["dx"])) == (6.0, 10, 30.0)
        assert str(file["start"]) == "2020-08-19T07:00:00Z"


def test_maps_imported_again_burn_the_same(firegui: Run, project: Path, tmp_path: Path) -> None:
    maps, again = tmp_path / "maps.npz", tmp_path / "again.firegui"
    firegui("maps", project, "--out", maps)
    assert firegui("import", "maps", maps, "--out", again).code == 0
    first = firegui("evaluate", project, "--json").json["baseline"]
    second = firegui("evaluate", again, "--json").json["baseline"]
    assert second["final_extent_cells"] == first["final_extent_cells"]
    assert second["occupancy_cell_days"] == first["occupancy_cell_days"]


def test_hours_end_at_the_final_size_and_drops_make_the_fire_smaller(
    firegui: Run, project: Path, schedule: Path
) -> None:
    found = firegui("evaluate", project, "--schedule", schedule, "--hourly", "--json").json
    hours = found["hours"]

    assert [row["hour"] for row in hours] == list(range(24 * DAYS + 1))
    assert hours[-1]["final_extent_ha"] == pytest.approx(found["final_extent_ha"], rel=1e-5)
    assert hours[-1]["baseline_ha"] == pytest.approx(found["baseline"]["final_extent_ha"], rel=1e-5)
    assert hours[0]["final_extent_ha"] == hours[0]["baseline_ha"]
    assert all(row["final_extent_ha"] <= row["baseline_ha"] for row in hours)
    assert "overpasses" not in found
    text = firegui("evaluate", project, "--schedule", schedule, "--hourly").out
    assert "Size by hour:" in text
    assert len([line for line in text.splitlines() if line.split()[:1] == ["24"]]) == 1


def test_detections_need_a_placed_and_dated_fire_and_a_file(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("evaluate", project, "--detections", tmp_path / "absent.shp")
    assert answer.code == 2
    assert "absent.shp" in answer.err
