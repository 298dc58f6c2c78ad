"""Radio frequencies and hazards: what is refused, and that no plan depends on them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.crew_notes import (
    MOST_FREQUENCIES,
    MOST_HAZARD_LETTERS,
    MOST_HAZARDS,
    RadioFrequency,
    frequency_problems,
    hazard_problems,
)
from firegui.domain.operations import Operations
from firegui.domain.project import changes_text, same_inputs
from firegui.io.project.store import project_hash
from tests.support import make_project

AIR_GROUND = RadioFrequency("Air/Ground", "122.925", "168.275 T110.9")


def said(problems: object) -> str:
    return "\n".join(map(str, problems))  # type: ignore[call-overload]


def test_a_channel_is_said_in_one_line() -> None:
    assert AIR_GROUND.text == "Air/Ground: AM 122.925, FM 168.275 T110.9"
    assert replace(AIR_GROUND, am=" ").text == "Air/Ground: FM 168.275 T110.9"
    assert frequency_problems([AIR_GROUND, RadioFrequency("Command – Süd", "", "169.2")]) == []
    assert hazard_problems(["Power line along Road 7", "Drohnen über dem Dörfli"]) == []


@pytest.mark.parametrize(
    ("channel", "part"),
    [
        (RadioFrequency("  ", "122.9"), "(no use): the use is empty"),
        (RadioFrequency("Air\nGround", "122.9"), "control characters (U+000A)"),
        (RadioFrequency("Air\u202eGround", "122.9"), "control characters (U+202E)"),
        (RadioFrequency("Air\u200bGround", "122.9"), "cannot be printed (U+200B)"),
        (RadioFrequency("A" * 61, "122.9"), "the use has 61 letters — use at most 60"),
        (RadioFrequency("Air", "1" * 41), "AM has 41 letters"),
        (RadioFrequency("Air", "122.9", "168.275\x00"), "FM has control characters (U+0000)"),
        (RadioFrequency("Air", "soon"), "AM 'soon' is not a frequency"),
        (RadioFrequency("Air", "  ", ""), "neither an AM nor an FM frequency"),
    ],
)
def test_a_channel_that_cannot_be_printed_is_refused(channel: RadioFrequency, part: str) -> None:
    assert part in said(frequency_problems([channel]))


def test_hazards_that_cannot_be_printed_are_refused_each_by_its_number() -> None:
    text = said(hazard_problems(["fine", "", "tab\there", "x" * (MOST_HAZARD_LETTERS + 1)]))
    assert "hazard 1" not in text
    assert "hazard 2: the text is empty" in text and "hazard 3: the text has control characters (U+0009)" in text
    assert f"hazard 4: the text has {MOST_HAZARD_LETTERS + 1} letters" in text
    assert "hazards: there are 41" in said(hazard_problems(["x"] * (MOST_HAZARDS + 1)))


def test_two_channels_of_one_use_and_too_many_are_refused() -> None:
    text = said(frequency_problems([AIR_GROUND, replace(AIR_GROUND, use="air/ground")]))
    assert "Air/Ground and air/ground differ only in letter case" in text
    many = [RadioFrequency(f"Net {number}", "118.0") for number in range(MOST_FREQUENCIES + 1)]
    assert "frequencies: there are 41" in said(frequency_problems(many))


def test_everything_wrong_is_among_the_problems_of_the_operations() -> None:
    bad = Operations(frequencies=(RadioFrequency("", "x"),), hazards=("", "\x07"))
    assert len(bad.own_problems()) == 4


def test_no_plan_depends_on_them() -> None:
    project = make_project()
    noted = replace(project, operations=replace(project.operations, frequencies=(AIR_GROUND,), hazards=("wires",)))
    assert noted.operations.off is project.operations.off
    assert noted.operations.rules == project.operations
    assert same_inputs(project, noted) and changes_text(project, noted) == ()
    assert project_hash(noted) == project_hash(project)
    assert project.with_notes_of(noted).operations == noted.operations
    assert project.with_notes_of(project) is project
