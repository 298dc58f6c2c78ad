"""Settings of the workers that compute an analysis. They never change its result."""

from __future__ import annotations

from dataclasses import dataclass

from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem

GROUP = "Workers"
MOST_WORKERS = 256


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Workers of an analysis: one-thread processes of this machine, or those of a Dask scheduler.

    Without either, the analysis is computed in this process.
    """

    workers: int = option(
        0, "Workers", "processes of one thread each", low=0, high=MOST_WORKERS, group=GROUP,
        zero_text="in this process", default_text="0, all in this one",
    )  # fmt: skip
    scheduler: str = option(
        "", "Dask scheduler",
        "address of a Dask scheduler, such as tcp://10.0.0.5:8786, whose workers compute; empty: this machine",
        group=GROUP, metavar="tcp://…", about="give the work to the workers of a Dask scheduler", default_text="none",
    )  # fmt: skip

    @property
    def in_process(self) -> bool:
        """Whether the work is done in the process of the run."""
        return not self.workers and not self.scheduler

    def problems(self) -> list[Problem]:
        """Return everything that is wrong with the settings."""
        return bounds_problems(self, "workers")
