"""One fault of each class and one for each importer, in this process; all of them are in ``test_every_fault``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from firegui.cli.main import main
from tests.unit.io.faults.cases import REFUSED, Answer, Case, Fault, changed, complaints, few, snapshot
from tests.unit.io.faults.catalogue import FAULTS
from tests.unit.io.faults.sound import IMPORTERS


@pytest.mark.parametrize("case", few(FAULTS), ids=lambda case: case.name)
def test_a_faulty_file_ends_in_one_message_that_names_the_fault(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    words = case.prepare(tmp_path, IMPORTERS[case.importer])
    before = snapshot(tmp_path)
    capfd.readouterr()
    result = CliRunner().invoke(main, list(words), prog_name="firegui")
    printed = capfd.readouterr()  # what libraries print past Python
    answer = Answer(result.exit_code, result.stdout, result.stderr + printed.err, changed(before, snapshot(tmp_path)))
    assert complaints(case, answer) == []


def test_every_importer_and_class_is_among_them() -> None:
    chosen = few(FAULTS)
    assert {case.importer for case in chosen} == set(IMPORTERS)
    assert {case.fault.name for case in chosen} == {fault.name for fault in FAULTS} - {"giant"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(0, "Imported\n", "", ()), "is taken for sound"),
        (Answer(1, "", "firegui: an error in firegui: KeyError: 'x'.\n", ()), "exit code 1"),
        (Answer(2, "", "T:\n  • f: is empty — get it again\nERROR 1: TIFFReadDirectory\n", ()), "is not one message"),
        (Answer(2, "", "T:\n  • f: something — or other\n", ()), "does not say 'is empty'"),
        (Answer(2, "", "T:\n  • f: is empty — get it again\n", (".new.tmp.firegui",)), "leaves .new.tmp.firegui"),
    ],
)
def test_the_judge_finds_what_is_wrong_with_an_answer(answer: Answer, said: str) -> None:
    case = Case(Fault("empty", ("maps npz",), lambda sound, rng: None, "is empty", REFUSED), "maps npz", 1)
    assert any(said in complaint for complaint in complaints(case, answer))


def test_the_same_case_is_the_same_bytes(tmp_path: Path) -> None:
    for fault in (fault for fault in FAULTS if fault.name == "flipped bits"):
        case = Case(fault, "fleet toml", 5)
        written = []
        for name in ("one", "other"):
            (tmp_path / fault.variant / name).mkdir(parents=True)
            case.prepare(tmp_path / fault.variant / name, IMPORTERS["fleet toml"])
            written.append((tmp_path / fault.variant / name / "in" / "fleet.toml").read_bytes())
        assert written[0] == written[1]
