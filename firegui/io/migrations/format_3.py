"""Format 4 knows the coverage that the fuel requires; in format 3 it was the paper's for every fire."""

from __future__ import annotations

from typing import Any


def to_4(table: dict[str, Any]) -> dict[str, Any]:
    """The paper's 2.7 gal/100 ft² stays what the plans of an older project were made with."""
    source = "the paper's value for Bear 2020, as every project had before it could be set"
    table.setdefault("coverage", {"c_req": 2.7, "source": source, "levels": {}})
    return table
