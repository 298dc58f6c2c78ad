"""Folders of a plan and of an analysis that a version without margins and stress sets wrote."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from firegui.analyses.sensitivity import results
from firegui.domain.project import Project
from firegui.domain.sensitivity import SensitivityKind
from firegui.domain.settings import Margin
from firegui.domain.stress import StressSet
from firegui.errors import InputError, Problem
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import STORE, kept_schedule, read_drops, read_run
from firegui.runs.run_repair import check_out
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason, Stage
from tests.support import make_project


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of both folders."""
    return Path(shutil.copytree(Path(__file__).parent / "old_folders", tmp_path / "old"))


def project() -> Project:
    return make_project(epochs=3).with_margin(Margin.NONE)


def test_an_old_plan_reads_with_the_margin_and_stress_set_that_it_had_none_of(old: Path) -> None:
    record = read_run(old / "plan")

    assert record.header == STORE.read(old / "plan")
    assert record.settings.margin.kind is Margin.NONE
    assert record.header.project.stress == StressSet()
    assert (record.reason, len(record.history), record.header.best_epoch) == (FinishReason.COMPLETED, 3, 2)
    assert record.metrics is not None and record.metrics.drops_executed == 20
    assert sum(drop.executed for drop in read_drops(old / "plan")) == 20
    assert kept_schedule(old / "plan", project()).logits.shape == (20, 4)


def test_an_old_plan_is_gone_on_with_and_not_overwritten(old: Path) -> None:
    spec = PlanSpec(project(), old / "plan", "again", (Stage.OPTIMIZE, Stage.PRUNE), resume=True)

    found = check_out(spec.out, resume=True)
    assert found is not None and resume_problems(found, spec) == []
    with pytest.raises(InputError, match="holds a finished run"):
        check_out(spec.out, resume=False)


def test_an_old_table_reads_and_is_gone_on_with(old: Path) -> None:
    header = results.STORE.check(old / "sensitivity", resume=True)

    assert header is not None and header.project.plan.margin.kind is Margin.NONE
    assert header.kind is SensitivityKind.EFFECTIVENESS
    assert len(results.read_table(old / "sensitivity").rows) == 7


@pytest.mark.parametrize(("store", "name"), [(STORE, "plan"), (results.STORE, "sensitivity")])
def test_an_old_header_that_is_written_again_reads_the_same(old: Path, store: ResultStore[Any], name: str) -> None:
    header = store.read(old / name)
    store.write(old / name, header)
    assert store.read(old / name) == header


@pytest.mark.parametrize(("store", "name"), [(STORE, "plan"), (results.STORE, "sensitivity")])
@pytest.mark.parametrize("file", ["header", "other"])
def test_a_result_with_a_link_out_of_its_folder_is_refused(
    old: Path, store: ResultStore[Any], name: str, file: str
) -> None:
    taken = store.header if file == "header" else next(
        path.name for path in (old / name).iterdir() if path.name != store.header
    )  # fmt: skip
    link = old / name / taken
    link.symlink_to(link.rename(old / taken))

    with pytest.raises(InputError) as refused:
        store.read(old / name)

    assert refused.value.problems == (
        Problem(str(link), "is a link that leads out of its folder", "put the file itself in its place"),
    )


@pytest.mark.parametrize(("store", "name"), [(STORE, "plan"), (results.STORE, "sensitivity")])
def test_a_link_to_itself_in_a_result_is_one_problem(old: Path, store: ResultStore[Any], name: str) -> None:
    link = old / name / store.header
    link.unlink()
    link.symlink_to(link)

    with pytest.raises(InputError) as refused:
        store.read(old / name)

    assert [problem.where for problem in refused.value.problems] == [str(link)]


def test_a_link_in_a_result_to_its_own_file_is_read(old: Path) -> None:
    header = old / "plan" / STORE.header
    header.symlink_to(header.rename(old / "plan" / "other.toml").name)

    assert STORE.read(old / "plan").reason is FinishReason.COMPLETED
