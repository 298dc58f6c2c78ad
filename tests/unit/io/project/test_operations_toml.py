"""The file of operational constraints."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.io.project import operations_toml
from firegui.io.project.operations_toml import read_operations, write_operations
from firegui.io.project.store import load_project, project_hash, save_project
from tests.support import make_project

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
    text = operations_toml.__doc__ or ""
    example = text[text.index("::") + 2 : text.index("Times need an offset")]
    (tmp_path / "o.toml").write_text(example, encoding="utf-8")
    found = read_operations(tmp_path / "o.toml")
    assert found.hard_cap == 400
    assert found.daylight == Daylight()
    assert (len(found.groundings), len(found.no_drop_zones), len(found.pinned)) == (1, 1, 1)
    assert found.sorties_per_day == {"S-2T": 6}


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
        "end is missing", "rows [3.0, 3.0] is empty", "time has no offset", "is no pose",
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
