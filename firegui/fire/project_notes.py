"""Notes on a project, graded by how much they matter to its results. No torch is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from firegui.domain.project import Project
from firegui.fire.model_caveats import model_caveats

NO_DATE = (
    "The date of the fire is not known: there is no sunrise, sunset, daylight rule or magnetic north. Import it again "
    "with its start."
)
NO_DAYLIGHT = "No daylight rule: drops may be planned at night."


class Grade(StrEnum):
    """How much a note matters, the gravest first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class GradedNote:
    """One note. An error keeps runs from starting; a warning makes results less certain or less usable."""

    grade: Grade
    text: str

    @property
    def line(self) -> str:
        """The note with its grade, ``Warning: …``."""
        return f"{self.grade.value.capitalize()}: {self.text}"


def project_notes(project: Project) -> tuple[GradedNote, ...]:
    """Return everything to know of a project, each text once, the gravest first."""
    found: dict[str, Grade] = {}
    for grade, texts in _texts(project):
        for text in texts:
            found.setdefault(text, grade)
    return tuple(GradedNote(grade, text) for text, grade in found.items())


def _texts(project: Project) -> Iterator[tuple[Grade, Sequence[str]]]:
    event = project.scenario
    yield Grade.ERROR, [str(problem) for problem in project.problems()]
    yield Grade.WARNING, [] if event.is_dated else [NO_DATE]
    yield Grade.WARNING, model_caveats(project)
    yield Grade.WARNING, [NO_DAYLIGHT] if project.operations.daylight is None and event.is_dated else []
    yield Grade.NOTE, event.notes
