"""Numbers of the bands of a raster file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rasterio.windows import Window as RasterWindow

from firegui.io.safe_open.rasters import RasterDataset
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.netcdf_file import scaled


def read_bands(source: RasterDataset, bands: Sequence[int], window: Window | None) -> Iterator[Floats]:
    """Yield bands on a window, scaled, and NaN where there are no data.

    Raises ``OSError`` where they cannot be read.
    """
    piece = None if window is None else RasterWindow.from_slices(window.rows, window.columns)
    try:
        for band, raw in zip(bands, source.each_band(bands, piece), strict=True):
            nodata = source.nodatavals[band - 1]
            # The file keeps the value in its own precision.
            marks = () if nodata is None or not np.isfinite(nodata) else (np.asarray(nodata).astype(raw.dtype),)
            yield scaled(raw, marks, source.scales[band - 1], source.offsets[band - 1])
    except OSError as error:
        raise OSError(f"{source.path.name} cannot be read: the file is cut short or damaged") from error
