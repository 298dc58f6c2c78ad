"""The import contracts of pyproject.toml hold, and each of them can fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
LINT = ["-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache", "--no-logo"]
VERDICT = re.compile(r"^(?P<name>.+) (?P<verdict>KEPT|BROKEN)$", re.MULTILINE)

CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What import-linter said of a tree."""

    status: int
    kept: frozenset[str]
    broken: frozenset[str]
    text: str


def lint(folder: Path) -> Verdict:
    """Check the package in ``folder`` against the contracts in its ``pyproject.toml``."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *LINT], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    said = {match["name"]: match["verdict"] for match in VERDICT.finditer(done.stdout)}
    names = {contract["name"]: key for key, contract in CONTRACTS.items()}
    return Verdict(
        done.returncode,
        frozenset(names[name] for name, verdict in said.items() if verdict == "KEPT"),
        frozenset(names[name] for name, verdict in said.items() if verdict == "BROKEN"),
        done.stdout + done.stderr,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A throw-away copy of the package with the same contracts."""
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    shutil.copytree(CHECKOUT / "firegui", tmp_path / "firegui", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def add(folder: Path, file: str, line: str) -> None:
    """Append a line to a module of the copy, which is made when it is not there."""
    path = folder / "firegui" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as text:
        text.write(f"\n{line}\n")


def test_every_contract_is_kept() -> None:
    verdict = lint(CHECKOUT)

    assert verdict.broken == frozenset(), verdict.text
    assert verdict.kept == frozenset(CONTRACTS), verdict.text
    assert verdict.status == 0


def count_type_imports(folder: Path) -> None:
    """Make the contracts of the copy, "torch" apart, see imports under ``TYPE_CHECKING``, too."""
    file = folder / "pyproject.toml"
    flag = "exclude_type_checking_imports = true"
    head, *contracts = file.read_text(encoding="utf-8").split("[[tool.importlinter.contracts]]")
    assert flag in head
    kept = [text for text in contracts if 'id = "torch"' not in text]
    assert len(kept) == len(contracts) - 1
    text = "[[tool.importlinter.contracts]]".join([head.replace(flag, flag.replace("true", "false")), *kept])
    file.write_text(text, encoding="utf-8")


TYPED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import "


def test_types_of_the_engine_may_be_imported(copy: Path) -> None:
    add(copy, "runs/right.py", f"{TYPED}firegui.rollout.simulate")

    assert lint(copy).broken == frozenset()


def test_imports_of_types_keep_every_contract_but_torch(copy: Path) -> None:
    count_type_imports(copy)
    assert lint(copy).broken == frozenset()

    add(copy, "rollout/wrong.py", f"{TYPED}firegui.planning")
    assert lint(copy).broken == {"layers"}


VIOLATIONS = [
    ("layers", "domain/wrong.py", "import firegui.io"),
    ("layers", "errors.py", "import firegui.domain.grid"),
    ("layers", "cli/wrong.py", "def late() -> None:\n    import firegui.gui"),
    ("layers", "runs/other.py", "import firegui.analyses.skill.run"),
    ("layers", "novel/__init__.py", ""),
    ("layers", "new.py", ""),
    ("qt", "io/wrong.py", "from PySide6.QtCore import QObject"),
    ("qt", "runs/wrong.py", "import pyqtgraph"),
    ("qt", "cli/wrong.py", "import qtpy.QtCore"),
    ("qt", "planning/wrong.py", "import superqt"),
    ("qt", "domain/wrong.py", "import qtawesome"),
    ("torch", "domain/wrong.py", "import torch"),
    ("torch", "io/wrong.py", "from torch import Tensor"),
    ("torch", "cli/wrong.py", "import firegui.rollout.simulate"),
    ("torch", "api/other.py", "import firegui.rollout.simulate"),
    ("torch", "gui/scenario/wrong.py", "import torch.nn"),
    ("torch", "gui/window/wrong.py", "import firegui.rollout.wrong"),
    ("torch", "rollout/wrong.py", "import torch"),
    ("torch", "runs/other.py", "import cma"),
    ("torch", "gui/window/other.py", "import firegui.planning.other"),
    ("torch", "planning/other.py", "import nevergrad.optimizers"),
    ("kernels", "rollout/wrong.py", "import firegui.rollout.kernels"),
    ("kernels", "planning/wrong.py", "from firegui.rollout.kernels import wrong"),
    ("kernels", "rollout/kernels/wrong.py", ""),
    ("reference", "rollout/kernels/wrong.py", "import firegui.rollout.reference"),
    ("planners", "planning/planners/one.py", "import firegui.planning.planners.two"),
    ("planners", "planning/planners/two.py", ""),
    ("window", "gui/base/wrong.py", "import firegui.gui.session.session"),
    ("window", "gui/session/wrong.py", "import firegui.gui.jobs.run_job"),
    ("window", "gui/jobs/wrong.py", "import firegui.gui.widgets.table_model"),
    ("window", "gui/widgets/wrong.py", "import firegui.gui.charts.chart"),
    ("window", "gui/charts/wrong.py", "import firegui.gui.map.camera"),
    ("window", "gui/map/wrong.py", "import firegui.gui.planning.plan_control"),
    ("window", "gui/analyses/skill/wrong.py", "import firegui.gui.window.documents"),
    ("window", "gui/help/wrong.py", "import firegui.gui.planning.other"),
    ("window", "gui/planning/other.py", ""),
    ("window", "gui/window/wrong.py", "def late() -> None:\n    import firegui.gui.app"),
    ("window", "gui/novel/__init__.py", ""),
    ("analyses", "gui/analyses/skill/wrong.py", "import firegui.gui.analyses.study.study_charts"),
    ("analyses", "gui/analyses/controller.py", "import firegui.gui.analyses.skill.skill_charts"),
    ("analyses", "gui/analyses/novel/__init__.py", ""),
    ("analysis-runs", "analyses/study/wrong.py", "import firegui.analyses.benchmark.run"),
    ("analysis-runs", "analyses/stress/wrong.py", "import firegui.analyses.nested_plan"),
    ("analysis-runs", "analyses/novel/__init__.py", ""),
    ("files", "io/crs.py", "import firegui.io.rasters.warp"),
    ("files", "io/rasters/wrong.py", "import firegui.io.importers.lcp"),
    ("files", "io/weather/netcdf_file.py", "import firegui.io.importers.lcp"),
    ("files", "io/importers/wrong.py", "import firegui.io.exporters.table"),
    ("wind", "io/weather/table_wind.py", "import firegui.io.weather.netcdf_wind"),
    ("wind", "io/weather/series.py", "import firegui.io.weather.daily"),
    ("wind", "io/weather/novel.py", ""),
    # Commands import the audit, so a planner that loads torch would break two contracts with one line.
    (
        "audit",
        "planning/audit.py",
        "import firegui.planning.placement, firegui.rollout.gates, firegui.planning.planners.one",
    ),
    ("audit", "planning/planners/one.py", ""),
]


def complaints(file: str, line: str) -> list[str]:
    """Return what a report says of a line that breaks a contract, or of a module that no contract knows."""
    module = "firegui." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if not line:
        return [module.rpartition(".")[2]]
    place, names = re.findall(r"(?:from (\S+) )?import (.+)", line)[0]
    targets = [f"{place}.{name}".lstrip(".") for name in names.split(", ")]
    return [f"{module} -> {name if name.startswith('firegui.') else name.partition('.')[0]}" for name in targets]


def break_contracts(copy: Path, *contracts: str) -> list[str]:
    """Write every violation of some contracts into a copy, and return what a report must say of them."""
    lines = [(file, line) for name, file, line in VIOLATIONS if name in contracts]
    for file, line in lines:
        add(copy, file, line)
    return [text for file, line in lines for text in complaints(file, line)]


def test_deliberate_violations_break_every_contract(copy: Path) -> None:
    assert {name for name, _file, _line in VIOLATIONS} == set(CONTRACTS)
    told = break_contracts(copy, *CONTRACTS)

    verdict = lint(copy)

    assert verdict.status != 0
    assert verdict.broken == set(CONTRACTS), verdict.text
    assert [text for text in told if text not in verdict.text] == [], verdict.text


@pytest.mark.slow
@pytest.mark.parametrize("contract", CONTRACTS)
def test_deliberate_violations_break_their_contract_and_no_other(copy: Path, contract: str) -> None:
    told = break_contracts(copy, contract)

    verdict = lint(copy)

    assert verdict.status != 0
    assert verdict.broken == {contract}, verdict.text
    assert [text for text in told if text not in verdict.text] == [], verdict.text


def test_the_layers_are_exhaustive_and_stand_in_the_order_of_the_house() -> None:
    layers = CONTRACTS["layers"]

    assert layers["exhaustive"] is True
    assert " ".join(layers["layers"]) == (
        "__main__ gui cli api analyses runs planning calibration ensembles rollout fire native io domain assets errors"
    )


def test_no_package_but_gui_is_left_out_of_the_qt_contract() -> None:
    packages = {f"firegui.{layer}" for layer in CONTRACTS["layers"]["layers"]}

    assert set(CONTRACTS["qt"]["source_modules"]) == packages - {"firegui.gui"}
