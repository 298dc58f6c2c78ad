"""Files of the pictures of a result: PNG to look at, SVG for a paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from firegui.io.atomic import writing

_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": "firegui"}, "svg": {"Creator": "firegui", "Date": None}}


def write_pictures(pictures: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Write ``name.png`` and ``name.svg`` of every picture into ``folder``, and return the paths.

    The folder exists.

    Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    paths = []
    # The same picture makes the same file: names inside an SVG are made from this salt instead of at random.
    with matplotlib.rc_context({"svg.hashsalt": "firegui"}):
        for name, picture in pictures.items():
            FigureCanvasAgg(picture)
            for kind, metadata in _METADATA.items():
                path = folder / f"{name}.{kind}"
                with writing(path) as file:
                    picture.savefig(file, format=kind, metadata=metadata)
                paths.append(path)
    return paths
