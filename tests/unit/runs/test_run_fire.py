"""The fire of a replanned run is the same wherever the run is read: shown again, compared, exported, evaluated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import h5netcdf
import numpy as np
import pyogrio
import pytest
from pyproj import Transformer
from shapely import from_wkb, transform
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from firegui.domain.observation import FIXED, NO_DROPS, REPLANNED, FireRecord, FireState
from firegui.domain.project import Project
from firegui.domain.results import Frames, Metrics
from firegui.domain.settings import Effectiveness
from firegui.errors import InputError
from firegui.io.exporters import FORMATS
from firegui.io.exporters.areas import Kind
from firegui.io.project.store import load_project, save_project
from firegui.io.rasters.geotiff import read_raster
from firegui.runs.control import RunControl
from firegui.runs.events import BaselineReady, PlanUpdated, RunEvent
from firegui.runs.export import hand_over, run_content
from firegui.runs.fire_specs import run_spec
from firegui.runs.kept_fire import FIRE, read_kept_fire, saved_fire
from firegui.runs.replan_base import ReplanScores, read_scores
from firegui.runs.run_folder import PLAN, read_drops, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import EvaluateSpec
from firegui.runs.stages import EpochDone, FinishReason
from tests.support import GRID, STEPS_PER_DAY, csv_rows
from tests.unit.runs.fakes import end, problems_of
from tests.unit.runs.replan_scene import DAY, DAYS, carry_out, loop_spec, project_of, replan_spec

CELL_HA = GRID.cell_area_ha


@dataclass(frozen=True)
class Finished:
    """A replanned run that has ended, and what it showed."""

    folder: Path
    project: Project
    heard: list[RunEvent]

    @property
    def scores(self) -> ReplanScores:
        return read_scores(self.folder)

    @property
    def nominal(self) -> Metrics:
        nominal = self.scores.nominal
        assert nominal is not None
        return nominal

    @property
    def baseline(self) -> Metrics:
        baseline = self.scores.baseline
        assert baseline is not None
        return baseline

    @property
    def kept(self) -> FireRecord:
        kept = saved_fire(self.folder).kept
        assert kept is not None
        return kept

    def shown_again(self) -> list[RunEvent]:
        spec, saved = run_spec(self.folder, self.project, "cpu", replans=True)
        assert saved is not None and saved.kept is not None and not saved.is_lost
        return evaluated(spec)


@pytest.fixture(scope="module", params=["observed", "drawn"])
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    place = tmp_path_factory.mktemp(request.param)
    save_project(project_of(), place / "P.firegui")
    project = load_project(place / "P.firegui")
    make = replan_spec if request.param == "observed" else loop_spec
    spec = replace(make(place / "P.firegui" / "runs" / "a replan"), project=project)
    spec = replace(spec, project_folder=place / "P.firegui")
    heard = carry_out(spec)
    assert end(heard).reason is FinishReason.COMPLETED, end(heard).message
    return Finished(spec.out, project, heard)


def evaluated(spec: EvaluateSpec) -> list[RunEvent]:
    heard: list[RunEvent] = []
    execute(spec, heard.append, RunControl())
    assert end(heard).reason is FinishReason.COMPLETED, end(heard).message
    return heard


def pictures(heard: list[RunEvent]) -> tuple[BaselineReady, PlanUpdated]:
    first = next(event for event in heard if isinstance(event, BaselineReady))
    return first, [event for event in heard if isinstance(event, PlanUpdated)][-1]


def same_frames(one: Frames, other: Frames) -> bool:
    films = ((getattr(frames, name).whole() for name in ("fire", "burning", "retardant")) for frames in (one, other))
    return (one.stride, one.last_step) == (other.stride, other.last_step) and all(
        np.array_equal(left, right) for left, right in zip(*films, strict=True)
    )


def cells_of(levels: np.ndarray) -> float:
    return float(levels.sum()) / 255.0


# -- shown -------------------------------------------------------------------------------------------------------------
def test_a_run_that_is_shown_again_has_the_frames_and_numbers_that_it_had_when_it_ended(finished: Finished) -> None:
    (bare, plan), (bare_again, plan_again) = pictures(finished.heard), pictures(finished.shown_again())
    assert plan_again.metrics == plan.metrics == finished.nominal
    assert bare_again.metrics == bare.metrics == finished.baseline
    assert same_frames(plan_again.frames, plan.frames)
    assert same_frames(bare_again.frames, bare.frames)
    assert plan_again.drops == plan.drops == read_drops(finished.folder)


def test_the_frames_show_the_kept_states_and_end_with_the_result(finished: Finished) -> None:
    bare, plan = pictures(finished.shown_again())
    known, frames = finished.kept.plan, plan.frames
    for number, step in enumerate(known.steps_known(STEPS_PER_DAY)):
        state, index = known.state(number), frames.index_of_step(step)
        np.testing.assert_array_equal(frames.fire.picture(index), 255 * state.fire)
        np.testing.assert_array_equal(frames.burning.picture(index), 255 * state.burning)
    for shown in (bare, plan):
        last = shown.frames.fire.picture(len(shown.frames.fire) - 1)
        assert cells_of(last) == pytest.approx(shown.metrics.final_extent_cells, rel=0.01)
        assert len(shown.frames.fire) == DAYS * STEPS_PER_DAY // shown.frames.stride + 1


def test_the_fire_is_not_the_one_simulated_from_the_start(finished: Finished) -> None:
    spec, _ = run_spec(finished.folder, finished.project, "cpu", replans=False)
    _, simulated = pictures(evaluated(spec))
    assert simulated.metrics.final_extent_cells != pytest.approx(finished.nominal.final_extent_cells, rel=0.02)


@pytest.mark.parametrize("stride", [3, 4, 7])
def test_every_known_state_is_shown_whatever_the_stride(finished: Finished, stride: int) -> None:
    spec, _ = run_spec(finished.folder, finished.project, "cpu", replans=True)
    _, plan = pictures(evaluated(replace(spec, frame_stride=stride)))
    assert STEPS_PER_DAY % plan.frames.stride == 0 and plan.frames.stride <= stride
    assert plan.metrics == finished.nominal


def test_runs_that_are_compared_have_each_their_own_fire(finished: Finished) -> None:
    own, _ = run_spec(finished.folder, finished.project, "cpu", replans=True)
    other, _ = run_spec(finished.folder, finished.project, "cpu", replans=False)
    _, simulated = pictures(evaluated(other))
    first, plan = pictures(evaluated(replace(own, against=other.schedule)))
    assert (first.metrics, plan.metrics) == (simulated.metrics, finished.nominal)
    first, plan = pictures(evaluated(replace(other, against=own.schedule, against_fire=own.fire)))
    assert (first.metrics, plan.metrics) == (finished.nominal, simulated.metrics)


# -- kept --------------------------------------------------------------------------------------------------------------
def test_a_replanning_keeps_what_was_observed_and_how_it_was_read(tmp_path: Path) -> None:
    spec = replan_spec(tmp_path / "run")
    assert spec.observed is not None and spec.observed.earlier is not None
    carry_out(replace(spec, observed=replace(spec.observed, notes=("a note",))))
    saved = saved_fire(spec.out)
    assert saved.kept is not None and not saved.kept.is_drawn
    assert (saved.kept.plan.first, len(saved.kept.plan.codes), saved.kept.plan.seed) == (DAY, 1, None)
    state, seen = saved.kept.plan.state(0), FireState.between(spec.observed.earlier, spec.observed.fire)
    np.testing.assert_array_equal(state.codes, seen.codes)
    assert saved.header.replan is not None and saved.header.replan.notes == ("a note",)
    assert "20 cells burning, 16 burned out" in saved.note


def test_a_closed_loop_keeps_every_morning_of_every_branch(tmp_path: Path) -> None:
    spec = loop_spec(tmp_path / "run")
    carry_out(spec)
    kept, rows = saved_fire(spec.out).kept, read_scores(spec.out).loop
    assert kept is not None and kept.is_drawn
    names = {REPLANNED: "loop_cells", FIXED: "open_cells", NO_DROPS: "none_cells"}
    assert [fire.flown for fire in kept.fires] == list(names)
    for fire in kept.fires:
        assert (fire.world, fire.seed, fire.first, len(fire.codes)) == (
            "nominal", spec.project.plan.optimizer.seed, 0, DAYS + 1,
        )  # fmt: skip
        cells = [int(fire.state(row.day + 1).fire.sum()) for row in rows]
        assert cells == [getattr(row, names[fire.flown]) for row in rows]


def test_the_numbers_of_a_closed_loop_are_those_of_its_last_evening(tmp_path: Path) -> None:
    spec = loop_spec(tmp_path / "run")
    carry_out(spec)
    scores = read_scores(spec.out)
    assert scores.nominal is not None and scores.baseline is not None
    last = scores.loop[-1]
    assert scores.nominal.final_extent_cells == last.loop_cells
    assert scores.nominal.protected_cells == last.loop_protected
    assert scores.nominal.drops_executed == scores.drops_flown == sum(row.loop_drops for row in scores.loop)
    assert (scores.baseline.final_extent_cells, scores.baseline.protected_cells) == (
        last.none_cells, last.none_protected,
    )  # fmt: skip
    assert scores.baseline.drops_executed == 0
    cells = spec.project.scenario.grid.n_cells
    assert scores.nominal.loss_final == pytest.approx(last.loop_cells / cells)
    assert scores.nominal.loss_burn == pytest.approx(scores.nominal.occupancy_cell_days / DAYS / cells)


@pytest.mark.parametrize("after", [1, 2])
def test_a_loop_that_was_stopped_or_killed_ends_with_the_fires_of_an_unbroken_one(tmp_path: Path, after: int) -> None:
    carry_out(loop_spec(tmp_path / "unbroken"))
    seen: list[RunEvent] = []

    def stop(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, EpochDone):
            seen.append(event)
            if len(seen) == 6 * after:
                control.request_stop()

    broken = loop_spec(tmp_path / "broken")
    assert end(carry_out(broken, stop)).reason is FinishReason.STOPPED
    days = len(read_scores(broken.out).loop)
    kept = saved_fire(broken.out).kept
    assert kept is not None and len(kept.plan.codes) == days + 1
    # As if killed after the fire of a day was kept, and before the checkpoint.
    shutil.copy(tmp_path / "unbroken" / FIRE, broken.out / FIRE)
    assert end(carry_out(replace(broken, resume=True))).reason is FinishReason.COMPLETED
    for name in (FIRE, "occupancy.tif", "baseline.tif", "metrics.json", PLAN):
        assert (broken.out / name).read_bytes() == (tmp_path / "unbroken" / name).read_bytes(), name


def test_a_stopped_loop_is_shown_as_drawn_and_then_as_expected(tmp_path: Path) -> None:
    def stop(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, EpochDone):
            control.request_stop()

    spec = loop_spec(tmp_path / "run")
    carry_out(spec, stop)
    found, saved = run_spec(spec.out, spec.project, "cpu", replans=True)
    assert saved is not None and saved.kept is not None
    _, plan = pictures(evaluated(found))
    index = plan.frames.index_of_step(STEPS_PER_DAY)
    np.testing.assert_array_equal(plan.frames.fire.picture(index), 255 * saved.kept.plan.state(1).fire)
    last = plan.frames.fire.picture(len(plan.frames.fire) - 1)
    assert cells_of(last) == pytest.approx(plan.metrics.final_extent_cells, rel=0.01)


# -- exported ----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def exported(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of all formats but two of many pages, by the end of their names."""
    out = tmp_path_factory.mktemp("files")
    content = run_content(finished.folder)
    hand_over(content, [name for name in FORMATS if name not in ("pdf-days", "report")], out, "x")
    return {path.name: path for path in out.iterdir()}


def test_every_raster_that_is_exported_ends_with_the_result(finished: Finished, exported: dict[str, Path]) -> None:
    for metrics, name, prefix in (
        (finished.nominal, "x-occupancy.tif", ""),
        (finished.baseline, "x-baseline-occupancy.tif", "baseline_"),
    ):
        bands = read_raster(exported[name]).bands
        assert len(bands) == DAYS + 1 - finished.kept.plan.first
        np.testing.assert_array_equal(bands[0], finished.kept.plan.state(0).fire)
        assert float(bands[-1].sum()) == pytest.approx(metrics.final_extent_cells, rel=1e-5)
        with h5netcdf.File(exported["x.nc"], "r") as file:
            np.testing.assert_array_equal(file[f"{prefix}fire_probability"][:], bands)
            arrived = np.isfinite(file[f"{prefix}arrival_time"][:])
        np.testing.assert_array_equal(arrived, (bands >= 0.5).any(axis=0))


def test_every_table_and_layer_that_is_exported_has_the_drops_and_the_perimeter_of_the_result(
    finished: Finished, exported: dict[str, Path]
) -> None:
    flown = [drop for drop in read_drops(finished.folder) if drop.executed]
    assert len(flown) - _flown_before(finished) == finished.nominal.drops_executed
    rows = csv_rows(exported["x.csv"])
    assert sum(row["executed"] == "true" for row in rows) == len(flown)
    points = json.loads(exported["x.geojson"].read_text(encoding="utf-8"))["features"]
    assert sum(bool(point["properties"]["executed"]) for point in points) == len(flown)
    bands = read_raster(exported["x-occupancy.tif"]).bands
    expected_ha = float((bands[-1] >= 0.5).sum()) * CELL_HA
    features = json.loads(exported["x-areas.geojson"].read_text(encoding="utf-8"))["features"]
    planned = [shape(item["geometry"]) for item in features if item["properties"]["kind"] == Kind.PLANNED]
    meta, _, geometry, columns = pyogrio.raw.read(exported["x.gpkg"], layer="perimeters")
    kinds = columns[list(meta["fields"]).index("kind")]
    laid = [from_wkb(item) for item, kind in zip(geometry, kinds, strict=True) if kind == Kind.PLANNED]
    for found, crs in ((planned, "EPSG:4326"), (laid, meta["crs"])):
        assert len(found) == len(bands)
        assert _area_ha(found[-1], crs) == pytest.approx(expected_ha, rel=0.01)
    for name in ("x.kml", "x.gpx", "x-map.png", "x-map.svg", "x-map.pdf", "x-ics220.pdf", "x-areas.geojson"):
        assert exported[name].stat().st_size > 0


def test_the_rasters_of_the_run_folder_are_of_the_kept_fire(finished: Finished) -> None:
    first = finished.kept.plan.first
    for name, metrics in (("occupancy.tif", finished.nominal), ("baseline.tif", finished.baseline)):
        raster = read_raster(finished.folder / name)
        assert len(raster.bands) == DAYS - first
        assert float(raster.bands[-1].sum()) == pytest.approx(metrics.final_extent_cells, rel=1e-5)


def test_an_export_says_which_fire_it_has(finished: Finished, exported: dict[str, Path]) -> None:
    content, drawn = run_content(finished.folder), finished.kept.is_drawn
    notes = "\n".join(content.notes)
    assert ("was drawn for this run" if drawn else "observed at the start of 2020-08-21") in notes
    without = "without drops" if drawn else "without further drops"
    with h5netcdf.File(exported["x.nc"], "r") as file:
        assert without in file["baseline_fire_probability"].attrs["long_name"]
        assert notes in file.attrs["comment"]
    assert without in exported["x-areas.geojson"].read_text(encoding="utf-8")
    assert ("further" in exported["x-map.svg"].read_text(encoding="utf-8")) is not drawn


def _area_ha(geometry: BaseGeometry, crs: str) -> float:
    project = Transformer.from_crs(crs, GRID.crs, always_xy=True).transform
    return float(transform(geometry, lambda points: np.column_stack(project(*points.T))).area) / 10_000.0


def _flown_before(finished: Finished) -> int:
    return 0 if finished.kept.is_drawn else finished.scores.drops_flown


# -- damaged and old ---------------------------------------------------------------------------------------------------
def _cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def _changed(path: Path) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name].copy() for name in archive.files}
    arrays["burned_0"][0, 0] ^= 255
    np.savez_compressed(path, **arrays)


def _other_grid(path: Path) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name].copy() for name in archive.files}
    arrays["about"] = np.array(str(arrays["about"]).replace("[16,20]", "[20,16]"))
    np.savez_compressed(path, **arrays)


@pytest.mark.parametrize(
    ("damage", "said"),
    [(_cut_short, "cut short or damaged"), (_changed, "sha256"), (_other_grid, "20 × 16 cells, and the run 16 × 20")],
)
def test_a_kept_fire_that_is_damaged_or_of_another_grid_is_one_message(
    finished: Finished, tmp_path: Path, damage: Callable[[Path], None], said: str
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished.folder, folder)
    damage(folder / FIRE)
    for read in (
        lambda: saved_fire(folder),
        lambda: run_spec(folder, finished.project, "cpu", replans=True),
        lambda: run_content(folder),
    ):
        with pytest.raises(InputError) as caught:
            read()
        assert len(caught.value.problems) == 1
        assert said in str(caught.value)


def test_the_fire_of_another_run_is_not_taken_for_this_ones(finished: Finished, tmp_path: Path) -> None:
    if finished.kept.is_drawn:
        pytest.skip("a drawn fire is not planned from one state")
    header = read_run(finished.folder).header
    assert header.replan is not None
    with pytest.raises(InputError, match="not the fire that the run was planned from"):
        read_kept_fire(finished.folder, replace(header, replan=replace(header.replan, fire="0" * 64)))


def test_a_fire_is_not_shown_on_a_project_of_another_grid(finished: Finished) -> None:
    spec, _ = run_spec(finished.folder, finished.project, "cpu", replans=True)
    assert spec.fire is not None
    fires = tuple(replace(fire, codes=fire.codes[:, :5, :5]) for fire in spec.fire.fires)
    heard: list[RunEvent] = []
    execute(replace(spec, fire=FireRecord(fires)), heard.append, RunControl())
    assert "has 5 × 5 cells, the project 16 × 20" in problems_of(heard)


def test_a_run_from_before_the_fire_was_kept_still_opens_and_says_so(finished: Finished, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished.folder, folder)
    (folder / FIRE).unlink()
    spec, saved = run_spec(folder, finished.project, "cpu", replans=True)
    assert saved is not None and saved.is_lost and spec.fire is None
    assert "before the" in saved.note and "fire was kept" in saved.note
    pictures(evaluated(spec))
    assert saved.note in run_content(folder).notes


def test_a_plain_run_has_nothing_to_say_of_its_fire(finished: Finished) -> None:
    header = replace(read_run(finished.folder).header, replan=None)
    assert read_kept_fire(finished.folder, header) is None


def test_another_effectiveness_is_evaluated_from_the_observed_fire_on(finished: Finished) -> None:
    if finished.kept.is_drawn:
        pytest.skip("what was drawn does not change")
    plan = replace(finished.project.plan, nominal=Effectiveness(0.1, 0.1))
    spec, _ = run_spec(finished.folder, replace(finished.project, plan=plan), "cpu", replans=True)
    _, weaker = pictures(evaluated(spec))
    assert weaker.metrics.final_extent_cells > finished.nominal.final_extent_cells
