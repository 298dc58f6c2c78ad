"""Long work beside the runs that would end with the project being left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """What a person is asked about, named by its ``title``, and how to end it either way.

    ``stop`` ends it and keeps what ``kept`` says; ``again``: what is missing then can be made later. ``discard`` ends
    it and deletes what ``lost`` says; ``None`` where nothing is deleted with it. ``behind`` is how many runs wait for
    it, which end with it.
    """

    title: str
    kept: str
    stop: Callable[[], object]
    discard: Callable[[], object] | None = None
    lost: str = ""
    again: bool = True
    behind: int = 0

    @property
    def outcome(self) -> str:
        """What becomes of it, in sentences."""
        said = f"Stopping keeps the {self.kept}" + ("; it can be gone on with later." if self.again else ".")
        said += f" Discarding deletes {self.lost}." if self.discard is not None else " Nothing is deleted."
        if self.behind == 1:
            said += " The run that waits behind it will not begin."
        elif self.behind:
            said += f" The {self.behind} runs that wait behind it will not begin."
        return said
