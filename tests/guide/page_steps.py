"""Does what a page of the help says: the steps of a page, and a copy of firegui in which they are taken.

A page says what to do in three ways, each followed by a block of code::

    Make `PATH`:                          the block is a new file
    In `PATH`, below `LINE`:              the block goes below the one line that reads so
    In `PATH`, instead of `LINE`:         the block takes its place

and a block of ``console`` holds commands; a block of no kind is only to be read. A path that begins with ``firegui/``
is of the program, any other of the folder in which one works.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firegui.assets import resource

CHECKOUT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 600
_BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_MAKE = re.compile(r"Make `(?P<path>[^`]+)`:\Z")
_EDIT = re.compile(r"In `(?P<path>[^`]+)`, (?P<how>below|instead of)\s`(?P<line>.+)`:\Z")


@dataclass(frozen=True, slots=True)
class Step:
    """One block: ``how`` is ``make``, ``below``, ``instead of`` or ``run``."""

    how: str
    text: str
    path: str = ""
    line: str = ""


def steps_of(page: str) -> Iterator[Step]:
    """The steps of a page, in its order."""
    markdown = resource(f"help/{page}.md").read_text(encoding="utf-8")
    for block in _BLOCK.finditer(markdown):
        before = markdown[: block.start()].rstrip().rpartition("\n\n")[2]
        if not block["kind"]:
            continue
        if block["kind"] == "console":
            yield Step("run", block["text"])
        elif made := _MAKE.search(before):
            yield Step("make", block["text"], made["path"])
        elif edit := _EDIT.search(before):
            yield Step(edit["how"], block["text"], edit["path"], edit["line"])
        else:
            raise AssertionError(f"{page}.md has a block that says nothing of where it goes: {before!r}")


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the program in ``root`` and a ``work_folder``; ``PROJECT`` in a command is ``project``."""

    root: Path
    work_folder: Path
    project: Path | None = None

    @staticmethod
    def make(place: Path, project: Path | None = None) -> Copy:
        """Copy the program; resources are the checkout's own."""
        root, work_folder = place / "copy", place / "work"
        shutil.copytree(CHECKOUT / "firegui", root / "firegui")
        (root / "resources").symlink_to(CHECKOUT / "resources", target_is_directory=True)
        work_folder.mkdir()
        return Copy(root, work_folder, project)

    def follow(self, page: str) -> list[str]:
        """Take every step of a page; returns what its commands printed."""
        return [said for step in steps_of(page) for said in self.take(step)]

    def take(self, step: Step) -> list[str]:
        """Take one step."""
        if step.how == "run":
            return [self.run(line) for line in step.text.strip().splitlines()]
        path = (self.root if step.path.startswith("firegui/") else self.work_folder) / step.path
        if step.how == "make":
            assert not path.exists(), f"{step.path} is there already"
            path.write_text(step.text, encoding="utf-8")
        else:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            places = [number for number, line in enumerate(lines) if line.strip() == step.line]
            assert len(places) == 1, f"{step.path} has {len(places)} lines that read {step.line!r}"
            lines[places[0] : places[0] + 1] = [*([lines[places[0]]] if step.how == "below" else []), step.text]
            path.write_text("".join(lines), encoding="utf-8")
        return []

    def run(self, command: str) -> str:
        """Run a command of the page; returns what it printed. One that fails is a fault of the page."""
        words = [str(self.project) if word == "PROJECT" else word for word in command.split()]
        program = {"firegui": ["-m", "firegui"], "python": []}[words[0]]
        return self.python(*program, *words[1:])

    def python(self, *arguments: str) -> str:
        """Run Python on the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.work_folder, env=environment, capture_output=True, text=True,
            timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
        return done.stdout
