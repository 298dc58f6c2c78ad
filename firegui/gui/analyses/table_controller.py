"""A desk whose work is a table that grows: what is on screen of it, the work's or an earlier one, and its files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QObject

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.analyses.controller import AnalysisController
from firegui.gui.jobs.file_copies import copied, lost_problem, not_exported
from firegui.gui.jobs.run_job import Execute, RunJob
from firegui.gui.session.session import Session
from firegui.runs.events import RunFinished
from firegui.runs.place import Place, Said
from firegui.runs.spec import BenchmarkSpec, StudySpec

Table = TypeVar("Table")
Header = TypeVar("Header", bound=Said)


@dataclass(frozen=True, slots=True, eq=False)
class Shown(Generic[Table, Header]):
    """On screen: the ``table`` so far, of ``project``, and what the ``header`` says once one was written."""

    folder: Path
    project: Project
    table: Table | None = None
    header: Header | None = None


class TableAnalysisController(AnalysisController, Generic[Table, Header]):
    """``place`` is where such a thing is kept, and files of these ``suffixes`` are what people take from there."""

    def __init__(
        self, session: Session, place: Place[Header], suffixes: tuple[str, ...], *, execute: Execute,
        clock: Callable[[], datetime] = datetime.now, parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(session, execute=execute, clock=clock, parent=parent)
        self._place, self._suffixes = place, suffixes
        self._folder: Path | None = None
        self._shown: Shown[Table, Header] | None = None

    @property
    def shown(self) -> Shown[Table, Header] | None:
        """What is on screen: the one at work, the latest, or one that was opened."""
        return self._shown

    @property
    def shows_running(self) -> bool:
        """Whether the one on screen is the one at work."""
        return self._shown is not None and self._job is not None and self._shown.folder == self._out

    # -- handing over ------------------------------------------------------------------------------------------------
    def exported_names(self, out: Path) -> tuple[str, ...]:
        """The files that :meth:`export` would write into ``out``: none where it refuses."""
        if self._shown is None or out.resolve() == self._shown.folder.resolve():
            return ()
        with suppress(InputError):
            return tuple(path.name for path in self._files(self._shown.folder))
        return ()

    def export(self, out: Path) -> None:
        """Copy the tables and figures of what is shown into ``out``, and say what was written."""
        if self._shown is None:
            return
        folder = self._shown.folder
        try:
            names = copied(self._files(folder), out, folder, self._place.thing)
        except InputError as error:
            self._session.refuse(error)
            return
        self._session.message.emit(f"Wrote {', '.join(names)} to {out}{self._remark_on(names)}")

    def _files(self, folder: Path) -> tuple[Path, ...]:
        """The sheets, tables and figures in ``folder``, and what it says of itself.

        Raises :class:`InputError` where the system refuses to list it: it may have been deleted or unmounted.
        """
        try:
            found = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix in self._suffixes)
        except OSError as error:
            thing = self._place.thing
            raise InputError([lost_problem(folder, error, thing)], not_exported(thing)) from error
        return (*(path for path in found if not path.name.startswith(".")), folder / self._place.header)

    def _remark_on(self, names: tuple[str, ...]) -> str:
        """What is said of the files that were written, after their names."""
        return ""

    # -- at work -----------------------------------------------------------------------------------------------------
    @property
    def _out(self) -> Path | None:
        """Where the one at work is kept."""
        return None if self._job is None else self._folder

    def _run(self, spec: BenchmarkSpec | StudySpec) -> None:
        self._folder = spec.out
        self._begin(spec)
        if self._shown is None or self._shown.folder != spec.out:
            self._show(Shown(spec.out, spec.project))

    def _show(self, shown: Shown[Table, Header] | None) -> None:
        self._shown = shown
        self.result_changed.emit()

    def _show_more(self, table: Table) -> None:
        """Show more of the one at work, unless another was opened since; it lies in its folder all the same."""
        if self._shown is not None and self._shown.folder == self._out:
            self._show(replace(self._shown, table=table))

    def _clear(self) -> None:
        self._show(None)

    def _on_finished(self, event: RunFinished) -> None:
        super()._on_finished(event)
        shown = self._shown
        if shown is not None and shown.folder == self._out:
            # What nothing was written to is forgotten when the thread ends.
            with suppress(InputError):
                self._show(replace(shown, header=self._place.read(shown.folder)))

    def _on_ended(self, job: RunJob) -> None:
        nothing = job is self._job and self._shown is not None and self._shown.table is None
        super()._on_ended(job)
        if nothing:
            self._show(None)
