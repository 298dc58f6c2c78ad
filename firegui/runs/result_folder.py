"""Header, lock and elapsed time of the result folder that an analysis writes to, and its check before a resume."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from firegui.errors import InputError, Problem, Problems
from firegui.io.project.store import project_hash
from firegui.runs.events import FinishReason, RunState
from firegui.runs.header import (
    NOT_INSTALLED,
    HeaderSpec,
    SavedHeader,
    event_hash,
    now,
)
from firegui.runs.lock import FolderLock
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import differences, value_words
from firegui.runs.snapshot import ProjectSnapshot

Kind = TypeVar("Kind", bound=SavedHeader)


class SavedResultSpec(HeaderSpec, Protocol):
    """Fields that the specs of all saved results have."""

    @property
    def out(self) -> Path:
        """Folder of the result."""

    @property
    def settings(self) -> Any:
        """Settings of the run."""


@dataclass(frozen=True, slots=True)
class ResumeCheck:
    """Check of a run to resume against its saved header.

    ``made``, ``made_of`` and ``remedy`` are words of the messages: a result was ``made_of`` a project.
    """

    made: str
    made_of: str
    remedy: str

    def problems(
        self, spec: SavedResultSpec, then: SavedHeader, settings: Any, more: Iterable[Problem] = ()
    ) -> list[Problem]:
        """Return what keeps ``spec`` from resuming ``then``, which had ``settings``.

        ``more`` are problems of the kind alone. Any other difference is reported as another project.
        """
        where, found = str(spec.out), []
        if then.event_hash != event_hash(spec.project):
            what = f"was {self.made} on another event or fire model"
            found.append(Problem(where, what, f"give the project it was {self.made_of}"))
        pairs = [
            *differences(then.project.plan, ProjectSnapshot.of(spec.project).plan, all_of=True),
            *differences(settings, spec.settings),
        ]
        for title, before, after in pairs:
            what = f"was {self.made} with {title} = {value_words(before)}, now {value_words(after)}"
            found.append(Problem(where, what, self.remedy))
        found += more
        if not found and then.project_hash != project_hash(spec.project):
            what = f"was {self.made} with another fleet, other regions or other rules"
            found.append(Problem(where, what, self.remedy))
        return found

    def engine_problems(self, then: SavedHeader, now: SavedHeader, where: Path) -> list[Problem]:
        """Return differences of the backend and the packages, which make rows of a table incomparable.

        Packages that were not installed then, or are not now, do not count.
        """
        pairs = [("backend", then.backend, now.backend)]
        both = (then.versions.keys() & now.versions.keys()) - {"python"}
        pairs += [(name, then.versions[name], now.versions[name]) for name in sorted(both)]
        return [
            Problem(str(where), f"was {self.made} with {name} {before}, now {after}", self.remedy)
            for name, before, after in pairs
            if before != after and NOT_INSTALLED not in (before, after)
        ]


class SavedResultFolder(Generic[Kind]):
    """Folder of one saved result: checked before the run, then locked, with a header that follows the run's state."""

    def __init__(self, store: ResultStore[Kind], out: Path, resume: bool) -> None:
        self._store, self._out, self._resume = store, out, resume
        self._lock: FolderLock | None = None
        self._header: Kind | None = None
        self._began = time.monotonic()
        self.written: Path | None = None

    @property
    def header(self) -> Kind:
        """Header of the result. Valid after :meth:`claim`."""
        assert self._header is not None
        return self._header

    @property
    def seconds(self) -> float:
        """Elapsed seconds of all sessions, this one included."""
        return self.header.seconds + time.monotonic() - self._began

    def checked(self, lacks: Iterable[Problem], unlike: Callable[[Kind], Iterable[Problem]]) -> Kind | None:
        """Return the header of the result to resume, ``None`` for a new one. Writes nothing.

        ``lacks`` are problems of the input; ``unlike`` returns what keeps the result from being resumed. Raises
        :class:`~firegui.errors.InputError` listing all problems.
        """
        problems = Problems()
        problems.extend(lacks)
        then = None
        try:
            then = self._store.check(self._out, self._resume)
        except InputError as error:
            problems.extend(error.problems)
        if then is not None and not problems:
            problems.extend(unlike(then))
        problems.raise_if_any(self._store.title)
        return then

    def claim(self, then: Kind | None, header: Kind) -> None:
        """Lock the folder, whose header was ``then`` when it was checked. Nothing is written yet."""
        self._lock = self._store.claim(self._out, self._resume, then)
        self._header, self.written = header, self._out

    def update(self, *, state: RunState, reason: FinishReason | None = None, message: str = "", **more: Any) -> None:
        """Write the state of the run to the header; ``more`` are fields of its kind."""
        seconds, self._began = self.seconds, time.monotonic()
        changes = {"state": state, "reason": reason, "message": message, "updated": now(), "seconds": seconds, **more}
        self._header = replace(self.header, **changes)
        self._store.write(self._out, self._header)

    def remove(self, *patterns: str) -> None:
        """Remove files of an earlier session that match. Files that cannot be removed stay."""
        for path in (path for pattern in patterns for path in self._out.glob(pattern)):
            with suppress(OSError):
                path.unlink()

    def rest(self, seconds: float) -> None:
        """Leave ``seconds`` of a pause out of the elapsed time."""
        self._began += seconds

    def close(self) -> None:
        """Unlock the folder. Nothing is written to it afterwards."""
        if self._lock is not None:
            self._lock.release()
