from __future__ import annotations

from pathlib import Path

import pytest

from firegui.assets import resource
from firegui.errors import InputError
from firegui.fire.card import read_card, scalar_card
from firegui.fire.scalar import scalar_model


def test_the_shipped_card_says_where_its_numbers_come_from() -> None:
    card = scalar_card()

    assert card.fit_days == 10
    assert "Bear 2020" in card.fitted_on
    assert card.limits
    assert [score.day for score in card.scores][:15] == list(range(1, 16))
    assert card.parameters.as_mapping() == scalar_model().parameters


def test_the_shipped_scores_are_those_of_the_real_perimeters() -> None:
    observed = {score.day: score.observed_cells for score in scalar_card().scores}

    assert observed[3] == 12_897
    assert observed[15] == 55_913


def test_the_shipped_model_neither_dies_nor_explodes() -> None:
    expected = {score.day: score.expected_cells for score in scalar_card().scores}

    assert 0.6 * 12_897 < expected[3] < 1.6 * 12_897
    assert 0.6 * 55_913 < expected[15] < 1.6 * 55_913


def test_a_broken_card_names_everything_that_is_wrong(tmp_path: Path) -> None:
    text = resource("fire/scalar.toml").read_text(encoding="utf-8")
    broken = tmp_path / "card.toml"
    broken.write_text(
        text.replace("fit_days = 10", 'fit_days = "ten"').replace("gamma = ", "gama = "), encoding="utf-8"
    )

    with pytest.raises(InputError) as caught:
        read_card(broken)

    message = str(caught.value)
    assert "fit_days" in message
    assert "gamma is missing" in message
    assert "gama" in message


def test_a_missing_card_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_card(tmp_path / "nothing.toml")
