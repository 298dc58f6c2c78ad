"""Where compiled kernels are kept, and what happens where they cannot be."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
ASK = "from firegui.native import compiled; print(compiled.FOLDER)"


def answer(root: Path, program: str, **environment: str) -> str:
    """What a program prints that runs on the package in ``root``."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env={**kept, "PYTHONPATH": str(root), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_folder_belongs_to_one_state_of_the_engines_sources(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT / "firegui", tmp_path / "firegui", ignore=shutil.ignore_patterns("__pycache__"))
    cache = str(tmp_path / "cache")
    first = answer(tmp_path, ASK, XDG_CACHE_HOME=cache, LOCALAPPDATA=cache)
    assert Path(first).parent.parent == tmp_path / "cache"
    assert answer(tmp_path, ASK, XDG_CACHE_HOME=cache, LOCALAPPDATA=cache) == first
    with (tmp_path / "firegui" / "rollout" / "footprint.py").open("a") as source:
        source.write("\nANOTHER = 1\n")  # the kernels freeze constants of other modules
    assert answer(tmp_path, ASK, XDG_CACHE_HOME=cache, LOCALAPPDATA=cache) != first


def test_numbas_own_variable_goes_before(tmp_path: Path) -> None:
    assert answer(CHECKOUT, ASK, NUMBA_CACHE_DIR=str(tmp_path)) == str(tmp_path)


def test_without_a_folder_to_write_in_kernels_are_kept_for_the_process_and_those_it_starts(tmp_path: Path) -> None:
    blocked, temporary = tmp_path / "file", tmp_path / "temporary"
    blocked.write_text("no folder")
    temporary.mkdir()
    places = {"XDG_CACHE_HOME": str(blocked), "LOCALAPPDATA": str(blocked), "TMPDIR": str(temporary)}
    program = f"{ASK}; import subprocess, sys; subprocess.run([sys.executable, '-c', {ASK!r}], check=True)"
    parent, child = answer(
        CHECKOUT, f"import sys; sys.stdout.reconfigure(line_buffering=True); {program}", **places
    ).split()
    assert parent == child and Path(parent).parent == temporary
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_package_without_sources_can_be_imported(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT / "firegui", tmp_path / "firegui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(CHECKOUT / "resources", tmp_path / "resources")
    assert compileall.compile_dir(tmp_path / "firegui", legacy=True, quiet=2)
    for source in (tmp_path / "firegui").rglob("*.py"):
        source.unlink()
    cache = str(tmp_path / "cache")
    program = f"{ASK}; import firegui.rollout.simulate"
    assert answer(tmp_path, program, XDG_CACHE_HOME=cache, LOCALAPPDATA=cache) == "None"


def test_kernels_run_without_linear_algebra_of_scipy_and_others_can_still_load_it(tmp_path: Path) -> None:
    program = (
        "import sys; import numpy as np; from firegui.native.compiled import kernel\n"
        "assert kernel(abs_of)(np.float64(-2.0)) == 2.0 and 'scipy.linalg' not in sys.modules\n"
        "import scipy.linalg; print(scipy.linalg.norm([3.0, 4.0]))"
    )
    (tmp_path / "program.py").write_text(f"def abs_of(x):\n    return abs(x)\n{program}\n")
    run = f"import runpy; runpy.run_path({str(tmp_path / 'program.py')!r})"
    assert answer(CHECKOUT, run, NUMBA_CACHE_DIR=str(tmp_path)) == "5.0"
