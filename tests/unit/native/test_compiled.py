"""Where compiled kernels are kept, and what happens where they cannot be."""

from __future__ import annotations

import ast
import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firegui.native.compiled import SOURCES

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
    for changed, same in (("fire/demo.py", True), ("domain/stencil.py", False), ("rollout/footprint.py", False)):
        with (tmp_path / "firegui" / changed).open("a") as source:
            source.write("\nANOTHER = 1\n")  # the kernels freeze constants of other modules
        now = answer(tmp_path, ASK, XDG_CACHE_HOME=cache, LOCALAPPDATA=cache)
        assert (now == first) is same, changed
        first = now


def uncovered(module: str, tree: ast.Module) -> list[str]:
    """Return the constants from outside :data:`SOURCES` that a module with kernels imports, and itself if outside."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    if not any(node.module == "firegui.native.compiled" for node in imports):
        return []
    wanted = {module: ""} | {
        f"{node.module}": name.name
        for node in imports for name in node.names if f"{node.module}".startswith("firegui.") and name.name.isupper()
    }  # fmt: skip
    covered = tuple(f"firegui.{source.removesuffix('.py').replace('/', '.')}" for source in SOURCES)
    return [f"{each}.{name}" for each, name in wanted.items() if not each.startswith(covered)]


def test_every_kernel_and_every_constant_that_it_may_freeze_belongs_to_the_engines_sources() -> None:
    found = []
    for path in sorted((CHECKOUT / "firegui").rglob("*.py")):
        module = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
        found += uncovered(module, ast.parse(path.read_text(encoding="utf-8")))
    assert found == []


def test_a_kernel_or_a_constant_elsewhere_would_be_found() -> None:
    code = "from firegui.native.compiled import kernel\nfrom firegui.domain.drops import MOST\n"
    assert uncovered("firegui.gui.map", ast.parse(code)) == ["firegui.gui.map.", "firegui.domain.drops.MOST"]
    assert uncovered("firegui.rollout.more", ast.parse(code)) == ["firegui.domain.drops.MOST"]
    assert uncovered("firegui.gui.map", ast.parse("from firegui.domain.drops import MOST\n")) == []


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


def test_one_of_several_processes_compiles_and_the_others_find_its_kernel(tmp_path: Path) -> None:
    module = "from firegui.native.compiled import kernel\n\n@kernel\ndef doubled(x):\n    return 2.0 * x\n"
    (tmp_path / "one_kernel.py").write_text(module)
    # Both are at the call when the line "go" reaches them, and what the first one compiles is not kept at once.
    program = (
        "import sys, time, numpy as np, one_kernel; from numba.core.caching import FunctionCache\n"
        "save = FunctionCache.save_overload\n"
        "FunctionCache.save_overload = lambda *given: (time.sleep(1.0), save(*given))\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "assert one_kernel.doubled(np.float64(2.0)) == 4.0\n"
        "stats = one_kernel.doubled.stats; print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))"
    )
    kept = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{CHECKOUT}{os.pathsep}{tmp_path}"}
    (tmp_path / "cache").mkdir()
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program], env=kept, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for run in runs:
        assert run.stdout is not None and run.stdout.readline() == "ready\n"
    answers = []
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    for run in runs:
        answers.append(run.communicate()[0].strip())
        assert run.returncode == 0
    assert sorted(answers) == ["0 1", "1 0"]


def test_a_kernel_is_compiled_where_its_lock_cannot_be_made(tmp_path: Path) -> None:
    module = "from firegui.native.compiled import kernel\n\n@kernel\ndef doubled(x):\n    return 2.0 * x\n"
    (tmp_path / "one_kernel.py").write_text(module)
    missing = str(tmp_path / "not" / "made")
    run = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import one_kernel; print(one_kernel.doubled(1.5))"
    assert answer(CHECKOUT, run, NUMBA_CACHE_DIR=missing) == "3.0"
