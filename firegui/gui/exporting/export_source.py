"""What an export is made from: the plan that is on screen, as one value that a thread can work on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError
from firegui.fire.left_out import left_out
from firegui.gui.base.tasks import Check
from firegui.gui.session.session import Session
from firegui.io.exporters import refusals
from firegui.io.exporters.content import ExportContent, Occupancy, export_content
from firegui.io.exporters.map_sheet import Sheet
from firegui.io.water import read_water
from firegui.runs.export import run_content

PREVIEW_DPI = 100.0
_COARSE = "the chance of fire is that of the screen, to 1/255"
_COARSE_BASELINE = "the chance of fire without drops is that of the screen, to 1/255"


@dataclass(frozen=True, slots=True, eq=False)
class ExportSource:
    """The shown drops and fires, taken when the dialog opened; ``folder`` is the run's, ``made`` is now."""

    project: Project
    drops: tuple[DropRecord, ...]
    run: str
    plan: Frames | None
    baseline: Frames | None
    folder: Path | None
    made: datetime

    @staticmethod
    def of(session: Session) -> ExportSource:
        """What ``session`` shows just now."""
        result = session.result
        baseline = None if result.against else result.baseline
        return ExportSource(
            result.project or session.project, result.drops, result.title, result.plan, baseline, result.folder,
            datetime.now(UTC).replace(microsecond=0),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PreparedExport:
    """What can be handed over: the plan, why some formats refuse it, and the map as it will be printed.

    ``water`` is the layer that was read for it. ``picture`` is ``None`` where the chosen days are none of the plan.
    """

    content: ExportContent
    water: Path | None
    refused: dict[str, str]
    picture: NDArray[np.uint8] | None


def prepared(
    source: ExportSource, water: Path | None, sheet: Sheet, known: PreparedExport | None, check: Check
) -> PreparedExport:
    """Work out what is handed over on ``sheet``; what ``known`` has of the same ``water`` is not worked out again.

    Raises :class:`~firegui.errors.InputError` for a water layer that cannot be used.
    """
    plain = known.content if known is not None and known.water == water else content_of(source, water)
    check()
    content = replace(plain, sheet=replace(sheet, prepared=sheet.prepared or source.made))
    refused = refusals(content)
    # Late, because drawing takes a moment to load that a window should not take to open.
    draw = import_module("firegui.io.exporters.map_figure").map_picture
    picture = None if "png" in refused else draw(content, PREVIEW_DPI, check)
    return PreparedExport(content, water, refused, picture)


def content_of(source: ExportSource, water: Path | None) -> ExportContent:
    """The plan on screen. Its fires are the run's own where it is that run's kept plan, else those of the screen."""
    project = source.project
    layer = None if water is None else read_water(water, project.scenario.grid)
    kept = _kept(source)
    plan, baseline = (fire_on_screen(frames, project) for frames in (source.plan, source.baseline))
    made, notes = source.made, [_COARSE] if plan is not None or baseline is not None else []
    if kept is not None:
        # A run of old kept no fire without drops; that of the screen is then better than none.
        plan, baseline, made = kept.plan, kept.baseline or baseline, kept.made
        notes = [_COARSE_BASELINE] if kept.baseline is None and baseline is not None else []
    content = export_content(
        project, source.drops, run=source.run, made=made, plan=plan, baseline=baseline, water=layer,
        limits=left_out(project),
    )  # fmt: skip
    return replace(content, notes=(*notes, *content.notes))


def fire_on_screen(frames: Frames | None, project: Project) -> Occupancy | None:
    """The fire at the plan's day boundaries as the screen has it; ``None`` where no frame is of such a time."""
    calendar = project.calendar
    steps = [day * calendar.steps_per_day for day in range(calendar.days + 1)]
    if frames is None or not len(frames.fire) or frames.fire.shape != project.scenario.grid.shape:
        return None
    if any(step % frames.stride for step in steps[:-1]):
        return None
    states = np.stack([frames.fire.picture(frames.index_of_step(step)) for step in steps])
    return Occupancy(states.astype(np.float32) / np.float32(255.0), 0)


def _kept(source: ExportSource) -> ExportContent | None:
    """What the run's folder holds, if that is the plan on screen."""
    if source.folder is None:
        return None
    try:
        saved = run_content(source.folder)
    except InputError:
        return None  # a run at work has no files yet; what is on screen is handed over
    ordered = sorted(source.drops, key=lambda drop: (drop.step, drop.column))
    same = [row.drop for row in saved.rows] == ordered and saved.project.scenario.grid == source.project.scenario.grid
    return saved if same and saved.plan is not None else None
