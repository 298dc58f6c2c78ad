"""Map tiles of one's own under the fire: drawn where they belong, and one message for what is not a base map."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rasterio.io import MemoryFile

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.georeference import Georeference
from firegui.io.rasters import mbtiles
from firegui.io.rasters.geotiff import without_place_warnings
from firegui.io.rasters.mbtiles import draw, open_archive

GRID = Grid(40, 60, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 4_000_000.0), "EPSG:32610")
ZOOMS = (12, 14)


def encoded(pixels: NDArray[np.uint8], driver: str = "PNG") -> bytes:
    with without_place_warnings(), MemoryFile() as memory:
        shape = {"count": pixels.shape[0], "height": pixels.shape[1], "width": pixels.shape[2]}
        with memory.open(driver=driver, dtype="uint8", **shape) as image:
            image.write(pixels)
        return bytes(memory.read())


def tile_of(longitude: float, latitude: float, zoom: int) -> tuple[float, float]:
    """Tile coordinates from the north, with the fraction inside the tile (OSM wiki, Slippy map tilenames)."""
    x = (longitude + 180.0) / 360.0 * 2**zoom
    y = (1.0 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2.0 * 2**zoom
    return x, y


def write_tiles(
    path: Path, *, format: str = "png", driver: str = "PNG", bands: int = 3, zooms: tuple[int, ...] = ZOOMS
) -> Path:
    """Tiles around the grid: red grows with the tile column of zoom 14, green with its row; blue is the zoom."""
    place = Georeference(GRID)
    corners = [place.lonlat(y, x) for y, x in ((-60.0, -60.0), (100.0, 120.0))]
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
        base.executemany("INSERT INTO metadata VALUES (?, ?)", [("name", "Own map"), ("format", format)])
        base.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
        for zoom in zooms:
            (x0, y0), (x1, y1) = (tile_of(*corner, zoom) for corner in corners if corner is not None)
            for x in range(math.floor(x0), math.floor(x1) + 1):
                for y in range(math.floor(y0), math.floor(y1) + 1):
                    base.execute(
                        "INSERT INTO tiles VALUES (?, ?, ?, ?)",
                        (zoom, x, 2**zoom - 1 - y, tile(x, y, zoom, bands, driver)),
                    )
    base.close()
    return path


def tile(x: int, y: int, zoom: int, bands: int, driver: str) -> bytes:
    """Every pixel says where it is: its fraction of 16 tiles of zoom 14 in x and y."""
    step = (np.arange(256) + 0.5) / 256.0
    scale = 2.0 ** (14 - zoom)
    red, green = ((value + step) * scale * 16.0 % 256.0 for value in (x, y))
    pixels = np.stack(
        [
            np.broadcast_to(red, (256, 256)),
            np.broadcast_to(green[:, None], (256, 256)),
            np.full((256, 256), 10.0 * zoom),
        ]
    )
    full = np.concatenate([pixels, np.full((1, 256, 256), 255.0)])[:bands]
    return encoded(full.astype(np.uint8), driver)


def test_a_cell_shows_the_pixel_of_its_longitude_and_latitude(tmp_path: Path) -> None:
    archive = open_archive(write_tiles(tmp_path / "own.mbtiles"), GRID)
    assert (archive.name, archive.levels, archive.side) == ("Own map", (12, 14), 256)
    picture = draw(archive, GRID, (0.0, 0.0, 40.0, 60.0), (160, 240))
    place = Georeference(GRID)
    for row, column in ((4.0, 6.0), (20.0, 30.0), (35.0, 55.0)):
        lonlat = place.lonlat(row, column)
        assert lonlat is not None
        x, y = tile_of(*lonlat, 14)
        seen = picture[round((row + 0.5) * 4), round((column + 0.5) * 4)]
        # A pixel is a sixteenth of a grey level; where the value wraps at 256 nothing is said.
        for value, wanted in ((seen[0], x * 16 % 256), (seen[1], y * 16 % 256)):
            assert abs(int(value) - wanted) < 1.5 or wanted > 250 or wanted < 3
        assert seen[2] == 140 and seen[3] == 255


def test_between_two_levels_the_nearest_that_is_there_is_drawn(tmp_path: Path) -> None:
    archive = open_archive(write_tiles(tmp_path / "own.mbtiles"), GRID)
    assert (draw(archive, GRID, (0.0, 0.0, 40.0, 60.0), (80, 120))[..., 3] == 255).all()


def test_a_small_picture_takes_a_coarse_level(tmp_path: Path) -> None:
    archive = open_archive(write_tiles(tmp_path / "own.mbtiles"), GRID)
    assert draw(archive, GRID, (0.0, 0.0, 40.0, 60.0), (24, 36))[12, 18, 2] == 120


@pytest.mark.parametrize(("format", "driver", "bands"), [("jpg", "JPEG", 3), ("png", "PNG", 4), ("png", "PNG", 1)])
def test_jpeg_alpha_and_grey_tiles_are_drawn(tmp_path: Path, format: str, driver: str, bands: int) -> None:
    archive = open_archive(write_tiles(tmp_path / "own.mbtiles", format=format, driver=driver, bands=bands), GRID)
    assert (draw(archive, GRID, (0.0, 0.0, 40.0, 60.0), (40, 60))[..., 3] == 255).all()


def test_where_there_is_no_tile_it_is_transparent_and_a_broken_tile_is_a_hole(tmp_path: Path) -> None:
    path = write_tiles(tmp_path / "own.mbtiles", zooms=(14,))
    with sqlite3.connect(path) as base:
        (column,) = base.execute("SELECT MAX(tile_column) FROM tiles").fetchone()
        base.execute("DELETE FROM tiles WHERE tile_column < ?", (column - 1,))
    base.close()
    place = Georeference(GRID)
    archive = None
    try:
        archive = open_archive(path, GRID)
    except InputError as error:
        assert "where the fire is" in str(error)
    assert archive is None or not draw(archive, GRID, (0.0, 0.0, 40.0, 60.0), (40, 60))[:, 0, 3].any()
    assert place.has_place


def test_the_file_is_only_read(tmp_path: Path) -> None:
    path = write_tiles(tmp_path / "own.mbtiles")
    before = path.read_bytes()
    path.chmod(0o444)
    draw(open_archive(path, GRID), GRID, (0.0, 0.0, 40.0, 60.0), (40, 60))
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["own.mbtiles"]


def text_file(path: Path) -> None:
    path.write_text("no tiles at all")


def other_database(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE people (name TEXT)")
    base.close()


def cut_off(path: Path) -> None:
    write_tiles(path)
    path.write_bytes(path.read_bytes()[:5000])


def vectors(path: Path) -> None:
    write_tiles(path, format="pbf")


def changed(*statement: Any) -> Callable[[Path], None]:
    """Tiles on which an SQL statement was carried out."""

    def make(path: Path) -> None:
        write_tiles(path)
        with sqlite3.connect(path) as base:
            base.execute(*statement)
        base.close()

    return make


empty = changed("DELETE FROM tiles")
no_images = changed("UPDATE tiles SET tile_data = ?", (b"<svg/>",))
elsewhere = changed("UPDATE tiles SET tile_column = tile_column + 900")
deep = changed("UPDATE tiles SET zoom_level = 4000 WHERE zoom_level = 14")


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (text_file, "not an MBTiles file"), (other_database, "no table of tiles"), (cut_off, "MBTiles"),
        (vectors, "vector tiles"), (empty, "holds no tile"), (no_images, "not square PNG or JPEG"),
        (elsewhere, "where the fire is"), (deep, "zoom levels"), (Path.mkdir, "is a folder"),
    ],
)  # fmt: skip
def test_a_bad_file_gets_one_message_with_a_remedy(tmp_path: Path, make: Callable[[Path], None], word: str) -> None:
    path = tmp_path / "bad.mbtiles"
    make(path)
    with pytest.raises(InputError) as caught:
        open_archive(path, GRID)
    (problem,) = caught.value.problems
    assert word in problem.what and problem.remedy and "bad.mbtiles" in problem.where


def test_tiles_that_are_computed_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_tiles(tmp_path / "endless.mbtiles")
    with sqlite3.connect(path) as base:
        base.execute("ALTER TABLE tiles RENAME TO other")
        endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        base.execute(f"CREATE VIEW tiles AS {endless} SELECT other.* FROM c, other")
    base.close()
    monkeypatch.setattr(mbtiles, "_LONGEST_S", 0.2)
    with pytest.raises(InputError, match=r"endless\.mbtiles: takes more than 0\.2 s to read"):
        open_archive(path, GRID)


def test_a_grid_without_a_place_has_nothing_to_lay_it_under(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="coordinate system"):
        open_archive(write_tiles(tmp_path / "own.mbtiles"), Grid(40, 60, 30.0))
