"""Files that would make their reader open another file or a connection are refused, and the listener hears nothing."""

from __future__ import annotations

import ctypes
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import date
from pathlib import Path

import h5py
import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from rasterio import Affine
from rasterio.enums import Resampling

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem, Problems
from firegui.io import crs
from firegui.io.importers.base_map import draw_base_map, open_base_map
from firegui.io.importers.events_file import read_file
from firegui.io.project.store import load_project
from firegui.io.rasters.files import read_box, read_header
from firegui.io.rasters.geotiff import read_raster
from firegui.io.rasters.masks import band_dates, read_masks
from firegui.io.safe_open import UnsafeFileError, check_crs, processes
from firegui.io.vectors.files import layer_names, may_hold_points, read_features
from firegui.io.vectors.perimeters import read_outline
from firegui.io.vectors.water import read_water
from firegui.io.weather.netcdf_file import read_netcdf
from firegui.io.weather.wind import WindSource, survey_wind
from tests.support import tiny_project
from tests.unit.io import reader_faults
from tests.unit.io.listener import Listener, listening

_IN_OPEN = 0x20
GRID = Grid(40, 60, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_000_000.0), "EPSG:32610")


PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    with listening() as found:
        yield found


# -- the files ---------------------------------------------------------------------------------------------------------
def vrt(url: str) -> str:
    return (
        '<VRTDataset rasterXSize="60" rasterYSize="40"><SRS>EPSG:32610</SRS>'
        "<GeoTransform>500000, 30, 0, 4000000, 0, -30</GeoTransform>"
        '<VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>/vsicurl/{url}/a.tif</SourceFilename><SourceBand>1</SourceBand>"
        "</SimpleSource></VRTRasterBand></VRTDataset>"
    )


def wms(url: str) -> str:
    return (
        f'<GDAL_WMS><Service name="TMS"><ServerUrl>{url}/${{z}}/${{x}}/${{y}}.png</ServerUrl></Service><DataWindow>'
        "<UpperLeftX>500000</UpperLeftX><UpperLeftY>4000000</UpperLeftY><LowerRightX>501800</LowerRightX>"
        "<LowerRightY>3998800</LowerRightY><SizeX>60</SizeX><SizeY>40</SizeY><TileLevel>1</TileLevel></DataWindow>"
        "<Projection>EPSG:32610</Projection><BandsCount>3</BandsCount></GDAL_WMS>"
    )


def ogr_vrt(url: str) -> str:
    source = f"<SrcDataSource>/vsicurl/{url}/a.geojson</SrcDataSource>"
    return f'<OGRVRTDataSource><OGRVRTLayer name="a">{source}</OGRVRTLayer></OGRVRTDataSource>'


def ogr_vrt_as_kml(url: str) -> str:
    return f"<!-- <kml -->{ogr_vrt(url)}"


def kml_with_ogr_vrt(url: str) -> str:
    return f"<kml><!-- {ogr_vrt(url)} --></kml>"


def gdalg(url: str) -> str:
    return f'{{"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read /vsicurl/{url}/a.geojson"}}'


TEXTS = (vrt, wms, ogr_vrt, ogr_vrt_as_kml, kml_with_ogr_vrt, gdalg)


def write_geopackage(path: Path, sql: str) -> None:
    shape = shapely.to_wkb(np.array([shapely.box(500_000, 3_999_000, 501_000, 4_000_000)], object))
    pyogrio.raw.write(path, shape, [], [], driver="GPKG", geometry_type="Polygon", crs="EPSG:32610", layer="areas")
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA writable_schema = 1")
        base.execute("INSERT INTO sqlite_master VALUES ('table', 'far', 'far', 0, ?)", (sql,))
        base.execute("INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('far', 'attributes', 0)")


def write_tif(path: Path, driver: str = "GTiff", **overviews: str) -> Path:
    with rasterio.open(
        path, "w", driver=driver, width=60, height=40, count=1, dtype="uint8", crs=GRID.crs,
        transform=Affine(*(GRID.transform or ())),
    ) as file:  # fmt: skip
        file.write(np.ones((1, 40, 60), np.uint8))
        if overviews:
            file.update_tags(ns="OVERVIEWS", **overviews)
    return path


# -- the places --------------------------------------------------------------------------------------------------------
def as_header(path: Path) -> None:
    problems = Problems()
    header = read_header(path, path.name, problems)
    if header is not None:
        read_box(header, 1, (0, 10, 0, 10), path.name, problems)
    problems.raise_if_any()


def as_mask(path: Path) -> None:
    problems = Problems()
    band_dates(path, problems)
    read_masks(path, GRID, problems)
    problems.raise_if_any()


def as_base_map(path: Path) -> None:
    draw_base_map(open_base_map(path, GRID), GRID, (0.0, 0.0, 40.0, 60.0), (80, 120))


def as_features(path: Path) -> None:
    problems = Problems()
    may_hold_points(path)
    for name in layer_names(path, problems):
        read_features(path, name, problems)
    problems.raise_if_any()


def as_wind(path: Path) -> None:
    problems = Problems()
    problems.extend(survey_wind(WindSource(files=(path,))).problems)
    problems.raise_if_any()


def as_netcdf(path: Path) -> None:
    problems = Problems()
    for variable in (read_netcdf(path, problems) or {}).values():
        variable.raw()
    problems.raise_if_any()


def as_events(path: Path) -> None:
    problems = Problems()
    read_file(path, problems)
    problems.raise_if_any()


PLACES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "layer of a project, raster of a run": ("a.tif", read_raster),
    "imported raster": ("a.tif", as_header),
    "perimeters": ("a.tif", as_mask),
    "perimeters, vector": ("a.kml", as_features),
    "perimeter, GeoJSON": ("a.geojson", as_features),
    "perimeter, GeoPackage": ("a.gpkg", as_features),
    "outline": ("a.kml", lambda path: read_outline(path, GRID, date(2020, 8, 1))),
    "water raster": ("a.tif", lambda path: read_water(path, GRID)),
    "water description": ("a.vrt", lambda path: read_water(path, GRID)),
    "water vector": ("a.kml", lambda path: read_water(path, GRID)),
    "base map raster": ("a.tif", as_base_map),
    "base map vector": ("a.kml", as_base_map),
    "wind raster": ("a.tif", as_wind),
    "wind": ("a.nc", as_wind),
    "NetCDF": ("a.nc", as_netcdf),
    "events": ("a.hdf5", as_events),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: str(text.__name__))
def test_a_description_of_other_data_is_refused_unopened(
    tmp_path: Path, listener: Listener, place: str, text: Callable[[str], str]
) -> None:
    name, read = PLACES[place]
    (tmp_path / name).write_text(text(listener.url), encoding="utf-8")

    with pytest.raises(InputError):
        read(tmp_path / name)

    assert listener.requests == []


@pytest.mark.parametrize("place", ["perimeter, GeoPackage", "water vector", "base map vector", "outline"])
@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIRTUAL TABLE far USING VirtualOGR('/vsicurl/{}/a.geojson')",
        "CREATE/**/VIRTUAL TABLE far USING VirtualOGR('/vsicurl/{}/a.geojson')",
        "CREATE VIRTUAL TABLE far USING VirtualOGR('/vsicurl/{}/a.geojson', ' USING rtree(')",
    ],
)
def test_a_geopackage_with_a_virtual_table_is_refused(tmp_path: Path, listener: Listener, place: str, sql: str) -> None:
    path = tmp_path / "a.gpkg"
    write_geopackage(path, sql.format(listener.url))

    with pytest.raises(InputError, match="reaches into other files"):
        PLACES[place][1](path)

    assert listener.requests == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes of a name")
def test_a_pipe_beside_a_raster_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "elevation.tif"
    write_tif(path)
    os.mkfifo(tmp_path / "elevation.prj")
    with pytest.raises(InputError, match=r"elevation\.prj beside it is not a file"):
        read_raster(path)


@pytest.mark.parametrize("place", [name for name, (file, _) in PLACES.items() if file == "a.tif"])
@pytest.mark.parametrize("beside", ["overview in the file", "overview beside it", "mask beside it"])
def test_overviews_and_masks_elsewhere_are_refused(tmp_path: Path, listener: Listener, place: str, beside: str) -> None:
    path = tmp_path / "a.tif"
    if beside == "overview in the file":
        write_tif(path, OVERVIEW_FILE=f"/vsicurl/{listener.url}/a.tif")
    else:
        suffix = "ovr" if beside == "overview beside it" else "msk"
        write_tif(path).with_name(f"a.tif.{suffix}").write_text(vrt(listener.url), encoding="utf-8")

    with pytest.raises(InputError):
        PLACES[place][1](path)

    assert listener.requests == []


@pytest.mark.parametrize(
    ("beside", "text"),
    [
        ("a.tif.aux.xml", '<PAMDataset><Metadata><MDI key="OVERVIEW_FILE">{}</MDI></Metadata></PAMDataset>'),
        ("a.aux", "EHFA_HEADER_TAG ExternalRasterDMS {}"),
    ],
)  # fmt: skip
def test_a_side_file_that_names_another_file_is_refused(
    tmp_path: Path, listener: Listener, beside: str, text: str
) -> None:
    path = write_tif(tmp_path / "a.tif")
    (tmp_path / beside).write_text(text.format(f"/vsicurl/{listener.url}/a.tif"), encoding="utf-8")

    with pytest.raises(InputError, match="reaches into other files"):
        as_header(path)

    assert listener.requests == []


def test_a_side_file_of_statistics_is_taken(tmp_path: Path) -> None:
    path = write_tif(tmp_path / "a.tif")
    text = '<PAMDataset><PAMRasterBand band="1"><Description>slope</Description></PAMRasterBand></PAMDataset>'
    (tmp_path / "a.tif.aux.xml").write_text(text, encoding="utf-8")
    problems = Problems()

    header = read_header(path, path.name, problems)

    assert header is not None and header.bands[0].name == "slope"


def test_an_erdas_image_with_its_cells_elsewhere_is_refused(tmp_path: Path) -> None:
    path = write_tif(tmp_path / "a.img", "HFA")
    as_header(path)
    with path.open("ab") as file:
        file.write(b"ExternalRasterDMS")

    with pytest.raises(InputError, match="cells elsewhere"):
        as_header(path)


def erdas_with_overviews(path: Path, beside: str) -> Path:
    write_tif(path, "HFA")
    with rasterio.Env(HFA_USE_RRD=beside), rasterio.open(path, "r+") as file:
        file.build_overviews([2, 4], Resampling.average)
    return path


@pytest.mark.parametrize("name", [b"../ab.rrd", b"/tmp/.rrd", b"other.rrd"])
@pytest.mark.parametrize("place", ["image.img", "image.rrd"])
def test_an_erdas_image_with_its_overviews_in_another_file_is_refused(tmp_path: Path, name: bytes, place: str) -> None:
    path = erdas_with_overviews(tmp_path / "image.img", "YES")
    (tmp_path / "other.rrd").write_bytes((tmp_path / "image.rrd").read_bytes())
    hostile = path.read_bytes().replace(b"image.rrd(:", name + b"(:")
    (tmp_path / place).write_bytes(hostile)

    with pytest.raises(InputError, match="reaches into other files"):
        as_header(path)


@pytest.mark.parametrize("beside", ["YES", "NO"])
def test_an_erdas_image_with_overviews_of_its_own_is_taken_under_any_name(tmp_path: Path, beside: str) -> None:
    path = erdas_with_overviews(tmp_path / "image.img", beside)
    as_header(path)
    for file in list(tmp_path.iterdir()):
        file.rename(file.with_stem("renamed"))
    as_header(tmp_path / "renamed.img")


@pytest.mark.parametrize("place", [name for name, (file, _) in PLACES.items() if file == "a.tif"])
def test_complex_numbers_are_refused(tmp_path: Path, place: str) -> None:
    path = tmp_path / "a.tif"
    profile = {"driver": "GTiff", "width": 60, "height": 40, "count": 1, "crs": GRID.crs}
    with rasterio.open(path, "w", dtype="complex64", transform=Affine(*(GRID.transform or ())), **profile) as file:
        file.write(np.ones((1, 40, 60), np.complex64))

    with pytest.raises(InputError, match="complex numbers"):
        PLACES[place][1](path)


@pytest.mark.parametrize("read", [read_raster, as_mask, as_header])
def test_the_size_of_a_sparse_raster_is_judged_before_its_cells_are_read(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    with rasterio.open(
        tmp_path / "a.tif", "w", driver="GTiff", width=40_000, height=40_000, count=1, dtype="uint8", crs=GRID.crs,
        transform=Affine(*(GRID.transform or ())), SPARSE_OK=True, tiled=True, blockxsize=2048, blockysize=2048,
    ):  # fmt: skip
        pass

    if read is as_header:
        as_header(tmp_path / "a.tif")  # a window of it is a raster like any other
    else:
        with pytest.raises(InputError, match="claims 1,600,000,000 cells"):
            read(tmp_path / "a.tif")


@pytest.mark.parametrize("text", [vrt, wms])
def test_a_map_tile_is_an_image_or_nothing(tmp_path: Path, listener: Listener, text: Callable[[str], str]) -> None:
    path = tmp_path / "a.mbtiles"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
        base.execute("INSERT INTO tiles VALUES (0, 0, 0, ?)", (text(listener.url).encode(),))

    with pytest.raises(InputError, match="not square PNG or JPEG"):
        as_base_map(path)

    assert listener.requests == []


def _external_storage(file: h5py.File, other: Path) -> None:
    file.create_dataset("u", (10,), "f4", external=[(str(other), 0, 40)])


def _external_link(file: h5py.File, other: Path) -> None:
    file["u"] = h5py.ExternalLink(str(other), "/u")


def _virtual(file: h5py.File, other: Path) -> None:
    layout = h5py.VirtualLayout((10,), "f4")
    layout[:] = h5py.VirtualSource(str(other), "u", (10,))
    file.create_virtual_dataset("u", layout)


def _virtual_without_end(file: h5py.File, other: Path) -> None:
    space = h5py.h5s.create_simple((10,), (h5py.h5s.UNLIMITED,))
    space.select_hyperslab((0,), (1,), block=(h5py.h5s.UNLIMITED,))
    stored = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    stored.set_virtual(space, str(other).encode(), b"u", space)
    h5py.h5d.create(file.id, b"u", h5py.h5t.NATIVE_FLOAT, space, stored)


@pytest.mark.parametrize("group", ["", "fire/2020"])
@pytest.mark.parametrize("make", [_external_storage, _external_link, _virtual, _virtual_without_end])
@pytest.mark.parametrize("read", [as_netcdf, as_events])
def test_hdf5_that_takes_values_from_another_file_is_refused(
    tmp_path: Path, make: Callable[[h5py.File, Path], None], read: Callable[[Path], None], group: str
) -> None:
    with h5py.File(tmp_path / "secret.h5", "w") as other:
        other["u"] = np.arange(10.0, dtype="f4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        make(file.require_group(group) if group else file, tmp_path / "secret.h5")

    with pytest.raises(InputError, match="reaches into other files"):
        read(tmp_path / "a.h5")


GRIDS = "+proj=utm +zone=10 +ellps=clrk66 +nadgrids=@null,{}"
CRS_FILES = (
    "+init={}:1", "init = {}:1", GRIDS, "+proj=pipeline +step +proj=hgridshift +grids={}",
    '+proj=utm +zone=10 +geoidgrids="{}"', "+proj=utm +zone=10 +ellps=clrk66 +nadgrids=@null , {}",
)  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="asks inotify")
@pytest.mark.parametrize("text", CRS_FILES)
def test_the_file_that_a_crs_names_is_never_opened(tmp_path: Path, text: str) -> None:
    other = tmp_path / "other.gsb"
    other.write_text("<1> +proj=utm +zone=10 +datum=NAD83\n")
    text = text.format(other)
    libc = ctypes.CDLL(None)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    assert libc.inotify_add_watch(watch, os.fsencode(other), _IN_OPEN) > 0

    assert crs.parse(text) is None
    with pytest.raises(InputError, match="its CRS names one"):
        crs.transformer("EPSG:32610", text)

    for member in ({"type": "name", "properties": {"name": text}}, {"type": "proj4", "properties": {"x": text}}):
        (tmp_path / "a.geojson").write_text(geojson(member), encoding="utf-8")
        with pytest.raises(InputError, match="its CRS names one"):
            as_features(tmp_path / "a.geojson")
    write_geopackage(tmp_path / "a.gpkg", "CREATE TABLE far (fid INTEGER PRIMARY KEY)")
    with closing(sqlite3.connect(tmp_path / "a.gpkg")) as base, base:
        base.execute("UPDATE gpkg_spatial_ref_sys SET organization = 'other', definition = ?", (text,))
    with pytest.raises(InputError, match="its CRS names one"):
        as_features(tmp_path / "a.gpkg")
    write_tif(tmp_path / "a.tif")
    srs = text.replace("=", "&#61;")
    (tmp_path / "a.tif.aux.xml").write_text(f"<PAMDataset><SRS>{srs}</SRS></PAMDataset>", encoding="utf-8")
    with pytest.raises(InputError, match="beside it names another file"):
        as_header(tmp_path / "a.tif")

    with pytest.raises(BlockingIOError):
        os.read(watch, 4096)
    os.close(watch)


def geojson(member: Mapping[str, object], **properties: object) -> str:
    geometry = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    feature = {"type": "Feature", "properties": properties, "geometry": geometry}
    return json.dumps({"type": "FeatureCollection", "crs": member, "features": [feature]})


def test_lists_in_geojson_are_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.geojson"
    member = {"type": "name", "properties": {"name": "EPSG:4326"}}
    path.write_text(geojson(member, date="2020-08-01", parts=[1, 2]), encoding="utf-8")

    layer = read_features(path, layer_names(path, Problems())[0], Problems())

    assert layer is not None and layer.columns["parts"].tolist() == ["[1, 2]"]


def test_a_raster_whose_crs_names_a_grid_in_a_folder_is_refused(tmp_path: Path) -> None:
    path = write_tif(tmp_path / "a.tif")
    with rasterio.open(path, "r+") as file:
        file.crs = rasterio.CRS.from_string(GRIDS.format(tmp_path / "other.gsb"))

    with pytest.raises(InputError, match="it reaches into other files"):
        as_header(path)


@pytest.mark.parametrize(
    "text",
    [
        'PARAMETERFILE["Latitude (or height) file","../a.gsb"]', 'EXTENSION["PROJ4_GRIDS","/a.gtx"]',
        '{"type": "BoundCRS", "value": "/a.gsb"}', '{"type": "BoundCRS", "value": "\\u002fa.gsb"}',
        "+proj=tinshift +file=~/a.json", "+nadgrids=C:\\a.gsb", f"+title={'a' * 20_000}",
    ],
)  # fmt: skip
def test_a_crs_that_names_a_file_is_refused(text: str) -> None:
    with pytest.raises(UnsafeFileError, match="its CRS"):
        check_crs(text)


@pytest.mark.parametrize(
    "text",
    [
        "+proj=longlat +nadgrids=@conus,@alaska,@ntv2_0.gsb +title=a/b",
        'PROJCS["NAD27 / UTM",EXTENSION["PROJ4","+proj=merc +nadgrids=@null +wktext"],UNIT["a/b",1]]',
        'PARAMETERFILE["Latitude / height file","us_noaa_conus.tif"]', "+init=epsg:26910", crs.wkt("EPSG:26910"),
    ],
)  # fmt: skip
def test_a_crs_with_grids_of_proj_is_taken(text: str) -> None:
    check_crs(text)


@pytest.mark.parametrize("name", ["crs", "CRS", "c\\u0072s"])
@pytest.mark.parametrize("kind", ["link", "URL"])
def test_a_crs_is_not_fetched(tmp_path: Path, listener: Listener, name: str, kind: str) -> None:
    key = "href" if kind == "link" else "url"
    text = geojson({"type": kind, "properties": {key: f"{listener.url}/a"}}).replace('"crs"', f'"{name}"')
    (tmp_path / "a.geojson").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match="its CRS is a link"):
        as_features(tmp_path / "a.geojson")

    assert listener.requests == []


@pytest.mark.skipif(sys.platform != "linux", reason="asks inotify")
@pytest.mark.parametrize("make", [_external_storage, _external_link, _virtual, _virtual_without_end])
def test_the_file_that_hdf5_names_is_never_opened(tmp_path: Path, make: Callable[[h5py.File, Path], None]) -> None:
    with h5py.File(tmp_path / "secret.h5", "w") as other:
        other.create_dataset("u", (10,), "f4", maxshape=(None,), chunks=(10,))[...] = 1.0
    with h5py.File(tmp_path / "a.h5", "w") as file:
        make(file, tmp_path / "secret.h5")
    libc = ctypes.CDLL(None)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    assert libc.inotify_add_watch(watch, os.fsencode(tmp_path / "secret.h5"), _IN_OPEN) > 0

    with pytest.raises(InputError, match="reaches into other files"):
        as_netcdf(tmp_path / "a.h5")

    with pytest.raises(BlockingIOError):
        os.read(watch, 4096)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert file["u"][...].shape == (10,)
    assert os.read(watch, 4096)  # it would have been seen
    os.close(watch)


def test_a_link_in_a_project_is_not_followed_out_of_it(tmp_path: Path) -> None:
    folder = tiny_project(tmp_path)
    layer = next((folder / "layers").iterdir())
    layer.symlink_to(layer.rename(tmp_path / layer.name))

    with pytest.raises(InputError) as refused:
        load_project(folder)

    assert Problem(str(layer), "is a link that leads out of its folder", "put the file itself in its place") in (
        refused.value.problems
    )


def test_the_file_of_a_project_is_not_a_link_out_of_it(tmp_path: Path) -> None:
    folder = tiny_project(tmp_path)
    text = folder / "project.toml"
    text.symlink_to(text.rename(tmp_path / "other.toml"))

    with pytest.raises(InputError, match="leads out of its folder"):
        load_project(folder)


def test_a_file_of_a_project_that_is_a_loop_of_links_is_not_called_missing(tmp_path: Path) -> None:
    folder = tiny_project(tmp_path)
    (folder / "project.toml").unlink()
    (folder / "project.toml").symlink_to(folder / "project.toml")

    with pytest.raises(InputError, match=r"its project\.toml is not a file that can be read"):
        load_project(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="faults are made with signals and limits of POSIX")
def test_a_reader_fetches_nothing(tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_START", reader_faults.START)
    pool = processes.ReaderPool()

    with pytest.raises(processes.ReadError):
        pool.call("fault.fetch", tmp_path, listener.url)

    pool.close()
    assert listener.requests == []


@pytest.mark.skipif(sys.platform == "win32", reason="faults are made with signals and limits of POSIX")
def test_a_reader_recognizes_four_kinds_of_vector_files_and_fetches_no_crs(
    tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_START", reader_faults.START)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    path = tmp_path / "a.geojson"
    path.write_text(geojson({"type": "link", "properties": {"href": f"{listener.url}/a"}}), encoding="utf-8")
    pool = processes.ReaderPool()

    drivers = pool.call("fault.unchecked", path)

    pool.close()
    assert set(drivers) - {"MEM"} == {"ESRI Shapefile", "GPKG", "GeoJSON", "KML", "LIBKML"}
    assert listener.requests == []


def test_map_tiles_from_a_virtual_table_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mbtiles"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA writable_schema = 1")
        sql = "CREATE VIRTUAL TABLE tiles USING csv(filename='/etc/passwd')"
        base.execute("INSERT INTO sqlite_master VALUES ('table', 'tiles', 'tiles', 0, ?)", (sql,))

    with pytest.raises(InputError, match="is computed from outside the file"):
        as_base_map(path)
