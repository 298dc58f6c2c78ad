"""Colours of exported maps: those of the window's light theme, which also print."""

from __future__ import annotations

RETARDANT, WATER = "#b3224f", "#0b6f7a"
REGION, ZONE = "#1f6feb", "#8a6d00"
OBSERVED, PLANNED, BASELINE = "#2b2b2b", "#d1460f", "#8c5a3c"
