"""Workers of a Dask cluster: processes of this machine, or whatever a scheduler at an address has.

Only this module and :mod:`firegui.analyses.study.cluster_worker` import Dask. A study imports them by name, because
Dask may not be installed. The scheduler hands the cells of a lost worker to others. A cell that four workers die of is
given up.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future as Pending
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from typing import Any, TypeVar

import dask
from distributed import Client, Future, LocalCluster

from firegui.analyses.study.cell_worker import Answer, encoded_cell
from firegui.analyses.study.cluster_worker import CellRequest, StudyPlugin, carry, unlike, versions_here
from firegui.analyses.worker_process import ONE_THREAD, without_interrupts
from firegui.domain.study import Cell
from firegui.errors import FireguiError, InputError, Problem
from firegui.runs.control import RunControl
from firegui.runs.events import CellProgress, WorkerSeen
from firegui.runs.messages import counted

GPU = "GPU"
"""The resource of which a worker with one card has 1: a cell on a GPU needs all of it."""
_IN_HAND = 64
"""So many cells are with the scheduler at a time, or four for every thread: it is never far behind a stop."""
_LOOK_SECONDS, _POLL_SECONDS, _LEAVE_SECONDS, _CLOSE_SECONDS = 1.0, 0.05, 0.4, 10.0
_CONNECT_SECONDS = 10
_CONFIG = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}
"""A cell's memory is the engine's, which nothing can spill; the sampling profiler costs as much as a small cell."""
_NO_DASHBOARD = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
"""Its pages are for nobody; without an address they would be served to everybody, at a port that may be taken."""
Result = TypeVar("Result")
Tell = Callable[[str], object]


class Cards(LocalCluster):  # type: ignore[misc]
    """Processes of this machine that see one graphics card each."""

    def new_worker_spec(self) -> dict[Any, dict[str, Any]]:
        """The next worker's, with a card of its own."""
        ((name, spec),) = super().new_worker_spec().items()
        options = spec["options"] | {
            "resources": {GPU: 1}, "env": {**spec["options"]["env"], "CUDA_VISIBLE_DEVICES": str(name)},
        }  # fmt: skip
        return {name: spec | {"options": options}}


class Workers:
    """See the module; a :class:`~firegui.analyses.study.cell_executors.CellExecutor`."""

    def __init__(
        self, errand: CellRequest, name: str, scheduler: str, count: int, control: RunControl, tell: Tell
    ) -> None:
        """``name`` is the study's, on the cluster; ``tell`` hears what people should read.

        Raises :class:`~firegui.errors.InputError` for a scheduler that is not there and workers that cannot be used,
        and :class:`~firegui.errors.CancelledError` when it was stopped meanwhile.
        """
        self._name, self._control, self._tell, self._scheduler = name, control, tell, scheduler
        self._resources = {GPU: 1} if errand.setup.backend == "cuda" else None
        self._session = uuid.uuid4().hex[:8]
        self._heard: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._futures: dict[str, tuple[Cell, Future]] = {}
        self._progress: dict[int, CellProgress] = {}
        self._seen: dict[str, dict[str, Any]] = {}
        self._done: Counter[str] = Counter()
        self._looked_at = -_LOOK_SECONDS
        self._look: Pending[dict[str, Any]] | None = None
        self._waiting_said = False
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None
        self._begin(errand, count)

    # -- what a crew does --------------------------------------------------------------------------------------------
    @property
    def capacity(self) -> int:
        """How many more cells can be given now."""
        threads = sum(int(each["nthreads"]) for each in self._seen.values())
        return max(_IN_HAND, 4 * threads) - len(self._futures)

    @property
    def busy(self) -> bool:
        """Whether any that was given is not answered yet."""
        return bool(self._futures)

    @property
    def running(self) -> tuple[CellProgress, ...]:
        """The cells at work, as far as they have said so."""
        return tuple(self._progress[number] for number in sorted(self._progress))

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """Everybody that the scheduler has."""
        at_work = {one.worker for one in self.running}
        return tuple(
            WorkerSeen(
                str(each["name"]), int(each["nthreads"]), self._done[str(each["name"])],
                str(each["name"]) in at_work or bool(each.get("metrics", {}).get("executing", 0)),
            )
            for each in self._seen.values()
        )  # fmt: skip

    def submit(self, cells: Sequence[Cell]) -> None:
        """Hand cells to the scheduler, many in one message."""
        if not cells:
            return
        keys = [f"{self._name}-{self._session}-{cell.number}" for cell in cells]
        data = [encoded_cell(cell) for cell in cells]
        futures = self._at_hand.map(
            carry, [self._name] * len(cells), data, key=keys, pure=False, retries=0, resources=self._resources
        )
        for key, cell, future in zip(keys, cells, futures, strict=True):
            self._futures[key] = (cell, future)
            future.add_done_callback(self._heard.put)

    def collect(self, seconds: float) -> list[Answer]:
        """What was answered within ``seconds``. Raises :class:`~firegui.errors.FireguiError` when all is lost."""
        self._look_around()
        ended = self._ended(seconds)
        finished = [future for future in ended if future.status == "finished"]
        answers = [self._lost(future) for future in ended if future.status != "finished"]
        if finished:
            plain = self._wait(self._at_hand.gather(finished, asynchronous=True))
            answers += [Answer.of(each) for each in plain]
        for future in ended:
            self._futures.pop(future.key, None)
        for answer in answers:
            told = self._progress.pop(answer.cell, None)
            if told is not None and not answer.cancelled:
                self._done[told.worker] += 1
        return answers

    def stop(self) -> None:
        """Ask every worker to let go of its cell, and forget them all; waits for nobody for long."""
        client, futures = self._client, [future for _, future in self._futures.values()]
        self._futures.clear()
        self._progress.clear()
        if client is None:
            return
        with suppress(Exception):  # whoever cannot be told any more is ended when the cluster is closed
            leaving = self._soon(client.unregister_worker_plugin(self._name))
            self._soon(client.cancel(futures, asynchronous=True)).result(_LEAVE_SECONDS)
            leaving.result(_LEAVE_SECONDS)

    def close(self) -> None:
        """Let go of the scheduler, and end the processes of this machine."""
        self.stop()
        ending = threading.Thread(target=self._end, daemon=True)
        ending.start()
        # Once stopped, nobody waits: what is still ending ends by itself, and with this process.
        ending.join(_LEAVE_SECONDS if self._control.stop_requested else _CLOSE_SECONDS)

    # -- beginning ---------------------------------------------------------------------------------------------------
    def _begin(self, errand: CellRequest, count: int) -> None:
        """In a thread: a stop does not wait for processes to begin."""
        ready: Pending[None] = Pending()

        def begin() -> None:
            try:
                self._connect(errand, count)
            except BaseException as error:  # raised again where it is waited for
                ready.set_exception(error)
                self._end()
            else:
                ready.set_result(None)

        # Never to be interrupted: a terminal sends Ctrl-C to every process that was begun from it.
        with without_interrupts():
            threading.Thread(target=begin, daemon=True).start()
        try:
            self._poll(ready)
        except BaseException:
            ready.add_done_callback(lambda _: self._end())
            raise

    def _connect(self, errand: CellRequest, count: int) -> None:
        if self._scheduler:
            self._client = self._reached()
        else:
            self._cluster = _local(count, cards=errand.setup.backend == "cuda")
            self._client = Client(self._cluster, set_as_default=False)
        client = self._client
        self._seen = dict(client.scheduler_info(n_workers=-1)["workers"])
        self._compare(dict(errand.versions))
        client.register_plugin(StudyPlugin(self._name, errand), name=self._name)
        client.subscribe_topic(self._name, self._on_progress)

    def _reached(self) -> Client:
        try:
            return Client(self._scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            remedy = "start one with `dask scheduler` and give the address that it prints"
            what = f"no scheduler answers at {self._scheduler} ({type(error).__name__})"
            raise InputError([Problem("--scheduler", what, remedy)], "The study cannot begin") from error

    def _compare(self, versions: dict[str, str]) -> None:
        """Refuse workers that would compute with something else."""
        assert self._client is not None
        try:
            found: Mapping[str, dict[str, str]] = self._client.run(versions_here)
        except ImportError as error:
            problem = Problem("workers", f"cannot import firegui ({error})", "install the same version there")
            raise InputError([problem], "The study cannot begin") from error
        wrong = [
            Problem(f"worker {address}", text, "install the same versions there")
            for address, theirs in found.items()
            if (text := unlike(versions, theirs))
        ]
        if wrong:
            raise InputError(wrong, "The study cannot begin")
        several = [address for address, each in self._seen.items() if int(each["nthreads"]) > 1]
        if several:
            what = counted(len(several), "worker has", "workers have")
            self._tell(f"{what} several threads, of which one is used: start them with --nthreads 1")

    # -- listening ---------------------------------------------------------------------------------------------------
    def _ended(self, seconds: float) -> list[Future]:
        """The futures that came to an end: the first within ``seconds``, with all that are there by then."""
        found = []
        with suppress(queue.Empty):
            found.append(self._heard.get(timeout=seconds))
            while True:
                found.append(self._heard.get_nowait())
        return [future for future in found if future.key in self._futures]

    def _lost(self, future: Future) -> Answer:
        cell, _ = self._futures[future.key]
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ == "KilledWorker":
                return Answer(cell.number, error="its worker died, and so did three others that it was given to")
            return Answer(cell.number, error=f"{type(error).__name__}: {error}")
        where = self._scheduler or "of this machine's workers"
        raise FireguiError(f"the scheduler {where} is gone; cells that are done are kept: resume the study")

    def _on_progress(self, event: tuple[float, Any]) -> None:
        """In the client's thread: how far a cell is."""
        number, worker, spent, allowance, seconds = event[1]
        key = f"{self._name}-{self._session}-{number}"
        if key in self._futures:
            self._progress[number] = CellProgress(number, worker, spent, allowance, seconds)

    def _look_around(self) -> None:
        """See who is there, now and then, without waiting for the answer."""
        if self._look is not None and self._look.done():
            with suppress(Exception):  # a scheduler that is gone shows in the cells
                self._note(self._look.result()["workers"])
            self._look = None
        if self._look is None and time.monotonic() - self._looked_at >= _LOOK_SECONDS:
            self._looked_at = time.monotonic()
            self._look = self._soon(_identity(self._at_hand))

    def _note(self, there: Mapping[str, dict[str, Any]]) -> None:
        gone = [str(each["name"]) for address, each in self._seen.items() if address not in there]
        for name in gone:
            self._tell(f"worker {name} was lost; what it was at is given to another")
            for number in [one.number for one in self.running if one.worker == name]:
                self._progress.pop(number, None)
        self._seen = dict(there)
        if not there and not self._waiting_said:
            self._tell("no worker is there: the cells wait for one")
        self._waiting_said = not there

    # -- the client's own thread -------------------------------------------------------------------------------------
    @property
    def _at_hand(self) -> Client:
        assert self._client is not None
        return self._client

    def _soon(self, work: Coroutine[Any, Any, Result]) -> Pending[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._at_hand.loop.asyncio_loop)

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self._poll(self._soon(work))

    def _poll(self, pending: Pending[Result]) -> Result:
        """What it comes to. Raises :class:`~firegui.errors.CancelledError` once a stop was asked for."""
        while True:
            self._control.check()
            try:
                return pending.result(_POLL_SECONDS)
            except NotYet:
                if pending.done():
                    raise

    def _end(self) -> None:
        with suppress(Exception):  # of an end there is nothing left to say
            if self._client is not None:
                self._client.close(timeout=2)
        with suppress(Exception):
            if self._cluster is not None:
                self._cluster.close(timeout=_CLOSE_SECONDS)


async def _identity(client: Client) -> dict[str, Any]:
    found: dict[str, Any] = await client.scheduler.identity(n_workers=-1)
    return found


def _local(count: int, *, cards: bool) -> LocalCluster:
    kind = Cards if cards else LocalCluster
    with dask.config.set(_CONFIG):
        cluster = kind(
            n_workers=0 if cards else count, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address=None, memory_limit=0, silence_logs=logging.CRITICAL, scheduler_kwargs=_NO_DASHBOARD,
            env=dict.fromkeys(ONE_THREAD, "1"),
        )  # fmt: skip
        if cards:
            cluster.scale(count)
    return cluster
