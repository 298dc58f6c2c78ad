"""The GPU kernels compile for a real chip as they are meant: nothing contracted, nothing added atomically."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.numerics.gpu_cases import needs_triton

ROOT = Path(__file__).resolve().parents[2]
PER_CELL = {"step": 9, "back": 9}  # those that the exponential writes out
CELLS_PER_THREAD = 8 * 32 // 128


@needs_triton
@pytest.mark.slow
def test_every_kernel_compiles_for_hopper_without_contraction_and_without_atomics(tmp_path: Path) -> None:
    environment = {**os.environ, "TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-m", "tests.numerics.gpu_compile"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    compiled = [json.loads(line) for line in run.stdout.splitlines()]
    assert {one["kernel"] for one in compiled} == {"norms", "doses", "drop_now", "step", "seed", "back", "products"}
    for one in compiled:
        assert one["fma"] == PER_CELL.get(one["kernel"], 0) * CELLS_PER_THREAD
        assert one["atomics"] == 0
