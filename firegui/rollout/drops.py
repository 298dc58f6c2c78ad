"""The finished table of a schedule's drops, worked out for exporters and the map. Numpy only."""

from __future__ import annotations

import numpy as np

from firegui.domain.fleet import Fleet
from firegui.domain.schedule import DropRecord, Schedule
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.landing import Air, drift_cells


def drop_records(
    maps: Air, fleet: Fleet, schedule: Schedule, rules: FlightRules | None = None, *, flown: bool = False
) -> tuple[DropRecord, ...]:
    """Return every proposed drop in order of step and column.

    A record has the landing point and whether the gates execute the drop. ``maps`` are the fire's, or anything that has
    their wind. With ``flown`` only the executed ones: a plan that is still searched for proposes three times as many.
    """
    executed = gates_of(schedule, fleet, maps, rules).executed
    listed = executed if flown else schedule.proposed
    records = []
    for tail in fleet.tails:
        steps = np.flatnonzero(listed[:, tail.index])
        y, x, theta = schedule.poses[steps, tail.index].T
        drift_y, drift_x = drift_cells(maps, tail.type, steps, y, x)
        for k, step in enumerate(steps):
            records.append(
                DropRecord(
                    step=int(step),
                    aircraft=tail.name,
                    column=tail.index,
                    type=tail.type.type,
                    material=tail.type.material.value,
                    payload_gal=tail.type.payload_gal,
                    executed=bool(executed[step, tail.index]),
                    y=float(y[k]),
                    x=float(x[k]),
                    theta=float(theta[k]),
                    landing_y=float(y[k] + drift_y[k]),
                    landing_x=float(x[k] + drift_x[k]),
                    sigma_parallel_cells=tail.type.sigma_parallel_m / maps.cell_size_m,
                    sigma_perpendicular_cells=tail.type.sigma_perpendicular_m / maps.cell_size_m,
                )
            )
    return tuple(sorted(records, key=lambda record: (record.step, record.column)))
