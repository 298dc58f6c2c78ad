"""State of the window: project, undo stack, selection, shown step and result.

Panels and the map never call each other: they read the session, change it, and receive its signals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from firegui.domain.barriers import Barrier
from firegui.domain.bases import Base, centres_of_burning
from firegui.domain.fleet import Fleet
from firegui.domain.names import without_named
from firegui.domain.operations import Operations
from firegui.domain.project import Project, same_spread
from firegui.domain.regions import Region
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import DropRecord
from firegui.domain.settings import ObjectiveWeights, PlanSettings, Setting
from firegui.domain.units import Units
from firegui.domain.values import ValueLayer
from firegui.errors import InputError
from firegui.gui.session.base_map import BaseMap
from firegui.gui.session.drop_flames import DropFlames
from firegui.gui.session.fire_behaviour import FireBehaviour
from firegui.gui.session.plan_editor import PlanEditor
from firegui.gui.session.undo import ReplaceCommand
from firegui.io.coordinates import CoordinateFormat
from firegui.io.rasters.masks import region_masks
from firegui.runs.stages import Stage
from firegui.runs.titles import short_titles


class Tool(StrEnum):
    """Mouse tools of the map."""

    PAN = "pan"
    RECTANGLE = "rectangle"
    POLYGON = "polygon"
    ZONE = "zone"
    ZONE_POLYGON = "zone-polygon"
    BARRIER = "barrier"
    BARRIER_AREA = "barrier-area"
    BASE = "base"
    EDIT = "edit"
    PROBE = "probe"
    MEASURE = "measure"
    DROP = "drop"


_POSSIBLE = 3
"""Byte of a picture of the fire from which a cell burned at least in one of a hundred cases."""
SHAPE_TOOLS = frozenset(
    {Tool.RECTANGLE, Tool.POLYGON, Tool.ZONE, Tool.ZONE_POLYGON, Tool.EDIT, Tool.BARRIER, Tool.BARRIER_AREA, Tool.BASE}
)
"""Tools that draw or change regions, no-drop zones, barriers and bases."""


class ShapeKind(StrEnum):
    """Kinds of shapes that can be selected and changed on the map."""

    REGION = "region"
    BARRIER = "barrier"
    BASE = "base"


@dataclass(frozen=True, slots=True)
class SelectedShape:
    """Shape that is selected on the map: its kind and name. An empty name selects none."""

    kind: ShapeKind = ShapeKind.REGION
    name: str = ""


class FireView(StrEnum):
    """Fires that the map can show."""

    BASELINE = "baseline"
    PLAN = "plan"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True, eq=False)
class ShownResult:
    """Result on the map.

    Either fire may be missing until a run delivers it.

    Attributes:
        baseline_metrics: Metrics of the first fire. Those of the protected places are not kept up to date when regions
            are edited.
        stale: Inputs were edited since the result was computed.
        project: Project that the result was computed from, which an edited project no longer equals.
        first_drops: Drops of the plan that the first fire belongs to (``against``).
        stage: Stage of the active run when it drew the plan.
        member: Both fires are those of an ensemble member or of a draw of a stress scenario, which the title names.
        mean_of: Number of members whose mean is shown, at the ends of days; 0 for no mean.
        plan_name: Name of the plan if it is not the open project's.
        against: Name of the plan that the first fire belongs to; empty for the fire without drops.
        folder: Folder of the run; ``None`` if the result belongs to no run.
        fire: ``"observed"`` or ``"drawn"`` if both fires are those that a replanned run keeps.
        by_hand: Drops were moved, added or removed by the user since.
        pending: The fire of the edited drops has not been computed yet.
        next_title: Title of the run whose plan is being computed to take the place of this one.
        is_cautious: The plan's fire is that of a run at work, at design effectiveness.
    """

    title: str = ""
    baseline: Frames | None = None
    baseline_metrics: Metrics | None = None
    plan: Frames | None = None
    plan_metrics: Metrics | None = None
    drops: tuple[DropRecord, ...] = ()
    first_drops: tuple[DropRecord, ...] = ()
    epoch: int = -1
    stale: bool = False
    project: Project | None = None
    stage: Stage = Stage.OPTIMIZE
    member: bool = False
    mean_of: int = 0
    plan_name: str = ""
    against: str = ""
    folder: Path | None = None
    fire: str = ""
    by_hand: bool = False
    pending: bool = False
    next_title: str = ""
    is_cautious: bool = False

    @property
    def is_sample(self) -> bool:
        """Whether the fires are those of an ensemble or of a stress scenario, instead of a plan's own."""
        return self.member or self.mean_of > 0

    @property
    def is_aside(self) -> bool:
        """Whether it is of an analysis or a comparison, instead of a run or the project's fire without drops."""
        return self.is_sample or bool(self.against or (self.plan_name and not self.by_hand))

    @property
    def names(self) -> tuple[str, str]:
        """Names of the first fire and of the plan's fire."""
        return self.against or "no drops", self.plan_name or "plan"

    @property
    def short_names(self) -> tuple[str, str]:
        """Names of the first fire and of the plan's fire where there is little room."""
        first, second = short_titles(*self.names)
        return first, second

    def drops_in(self, view: FireView) -> tuple[DropRecord, ...]:
        """Return the drops of the plan whose fire a view shows; none for the difference of two plans."""
        if self.against and view is FireView.DIFFERENCE:
            return ()
        return self.first_drops if view is FireView.BASELINE else self.drops


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedRegions:
    """Regions that the fire without drops of a project does not reach, and the cells that it may burn."""

    project: Project | None = None
    fire: Frames | None = None
    burned: NDArray[np.bool_] | None = None
    regions: tuple[Region, ...] = ()
    unreached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _BurnedAtStart:
    """Cells that have burned at the start of a fire, and those of them in regions."""

    fire: Frames | None = None
    regions: tuple[Region, ...] = ()
    cells: float = 0.0
    in_regions: float = 0.0


class DrawingOptions(QObject):
    """Options of drawing on the map: snapping, and the format of coordinates."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.snap_corners = self.snap_cells = False
        self.coordinates = CoordinateFormat.DDM

    def set_snap_corners(self, on: bool) -> None:
        """Set whether corners snap to near corners of other shapes."""
        self._set("snap_corners", on)

    def set_snap_cells(self, on: bool) -> None:
        """Set whether corners snap to the corners of cells."""
        self._set("snap_cells", on)

    def set_coordinates(self, form: CoordinateFormat) -> None:
        """Set how places are written."""
        self._set("coordinates", form)

    def _set(self, option: str, on: object) -> None:
        if on != getattr(self, option):
            setattr(self, option, on)
            self.changed.emit()


class Session(QObject):
    """State shared by the panels and the map.

    Signals carry nothing or a plain value; receivers read the state from the session.
    """

    project_opened = Signal()
    """Another project was opened; everything must be rebuilt."""
    folder_changed = Signal()
    """The open project has another folder from now on."""
    project_edited = Signal()
    """The project value changed (edit, undo, redo)."""
    regions_changed = Signal()
    values_changed = Signal()
    barriers_changed = Signal()
    operations_changed = Signal()
    fleet_changed = Signal()
    plan_changed = Signal()
    region_selected = Signal(str)
    shape_selected = Signal()
    """Another region, barrier or base is selected, or none."""
    region_shown = Signal(str)
    """A region was chosen beside the map, which must bring it into view."""
    step_changed = Signal(int)
    play_requested = Signal()
    """The fires on the map are to be played from the step on."""
    tool_changed = Signal(str)
    view_changed = Signal(str)
    side_by_side_changed = Signal(bool)
    result_changed = Signal()
    dirty_changed = Signal(bool)
    message = Signal(str)
    """A short line for the status bar."""
    refused = Signal(object)
    """The :class:`InputError` of a refused edit or file. Nothing was changed; the window shows the error."""
    map_edit_refused = Signal(str)
    """Why an edit on the map was refused, said at the map."""
    awaited_changed = Signal(str)
    backend_changed = Signal(str)
    units_changed = Signal()
    device_changed = Signal(str)
    deleted = Signal(str)
    """What was just deleted, as a sentence. One step of undo brings it back."""
    undone = Signal(str)
    redone = Signal(str)
    """Name of the edit that was just undone or done again."""
    next_run_changed = Signal()
    """The stages or the start schedule of the next run changed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self)
        # A method, not a lambda: Qt must be able to disconnect it if the session is deleted before its undo stack.
        self.undo_stack.cleanChanged.connect(self._on_clean)
        self._kept_edits, self._lost_edits = 0, tuple[str, ...]()
        """Saved edits that are still on the stack, once the saved state is not; and those that left it."""
        self._project: Project | None = None
        self._own_weights: ObjectiveWeights | None = None
        self._folder: Path | None = None
        self._source: Path | None = None
        self._step = 0
        self._tool = Tool.PAN
        self._view = FireView.PLAN
        self._side_by_side = False
        self._selected = SelectedShape()
        self._result = ShownResult()
        self._judged, self._at_start = _JudgedRegions(), _BurnedAtStart()
        self._awaited = ""
        self._backend = "auto"
        self._units = Units.METRIC
        self._devices: dict[str, str] = {}
        self._stages: tuple[Stage, ...] = (Stage.OPTIMIZE, Stage.PRUNE)
        self._start_file: Path | None = None
        self.plan_editor = PlanEditor(self)
        """Editor of the drops of the shown plan."""
        self.ground = BaseMap(self)
        self.behaviour = FireBehaviour(self)
        self.drop_flames = DropFlames(self)
        self.project_opened.connect(self.drop_flames.forget)
        self.drawing = DrawingOptions(self)

    # -- the project -------------------------------------------------------------------------------------------------
    @property
    def project(self) -> Project:
        """The open project. Raises ``RuntimeError`` without one; check :attr:`has_project` first."""
        if self._project is None:
            raise RuntimeError("no project is open")
        return self._project

    @property
    def has_project(self) -> bool:
        """Whether a project is open."""
        return self._project is not None

    @property
    def folder(self) -> Path | None:
        """Folder of the project."""
        return self._folder

    @property
    def source(self) -> Path | None:
        """Folder that the project was read from, with its runs and tables: its own, or another window's."""
        return self._source

    @property
    def is_read_only(self) -> bool:
        """Whether another window has the project's folder. The project can be saved elsewhere only."""
        return self._folder is None and self._source is not None

    @property
    def is_dirty(self) -> bool:
        """Whether there are unsaved edits."""
        return not self.undo_stack.isClean()

    @property
    def unsaved_edits(self) -> tuple[str, ...]:
        """Names of the edits between the saved project and the open one, the oldest first; undone ones say so."""
        saved, now = self._saved_index, self.undo_stack.index()
        undone = [*self._edits_between(now, saved), *self._lost_edits]
        made = self._edits_between(saved, now)
        return tuple(dict.fromkeys([*(f"undo: {text}" for text in reversed(undone)), *made]))

    def _edits_between(self, first: int, end: int) -> list[str]:
        return [self.undo_stack.text(number) for number in range(first, end)]

    @property
    def _saved_index(self) -> int:
        """Number of saved edits that are still on the undo stack."""
        clean = self.undo_stack.cleanIndex()
        return clean if clean >= 0 else self._kept_edits

    def push(self, command: QUndoCommand) -> None:
        """Apply an edit as one undoable step, after which edits that were undone cannot be repeated."""
        saved, now = self._saved_index, self.undo_stack.index()
        if now < saved:
            self._lost_edits = (*self._edits_between(now, saved), *self._lost_edits)
        self._kept_edits = min(saved, now)
        self.undo_stack.push(command)

    def mark_unsaved(self) -> None:
        """Record that the folder has another project than the one that was saved there."""
        self._kept_edits = self._saved_index
        self.undo_stack.resetClean()

    def open_project(self, project: Project, folder: Path | None, source: Path | None = None) -> None:
        """Show another project, with an empty undo stack and no result.

        It is read-only if it has only a ``source``.
        """
        self._project, self._folder, self._step, self._selected = project, folder, 0, SelectedShape()
        self._own_weights = _own_weights(project, None)
        self._source = folder or source
        self._result, self._judged, self._at_start = ShownResult(), _JudgedRegions(), _BurnedAtStart()
        self.set_side_by_side(False)
        self._lost_edits = ()
        self.undo_stack.clear()
        self.set_start_file(None)
        self.project_opened.emit()
        self.result_changed.emit()
        self.step_changed.emit(0)

    def _on_clean(self, clean: bool) -> None:
        self.dirty_changed.emit(not clean)

    def mark_saved(self, folder: Path) -> None:
        """Record that the project was saved to ``folder``."""
        moved, self._folder, self._source = folder != self._folder, folder, folder
        self._lost_edits = ()
        self.undo_stack.setClean()
        if moved:
            self.folder_changed.emit()

    def undo(self) -> None:
        """Undo the last edit, and tell which one.

        After the first edit of a plan's drops it also tells which edit of the project comes next.
        """
        stack = self.undo_stack
        text, was_project = stack.undoText(), self._edits_project(stack.index() - 1)
        stack.undo()
        if not was_project and self._edits_project(stack.index() - 1):
            text = f"{text}. Next undo, in the project: {stack.undoText()}"
        # First what is over ends, also an earlier message.
        self.undone.emit(text)
        self.message.emit(f"Undone: {text}")

    def _edits_project(self, number: int) -> bool:
        """Return whether a step of the undo stack edits the project, not the drops of the plan on the map."""
        command = self.undo_stack.command(number) if number >= 0 else None
        return isinstance(command, ReplaceCommand) and command.uses(self._set_state)

    def redo(self) -> None:
        """Repeat the edit that was undone last, and tell which one."""
        text = self.undo_stack.redoText()
        self.undo_stack.redo()
        self.redone.emit(text)
        self.message.emit(f"Redone: {text}")

    def edit(self, text: str, project: Project, merge: int = -1) -> None:
        """Replace the project as one undoable step called ``text``.

        Consecutive steps with equal ``merge`` ≥ 0 are joined.
        """
        own = self._own_weights
        before, after = (self.project, own), (project, _own_weights(project, own))
        self.push(ReplaceCommand(text, self._set_state, before, after, merge))

    def set_regions(self, text: str, regions: Sequence[Region], merge: int = -1) -> None:
        """Change the protected regions as one undoable step."""
        self.edit(text, replace(self.project, regions=tuple(regions)), merge)

    def set_values(self, text: str, layers: Sequence[ValueLayer]) -> None:
        """Change the layers of values at risk as one undoable step."""
        self.edit(text, replace(self.project, values=tuple(layers)))

    def set_barriers(self, text: str, barriers: Sequence[Barrier]) -> None:
        """Change the barriers as one undoable step."""
        self.edit(text, replace(self.project, barriers=tuple(barriers)))

    def set_operations(self, text: str, operations: Operations, merge: int = -1) -> None:
        """Change the operational constraints as one undoable step."""
        self.edit(text, replace(self.project, operations=operations), merge)

    def set_planned_fleet(self, text: str, fleet: Fleet) -> None:
        """Replace the whole fleet as one undoable step.

        ``grounded_days`` are days of the current plan; no other groundings remain.
        """
        self.edit(text, self.project.with_fleet(fleet))

    def edit_planned_fleet(self, text: str, fleet: Fleet, renamed: Mapping[str, str] | None = None) -> None:
        """Change part of the fleet as one undoable step: groundings on dates outside the plan stay.

        ``fleet`` has its ``grounded_days`` as days of the current plan, as from ``project.planned_fleet``. ``renamed``
        maps a type's former id to its new one.
        """
        project, calendar = self.project, self.project.calendar
        edited = project.with_fleet(fleet)
        former = {new: old for old, new in (renamed or {}).items()}
        grounded = {}
        for kind in edited.fleet.types:
            dates = project.grounded.get(former.get(kind.id, kind.id), ())
            outside = [when for when in dates if not 0 <= calendar.day_of_date(when) < calendar.days]
            grounded[kind.id] = tuple(sorted({*outside, *edited.grounded[kind.id]}))
        self.edit(text, replace(edited, grounded=grounded))

    def delete_region(self, name: str) -> None:
        """Delete the region called ``name`` as one undoable step; do nothing if there is none."""
        kept = without_named(self.project.regions, [name])
        if len(kept) < len(self.project.regions):
            self.set_regions(f"delete {name}", kept)
            self.deleted.emit(f"Region {name} was deleted.")

    def delete_barriers(self, names: Sequence[str]) -> None:
        """Delete the barriers of these names as one undoable step."""
        if names:
            listed = ", ".join(names)
            self.set_barriers(f"delete {listed}", without_named(self.project.barriers, names))
            several = len(names) > 1
            self.deleted.emit(f"Barrier{'s' * several} {listed} {'were' if several else 'was'} deleted.")

    def delete_base(self, name: str) -> None:
        """Delete the base called ``name`` as one undoable step."""
        operations = self.project.operations
        self.set_operations(f"delete {name}", replace(operations, bases=without_named(operations.bases, [name])))
        self.deleted.emit(f"Base {name} was deleted.")

    def delete_shape(self, kind: ShapeKind, name: str) -> None:
        """Delete a region, barrier or base as one undoable step."""
        match kind:
            case ShapeKind.REGION:
                self.delete_region(name)
            case ShapeKind.BARRIER:
                self.delete_barriers([name])
            case ShapeKind.BASE:
                self.delete_base(name)

    def set_plan(self, text: str, plan: PlanSettings, merge: int = -1) -> None:
        """Change the plan settings as one undoable step."""
        self.edit(text, replace(self.project, plan=plan), merge)

    @property
    def own_weights(self) -> ObjectiveWeights | None:
        """The user's own weights, also while another goal is chosen; ``None`` for none so far."""
        return self._own_weights

    def _set_state(self, state: tuple[Project, ObjectiveWeights | None]) -> None:
        """Apply the project and the own weights of an edit, or of an undone one."""
        project, self._own_weights = state
        self._set_project(project)

    def _with_centres(self, project: Project) -> Project:
        """Return ``project`` with where its fire burns, if turnarounds need it and the map shows it."""
        fire = self.no_drops_fire
        if fire is None or project.burning_centres or not project.operations.serves(project.fleet):
            return project
        shown = self._result.project or project
        if not len(fire.fire) or not same_spread(shown, project):
            return project
        calendar, last = project.calendar, len(fire.fire) - 1
        ends = (day * calendar.steps_per_day for day in range(calendar.days + 1))
        pictures = [fire.fire.picture(min(round(step / fire.stride), last)) for step in ends]
        return project.with_centres(centres_of_burning(pictures), is_preview=True)

    def _learn_centres(self) -> None:
        """Show turnarounds from bases once the fire without drops is known. This is no edit."""
        if self._project is None:
            return
        known = self._with_centres(self._project)
        if known is not self._project:
            self._project = known
            self.fleet_changed.emit()
            self.operations_changed.emit()

    def _set_project(self, project: Project) -> None:
        project = self._with_centres(project)
        before, self._project = self._project, project
        if self._selected.name and self._selected.name not in {shape.name for shape in self._selectable()}:
            self.select_region("")
        if before is None or before.regions != project.regions:
            self.regions_changed.emit()
        if before is None or before.values != project.values:
            self.values_changed.emit()
        if before is None or before.barriers != project.barriers:
            self.barriers_changed.emit()
        if before is None or before.operations != project.operations:
            self.operations_changed.emit()
        if before is None or before.fleet != project.fleet or before.grounded != project.grounded:
            self.fleet_changed.emit()
        if before is None or before.plan != project.plan:
            self.plan_changed.emit()
        if self._result.baseline is not None or self._result.plan is not None:
            self.show_result(replace(self._result, stale=True))
        self.set_step(self._step)
        self.project_edited.emit()

    def refuse(self, error: InputError) -> None:
        """Emit :attr:`refused` with ``error``, without options of the command line."""
        self.refused.emit(error.for_window())

    def refuse_map_edit(self, reason: str) -> None:
        """Say at the map and in the status bar why an edit on the map was refused."""
        self.message.emit(reason)
        self.map_edit_refused.emit(reason)

    # -- the device --------------------------------------------------------------------------------------------------
    @property
    def backend(self) -> str:
        """Backend of the next run: ``auto``, ``reference``, ``cpu`` or ``cuda``. Not part of the project."""
        return self._backend

    @property
    def units(self) -> Units:
        """Units in which quantities are shown."""
        return self._units

    def set_units(self, units: Units) -> None:
        """Set the units in which quantities are shown."""
        if units is not self._units:
            self._units = units
            self.units_changed.emit()

    def set_backend(self, name: str) -> None:
        """Set the backend of the next run."""
        if name != self._backend:
            self._backend = name
            self.backend_changed.emit(name)

    @property
    def device(self) -> str:
        """Device of the chosen backend (``the CPU``); empty until a run has reported it."""
        return self._devices.get(self._backend, "")

    def set_device(self, backend: str, name: str) -> None:
        """Record that runs with ``backend`` compute on the device ``name``."""
        self._devices[backend] = name
        self.device_changed.emit(self.device)

    # -- the next run ------------------------------------------------------------------------------------------------
    @property
    def stages(self) -> tuple[Stage, ...]:
        """Stages of the next run: both or the first. Not part of the project."""
        return self._stages

    def set_stages(self, stages: tuple[Stage, ...]) -> None:
        """Set the stages of the next run."""
        if stages != self._stages:
            self._stages = stages
            self.next_run_changed.emit()

    @property
    def start_file(self) -> Path | None:
        """Schedule that the next run starts from; ``None`` follows the settings. Not part of the project."""
        return self._start_file

    def set_start_file(self, file: Path | None) -> None:
        """Set the schedule that the next run starts from, or none."""
        if file != self._start_file:
            self._start_file = file
            self.next_run_changed.emit()

    # -- what is shown -----------------------------------------------------------------------------------------------
    @property
    def selected_shape(self) -> SelectedShape:
        """The selected region, barrier or base."""
        return self._selected

    @property
    def selected_region(self) -> str:
        """Name of the selected region, or empty."""
        return self.selected_name(ShapeKind.REGION)

    def selected_name(self, kind: ShapeKind) -> str:
        """Return the name of the selected shape, or empty if it is not of this kind."""
        return self._selected.name if self._selected.kind is kind else ""

    def select_shape(self, kind: ShapeKind, name: str) -> None:
        """Select a shape by name; empty selects none, of any kind."""
        before, self._selected = self._selected, SelectedShape(kind, name) if name else SelectedShape()
        if self._selected == before:
            return
        region = before.name if before.kind is ShapeKind.REGION else ""
        if region != self.selected_region:
            self.region_selected.emit(self.selected_region)
        self.shape_selected.emit()

    def select_region(self, name: str) -> None:
        """Select a region by name; empty selects none."""
        self.select_shape(ShapeKind.REGION, name)

    def _selectable(self) -> Sequence[Region | Barrier | Base]:
        """Return all shapes of the kind that is selected."""
        match self._selected.kind:
            case ShapeKind.BARRIER:
                return self.project.barriers
            case ShapeKind.BASE:
                return self.project.operations.bases
        return self.project.regions

    def show_region(self, name: str) -> None:
        """Select a region that is not selected yet, and bring it into view on the map."""
        if name != self.selected_region:
            self.select_region(name)
            self.region_shown.emit(name)

    @property
    def step(self) -> int:
        """The shown step, 0 … T."""
        return self._step

    def set_step(self, step: int) -> None:
        """Show another step; clamped to 0 … T."""
        last = self.project.calendar.n_steps if self._project is not None else 0
        step = min(max(step, 0), last)
        if step != self._step:
            self._step = step
            self.step_changed.emit(step)

    @property
    def tool(self) -> Tool:
        """The active map tool."""
        return self._tool

    def set_tool(self, tool: Tool) -> None:
        """Select the mouse tool of the map."""
        if tool is not self._tool:
            self._tool = tool
            self.tool_changed.emit(tool.value)

    @property
    def view(self) -> FireView:
        """Baseline, plan or difference."""
        return self._view

    def set_view(self, view: FireView) -> None:
        """Show a single map with this fire."""
        self.set_side_by_side(False)
        if view is not self._view:
            self._view = view
            self.view_changed.emit(view.value)

    @property
    def side_by_side(self) -> bool:
        """Whether baseline, plan and difference are shown side by side, instead of :attr:`view` alone."""
        return self._side_by_side

    def set_side_by_side(self, on: bool) -> None:
        """Show all three maps, or one; all three need both fires."""
        on = on and self._result.baseline is not None and self._result.plan is not None
        if on != self._side_by_side:
            self._side_by_side = on
            self.side_by_side_changed.emit(on)

    @property
    def result(self) -> ShownResult:
        """Result on the map."""
        return self._result

    @property
    def no_drops_fire(self) -> Frames | None:
        """Fire without drops of the open project and its days; ``None`` while it is not on the map.

        The first fire of a comparison, an ensemble or a replanned run is another one.
        """
        result = self._result
        is_other = bool(result.against or result.fire) or result.is_sample
        if is_other or self._project is None or not same_spread(result.project or self._project, self._project):
            return None
        return result.baseline

    @property
    def unreached_regions(self) -> tuple[str, ...]:
        """Names of the regions that the fire without drops does not reach; none before that fire is known.

        It counts after another result is shown, as long as the fire of the project is the same.
        """
        project, fire = self._project, self.no_drops_fire
        if project is None:
            return ()
        shape = project.scenario.grid.shape
        if fire is not None and len(fire.fire) and fire.fire.shape == shape and fire is not self._judged.fire:
            burned = fire.fire.picture(len(fire.fire) - 1) >= _POSSIBLE
            self._judged = _JudgedRegions(project, fire, burned)
        judged = self._judged
        if judged.project is None or judged.burned is None or not same_spread(judged.project, project):
            return ()
        if judged.regions != project.regions:
            masks = zip(project.regions, region_masks(project.regions, shape), strict=True)
            names = tuple(each.name for each, mask in masks if not (mask & judged.burned).any())
            judged = self._judged = replace(judged, regions=project.regions, unreached=names)
        return judged.unreached

    def burned_at_start(self, regions: tuple[Region, ...]) -> tuple[float, float] | None:
        """Return the cells that have burned when the first fire on the map starts, and those in regions.

        ``None`` without that fire. They are counted once, because the map asks at every repaint.
        """
        fire = self._result.baseline
        if fire is None:
            return None
        if fire is not self._at_start.fire or regions != self._at_start.regions:
            burned = fire.fire.picture(0) / 255.0
            inside = burned[region_masks(regions, burned.shape).any(axis=0)]
            self._at_start = _BurnedAtStart(fire, regions, float(burned.sum()), float(inside.sum()))
        return self._at_start.cells, self._at_start.in_regions

    @property
    def awaited(self) -> str:
        """Text on what is being computed for the map; empty for nothing."""
        return self._awaited

    def set_awaited(self, text: str) -> None:
        """Set the text on what is being computed for the map."""
        if text != self._awaited:
            self._awaited = text
            self.awaited_changed.emit(text)

    def show_result(self, result: ShownResult) -> None:
        """Show a result.

        The view changes to the plan when one appears, and to the baseline without one.
        """
        had_plan, self._result = self._result.plan is not None, result
        if result.plan is None and result.baseline is not None:
            self.set_view(FireView.BASELINE)
        elif result.plan is not None and not had_plan:
            self.set_view(FireView.PLAN)
        self.set_side_by_side(self._side_by_side)
        self._learn_centres()
        self.result_changed.emit()


def _own_weights(project: Project, before: ObjectiveWeights | None) -> ObjectiveWeights | None:
    """Return the user's own weights: those of ``project`` if it has some, else those ``before``."""
    return project.plan.weights if project.plan.setting is Setting.CUSTOM else before
