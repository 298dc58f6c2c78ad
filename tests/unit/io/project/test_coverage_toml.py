from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.coverage import PAPER_COVERAGE, RequiredCoverage
from firegui.domain.fuel import FBFM13, FBFM40, NONBURNABLE
from firegui.errors import InputError
from firegui.fire.first_project import first_project, with_model
from firegui.fire.maps import project_maps
from firegui.io.project.coverage_toml import (
    CoverageTable,
    FuelCoverage,
    coverage_of,
    read_table,
    shipped_table,
    write_table,
)
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.io.toml_text import dumps
from tests.unit.io.builders import PLACED, project, said, scenario

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
    with pytest.raises(InputError, match="TL8 is no fuel model"):
        load_project(tmp_path / "a.firegui")
