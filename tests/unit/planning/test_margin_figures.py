from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.margin_curve import CurvePlan
from firegui.planning.margin_figures import draw, figure
from tests.unit.domain.margin_curves import margin_curve


def test_a_curve_has_a_picture_and_twice_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        assert draw(margin_curve(), folder) == [folder / "margin.png", folder / "margin.svg"]
    assert (one / "margin.png").read_bytes().startswith(b"\x89PNG")
    assert (one / "margin.svg").read_bytes() == (two / "margin.svg").read_bytes()


def test_every_plan_stands_at_its_drops_and_its_worst_share_with_its_name() -> None:
    curve = margin_curve()
    (axes,) = figure(curve).axes
    line, limit = axes.lines
    fixed = [point for point in curve.points if point.plan is not CurvePlan.REPLANNED]
    drawn = np.asarray(axes.collections[0].get_offsets())
    assert drawn.tolist() == [[point.drops, pytest.approx(100.0 * point.worst_share)] for point in fixed]
    assert np.asarray(line.get_xdata()).tolist() == [point.drops for point in curve.front]
    assert limit.get_ydata()[0] == 100.0 * curve.limit  # type: ignore[index]
    assert [text.get_text() for text in axes.texts] == ["none", "design", "stress", "stress-replanned"]


def test_a_curve_without_plans_has_no_picture(tmp_path: Path) -> None:
    assert draw(replace(margin_curve(), points=()), tmp_path) == []
    assert not list(tmp_path.iterdir())
