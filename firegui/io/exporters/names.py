"""What exported files are called.

After the file naming of the National Wildfire Coordinating Group's Standards for Geospatial Operations (PMS 936,
https://www.nwcg.gov/publications/pms936/file-naming): ``{date}_{time}_{incident}_{what it is}``, and for maps to print
the map type, page size and orientation in front of it; dates as yyyymmdd and times as hhmm, words joined in CamelCase,
no spaces, dots or special characters. The incident number is there where somebody gave one.
"""

from __future__ import annotations

import re
import unicodedata

from firegui.io.exporters.content import ExportContent

_LONGEST = 60
_MAP_TYPE = "airops"


def standard_name(content: ExportContent, product: str, *, printed: bool = False) -> str:
    """The name, without its ending, of ``product``: ``20200819_0915_Bear2020_CAPNF_001308_FirstPlan_drops``.

    The time is when the plan was made, on the fire's clock. A ``printed`` one begins with ``airops_letter_land``.
    """
    made = content.made.astimezone(content.project.calendar.local_zone)
    sheet = content.sheet
    before = f"{_MAP_TYPE}_{sheet.size_name}_{sheet.orientation_name}" if printed else ""
    incident = camel(content.project.scenario.name) or "Incident"
    number = _number(sheet.incident_number)
    parts = [before, f"{made:%Y%m%d_%H%M}", incident, number, camel(content.run), product]
    return "_".join(part for part in parts if part)


def camel(text: str) -> str:
    """``bear 2020, first plan`` as ``Bear2020FirstPlan``: only letters and digits of ASCII, cut at 60."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[A-Za-z0-9]+", plain)
    return "".join(word[:1].upper() + word[1:] for word in words)[:_LONGEST]


def _number(text: str) -> str:
    """``CA-PNF-001308`` as ``CAPNF_001308``: the unit's letters and the number."""
    *unit, number = re.findall(r"[A-Za-z0-9]+", text) or [""]
    return "_".join(part for part in ("".join(unit), number) if part)
