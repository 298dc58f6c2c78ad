"""Numbers of a band of a raster file."""

from __future__ import annotations

import numpy as np
from rasterio.windows import Window as RasterWindow

from firegui.io.safe_open.rasters import RasterDataset
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.netcdf_file import scaled


def read_band(source: RasterDataset, band: int, window: Window | None, name: str) -> Floats:
    """Return a band on a window, scaled, and NaN where there are no data.

    Raises ``OSError`` with ``name`` where it cannot be read.
    """
    piece = None if window is None else RasterWindow.from_slices(window.rows, window.columns)
    try:
        raw = source.read(band, piece)
    except OSError as error:
        raise OSError(f"{name} cannot be read: the file is cut short or damaged") from error
    nodata = source.nodatavals[band - 1]
    # The file keeps the value in its own precision.
    marks = () if nodata is None or not np.isfinite(nodata) else (np.asarray(nodata).astype(raw.dtype),)
    return scaled(raw, marks, source.scales[band - 1], source.offsets[band - 1])
