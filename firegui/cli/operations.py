"""What ``info`` says of a project's operational constraints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from firegui.domain.project import Project
from firegui.io.daylight import flying_windows
from firegui.io.operations_toml import operations_to_table
from firegui.runs.messages import counted


def operations_summary(project: Project) -> dict[str, Any]:
    """The constraints that are set, as in their file, with the first day's flying window; empty when none is."""
    operations, calendar = project.operations, project.calendar
    table = operations_to_table(operations)
    if operations.daylight is not None and not operations.daylight.problems():
        windows = flying_windows(operations.daylight, project.scenario.grid, calendar)
        first = next((window for window in windows if window[1] > calendar.start), None)
        table["daylight"]["first_window"] = None if first is None else list(first)
    notes = operations.notes(calendar)
    return table | ({"notes": list(notes)} if notes else {})


def operations_lines(table: dict[str, Any], utc_offset_h: float) -> Iterator[str]:
    """The report for people, from :func:`operations_summary`; nothing when no constraint is set."""
    zone = timezone(timedelta(hours=utc_offset_h))
    told = list(_lines(table, zone))
    yield from (f"  {'rules' if index == 0 else '':<10} {line}" for index, line in enumerate(told))


def _lines(table: dict[str, Any], zone: timezone) -> Iterator[str]:
    if "daylight" in table:
        light = table["daylight"]
        window = light.get("first_window")
        first = f"first {_span(window[0], window[1], zone)} local" if window else "never on the planned days"
        after, before = light["after_sunrise_min"], light["before_sunset_min"]
        yield f"drops from {after:g} min after sunrise to {before:g} min before sunset, {first}"
    for row in table.get("grounding", ()):
        yield f"{row['aircraft']} on the ground {_span(row['start'], row['end'], zone)} local"
    for kind, most in table.get("sorties_per_day", {}).items():
        yield f"each {kind} drops at most {counted(most, 'time')} a day"
    if "hard_cap" in table:
        yield f"at most {counted(table['hard_cap'], 'drop')} in all"
    if "no_drop_zone" in table:
        yield f"no drop in {', '.join(row['name'] for row in table['no_drop_zone'])}"
    if "pinned" in table:
        yield f"{counted(len(table['pinned']), 'pinned drop')}"
    yield from table.get("notes", ())


def _span(start: datetime, end: datetime, zone: timezone) -> str:
    begin, stop = start.astimezone(zone), end.astimezone(zone)
    until = f"{stop:%H:%M}" if begin.date() == stop.date() else f"{stop:%Y-%m-%d %H:%M}"
    return f"{begin:%Y-%m-%d %H:%M} to {until}"
