from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firegui.domain.study import Case, StudySettings, Vary
from firegui.planning.study_figures import draw
from tests.support import make_project
from tests.unit.domain.test_study import table_of

HALF = "A $_{$ B"


def test_a_study_its_cases_and_its_fire_may_be_called_what_would_be_half_a_formula(tmp_path: Path) -> None:
    cases = (Case("as it is"), Case(HALF, {"days": 1}))
    table = table_of(StudySettings(name=HALF, vary=(Vary("seed", (0, 1)),), cases=cases), dict.fromkeys(range(4), 2.0))
    project = make_project()
    named = replace(project, scenario=replace(project.scenario, name=HALF))
    assert {path.stem for path in draw(table, named, tmp_path)} == {"tornado", "heat", "pareto"}
