"""Damaged and hostile files of every format end in success or one message, soon, and leave nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attack.attack import Commands, ask, attack_file, attack_until, make_places
from tests.attack.conftest import Over, Property, report
from tests.attack.judge import complaints
from tests.attack.samples import Sample
from tests.unit.io.faults.cases import Answer
from tests.unit.io.listener import Listener

SHARE = 0.65
"""Of the session's time."""


def test_no_damaged_file_is_more_than_one_message(
    tmp_path: Path, seed: int, over: Over, samples: list[Sample], commands: Commands, listener: Listener,
    record_property: Property,
) -> None:  # fmt: skip
    verdicts = attack_until(
        over(SHARE), lambda number, place: attack_file(samples, seed, number, place, commands, listener.url), tmp_path
    )
    report(verdicts, seed, record_property)
    assert listener.requests == []


@pytest.mark.slow
def test_every_sound_sample_but_an_archive_is_read(tmp_path: Path, samples: list[Sample], commands: Commands) -> None:
    refused = {}
    for sample in samples:
        make_places(tmp_path / sample.name)
        sound = sample.copy(tmp_path / sample.name / "data" / "in")
        words = tuple(str(tmp_path / sample.name / "data" / "new") if word == "OUT" else word for word in sound.words)
        answer, took = ask(commands, words, tmp_path / sample.name)
        found = complaints(answer, took, tmp_path / sample.name)
        if answer.code or found:
            refused[sample.name] = (answer.err, found)
    assert list(refused) == ["perimeters kmz"], refused


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(2, "", "T:\n  • f: is empty — get it again\n", ()), None),
        (Answer(2, "", "firegui: /a: No space left on device; check the disk\n", ()), None),
        (Answer(0, "Imported\n", "", ("data/new.firegui",)), None),
        (Answer(1, "", "firegui: an error in firegui: KeyError: 'x'.\n", ()), "an error in firegui"),
        (Answer(1, "", "Traceback (most recent call last):\n", ()), "Traceback"),
        (Answer(-11, "", "", ()), "ends with -11"),
        (Answer(2, "", "", ()), "without one message"),
        (Answer(2, "", "T:\n  • f: x\n", ("data/a",)), "leaves data/a"),
        (Answer(0, "Imported\n", "", ("data/.new.12.tmp.firegui",)), "half-written"),
        (Answer(0, "Imported\n", "ERROR 1: TIFF\n", ()), "a library prints"),
    ],
)
def test_the_judge_finds_what_is_wrong_with_an_answer(tmp_path: Path, answer: Answer, said: str | None) -> None:
    for name in answer.changed:
        (tmp_path / name).mkdir(parents=True)
    found = complaints(answer, {"seconds": 1.0, "peak_mb": 90.0}, tmp_path)
    assert any(said in each for each in found) if said else not found


def test_the_judge_finds_long_and_large_commands(tmp_path: Path) -> None:
    found = complaints(Answer(0, "", "", ()), {"seconds": 31.0, "peak_mb": 2100.0}, tmp_path)
    assert found == ["takes 31.0 s", "takes 2100 MB"]
