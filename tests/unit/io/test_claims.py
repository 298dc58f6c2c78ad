"""What a schedule file claims to be executed, as the audit reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.errors import InputError
from firegui.io.project.schedule_file import Claim, read_claims
from firegui.planning.audit import audit
from tests.numerics.cases import aircraft

FLEET = Fleet((aircraft("R", Material.RETARDANT, 2, turnaround_h=5.0, grounded_days=(1,)),))


def written(folder: Path, *lines: str) -> Path:
    path = folder / "drops.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_without_a_column_executed_every_row_is_a_claim_and_rules_broken_by_hand_are_found(tmp_path: Path) -> None:
    path = written(
        tmp_path, "step,aircraft,y,x,theta", "0,R-1,5,5,0", "2,R-1,5,5,0", "12,R-2,5,5,0", "20,R-2,5,5,0",
        "20,R-2,6,5,0", "25,R-1,5,70,0",
    )  # fmt: skip
    schedule, claims = read_claims(path, FLEET, 30)
    report = audit(schedule, FLEET, 10, (20, 20), [claim.pair for claim in claims])
    assert (report.executed, report.turnaround, report.grounded, report.simultaneous, report.outside) == (6, 1, 1, 1, 1)


def test_rows_marked_as_not_executed_are_no_claims(tmp_path: Path) -> None:
    path = written(tmp_path, "step,aircraft,y,x,theta,executed", "0,R-1,5,5,0,true", "2,R-1,5,5,0,false")
    schedule, claims = read_claims(path, FLEET, 30)
    assert claims == [Claim(0, 0)]
    assert int(schedule.proposed.sum()) == 2
    assert audit(schedule, FLEET, 10, (20, 20), [claim.pair for claim in claims]).ok


def test_a_row_that_names_no_aircraft_of_the_fleet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="X-9"):
        read_claims(written(tmp_path, "step,aircraft,y,x,theta", "0,X-9,5,5,0"), FLEET, 30)


def test_flight_hours_and_cost_are_claimed_in_the_currency_of_the_fleet(tmp_path: Path) -> None:
    header = "step,aircraft,y,x,theta,flight_hours,cost,currency"
    rows = ("0,R-1,5,5,0,5,120.5,USD", "12,R-2,5,5,0,,120.5,EUR", "20,R-2,5,5,0,n/a,7,")
    _, claims = read_claims(written(tmp_path, header, *rows), FLEET, 30)
    assert claims == [Claim(0, 0, 5.0, 120.5), Claim(12, 1), Claim(20, 1, None, 7.0)]
