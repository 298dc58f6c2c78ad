"""Opening, importing, saving and closing projects, with questions before something would be lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError, Problem
from firegui.fire.demo import make_demo
from firegui.fire.first_project import first_project
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.dialogs import clicked_button, message_box
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.tasks import wait_for
from firegui.gui.importing.event_dialogs import EventFolderSource, ask_event, ask_events
from firegui.gui.importing.landscape.survey import make_landscape
from firegui.gui.importing.landscape.wizard import ask_landscape
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import as_input_error, refusing
from firegui.gui.session.session import Session
from firegui.gui.window.project_dialog import ask_project, project_of
from firegui.io.importers.events import import_events
from firegui.io.importers.pytorchfire import import_pytorchfire
from firegui.io.paths import PROJECT_FILE
from firegui.io.project.maps_file import import_maps
from firegui.io.project.store import (
    ProjectExistsError,
    load_project,
    reload_edits,
    save_project,
    saved_state,
)
from firegui.io.project.weights_file import read_weights
from firegui.runs.lock import ProjectLock, editing
from firegui.runs.run_folder import same_folder
from firegui.runs.stages import RunState

SUFFIX = ".firegui"
_HDF5 = (".hdf5", ".h5", ".hdf")
_FIRST_SAVE = "Save the project first: plans and results are kept in its folder"
_NAMED_EDITS = 8
"""Edits that the question about unsaved changes names."""
_RASTERS = (".tif", ".tiff", ".lcp", ".asc", ".img")


class UnsavedAnswer(Enum):
    """Answers to the question about unsaved edits."""

    SAVE = auto()
    DISCARD = auto()
    CANCEL = auto()


class RunningAnswer(Enum):
    """Answers to the question about running work when the project would be closed."""

    KEEP = auto()
    STOP_AND_SAVE = auto()
    DISCARD = auto()


class ChangedAnswer(Enum):
    """Answers to the question about a project that another program changed."""

    TAKE = auto()
    KEEP = auto()
    LATER = auto()


class _ChangedOnDiskError(Exception):
    """The saved project is not the one that the window knows."""


class Documents(QObject):
    """Commands that open, import and save projects.

    A method that could lose something asks first. Bad input is refused and the open project stays.
    """

    recent_changed = Signal()
    demo_saved = Signal(object)
    """Folder among the program's own data to which a demo was saved without a question."""

    def __init__(self, session: Session, queue: RunQueue, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._queue, self._preferences, self._window = session, queue, preferences, window
        self._watched: list[Callable[[], UnfinishedWork | None]] = []
        self._lock = ProjectLock()
        self._known: tuple[Path | None, str] = None, ""
        """Folder and state of the saved project that the window has read, written, or been told to replace."""
        self._is_asking, self._put_off = False, ""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.applicationStateChanged.connect(self._on_application_state)
        self.before_save: Callable[[], Callable[[], object]] | None = None
        """Returns what must be done before a save, in the saving thread."""

    # -- opening and importing ---------------------------------------------------------------------------------------
    def new_demo(self) -> bool:
        """Create the synthetic demo and open it unsaved."""
        return self._read_and_open("the demo", "Making the demo fire…", make_demo)

    def choose_and_open(self) -> bool:
        """Let the user choose a project folder and open it."""
        last = next((folder for folder in (self._session.source, *self.recent) if folder is not None), None)
        folder = ask_project(self._window, str(Path.home() if last is None else last.parent))
        return folder is not None and self.open(project_of(folder))

    def open(self, folder: Path) -> bool:
        """Open the project in ``folder``; if there are problems, list them and keep the open project.

        A project that is open in another window is opened read-only, or not at all.
        """
        opens, read_only = self._ask_holder(folder)
        if not opens:
            return False
        state = saved_state(folder)
        take = partial(self._open_project, folder=folder, read_only=read_only, state=state)
        text = f"Opening {folder.name}…"
        return self._read_and_open(str(folder), text, lambda: load_project(folder), take)

    def open_recovered(self, saved: Project, edited: Project, folder: Path | None) -> bool:
        """Open the project ``saved`` in ``folder``, with the edits recovered after a crash as one undo step."""
        opens, read_only = (True, False) if folder is None else self._ask_holder(folder)
        if not opens or not self._open_project(saved, folder, read_only=read_only):
            return False
        if edited is not saved:
            self._session.edit("recovered edits", edited)
        return True

    def _ask_holder(self, folder: Path) -> tuple[bool, bool]:
        """Return whether to open the project in ``folder``, and whether read-only."""
        holder = self._lock.holder_of(folder)
        return (ask_open_twice(self._window, folder, holder), True) if holder else (True, False)

    def import_folder(self, folder: Path | None = None) -> bool:
        """Let the user choose a PyTorchFire folder and its details, and open the event as a new project."""
        source = ask_event(self._window, folder)
        return source is not None and self.import_event(source)

    def import_event(self, source: EventFolderSource) -> bool:
        """Open the event that ``source`` describes as a new project."""
        return self._read_and_open(str(source.folder), f"Importing {source.folder.name}…", lambda: _event(source))

    def import_landscape(self, paths: Sequence[Path] = ()) -> bool:
        """Let the user choose landscape layers, wind and fire, and open the event as a new project.

        The wizard begins with ``paths``, a folder or files. The project is saved if a folder was chosen in it.
        """
        return ask_landscape(self._window, make_landscape, self._take_landscape, paths, self._session.units)

    def _take_landscape(self, project: Project, folder: Path | None) -> bool:
        if not self._open_project(project, None):
            return False
        if folder is not None:
            self._save_to(_as_project_folder(folder), replacing=False)
        return True

    def import_events(self, file: Path | None = None) -> bool:
        """Let the user choose an HDF5 file and one of its events, and open the event as a new project."""
        project = ask_events(self._window, lambda source: first_project(import_events(source)), file)
        return project is not None and self._open_project(project, None)

    def choose_and_import_maps(self) -> bool:
        """Let the user choose a maps file and open it as a new project."""
        name, _filter = QFileDialog.getOpenFileName(
            self._window, "Import fire maps", self._start_folder(), "Maps (*.npz)"
        )
        return bool(name) and self.import_maps(Path(name))

    def import_maps(self, path: Path) -> bool:
        """Open the fire maps in ``path`` as a new project."""
        return self._read_and_open(str(path), f"Importing {path.name}…", lambda: _maps(path))

    def choose_and_load_weights(self) -> bool:
        """Let the user choose a file of network weights and use it in the open project."""
        if not self._session.has_project:
            return False
        kinds = "Weights (*.safetensors)"
        name, _filter = QFileDialog.getOpenFileName(
            self._window, "Load fire model weights", self._start_folder(), kinds
        )
        return bool(name) and self.load_weights(Path(name))

    def load_weights(self, path: Path) -> bool:
        """Use the network fire model with the weights in ``path``, as one undo step.

        Unsuitable weights are refused.
        """
        session = self._session
        with refusing(session, str(path)):
            weights = wait_for(self._window, f"Reading {path.name}…", lambda: read_weights(path))
            known, changed = set(session.project.problems()), session.project.with_network(weights)
            if found := [problem for problem in changed.problems() if problem not in known]:
                raise InputError(found, f"The weights {path.name} cannot be used")
            session.edit(f"load {path.name}", changed)
            session.message.emit(f"The fire model is {weights.training.label}.")
            return True
        return False

    def open_dropped(self, *paths: Path) -> bool:
        """Open or import the dropped paths by their kind; several files are layers of a landscape."""
        path = paths[0]
        if len(paths) > 1 or _holds_rasters(path):
            return self.import_landscape(paths)
        if path.suffix.lower() == ".npz":
            return self.import_maps(path)
        if path.suffix.lower() in _HDF5:
            return self.import_events(path)
        if path.is_dir() and not (path / PROJECT_FILE).exists() and (path / "p_veg.npz").exists():
            return self.import_folder(path)
        # A file or folder of a project stands for it; anything else is refused with the reason.
        return self.open(project_of(path))

    def _read_and_open(
        self, where: str, text: str, read: Callable[[], Project], take: Callable[[Project], bool] | None = None
    ) -> bool:
        try:
            project = wait_for(self._window, text, read)
        except (FireguiError, OSError) as error:
            self._session.refuse(as_input_error(error, where))
            return False
        return (take or self._open_project)(project)

    def _open_project(
        self, project: Project, folder: Path | None = None, *, read_only: bool = False, state: str = ""
    ) -> bool:
        """Open ``project``, saved in ``folder`` or only read from there, where its state was ``state``."""
        # Asked last: a project that cannot be opened is no reason to stop a run or to discard edits.
        if not self.confirm_close("open another project"):
            return False
        own = None if read_only else folder
        if own is None:
            self._lock.release()
        elif not self._lock.take(own):
            self._session.refuse(_opened_meanwhile(own, self._lock.holder_of(own)))
            return False
        self._known = own, "" if own is None else state or saved_state(own)
        self._session.open_project(project, own, folder)
        self._session.message.emit(f"{project.scenario.name} is open{', read-only' if read_only else ''}.")
        if own is not None:
            self._remember(own)
        return True

    # -- saving ------------------------------------------------------------------------------------------------------
    def save(self) -> bool:
        """Save the project in its folder, or let the user choose one; return whether it was saved."""
        if not self._session.has_project:
            return False
        folder = self._session.folder
        if folder is None:
            return self.save_as(_FIRST_SAVE)
        if self._is_lost(folder):
            self._queue.mark_missing()
            return self.save_as(f"{folder.name} was moved or deleted: choose where to save the project")
        return self._save_to(folder, replacing=True)

    def save_for_work(self) -> bool:
        """Save the project so that it can be planned or analysed; return whether it was saved.

        A demo that was never saved goes to the folder for demos without a question.
        """
        session, place = self._session, self._preferences.demos
        if not session.has_project or session.source is not None or place is None:
            return self.save()
        if not session.project.scenario.synthetic:
            return self.save()
        folder = _free_folder(place, _file_name(session.project.scenario.name))
        if not self._save_to(folder, replacing=False):
            return False
        self.demo_saved.emit(folder)
        return True

    @staticmethod
    def _is_lost(folder: Path) -> bool:
        """Return whether the folder of the open project is there no more."""
        return not (folder / PROJECT_FILE).is_file()

    def save_as(self, title: str = "Save the project as") -> bool:
        """Let the user choose a folder and save there; replace another project only after a question."""
        if not self._session.has_project:
            return False
        proposal = _free_folder(Path(self._start_folder()), _file_name(self._session.project.scenario.name))
        name, _filter = QFileDialog.getSaveFileName(
            self._window, title, str(proposal), f"firegui project (*{SUFFIX})",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )  # fmt: skip
        if not name:
            return False
        folder = _as_project_folder(Path(name))
        kept_in = self._session.folder
        return self._save_to(folder, replacing=kept_in is not None and same_folder(kept_in, folder))

    def _save_to(self, folder: Path, *, replacing: bool) -> bool:
        project, holder = self._session.project, self._lock.holder_of(folder)
        if holder:
            self._session.refuse(_opened_meanwhile(folder, holder))
            return False
        own = self._session.folder
        known = self._known_state if own is not None and same_folder(own, folder) else ""
        first = self.before_save() if self.before_save is not None else None

        def save() -> None:
            if first is not None:
                with suppress(FireguiError, OSError):
                    first()
            with editing(folder):
                if known and saved_state(folder) not in ("", known):
                    raise _ChangedOnDiskError
                save_project(project, folder, replacing=replacing)
                self._known = folder, saved_state(folder)

        try:
            wait_for(self._window, f"Saving {folder.name}…", save)
        except _ChangedOnDiskError:
            return self._settle_change(folder) and self._save_to(folder, replacing=True)
        except ProjectExistsError:
            return ask_replace(self._window, folder) and self._save_to(folder, replacing=True)
        except (FireguiError, OSError) as error:
            self._session.refuse(as_input_error(error, str(folder)))
            return False
        self._lock.take(folder)
        self._session.mark_saved(folder)
        self._remember(folder)
        self._session.message.emit(f"Saved to {folder}")
        return True

    # -- changes by other programs -----------------------------------------------------------------------------------
    def check_disk(self) -> None:
        """Ask what to do if another program has changed the saved project, such as ``firegui configure``."""
        folder = self._session.folder
        if folder is None or self._is_asking or not self._known_state:
            return
        # A question that was put off is asked again by the next save, or after another change.
        if saved_state(folder) not in ("", self._known_state, self._put_off):
            self._settle_change(folder)

    @property
    def _known_state(self) -> str:
        """State in which the window knows the project in its folder; empty for one that it does not know."""
        folder, state = self._known
        return state if folder == self._session.folder else ""

    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.check_disk()

    def _settle_change(self, folder: Path) -> bool:
        """Ask which version to keep; return whether the one in the window is to be saved."""
        state = saved_state(folder)
        self._is_asking = True
        try:
            answer = ask_changed(self._window, folder)
        finally:
            self._is_asking = False
        if answer is ChangedAnswer.LATER:
            self._put_off = state
            return False
        if answer is ChangedAnswer.KEEP:
            self._known = folder, state
            # The window has what the folder has not.
            self._session.mark_unsaved()
            return True
        session = self._session
        with refusing(session, str(folder)):
            project = session.project
            changed = wait_for(self._window, f"Reading {folder.name}…", lambda: reload_edits(project, folder))
            session.edit("changes on disk", changed)
            session.mark_saved(folder)
            self._known = folder, state
            session.message.emit(f"The changes in {folder.name} were taken in; Undo brings the former version back.")
        return False

    # -- leaving -----------------------------------------------------------------------------------------------------
    def confirm_close(self, purpose: str) -> bool:
        """Ask about unfinished work and unsaved edits; return whether the project may be closed now.

        Work is stopped (or discarded) only after all answers allow the project to be closed.
        """
        ends = list[Callable[[], object]]()
        for work in self._works():
            answer = ask_running(self._window, work, purpose)
            if answer is RunningAnswer.KEEP:
                return False
            ends.append(work.discard if answer is RunningAnswer.DISCARD and work.discard is not None else work.stop)
        if not self._may_lose_edits():
            return False
        for end in ends:
            end()
        return True

    def release(self) -> None:
        """Unlock the project for other windows, when this one closes."""
        self._lock.release()

    def watch(self, work: Callable[[], UnfinishedWork | None]) -> None:
        """Register ``work``, whose unfinished work is asked about before closing."""
        self._watched.append(work)

    def _works(self) -> list[UnfinishedWork]:
        found, active = [watched() for watched in self._watched], self._queue.active
        if active is not None:
            stop, discard = partial(self._queue.stop, active), partial(self._queue.discard, active)
            queued = sum(entry.state is RunState.QUEUED for entry in self._queue.entries if entry is not active)
            title, lost = f"The run “{active.title}”", "the run and all that lies in its folder"
            found.insert(0, UnfinishedWork(title, "best plan so far", stop, discard, lost, queued_runs=queued))
        return [work for work in found if work is not None]

    def _may_lose_edits(self) -> bool:
        if not self._session.has_project or not self._session.is_dirty:
            return True
        answer = ask_unsaved(self._window, self._session.project.scenario.name, self._session.unsaved_edits)
        return self.save() if answer is UnsavedAnswer.SAVE else answer is UnsavedAnswer.DISCARD

    # -- recent ------------------------------------------------------------------------------------------------------
    @property
    def recent(self) -> tuple[Path, ...]:
        """Recent projects that still exist."""
        return tuple(folder for folder in self._preferences.recent if (folder / PROJECT_FILE).is_file())

    def _remember(self, folder: Path) -> None:
        self._preferences.add_recent(folder)
        self.recent_changed.emit()

    def _start_folder(self) -> str:
        known = (folder for folder in (self._session.source, *self.recent) if folder is not None)
        folder = next((folder for folder in known if not self._preferences.is_demo(folder)), None)
        return str(folder.parent if folder is not None else Path.home())


def _opened_meanwhile(folder: Path, holder: str) -> InputError:
    problem = Problem(
        str(folder), f"is open elsewhere: {holder or 'another window'}", "close it there, or save under another name"
    )
    return InputError([problem], "Two windows cannot have one project")


def _holds_rasters(path: Path) -> bool:
    """Return whether ``path`` is a raster or a folder of rasters, but no project or PyTorchFire event."""
    if path.is_file():
        return path.suffix.lower() in _RASTERS
    if not path.is_dir() or (path / PROJECT_FILE).exists() or (path / "p_veg.npz").exists():
        return False
    return any(entry.suffix.lower() in _RASTERS for entry in path.iterdir())


def _event(source: EventFolderSource) -> Project:
    scenario = import_pytorchfire(
        source.folder, perimeters=source.perimeters, crs=source.crs, transform=source.transform, start=source.start,
        utc_offset_h=source.utc_offset_h, name=source.name,
    )  # fmt: skip
    return first_project(scenario)


def _maps(path: Path) -> Project:
    scenario, maps = import_maps(path)
    return first_project(scenario, maps)


def _as_project_folder(path: Path) -> Path:
    return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)


def _file_name(name: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name.strip().lower())
    return "-".join(part for part in kept.split("-") if part) or "project"


def _free_folder(place: Path, stem: str) -> Path:
    """Return ``stem.firegui`` in ``place``, with a number after the stem if that exists."""
    folder, number = place / f"{stem}{SUFFIX}", 1
    while folder.exists():
        number += 1
        folder = place / f"{stem}-{number}{SUFFIX}"
    return folder


def ask_unsaved(parent: QWidget | None, name: str, edits: Sequence[str] = ()) -> UnsavedAnswer:
    """Ask whether to save the ``edits`` of the project ``name``; closing the question cancels."""
    lines = [f"• {text[:1].upper()}{text[1:]}" for text in edits[-_NAMED_EDITS:]]
    if len(edits) > _NAMED_EDITS:
        lines.insert(0, f"• {len(edits) - _NAMED_EDITS} earlier changes")
    text = f"“{name}” has changes that are not saved."
    box = message_box(parent, QMessageBox.Icon.Question, "Unsaved changes", text, "\n".join(lines))
    roles = QMessageBox.ButtonRole
    save = box.addButton("&Save", roles.AcceptRole)
    discard = box.addButton("&Discard", roles.DestructiveRole)
    cancel = box.addButton("&Cancel", roles.RejectRole)
    box.setDefaultButton(save)
    box.setEscapeButton(cancel)
    for key, button in (("S", save), ("D", discard), ("C", cancel)):
        # In a question a letter alone is enough, as on other desktops.
        add_shortcut(box, key, button.click, below=True)
    box.exec()
    answers = {save: UnsavedAnswer.SAVE, discard: UnsavedAnswer.DISCARD}
    return next((answer for button, answer in answers.items() if button is box.clickedButton()), UnsavedAnswer.CANCEL)


def ask_running(parent: QWidget | None, work: UnfinishedWork, leaving: str = "close") -> RunningAnswer:
    """Ask what to do with ``work`` when the user is ``leaving``; closing the question keeps it running.

    Discarding is offered only if it deletes something.
    """
    text = f"{work.title} is still working."
    box = message_box(parent, QMessageBox.Icon.Question, "Work is running", text, work.outcome)
    answers = {
        box.addButton(f"Stop, save and {leaving}", QMessageBox.ButtonRole.AcceptRole): RunningAnswer.STOP_AND_SAVE
    }
    if work.discard is not None:
        discard = box.addButton(f"Delete and {leaving}", QMessageBox.ButtonRole.DestructiveRole)
        answers[discard] = RunningAnswer.DISCARD
    clicked = clicked_button(box, "Cancel")
    return next((answer for button, answer in answers.items() if button is clicked), RunningAnswer.KEEP)


def ask_open_twice(parent: QWidget | None, folder: Path, holder: str) -> bool:
    """Report that the project in ``folder`` is open elsewhere; return whether to open it read-only."""
    box = message_box(
        parent, QMessageBox.Icon.Warning, "Open in another window", f"“{folder.name}” is already open: {holder}.",
        "Two windows would overwrite each other's edits. Read-only you see the project and its runs and can try things "
        f"out; before you save it or start a run you are asked for another place.\n\n{folder}",
    )  # fmt: skip
    read_only = box.addButton("Open read-only", QMessageBox.ButtonRole.AcceptRole)
    return clicked_button(box, "Do not open") is read_only


def ask_changed(parent: QWidget | None, folder: Path) -> ChangedAnswer:
    """Report that another program changed the project in ``folder``, and ask which version to keep."""
    box = message_box(
        parent, QMessageBox.Icon.Question, "Changed on disk",
        f"“{folder.name}” was changed by another program since it was opened or saved here.",
        "Take the changes in, which can be undone, or keep the version in this window, which replaces them when it is "
        f"saved.\n\n{folder}",
    )  # fmt: skip
    take = box.addButton("Take in", QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton("Keep mine", QMessageBox.ButtonRole.DestructiveRole)
    answers = {take: ChangedAnswer.TAKE, keep: ChangedAnswer.KEEP}
    clicked = clicked_button(box, "Decide later")
    return next((answer for button, answer in answers.items() if button is clicked), ChangedAnswer.LATER)


def ask_replace(parent: QWidget | None, folder: Path) -> bool:
    """Ask whether to replace the project in ``folder``; closing the question keeps it."""
    box = message_box(
        parent, QMessageBox.Icon.Warning, "Replace a project",
        f"“{folder.name}” already holds another project of this event. Replace it?",
        f"Its regions, fleet and plan settings would be lost; its runs stay.\n\n{folder}",
    )  # fmt: skip
    replace = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
    return clicked_button(box, "Keep") is replace
