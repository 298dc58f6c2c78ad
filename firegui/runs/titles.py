"""Titles of runs, and what a run says about the plan that it begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from firegui.domain.project import Project, differing_words, fleet_words
from firegui.domain.settings import SETTING_SHORT, PlanSettings, Setting, goal_short, goal_text
from firegui.errors import InputError
from firegui.runs.notes import read_name
from firegui.runs.run_folder import RUN, STORE
from firegui.runs.stages import Stage

_MOST_WORDS = 2
"""Inputs that a title names."""
_SHORT = 20
"""Most characters of a name that buttons and scales have room for."""
_RUN = "Run"
"""Word before the number of a run in its title."""
REPLAN = "replan"
"""End of the name of a replanned run's folder."""
KEPT = "kept"
"""End of the name of the folder with a plan of another run, kept as it was."""
_KINDS = {
    Stage.PRUNE.value: "drops removed", Stage.TACTICAL.value: "quick plan", Stage.KEEP.value: "edited by hand",
    REPLAN: "replanned", KEPT: "kept plan",
}  # fmt: skip


def run_label(
    project: Project, before: Project | None = None, first: Project | None = None, *, is_continued: bool = False
) -> str:
    """Return the title of a new run of ``project`` before its time: its goal in plain words.

    Beside a run of the same goal ``before``, the first inputs that differ precede it: ``8 aircraft, whole fire``. A
    fleet that differs from that of the ``first`` run is always named, also beside runs that have it, too.
    ``is_continued`` says that the run begins with another plan.
    """
    words = () if before is None else differing_words(before, project)
    has_new_fleet = before is not None and bool(fleet_words(before, project))
    if first is not None and not has_new_fleet and (fleet := fleet_words(first, project)):
        words = (fleet, *words)
    return as_title(*(["continued"] if is_continued else []), *words[:_MOST_WORDS], goal_short(project.plan))


def as_title(*parts: str) -> str:
    """Return the parts of a title in a row; only the first begins with a capital letter.

    What tells runs apart comes first: a list has little room, and titles that begin alike look the same.
    """
    said = ", ".join(f"{part[:1].lower()}{part[1:]}" for part in parts if part)
    return f"{said[:1].upper()}{said[1:]}"


def run_title(
    folder: Path, others: Iterable[Path] | None = None, label: str = "", number: int | None = None, kind: str = ""
) -> str:
    """Return the title of a run, by its number and goal: ``Run 3, whole fire``.

    Without a ``number`` it has the goal and the time: ``Whole fire, 19 Aug 14:24``, with seconds where one of
    ``others``, by default the folders beside it, would have the same title. A ``label`` stands in place of the goal of
    the folder's name. Before it stands ``kind``, and that the run only removes drops, replans or is the quick plan by
    rule. A folder whose name has another form is its own title.
    """
    if _time_of(folder.name) is None:
        return as_title(kind, folder.name) if kind else folder.name
    if number is not None:
        return as_title(f"{_RUN} {number}", kind, _words(folder.name, label))
    if others is None:
        others = folder.parent.iterdir() if folder.parent.is_dir() else ()
    bare = _timed_title(folder.name, "%H:%M")
    is_alone = all(other.name == folder.name or _timed_title(other.name, "%H:%M") != bare for other in others)
    return as_title(kind, _timed_title(folder.name, "%H:%M" if is_alone else "%H:%M:%S", label))


def short_title(title: str) -> str:
    """Return the number of a run, ``Run 3``, for a title that begins with it; any other title as it is."""
    found = re.match(rf"{_RUN} \d+(?=, )", title)
    return found[0] if found else title


def short_titles(*titles: str) -> tuple[str, ...]:
    """Return what compared plans are called where there is little room: ``Run 3``.

    Where a name is too long for that, or two are alike, they are ``Plan 1``, ``Plan 2`` and so on.
    """
    short = tuple(map(short_title, titles))
    if len(set(short)) == len(short) and all(0 < len(name) <= _SHORT for name in short):
        return short
    return tuple(f"Plan {number}" for number in range(1, len(titles) + 1))


def compared_titles(*titles: str) -> tuple[str, ...]:
    """Return the titles of compared plans, each after its name of :func:`short_titles` if that differs."""
    return tuple(
        title if title.startswith(short) else f"{short}: {title}"
        for short, title in zip(short_titles(*titles), titles, strict=True)
    )


def made_text(folder: Path) -> str:
    """Return when a run was made, by the name of its folder: ``19 Aug 14:24``.

    Empty for a name of another form.
    """
    when = _time_of(folder.name)
    return "" if when is None else f"{when.day} {when:%b %H:%M}"


def _time_of(name: str) -> datetime | None:
    try:
        return datetime.strptime("-".join(name.split("-")[:2]), "%Y%m%d-%H%M%S")
    except ValueError:
        return None


def _words(name: str, label: str) -> str:
    """Return the kind and the goal of the run in a folder called ``name``, which has the form of a run's."""
    setting, kind = (*name.split("-")[2:4], "", "")[:2]
    goal = SETTING_SHORT[Setting(setting)] if setting in set(Setting) else setting
    return as_title(_KINDS.get(kind, ""), label or goal)


def _timed_title(name: str, clock: str, label: str = "") -> str:
    when, parts = _time_of(name), name.split("-")
    if when is None:
        return name
    count = f" ({parts[4]})" if len(parts) > 4 else ""
    return f"{_words(name, label)}, {when.day} {when:%b} {when.strftime(clock)}{count}"


def schedule_title(file: Path) -> str:
    """Return what people call a schedule, a file or the folder of a run.

    That is the name or title of its run, else the name of the file.
    """
    folder = file if (file / RUN).is_file() else file.parent
    if not (folder / RUN).is_file():
        return run_title(file, ())
    with suppress(InputError):
        if name := read_name(folder):
            return name
    label, number = "", None
    with suppress(InputError):
        header = STORE.read(folder)
        label, number = header.label, header.number
    return run_title(folder, label=label, number=number)


def warm_start_text(file: Path, plan: PlanSettings) -> str:
    """Return that a run of the settings ``plan`` begins with the schedule in ``file``, with its goal.

    Where the schedule is that of a run with another goal, both are named.
    """
    begins = f"begins with the plan of {schedule_title(file)}"
    with suppress(InputError):
        then = STORE.read(file.parent).project.plan if (file.parent / RUN).is_file() else plan
        if then.weights != plan.weights:
            return f"{begins}, made for another goal ({goal_text(then)}); the goal of this run: {goal_text(plan)}"
    return f"{begins}; goal: {goal_text(plan)}"
