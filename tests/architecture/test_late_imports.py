"""The engine lives without Qt, the window opens without torch, the arithmetic needs little more than torch."""

from __future__ import annotations

import pytest

from tests.architecture.blocked import import_all, run_blocked

QT = ("PySide6", "shiboken6", "pyqtgraph", "qtpy", "superqt", "qtawesome")
ENGINE = ("torch", "triton", "numba")
RASTERS = ("rasterio", "pyogrio", "pyproj", "shapely", "matplotlib")
SEARCHES = ("cma", "nevergrad")
CLUSTERS = ("dask", "distributed", "pyarrow")
FILES = ("msgspec", "safetensors", "h5py", "click")


def test_everything_outside_gui_imports_with_qt_and_the_packages_of_the_derivative_free_planners_blocked() -> None:
    done = run_blocked((*QT, *SEARCHES), import_all("firegui", left_out=["firegui.gui"]))

    assert done.returncode == 0, done.stderr
    imported = set(done.stdout.split())
    assert {"firegui.rollout.simulate", "firegui.planning.gradient", "firegui.cli.main"} <= imported
    assert "firegui.planning.planners.derivative_free" in imported
    assert not any(name.startswith("firegui.gui") for name in imported)


def test_the_window_and_what_it_and_the_commands_start_from_import_with_torch_blocked() -> None:
    roots = [f"firegui.{name}" for name in ("domain", "io", "runs", "analyses", "api", "cli", "gui")]
    done = run_blocked((*ENGINE, *SEARCHES), import_all(*roots))

    assert done.returncode == 0, done.stderr
    imported = set(done.stdout.split())
    assert {"firegui.gui.app", "firegui.gui.window.main_window", "firegui.gui.jobs.run_job"} <= imported
    assert all(any(name.startswith(f"{root}.") for name in imported) for root in roots)


def test_studies_need_neither_dask_nor_pyarrow_before_they_are_used() -> None:
    names = ("firegui.analyses.study.run", "firegui.cli.study", "firegui.gui.analyses.study.study_panel")
    done = run_blocked((*CLUSTERS, *ENGINE), "\n".join(f"import {name}" for name in names))

    assert done.returncode == 0, done.stderr


def test_the_rollout_needs_nothing_but_numpy_and_torch() -> None:
    done = run_blocked((*QT, *RASTERS, *FILES), import_all("firegui.rollout"))

    assert done.returncode == 0, done.stderr
    assert "firegui.rollout.simulate" in done.stdout


def test_a_blocked_package_really_cannot_be_imported() -> None:
    for package in (QT[0], CLUSTERS[-1]):
        done = run_blocked([package], f"import {package}.anything")
        assert done.returncode != 0 and "is blocked" in done.stderr


WITHOUT_NUMBA = """
from firegui.domain.settings import NOMINAL
from firegui.planning.problem import build
from firegui.rollout.backend import method
from firegui.rollout.simulate import simulate_with_gradient
from tests.numerics.cases import random_schedule
from tests.support import make_project

model = build(make_project(), effectiveness=NOMINAL, backend="cpu")
rollout, gradient = simulate_with_gradient(model, random_schedule(1, model.maps, model.fleet))
print(method(model))
print(rollout.metrics.objective, abs(gradient.logit).sum())
"""


def test_without_numba_the_processor_computes_the_same_in_torch_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = run_blocked(["numba", "llvmlite"], WITHOUT_NUMBA)
    exec(WITHOUT_NUMBA, {})  # the lines above

    assert done.returncode == 0, done.stderr
    (method, numbers), (usual, expected) = done.stdout.splitlines(), capsys.readouterr().out.splitlines()
    assert method == "windowed torch (slower, for want of numba)"
    assert usual == "active-front kernels"
    assert [float(x) for x in numbers.split()] == pytest.approx([float(x) for x in expected.split()], rel=1e-4)


def test_doctor_says_that_numba_cannot_be_loaded() -> None:
    done = run_blocked(["numba"], "from firegui.cli.main import main\nmain(['doctor'])")

    assert done.returncode == 0, done.stderr
    assert "kernels of the CPU: none, for want of numba" in done.stdout
    assert "numba cannot be loaded (numba is blocked), so the CPU computes more slowly: install it again" in done.stdout
