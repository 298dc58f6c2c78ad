"""Dispersed maxima and headings."""

from __future__ import annotations

import numpy as np

from firegui.planning.placement import across_wind, dispersed_maxima


def test_maxima_come_strongest_first_and_keep_their_distance() -> None:
    field = np.random.default_rng(0).uniform(0.1, 1.0, (60, 60)).astype(np.float32)
    cells = dispersed_maxima(field, 8, 12.0)
    values = field[cells[:, 0], cells[:, 1]]
    assert len(cells) == 8
    assert (np.diff(values) <= 0).all()
    distance = np.hypot(*(cells[:, None] - cells[None]).transpose(2, 0, 1))
    assert distance[~np.eye(8, dtype=bool)].min() > 12.0


def test_ties_go_to_the_lowest_row_then_column() -> None:
    field = np.zeros((10, 10), np.float32)
    field[7, 1] = field[3, 8] = field[3, 2] = 1.0
    assert dispersed_maxima(field, 3, 0.0).tolist() == [[3, 2], [3, 8], [7, 1]]


def test_cells_without_a_signal_are_never_chosen() -> None:
    field = np.zeros((10, 10), np.float32)
    field[5, 5] = 0.3
    assert dispersed_maxima(field, 4, 2.0).tolist() == [[5, 5]]
    assert len(dispersed_maxima(np.zeros((4, 4), np.float32), 2, 2.0)) == 0


def test_the_exclusion_is_euclidean() -> None:
    field = np.zeros((30, 30), np.float32)
    field[10, 10], field[19, 19], field[10, 21] = 1.0, 0.9, 0.8
    assert dispersed_maxima(field, 3, 12.0).tolist() == [[10, 10], [19, 19]]


def test_a_line_is_laid_across_the_wind() -> None:
    wind = np.full((3, 3), 0.25 * np.pi, np.float32)
    theta = across_wind(wind, np.array([1]), np.array([1]))
    np.testing.assert_allclose(theta, [0.75 * np.pi], rtol=1e-6)
    assert 0.0 <= float(across_wind(-wind * 3, np.array([0]), np.array([0]))[0]) < np.pi
