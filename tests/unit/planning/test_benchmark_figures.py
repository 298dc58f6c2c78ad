from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

from firegui.domain.benchmark import BenchmarkTable, PlannerName
from firegui.planning.benchmark_figures import PLANNER_COLORS, apart, convergence_figure, draw, matched_figure
from tests.support import make_project
from tests.unit.domain.benchmark_samples import made_table, whole_table

NONE, TACTICAL, GREEDY, GRADIENT = PlannerName.NONE, PlannerName.TACTICAL, PlannerName.GREEDY, PlannerName.GRADIENT


def axes_of(table: BenchmarkTable) -> Axes:
    """The axes of the convergence figure."""
    (axes,) = convergence_figure(table, make_project()).axes
    return axes


def ends(axes: Axes, style: str) -> list[float]:
    """Where the lines of a style end."""
    lines = [line for line in axes.get_lines() if line.get_linestyle() == style and line.get_marker() == "None"]
    return [float(np.asarray(line.get_ydata())[-1]) for line in lines]


@pytest.mark.slow
def test_every_picture_is_written_twice_and_the_same_each_time(tmp_path: Path) -> None:
    table = whole_table()
    names = [path.name for path in draw(table, make_project(), tmp_path)]
    stems = ("planner_convergence", "planner_convergence_matched")
    assert names == [f"{name}.{kind}" for name in stems for kind in ("png", "svg")]
    before = {name: (tmp_path / name).read_bytes() for name in names}
    draw(table, make_project(), tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in names} == before


def test_nothing_at_the_matched_allowance_has_no_picture_of_it(tmp_path: Path) -> None:
    assert len(draw(made_table(NONE, GREEDY), make_project(), tmp_path)) == 2
    empty = replace(made_table(NONE), rows=())
    (tmp_path / "empty").mkdir()
    assert draw(empty, make_project(), tmp_path / "empty") == [] and not list((tmp_path / "empty").iterdir())


def test_searches_have_a_curve_a_seed_and_fixed_costs_a_dotted_line() -> None:
    table = made_table(NONE, TACTICAL, GRADIENT, PlannerName.TWO_STAGE, seeds=3)
    axes = axes_of(table)
    assert ends(axes, "-") == [row.objective for row in table.rows if row.task.planner is GRADIENT]
    assert ends(axes, ":") == [group.objective.mean for group in table.groups if group.planner is not GRADIENT]
    assert axes.get_xscale() == "log" and axes.get_xlim() == (1.0, 6_000.0)


def test_a_search_that_stopped_early_ends_with_a_dot_where_it_stopped() -> None:
    axes = axes_of(made_table(GREEDY, GRADIENT, seeds=1))
    dots = {float(np.asarray(line.get_xdata())[0]) for line in axes.get_lines() if line.get_marker() == "o"}
    assert dots == {2_076.0, 6_000.0}


def test_a_curve_at_design_effectiveness_says_so_and_shows_the_nominal_score() -> None:
    table = made_table(NONE, PlannerName.GRADIENT_DESIGN, seeds=2)
    axes = axes_of(replace(table, rows=tuple(replace(row, objective=row.objective + 1.0) for row in table.rows)))
    (name,) = (text.get_text() for text in axes.texts if "cautious" in text.get_text())
    assert "curve with cautious effectiveness" in name and "scored with the expected: 8.05" in name
    (scored,) = (line for line in axes.get_lines() if line.get_marker() == "D")
    assert list(np.asarray(scored.get_ydata())) == pytest.approx([8.01, 8.0801])


def test_dashed_is_the_matched_allowance_and_nothing_else() -> None:
    table = whole_table()
    shared, (matched,) = axes_of(table), matched_figure(table, make_project()).axes
    drawn = [
        {line.get_linestyle() for line in axes.get_lines() if line.get_drawstyle() == "steps-post"}
        for axes in (shared, matched)
    ]
    assert drawn == [{"-"}, {"--"}]
    assert "dashed" in matched.get_xlabel() and "dashed" not in shared.get_xlabel()


def test_a_fire_may_be_called_what_would_be_half_a_formula(tmp_path: Path) -> None:
    project = make_project()
    named = replace(project, scenario=replace(project.scenario, name="A $_{$ B"))
    assert len(draw(made_table(NONE, GREEDY), named, tmp_path)) == 2


def test_names_stand_beside_the_axes_and_do_not_lie_on_each_other() -> None:
    figure = convergence_figure(whole_table(), make_project())
    figure.savefig(io.BytesIO())
    (axes,) = figure.axes
    # An annotation's own extent has its line in it.
    boxes = sorted((Text.get_window_extent(text) for text in axes.texts), key=lambda box: float(box.y0))
    assert len(boxes) == len({text.get_text() for text in axes.texts}) == len(PlannerName)
    assert all(low.y1 <= high.y0 + 0.5 for low, high in pairwise(boxes))
    frame, page = axes.get_window_extent(), figure.bbox
    assert all(box.x0 > frame.x1 and box.x1 <= page.x1 and box.y0 >= 0.0 for box in boxes)


def test_the_matched_figure_holds_only_what_ran_at_that_cost() -> None:
    table = whole_table()
    (axes,) = matched_figure(table, make_project()).axes
    names = {text.get_text() for text in axes.texts}
    assert names == {
        "No drops", "Two-stage", "Budgeted gradient", "CMA-ES (daily basis)",
        "CMA-ES (native space, diagonal)",
    }  # fmt: skip
    assert axes.get_xlim() == (1.0, 25_686.0) and "25,686" in axes.get_title()


@pytest.mark.parametrize("table", [made_table(NONE), made_table(TACTICAL, seeds=1)], ids=["no drops", "one level"])
def test_without_a_search_there_are_only_levels(table: BenchmarkTable, tmp_path: Path) -> None:
    assert len(draw(table, make_project(), tmp_path)) == 2


def test_an_objective_of_nothing_keeps_the_axis_linear() -> None:
    table = made_table(NONE, GREEDY, seeds=1)
    assert (
        axes_of(replace(table, rows=tuple(replace(row, objective=0.0) for row in table.rows))).get_yscale() == "linear"
    )


def test_an_unfinished_benchmark_says_so() -> None:
    table = made_table(NONE, GRADIENT, seeds=2)
    assert "2 of 3 tasks done" in axes_of(replace(table, rows=table.rows[:2])).get_title()


def test_every_planner_has_a_colour_of_its_own() -> None:
    assert set(PLANNER_COLORS) == set(PlannerName) and len(set(PLANNER_COLORS.values())) == len(PlannerName)


@pytest.mark.parametrize(
    ("wanted", "sizes", "found"),
    [
        ([0.2, 0.8], [0.1, 0.1], [0.2, 0.8]),
        ([0.5, 0.5], [0.1, 0.1], [0.45, 0.55]),
        ([0.4, 0.41, 0.9], [0.1, 0.2, 0.1], [0.33, 0.48, 0.9]),
        ([1.0, 1.0], [0.1, 0.1], [0.9, 1.0]),
        ([0.0, 0.0], [0.1, 0.1], [0.0, 0.1]),
    ],
    ids=["room enough", "one place", "a tall one", "at the top", "at the bottom"],
)
def test_pieces_move_apart_as_little_as_they_can(wanted: list[float], sizes: list[float], found: list[float]) -> None:
    assert apart(wanted, sizes) == pytest.approx(found)
