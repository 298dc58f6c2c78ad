from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from firegui.domain.fleet import Fleet
from firegui.domain.schedule import Schedule
from firegui.errors import InputError
from firegui.io.exporters.csv import write_schedule_csv
from firegui.io.project.schedule_file import fleet_ids, read_schedule, write_plan_safetensors
from tests.unit.io.builders import assert_same_bits, drop, files_below, fleet, project, refused_for, said

SHAPE = (6, 8)
T = 20


def read(path: Path, text: str | bytes) -> Schedule:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_schedule(path, fleet(), T, SHAPE)


def random_schedule() -> Schedule:
    rng = np.random.default_rng(8)
    return Schedule.from_pose_logits(rng.normal(size=(T, 3)), rng.normal(size=(T, 3, 3)) * 3, SHAPE)


def test_a_listed_drop_counts_as_plus_three_and_any_other_pair_as_minus_three(tmp_path: Path) -> None:
    schedule = read(tmp_path / "s.csv", "step,aircraft,y,x,theta\n4,S-2T-2,1.5,2.25,0.5\n0,CL-415-1,0,7,3\n")
    expected = np.full((T, 3), -3.0)
    expected[4, 1] = expected[0, 2] = 3.0
    assert np.array_equal(schedule.logits, expected)
    assert schedule.poses[4, 1].tolist() == [1.5, 2.25, 0.5]
    assert schedule.poses[1].tolist() == [[0, 0, 0]] * 3
    assert schedule.pose_logits is None


def test_columns_may_come_in_any_order_with_others_between(tmp_path: Path) -> None:
    text = '\ufeffnote,theta,x,y,Aircraft, step \r\n"a, ""b""",0.5,2.25,1.5,S-2T-2,4\r\n\r\n,,,,,\r\n'
    schedule = read(tmp_path / "s.csv", text)
    assert schedule.proposed.sum() == 1
    assert schedule.poses[4, 1].tolist() == [1.5, 2.25, 0.5]


def test_a_schedule_without_drops_is_a_schedule(tmp_path: Path) -> None:
    assert not read(tmp_path / "s.csv", "step,aircraft,y,x,theta\n").proposed.any()


def test_the_edges_of_the_raster_are_inside(tmp_path: Path) -> None:
    schedule = read(tmp_path / "s.csv", "step,aircraft,y,x,theta\n0,S-2T-1,0,0,0\n19,S-2T-1,5,7,0\n")
    assert schedule.proposed.sum() == 2


def test_every_row_that_cannot_be_flown_is_reported_with_its_line(tmp_path: Path) -> None:
    rows = [
        "step,aircraft,y,x,theta",
        "0,S-2T-1,1,1,0",
        "20,S-2T-1,1,1,0",
        "-1,S-2T-1,1,1,0",
        "1.5,S-2T-1,1,1,0",
        "1,S-2T-9,1,1,0",
        "2,S-2T-1,nan,1,0",
        "3,S-2T-1,1,inf,0",
        "4,S-2T-1,5.0001,1,0",
        "5,S-2T-1,1,-0.1,0",
        "0,S-2T-1,2,2,0",
        "6,S-2T-1,1",
        "7,S-2T-1,one,1_0,0",
        "8,,1,1,x",
    ]
    with refused_for(
        "line 3: step 20 lies outside",
        "line 4: step -1",
        "line 5: step '1.5'",
        "line 6: aircraft 'S-2T-9' is not in the fleet",
        "S-2T-1, S-2T-2, CL-415-1",
        "line 7: y 'nan'",
        "line 8: x 'inf'",
        "line 9: y 5.0001 lies outside the raster — use 0 to 5",
        "line 10: x -0.1",
        "line 11: drops a second time with S-2T-1 at step 0 (first on line 2)",
        "line 12: has 3 of 5 columns",
        "line 13: y 'one'",
        "line 13: x '1_0'",
        "line 14: aircraft ''",
        "line 14: theta 'x'",
    ):
        read(tmp_path / "s.csv", "\n".join(rows))


def test_a_long_list_of_bad_rows_is_cut_after_twenty_and_counted(tmp_path: Path) -> None:
    rows = ["step,aircraft,y,x,theta"] + [f"{step},nobody,1,1,0" for step in range(T)] * 3
    with pytest.raises(InputError) as caught:
        read(tmp_path / "s.csv", "\n".join(rows))
    assert len(said(caught.value)) == 21
    assert "40 more problems of this kind (60 in all)" in said(caught.value)[-1]


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("day;aircraft;lat", "the columns step, aircraft, y, x and theta are missing — *it has day;aircraft;lat"),
        ("step,aircraft,lat,lon,theta", "the columns y and x are missing — *it has step, aircraft, lat, lon, theta"),
        ("step,step,aircraft,y,x", "the column theta is missing and the column step is there more than once — *"),
        ("", "the columns step, aircraft, y, x and theta are missing — *it has nothing"),
    ],
)
def test_one_line_names_every_column_that_is_wrong_and_those_of_the_file(
    tmp_path: Path, header: str, what: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / "s.csv", f"{header}\n")

    assert len(said(caught.value)) == 1
    start, end = what.split("*")
    assert start in said(caught.value)[0]
    assert said(caught.value)[0].endswith(end)


@pytest.mark.parametrize(
    ("data", "part"),
    [(b"\xff\xfe\x00s", "UTF-8"), (b'step,aircraft,y,x,theta\n"1,2', "not valid CSV"), (b"", "the file is empty")],
)
def test_a_file_that_is_no_csv_is_refused(tmp_path: Path, data: bytes, part: str) -> None:
    with pytest.raises(InputError, match=part):
        read(tmp_path / "s.csv", data)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_schedule(tmp_path / "none.csv", fleet(), T, SHAPE)


def test_an_exported_schedule_reads_back_bit_for_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    whole = project()
    drops = [
        drop(step, column, y=float(rng.random() * 5), x=float(rng.random() * 7), theta=float(rng.random() * math.pi))
        for step in range(T)
        for column in range(3)
        if rng.random() < 0.5
    ]
    write_schedule_csv(tmp_path / "s.csv", drops, whole)
    schedule = read_schedule(tmp_path / "s.csv", fleet(), T, SHAPE)
    assert schedule.proposed.sum() == len(drops)
    for item in drops:
        assert schedule.logits[item.step, item.column] == 3.0
        assert schedule.poses[item.step, item.column].tolist() == [item.y, item.x, item.theta]


def test_an_aircraft_whose_name_begins_as_a_formula_reads_back(tmp_path: Path) -> None:
    item = replace(drop(2, 1), aircraft="=S-2T-2")
    write_schedule_csv(tmp_path / "s.csv", [item], project())
    named = Fleet((replace(fleet().types[0], id="=S-2T"), *fleet().types[1:]))
    assert read_schedule(tmp_path / "s.csv", named, T, SHAPE).proposed[2, 1]


def test_the_optimizers_variables_read_back_bit_for_bit(tmp_path: Path) -> None:
    before = random_schedule()
    write_plan_safetensors(tmp_path / "plan.safetensors", before)
    after = read_schedule(tmp_path / "plan.safetensors", fleet(), T, SHAPE)
    assert_same_bits(after.logits, before.logits)
    assert_same_bits(after.poses, before.poses)
    assert after.pose_logits is not None and before.pose_logits is not None
    assert_same_bits(after.pose_logits, before.pose_logits)
    assert files_below(tmp_path) == {"plan.safetensors"}


def test_a_schedule_without_pose_logits_keeps_its_poses(tmp_path: Path) -> None:
    plain = Schedule(random_schedule().logits, random_schedule().poses)
    write_plan_safetensors(tmp_path / "plan.safetensors", plain)
    after = read_schedule(tmp_path / "plan.safetensors", fleet(), T, SHAPE)
    assert_same_bits(after.poses, plain.poses)
    assert after.pose_logits is None


def test_a_plan_for_another_fleet_or_horizon_is_refused(tmp_path: Path) -> None:
    write_plan_safetensors(tmp_path / "plan.safetensors", random_schedule())
    path, one = tmp_path / "plan.safetensors", Fleet(fleet().types[1:])
    with refused_for("plan: was made for 3 aircraft and 20 steps; this project has 3 aircraft and 70 steps — set the"):
        read_schedule(path, fleet(), T + 50, SHAPE)
    with refused_for("plan: was made for 3 aircraft and 20 steps; this project has 1 aircraft and 20 steps — set the"):
        read_schedule(path, one, T, SHAPE)


def test_a_damaged_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.safetensors"
    with pytest.raises(InputError, match="not a safetensors file"):
        read(path, b"nonsense")
    save_file({"D": np.full((T, 3), np.nan)}, path)
    with refused_for("file: holds values that are not finite numbers", "file: has no table pose (it holds D)"):
        read_schedule(path, fleet(), T, SHAPE)
    save_file({"D": np.zeros((T, 3)), "pose": np.zeros((3, T, 3))}, path)
    with refused_for("file: holds no plan: its tables D of 20 × 3 and pose of 3 × 20 × 3 do not fit together"):
        read_schedule(path, fleet(), T, SHAPE)


def test_proposed_drops_off_the_raster_are_refused_and_others_are_not(tmp_path: Path) -> None:
    schedule = Schedule.empty(T, 3)
    schedule.poses[:] = 99.0
    schedule.logits[4, 1] = 1.0
    write_plan_safetensors(tmp_path / "plan.safetensors", schedule)
    with pytest.raises(InputError) as caught:
        read_schedule(tmp_path / "plan.safetensors", fleet(), T, SHAPE)
    assert len(said(caught.value)) == 1
    assert "step 4, S-2T-2: the drop at (99, 99) lies outside the raster" in said(caught.value)[0]


def test_aircraft_are_named_by_type_and_number_in_column_order() -> None:
    assert fleet_ids(fleet()) == {"S-2T-1": 0, "S-2T-2": 1, "CL-415-1": 2}
