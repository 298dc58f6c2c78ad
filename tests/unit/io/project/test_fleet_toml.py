from __future__ import annotations

from pathlib import Path

import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.errors import InputError
from firegui.io.project.fleet_toml import default_fleet, read_fleet, write_fleet
from tests.unit.io.builders import aircraft, assert_each_said, files_below, fleet, refused_for


def test_the_default_fleet_is_the_papers_21_aircraft_in_its_order() -> None:
    catalogue = default_fleet()
    counts = {"S-2T": 6, "AT-802F": 2, "BAe-146": 4, "MD-87": 2, "C-130": 2, "DC-10": 2, "747": 1, "CL-415": 2}
    assert list(counts.items()) == [(kind.id, kind.count) for kind in catalogue.types]
    assert catalogue.n_aircraft == 21
    assert [kind.id for kind in catalogue.types if kind.material is Material.WATER] == ["CL-415"]
    assert [kind.turnaround_steps() for kind in catalogue.types] == [2, 2, 3, 3, 2, 4, 5, 1]
    assert all(kind.provenance for kind in catalogue.types)
    assert {kind.id for kind in catalogue.types if kind.grounded_days == (2, 3)} == {"S-2T", "AT-802F", "CL-415"}
    assert {kind.grounded_days for kind in catalogue.types} == {(2, 3), (2, 3, 4)}


def test_every_logit_positive_gives_the_papers_4037_drops() -> None:
    total = 0
    for tail in default_fleet().tails:
        step = 0
        while step < 750:
            if step // 50 in tail.type.grounded_days:
                step += 1
                continue
            total += 1
            step += tail.type.turnaround_steps() + 1
    assert total == 4037


@pytest.mark.parametrize(
    ("name", "analogue", "ratio"),
    [
        ("MD-87", (136.1, 4.51), 3000 / 2000),
        ("DC-10", (136.1, 4.51), 9400 / 2000),
        ("747", (136.1, 4.51), 19200 / 2000),
        ("CL-415", (111.6, 6.54), 1621 / 2000),
    ],
)
def test_scaled_footprints_are_their_analogue_with_the_area_scaled(
    name: str, analogue: tuple[float, float], ratio: float
) -> None:
    kind = next(kind for kind in default_fleet().types if kind.id == name)
    assert kind.sigma_parallel_m == pytest.approx(analogue[0] * ratio**0.5, abs=0.06)
    assert kind.sigma_perpendicular_m == pytest.approx(analogue[1] * ratio**0.5, abs=0.006)


def test_a_written_fleet_reads_back_equal(tmp_path: Path) -> None:
    write_fleet(default_fleet(), tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml") == default_fleet()
    odd = fleet().replace_type(0, aircraft(provenance='say "x"\n\\ ü', grounded_days=(0, 5)))
    write_fleet(odd, tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml") == odd
    assert files_below(tmp_path) == {"fleet.toml"}


def test_provenance_and_grounded_days_may_be_left_out(tmp_path: Path) -> None:
    write_fleet(fleet(), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if not line.startswith(("provenance", "grounded_days"))]
    (tmp_path / "fleet.toml").write_text("\n".join(kept), encoding="utf-8")
    assert {kind.provenance for kind in read_fleet(tmp_path / "fleet.toml").types} == {""}


def test_every_problem_of_a_fleet_file_is_reported_at_once(tmp_path: Path) -> None:
    write_fleet(fleet(), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8")
    row = text[text.index("[[aircraft]]") : text.rindex("[[aircraft]]")]
    negative = row.replace("payload_gal = 1200.0", "payload_gal = -1200.0").replace("S-2T", "A")
    wrong = (
        row.replace("count = 2", 'count = "two"')
        .replace("retardant", "foam")
        .replace("speed_ms", "speed_kt")
        .replace("S-2T", "B")
    )
    (tmp_path / "fleet.toml").write_text("version = 1\n" + row + row + negative + wrong, encoding="utf-8")
    with refused_for(
        "the id S-2T is used 2 times",
        "payload_gal is -1200.0",
        "aircraft 4: count",
        "aircraft 4: material",
        "water, retardant",
        "speed_ms is missing",
        "speed_kt is not known",
        "version is not known",
    ):
        read_fleet(tmp_path / "fleet.toml")


def test_a_fleet_file_without_aircraft_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("# none\n")
    with pytest.raises(InputError, match="no aircraft"):
        read_fleet(tmp_path / "fleet.toml")


def test_a_single_table_in_place_of_a_list_is_explained(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("[aircraft]\nid = 'x'\n")
    with pytest.raises(InputError, match=r"write \[\[aircraft\]\] once per entry"):
        read_fleet(tmp_path / "fleet.toml")


def test_a_row_with_one_wrong_type_is_still_judged_by_its_other_values(tmp_path: Path) -> None:
    write_fleet(Fleet((aircraft(count=-1, payload_gal=-5.0),)), tmp_path / "fleet.toml")
    text = (tmp_path / "fleet.toml").read_text(encoding="utf-8").replace("retardant", "foam")
    (tmp_path / "fleet.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_fleet(tmp_path / "fleet.toml")
    parts = ["aircraft 1: material", "aircraft 1: count is -1", "aircraft 1: payload_gal is -5.0"]
    assert_each_said(caught.value, parts)
    assert len(caught.value.problems) == 3
