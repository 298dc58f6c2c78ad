"""Write every kind of file with too little room; run in a process of its own, which a library may end.

``python -m tests.unit.io.full_disk FOLDER`` prints a JSON line ``[name, failures]`` for every kind.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from firegui.errors import InputError
from firegui.io.array_files import write_arrays
from firegui.io.atomic import write_json, write_text, writing
from firegui.io.exporters import FORMATS, export
from firegui.io.exporters.animation import AnimationFrames, ffmpeg, write_film
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.geotiff import write_layers_folder, write_occupancy_tif
from firegui.io.parquet import write_parquet
from tests.unit.io.builders import project
from tests.unit.io.exporters.plans import grid_at, plan, states

WORDS = "cannot be written: the file would be larger than the system allows"


def writers() -> Mapping[str, Callable[[Path], object]]:
    """Return functions that write one or more files into a folder."""
    content, grid = plan(), grid_at("EPSG:32610", 500000.0, 4400000.0, shape=(90, 130))
    picture = np.random.default_rng(1).integers(0, 255, (64, 96, 3)).astype(np.uint8)
    occupancy, project_there = states(grid, 3), project(grid)
    numbers = np.random.default_rng(2).random(9000)
    films = [".gif", ".png", *([".mp4"] if ffmpeg() else [])]

    def film(ending: str) -> Callable[[Path], object]:
        return lambda folder: write_film(folder / f"f{ending}", AnimationFrames(iter([picture] * 4), 8, (picture,)))

    def npz(folder: Path) -> None:
        with writing(folder / "a.npz") as file:
            np.savez(file, numbers=numbers)

    own: dict[str, Callable[[Path], object]] = {
        "run raster": lambda folder: write_occupancy_tif(folder / "a.tif", occupancy, project_there),
        "event folder": lambda folder: write_layers_folder(project_there.scenario, folder / "event"),
        "safetensors": lambda folder: write_arrays(folder / "a.safetensors", {"numbers": numbers}),
        "npz": npz,
        "json": lambda folder: write_json(folder / "a.json", numbers.tolist()),
        "text": lambda folder: write_text(folder / "a.csv", "1,2,3\n" * 9000),
        "parquet": lambda folder: write_parquet(folder / "a.parquet", {"numbers": numbers.tolist()}, {"note": "n"}),
    }
    # The other formats are pages or text that are written as these are.
    formats = {name: exporter(content, name) for name in FORMATS if name not in ("report", "ics220")}
    return own | {f"film{each}": film(each) for each in films} | formats


def exporter(content: ExportContent, name: str) -> Callable[[Path], object]:
    return lambda folder: export(content, [name], folder, "plan")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def failures(name: str, write: Callable[[Path], object], folder: Path) -> list[str]:
    """Return what went wrong where ``write`` had too little room."""
    whole = folder / "whole"
    whole.mkdir(parents=True)
    write(whole)
    size = max(path.stat().st_size for path in whole.rglob("*") if path.is_file())
    found = []
    for room in (size // 10, size - 1):
        place = folder / str(room)
        place.mkdir()
        try:
            with room_for(room):
                write(place)
            found.append(f"{room:,} of {size:,} bytes: written")
        except InputError as error:
            if WORDS not in str(error) or ".export" in str(error) or ".tmp" in str(error):
                found.append(f"{room:,} of {size:,} bytes: {error}")
        except Exception as error:
            found.append(f"{room:,} of {size:,} bytes: {type(error).__name__}: {error}")
        left = [path.name for path in place.rglob("*")]
        found += [f"{room:,} of {size:,} bytes: left {left}"] if left else []
    return found


if __name__ == "__main__":
    for number, (name, write) in enumerate(writers().items()):
        print(json.dumps([name, failures(name, write, Path(sys.argv[1]) / str(number))]), flush=True)
