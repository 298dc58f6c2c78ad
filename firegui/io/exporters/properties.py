"""What is said of a drop: as attributes for a GIS, and in words for people; the colours of exported maps.

The colours are those of the window's light theme, which also print.
"""

from __future__ import annotations

from typing import Any

from firegui.io.exporters.table import NOTICE, DropRow, whole_heading

RETARDANT, WATER = "#b3224f", "#0b6f7a"
REGION, ZONE = "#1f6feb", "#8a6d00"
OBSERVED, PLANNED, BASELINE = "#2b2b2b", "#d1460f", "#8c5a3c"


LEVELS = {True: "yes", False: "no", None: "not known"}


def drop_attributes(row: DropRow, cell_size_m: float) -> dict[str, Any]:
    """The attributes of a drop, the same in every format for a GIS; what is not known is ``None``."""
    drop = row.drop
    return {
        "step": drop.step,
        "aircraft": drop.aircraft,
        "type": drop.type,
        "material": str(drop.material),
        "payload_gal": drop.payload_gal,
        "executed": drop.executed,
        "day": row.day,
        "time_utc": row.time_utc,
        "time_local": row.time_local,
        "run_heading_true": whole_heading(row.heading_true),
        "run_heading_magnetic": whole_heading(row.heading_magnetic),
        "declination": _rounded(row.declination, 2),
        "release_ddm": row.release_ddm,
        "landing_ddm": row.landing_ddm,
        "landing_lon": _at(row.landing_lonlat, 0),
        "landing_lat": _at(row.landing_lonlat, 1),
        "height_agl_ft": _rounded(row.height_ft, 0),
        "speed_kt": _rounded(row.speed_kt, 0),
        "near_water": row.near_water,
        "sigma_parallel_m": round(drop.sigma_parallel_cells * cell_size_m, 3),
        "sigma_perpendicular_m": round(drop.sigma_perpendicular_cells * cell_size_m, 3),
        "y": drop.y,
        "x": drop.x,
        "theta": drop.theta,
        "notice": NOTICE,
    }


def drop_words(row: DropRow) -> list[tuple[str, str]]:
    """``(title, text)`` of a drop, in the order in which people ask; what is not known is left out."""
    drop = row.drop
    height = "" if row.height_ft is None else f"{row.height_ft:,.0f} ft AGL"
    speed = "" if row.speed_kt is None else f"{row.speed_kt:,.0f} kt"
    found = [
        ("Aircraft", f"{drop.aircraft} ({drop.type})"),
        ("Load", f"{drop.payload_gal:,.0f} gal {drop.material}"),
        ("Local time", row.time_local.replace("T", " ")),
        ("UTC", row.time_utc),
        ("Release (WGS 84)", row.release_ddm or ""),
        ("Landing (WGS 84)", row.landing_ddm or ""),
        ("Run heading, either way", heading_words(row)),
        ("Drop height", height),
        ("Speed", speed),
        ("Within 300 ft of water", LEVELS[row.near_water]),
        ("Notice", NOTICE),
    ]
    return [(title, text) for title, text in found if text]


def heading_words(row: DropRow) -> str:
    """``034.0° true, 020.5° magnetic (declination 13.5° E)``; empty without a place."""
    true, magnetic = whole_heading(row.heading_true), whole_heading(row.heading_magnetic)
    if true is None:
        return ""
    if magnetic is None or row.declination is None:
        return f"{true:05.1f}° true"
    side = "E" if row.declination >= 0 else "W"
    return f"{true:05.1f}° true, {magnetic:05.1f}° magnetic (declination {abs(row.declination):.1f}° {side})"


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _at(pair: tuple[float, float] | None, index: int) -> float | None:
    return None if pair is None else round(pair[index], 7)
