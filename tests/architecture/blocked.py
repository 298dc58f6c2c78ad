"""Run Python with some packages made impossible to import."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

_BLOCKER = """
import sys
from importlib.abc import MetaPathFinder

class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"{{name}} is blocked", name=name)
        return None

sys.meta_path.insert(0, Blocker())
"""

IMPORT_ALL = """
import importlib, pkgutil, firegui

def names(package):
    for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if found.name in {left_out!r} or found.name.startswith({left_out_prefixes!r}):
            continue
        yield found.name
        if found.ispkg:
            yield from names(importlib.import_module(found.name))

for root in {roots!r}:
    for name in names(importlib.import_module(root)):
        importlib.import_module(name)
        print(name)
"""


def import_all(*roots: str, left_out: Sequence[str] = ()) -> str:
    """Source that imports every module under ``roots`` but ``left_out`` and what is in it, and prints their names."""
    return IMPORT_ALL.format(roots=roots, left_out=set(left_out), left_out_prefixes=tuple(f"{x}." for x in left_out))


def run_blocked(blocked: Sequence[str], source: str) -> subprocess.CompletedProcess[str]:
    """Run ``source`` in a fresh interpreter in which the packages ``blocked`` cannot be imported."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-W", "error", "-c", _BLOCKER.format(blocked=set(blocked)) + source]
    return subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
