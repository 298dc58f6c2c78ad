"""The value layers of a project as files, and their rows in the text of the project.

A layer is a GeoTIFF that is named after its content. Files do not change. An edited project names other files, and
moves from one to the other with its text in one step.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from firegui.domain.project import Project
from firegui.domain.values import ValueLayer, ValueTerms
from firegui.errors import InputError, Problems
from firegui.io import toml
from firegui.io.project.layers import checked_path, file_hash
from firegui.io.project.text import ValueRow
from firegui.io.rasters.geotiff import read_raster, write_raster

_REMEDY = "restore the folder from a copy, or import the values again"


def write_values(project: Project, folder: Path, base: Path | None = None) -> list[dict[str, Any]]:
    """Write the value layers that neither ``folder`` nor ``base`` has into ``folder``.

    Returns their rows for ``project.toml``.
    """
    return [_row(layer, project, folder, base) for layer in project.values]


def _row(layer: ValueLayer, project: Project, folder: Path, base: Path | None) -> dict[str, Any]:
    name = f"values-{layer.terms.content[:12]}.tif"
    places = [each / name for each in (folder, base) if each is not None and (each / name).is_file()]
    if not places:
        places = [folder / name]
        write_raster(places[0], layer.cells, project.scenario.grid, descriptions=[layer.name])
    return toml.as_table(layer.terms) | {"file": name, "sha256": file_hash(places[0])}


def read_values(
    folders: Sequence[Path], rows: Sequence[ValueRow], shape: tuple[int, int], problems: Problems
) -> tuple[ValueLayer, ...]:
    """Read the layers back, each from the first of ``folders`` that has its file.

    What is missing, changed or of another shape goes into ``problems``.
    """
    layers = []
    for row in rows:
        folder = next((each for each in folders if (each / row.file.file).is_file()), folders[-1])
        path = checked_path(folder, f"values {row.terms.name}", row.file, problems)
        layer = None if path is None else _layer(path, row.terms, shape, problems)
        layers += [] if layer is None else [layer]
    return tuple(layers)


def _layer(path: Path, terms: ValueTerms, shape: tuple[int, int], problems: Problems) -> ValueLayer | None:
    try:
        cells = read_raster(path).bands[0]
    except InputError as error:
        problems.extend(error.problems)
        return None
    layer = ValueLayer.of(terms.name, terms.source, cells, terms.weight, terms.susceptibility)
    if cells.shape != shape or layer.terms.content != terms.content:
        problems.add(path.name, "holds other values than the project says", _REMEDY)
        return None
    return layer


def remove_values(folder: Path, files: Collection[str], kept: Collection[str]) -> None:
    """Remove files that the project no longer names; that it cannot be done is no harm."""
    for name in set(files) - set(kept):
        with suppress(OSError):
            (folder / name).unlink()
