"""Headers of saved runs, such as ``run.toml``: what was asked, with what, and how it ended."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np

from firegui.domain.coverage import RequiredCoverage
from firegui.domain.fleet import Fleet
from firegui.domain.operations import Operations
from firegui.domain.project import FireModel, Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import PlanSettings
from firegui.io import toml
from firegui.io.paths import real_path
from firegui.io.project.store import project_hash
from firegui.runs.checksums import with_checksum
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.stages import FinishReason, ReplanNote, RunState, Stage

# Reading a header must not wait for the specs of all runs.
if TYPE_CHECKING:
    from firegui.runs.spec import PlanSpec

FORMAT = 1
NOT_INSTALLED = "not installed"
_FROM_SOURCE = "0+source"
PACKAGES = ("firegui", "torch", "numpy", "rasterio", "pyproj")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedHeader:
    """Header fields of every saved run.

    ``project_hash`` covers everything that affects the run, ``event_hash`` the event and its fire model alone.
    ``seconds`` are elapsed time over all sessions.
    """

    format: int = FORMAT
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
        """Return the text of the file. Fields without a value are left out, because TOML has no null."""
        return with_checksum(header_text(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader(SavedHeader):
    """The content of ``run.toml``.

    ``stages`` are those of the run. ``warm_start`` is a hash, empty when the run started by itself, and
    ``warm_start_file`` where the schedule was. ``edited_from`` is the name of the run folder beside it whose plan was
    edited by hand; empty for none. ``number`` counts the runs of a project, ``None`` for a run elsewhere or of an
    earlier version. ``label`` is the title of the run after its number, empty for that of the folder's name. ``budget``
    is the tactical heuristic's, where it was given one. ``replan`` is set where a run goes on from a plan that is being
    flown. ``tests_stopped`` is whether a stop ended the tests of the finished plan or the scores of its removal curve;
    a resumed run makes them. ``files`` has the sha256 of every file of a finished run by name; ``None`` while it runs,
    and for a run of an earlier version.
    """

    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,)
    epochs_done: int = 0
    best_epoch: int = -1
    seed: int
    backend: str
    device: str
    warm_start: str = ""
    warm_start_file: str = ""
    edited_from: str = ""
    number: int | None = None
    label: str = ""
    budget: int | None = None
    replan: ReplanNote | None = None
    tests_stopped: bool = False
    files: Mapping[str, str] | None = None


class HeaderSpec(Protocol):
    """Fields of a spec that every header is made of."""

    @property
    def project(self) -> Project:
        """Project that is planned or analysed."""

    @property
    def command(self) -> str:
        """Command that repeats the run."""

    @property
    def project_folder(self) -> Path | None:
        """Folder of the project."""


class SavedResultSpec(HeaderSpec, Protocol):
    """Fields that the specs of all saved results have."""

    @property
    def out(self) -> Path:
        """Folder of the result."""

    @property
    def settings(self) -> Any:
        """Settings of the run."""


def common_fields(
    spec: HeaderSpec, then: SavedHeader | None, backend: str, packages: Sequence[str] = PACKAGES
) -> dict[str, Any]:
    """Return the header fields that all runs fill in alike, for a run that resumes from ``then``."""
    return {
        "command": spec.command,
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


def schedule_fields(schedule: Schedule | None, file: Path | None) -> dict[str, Any]:
    """Return the header fields on the schedule of a result: its hash, and the file that it was read from."""
    return {"schedule": schedule_hash(schedule), "schedule_file": path_text(file)}


def new_header(spec: PlanSpec, backend: str, device: str, previous: RunHeader | None) -> RunHeader:
    """Return the header of a run that begins, or that resumes from ``previous``."""
    return RunHeader(
        **{**common_fields(spec, previous, backend), "state": RunState.PREPARING},
        stages=spec.stages,
        seed=spec.project.plan.optimizer.seed,
        device=device,
        epochs_done=previous.epochs_done if previous else 0,
        best_epoch=previous.best_epoch if previous else -1,
        warm_start=previous.warm_start if previous else schedule_hash(spec.warm_start),
        warm_start_file=previous.warm_start_file if previous else path_text(spec.warm_start_file),
        edited_from=previous.edited_from if previous else "" if spec.edited_from is None else spec.edited_from.name,
        number=previous.number if previous else spec.number,
        label=previous.label if previous else spec.label,
        budget=spec.budget,
    )


def installed_versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Versions of what decides the numbers, without importing any of it."""
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = _FROM_SOURCE if name == "firegui" else NOT_INSTALLED
    return found


def event_hash(project: Project) -> str:
    """Hash of the event and its fire model, whatever is planned on it."""
    bare = replace(project, fleet=Fleet(()), grounded={}, regions=(), values=(), plan=PlanSettings())
    return project_hash(replace(bare, operations=Operations(), barriers=()))


def fire_hash(project: Project) -> str:
    """Hash of the event alone, whatever fire model it is planned with."""
    return event_hash(
        replace(project, fire_model=FireModel("scalar", "", {}), maps=None, weights=None, coverage=RequiredCoverage())
    )


def schedule_hash(schedule: Schedule | None) -> str:
    """sha256 of a schedule's arrays; empty for none."""
    if schedule is None:
        return ""
    parts = [schedule.logits, schedule.poses] + ([] if schedule.pose_logits is None else [schedule.pose_logits])
    return hashlib.sha256(b"".join(np.ascontiguousarray(part, np.float64).tobytes() for part in parts)).hexdigest()


def now() -> datetime:
    """Return the time for the record, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def path_text(path: Path | None) -> str:
    """Return a path as a header keeps it: whole, and empty for none."""
    return str(real_path(path)) if path else ""


def file_of(header: SavedHeader, text: str, project: Path | None) -> Path | None:
    """Return the file that a header keeps as ``text``; ``None`` for an empty one.

    ``project`` is the folder of the project now. A file of the project is looked for there, because the project may
    have been moved or copied since the header was written.
    """
    if not text:
        return None
    path, then = Path(text), header.project_folder
    if project is None or not then or not path.is_relative_to(then):
        return path
    return real_path(project) / path.relative_to(then)


def header_text(header: object) -> str:
    """Return the TOML of a header, its project last. Fields without a value are left out."""
    plain = without_none(msgspec.to_builtins(header, builtin_types=(datetime, date)))
    project = {"project": plain.pop("project")} if "project" in plain else {}
    return toml.dumps({**plain, **project})


def without_none(value: Any) -> Any:
    """Return ``value`` without the keys of mappings, at any depth, that have no value."""
    if isinstance(value, Mapping):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    return [without_none(item) for item in value] if isinstance(value, (list, tuple)) else value
