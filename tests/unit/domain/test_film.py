from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.film import Film, Part

ONE = Part(1, 2, np.array([[7, 8, 9], [10, 11, 12]], np.uint8))
NOTHING = Part(0, 0, np.empty((0, 0), np.uint8))


def test_a_picture_is_its_part_and_the_outside_around_it() -> None:
    film = Film((4, 6), (NOTHING, ONE), outside=3)
    assert len(film) == 2
    assert film.picture(0).tolist() == [[3] * 6] * 4
    assert film.picture(1).tolist() == [[3] * 6, [3, 3, 7, 8, 9, 3], [3, 3, 10, 11, 12, 3], [3] * 6]
    with pytest.raises(IndexError):
        film.picture(2)


def test_every_way_to_read_a_film_agrees_with_its_whole_pictures() -> None:
    generator = np.random.default_rng(4)
    parts = []
    for _ in range(8):
        row, column, height, width = generator.integers(0, 10, 4)
        parts.append(Part(row, column, generator.integers(0, 256, (height, width), np.uint8)))
    film = Film((20, 20), tuple(parts), outside=255)
    whole = film.whole()
    assert whole.shape == (8, 20, 20) and whole.dtype == np.uint8
    assert np.array_equal(film.sums(), whole.astype(int).sum(axis=(1, 2)))
    for row, column in ((0, 0), (9, 9), (10, 5), (19, 19)):
        assert np.array_equal(film.at(row, column), whole[:, row, column])
    assert np.array_equal(Film.of(whole).whole(), whole)


def test_a_picture_is_the_callers_own() -> None:
    film = Film((4, 6), (ONE,))
    film.picture(0)[:] = 1
    assert film.picture(0)[1, 2] == 7


def test_films_of_one_raster_follow_each_other() -> None:
    film, rest = Film((4, 6), (ONE, NOTHING)), Film((4, 6), (NOTHING,))
    assert film.until(1, rest).parts == (ONE, NOTHING)
    for other in (Film((4, 5), ()), Film((4, 6), (), outside=255)):
        with pytest.raises(ValueError, match="other rasters"):
            film.until(1, other)


def test_no_pictures_are_no_pictures() -> None:
    film = Film((4, 6), ())
    assert len(film) == 0 and film.whole().shape == (0, 4, 6) and not len(film.sums()) and not len(film.at(0, 0))
