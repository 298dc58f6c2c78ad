"""What is remembered between starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from firegui.gui.preferences import RECENT_LIMIT, Preferences
from firegui.gui.theme import Theme


def again(store: QSettings) -> Preferences:
    """Preferences as the next start reads them."""
    store.sync()
    return Preferences(QSettings(store.fileName(), QSettings.Format.IniFormat))


def test_nothing_is_chosen_at_first(preferences_store: QSettings) -> None:
    first = Preferences(preferences_store)
    assert (first.theme, first.backend, first.recent, first.layout()) == (None, "auto", (), None)


def test_choices_survive_a_restart(preferences_store: QSettings) -> None:
    first = Preferences(preferences_store)
    first.theme, first.backend = Theme.LIGHT, "cpu"
    first.save_layout(QByteArray(b"where"), QByteArray(b"docks"))
    second = again(preferences_store)
    assert (second.theme, second.backend) == (Theme.LIGHT, "cpu")
    assert second.layout() == (QByteArray(b"where"), QByteArray(b"docks"))
    second.forget_layout()
    assert second.layout() is None


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
    assert (read.theme, read.layout(), read.recent) == (None, None, ())
