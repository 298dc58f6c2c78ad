"""Files of the fleet, of coverage levels and of operational constraints."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.airspace import AirspaceRule
from firegui.domain.bases import Base, BaseKind
from firegui.domain.coverage import PAPER_COVERAGE, RequiredCoverage
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.fuel import FBFM13, FBFM40, NONBURNABLE
from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.project import same_inputs
from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.fire.first_project import first_project, with_model
from firegui.fire.maps import project_maps
from firegui.io.project import scenario_toml
from firegui.io.project.scenario_toml import (
    CoverageTable,
    FuelCoverage,
    coverage_of,
    default_fleet,
    read_fleet,
    read_operations,
    read_table,
    shipped_table,
    write_fleet,
    write_operations,
    write_table,
)
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.io.toml import dumps
from tests.support import make_project
from tests.unit.io.builders import (
    PLACED,
    aircraft,
    assert_each_said,
    files_below,
    fleet,
    project,
    refused_for,
    said,
    scenario,
)

NOON = datetime(2020, 8, 20, 12, tzinfo=timezone(timedelta(hours=-7)))
ALL = Operations(
    Daylight(20.0, 40.0),
    (Grounding("R-1", NOON, NOON + timedelta(hours=2)), Grounding("BIG", NOON, NOON + timedelta(days=1))),
    {"W": 4, "R": 2},
    30,
    (
        Region.rectangle("lake", (1.0, 3.0), (2.0, 6.0)),
        Region("camp", ((((1.0, 1.0), (4.0, 1.5), (3.0, 5.25)),),)),
    ),
    (PinnedDrop(NOON + timedelta(hours=5), "W-1", 3.25, 4.0, 0.1 + 0.2),),
)


def test_what_is_written_is_read_back_equal(tmp_path: Path) -> None:
    for operations in (ALL, Operations(), replace(ALL, daylight=Daylight(), hard_cap=0)):
        write_operations(operations, tmp_path / "o.toml")
        assert read_operations(tmp_path / "o.toml") == operations


def test_the_documented_example_can_be_read(tmp_path: Path) -> None:
    text = scenario_toml.__doc__ or ""
    example = text[text.index("::") + 2 : text.index("Times need an offset")]
    (tmp_path / "o.toml").write_text(example, encoding="utf-8")
    found = read_operations(tmp_path / "o.toml")
    assert found.hard_cap == 400
    assert found.daylight == Daylight()
    assert (len(found.groundings), len(found.no_drop_zones), len(found.pinned)) == (1, 1, 1)
    assert found.sorties_per_day == {"S-2T": 6}
    assert found.frequencies == (RadioFrequency("Air/Ground", "122.925", "168.275 T110.9"),)
    assert found.hazards == ("Power line along Road 7",)


def test_everything_wrong_with_a_file_is_listed(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'hard_cap = "many"\ntypo = 1\n[daylight]\nafter_sunrise = 10\n[sorties_per_day]\nR = 2.5\n'
        '[[grounding]]\naircraft = "R-1"\nstart = 2020-08-20T10:00:00Z\nend = 2020-08-20T09:00:00Z\n'
        '[[grounding]]\naircraft = "R-1"\nstart = 2020-08-20T10:00:00\n'
        '[[no_drop_zone]]\nname = "lake"\nrows = [3, 3]\ncolumns = [0, 4]\n'
        '[[pinned]]\ntime = 2020-08-20T10:00:00\naircraft = "R-1"\ny = 1.0\nx = nan\ntheta = 0.0\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_operations(tmp_path / "bad.toml")
    found = str(caught.value)
    for expected in (
        "hard_cap", "typo is not known", "after_sunrise is not known", "sorties_per_day", "not after it begins",
        "end is missing", "rows [3.0, 3.0] is empty", "time has no offset", "is not a pose",
    ):  # fmt: skip
        assert expected in found, expected


def test_a_project_keeps_its_constraints_and_its_hash_tells_them_apart(tmp_path: Path) -> None:
    project = make_project()
    constrained = replace(project, operations=ALL)
    save_project(constrained, tmp_path / "p.firegui")
    loaded = load_project(tmp_path / "p.firegui")
    assert loaded.operations == ALL
    assert project_hash(loaded) == project_hash(constrained) != project_hash(project)
    save_project(replace(loaded, operations=Operations()), tmp_path / "p.firegui", replacing=True)
    assert project_hash(load_project(tmp_path / "p.firegui")) == project_hash(project)


def test_frequencies_and_hazards_are_kept_by_files_and_projects(tmp_path: Path) -> None:
    channels = RadioFrequency("Air/Ground", "", "168.275"), RadioFrequency("Funk „Süd“", "122.9", "")
    noted = replace(ALL, frequencies=channels, hazards=('Wires "low"', "Drones"))
    write_operations(noted, tmp_path / "o.toml")
    assert read_operations(tmp_path / "o.toml") == noted
    project = replace(make_project(), operations=noted)
    save_project(project, tmp_path / "p.firegui")
    assert load_project(tmp_path / "p.firegui").operations == noted
    text = (tmp_path / "p.firegui" / "project.toml").read_text(encoding="utf-8")
    start, end = text.index("[[operations.frequency]]"), text.rindex("[[operations.frequency]]")
    assert start < end
    older = re.sub(r"\n\[\[operations\.frequency\]\]\n(?:\w+ = .*\n)+", "\n", text)
    older = re.sub(
        r"^hazards = .*\n", "", re.sub("^format = [0-9]+", "format = 17", older, flags=re.MULTILINE), flags=re.MULTILINE
    )
    (tmp_path / "p.firegui" / "project.toml").write_text(older, encoding="utf-8")
    assert load_project(tmp_path / "p.firegui").operations == ALL


def test_airspace_rules_are_kept_by_files_and_projects_and_older_projects_have_none(tmp_path: Path) -> None:
    rules = AirspaceRule(1, 60.0, 300.0), AirspaceRule(6, 45.5, None, ("R", "BIG"))
    ruled = replace(ALL, airspace=rules)
    write_operations(ruled, tmp_path / "o.toml")
    assert read_operations(tmp_path / "o.toml") == ruled
    project = replace(make_project(), operations=ruled)
    save_project(project, tmp_path / "p.firegui")
    assert load_project(tmp_path / "p.firegui").operations == ruled
    assert project_hash(project) != project_hash(replace(project, operations=ALL))
    text = (tmp_path / "p.firegui" / "project.toml").read_text(encoding="utf-8")
    older = re.sub(r"\n\[\[operations\.airspace\]\]\n(?:\w+ = .*\n)+", "\n", text)
    older = re.sub("^format = [0-9]+", "format = 18", older, flags=re.MULTILINE)
    assert "airspace" not in older
    (tmp_path / "p.firegui" / "project.toml").write_text(older, encoding="utf-8")
    assert load_project(tmp_path / "p.firegui").operations == ALL


def test_everything_wrong_with_airspace_rules_is_one_list(tmp_path: Path) -> None:
    (tmp_path / "o.toml").write_text(
        "[[airspace]]\nmost = 0\nminutes = 60\nradius = 3\n[[airspace]]\nmost = 1.5\n[[airspace]]\nmost = 2\n"
        'minutes = -1.0\ntypes = ["R", "R"]\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_operations(tmp_path / "o.toml")
    assert_each_said(
        caught.value, ["radius is not known", "most", "minutes is missing", "Minutes is -1.0", "R more than once"]
    )


def test_everything_wrong_with_frequencies_and_hazards_is_one_list(tmp_path: Path) -> None:
    (tmp_path / "o.toml").write_text(
        'hazards = ["", "a\\u0007b"]\n[[frequency]]\nuse = ""\nam = "x"\n[[frequency]]\nam = "122.9"\n'
        '[[frequency]]\nuse = "Air"\nfm = "168.0\\u202e"\nband = "UHF"\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_operations(tmp_path / "o.toml")
    assert_each_said(
        caught.value,
        ["hazard 1: the text is empty", "hazard 2: the text has control characters (U+0007)", "the use is empty",
         "AM 'x' is not a frequency", "frequency 2: use is missing", "band is not known"],
    )  # fmt: skip


def test_one_instant_has_one_hash_whatever_offset_it_is_written_in() -> None:
    utc = replace(ALL, pinned=tuple(replace(pin, time=pin.time.astimezone(UTC)) for pin in ALL.pinned))
    assert project_hash(replace(make_project(), operations=ALL)) == project_hash(
        replace(make_project(), operations=utc)
    )


def test_a_misspelt_constraint_in_a_project_keeps_it_from_opening(tmp_path: Path) -> None:
    folder = tmp_path / "p.firegui"
    save_project(replace(make_project(), operations=Operations(hard_cap=3)), folder)
    file = folder / "project.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("hard_cap", "hard_cup"), encoding="utf-8")
    with pytest.raises(InputError, match="hard_cup is not known here"):
        load_project(folder)


def test_the_default_fleet_is_the_papers_21_aircraft_in_its_order() -> None:
    catalogue = default_fleet()
    counts = {"S-2T": 6, "AT-802F": 2, "BAe-146": 4, "MD-87": 2, "C-130": 2, "DC-10": 2, "747": 1, "CL-415": 2}
    assert list(counts.items()) == [(kind.id, kind.count) for kind in catalogue.types]
    assert catalogue.n_aircraft == 21
    assert [kind.id for kind in catalogue.types if kind.material is Material.WATER] == ["CL-415"]
    assert [kind.turnaround_steps(50) for kind in catalogue.types] == [2, 2, 3, 3, 2, 4, 5, 1]
    assert all(kind.provenance for kind in catalogue.types)
    assert {kind.id for kind in catalogue.types if kind.grounded_days == (2, 3)} == {"S-2T", "AT-802F", "CL-415"}
    assert {kind.grounded_days for kind in catalogue.types} == {(2, 3), (2, 3, 4)}


def test_every_logit_positive_gives_the_papers_4037_drops() -> None:
    total = 0
    for tail in default_fleet().tails:
        step = 0
        while step < 750:
            if step // 50 in tail.type.grounded_days:
                step += 1
                continue
            total += 1
            step += tail.type.turnaround_steps(50) + 1
    assert total == 4037


@pytest.mark.parametrize(
    ("name", "analogue", "ratio"),
    [
        ("MD-87", (136.1, 4.51), 3000 / 2000),
        ("DC-10", (136.1, 4.51), 9400 / 2000),
        ("747", (136.1, 4.51), 19200 / 2000),
        ("CL-415", (111.6, 6.54), 1621 / 2000),
    ],
)
def test_scaled_footprints_are_their_analogue_with_the_area_scaled(
    name: str, analogue: tuple[float, float], ratio: float
) -> None:
    kind = next(kind for kind in default_fleet().types if kind.id == name)
    assert kind.sigma_parallel_m == pytest.approx(analogue[0] * ratio**0.5, abs=0.06)
    assert kind.sigma_perpendicular_m == pytest.approx(analogue[1] * ratio**0.5, abs=0.006)


def test_a_written_fleet_reads_back_equal(tmp_path: Path) -> None:
    write_fleet(default_fleet(), tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml") == default_fleet()
    odd = fleet().replace_type(0, aircraft(provenance='say "x"\n\\ ü', grounded_days=(0, 5)))
    write_fleet(odd, tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml") == odd
    assert files_below(tmp_path) == {"fleet.toml"}


def test_provenance_and_grounded_days_may_be_left_out(tmp_path: Path) -> None:
    write_fleet(fleet(), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if not line.startswith(("provenance", "grounded_days"))]
    (tmp_path / "fleet.toml").write_text("\n".join(kept), encoding="utf-8")
    assert {kind.provenance for kind in read_fleet(tmp_path / "fleet.toml").types} == {""}


def test_every_problem_of_a_fleet_file_is_reported_at_once(tmp_path: Path) -> None:
    write_fleet(fleet(), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8")
    row = text[text.index("[[aircraft]]") : text.rindex("[[aircraft]]")]
    negative = row.replace("payload_gal = 1200.0", "payload_gal = -1200.0").replace("S-2T", "A")
    wrong = (
        row.replace("count = 2", 'count = "two"')
        .replace("retardant", "foam")
        .replace("speed_ms", "speed_kt")
        .replace("S-2T", "B")
    )
    (tmp_path / "fleet.toml").write_text("version = 1\n" + row + row + negative + wrong, encoding="utf-8")
    with refused_for(
        "the id S-2T is used 2 times",
        "Payload is -1200.0",
        "aircraft 4: count",
        "aircraft 4: material",
        "water, retardant",
        "speed_ms is missing",
        "speed_kt is not known",
        "version is not known",
    ):
        read_fleet(tmp_path / "fleet.toml")


PRICED = AircraftType(
    "S-2T",
    "Tracker",
    1,
    Material.RETARDANT,
    1200.0,
    0.5,
    66.4,
    3.5,
    56.1,
    111.7,
    3.37,
    "own",
    5000.0,
    None,
    4.12,
    "2020",
)


def test_prices_and_currency_of_a_fleet_and_a_project_read_back_equal(tmp_path: Path) -> None:
    fleet = Fleet((PRICED, replace(PRICED.without_prices, id="W")), "CA$")
    write_fleet(fleet, tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml") == fleet
    project = replace(make_project(), fleet=fleet)
    save_project(project, tmp_path / "p.firegui")
    assert load_project(tmp_path / "p.firegui").fleet == fleet
    # What a plan costs is not its effect: runs of before are still those of this project.
    bare = replace(project, fleet=Fleet(tuple(kind.without_prices for kind in fleet.types)))
    assert project_hash(bare) == project_hash(project) and same_inputs(bare, project)
    paying = replace(project.plan, weights=replace(project.plan.weights, cost=1.0))
    first, second = (replace(each, plan=paying) for each in (bare, project))
    assert project_hash(first) != project_hash(second) and not same_inputs(first, second)


def test_every_bad_price_of_a_fleet_file_is_reported_at_once(tmp_path: Path) -> None:
    write_fleet(Fleet((PRICED,), "US\tD"), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8")
    text = text.replace("hour_price = 5000.0", "hour_price = -1.0\ndrop_price = nan")
    (tmp_path / "fleet.toml").write_text(text.replace("4.12", '"four"'), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_fleet(tmp_path / "fleet.toml")
    found = [str(problem) for problem in caught.value.problems]
    assert len(found) == 4
    for part in ("flight hour is -1.0", "drop is nan", "gallon_price: is text, not a number", "U+0009"):
        assert any(part in text for text in found), part


def test_the_shipped_prices_name_their_source_and_year_and_none_is_made_up() -> None:
    fleet = default_fleet()
    assert fleet.currency == "USD"
    assert fleet.unpriced == ("S-2T", "AT-802F", "MD-87", "C-130")
    for kind in fleet.types:
        assert ("none published" in kind.price_source) is (kind.drop_cost is None)
        assert kind.drop_cost is None or re.search(r"\b20\d\d\b", kind.price_source)


def test_a_fleet_file_without_aircraft_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("# none\n")
    with pytest.raises(InputError, match="no aircraft"):
        read_fleet(tmp_path / "fleet.toml")


def test_a_single_table_in_place_of_a_list_is_explained(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("[aircraft]\nid = 'x'\n")
    with pytest.raises(InputError, match=r"write \[\[aircraft\]\] once per entry"):
        read_fleet(tmp_path / "fleet.toml")


def test_a_row_with_one_wrong_type_is_still_judged_by_its_other_values(tmp_path: Path) -> None:
    write_fleet(Fleet((aircraft(count=-1, payload_gal=-5.0),)), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8").replace("retardant", "foam")
    (tmp_path / "fleet.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_fleet(tmp_path / "fleet.toml")
    parts = ["aircraft 1: material", "aircraft 1: Number of aircraft is -1", "aircraft 1: Payload is -5.0"]
    assert_each_said(caught.value, parts)
    assert len(caught.value.problems) == 3


TABLE = 'source = "mine"\n[[model]]\ncode = 188\ncoverage = 5\n'


def table(folder: Path, text: str = TABLE) -> Path:
    path = folder / "levels.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_table_has_a_level_for_every_model_that_burns_and_the_papers_four() -> None:
    shipped = shipped_table()
    assert set(shipped.levels) == (FBFM40 | FBFM13) - NONBURNABLE
    assert {code: shipped.levels[code] for code in (188, 161, 165, 142)} == {188: 4.0, 161: 2.0, 165: 2.0, 142: 3.0}
    assert not RequiredCoverage(2.7, "x", shipped.levels).problems()
    assert all(model.name and model.basis for model in shipped.models)


def test_a_table_of_ones_own_is_read_with_its_source(tmp_path: Path) -> None:
    found = read_table(table(tmp_path))
    assert (found.source, found.levels) == ("mine", {188: 5.0})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('source = "x"', "names no fuel model"),
        ('[[model]]\ncode = 98\ncoverage = 2\n', "model 98 does not burn"),
        ('[[model]]\ncode = 300\ncoverage = 2\n', "there is no fuel model 300"),
        (TABLE + '[[model]]\ncode = 188\ncoverage = 5\n', "model 188 is given twice"),
        ('[[model]]\ncode = 188\ncoverage = 50\n', "50 gal/100 ft²"),
        ('[[model]]\ncode = 188\n', "coverage is missing"),
        ('[[model]]\ncode = 188\ncoverage = 5\ncolour = "red"\n', "colour is not known here"),
        ("[[model", "is not valid TOML"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_table(table(tmp_path, text))
    assert any(what in line for line in said(caught.value))


def test_what_a_project_has_can_be_written_edited_and_read(tmp_path: Path) -> None:
    before = RequiredCoverage(3.0, "mine", {188: 4.0, 8: 2.0})
    write_table(tmp_path / "out.toml", before)
    found = read_table(tmp_path / "out.toml")
    assert (found.source, found.levels) == (before.source, dict(before.levels))


def test_a_first_project_requires_what_its_fuel_does() -> None:
    fuel = np.full(scenario().grid.shape, 188, np.float32)
    event = replace(scenario(), layers={**scenario().layers, "fuel": fuel})
    assert first_project(event).coverage.c_req == 4.0
    assert first_project(scenario()).coverage.c_req == PAPER_COVERAGE
    assert coverage_of(event, read_table_of({188: 5.0})).c_req == 5.0


def read_table_of(levels: dict[int, float]) -> CoverageTable:
    return CoverageTable("mine", tuple(FuelCoverage(code, level) for code, level in levels.items()))


@pytest.mark.parametrize("kind", ["scalar", "network"])
def test_the_maps_of_a_model_require_what_the_project_does(kind: str) -> None:
    seen = np.ones((1, *PLACED.shape), np.bool_)
    plain = with_model(first_project(scenario(observed=seen, observed_dates=(date(2020, 8, 19),))), kind)
    assert project_maps(replace(plain, coverage=RequiredCoverage(3.5, "x"))).c_req == 3.5
    assert project_maps(plain).c_req == plain.coverage.c_req


def test_a_project_keeps_its_coverage_and_a_run_depends_on_its_number_alone(tmp_path: Path) -> None:
    before = replace(project(), coverage=RequiredCoverage(3.1, "mine", {188: 4.0, 8: 2.0}))
    save_project(before, tmp_path / "a.firegui")
    after = load_project(tmp_path / "a.firegui")
    assert after.coverage == before.coverage
    assert project_hash(after) == project_hash(before) != project_hash(project())
    assert project_hash(replace(before, coverage=RequiredCoverage(3.1, "yours"))) == project_hash(before)


def test_a_project_from_before_there_was_a_choice_has_the_papers_coverage_and_its_old_hash(tmp_path: Path) -> None:
    save_project(project(), tmp_path / "a.firegui")
    path = tmp_path / "a.firegui" / "project.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    del table["coverage"]
    path.write_text(dumps(table | {"format": 3}), encoding="utf-8")
    after = load_project(tmp_path / "a.firegui")
    assert after.coverage.c_req == PAPER_COVERAGE
    assert project_hash(after) == project_hash(project())


def test_levels_that_are_no_codes_are_refused(tmp_path: Path) -> None:
    save_project(replace(project(), coverage=RequiredCoverage(3.1, "mine", {188: 4.0})), tmp_path / "a.firegui")
    path = tmp_path / "a.firegui" / "project.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("188 = 4.0", "TL8 = 4.0"), encoding="utf-8")
    with pytest.raises(InputError, match="TL8 is not a fuel model"):
        load_project(tmp_path / "a.firegui")


def test_bases_and_limits_are_kept_and_unused_speeds_change_no_hash(tmp_path: Path) -> None:
    whole = make_project()
    base = Base("Redding", BaseKind.RELOAD, -900.25, 12.5, 12.0, 8.0, 20.5, ("R", "W"))
    limits: dict[str, Any] = {
        "cruise_ms": 90.0,
        "target_min": 4.0,
        "most_flight_h": 7.0,
        "most_duty_h": 12.0,
        "most_wind_ms": 14.0,
    }
    kinds = tuple(replace(kind, **limits) for kind in whole.fleet.types)
    project = replace(
        whole, fleet=replace(whole.fleet, types=kinds), operations=Operations(bases=(base,), gust_factor=1.5)
    )
    save_project(project, tmp_path / "a.firegui")
    again = load_project(tmp_path / "a.firegui")
    assert (again.operations, again.fleet) == (project.operations, project.fleet)
    assert project_hash(again) == project_hash(project) != project_hash(whole)
    write_operations(project.operations, tmp_path / "rules.toml")
    assert read_operations(tmp_path / "rules.toml") == project.operations
    write_fleet(project.planned_fleet, tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml").types[0] == project.planned_fleet.types[0]
    fast = tuple(replace(kind, cruise_ms=90.0) for kind in whole.fleet.types)
    assert project_hash(replace(whole, fleet=replace(whole.fleet, types=fast))) == project_hash(whole)
    text = (tmp_path / "a.firegui" / "project.toml").read_text(encoding="utf-8")
    assert "centres" not in text
    assert "cycles" not in text


def test_a_wrong_base_of_a_project_is_said_with_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('[[base]]\nname = "A"\nkind = "harbour"\ny = 1.0\nx = 2.0\nwhere = 3\n', encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_operations(path)
    found = "\n".join(map(str, error.value.problems))
    assert "kind" in found
    assert "where is not known here" in found
