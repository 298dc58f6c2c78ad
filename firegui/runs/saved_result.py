"""What runs that keep a header in their folder share: what it says whatever it is of, its lock, its clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from firegui.domain.project import Project
from firegui.errors import InputError, Problem, Problems
from firegui.io.project_store import project_hash
from firegui.runs.events import FinishReason, RunState
from firegui.runs.header import (
    NOT_INSTALLED,
    PACKAGES,
    event_hash,
    header_text,
    installed_versions,
    now,
    path_text,
)
from firegui.runs.lock import FolderLock
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import differences, value_words
from firegui.runs.snapshot import ProjectSnapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedHeader:
    """What a header says of any run but a plan. The hashes are those of a plan's ``run.toml``.

    ``seconds`` are by the clock, of every session.
    """

    format: int = 1
    command: str
    state: RunState
    reason: FinishReason | None = None
    message: str = ""
    started: datetime
    updated: datetime | None = None
    seconds: float = 0.0
    backend: str = ""
    project_folder: str = ""
    project_hash: str
    event_hash: str
    versions: Mapping[str, str] = field(default_factory=dict)
    project: ProjectSnapshot

    def text(self) -> str:
        """The file's text; what has no value is left out, for TOML has no null."""
        return header_text(self)


Kind = TypeVar("Kind", bound=SavedHeader)


class SavedResultSpec(Protocol):
    """What such a run is asked for, whatever it is of."""

    @property
    def project(self) -> Project:
        """What it is made of."""

    @property
    def out(self) -> Path:
        """Where it is kept."""

    @property
    def command(self) -> str:
        """What repeats it."""

    @property
    def settings(self) -> Any:
        """Every setting of it."""

    @property
    def project_folder(self) -> Path | None:
        """Where the project lies."""


def common_fields(
    spec: SavedResultSpec, then: SavedHeader | None, backend: str, packages: Sequence[str] = PACKAGES
) -> dict[str, Any]:
    """The fields of a header that are filled in alike, ``settings`` among them, of a run that goes on from ``then``."""
    return {
        "command": spec.command,
        "settings": spec.settings,
        "state": RunState.RUNNING,
        "started": then.started if then else now(),
        "seconds": then.seconds if then else 0.0,
        "backend": backend,
        "project_folder": path_text(spec.project_folder),
        "project_hash": project_hash(spec.project),
        "event_hash": event_hash(spec.project),
        "versions": installed_versions(packages),
        "project": ProjectSnapshot.of(spec.project),
    }


@dataclass(frozen=True, slots=True)
class ResumeCheck:
    """How people are told that a run was another one: it was ``made``, ``made of`` a project, and what to do then."""

    made: str
    made_of: str
    remedy: str

    def problems(
        self, spec: SavedResultSpec, then: SavedHeader, settings: Any, more: Iterable[Problem] = ()
    ) -> list[Problem]:
        """What keeps ``spec`` from going on with ``then``, which had ``settings``.

        ``more`` are those of the kind alone; what is left is then told of as another project.
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
        """What was computed by something else does not belong into one table, nor searches that are repeated by it.

        A package that was not there then, or is not now, keeps nothing from being compared.
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
    """The folder of one run: checked before anything is made, then held, and told how the run stands."""

    def __init__(self, place: ResultStore[Kind], out: Path, resume: bool) -> None:
        self._place, self._out, self._resume = place, out, resume
        self._lock: FolderLock | None = None
        self._header: Kind | None = None
        self._began = time.monotonic()
        self.written: Path | None = None

    @property
    def header(self) -> Kind:
        """What it says of itself. Only after :meth:`claim`."""
        assert self._header is not None
        return self._header

    @property
    def seconds(self) -> float:
        """By the clock, of every session and of this one so far."""
        return self.header.seconds + time.monotonic() - self._began

    def checked(self, lacks: Iterable[Problem], unlike: Callable[[Kind], Iterable[Problem]]) -> Kind | None:
        """What the run that is to be gone on with says of itself, ``None`` for a new one. Writes nothing.

        ``lacks`` keep it from being carried out, and ``unlike`` says what keeps it from going on. Raises
        :class:`~firegui.errors.InputError` listing everything.
        """
        problems = Problems()
        problems.extend(lacks)
        then = None
        try:
            then = self._place.check(self._out, self._resume)
        except InputError as error:
            problems.extend(error.problems)
        if then is not None and not problems:
            problems.extend(unlike(then))
        problems.raise_if_any(self._place.title)
        return then

    def claim(self, then: Kind | None, header: Kind) -> None:
        """Lock the folder, whose header was ``then`` when it was checked. Nothing is written yet."""
        self._lock = self._place.claim(self._out, self._resume, then)
        self._header, self.written = header, self._out

    def update(self, *, state: RunState, reason: FinishReason | None = None, message: str = "", **more: Any) -> None:
        """Write how the run stands; ``more`` are fields of its kind."""
        seconds, self._began = self.seconds, time.monotonic()
        changes = {"state": state, "reason": reason, "message": message, "updated": now(), "seconds": seconds, **more}
        self._header = replace(self.header, **changes)
        self._place.write(self._out, self._header)

    def remove(self, *patterns: str) -> None:
        """Take away the files that match: they show what the run was before. What cannot be removed stays."""
        for path in (path for pattern in patterns for path in self._out.glob(pattern)):
            with suppress(OSError):
                path.unlink()

    def rest(self, seconds: float) -> None:
        """So long nothing was done, which does not count."""
        self._began += seconds

    def close(self) -> None:
        """Let the folder go; nothing is written to it from then on."""
        if self._lock is not None:
            self._lock.release()
