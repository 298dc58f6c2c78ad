"""Finished runs whose files were damaged: resuming and exporting make them again, or say which are lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.api.exports import write_export
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.io.project.store import load_project
from firegui.runs.control import RunControl
from firegui.runs.events import Message, RunEvent, RunFinished
from firegui.runs.export import run_content
from firegui.runs.run_folder import FILES, RUN, STORE, read_run
from firegui.runs.run_repair import check_out, damaged_files
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from tests.support import forget_checksums, make_project, tiny_project

MADE_AGAIN = (
    "plan.safetensors", "schedule.csv", "drops.json", "summary.json", "occupancy.tif", "baseline.tif",
    "reference.safetensors",
)  # fmt: skip
"""Files that come again byte for byte; the metrics and the log of the second stage hold seconds."""
EXPORTED = ("drops.json", "metrics.json", "occupancy.tif", "baseline.tif")


def flip_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x04
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGES: tuple[Callable[[Path], None], ...] = (flip_byte, cut, Path.unlink)


def spec_of(project: Project, folder: Path, resume: bool) -> PlanSpec:
    stages = (Stage.OPTIMIZE, Stage.PRUNE)
    return PlanSpec(
        project, folder, "", stages=stages, backend="reference", resume=resume, project_folder=folder.parent / "p"
    )


def run(spec: PlanSpec) -> tuple[RunFinished, list[RunEvent]]:
    events: list[RunEvent] = []
    execute(spec, events.append, RunControl())
    assert isinstance(events[-1], RunFinished)
    return events[-1], events


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_project()
    few = replace(made, stress=replace(made.stress, scenarios=made.stress.scenarios[:1]))
    return tiny_project(tmp_path_factory.mktemp("project"), few)


@pytest.fixture(scope="module")
def whole(project: Path) -> Path:
    """A finished run, which tests copy."""
    folder = project.parent / "whole"
    spec = replace(spec_of(load_project(project), folder, resume=False), project_folder=project)
    finished, _ = run(spec)
    assert finished.reason is FinishReason.COMPLETED
    return folder


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Path:
    """A copy of the run, to be damaged."""
    return shutil.copytree(whole, tmp_path / "run")


def resumed(folder: Path, project: Path) -> tuple[RunFinished, list[RunEvent]]:
    return run(replace(spec_of(load_project(project), folder, resume=True), project_folder=project))


def test_a_finished_run_has_the_checksum_of_every_file_that_it_wrote(whole: Path) -> None:
    files = STORE.read(whole).files
    assert files is not None
    assert set(files) == {path.name for path in whole.iterdir() if path.name not in (RUN, ".lock")}
    assert damaged_files(whole, STORE.read(whole)) == frozenset()


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_a_resumed_run_makes_its_results_again(
    damaged: Path, whole: Path, project: Path, damage: Callable[[Path], None]
) -> None:
    for name in (*MADE_AGAIN, "metrics.json"):
        damage(damaged / name)

    finished, events = resumed(damaged, project)

    assert finished.reason is FinishReason.COMPLETED
    assert [name for name in MADE_AGAIN if (damaged / name).read_bytes() != (whole / name).read_bytes()] == []
    assert read_run(damaged).scores.nominal == read_run(whole).scores.nominal
    assert damaged_files(damaged, STORE.read(damaged)) == frozenset()
    (said,) = [each.text for each in events if isinstance(each, Message) and "made again" in each.text]
    assert all(name in said for name in MADE_AGAIN)


@pytest.mark.parametrize("name", ["elimination.csv", "elimination.safetensors"])
def test_a_damaged_second_stage_is_run_again(damaged: Path, whole: Path, project: Path, name: str) -> None:
    flip_byte(damaged / name)
    finished, _ = resumed(damaged, project)
    assert finished.reason is FinishReason.COMPLETED
    assert (damaged / "plan.safetensors").read_bytes() == (whole / "plan.safetensors").read_bytes()
    assert [row.drops for row in read_run(damaged).elimination] == [row.drops for row in read_run(whole).elimination]


def test_a_checkpoint_of_a_search_that_has_ended_is_done_without(damaged: Path, whole: Path, project: Path) -> None:
    flip_byte(damaged / "checkpoint.safetensors")
    assert resumed(damaged, project)[0].reason is FinishReason.COMPLETED
    assert (damaged / "plan.safetensors").read_bytes() == (whole / "plan.safetensors").read_bytes()


def test_what_nothing_determines_is_named_in_one_message_and_nothing_is_written(damaged: Path, project: Path) -> None:
    for name in ("history.csv", "reference.safetensors", "checkpoint.safetensors", "drops.json"):
        flip_byte(damaged / name)
    before = {path.name: path.read_bytes() for path in damaged.iterdir()}

    finished, _ = resumed(damaged, project)

    assert finished.reason is FinishReason.FAILED
    assert sorted(Path(problem.where).name for problem in finished.problems) == [
        "checkpoint.safetensors", "history.csv", "reference.safetensors",
    ]  # fmt: skip
    assert all("restore it from a copy" in problem.remedy for problem in finished.problems)
    assert {path.name: path.read_bytes() for path in damaged.iterdir()} == before


def test_an_export_makes_damaged_files_again(damaged: Path, whole: Path, tmp_path: Path) -> None:
    for name in EXPORTED:
        flip_byte(damaged / name)
    (expected,) = write_export(whole, ("csv",), tmp_path / "one", name="a").files

    (written,) = write_export(damaged, ("csv",), tmp_path / "other", name="a").files

    assert written.read_bytes() == expected.read_bytes()
    assert [name for name in MADE_AGAIN if (damaged / name).read_bytes() != (whole / name).read_bytes()] == []


def test_an_export_without_the_project_lists_every_damaged_file(damaged: Path, tmp_path: Path) -> None:
    header = STORE.read(damaged)
    STORE.write(damaged, replace(header, project_folder=str(tmp_path / "gone")))
    for name in EXPORTED:
        cut(damaged / name)

    with pytest.raises(InputError) as refused:
        write_export(damaged, ("csv",), tmp_path / "out")

    where = [Path(problem.where).name for problem in refused.value.problems]
    assert where[:-1] == sorted(EXPORTED) and where[-1] == "gone"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", sorted({"history.csv", "schedule.csv", "elimination.csv", "plan.safetensors"}))
def test_an_export_does_without_the_files_that_it_does_not_read(damaged: Path, tmp_path: Path, name: str) -> None:
    cut(damaged / name)
    assert write_export(damaged, ("csv",), tmp_path / "out").files


def test_a_stopped_run_is_not_resumed_by_an_export(damaged: Path) -> None:
    STORE.write(damaged, replace(STORE.read(damaged), reason=FinishReason.STOPPED))
    flip_byte(damaged / "drops.json")
    with pytest.raises(InputError, match=r"drops\.json: does not hold what the run wrote"):
        write_export(damaged, ("csv",), damaged.parent / "out")


@pytest.mark.parametrize("after", ["weight = 2.0\n", "weight = 1.0 \n", "\n"])
def test_a_damaged_header_is_named_wherever_the_run_is_used(
    damaged: Path, project: Path, tmp_path: Path, after: str
) -> None:
    text = (damaged / RUN).read_text(encoding="utf-8")
    assert text.count("\nweight = 1.0\n") == 1
    (damaged / RUN).write_text(text.replace("weight = 1.0\n", after), encoding="utf-8")
    said = rf"{RUN}: does not hold what the run wrote: its checksum differs — restore the file or run again elsewhere"

    with pytest.raises(InputError, match=said):
        read_run(damaged)
    with pytest.raises(InputError, match=said):
        write_export(damaged, ("csv",), tmp_path / "out")
    finished, _ = resumed(damaged, project)
    assert finished.reason is FinishReason.FAILED and [Path(each.where).name for each in finished.problems] == [RUN]


def test_a_header_with_other_line_ends_is_whole(damaged: Path) -> None:
    before, path = STORE.read(damaged), damaged / RUN
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert STORE.read(damaged) == before


def test_a_run_of_an_earlier_version_opens_as_before(damaged: Path) -> None:
    forget_checksums(damaged)
    assert "[files]" not in (damaged / RUN).read_text() and "sha256" not in (damaged / RUN).read_text()
    history = damaged / "history.csv"
    text = history.read_text(encoding="utf-8")
    # Another last digit: still a number.
    at = max(place for place, letter in enumerate(text) if letter.isdigit())
    history.write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}", encoding="utf-8")
    assert damaged_files(damaged, STORE.read(damaged), FILES) == frozenset()
    assert run_content(damaged).rows


def test_checksums_are_gone_while_a_run_works(damaged: Path, project: Path) -> None:
    seen = []

    def look(event: RunEvent) -> None:
        if not isinstance(event, RunFinished):
            seen.append(STORE.read(damaged).files)

    spec = replace(spec_of(load_project(project), damaged, resume=True), project_folder=project)
    execute(spec, look, RunControl())

    assert None in seen and seen.index(None) < len(seen) - 2
    record = check_out(damaged, resume=True)
    assert record is not None and record.state is RunState.FINISHED and record.header.files
