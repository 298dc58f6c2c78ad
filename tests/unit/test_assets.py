"""Shipped files are found in a checkout and in an installed package."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui import assets
from firegui.assets import resource
from firegui.errors import FireguiError


def test_the_default_fleet_and_fire_model_are_shipped() -> None:
    assert resource("fleet/default.toml").is_file()
    assert resource("fire/scalar.toml").is_file()


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FireguiError, match=r"resources/no/such\.file is missing"):
        resource("no/such.file")


def test_an_installed_package_finds_its_own_copy_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, beside = tmp_path / "firegui" / "resources", tmp_path / "resources"
    for folder in (inside, beside):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("")
    (beside / "b.txt").write_text("")
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "firegui")

    assert resource("a.txt") == inside / "a.txt"
    assert resource("b.txt") == beside / "b.txt"
