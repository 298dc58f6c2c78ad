from __future__ import annotations

import re
from pathlib import Path

from firegui.domain.regions import Region
from firegui.io.exporters import export
from firegui.io.exporters.content import Sheet
from firegui.io.exporters.day_maps import day_pages
from tests.unit.io.exporters.sheets import GRID, around, content, outside, overlaps, planned, texts_of

DROPS = [*around(GRID, 30, 0), *around(GRID, 12, 1)]


def test_there_is_one_page_a_day(tmp_path: Path) -> None:
    (path,) = export(content(drops=DROPS), ["pdf-days"], tmp_path, "plan")
    assert path.name == "plan-days.pdf"
    data = path.read_bytes()
    assert data.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", data)) == 3
    (path,) = export(content(drops=DROPS, sheet=Sheet(first_day=1, last_day=1)), ["pdf-days"], tmp_path, "one")
    assert len(re.findall(rb"/Type /Page\b", path.read_bytes())) == 1


def test_a_page_names_its_day_its_drops_and_what_is_protected() -> None:
    pages = [texts_of(page.figure) for page in day_pages(content(drops=DROPS))]
    for day, (page, numbers) in enumerate(zip(pages, (range(1, 31), range(31, 43), ()), strict=True)):
        assert any(text.startswith(f"Day {day + 1} of 3: 2020-08-{20 + day}") for text in page)
        assert {"Upper village", "Camp"} <= set(page)
        assert {str(number) for number in numbers} <= set(page)
    assert "No drops in this period" in " ".join(pages[2])


def test_no_label_lies_on_another_or_past_the_edge() -> None:
    for page in day_pages(content(drops=DROPS)):
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []


def test_all_pages_show_the_same_area_with_every_region_in_it() -> None:
    far = (Region.rectangle("Far town", (1, 6), (1, 9)),)
    boxes = set()
    for page in day_pages(content(drops=DROPS, project=planned(regions=far))):
        axes = page.figure.axes[0]
        boxes.add((axes.get_xlim(), axes.get_ylim()))
        assert "Far town" in texts_of(page.figure)
    assert len(boxes) == 1
