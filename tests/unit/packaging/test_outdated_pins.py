"""The report on pins that are behind, with the answers of a package index made up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packaging"))

from outdated_pins import CONSTRAINTS, main, newest, pins, report

ANSWERS = {"numpy": "numpy (2.4.1)\nAvailable versions: 2.4.1, 2.4.0\n", "torch": "torch (2.13.0)\n", "gone": ""}


def test_every_line_with_a_version_is_a_pin() -> None:
    text = "# numpy==1.0 is old\nnumpy==2.4.0\n\ntorch==2.13.0+cpu ; sys_platform == 'linux'\n"
    assert pins(text) == {"numpy": "2.4.0", "torch": "2.13.0+cpu"}
    assert len(pins(CONSTRAINTS.read_text(encoding="utf-8"))) > 100


def test_pins_that_are_behind_or_not_known_are_named_and_counted() -> None:
    assert list(report({"numpy": "2.4.0", "torch": "2.13.0+cpu", "gone": "1"}, ANSWERS.__getitem__)) == [
        "numpy 2.4.0: 2.4.1 is the newest",
        "gone 1: the index does not answer",
        "1 of 3 pins are behind, 1 are not known",
    ]


def test_an_answer_without_a_version_is_no_version() -> None:
    assert newest("ERROR: No matching distribution found for x") == ""


def test_a_package_that_is_not_pinned_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-package"]) == 2
    assert "does not pin no-such-package" in capsys.readouterr().err


def test_the_help_says_what_is_asked_and_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "which pins of packaging/constraints.txt are behind" in capsys.readouterr().out
