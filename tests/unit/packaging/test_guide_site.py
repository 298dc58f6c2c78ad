"""The site has every page of the guide and a reference of the code; MkDocs itself is no part of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packaging"))

import guide_site

from firegui.gui.help.help_view import GROUPS, PAGES


def test_every_page_of_the_guide_is_in_the_navigation_and_written(tmp_path: Path) -> None:
    first, *parts, reference = guide_site.write_sources(tmp_path / "docs", GROUPS)

    assert first == {"firegui": "index.md"}
    assert [name for part in parts for pages in part.values() for name in pages] == [f"{page}.md" for page in PAGES]
    for entry in (*(page for part in parts for pages in part.values() for page in pages), "index.md"):
        assert (tmp_path / "docs" / entry).is_file()
    assert [next(iter(page)) for page in reference["Python"]] == [
        "firegui", *(f"firegui.{floor}" for floor in guide_site.FLOORS)
    ]  # fmt: skip
    assert "::: firegui.domain.grid" in (tmp_path / "docs" / "api" / "firegui.domain.md").read_text(encoding="utf-8")


def test_the_reference_has_the_modules_of_a_package_but_no_kernels() -> None:
    names = list(guide_site.modules_of(guide_site.PACKAGE / "rollout"))

    assert names[0] == "firegui.rollout"
    assert "firegui.rollout.reference" in names
    assert not any("kernels" in name for name in names)


def test_roles_of_docstrings_become_names() -> None:
    html = "<p>Raises :class:<code>~firegui.errors.InputError</code>, calls :meth:<code>Task.check</code></p>"

    assert guide_site.on_page_content(html) == "<p>Raises <code>InputError</code>, calls <code>Task.check</code></p>"
