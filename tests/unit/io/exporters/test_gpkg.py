from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as XML

import numpy as np
import pyogrio
import pytest
import shapely

from firegui.domain.barriers import Barrier, BarrierKind
from firegui.domain.bases import Base, BaseKind
from firegui.domain.operations import Operations
from firegui.domain.regions import Region
from firegui.io.exporters import export
from firegui.io.exporters.gpkg import LAYERS
from firegui.io.exporters.table import NOTICE
from tests.unit.io.builders import drop, project
from tests.unit.io.exporters.plans import plan

ZONE = Region("creek", ((((0.0, 0.0), (0.0, 2.0), (2.0, 0.0)),),))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    base = Base("Chester", BaseKind.RELOAD, -40.0, 3.0, serves=("S-2T",))
    barriers = (
        Barrier("Div A", BarrierKind.DOZER, (((0.0, 0.0), (2.0, 2.0)),)),
        Barrier("Burn", BarrierKind.BURNED_OUT, areas=ZONE.parts),
    )
    whole = replace(project(), operations=Operations(no_drop_zones=(ZONE,), bases=(base,)), barriers=barriers)
    (path,) = export(plan(project=whole), ["gpkg"], tmp_path, "plan")
    return path


def table(path: Path, layer: str) -> dict[str, list[object]]:
    meta, _, shapes, fields = pyogrio.raw.read(path, layer=layer)
    return {name: list(values) for name, values in zip(meta["fields"], fields, strict=True)} | {"shape": list(shapes)}


def test_every_layer_is_there_in_wgs84_and_says_what_it_is(package: Path) -> None:
    layers = [name for name, kind in pyogrio.list_layers(package) if kind is not None]
    assert layers == [
        "drops", "footprints", "protected_regions", "no_drop_zones", "perimeters", "barrier_lines", "barrier_areas",
        "bases",
    ]  # fmt: skip
    for layer in layers:
        info = pyogrio.read_info(package, layer=layer)
        assert info["crs"] == "EPSG:4326" and NOTICE in info["layer_metadata"]["DESCRIPTION"]
        assert info["dataset_metadata"]["NOTICE"] == NOTICE and info["dataset_metadata"]["RUN"] == "first plan"
        assert set(table(package, layer)["notice"]) == {NOTICE}


def test_drops_keep_their_attributes_and_their_types(package: Path) -> None:
    drops = table(package, "drops")
    assert drops["aircraft"] == ["S-2T-2", "CL-415-1", "S-2T-1"] and drops["executed"] == [True, True, False]
    assert drops["theta"][0] == 2 / 3
    assert drops["time"][0] == np.datetime64("2020-08-20T16:36:00.000")
    footprints = table(package, "footprints")
    assert footprints["name"] == ["S-2T-2", "CL-415-1"]
    assert np.array_equal(np.asarray(footprints["plan_day"]), np.asarray(footprints["day"]) + 1)
    assert footprints["end"][0] == np.datetime64("2020-08-21T07:00:00.000")


def test_what_nobody_knows_is_null_in_a_column_of_its_type(package: Path) -> None:
    with closing(sqlite3.connect(package)) as base:
        kinds = {name: kind for _, name, kind, *_ in base.execute("PRAGMA table_info(drops)")}
        assert kinds["near_water"] == "BOOLEAN" and kinds["declination"] == "REAL" and kinds["time"] == "DATETIME"
        assert base.execute("SELECT count(*) FROM drops WHERE near_water IS NULL").fetchone() == (3,)


def test_qgis_finds_a_default_style_for_every_layer(package: Path) -> None:
    with closing(sqlite3.connect(package)) as base:
        rows = base.execute(
            "SELECT s.f_table_name, s.f_geometry_column, s.useAsDefault, s.f_table_schema, s.styleQML "
            "FROM layer_styles s JOIN gpkg_geometry_columns g "
            "ON g.table_name = s.f_table_name AND g.column_name = s.f_geometry_column"
        ).fetchall()
        contents = dict(base.execute("SELECT table_name, data_type FROM gpkg_contents"))
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert {name for name, *_ in rows} == set(LAYERS)
    assert contents["layer_styles"] == "attributes"
    for name, column, default, schema, style in rows:
        assert (column, default, schema) == ("geom", 1, "")
        renderer = XML.fromstring(style.partition("\n")[2]).find("renderer-v2")
        assert renderer is not None
        named = {category.get("symbol") for category in renderer.iter("category")}
        assert named == {symbol.get("name") for symbol in renderer.iter("symbol")}, name


def test_styles_name_the_values_that_the_layers_hold(package: Path) -> None:
    for layer, column in (
        ("perimeters", "kind"),
        ("footprints", "material"),
        ("no_drop_zones", "kind"),
        ("bases", "kind"),
        ("barrier_lines", "barrier_kind"),
        ("barrier_areas", "barrier_kind"),
    ):
        style = XML.fromstring(LAYERS[layer].partition("\n")[2])
        assert set(table(package, layer)[column]) <= {category.get("value") for category in style.iter("category")}


def test_the_same_plan_gives_the_same_file(tmp_path: Path) -> None:
    one, other = (export(plan(), ["gpkg"], tmp_path / name, "plan")[0] for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_a_plan_without_drops_is_written(tmp_path: Path) -> None:
    (path,) = export(plan(drops=[]), ["gpkg"], tmp_path, "plan")
    layers = [name for name, kind in pyogrio.list_layers(path) if kind is not None]
    assert layers == ["drops", "protected_regions", "perimeters"] and table(path, "drops")["shape"] == []


def test_a_drop_without_a_longitude_has_no_geometry(tmp_path: Path) -> None:
    content = plan(drops=[drop(1, 1), drop(2, 0, executed=False)])
    content = replace(content, rows=(content.rows[0], replace(content.rows[1], lonlat=None)))
    (path,) = export(content, ["gpkg"], tmp_path, "plan")
    shapes = table(path, "drops")["shape"]
    assert shapely.from_wkb(shapes[0]) is not None and shapes[1] is None


def test_a_name_that_begins_as_a_formula_is_marked_as_text(tmp_path: Path) -> None:
    zone = replace(ZONE, name="=HYPERLINK(1)")
    (path,) = export(
        plan(project=replace(project(), operations=Operations(no_drop_zones=(zone,)))), ["gpkg"], tmp_path, "p"
    )
    assert table(path, "no_drop_zones")["name"] == ["'=HYPERLINK(1)"]
