from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from firegui.assets import resource
from firegui.errors import InputError
from firegui.fire.card import (
    DayScore,
    ForecastResult,
    NetworkCard,
    card_table,
    read_card,
    read_network_card,
    scalar_card,
)
from firegui.fire.shipped import scalar_model
from firegui.io.toml import dumps
from tests.unit.io.builders import refused_for


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


def test_a_missing_card_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_card(tmp_path / "nothing.toml")


def network_card() -> NetworkCard:
    return NetworkCard(
        label="network",
        trained_on=("Bear 2020, 2020-08-19 to 2020-08-29",),
        fit_days=10,
        layers=("canopy_cover",),
        trained=date(2026, 11, 20),
        command="firegui calibrate Bear.firegui",
        method="descent",
        correction="",
        priors=("wind", "slope"),
        limits=("one fire",),
        results=(
            ForecastResult("seed 0", 0.7, 0.6, 0.65, 0.3, 1.2),
            ForecastResult("source model (published)", 0.74),
        ),
        scores=(DayScore(1, 5214, 4500, 4563, 0.5, 0.4, -0.1, 0.45),),
    )


def test_a_networks_card_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "network.toml"
    path.write_text(dumps(card_table(network_card())), encoding="utf-8")

    assert read_network_card(path) == network_card()


@pytest.mark.parametrize(
    ("read", "text", "swap", "parts"),
    [
        (
            read_card,
            resource("fire/scalar.toml").read_text(encoding="utf-8"),
            ("gamma = ", "gama = "),
            ("gamma is missing", "gama"),
        ),
        (
            read_network_card,
            dumps(card_table(network_card())),
            ("mean_iou = 0.74", "mean = 0.74"),
            ("results 2: mean_iou is missing", "mean is not known"),
        ),
    ],
    ids=["scalar", "network"],
)
def test_a_broken_card_names_everything_that_is_wrong(
    tmp_path: Path, read: Callable[[Path], object], text: str, swap: tuple[str, str], parts: tuple[str, ...]
) -> None:
    broken = tmp_path / "card.toml"
    broken.write_text(text.replace("fit_days = 10", 'fit_days = "ten"').replace(*swap), encoding="utf-8")

    with refused_for("fit_days", *parts):
        read(broken)
