"""Vector files, read by a reader process: shapefile, GeoPackage, GeoJSON and KML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.io.safe_open.processes import READERS


@dataclass(frozen=True, slots=True)
class VectorInfo:
    """What a layer says of itself; ``crs`` is ``None`` where it does not say it."""

    features: int
    crs: str | None
    geometry_type: str


@dataclass(frozen=True, slots=True, eq=False)
class VectorFeatures:
    """The features of a layer: geometries as WKB, ``None`` where a feature has none, and columns by name."""

    crs: str | None
    geometries: NDArray[Any]
    columns: Mapping[str, NDArray[Any]]


def vector_layers(path: Path) -> tuple[str, ...]:
    """Return the names of the layers that have geometry.

    Raises ``OSError`` for a file that cannot be read.
    """
    return tuple(READERS.call("vectors.layers", path))


def vector_info(path: Path, layer: str | None = None) -> VectorInfo:
    """Return what a layer says of itself, as :func:`vector_layers` does."""
    return VectorInfo(**READERS.call("vectors.info", path, layer))


def read_vector(path: Path, layer: str, **options: Any) -> VectorFeatures:
    """Return the features of a layer, read with these options of pyogrio, as :func:`vector_layers` does."""
    found = READERS.call("vectors.features", path, layer, options)
    geometries = np.asarray(found["geometries"], object)
    return VectorFeatures(found["crs"], geometries, dict(zip(found["names"], found["columns"], strict=True)))


def make_valid(path: Path, geometry: Any) -> Any:
    """Return a valid geometry of the areas of one that crosses itself.

    A ring that crosses itself everywhere would take hours and all memory: then ``OSError`` is raised.
    """
    return shapely.from_wkb(READERS.call("vectors.repaired", path, shapely.to_wkb(geometry)))
