"""Colours of what a plan shows: the same in the window, on printed maps, in KMZ and in GeoPackages.

Each is told apart from the others with red-green blindness, too: fire is yellow to orange, water is the only blue,
retardant is magenta, protected regions are violet, values at risk are teal and saved land is green. Where two of them
look alike to some people, they differ in lightness. Areas that are drawn as outlines, and lines, have a lighter shade
on a dark map.
"""

from __future__ import annotations

RETARDANT, WATER = "#e0146e", "#2a86e0"
RETARDANT_ON_DARK, WATER_ON_DARK = "#ff75b0", "#5ea9f0"
WATER_FILL = "#bfe0ff"
"""Inside of a water drop on paper, pale so that the materials differ in grey, too."""
FIRE = ("#ffd84d", "#fb9433", "#dc5a12")
"""Chance of fire, from low to high."""
SAVED, MORE_FIRE = "#34c9ab", FIRE[-1]
FIRST_BETTER, SECOND_BETTER = "#94458f", SAVED
"""Less fire with the first or with the second of two compared plans: neither is a colour of the fire."""
REGION, REGION_ON_DARK = "#5b2a9e", "#c9a7ff"
ZONE, ZONE_ON_DARK = "#333333", "#b5b5b5"
VALUES, VALUES_ON_DARK = "#0b6e77", "#58d3dd"
BARRIERS = {"river": WATER, "burned_out": "#7a4b2a", "fuel_break": "#5c6b12", "road": "#8a5a00"}
"""Colours of kinds of barriers on paper; others are black. They differ in their symbols, too."""
RETARDANT_TYPES = (RETARDANT, "#ff8fc0", "#8c0a45", RETARDANT_ON_DARK, "#b30f58", "#f25c9d")
WATER_TYPES = (WATER, "#8cc4ff", "#12498a", "#bfe0ff", "#1c66b3", WATER_ON_DARK)
"""Shades for the aircraft types of each material, in the order of the fleet."""
