"""The page From Python and the two notebooks: all of their code runs, with few epochs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import firegui
from firegui.api.projects import OpenProject, made_project
from firegui.assets import resource

pytestmark = pytest.mark.usefixtures("short_repairs")
_BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
FEW = 60
"""Epochs after which the demo's plan has its first drops."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the code runs. The demo fire has one day there."""
    monkeypatch.chdir(tmp_path)
    whole = firegui.demo()
    plan = whole.plan

    def short(*, out: str | Path | None = None) -> OpenProject:
        found = made_project(whole.plain, None if out is None else Path(out))
        return replace(found, plan=replace(plan, days=1))

    monkeypatch.setattr(firegui, "demo", short)
    return tmp_path


def page_code() -> list[str]:
    """The blocks of code of the page, with few epochs and members."""
    page = resource("help/from-python.md").read_text(encoding="utf-8")
    blocks = [block["code"] for block in _BLOCK.finditer(page)]
    assert len(blocks) == page.count("\n```python\n")
    return [block.replace("epochs=300", f"epochs={FEW}").replace("members=10", "members=2") for block in blocks]


def test_the_code_of_the_page_runs_from_top_to_bottom(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    said = []
    for code in page_code():
        exec(compile(code, "from-python.md", "exec"), names)  # the page is ours
        said.append(capsys.readouterr().out)
    assert re.search(r"^\d+ drops\n\d+ ha burn with them, \d+ ha without$", said[0], re.MULTILINE)
    assert "ha with half the fleet" in said[1]
    assert {path.suffix for path in (place / "handover").iterdir()} == {".csv", ".geojson"}
    assert (place / "demo.firegui" / "runs" / "from-python" / "run.toml").is_file()
    assert {path.stem.startswith("demo-plan") for path in (place / "handover").iterdir()} == {True}
    assert re.search(r"^(True|False) .*(old|s) ", "".join(said), re.MULTILINE)
    assert said[-2].splitlines()[-1] == "stopped"
    assert "nowhere.firegui the project does not exist" in said[-1] and "epochs is -1" in said[-1]


def test_the_page_names_every_function_and_no_other() -> None:
    page = resource("help/from-python.md").read_text(encoding="utf-8")
    used = set(re.findall(r"firegui\.(\w+)\(", page)) | set(re.findall(r"^\| `(\w+)\(", page, re.MULTILINE))
    functions = {name for name in firegui.__all__ if name not in ("InputError", "RunControl")}
    assert used - {"RunControl"} == functions


@pytest.mark.parametrize(
    ("name", "epochs", "words"),
    [
        ("plan_demo", FEW, ("ha without drops", "drops by day: [", "late")),
        pytest.param(
            "compare_fleets",
            3,
            ("whole fleet        22", "half the fleet        11", " ± "),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_notebook_runs(
    name: str, epochs: int, words: tuple[str, ...], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = resource(f"examples/{name}.py").read_text(encoding="utf-8")
    assert "EPOCHS = 400\n" in code
    assert code.count("# %%") >= 5
    exec(compile(code.replace("EPOCHS = 400", f"EPOCHS = {epochs}"), f"{name}.py", "exec"), {})  # the notebook is ours
    said = capsys.readouterr().out
    assert [word for word in words if word not in said] == [], said
