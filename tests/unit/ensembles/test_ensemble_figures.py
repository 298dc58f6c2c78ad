from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from firegui.analyses.uncertainty.results import FIGURES
from firegui.domain.ensemble import Ensemble
from firegui.domain.uncertainty import UncertaintyKind
from firegui.ensembles.ensemble_figures import benefit_figure, convergence_figure, draw, fan_figure
from tests.support import make_project


def ensemble(final: list[list[float]]) -> Ensemble:
    """The cases' final extents, grown from 4 cells in two days."""
    ends = np.array(final)
    extent = np.stack([np.full_like(ends, 4.0), (4.0 + ends) / 2.0, ends], axis=2)
    fire = np.zeros((len(final), 3, 16, 20), np.float32)
    return Ensemble(UncertaintyKind.ALEATORIC, extent, 0.1 * extent, fire, fire, 0.09, ends.shape[1])


@pytest.mark.slow
def test_every_picture_is_written_twice_and_the_same_each_time(tmp_path: Path) -> None:
    found = ensemble([[100.0, 120.0, 90.0], [20.0, 130.0, 30.0]])
    names = [path.name for path in draw(found, make_project(), tmp_path)]
    assert names == list(FIGURES), "what an export says that it will write"
    before = {name: (tmp_path / name).read_bytes() for name in names}
    draw(found, make_project(), tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in names} == before


@pytest.mark.slow
def test_a_fire_may_be_called_what_would_be_half_a_formula(tmp_path: Path) -> None:
    project = make_project()
    named = replace(project, scenario=replace(project.scenario, name="A $_{$ B"))
    assert len(draw(ensemble([[100.0, 120.0], [20.0, 30.0]]), named, tmp_path)) == len(FIGURES)


def means(axes: Axes) -> list[float]:
    """The curve of a convergence plot."""
    return [float(value) for value in np.asarray(axes.get_lines()[0].get_ydata())]


@pytest.mark.slow
@pytest.mark.parametrize(
    "final", [[[100.0]], [[100.0], [20.0]], [[100.0] * 5, [100.0] * 5]], ids=["no plan", "one member", "all alike"]
)
def test_an_ensemble_without_scatter_can_be_drawn(final: list[list[float]], tmp_path: Path) -> None:
    assert len(draw(ensemble(final), make_project(), tmp_path)) == 6


def test_one_far_member_does_not_ask_for_millions_of_bars() -> None:
    final = [[1e5] * 300, [*(50.0 + 1e-9 * member for member in range(299)), 9e4]]
    (histogram, _pairs) = benefit_figure(ensemble(final), make_project()).axes
    assert len(histogram.patches) <= 40


def test_the_band_is_the_mean_and_196_standard_deviations_and_never_below_nothing() -> None:
    final = [[100.0, 140.0], [0.0, 40.0]]
    extent, protected = fan_figure(ensemble(final), make_project()).axes
    bands = [collection.get_paths()[0].vertices for collection in extent.collections]
    sd = np.std([100.0, 140.0], ddof=1)
    assert np.asarray(bands[0])[:, 1].max() == pytest.approx(120.0 + 1.96 * sd)
    assert np.asarray(bands[1])[:, 1].min() == 0.0
    assert len(extent.get_lines()) == len(protected.get_lines())


def test_the_mean_ends_at_that_of_all_members() -> None:
    left, right = convergence_figure(ensemble([[100.0, 140.0, 120.0], [10.0, 20.0, 60.0]]), make_project()).axes
    assert [means(axes)[-1] for axes in (left, right)] == pytest.approx([120.0, 30.0])
    (alone,) = convergence_figure(ensemble([[100.0, 140.0]]), make_project()).axes
    assert means(alone) == [100.0, 120.0]
