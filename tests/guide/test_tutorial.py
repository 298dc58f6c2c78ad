"""The tutorial: its way through the real window is open, and its page shows what the script photographs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from firegui.assets import resource
from firegui.gui.base.theme import Theme

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import tutorial

MOST_PICTURES = 8


def shown() -> list[str]:
    """The pictures of the page, in its order."""
    page = resource("help/tutorial.md").read_text(encoding="utf-8")
    return re.findall(r"!\[[^\]]+\]\(pictures/(\w+)\.png\)", page)


def test_every_picture_of_the_help_is_shown_small_and_no_more_than_eight() -> None:
    files = {path.stem: path for path in resource("help/pictures").glob("*")}
    figures = {name for name in files if name.startswith("fleet-value-")}
    assert set(files) - figures == set(shown())
    assert len(set(files) - figures) <= MOST_PICTURES
    for path in files.values():
        assert path.stat().st_size <= tutorial.MOST_BYTES, path.name
        with Image.open(path) as picture:
            assert picture.format == "PNG"
            assert picture.width <= tutorial.WIDEST


@pytest.mark.slow
def test_the_way_of_the_tutorial_is_open(qtbot: QtBot, tmp_path: Path) -> None:
    guest = tutorial.make(tmp_path / "album", tmp_path, tutorial.SMALL)
    assert sorted(path.stem for path in (tmp_path / "album").glob("*.png")) == sorted(shown())
    kinds = {path.suffix for path in (tmp_path / "handover").iterdir()}
    assert kinds >= {".csv", ".kml", ".pdf"}
    page = resource("help/tutorial.md").read_text(encoding="utf-8")
    assert [name for name in guest.named if name not in page] == []


def test_a_control_that_is_gone_ends_the_script(qtbot: QtBot, tmp_path: Path) -> None:
    with tutorial.workbench(tmp_path, Theme.LIGHT) as window:
        guest = tutorial.Guest(window, tmp_path)
        for gone in (
            lambda: guest.action("Start the fire"),
            lambda: guest.control(QAbstractButton, "noSuchButton"),
            lambda: guest.panel("Weather"),
            lambda: guest.command("Start plan"),  # nothing is open yet
        ):
            with pytest.raises(tutorial.MissingControlError):
                gone()


@pytest.mark.slow
def test_the_whole_tutorial_protects_its_regions(qtbot: QtBot, tmp_path: Path) -> None:
    guest = tutorial.make(tmp_path / "album", tmp_path, tutorial.WHOLE, Theme.DARK)
    result = guest.window.workbench.session.result
    assert sum(drop.executed for drop in result.drops) > 0
