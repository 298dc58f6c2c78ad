"""Points of a removal curve, and plans of stopped runs: on the map, and as runs of their own."""

from __future__ import annotations

from datetime import datetime

from firegui.domain.schedule import Schedule
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.edited_plan_saver import write_by_hand
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.runs.messages import counted
from firegui.runs.run_folder import kept_schedule
from firegui.runs.run_requests import WarmStart, plan_spec
from firegui.runs.spec import EvaluateSpec
from firegui.runs.stages import Stage


def show_point(session: Session, queue: RunQueue, entry: RunEntry, index: int) -> None:
    """Show the plan of a point on the map, once it was evaluated. While a run is active, that waits."""
    if entry.curve is None or entry.project is None:
        return
    drops = counted(entry.curve.points[index].drops, "drop")
    spec = EvaluateSpec(entry.project, entry.curve.schedule(index), backend=session.backend)
    queue.show_member(f"{entry.title}, {drops}", spec)


def use_point(session: Session, queue: RunQueue, entry: RunEntry, index: int) -> None:
    """Save the plan of a point as a run of its own. It waits in the queue while another run is active."""
    if entry.curve is not None:
        drops = counted(entry.curve.points[index].drops, "drop")
        with refusing(session, str(entry.folder)):
            _save_as_run(session, queue, entry, entry.curve.schedule(index), f"The plan of {entry.title} with {drops}")


def keep_and_resume(session: Session, queue: RunQueue, entry: RunEntry) -> None:
    """Save the plan of a stopped run as a run of its own, and resume the stopped run."""
    if entry.project is not None:
        with refusing(session, str(entry.folder)):
            schedule = kept_schedule(entry.folder, entry.project)
            _save_as_run(session, queue, entry, schedule, f"The plan of {entry.title}")
            queue.resume_stopped(entry)


def _save_as_run(session: Session, queue: RunQueue, entry: RunEntry, schedule: Schedule, what: str) -> None:
    """Start a run that keeps ``schedule``, a plan of ``entry``; ``what`` names it in the message."""
    folder = session.folder
    if entry.project is None or folder is None:
        return
    now = datetime.now()
    start = WarmStart(schedule, write_by_hand(folder, schedule, now))
    taken = [other.folder for other in queue.entries]
    waits = queue.is_busy
    made = queue.start(
        plan_spec(entry.project, folder, now, stages=(Stage.KEEP,), start=start, backend=session.backend, taken=taken)
    )
    done = "is saved after the run that is active" if waits else "is being saved"
    session.message.emit(f"{what} {done} as {made.title}")
