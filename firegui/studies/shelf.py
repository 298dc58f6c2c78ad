"""Puts finished cells away while the study goes on: to be certain of a file a disk takes longer than a short cell."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from firegui.domain.study_table import StudyRow
from firegui.errors import InputError
from firegui.studies.bench import Answer
from firegui.studies.folder import write_answer

WRITERS = 8
"""Files that are made certain at the same time cost the disk little more than one."""


class Shelf:
    """Keeps cells in the folder of a study; one that cannot be written, of a disk that is full, is tried again."""

    def __init__(self, folder: Path, warn: Callable[[str], object]) -> None:
        self._folder, self._warn = folder, warn
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="study-shelf")
        self._writing: dict[Future[StudyRow], Answer] = {}
        self._refused: list[Answer] = []
        self._told = False

    @property
    def pending(self) -> int:
        """Cells that are not kept yet."""
        return len(self._writing) + len(self._refused)

    def put(self, answer: Answer) -> None:
        """Begin to keep a cell."""
        self._writing[self._writers.submit(write_answer, self._folder, answer)] = answer

    def kept(self, *, all_of_them: bool = False) -> list[StudyRow]:
        """The rows of the cells that are kept by now, each once; begins anew with those that could not be.

        With ``all_of_them`` it waits until every cell is kept or was refused once more.
        """
        again, self._refused = self._refused, []
        for answer in again:
            self.put(answer)
        if all_of_them:
            wait(self._writing)
        rows = []
        for writing in [writing for writing in self._writing if writing.done()]:
            answer = self._writing.pop(writing)
            try:
                rows.append(writing.result())
            except InputError as error:
                self._refused.append(answer)
                self._say(error)
        return rows

    def close(self) -> None:
        """Let the writers go; what they are at is finished."""
        self._writers.shutdown(wait=True, cancel_futures=True)

    def _say(self, error: InputError) -> None:
        if not self._told:
            self._told = True
            self._warn(f"a cell could not be saved ({error.problems[0]}); it is tried again")
