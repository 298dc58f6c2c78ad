"""Files in and out: rasters, perimeters, importers, exporters and the project store.

GDAL is told, before it is loaded, to leave out the drivers of files that name other files or servers. This holds for
the whole process. ``GDAL_SKIP`` of the user's environment is added to.
"""

from __future__ import annotations

import os

_NAMES_OTHERS = (
    "ADBC", "AmigoCloud", "Carto", "CSW", "DAAS", "DERIVED", "EEDA", "EEDAI", "Elasticsearch", "ERS", "ESRIJSON",
    "GDALG", "GeoRSS", "GML", "GNMDatabase", "GNMFile", "GTI", "HTTP", "KMLSUPEROVERLAY", "MRF", "NGW", "OAPIF",
    "OGCAPI", "OGR_VRT", "PLMOSAIC", "PLSCENES", "SQLite", "STACIT", "STACTA", "VRT", "WCS", "WFS",
    "WMS", "WMTS",
)  # fmt: skip

os.environ["GDAL_SKIP"] = ",".join(
    dict.fromkeys([*filter(None, os.environ.get("GDAL_SKIP", "").split(",")), *_NAMES_OTHERS])
)
