"""Points of a removal curve as plans: on the map, and as runs of their own."""

from __future__ import annotations

from datetime import datetime

from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.edited_plan_saver import write_by_hand
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.runs.messages import counted
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
    folder = session.folder
    if entry.curve is None or entry.project is None or folder is None:
        return
    now, drops = datetime.now(), counted(entry.curve.points[index].drops, "drop")
    with refusing(session, str(folder)):
        schedule = entry.curve.schedule(index)
        start = WarmStart(schedule, write_by_hand(folder, schedule, now))
        taken = [other.folder for other in queue.entries]
        waits = queue.is_busy
        made = queue.start(
            plan_spec(
                entry.project, folder, now, stages=(Stage.KEEP,), start=start, backend=session.backend, taken=taken
            )
        )
        what = "is saved after the run that is active" if waits else "is being saved"
        session.message.emit(f"The plan of {entry.title} with {drops} {what} as {made.title}")
