from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.analyses.uncertainty.export import available_parts, part_names
from firegui.analyses.uncertainty.results import FIGURES, MEAN_BASELINE, MEMBERS, STATE, VARIOGRAM, read_header
from firegui.domain.ensemble import Ensemble
from firegui.domain.project import Project
from firegui.domain.uncertainty import UncertaintyKind, UncertaintySettings
from firegui.io.rasters.geotiff import read_raster
from firegui.runs.control import RunControl
from firegui.runs.spec import EnsembleExportSpec, EnsemblePart
from firegui.runs.stages import FinishReason
from tests.support import assert_same_files
from tests.unit.analyses.test_uncertainty import uq_spec
from tests.unit.runs.fakes import FakeEngine, carried_out, end

PART = EnsemblePart
FITTED = UncertaintySettings(UncertaintyKind.EPISTEMIC, members=3)


class Draughtsman(FakeEngine):
    """Draws every figure as a word; ``during_drawing`` is called before."""

    def draw_ensemble(self, ensemble: Ensemble, project: Project, folder: Path) -> list[Path]:
        self.during_epoch(ensemble.members)
        for name in FIGURES:
            (folder / name).write_text(f"{ensemble.members} of {project.scenario.name}")
        return []


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """An ensemble of three members whose error model was fitted, with a plan."""
    carried_out(uq_spec(tmp_path / "ensemble", settings=FITTED))
    return tmp_path / "ensemble"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_part_is_written_under_the_names_that_were_said_before(made: Path, tmp_path: Path) -> None:
    out, header = tmp_path / "deep" / "out", read_header(made)
    assert available_parts(made) == tuple(PART)
    finished = end(carried_out(EnsembleExportSpec(made, out, tuple(PART)), Draughtsman()))
    assert (finished.reason, finished.folder) == (FinishReason.COMPLETED, out)
    assert names(out) == {name for part in PART for name in part_names(part, header)}
    assert all(name in finished.message for name in names(out)) and f"{len(names(out))} files" in finished.message
    assert (out / "fan.svg").read_text() == f"3 of {header.project.name}"
    assert_same_files(out, made, MEMBERS, MEAN_BASELINE, VARIOGRAM)


def test_what_is_written_is_of_the_members_that_are_saved_even_after_a_stop(tmp_path: Path) -> None:
    folder, out, control = tmp_path / "run", tmp_path / "out", RunControl()
    carried_out(uq_spec(folder))
    more = replace(uq_spec(folder).settings, members=12)
    stop = FakeEngine(during_member=lambda number: control.request_stop() if number == 10 else None)
    carried_out(uq_spec(folder, settings=more, resume=True), stop, control)
    kept = (folder / MEAN_BASELINE).read_bytes()
    carried_out(EnsembleExportSpec(folder, out, (PART.TABLES, PART.MAPS)), Draughtsman())
    assert len((out / MEMBERS).read_text().splitlines()) == 1 + 10
    assert read_raster(out / MEAN_BASELINE).bands.shape == (3, 16, 20)
    assert (folder / MEAN_BASELINE).read_bytes() == kept, "the ensemble's own files stay as they are"


def test_without_a_plan_or_a_fit_there_is_less_to_write(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run", schedule=None))
    assert PART.ERROR_MODEL not in available_parts(tmp_path / "run")
    assert part_names(PART.MAPS, read_header(tmp_path / "run")) == (MEAN_BASELINE,)
    carried_out(EnsembleExportSpec(tmp_path / "run", tmp_path / "out", (PART.MAPS,)))
    assert names(tmp_path / "out") == {MEAN_BASELINE}


def test_files_of_others_stay_and_those_of_the_same_name_are_replaced(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    (out / MEMBERS).write_text("old")
    carried_out(EnsembleExportSpec(made, out, (PART.TABLES,)))
    assert (out / "mine.txt").read_text() == "mine"
    assert (out / MEMBERS).read_text().startswith("member,")


def test_everything_wrong_is_listed_and_nothing_written(made: Path, tmp_path: Path) -> None:
    (made / STATE).unlink()
    (made / VARIOGRAM).unlink()
    finished = end(carried_out(EnsembleExportSpec(made, made, (PART.ERROR_MODEL,))))
    texts = " ".join(map(str, finished.problems))
    for text in ("own folder", STATE, "error model: is not in the ensemble's folder"):
        assert text in texts
    (tmp_path / "file").write_text("")
    nothing = end(carried_out(EnsembleExportSpec(made, tmp_path / "file" / "out", ())))
    texts = " ".join(map(str, nothing.problems))
    assert "none is chosen" in texts and "is a file" in texts


@pytest.mark.parametrize("there", [True, False])
def test_a_failure_or_a_stop_half_way_leaves_the_folder_as_it_was(made: Path, tmp_path: Path, there: bool) -> None:
    out, control = tmp_path / "out", RunControl()
    if there:
        out.mkdir()
        (out / MEMBERS).write_text("old")

    def fail(_members: int) -> None:
        raise OSError(28, "No space left on device")

    failed = end(carried_out(EnsembleExportSpec(made, out, tuple(PART)), Draughtsman(during_epoch=fail)))
    assert failed.reason is FinishReason.FAILED and "No space left" in failed.message
    stop = Draughtsman(during_epoch=lambda _members: control.request_stop())
    stopped = end(carried_out(EnsembleExportSpec(made, out, tuple(PART)), stop, control))
    assert stopped.reason is FinishReason.STOPPED
    assert out.exists() is there
    if there:
        assert names(out) == {MEMBERS} and (out / MEMBERS).read_text() == "old"
