"""The page "What is new" is the change log."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packaging"))

import release_notes


def test_the_page_is_the_change_log() -> None:
    changelog = release_notes.CHANGELOG.read_text(encoding="utf-8")

    page = release_notes.PAGE.read_text(encoding="utf-8")

    assert page == release_notes.page_of(changelog), "run python packaging/release_notes.py"


def test_a_page_has_every_version_and_links_within_the_guide() -> None:
    changelog = (
        "# Changelog\n\nAn introduction.\n\n## 0.2.0 – unreleased\n\n- See [Fleet](../resources/help/fleet.md#add).\n"
        "\n## 0.1.0 – 2026-11-20\n\n### Added\n\n- All.\n"
    )

    assert release_notes.page_of(changelog) == (
        "## What is new in 0.2.0\n\n- See [Fleet](fleet.md#add).\n\n## What is new in 0.1.0\n\n### Added\n\n- All.\n"
    )
