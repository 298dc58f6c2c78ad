"""Maps to print: every element that the standards ask for, to scale, the same bytes every time."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.contour import ContourSet
from matplotlib.image import imread
from numpy.typing import NDArray
from pyproj import Geod

from firegui.domain.grid import Grid
from firegui.domain.model_range import OutsideTraining
from firegui.domain.plan_colors import RETARDANT, WATER_FILL
from firegui.domain.regions import Region
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressScenario, StressTable
from firegui.domain.units import Units
from firegui.errors import CancelledError, Check, InputError
from firegui.io.exporters import content as content_module
from firegui.io.exporters.briefing import briefing_pages
from firegui.io.exporters.content import ExportContent, MapBackground, Orientation, Paper, Sheet
from firegui.io.exporters.figure_page import printable, shortened, width_of, wrapped
from firegui.io.exporters.map_figure import map_page, map_picture, minutes_text, write_map
from firegui.io.exporters.map_margin import mean_wind, rose
from firegui.io.exporters.map_view import MapFrame, grid_north, round_scale, view_of
from firegui.io.exporters.report_page import report_text
from firegui.io.exporters.table import NOTICE
from firegui.io.fuel_models_file import standard_fuel_models
from firegui.io.georeference import Georeference
from tests.support import StopAt
from tests.unit.io.exporters.plans import GRIDS
from tests.unit.io.exporters.sheets import GRID, around, boxes, content, outside, overlaps, planned, texts_of

DAY = Sheet(author="A. Núñez", incident_number="CA-PNF-001308", first_day=0, last_day=0)


def go_on() -> None:
    pass


def texts(what: ExportContent) -> list[str]:
    return texts_of(map_page(what, go_on).figure)


def test_a_map_has_every_element_that_the_standards_ask_for() -> None:
    said = "\n".join(texts(content(sheet=DAY)))
    for part in (
        "Scale 1:", "Tëst “fire”, CA-PNF-001308", "Author: A. Núñez", "Prepared: 2020-08-18 14:05 UTC-7 (2105Z)",
        "Legend",
        "Source: ", "Lat/long grid: WGS 84", "Datum: WGS 84", "N: true north", "MN: magnetic", "Day 1 of 3", NOTICE,
        "California Albers",
    ):  # fmt: skip
        assert part in said, part
    labels = [text for text in texts(content(sheet=DAY)) if re.fullmatch(r"\d+°\d\d\.\d+′ [NSEW]", text)]
    assert {text[-1] for text in labels} == {"N", "W"}


def test_the_name_of_a_region_leaves_drops_free_that_cover_its_north_west_corner() -> None:
    def left_of_name(landing: float) -> float:
        placed = [
            replace(one, landing_y=4.0 + 0.4 * number, landing_x=landing, theta=0.0)
            for number, one in enumerate(around(GRID, 20))
        ]
        figure = map_page(content(drops=placed), go_on).figure
        return next(box[0] for text, box in boxes(figure) if text == "Upper village")

    assert left_of_name(44.0) > left_of_name(66.0)


@pytest.mark.parametrize("orientation", Orientation)
def test_no_paragraph_of_the_sources_goes_from_one_column_to_the_next(orientation: Orientation) -> None:
    figure = map_page(content(sheet=replace(DAY, orientation=orientation)), go_on).figure
    source = next(text for text in figure.texts if text.get_text().startswith("Source: "))
    last = next(text for text in figure.texts if text.get_text().endswith("planned with firegui"))
    assert last.get_position()[0] == source.get_position()[0]


def test_the_legend_names_the_drops_and_their_numbers_first_and_roads_are_no_edge_of_a_fire() -> None:
    retardant = [one for one in around(GRID, 30) if one.material == "retardant"]
    said = texts(content(drops=retardant, sheet=DAY))
    legend = said[said.index("Legend") + 1 : said.index("Wind")]
    assert re.fullmatch(r"\d+ retardant drops? \(86 % lands inside\)", legend[0])
    assert "Number in the drop table" in legend[1:3]
    # A region that the goal of the plan does not count is not called protected.
    plain = content(sheet=DAY)
    both = plain.project.protecting()
    both = replace(both, regions=(*both.regions, Region.rectangle("New houses", (20, 30), (5, 9), 0.0)))
    names = {"Protected region", "Region outside the goal"}
    assert names & set(texts(replace(plain, project=both))) == names
    axes = map_page(content(sheet=DAY), go_on).figure.axes[0]
    assert to_rgb("white") in [to_rgb(line.get_color()) for line in axes.lines if line.get_zorder() > 2.8]


@pytest.mark.parametrize("orientation", Orientation)
@pytest.mark.parametrize(
    ("paper", "ground"),
    [
        (Paper.LETTER, MapBackground.FUEL),
        (Paper.A4, MapBackground.RELIEF),
        (Paper.TABLOID, MapBackground.NONE),
        (Paper.LETTER, MapBackground.ARRIVAL),
        (Paper.A4, MapBackground.FLAMES),
    ],
)
def test_no_text_covers_another_and_none_leaves_the_paper(
    paper: Paper, orientation: Orientation, ground: MapBackground
) -> None:
    for last in (0, 2):
        sheet = replace(DAY, paper=paper, orientation=orientation, ground=ground, last_day=last)
        page = map_page(content(30, sheet=sheet), go_on)
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []


def ground_codes(what: ExportContent) -> NDArray[np.float32]:
    """The ground of the map of ``what`` without relief, by the rank of its colours."""
    image = np.asarray(map_page(what, go_on).figure.axes[0].images[0].get_array(), np.float32)
    return np.asarray(image[..., :3].sum(axis=2), np.float32)


def test_the_ground_shows_classes_of_the_fire_with_their_key_and_no_chance_over_them() -> None:
    sheet = Sheet(ground=MapBackground.FLAMES, whole_grid=True, units=Units.US)
    flat = content(sheet=sheet)
    event = replace(flat.project.scenario, layers={})
    flat = replace(flat, project=replace(flat.project, scenario=event))
    rows = flat.project.scenario.grid.rows
    flames = np.full(flat.project.scenario.grid.shape, 0.9, np.float32)
    flames[rows // 2 :], flames[:5] = 2.0, np.nan
    asked = []

    def behaviour(name: str, days: range, check: Check) -> NDArray[np.float32]:
        asked.append((name, days))
        return flames

    shown = replace(flat, behaviour=behaviour)
    codes, key = ground_codes(shown), texts(shown)

    assert asked[0] == ("flame_length", range(3))
    assert "Flame length, ft: 1 – 4" in key
    assert "Flame length, ft: 4 – 8" in key
    assert not any("8 – 12" in text or "Chance of fire" in text for text in key)
    assert np.unique(codes[5 : rows // 2]).size == np.unique(codes[rows // 2 :]).size == 1
    assert codes[rows - 1, 0] < codes[10, 0] < codes[0, 0], "longer flames are darker"
    assert any("not known" in text for text in texts(flat))


def test_the_ground_shows_on_which_day_the_fire_without_drops_arrives() -> None:
    shown = content(sheet=Sheet(ground=MapBackground.ARRIVAL, whole_grid=True))
    arrives = [text for text in texts(shown) if text.endswith("arrives")]

    assert arrives == [f"Day {day}: fire without drops arrives" for day in (1, 2, 3)]
    assert any("not known" in text for text in texts(replace(shown, baseline=None)))
    long = content(days=13, sheet=Sheet(ground=MapBackground.ARRIVAL))
    assert any(text.startswith("Days 4 to 6: fire without drops") for text in texts(long))


@pytest.mark.parametrize("orientation", Orientation)
def test_custom_fuel_models_are_named_in_the_legend(orientation: Orientation) -> None:
    what = content(sheet=replace(DAY, orientation=orientation, ground=MapBackground.FUEL))
    project = what.project
    layers = {**project.scenario.layers, "fuel": np.full(project.scenario.grid.shape, 14.0, np.float32)}
    own = tuple(replace(standard_fuel_models()[0], code=code, name=f"CHAPARRAL{code}") for code in range(14, 20))
    model = replace(project.fire_model, fuels=own)
    scenario = replace(project.scenario, layers=layers)
    page = map_page(replace(what, project=replace(project, scenario=scenario, fire_model=model)), go_on)
    assert any(text.startswith("CHAPARRAL14") for text in texts_of(page.figure))
    assert overlaps(page.figure) == []
    assert outside(page.figure) == []


@pytest.mark.parametrize(
    ("orientation", "name"),
    [
        pytest.param(Orientation.LANDSCAPE, "late", marks=pytest.mark.slow),
        (Orientation.PORTRAIT, "late and off target " * 9),
    ],
)
def test_below_the_notice_stands_that_a_plan_is_unfinished_and_does_not_hold(
    orientation: Orientation, name: str
) -> None:
    held, late = (
        StressResult(scenario, 10.0, 210.0, (StressDraw(10.0 + 200.0 * share, 0.0, share, 12),))
        for scenario, share in ((NOMINAL, 0.0), (StressScenario(name), 0.73))
    )
    what = content(30, sheet=replace(DAY, orientation=orientation), unfinished="The search was stopped")
    what = replace(what, stress=StressTable(12, held, (late,)))
    for page in (map_page(what, go_on), *(briefing_pages(what) if name == "late" else ())):
        said = texts_of(page.figure)
        place = said.index(NOTICE)
        assert said[place + 1] == "⚠ The search was stopped"
        assert said[place + 2].startswith("⚠ Does not hold: 73 % of the growth left in “late")
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []


@pytest.mark.parametrize(
    "orientation", [pytest.param(Orientation.LANDSCAPE, marks=pytest.mark.slow), Orientation.PORTRAIT]
)
def test_below_the_notice_stands_that_the_project_was_edited_since_and_that_its_fire_is_less_certain(
    orientation: Orientation, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsure = OutsideTraining(("wind", "slope"), ("Winds reach 15 m/s.", "Slopes reach 50°."))
    monkeypatch.setattr(content_module, "outside_training", lambda _project: unsure)
    changes = ("does not protect Village", "fleet changed since")
    what = content(30, sheet=replace(DAY, orientation=orientation), changes=changes)
    expected = [
        "⚠ Shown as it was planned; the project was edited after that: does not protect Village; fleet changed since",
        "⚠ The fire is less certain: wind, slope beyond what the fire model learned from",
    ]
    for page in (map_page(what, go_on), *briefing_pages(what)):
        said = texts_of(page.figure)
        place = said.index(NOTICE)
        assert said[place + 1 : place + 3] == expected
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []
    report = report_text(what, lambda: None)
    assert all(f'<p class="notice">{text.removeprefix("⚠ ")}</p>' in report for text in expected)
    assert what.notes[0] == expected[0].removeprefix("⚠ ")


def test_long_and_foreign_names_stay_in_their_places() -> None:
    whole = planned()
    event = replace(whole.scenario, name="Ça brûle $\\alpha$ 火災 " * 12)
    whole = replace(whole, scenario=event, regions=(replace(whole.regions[0], name="Überlange Straße $x_1$ " * 10),))
    figure = map_page(content(project=whole, sheet=replace(DAY, author="Ångström " * 40)), go_on).figure
    assert overlaps(figure) == []
    assert outside(figure) == []
    assert any("$x_1$" in text for text in texts_of(figure))


def test_drops_hide_neither_the_fire_nor_its_edge() -> None:
    def drawn(count: int) -> tuple[list[Any], list[Any], list[Any]]:
        axes = map_page(content(count), go_on).figure.axes[0]
        fills = [each for each in axes.patches if to_rgb(each.get_facecolor()) == to_rgb(RETARDANT)]
        edges = [each for each in axes.collections if isinstance(each, PolyCollection)]
        return fills, edges, [each for each in axes.collections if isinstance(each, ContourSet)]

    (fill,), drops, lines = drawn(400)
    assert max(each.get_zorder() for each in (fill, *drops)) < min(line.get_zorder() for line in lines)
    # One translucent shape: overlapping drops do not add up to an opaque one.
    assert 0.0 < fill.get_facecolor()[3] < 1.0
    few = drawn(4)[1]
    assert max(each.get_linewidths()[0] for each in drops) < max(each.get_linewidths()[0] for each in few)


def test_footprints_are_drawn_to_scale_where_they_land() -> None:
    what = content(1, sheet=DAY)
    page = map_page(what, go_on)
    axes = page.figure.axes[0]
    shapes = [item for item in axes.collections if isinstance(item, PolyCollection)]
    edge = next(item for item in shapes if np.allclose(np.asarray(item.get_edgecolor())[0, :3], to_rgb(RETARDANT)))
    ring = np.asarray(edge.get_paths()[0].vertices)
    drop = what.flown[0].drop
    assert ring[:-1].mean(axis=0) == pytest.approx([drop.landing_x + 0.5, drop.landing_y + 0.5], abs=1e-6)
    inches = axes.transData.transform(ring) / page.figure.dpi
    view = view_of(what, *_frame_of(page))
    longest = max(math.dist(a, b) for a in inches for b in inches)
    # The contour at two standard deviations: four sigmas long.
    assert any("(86 % lands inside)" in text for text in texts_of(page.figure))
    assert longest * 0.0254 * view.scale == pytest.approx(4 * drop.sigma_parallel_cells * 30.0, rel=0.01)


def _frame_of(page: Any) -> tuple[float, float]:
    box = page.figure.axes[0].get_position()
    return box.width * page.width, box.height * page.height


@pytest.mark.parametrize("whole", [True, False])
def test_the_fraction_is_round_and_everything_fits(whole: bool) -> None:
    view = view_of(content(40, sheet=replace(DAY, whole_grid=whole)), 6.0, 4.0)
    assert view.scale == round_scale(view.scale)
    width_m = (view.box[3] - view.box[1]) * GRID.cell_size_m
    assert width_m == pytest.approx(6.0 * 0.0254 * view.scale)
    if whole:
        assert view.box[0] <= 0 and view.box[1] <= 0 and view.box[2] >= GRID.rows and view.box[3] >= GRID.columns


@pytest.mark.parametrize(
    ("least", "scale"), [(1.0, 5_000), (23_000, 24_000), (24_000, 24_000), (63_000, 63_360), (1.3e6, 1_500_000)]
)
def test_scales_are_those_in_use(least: float, scale: int) -> None:
    assert round_scale(least) == scale


@pytest.mark.parametrize("name", GRIDS)
def test_arrows_point_to_true_north(name: str) -> None:
    grid = GRIDS[name]
    place = Georeference(grid)
    turn = grid_north(place, 150.0, 200.0)
    assert turn is not None
    # A step along the page by −turn from its upward direction must keep the longitude.
    rad = math.radians(-turn)
    foot, head = place.lonlat(150.0, 200.0), place.lonlat(150.0 - 5 * math.cos(rad), 200.0 + 5 * math.sin(rad))
    assert foot is not None and head is not None
    azimuth, _, _ = Geod(ellps="WGS84").inv(*foot, *head)
    assert azimuth == pytest.approx(0.0, abs=0.02)


def test_the_wind_is_said_from_true_north() -> None:
    mean = mean_wind(planned(), 0)
    turn = grid_north(Georeference(GRID), (GRID.rows - 1) / 2, (GRID.columns - 1) / 2)
    assert mean is not None and turn is not None
    assert mean.from_deg == pytest.approx(225.0 + turn, abs=1e-4)  # blowing to the north-east comes from the south-west
    assert mean.text.endswith("true at 8 kt (9 mph)")
    shares = rose(planned(), range(0, 3))
    assert shares is not None and shares[10, 1] == pytest.approx(1.0)  # south-west, 5 to 10 kt


def test_wind_arrows_point_where_the_wind_blows() -> None:
    axes = map_page(content(sheet=DAY), go_on).figure.axes[0]
    arrows = next(item for item in axes.collections if type(item).__name__ == "Quiver")
    # Columns grow to the right and rows downwards: towards the north-east is right and up.
    assert (np.asarray(arrows.U) > 0).all() and (np.asarray(arrows.V) < 0).all()  # type: ignore[attr-defined]


def test_a_map_of_one_day_shows_its_drops_numbered_and_one_of_several_days_counts_them() -> None:
    drops = [*around(GRID, 5, 0), *around(GRID, 7, 1)]
    one = texts(content(drops=drops, sheet=replace(DAY, first_day=1, last_day=1)))
    assert {"6", "7", "8", "9", "10", "11", "12"} <= set(one) and not {"5", "13"} & set(one)
    assert any(text.startswith("Fire edge at the start of day 2") for text in one)
    several = texts(content(drops=drops, sheet=replace(DAY, last_day=2)))
    assert not {"1", "2", "3"} & set(several)
    assert any(text.startswith("9 ") for text in several) and any(text.startswith("3 ") for text in several)


def test_proposals_that_are_not_flown_are_not_drawn() -> None:
    drops = [replace(item, executed=False) for item in around(GRID, 3)]
    assert "No drops in this period" in texts(content(drops=drops, sheet=DAY))


@pytest.mark.parametrize("changes", [{"plan": None, "baseline": None}, {"baseline": None}, {"drops": []}])
def test_what_is_not_known_is_left_out(changes: dict[str, Any]) -> None:
    said = "\n".join(texts(content(sheet=DAY, **changes)))
    assert ("without drops" in said) == ("baseline" not in changes)
    assert ("with the plan" in said) == ("plan" not in changes)
    assert NOTICE in said


def test_a_grid_without_a_place_has_no_graticule_and_says_so() -> None:
    bare = Grid(60, 80, 30.0)
    said = texts(content(grid=bare, sheet=DAY))
    assert "No graticule: the grid has no place on the Earth" in " ".join(said)
    assert not any(text == "true north" for text in said)
    assert "Scale 1:" in " ".join(said)


def test_a_project_without_layers_wind_or_perimeter_is_drawn() -> None:
    whole = planned()
    calm = np.full_like(whole.scenario.wind_speed, np.nan)
    event = replace(whole.scenario, layers={}, ignition=None, observed=None, wind_speed=calm, wind_dir=calm, markers=())
    for last in (0, 2):
        sheet = replace(DAY, last_day=last)
        assert NOTICE in texts(content(project=replace(whole, scenario=event), sheet=sheet))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_plan_makes_the_same_bytes_and_says_what_it_is(tmp_path: Path, ending: str) -> None:
    what = content(4, sheet=DAY)
    for name in ("a", "b"):
        write_map(tmp_path / f"{name}.{ending}", what)
    data = (tmp_path / f"a.{ending}").read_bytes()
    assert data == (tmp_path / f"b.{ending}").read_bytes()
    if ending == "pdf":
        assert b"/FontFile2" in data and b"CreationDate" not in data and b"/Type3" not in data
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a.{ending}", f"b.{ending}"]


@pytest.mark.slow
def test_a_picture_has_the_size_of_the_paper(tmp_path: Path) -> None:
    write_map(tmp_path / "map.png", content(2, sheet=DAY))
    assert imread(tmp_path / "map.png").shape[:2] == (1700, 2200)
    pixels = map_picture(content(2, sheet=replace(DAY, orientation=Orientation.PORTRAIT)), 50.0)
    assert pixels.shape == (550, 425, 4) and pixels.dtype == np.uint8
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 50


def test_stopping_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        write_map(tmp_path / "map.pdf", content(4, sheet=DAY), StopAt(2))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_map(tmp_path / "no" / "map.png", content(1, sheet=DAY))


def test_days_outside_the_plan_are_said() -> None:
    calendar = planned().calendar
    assert Sheet(first_day=1, last_day=2).problems(calendar) == []
    for first, last in ((2, 1), (-1, 1), (0, 3), (3, None)):
        (problem,) = Sheet(first_day=first, last_day=last).problems(calendar)
        assert "of a plan of 3" in problem.what
    (problem,) = Sheet(prepared=content().made.replace(tzinfo=None)).problems(calendar)
    assert "no offset" in problem.what


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours."""

    def light(color: str) -> float:
        parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in to_rgb(color)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_two_materials_differ_in_lightness_too() -> None:
    assert contrast(RETARDANT, WATER_FILL) > 3.0


def test_minutes_round_up_into_degrees() -> None:
    assert minutes_text(-7265.0, 5.0, "E", "W") == "121°05.0′ W"
    assert minutes_text(59.96, 0.5, "N", "S") == "1°00.0′ N"
    assert minutes_text(0.05, 0.05, "N", "S") == "0°00.05′ N"


def test_text_is_wrapped_shortened_and_made_printable() -> None:
    lines = wrapped("retardant and water " * 8 + "W" * 80, 1.5, 8.0)
    assert all(width_of(line, 8.0) <= 1.5 for line in lines)
    assert "".join(lines).replace(" ", "") == ("retardantandwater" * 8 + "W" * 80)
    assert all(not line.endswith("30") for line in wrapped("of 30\u00a0m " * 20, 0.6, 8.0))
    assert len(wrapped("one two three four five six", 0.5, 8.0, most=2)) == 2
    short = shortened("retardant" * 9, 1.0, 8.0)
    assert short.endswith("…") and width_of(short, 8.0) <= 1.0
    assert printable("a\n\tb \U0010fffe") == "a b ?"


def test_a_point_on_the_page_is_where_the_scale_puts_it() -> None:
    view = MapFrame(GRID, (0.0, 0.0, 40.0, 60.0), 24_000, 6.0, 4.0)
    x, y = view.inches(10.0, 40.0)
    assert (x, y) == pytest.approx((10 * 30.0 / 0.0254 / 24_000, 0.0))
    assert view.shows(60.0, 0.0) and not view.shows(60.1, 0.0)
