"""The formats as a whole: which there are, what files are called, all or none."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from filelock import FileLock

from firegui.domain.grid import Grid
from firegui.errors import CancelledError, InputError
from firegui.io import exporters
from firegui.io.exporters import FORMATS, PROPOSAL_FORMATS, camel, checked_formats, export, file_names, refusals
from firegui.io.exporters.content import ExportContent, Sheet, WrittenDrops
from firegui.io.exporters.table import NOTICE
from tests.support import DATA_FORMATS, StopAt
from tests.unit.io.builders import UNPLACED, assert_each_said, files_below, project, refused_for
from tests.unit.io.exporters.plans import plan

PLACES = ("geojson", "geojson-areas", "kml", "kmz", "gpx", "gpkg")


def test_every_product_says_that_it_is_planned_model_output(tmp_path: Path) -> None:
    assert NOTICE == "PLANNED – MODEL OUTPUT, not for operational use without review"
    packed = ("kmz", "png", "svg", "pdf", "pdf-days", "ics220", "orders")
    for path in export(plan(), [name for name in FORMATS if name not in packed], tmp_path):
        assert NOTICE.encode() in path.read_bytes() or path.suffix == ".tif", path.name


def test_files_are_named_after_the_stem_and_returned_in_order(tmp_path: Path) -> None:
    paths = export(plan(), ["geojson", "CSV", "csv", "geojson-areas"], tmp_path / "a" / "b", "plan")
    assert [path.name for path in paths] == ["plan.geojson", "plan.csv", "plan-areas.geojson"]
    assert files_below(tmp_path / "a" / "b") == {"plan.csv", "plan.geojson", "plan-areas.geojson"}


def test_without_a_stem_files_are_named_as_the_standard_for_geospatial_operations_has_it() -> None:
    content = plan(made=datetime(2020, 8, 20, 5, 30, tzinfo=UTC))
    content = replace(content, sheet=Sheet(incident_number="CA-PNF-001308"))
    assert file_names(content, ["csv", "geotiff", "pdf"]) == [
        "20200819_2230_TestFire_CAPNF_001308_FirstPlan_drops.csv",
        "20200819_2230_TestFire_CAPNF_001308_FirstPlan_occupancy.tif",
        "20200819_2230_TestFire_CAPNF_001308_FirstPlan_arrival.tif",
        "20200819_2230_TestFire_CAPNF_001308_FirstPlan_baselineOccupancy.tif",
        "20200819_2230_TestFire_CAPNF_001308_FirstPlan_baselineArrival.tif",
        "airops_letter_land_20200819_2230_TestFire_CAPNF_001308_FirstPlan_map.pdf",
    ]


@pytest.mark.parametrize(
    ("text", "name"), [("bear 2020, north", "Bear2020North"), ("  ", ""), ("Žižkov/../x", "ZizkovX"), ("火", "")]
)
def test_words_are_joined_without_spaces_dots_and_accents(text: str, name: str) -> None:
    assert camel(text) == name


def test_names_of_two_formats_never_meet() -> None:
    for stem in (None, "plan"):
        names = file_names(plan(), list(FORMATS), stem)
        assert len(set(names)) == len(names)


def test_a_schedule_without_drops_is_exported(tmp_path: Path) -> None:
    for path in export(plan(drops=[]), DATA_FORMATS, tmp_path / "Übergabe an die Luft", "plan ü"):
        assert path.exists()


def test_every_format_that_does_not_work_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    content = plan(UNPLACED, plan=None)
    with refused_for("format doc: is not known", "format xls") as caught:
        export(content, ["csv", "doc", "geojson", "xls"], tmp_path, "plan")
    with pytest.raises(InputError) as caught:
        export(content, ["csv", *PLACES, "geotiff", "netcdf"], tmp_path, "plan")
    said = [problem.where for problem in caught.value.problems]
    assert said == [f"format {name}" for name in (*PLACES, "geotiff", "netcdf")]
    assert_each_said(caught.value, ["KML needs a georeferenced grid", "NetCDF needs the fire"])
    assert files_below(tmp_path) == set()
    with pytest.raises(InputError, match="none was given"):
        export(content, [], tmp_path, "plan")


def test_refusals_say_beforehand_what_an_export_would_refuse() -> None:
    content = plan(UNPLACED, plan=None)
    assert set(refusals(content)) >= {*PLACES, "geotiff", "netcdf"}
    for name in FORMATS:
        if name in refusals(content):
            with pytest.raises(InputError):
                checked_formats(content, [name])
        else:
            assert checked_formats(content, [name]) == [name]
    assert refusals(plan()) == {}


def test_a_grid_in_an_unknown_crs_has_no_place() -> None:
    nowhere = Grid(6, 8, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 0.0), "nonsense")
    assert set(refusals(plan(nowhere))) == set(PLACES)


def test_a_folder_that_cannot_be_made_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"):
        export(plan(), ["csv"], tmp_path / "file" / "sub", "plan")


def test_a_folder_in_the_way_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.kml").mkdir()
    with pytest.raises(InputError, match=r"plan\.kml: is a folder"):
        export(plan(), ["csv", "kml"], tmp_path, "plan")
    assert files_below(tmp_path) == {"plan.kml"}


def failing(error: BaseException) -> Callable[[Path, ExportContent, object], None]:
    def write(path: Path, content: ExportContent, check: object) -> None:
        path.write_text("half")
        raise error

    return write


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), CancelledError(), KeyboardInterrupt()])
def test_when_a_later_file_fails_the_earlier_ones_do_not_appear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    broken = replace(FORMATS["kml"], products=(replace(FORMATS["kml"].products[0], write=failing(error)),))
    monkeypatch.setattr(exporters, "FORMATS", {**FORMATS, "kml": broken})
    there = tmp_path / "there"
    there.mkdir()
    (there / "plan.csv").write_text("old")
    for folder in (there, tmp_path / "new" / "deep"):
        with pytest.raises(InputError if isinstance(error, OSError) else type(error)):
            export(plan(), ["csv", "gpx", "kml"], folder, "plan")
    assert files_below(tmp_path) == {"there", "there/plan.csv"}
    assert (there / "plan.csv").read_text() == "old"


def test_when_a_file_cannot_be_moved_to_its_place_the_old_ones_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("plan.csv", "plan.gpx"):
        (tmp_path / name).write_text("old")
    move = os.replace

    def stuck(source: Path, target: Path) -> None:
        if Path(target) == tmp_path / "plan.kml":
            raise OSError(13, "Permission denied")
        move(source, target)

    monkeypatch.setattr(os, "replace", stuck)
    with pytest.raises(InputError, match="Permission denied"):
        export(plan(), ["csv", "gpx", "kml"], tmp_path, "plan")
    assert files_below(tmp_path) == {"plan.csv", "plan.gpx"}
    assert all((tmp_path / name).read_text() == "old" for name in ("plan.csv", "plan.gpx"))


def test_an_export_can_be_cancelled_between_files(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        export(plan(), DATA_FORMATS, tmp_path / "out", "plan", StopAt(3))
    assert files_below(tmp_path) == set()


def test_the_same_plan_gives_the_same_data(tmp_path: Path) -> None:
    one, other = (export(plan(project=project()), DATA_FORMATS, tmp_path / name, "plan") for name in ("one", "other"))
    assert [a.name for a, b in zip(one, other, strict=True) if a.read_bytes() != b.read_bytes()] == []


def test_proposals_are_written_by_the_formats_that_say_so(tmp_path: Path) -> None:
    content, written = plan(), {}
    for drops in WrittenDrops:
        export(content.only(drops), DATA_FORMATS, tmp_path / drops, "plan")
        written[drops] = {name: file_bytes(content, name, tmp_path / drops) for name in DATA_FORMATS}
    differing = {name for name in DATA_FORMATS if written[WrittenDrops.ALL][name] != written[WrittenDrops.FLOWN][name]}
    assert differing == set(PROPOSAL_FORMATS) & set(DATA_FORMATS)


def file_bytes(content: ExportContent, name: str, folder: Path) -> list[bytes]:
    """Return the contents of the files of a format."""
    return [(folder / file).read_bytes() for file in file_names(content, [name], "plan")]


def test_what_a_killed_export_left_is_removed_and_a_moved_file_put_back(tmp_path: Path) -> None:
    dead, working = tmp_path / ".export-dead", tmp_path / ".export-working"
    for hidden in (dead, working):
        (hidden / "old").mkdir(parents=True)
        (hidden / "old" / "plan.gpx").write_text(hidden.name)
        (hidden / "at-work").touch()
    (dead / "old" / "plan.csv").write_text("older than the one in its place")
    (tmp_path / ".export-link").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / ".export-begun").mkdir()
    with FileLock(working / "at-work"):
        export(plan(), ["csv"], tmp_path, "plan")
    assert (tmp_path / "plan.gpx").read_text() == ".export-dead"
    assert (tmp_path / "plan.csv").read_text().startswith("drop,date_local,")
    kept = {".export-working", ".export-link", ".export-begun", "plan.csv", "plan.gpx"}
    assert {entry.name for entry in tmp_path.iterdir()} == kept


def test_an_old_folder_of_a_killed_export_without_a_mark_is_removed(tmp_path: Path) -> None:
    hidden = tmp_path / ".export-dead"
    (hidden / "new").mkdir(parents=True)
    os.utime(hidden, (0, 0))
    export(plan(), ["csv"], tmp_path, "plan")
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.csv"]
