"""Studies and tables as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from firegui.assets import resource
from firegui.domain.study import Case, Sampling, StudySettings, Vary
from firegui.errors import InputError
from firegui.io.parquet import write_parquet
from firegui.io.project.study_file import StudyFile, parse_study, read_study

FULL = StudyFile(
    "some.firegui",
    StudySettings(
        name="all of it", planner="schedule", allowance=7, budget=3, excess=2.0, set={"days": 2, "lifted.all": (1, 2)},
        vary=(Vary("nominal", (), 0.5, 0.9, 3), Vary("fleet.S-2T.count", (1, 2)), Vary("planner", ("none", "greedy"))),
        cases=(Case("one"), Case("two", {"fleet.S-2T.count": 4, "nominal": 0.5, "grounded.all": ()})),
        sampling=Sampling.LATIN, samples=5, seed=8, measure=("saved_ha",),
    ),
    "plan.csv",
)  # fmt: skip


def test_a_study_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(FULL.text(), encoding="utf-8")
    assert read_study(path) == FULL
    assert read_study(path).project_folder(path) == tmp_path / "some.firegui"
    assert read_study(path).schedule_file(path) == tmp_path / "plan.csv"


def test_names_may_be_written_without_quotes() -> None:
    text = 'project = "p"\n[[case]]\nname = "c"\nset = { fleet.S-2T.count = 2, lifted.all = [1] }\n'
    assert parse_study(text).settings.cases[0].set == {"fleet.S-2T.count": 2, "lifted.all": (1,)}


@pytest.mark.parametrize("name", ["fleet-value-demo", "fleet-value-bear"])
def test_the_shipped_studies_can_be_read_and_compare_with_the_fleet_as_it_is(name: str) -> None:
    settings = read_study(resource(f"studies/{name}.toml")).settings
    assert settings.problems() == []
    assert dict(settings.cases[0].set) == {}
    assert any("lifted.all" in case.set for case in settings.cases)


def test_every_mistake_is_said_with_its_place() -> None:
    text = """
    name = 3
    measure = ["joy"]
    speed = 2
    set = 4
    [[vary]]
    values = [{}]
    """
    with pytest.raises(InputError) as caught:
        parse_study(text, "mine.toml")
    said = str(caught.value)
    for words in ("project is missing", "name:", "joy", "speed is not known", "[set]", "mine.toml vary 1", "values:"):
        assert words in said


def test_text_that_is_no_toml_is_one_problem() -> None:
    with pytest.raises(InputError) as caught:
        parse_study("project = ")
    assert len(caught.value.problems) == 1


def test_a_parquet_table_is_the_same_bytes_again_and_keeps_types(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "cell": [1, 2], "case": ["a", None], "x": [0.1, None], "mixed": [1, "two"], "none": [None, None]
    }  # fmt: skip
    for name in ("one", "two"):
        write_parquet(tmp_path / name, columns, {"title": "t"})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert parquet.read_table(tmp_path / "one").to_pydict() == columns | {"mixed": ["1", "two"]}
