"""A schedule from a file as the beginning of the first stage: what it does not list is filled in from the front's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule


def warmed(front: Schedule, warm_start: Schedule, pose_logits: NDArray[np.float64]) -> Schedule:
    """``warm_start`` with the front's pose wherever it proposes nothing, in the optimizer's variables.

    A file lists only drops; an unlisted pair has no pose of its own, and the corner ``(0, 0, 0)`` would have no
    gradient to leave by. ``pose_logits [T, A, 3]`` are those of ``warm_start.poses``. A warm start that carries its own
    is kept as it is.
    """
    if warm_start.pose_logits is not None or front.pose_logits is None:
        return warm_start
    listed = warm_start.proposed[:, :, None]
    poses = np.where(listed, warm_start.poses, front.poses)
    return Schedule(warm_start.logits, poses, np.where(listed, pose_logits, front.pose_logits))


def reopened(front: Schedule, begin: Schedule) -> Schedule:
    """``begin`` with the front's logit and pose wherever it proposes nothing.

    What a plan has pruned stands at −3, and a short descent would not bring it back; from a fire that is not the one it
    was pruned for, every aircraft has to be free again.
    """
    if begin.pose_logits is None or front.pose_logits is None:
        return begin
    listed, keeps = begin.proposed, begin.proposed[:, :, None]
    return Schedule(
        np.where(listed, begin.logits, front.logits),
        np.where(keeps, begin.poses, front.poses),
        np.where(keeps, begin.pose_logits, front.pose_logits),
    )
