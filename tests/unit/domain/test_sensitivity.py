from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.results import Metrics
from firegui.domain.sensitivity import (
    DESIGNS,
    DISTANCES_M,
    PAIRS,
    MonteCarlo,
    PoseRow,
    RolloutSummary,
    SensitivityKind,
    SensitivitySettings,
    design_folder,
    fire_objective,
)
from firegui.domain.settings import NOMINAL, Effectiveness, ObjectiveWeights

METRICS = Metrics(10.0, 0.9, 20.0, 3.0, 0.1, 0.2, 0.3, 9, 7, 99.0)
READING = RolloutSummary(2.0, 10.0, 0.9, 3.0, 7)


def test_the_fire_objective_leaves_out_what_drops_cost() -> None:
    weights = ObjectiveWeights(burn=10.0, final=20.0, prot=30.0, budget=1000.0)
    assert fire_objective(METRICS, weights) == pytest.approx(1.0 + 4.0 + 9.0)
    assert RolloutSummary.of(METRICS, weights) == RolloutSummary(fire_objective(METRICS, weights), 10.0, 0.9, 3.0, 7)


def test_the_defaults_are_the_papers_and_in_order() -> None:
    assert [(pair.retardant, pair.water) for pair in PAIRS][::3] == [(0.9, 0.9), (0.88, 0.88), (0.7, 0.6)]
    assert len(PAIRS) == 7 and PAIRS[0] == DESIGNS[0] == NOMINAL
    assert DISTANCES_M[0] == 0.0 and DISTANCES_M[-1] >= 30.0, "drops laid off by cells, not by parts of a cell"
    assert not [problem for kind in SensitivityKind for problem in SensitivitySettings().problems(kind)]


def test_a_pose_row_sums_its_draws_up() -> None:
    row = PoseRow(1e-4, tuple(replace(READING, fire_objective=value) for value in (3.0, 1.0, 5.0)))
    assert (row.mean, row.lowest, row.highest, row.mean_extent) == (3.0, 1.0, 5.0, 10.0)
    assert [each.text for each in (row, replace(row, scale=30.0, in_metres=True), replace(row, scale=0.0))] == [
        "0.0001", "30 m", "none"
    ]  # fmt: skip


def test_a_monte_carlo_reduction_is_that_of_the_means_with_the_error_of_pairs() -> None:
    found = MonteCarlo.of([1.0, 3.0], [8.0, 12.0])
    assert found.reduction == pytest.approx(0.8) and found.members == 2
    # The rests are 1 − 0.2·8 = −0.6 and 3 − 0.2·12 = 0.6: sd 0.6·√2, over 10·√2.
    assert found.error == pytest.approx(0.06)
    assert MonteCarlo.of([1.0, 2.0], [10.0, 20.0]).error == pytest.approx(0.0)
    assert MonteCarlo.of([1.0], [8.0]).error is None


def test_everything_wrong_with_the_settings_is_listed() -> None:
    pair = Effectiveness(1.5, -0.1)
    settings = SensitivitySettings(
        pairs=(pair, pair), distances=(20_000.0,), scales=(-1.0, float("nan")), designs=(), sides=(), draws=0
    )

    def texts(kind: SensitivityKind) -> str:
        return "\n".join(map(str, settings.problems(kind)))

    assert all("Draws is 0" in texts(kind) for kind in SensitivityKind)
    assert all(part in texts(SensitivityKind.EFFECTIVENESS) for part in ("twice", "1.5", "-0.1"))
    assert texts(SensitivityKind.POSE).count("not a standard deviation") == 2
    assert "20000 is not a standard deviation of the landing points" in texts(SensitivityKind.OFF_TARGET)
    assert "none is given" in texts(SensitivityKind.DESIGN)
    assert "none is given" in texts(SensitivityKind.RETARDANT_SIDE)


def test_designs_whose_plans_would_share_a_folder_are_refused() -> None:
    near = SensitivitySettings(designs=(Effectiveness(0.85, 0.75), Effectiveness(0.85 + 1e-12, 0.75)))
    assert design_folder(near.designs[0]) == design_folder(near.designs[1]) == "design-0.85-0.75"
    assert any("twice" in problem.what for problem in near.problems(SensitivityKind.DESIGN))
