"""The developers' script that writes the shipped parameters."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from firegui.assets import resource
from firegui.calibration.scalar import START, FitSettings
from firegui.domain.scenario import Scenario
from firegui.fire.card import read_card, scalar_card
from tests.unit.fire.events import event, observed, square

SCRIPTS = Path(__file__).resolve().parents[3] / "packaging"
SHAPE = (21, 25)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module: it lies in no package."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "fit_scalar_model", raising=False)
    return __import__("fit_scalar_model")


def watched() -> Scenario:
    return observed(event(SHAPE, days=3, speed=1.5), [square(SHAPE, half) for half in (2, 3, 4, 5)])


def test_the_card_it_writes_can_be_read_and_is_honest_about_what_was_not_seen(script: Any, tmp_path: Path) -> None:
    card = script.make_card(watched(), FitSettings(fit_days=2), START, date(2026, 1, 2))
    file = tmp_path / "card.toml"
    file.write_text(script.card_text(card), encoding="utf-8")

    read = read_card(file)

    assert read == card
    assert [score.day for score in read.scores] == [1, 2, 3]
    assert any("not fitted" in limit and "slope" in limit and "fuel" in limit for limit in read.limits)
    assert any("days 3 to 3" in limit for limit in read.limits)


def test_the_shipped_file_is_what_it_writes(script: Any) -> None:
    assert script.card_text(scalar_card()) == resource("fire/scalar.toml").read_text(encoding="utf-8")


def test_parameters_are_rounded_to_what_a_fit_can_know(script: Any) -> None:
    assert script.rounded(replace(START, p=0.0123456, fuel=1.23456)) == replace(START, p=0.01235, fuel=1.235)


def test_a_folder_that_is_not_there_writes_nothing(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scalar.toml"

    code = script.main([str(tmp_path / "nothing"), "--perimeters", str(tmp_path / "none.shp"), "--out", str(out)])

    assert code == 2
    assert not out.exists()
    assert "nothing" in capsys.readouterr().err
