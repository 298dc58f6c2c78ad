"""Dialog that exports the shown plan in every format, and the value that the files are made from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from firegui.domain.drops import DropList
from firegui.domain.plan_summary import VERDICT
from firegui.domain.project import Project, changes_text
from firegui.domain.regions import Region
from firegui.domain.results import Frames
from firegui.domain.schedule import DropRecord
from firegui.errors import Check, FireguiError, InputError, Problem
from firegui.fire.behaviour_rasters import strongest_fire
from firegui.fire.drop_flames import flame_lengths
from firegui.fire.model_caveats import model_caveats
from firegui.gui.base.breaking_label import BreakingLabel
from firegui.gui.base.dialogs import Dialog, confirm_replace, show_problems
from firegui.gui.base.layouts import column, horizontal, muted_label, plain_label, row, splitter, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.screen_geometry import resize_on_screen
from firegui.gui.base.tasks import LatestTask
from firegui.gui.exporting.export_options import FileNames, FormatList, MapSheetForm, PagePreview
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.export_folder import ExportFolder, export_stem
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.widgets.fields import NameComboBox, PathField
from firegui.gui.widgets.vertical_scroll_area import FittedScrollArea, VerticalScrollArea
from firegui.io.exporters import PROPOSAL_FORMATS, file_names, refusals
from firegui.io.exporters.content import ExportContent, Occupancy, Sheet, WrittenDrops, export_content
from firegui.io.vectors.water import read_water
from firegui.runs.export import damaged_exports, hand_over, make_again, run_content, unfinished_text
from firegui.runs.messages import counted

PREVIEW_DPI = 100.0
_COARSE = "the chance of fire is that of the screen, to 1/255"
_SOME_DROPS = "{} of the plan's {} drops, those that were selected; the fire is that of the whole plan"
_OTHER_REGIONS = "the protected regions are those on the map; the plan was made with others ({})"
_COARSE_BASELINE = "the chance of fire without drops is that of the screen, to 1/255"


@dataclass(frozen=True, slots=True, eq=False)
class ExportSource:
    """Drops and fires of a plan when the dialog opened.

    ``folder`` is the run's, ``made`` is the time of the export. ``fire`` is the kind of fire that a replanned run
    stores. ``changes`` are what changed since the plan was made. ``regions`` are those on the map, which may have been
    edited since the run. ``numbers`` are those of the whole plan's drops, and ``of_drops`` how many they are, where
    ``drops`` were selected.
    """

    project: Project
    drops: tuple[DropRecord, ...]
    run: str
    plan: Frames | None
    baseline: Frames | None
    folder: Path | None
    made: datetime
    fire: str = ""
    regions: tuple[Region, ...] | None = None
    of_drops: int | None = None
    numbers: Mapping[tuple[int, int], int] = field(default_factory=dict)
    changes: tuple[str, ...] = ()

    @staticmethod
    def of(session: Session, only: Collection[tuple[int, int]] = (), result: ShownResult | None = None) -> ExportSource:
        """Return ``result``, by default what ``session`` shows now.

        With all drops, or those at ``only`` (step and column).
        """
        result = session.result if result is None else result
        drops = tuple(drop for drop in result.drops if not only or (drop.step, drop.column) in only)
        baseline, numbers = None if result.against else result.baseline, DropList.of(result.drops).numbers
        # Frequencies and hazards are those of now, whenever the plan was made.
        project = (result.project or session.project).with_notes_of(session.project)
        return ExportSource(
            project, drops, result.title, result.plan, baseline, result.folder,
            datetime.now(UTC).replace(microsecond=0), result.fire, session.project.regions,
            len(numbers) if only else None, numbers,
            changes_text(result.project, session.project, unreached=session.unreached_regions) if result.stale else (),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PreparedExport:
    """Content of an export: the plan, the reasons why formats refuse it, and the map as printed.

    ``water`` is the layer that was read for it. ``picture`` is ``None`` if the chosen days are outside the plan.
    ``damaged`` are files of the run, which are made again before anything is written; until then the content is that of
    the screen.
    """

    content: ExportContent
    water: Path | None
    refused: dict[str, str]
    picture: NDArray[np.uint8] | None
    damaged: tuple[str, ...] = ()


def prepare_export(
    source: ExportSource, water: Path | None, sheet: Sheet, known: PreparedExport | None, check: Check
) -> PreparedExport:
    """Prepare an export on ``sheet``; reuse the content of ``known`` if its ``water`` is the same.

    Raises :class:`~firegui.errors.InputError` for a water layer and a run that cannot be used.
    """
    is_same = known is not None and known.water == water and not known.damaged
    plain = known.content if known is not None and is_same else content_of(source, water)
    damaged = () if is_same or source.folder is None else damaged_exports(source.folder)
    check()
    content = replace(plain, sheet=replace(sheet, prepared=sheet.prepared or source.made))
    refused = refusals(content)
    # Imported late: the drawing code loads slowly, and the window must open quickly.
    draw = import_module("firegui.io.exporters.map_figure").map_picture
    picture = None if "png" in refused else draw(content, PREVIEW_DPI, check)
    return PreparedExport(content, water, refused, picture, damaged)


def write_export(
    source: ExportSource, ready: PreparedExport, drops: WrittenDrops, formats: Sequence[str], folder: Path,
    stem: str | None, tell: Callable[[str], None], check: Check,
) -> list[Path]:  # fmt: skip
    """Make damaged files of the run again and write what was prepared.

    ``tell`` receives the name of each file, and what is done before the first.
    """
    content = ready.content
    if ready.damaged and source.folder is not None:
        tell(_MAKING)
        make_again(source.folder)
        run_content(source.folder)  # raises what is still wrong
        content = replace(content_of(source, ready.water), sheet=content.sheet)
    return hand_over(content.only(drops), formats, folder, stem, check, tell)


def content_of(source: ExportSource, water: Path | None) -> ExportContent:
    """Return the content of an export of the shown plan.

    Its fires are those of its run if it is that run's saved plan, else the shown ones.
    """
    project = source.project
    layer = None if water is None else read_water(water, project.scenario.grid)
    kept = _kept(source)
    plan, baseline = (fire_on_screen(frames, project) for frames in (source.plan, source.baseline))
    made, notes = source.made, [_COARSE] if plan is not None or baseline is not None else []
    if kept is not None:
        # Old runs saved no fire without drops. The shown one is better than none.
        plan, baseline, made = kept.plan, kept.baseline or baseline, kept.made
        notes = [_COARSE_BASELINE] if kept.baseline is None and baseline is not None else []
    content = export_content(
        project, source.drops, run=source.run, made=made, plan=plan, baseline=baseline, water=layer,
        limits=model_caveats(project), numbers=source.numbers,
        unfinished="" if source.folder is None else unfinished_text(source.folder), changes=source.changes,
        flames=flame_lengths(project, source.drops),
    )  # fmt: skip
    if source.of_drops is not None:
        notes.append(_SOME_DROPS.format(len(source.drops), source.of_drops))
    if source.fire:
        notes.append(f"the fire is the {source.fire} one, which the replanned run keeps")
    if source.regions is not None and source.regions != project.regions:
        weighed = project.protected_regions
        # The goal of the plan does not count a region that was drawn, or got a weight, since.
        regions = tuple(each if each.name in weighed else replace(each, weight=0.0) for each in source.regions)
        content = replace(content, project=replace(project, regions=regions), has_other_regions=True)
        notes.append(_OTHER_REGIONS.format(", ".join(region.name for region in project.regions) or "none"))
    stress = None if kept is None else kept.stress
    behaviour = partial(strongest_fire, project)
    return replace(content, notes=(*notes, *content.notes), fire=source.fire, stress=stress, behaviour=behaviour)


def fire_on_screen(frames: Frames | None, project: Project) -> Occupancy | None:
    """Return the shown fire at the day boundaries, interpolated between frames.

    A boundary between two frames has the fire on the straight line from one to the other.

    ``None`` for frames of another grid.
    """
    calendar = project.calendar
    steps = [day * calendar.steps_per_day for day in range(calendar.days + 1)]
    if frames is None or not len(frames.fire) or frames.fire.shape != project.scenario.grid.shape:
        return None
    return Occupancy(np.stack([_state_at(frames, step, steps[-1]) for step in steps]) / np.float32(255.0), 0)


def _state_at(frames: Frames, step: int, end: int) -> NDArray[np.float32]:
    """Return the state ``[H, W]`` at a step, 0 … 255; ``end`` is the step of the last frame."""
    index = frames.index_of_step(step)
    before = frames.fire.picture(index).astype(np.float32)
    began = min(index * frames.stride, end)
    following = index + 1
    if step == began or following >= len(frames.fire):
        return before
    share = np.float32((step - began) / (min(following * frames.stride, end) - began))
    return before + share * (frames.fire.picture(following).astype(np.float32) - before)


def _kept(source: ExportSource) -> ExportContent | None:
    """Return the content of the run's folder if it is the shown plan."""
    if source.folder is None:
        return None
    try:
        saved = run_content(source.folder)
    except InputError:
        return None  # A running plan has no files yet. The shown plan is exported.
    ordered = sorted(source.drops, key=lambda drop: (drop.step, drop.column))
    same = [row.drop for row in saved.rows] == ordered and saved.project.scenario.grid == source.project.scenario.grid
    return saved if same and saved.plan is not None else None


_DAMAGED = "Files of the run are damaged ({}). The export first makes them again from the rest of the run."
_MAKING = "Making damaged files of the run again…"

TITLE = "Nothing was exported"
COMPUTING = "The plan is being computed. It can be exported when that has ended."
_NO_PLAN = "The page of a plan is shown here. There is no plan to export."
_SHOW_PLAN = "show its run from the list of runs"
_SIZE = QSize(1120, 780)
_WAIT = "Drawing the map…"
_PATH_WIDTH = 90
_MOST_LINES = 9
"""Lines of verdict and warnings that are seen at once."""
_MOST_WRITTEN = 5
"""Written files that are listed where there is little room."""
_SHORTEST_CHOICE = 10
"""Letters of the choice of drops that can be read at least."""


class FindingsArea(FittedScrollArea):
    """Verdict and warnings of a plan; many of them scroll in the room of some lines."""

    def sizeHint(self) -> QSize:
        """Return the height of the texts at the present width, up to a limit."""
        hint = super().sizeHint()
        return QSize(hint.width(), min(hint.height(), _MOST_LINES * self.fontMetrics().lineSpacing()))

    def minimumSizeHint(self) -> QSize:
        """Return the whole height, too: the list of formats gives way."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())


class ExportDialog(Dialog):
    """Dialog for formats, sheet, folder and names, with a preview of the printed map.

    Tasks prepare and write in threads. The dialog lists problems and written files, and stays open. ``is_planning``
    says that the plan is still being computed: there are no drops yet. ``preferences`` remember the folder. ``result``
    is what is exported, by default what the map shows; ``note`` says why it is another plan than one might expect.
    """

    begun = Signal(str)
    """Name of the file that is being written, or what is done first; emitted in the thread that does it."""

    def __init__(
        self, session: Session, parent: QWidget | None = None, only: Collection[tuple[int, int]] = (), *,
        is_planning: bool = False, preferences: Preferences | None = None, result: ShownResult | None = None,
        note: str = "",
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setSizeGripEnabled(True)
        resize_on_screen(self, _SIZE)
        self._session, self._is_planning = session, is_planning
        self._preferences = preferences if preferences is not None else Preferences()
        self._queue: RunQueue | None = None
        self._was_searching = False
        self.drops = NameComboBox()
        self.drops.setAccessibleName("Drops")
        self.drops.setSizeAdjustPolicy(NameComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.drops.setMinimumContentsLength(_SHORTEST_CHOICE)
        self.drops.currentTextChanged.connect(lambda text: self.drops.setToolTip(tooltip(f"{text}. {_DROPS_TIP}")))
        self._set_result(session.result if result is None else result, only)
        self.written: list[Path] = []
        self._waiting: list[str] = []
        self._written_drops = ""
        self._is_in_panel = False
        self.formats = FormatList()
        self.sheet = MapSheetForm(self._source.project.calendar.days if self._source is not None else 1, session.units)
        self.water = PathField("exportWater", "a raster or vector file; empty: water of the fuel layer", files=_WATER)
        self.folder = PathField("exportFolder", "where the files go", kind="folder")
        self.folder.line.setText(str(self._place_of_exports.folder))
        self.standard = QCheckBox("Agency names")
        self.standard.setToolTip(
            tooltip(
                "Name files as the wildfire agencies' standard asks (PMS 936): maps and forms then begin with the map "
                "type and the paper. Otherwise all files begin with the same name"
            )
        )
        self.stem = QLineEdit(export_stem(session, self._result))
        self.stem.setAccessibleName("Name")
        self.stem.setToolTip("How the name of every file begins")
        self.preview = PagePreview()
        self._take_choices(self._preferences.export_choices)
        self._prepare, self._write = LatestTask(self), LatestTask(self, settle_ms=0)
        self.summary, self.note, self.verdict, self.warnings = (plain_label(wordWrap=True) for _ in range(4))
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.names = FileNames()
        self.will_write = BreakingLabel(wordWrap=True)
        self.activity, self.brief = (BreakingLabel(wordWrap=True) for _ in range(2))
        self.why_not = plain_label()
        self._bar = QProgressBar()
        self.save_button, self.close_button = QPushButton("Export"), QPushButton("Cancel")
        self.open_button = QPushButton("Open folder")
        self.outdated, self.update_button = muted_label(role="warning"), QPushButton("Show that plan")
        self.save_button.setToolTip("Write the ticked formats to the folder")
        self.close_button.setToolTip("Stop the export that is being written, or close")
        self.update_button.setToolTip("Export the plan that the map shows now")
        self.open_button.setToolTip("Show the folder in the file manager")
        self._lay_out()
        self._connect()
        self._ask()

    @property
    def is_busy(self) -> bool:
        """Whether an export is being prepared or written."""
        return self._prepare.is_busy or self._write.is_busy

    @property
    def is_writing(self) -> bool:
        """Whether files are being written."""
        return self._write.is_busy

    def shows(self, result: ShownResult) -> bool:
        """Return whether the dialog exports a plan of the same run as ``result``."""
        return bool(self._result.drops) and result.folder is not None and self._result.folder == result.folder

    # -- the plan to export --------------------------------------------------------------------------------------
    def _set_result(self, result: ShownResult, only: Collection[tuple[int, int]] = ()) -> None:
        self._result = result
        name = result.title if result.drops else ""
        what = "Export the selected drops" if only else "Export the plan"
        self.setWindowTitle(f"{what}: {name}" if name else what)
        self._place_of_exports = ExportFolder(self._session, self._preferences, result)
        self._can = bool(result.drops) and not result.is_sample
        self._source = ExportSource.of(self._session, only, result) if self._can else None
        self._ready: PreparedExport | None = None
        self._trouble: FireguiError | None = None
        self._fill_drops()

    def follow_map(self, queue: RunQueue) -> None:
        """Offer the plan on the map once the run of this plan has ended, or another plan has taken its place.

        A search has too many plans to offer each of them. A dialog without a plan takes the first plan. A plan that was
        edited on the map is offered at once.
        """
        self._queue, self._was_searching = queue, queue.shows_search
        for signal in (self._session.result_changed, queue.changed):
            signal.connect(self._compare_with_map)
        if self._session.result.by_hand:
            self._compare_with_map()

    def _compare_with_map(self) -> None:
        new, old = self._session.result, self._result
        if self._queue is None or not new.drops or new.is_sample:
            return
        if not self._can:
            self._take_map()
            return
        is_other, has_ended = new.folder != old.folder, self._was_searching and not self._queue.shows_search
        changed = not self._queue.shows_search and new.drops != old.drops
        self.outdated_row.setVisible(is_other or has_ended or changed)
        found = "This run has ended" if has_ended and not is_other else f"The map now shows {new.title}"
        lost = " This export is of the plan before the edit." if new.by_hand else ""
        self.outdated.setText(f"⚠ {found}: {counted(sum(drop.executed for drop in new.drops), 'drop')} to fly.{lost}")
        self.update_button.setText("Export the edited plan" if new.by_hand else "Show that plan")
        self._refresh()

    def _take_map(self) -> None:
        """Export the plan on the map from now on. A folder and a name that the user typed stay."""
        assert self._queue is not None
        proposed = str(self._place_of_exports.folder), export_stem(self._session, self._result)
        self._set_result(self._session.result)
        self._is_planning, self._was_searching = False, self._queue.shows_search
        for line, old, new in zip(
            (self.folder.line, self.stem), proposed,
            (str(self._place_of_exports.folder), export_stem(self._session, self._result)), strict=True,
        ):  # fmt: skip
            line.setText(new if line.text() == old else line.text())
        assert self._source is not None
        self.sheet.set_days(self._source.project.calendar.days)
        self.summary.setText(_summary(self._result, is_planning=self._was_searching))
        self.drops_row.setVisible(self.drops.count() > 1)
        self.note.hide()
        self.outdated_row.hide()
        self._say("")
        self._ask()

    # -- writing ---------------------------------------------------------------------------------------------------
    def accept(self) -> None:
        """Write the files in a thread."""
        if self._write.is_busy:
            return
        try:
            folder, content = self._place()
        except InputError as error:
            show_problems(self, error)
            return
        formats, stem = self.formats.chosen, self._stem()
        names = file_names(content, formats, stem)
        if confirm_replace(self, folder, names):
            self._waiting = names
            self._written_drops = _drops_text(content)
            assert self._source is not None and self._ready is not None
            to = (self._drops, formats, folder, stem)
            self._write.request(partial(write_export, self._source, self._ready, *to, self.begun.emit))
            self._refresh()

    def reject(self) -> None:
        """Stop writing, or close if nothing is being written."""
        if self._write.is_busy:
            self._write.cancel()
            self._say("Stopped; no file was written.")
            self._refresh()
            return
        super().reject()

    def done(self, result: int) -> None:
        """Wait for the threads before closing."""
        self._queue = None
        self._prepare.shutdown()
        self._write.shutdown()
        super().done(result)

    def _place(self) -> tuple[Path, ExportContent]:
        problems = []
        if self.folder.path is None:
            problems.append(Problem("Folder", "no folder is chosen", "choose where the files go"))
        stem = self._stem()
        if stem is not None and (not stem or Path(stem).name != stem):
            problems.append(Problem("Name", f"{stem!r} is not a file name", "use a name without slashes"))
        if not self.formats.chosen:
            problems.append(Problem("Formats", "none is chosen", "tick at least one"))
        result, folder = self._result, self.folder.path
        if result.is_sample:
            problems.append(Problem("Schedule", f"the map shows {result.title}, which is not a plan", _SHOW_PLAN))
        elif self._source is None:
            problems.append(Problem("Schedule", "no drops are shown", "run a plan or show one from the list of runs"))
        elif self._trouble is not None:
            problems.extend(as_input_error(self._trouble, "the plan").problems)
        elif self._ready is None:
            problems.append(Problem("Schedule", "it is still being computed", "wait until the map is drawn"))
        if problems or folder is None or self._ready is None:
            raise InputError(problems, TITLE)
        return folder, self._ready.content.only(self._drops)

    @property
    def _drops(self) -> WrittenDrops:
        """The drops that tables and layers are to list."""
        return WrittenDrops(self.drops.currentData())

    def _fill_drops(self) -> None:
        """Offer the drops to fly, which pilots are given; where some proposals are not flown, all of them too."""
        drops = () if self._source is None else self._source.drops
        flown = sum(drop.executed for drop in drops)
        self.drops.clear()
        self.drops.addItem(f"Drops to fly ({flown:,})", WrittenDrops.FLOWN.value)
        if flown < len(drops):
            self.drops.addItem(f"All proposed drops ({len(drops):,})", WrittenDrops.ALL.value)

    def _stem(self) -> str | None:
        """Return the common prefix of the names; ``None`` for names by the standard."""
        return None if self.standard.isChecked() else self.stem.text().strip()

    # -- what is remembered ------------------------------------------------------------------------------------------
    def _take_choices(self, kept: Mapping[str, object]) -> None:
        """Choose what was chosen last; entries that are missing or unknown keep what is proposed."""
        self.formats.set_ticked(kept.get("formats"))
        self.sheet.take_choices(kept)
        project = self._session.folder
        self.sheet.number.setText("" if project is None else self._preferences.incident_number(project))
        self.standard.setChecked(kept.get("agency_names") is True)

    def _remember_choices(self) -> None:
        """Remember formats, sheet and kind of names for the next export.

        A dialog that was cancelled leaves them as they were.
        """
        if not (self._is_in_panel or self.written):
            return
        ticked = {"formats": list(self.formats.ticked), "agency_names": self.standard.isChecked()}
        self._preferences.export_choices = {**self.sheet.choices, **ticked}
        if self._session.folder is not None:
            self._preferences.set_incident_number(self._session.folder, self.sheet.sheet.incident_number)

    def _open_folder(self) -> None:
        if self.written:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.written[0].parent)))

    # -- running -----------------------------------------------------------------------------------------------------
    def _ask(self) -> None:
        """Prepare the plan on the chosen sheet and draw its map."""
        if self._source is None:
            missing = (
                COMPUTING if self._is_planning else "The page of a plan is shown here. There is no plan to export."
            )
            self.preview.show_text(missing)
            self._refresh()
            return
        self._trouble = None
        self.preview.show_text(_WAIT)
        self._prepare.request(partial(prepare_export, self._source, self.water.path, self.sheet.sheet, self._ready))
        self._refresh()

    def _on_prepared(self, ready: PreparedExport) -> None:
        self._ready = ready
        self.formats.refuse(ready.refused)
        damage = [_DAMAGED.format(", ".join(ready.damaged))] if ready.damaged else []
        content = ready.content
        warnings = [*damage, *(f"{warning}." for warning in (*content.cautions, *content.warnings))]
        summary = content.summary
        self.verdict.setText(f"{VERDICT}: {summary.verdict_line(content.sheet.units)}.")
        # A test is of the whole plan, and one that it fails is among the warnings.
        self.verdict.setVisible(not summary.missed and self._source is not None and self._source.of_drops is None)
        self.warnings.setText("\n".join(warnings))
        self.warnings.setVisible(bool(warnings))
        self.findings.setHidden(self.verdict.isHidden() and not warnings)
        self.preview.show_page(ready.picture)
        self.preview.show_text("" if ready.picture is not None else ready.refused.get("png", ""))
        self._refresh()

    def _on_trouble(self, error: Exception) -> None:
        self._trouble = error if isinstance(error, FireguiError) else as_input_error(error, "the plan")
        self.preview.show_page(None)
        self.preview.show_text(str(as_input_error(self._trouble, "the plan").problems[0]))
        self._refresh()

    def _on_begun(self, name: str) -> None:
        if self._write.is_busy and name == _MAKING:
            self._say(name)
        elif self._write.is_busy and name in self._waiting:
            number = self._waiting.index(name)
            self._bar.setRange(0, len(self._waiting))
            self._bar.setValue(number)
            self._say(f"Writing {number + 1} of {len(self._waiting)}: {name}…")

    def _on_written(self, paths: list[Path]) -> None:
        self.written = paths
        self._remember_choices()
        # A folder that nothing could be written to is not proposed again.
        self._place_of_exports.remember(paths[0].parent)
        lines = "\n".join(f"{path.name}  ({_size(path)})" for path in paths)
        head = f"Wrote {counted(len(paths), 'file')} to {paths[0].parent}:"
        count, folder = counted(len(paths), "file"), paths[0].parent
        listed = [path.name for path in paths[:_MOST_WRITTEN]]
        more = len(paths) - len(listed)
        listed += [f"and {more} more"] if more else []
        brief = "\n".join([f"Wrote {count} to the folder {folder.name}:", *listed])
        self._say("\n".join([head, lines, self._written_drops]), brief)
        self._session.message.emit(f"Exported {count} to {folder}: {', '.join(path.name for path in paths)}")
        self.close_button.setText("Close")
        self._refresh()
        if self._ready is not None and self._ready.damaged:
            self._ask()

    def _on_failed(self, error: Exception) -> None:
        self._say("")
        self._refresh()
        show_problems(self, as_input_error(error, self.folder.text))

    def _say(self, text: str, brief: str = "") -> None:
        """Tell what is being done or was written, and in ``brief`` where there is little room."""
        self.activity.setText(text)
        self.brief.setText(brief or text)
        self.brief.setToolTip(tooltip(text))
        self.brief.setVisible(bool(text) and self._is_in_panel)

    def _refresh(self) -> None:
        writing = self._write.is_busy
        chosen, reason = self.formats.chosen, self._reason()
        self.save_button.setEnabled(not reason)
        self.why_not.setText(reason)
        self.why_not.setVisible(bool(reason))
        self.open_button.setVisible(bool(self.written))
        self.open_button.setEnabled(bool(self.written) and not writing)
        self._bar.setVisible(writing)
        self.stem.setEnabled(not self.standard.isChecked())
        for part in (self.formats, self.sheet, self.drops, self.water, self.folder, self.standard):
            part.setEnabled(self._can and not writing)
        # The map keeps the fire before an edit until that of the edited drops is computed.
        self.update_button.setEnabled(self._can and not writing and not self._session.result.pending)
        if writing:
            self._bar.setRange(0, 0)
            self._say("Checking the plan's drops…")
        stem = self._stem()
        known = self._ready is not None and chosen and (stem is None or stem)
        names = file_names(self._ready.content, chosen, stem) if known and self._ready is not None else []
        self.names.show_names(names)
        self.will_write.setText(_will_write(names, stem))
        self.will_write.setToolTip(tooltip("\n".join(names)))

    def _reason(self) -> str:
        """Return why no export is possible now; empty if one is."""
        if self._source is None:
            return "The plan is being computed…" if self._is_planning else "There is no plan to export."
        if self._write.is_busy:
            return "The files are being written…"
        if self._prepare.is_busy:
            return "The preview is being drawn…"
        if self._trouble is not None or self._ready is None:
            return "The preview lists the problems."
        return "" if self.formats.chosen else "No format is ticked."

    # -- layout ------------------------------------------------------------------------------------------------------
    def _connect(self) -> None:
        for change in (self.formats.changed, self.standard.toggled):
            change.connect(self._refresh)
            change.connect(self._remember_choices)
        self.stem.textChanged.connect(self._refresh)
        self.folder.line.textChanged.connect(self._refresh)
        self.sheet.changed.connect(self._ask)
        self.sheet.changed.connect(self._remember_choices)
        self.water.settled.connect(self._ask)
        self._prepare.returned.connect(self._on_prepared)
        self._prepare.raised.connect(self._on_trouble)
        self.begun.connect(self._on_begun)
        self._write.returned.connect(self._on_written)
        self._write.raised.connect(self._on_failed)
        for button, press in (
            (self.save_button, self.accept),
            (self.close_button, self.reject),
            (self.open_button, self._open_folder),
            (self.update_button, self._take_map),
        ):
            button.clicked.connect(press)
        self.open_button.setAutoDefault(False)
        self.update_button.setAutoDefault(False)
        self.close_button.setAutoDefault(False)
        self.save_button.setDefault(True)

    def _lay_out(self) -> None:
        self.summary.setText(_summary(self._result, is_planning=self._is_planning))
        self.head = column(self.summary, self.note, spacing=8)
        # They come once the plan is prepared: they stand where they move nothing that is clicked.
        self.findings = FindingsArea(column(self.verdict, self.warnings, spacing=4))
        self.warnings.setProperty("role", "warning")
        self.verdict.setVisible(False)
        self.warnings.setVisible(False)
        self.findings.hide()
        for part in (self.why_not, self.will_write):
            part.setProperty("role", "muted")
        self.activity.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._bar.setRange(0, 0)
        self._bar.setFixedWidth(160)
        self.brief.setParent(self)
        self.brief.hide()
        self.target = self._target()
        self.options = self._options()
        self._area = VerticalScrollArea(self.options)
        self._area.setMinimumWidth(470)
        choices = column(self._area, self.target, stretch=self._area, spacing=8)
        self.outdated_row = row(self.outdated, self.update_button, stretch=self.outdated)
        self.outdated_row.hide()
        told = (self.findings, self.will_write, self.activity)
        page = column(self.outdated_row, self.preview, *told, stretch=self.preview, spacing=6, margins=(8, 0, 0, 0))
        split = splitter(choices, page, (560, 560), wide=1)
        split.setChildrenCollapsible(False)
        buttons = (self.why_not, self._bar, self.save_button, self.close_button)
        bar = horizontal(None, self.open_button, 1, *buttons)
        vertical(self, self.head, (split, 1), bar, spacing=8)

    def take_options(self) -> QWidget:
        """Return all options, taken out of the dialog for a narrow panel. The caller must give them a parent."""
        self._is_in_panel = True
        self._targets.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        self._area.takeWidget()
        self.options.setContentsMargins(0, 0, 0, 0)
        return self.options

    def _target(self) -> QWidget:
        """Return where the files go and who makes them, which stays in view beside the long list of formats."""
        target = QWidget()
        form = self._targets = QFormLayout(target)
        form.setContentsMargins(0, 0, 0, 0)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.folder.line.setMinimumWidth(_PATH_WIDTH)
        form.addRow("Folder", self.folder)
        form.addRow("Author", self.sheet.author)
        return target

    def _options(self) -> QWidget:
        files = QWidget()
        form = QFormLayout(files)
        form.setContentsMargins(0, 0, 0, 0)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(self.standard)
        for title, part in (("Name", self.stem), ("Writes", self.names), ("Water", self.water)):
            form.addRow(title, part)
        self.drops_row = row(plain_label("Drops"), self.drops, stretch=self.drops)
        self.drops_row.setVisible(self.drops.count() > 1)
        parts = [self.drops_row, self.formats]
        for title, widget in (("Files", files), ("Maps and briefing", self.sheet)):
            parts += [muted_label(title, "heading"), widget]
        options = column(*parts, spacing=6)
        # Air beside the scroll bar.
        options.setContentsMargins(0, 0, 6, 0)
        return options


_DROPS_TIP = (
    f"Drops in tables and layers ({', '.join(kind.title for kind in PROPOSAL_FORMATS.values())}); all other formats "
    "show the drops to fly. A proposed drop is not flown when its aircraft is not back in time or a rule forbids it; "
    "its row has executed=false."
)
_WATER = "Water (*.gpkg *.geojson *.json *.shp *.kml *.tif *.tiff *.img *.asc);;All files (*)"


def _will_write(names: Sequence[str], stem: str | None) -> str:
    """Return which files will be written: what they share once, then how each goes on."""
    if not names:
        return "Will write nothing yet."
    head = f"Will write {counted(len(names), 'file')}"
    if stem is None:
        return f"{head} with agency names, such as {names[0]}"
    return f"{head}: {stem} + {', '.join(name.removeprefix(stem) for name in names)}"


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{max(size / 1e3, 0.1):,.1f} kB"


def _summary(result: ShownResult, *, is_planning: bool) -> str:
    if result.is_sample:
        return (
            f"The map shows {result.title}, which is not a plan. To export the schedule, {_SHOW_PLAN}. The page of the "
            "analysis exports its own files."
        )
    if not result.drops:
        return COMPUTING if is_planning else "No drops are shown. Run a plan, or show one from the list of runs."
    executed = sum(drop.executed for drop in result.drops)
    refused = len(result.drops) - executed
    # The drops of a run that ended are no longer those of a search step: some were removed since.
    epoch = f", search step {result.epoch + 1:,}" if result.epoch >= 0 and is_planning else ""
    found = f"{result.title}{epoch}: {counted(executed, 'drop')} to fly."
    if not refused:
        return found
    one = refused == 1
    return (
        f"{found} {counted(refused, 'proposed drop')} {'is' if one else 'are'} not flown, because "
        f"{'its' if one else 'the'} aircraft is not back in time or a rule forbids the drop. "
        f"{'It is' if one else 'They are'} left out, unless you choose All proposed drops."
    )


def _drops_text(content: ExportContent) -> str:
    """Return how many drops an export lists, and what it does with those that are not flown."""
    text = f"{counted(len(content.flown), 'drop')} to fly"
    held = content.not_flown
    if not held:
        return f"{text}."
    left = "left out" if content.left_out else "in tables and layers, marked executed=false"
    return f"{text}; {counted(held, 'proposed drop')} not flown: {left}."
