"""``import firegui`` loads almost nothing, and each public name when it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path

import pytest

import firegui

SCRIPT = "import sys\nbefore = set(sys.modules)\nimport firegui\n{more}\nprint(*sorted(set(sys.modules) - before))"
LARGE = ("torch", "numba", "PySide6", "numpy", "rasterio", "click")
FUNCTIONS = [name for name in firegui.__all__ if inspect.isfunction(getattr(firegui, name))]


def loaded(more: str = "") -> list[str]:
    """Names of the modules that a new interpreter loads with firegui and ``more``."""
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(more=more)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_import_loads_no_other_module_of_firegui_and_nothing_large() -> None:
    modules = loaded()
    assert [name for name in modules if name.startswith("firegui")] == ["firegui"]
    assert not {name.split(".")[0] for name in modules} & set(LARGE)


def test_naming_every_function_loads_neither_torch_nor_the_window() -> None:
    modules = loaded("for name in firegui.__all__:\n    getattr(firegui, name)")
    assert "firegui.api.plans" in modules
    assert not {name.split(".")[0] for name in modules} & {"torch", "numba", "PySide6", "pyqtgraph"}
    assert not [name for name in modules if name.startswith(("firegui.gui", "firegui.cli"))]


def test_opening_and_making_a_project_loads_no_torch_and_planning_loads_no_window(folder: Path) -> None:
    assert "torch" not in loaded(f"firegui.open({str(folder)!r})")
    modules = loaded(f"firegui.plan({str(folder)!r}, epochs=1, prune=False)")
    assert "torch" in modules
    assert not [name for name in modules if name.startswith(("PySide6", "firegui.gui", "firegui.cli"))]


def test_the_public_names_are_those_of_the_interface() -> None:
    promised = {
        "open", "import_landscape", "import_maps", "plan", "evaluate", "prune", "stress_test", "replan", "uncertainty",
        "benchmark", "export", "InputError",
    }  # fmt: skip
    assert promised <= set(firegui.__all__)
    assert set(firegui.__all__) <= set(dir(firegui))
    assert list(firegui.__all__) == sorted(firegui.__all__)


def test_a_name_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'extinguish'"):
        getattr(firegui, "extinguish")  # noqa: B009 - a type checker knows that it is not there


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_typed_and_documents_every_argument(name: str) -> None:
    function: Callable[..., object] = getattr(firegui, name)
    text = inspect.getdoc(function) or ""
    assert len(text.splitlines()[0]) <= 100
    hints = typing.get_type_hints(inspect.unwrap(function))
    for argument in inspect.signature(function).parameters:
        assert argument in hints, argument
        if name != "open":
            assert f"    {argument}: " in text, argument
    assert hints["return"] is not type(None)
