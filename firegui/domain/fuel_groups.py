"""Fire behaviour fuel models in the groups that maps show."""

from __future__ import annotations

FUEL_GROUPS: tuple[tuple[str, tuple[int, int], str], ...] = (
    ("Built up, bare, crops (91, 93, 99)", (91, 99), "#8f8b86"),
    ("Snow and ice (92)", (92, 92), "#dfe8ee"),
    ("Water (98)", (98, 98), "#4f86c6"),
    ("Grass (101–109)", (101, 109), "#e3cf6b"),
    ("Grass and shrub (121–124)", (121, 124), "#b9b24d"),
    ("Shrub (141–149)", (141, 149), "#c98a4b"),
    ("Timber understory (161–165)", (161, 165), "#6fa06a"),
    ("Timber litter (181–189)", (181, 189), "#2f6b4f"),
    ("Slash and blowdown (201–204)", (201, 204), "#8a5a86"),
)
"""Groups of the 40 fire behaviour fuel models: name, first and last code, colour. Later groups win over earlier."""
