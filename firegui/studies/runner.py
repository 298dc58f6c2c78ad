"""Execution of any run, studies included."""

from __future__ import annotations

from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit
from firegui.runs.runner import conduct
from firegui.runs.runner import execute as execute_run
from firegui.runs.spec import RunSpec, StudySpec
from firegui.runs.state import RunMachine
from firegui.studies.cell_executors import OpenCellWorker
from firegui.studies.cell_worker import CellWorker
from firegui.studies.run import StudyRun


def execute(spec: RunSpec, emit: Emit, control: RunControl, *, open_worker: OpenCellWorker = CellWorker) -> None:
    """Run ``spec`` to its end, as :func:`firegui.runs.runner.execute` does.

    ``open_worker`` makes what carries out the cells of a study; it stands in for the real one in tests.
    """
    if not isinstance(spec, StudySpec):
        execute_run(spec, emit, control)
        return
    machine = RunMachine(emit)
    conduct(StudyRun(spec, emit, control, Engine(), machine, open_worker), emit, machine)
