from __future__ import annotations

import base64
import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.stress import NEEDS_EXERCISE, NOMINAL, StressDraw, StressResult, StressScenario, StressTable
from firegui.domain.units import Units
from firegui.errors import CancelledError
from firegui.io.exporters import export
from firegui.io.exporters.content import ExportContent, Sheet
from firegui.io.exporters.report_page import report_text
from firegui.io.exporters.table import NOTICE
from tests.support import StopAt
from tests.unit.io.builders import files_below
from tests.unit.io.exporters.html_page import Page
from tests.unit.io.exporters.sheets import GRID, around, content, planned

DROPS = [*around(GRID, 8, 0), *around(GRID, 3, 1)]


@pytest.fixture(scope="module")
def shared() -> tuple[ExportContent, str]:
    """A plan of two days with drops, and its page."""
    late = StressResult(StressScenario("late"), 10.0, 210.0, (StressDraw(110.0, 0.0, 0.5, 4),))
    model = StressResult(NOMINAL, 10.0, 210.0, (StressDraw(20.0, 0.0, 0.05, 4),))
    what = replace(content(drops=DROPS), stress=StressTable(11, model, (late,)))
    return what, report_text(what, lambda: None)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without maps, which take longer than the page."""
    monkeypatch.setattr("firegui.io.exporters.report_page.map_page", lambda *_, **__: None)
    monkeypatch.setattr("firegui.io.exporters.report_page._figure", lambda page, text: "")


@pytest.mark.usefixtures("undrawn")
def test_a_day_without_drops_takes_no_page_and_what_is_uncertain_stands_out() -> None:
    what = content(drops=around(GRID, 3, 0))
    sections = Page(report_text(what, lambda: None)).all("section")
    assert len(sections) > 1 and [section.get("class") for section in sections].count("day") == 1
    marked = replace(what, project=what.project)
    marked.__dict__["summary"] = replace(what.summary, outside="wind beyond what the fire model learned from")
    assert 'class="caution"' in report_text(marked, lambda: None) and 'class="caution"' not in report_text(
        what, lambda: None
    )


def test_it_opens_with_the_result_and_has_a_row_a_day_and_a_row_a_drop(shared: tuple[ExportContent, str]) -> None:
    what, text = shared
    page = Page(text)
    words = page.words
    assert [title for title, _ in what.summary.headline()][:3] == ["Verdict", "Burned in Upper village", "Final size"]
    places = [words.index(title) for title, _ in what.summary.headline()]
    assert places == sorted(places) and places[0] < words.index("Day by day", places[0])
    for figure in what.summary.key_figures():
        place = words.index(figure.title)
        assert words[place + 1] == figure.value and (not figure.note or words[place + 2] == figure.note)
    for row in what.summary.day_rows():
        assert set(row) <= set(words)
    assert text.count("<tr>") == (1 + 3) + (1 + 2) + (1 + 8) + (1 + 3)
    assert "No drops on this day." in words and "late" in words
    place = words.index("late", words.index("Case"))
    assert words[place : place + 5] == ["late", "as in the model", "9.9 ha", "18.9 ha", "0.0 ha"]
    assert words[place + 5 : place + 7] == ["50 %", "1"]
    assert all(row.drop.aircraft in words and row.release_ddm in words for row in what.flown)
    assert words[1] == words[-1] == NOTICE


@pytest.mark.usefixtures("undrawn")
def test_it_is_in_the_units_of_its_sheet(shared: tuple[ExportContent, str]) -> None:
    us = replace(shared[0], sheet=Sheet(units=Units.US))
    words = Page(report_text(us, lambda: None)).words
    assert Units.US.area(us.summary.final_ha or 0.0) in words and "24.5 acres" in words
    assert not any(word.endswith(" ha") for word in words)


def test_it_fetches_nothing_and_runs_nothing(shared: tuple[ExportContent, str]) -> None:
    page = Page(shared[1])
    for tag, attributes in page.tags:
        assert tag not in ("script", "link", "iframe", "object", "embed", "base", "form")
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "srcset", "data", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:image/png;base64,"))
    assert "http://" not in shared[1] and "https://" not in shared[1]
    assert "url(" not in shared[1] and "@import" not in shared[1]
    policy = next(item["content"] for item in page.all("meta") if "http-equiv" in item)
    assert policy.startswith("default-src 'none'")
    there = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    assert {link["href"].removeprefix("#") for link in page.all("a")} <= there


def test_every_map_is_a_picture_with_a_text(shared: tuple[ExportContent, str]) -> None:
    pictures = Page(shared[1]).all("img")
    assert [item["alt"].partition(",")[0] for item in pictures] == [
        "Map of the plan", "Map of Day 1", "Map of Day 2",
    ]  # fmt: skip
    for item in pictures:
        picture = Image.open(io.BytesIO(base64.b64decode(item["src"].partition(",")[2])))
        assert picture.size == (int(item["width"]), int(item["height"]))
        assert len(picture.convert("RGB").getcolors(1 << 20) or []) > 10


@pytest.mark.usefixtures("undrawn")
def test_a_stress_case_that_was_not_tested_is_named_with_the_reason(shared: tuple[ExportContent, str]) -> None:
    what, text = shared
    assert what.stress is not None and "not part of the test" not in text
    table = replace(what.stress, left_out=(("failures, repaired", NEEDS_EXERCISE),))
    said = "“failures, repaired” was not part of the test: the plan is replanned on the way, which takes longer."
    assert said in report_text(replace(what, stress=table), lambda: None)
    # The row of the model itself is called as the text above the table calls it.
    assert f"“{table.nominal.scenario.title}” is the model itself" in text


@pytest.mark.usefixtures("undrawn")
def test_names_cannot_become_markup() -> None:
    named = planned(days=1)
    odd = replace(named, scenario=replace(named.scenario, name="<script>alert(1)</script>"))
    page = Page(report_text(content(0, days=1, project=odd), lambda: None))
    assert not page.all("script") and "<script>alert(1)</script>: aerial attack plan" in page.words


@pytest.mark.usefixtures("undrawn")
def test_an_event_without_a_date_says_so_and_shows_none() -> None:
    whole = planned(days=1)
    undated = replace(whole, scenario=replace(whole.scenario, start=UNKNOWN_START))
    what = content(3, days=1, project=undated)
    page = Page(report_text(what, lambda: None))
    assert "date unknown" in page.words
    assert not [text for text in page.words if "2000-01" in text]
    assert "the date of the fire is not known" in page.words


def test_it_is_written_as_one_file_or_not_at_all(tmp_path: Path) -> None:
    what = content(2, days=1, project=planned(days=1))
    with pytest.raises(CancelledError):
        export(what, ["report"], tmp_path, "plan", StopAt(3))
    assert files_below(tmp_path) == set()
    (path,) = export(what, ["report"], tmp_path, "plan")
    assert path.name == "plan-report.html" and path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
