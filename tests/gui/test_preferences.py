"""Preferences that are saved between starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from firegui.gui.base.preferences import RECENT_LIMIT, Preferences
from firegui.gui.base.theme import Theme

STATE = '{"workspace": "plan"}'


def again(store: QSettings) -> Preferences:
    """Return the preferences as the next start reads them."""
    store.sync()
    return Preferences(QSettings(store.fileName(), QSettings.Format.IniFormat))


def test_nothing_is_chosen_at_first(preferences_store: QSettings) -> None:
    first = Preferences(preferences_store)
    assert (first.theme, first.backend, first.recent) == (None, "auto", ())
    assert (first.geometry(), first.layout_state()) == (None, None)


def test_choices_survive_a_restart(preferences_store: QSettings) -> None:
    first = Preferences(preferences_store)
    first.theme, first.backend = Theme.LIGHT, "cpu"
    first.save_layout(QByteArray(b"where"), STATE)
    second = again(preferences_store)
    assert (second.theme, second.backend) == (Theme.LIGHT, "cpu")
    assert (second.geometry(), second.layout_state()) == (QByteArray(b"where"), STATE)
    second.theme = None
    second.forget_layout()
    third = again(preferences_store)
    assert (third.theme, third.geometry(), third.layout_state()) == (None, None, None)


def test_a_layout_saved_by_another_version_is_not_restored(preferences_store: QSettings) -> None:
    first = Preferences(preferences_store)
    first.save_layout(QByteArray(b"where"), STATE)
    preferences_store.setValue("layout/version", 1)
    assert first.layout_state() is None
    assert first.geometry() == QByteArray(b"where"), "where the window was holds in every version"


def test_a_project_can_be_taken_out_of_the_recent_ones(preferences_store: QSettings, tmp_path: Path) -> None:
    first = Preferences(preferences_store)
    for name in ("a", "b"):
        first.add_recent(tmp_path / name)
    first.forget_recent(tmp_path / "b")
    assert again(preferences_store).recent == (tmp_path / "a",)


@pytest.mark.parametrize("count", [1, 2, RECENT_LIMIT + 3])
def test_recent_projects_survive_a_restart_newest_first(
    preferences_store: QSettings, tmp_path: Path, count: int
) -> None:
    folders = [tmp_path / f"{number}.firegui" for number in range(count)]
    first = Preferences(preferences_store)
    for folder in folders:
        first.add_recent(folder)
    assert again(preferences_store).recent == tuple(reversed(folders))[:RECENT_LIMIT]


def test_a_project_opened_again_moves_to_the_head(preferences_store: QSettings, tmp_path: Path) -> None:
    first = Preferences(preferences_store)
    for name in ("a", "b", "a"):
        first.add_recent(tmp_path / name)
    assert first.recent == (tmp_path / "a", tmp_path / "b")


def test_nonsense_in_the_file_counts_as_absent(preferences_store: QSettings) -> None:
    for key in ("theme", "layout/version", "layout/geometry", "layout/state"):
        preferences_store.setValue(key, "purple")
    preferences_store.setValue("recent", 5)
    read = Preferences(preferences_store)
    assert (read.theme, read.geometry(), read.layout_state(), read.recent) == (None, None, None, ())
