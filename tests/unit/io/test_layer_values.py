from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firegui.errors import Problems
from firegui.io.importers.layer_values import ImportedLayer, describe_layers, read_values


def read(key: str, raw: Any, nodata: float | None = None) -> ImportedLayer:
    problems = Problems()
    layer = read_values(key, np.asarray(raw), f"{key}.tif", problems, nodata)
    assert layer is not None, list(problems)
    assert layer.values.dtype == np.float32
    return layer


def refusal(key: str, raw: Any, nodata: float | None = None) -> str:
    problems = Problems()
    assert read_values(key, np.asarray(raw), f"{key}.tif", problems, nodata) is None
    (problem,) = problems
    assert problem.where == f"{key}.tif" and problem.remedy
    return str(problem)


@pytest.mark.parametrize(
    ("key", "raw", "value", "reading"),
    [
        ("elevation", [[15, 722]], 722.0, "elevation 15 to 722 m"),
        ("slope", [[0, 57]], 57.0, "slope 0 to 57 °"),
        ("aspect", [[-1, 359]], 359.0, "aspect −1 to 359 °"),
        ("canopy_cover", [[0, 95]], 95.0, "canopy cover 0 to 95 %"),
        ("canopy_cover", [[0.0, 1.0]], 1.0, "canopy cover 0 to 1 %"),
        ("canopy_cover", [[0.25, 0.5]], 50.0, "canopy cover 0.25 to 0.5 as a fraction"),
        ("canopy_height", [[25, 500]], 50.0, "canopy height 25 to 500 m × 10"),
        ("canopy_height", [[30, 70]], 7.0, "canopy height 30 to 70 m × 10"),
        ("canopy_height", [[3, 52]], 52.0, "canopy height 3 to 52 m"),
        ("canopy_height", [[25, 50]], 50.0, "canopy height 25 to 50 m"),
        ("canopy_height", [[3.5, 101.5]], 10.15, "canopy height 3.5 to 101.5 m × 10"),
        ("canopy_base_height", [[0, 100]], 10.0, "canopy base height 0 to 100 m × 10"),
        ("canopy_base_height", [[0, 4]], 0.4, "canopy base height 0 to 4 m × 10"),
        ("canopy_base_height", [[0.5, 12.0]], 12.0, "canopy base height 0.5 to 12 m"),
        ("canopy_density", [[0.01, 0.34]], 0.34, "canopy bulk density 0.01 to 0.34 kg/m³"),
        ("canopy_density", [[0, 45]], 0.45, "canopy bulk density 0 to 45 kg/m³ × 100"),
        ("canopy_density", [[0, 1]], 0.01, "canopy bulk density 0 to 1 kg/m³ × 100"),
        ("canopy_density", [[0.5, 4.5]], 0.045, "canopy bulk density 0.5 to 4.5 kg/m³ × 100"),
        ("fuel", [[91, 204]], 204.0, "fuel model FBFM40 codes"),
    ],
)
def test_numbers_come_into_the_units_of_their_layer_and_it_is_said_how(
    key: str, raw: Any, value: float, reading: str
) -> None:
    layer = read(key, raw)
    assert layer.values[0, 1] == pytest.approx(value, rel=1e-6)
    assert layer.reading == reading
    assert layer.notes == ()


def test_floats_in_the_layers_own_unit_are_not_touched() -> None:
    raw = np.array([[0.0, 0.12, np.float32(0.3)]], np.float32)
    assert read("canopy_density", raw).values.tobytes() == raw.tobytes()


@pytest.mark.parametrize(
    ("raw", "nodata"),
    [
        (np.array([[12, -9999]], np.int16), -9999.0),
        (np.array([[12, 0.1]], np.float32), 0.1),
        (np.array([[12, -3.4028234663852886e38]], np.float32), None),
        (np.array([[12, np.nan]], np.float32), None),
        (np.array([[12, np.inf]], np.float64), np.nan),
        (np.array([[12, 255]], np.uint8), None),
        (np.array([[12, 32767]], np.int16), None),
        (np.array([[12, -9999]], np.int16), 32767.0),
        (np.array([[12, 20]], np.uint8), 20.0),
    ],
)
def test_no_data_becomes_nan(raw: Any, nodata: float | None) -> None:
    layer = read("slope", raw, nodata)
    assert layer.values[0, 0] == 12.0
    assert np.isnan(layer.values[0, 1])
    assert layer.holes == 1


def test_a_stand_in_that_the_file_does_not_declare_is_said() -> None:
    layer = read("canopy_cover", np.array([[45, -9999, 255, 255]], np.int16))
    assert layer.notes == ("Canopy cover: −9999 (1 cell), 255 (2 cells) read as no data.",)


def test_a_stand_in_that_the_layer_can_hold_is_a_value() -> None:
    assert np.array_equal(read("elevation", [[255, -99, 12]]).values, [[255.0, -99.0, 12.0]])
    assert read("canopy_height", [[255, 5]]).values[0, 0] == pytest.approx(25.5)


def test_fuel_codes_that_fbfm40_does_not_have_are_no_data_and_counted() -> None:
    layer = read("fuel", np.array([[101, 256, 256, 0, 99, 99]], np.int16))
    assert np.array_equal(layer.values, [[101.0, np.nan, np.nan, np.nan, 99.0, 99.0]], equal_nan=True)
    said = (
        "Fuel model: 3 of 6 cells hold codes that are not fuel models, read as no data, where a fire can burn: "
        "256 (2 cells), 0 (1 cell)."
    )
    assert layer.notes == (said,)


def test_of_many_wrong_fuel_codes_those_of_most_cells_are_named() -> None:
    layer = read("fuel", [[*range(1, 14), *range(181, 190)] + [101] * 38 + list(range(300, 320)) + [500] * 5])
    assert "25 of 85 cells" in layer.notes[1]
    assert "500 (5 cells), 300 (1 cell), 301 (1 cell)" in layer.notes[1]
    assert layer.notes[1].endswith("306 (1 cell), ….")


def test_a_raster_that_happens_to_hold_some_fuel_codes_is_refused_with_how_many_cells_do_not() -> None:
    elevations = np.arange(90, 490).reshape(20, 20)

    said = refusal("fuel", elevations)

    assert "355 of 400 cells hold no code of a fuel model (90 (1 cell), 94 (1 cell)" in said
    assert "give the codes of FBFM40 or FBFM13" in said


def test_cells_without_data_do_not_count_against_a_fuel_layer() -> None:
    codes = np.full((10, 10), -9999, np.int16)
    codes[0] = 165
    assert read("fuel", codes, -9999.0).holes == 90


@pytest.mark.parametrize(
    ("key", "raw", "said"),
    [
        ("slope", [[12, 1400, 91]], "1 of 3 cells hold 1400, outside what the layer can hold — give slope in deg"),
        ("aspect", [[-0.5, 20.0]], "1 of 2 cells hold -0.5"),
        ("aspect", [[361, 20]], "hold 361"),
        ("canopy_cover", [[101, 20]], "hold 101"),
        ("canopy_height", [[1201, 20]], "in m × 10 as LANDFIRE does"),
        ("canopy_base_height", [[-3, 20]], "hold -3, outside what the layer can hold — give canopy base height in m"),
        ("canopy_density", [[101, 20]], "hold 101"),
        ("canopy_density", [[-0.1, 0.2]], "hold -0.1"),
        ("elevation", [[40000, 20]], "give elevation in metres or feet"),
        ("fuel", [[101.5, 102]], "hold 101.5"),
        ("fuel", [[14, 90, 100]], "3 of 3 cells hold no code of a fuel model (14 (1 cell), 90 (1 cell), 100 (1 cell))"),
        ("slope", [[np.nan, np.nan]], "has no data in any cell"),
        ("slope", [["a", "b"]], "values, not numbers"),
    ],
)
def test_what_a_layer_cannot_hold_is_refused(key: str, raw: Any, said: str) -> None:
    assert said in refusal(key, raw)


def test_a_layer_of_no_data_alone_is_refused() -> None:
    assert "has no data in any cell" in refusal("slope", np.full((2, 2), -9999, np.int16), -9999.0)


def test_the_notes_name_readings_holes_and_missing_layers() -> None:
    layers = {"slope": read("slope", [[3.0, np.nan]]), "canopy_cover": read("canopy_cover", [[30, 255]])}
    assert describe_layers(layers) == [
        "Layers read as slope 3 to 3 °, canopy cover 30 to 30 %.",
        "Canopy cover: 255 (1 cell) read as no data.",
        "No data: slope in 1 cell, canopy cover in 1 cell.",
        "Missing layers: elevation, aspect, fuel model, canopy height, canopy bulk density.",
    ]


@pytest.mark.parametrize(
    "codes",
    [
        [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 21, 31, 32, 101, 102],
        [2, 3, 11, 101, 102, 105],
        [31, 32, 101],
        [2, 3, 425, 550],
    ],
)
def test_the_canadian_fuel_types_are_refused_and_their_table_named(codes: list[int]) -> None:
    said = refusal("fuel", [codes])
    assert "Canadian FBP System" in said and "ST-X-3" in said
    assert "give a layer of FBFM40 or FBFM13" in said


def test_fuel_models_that_share_numbers_with_the_canadian_types_are_taken() -> None:
    for codes in ([1, 2, 4, 8, 9, 10, 98, 99], [101, 102, 121, 141, 98], [1, 2, 5, 98, 99], [101, 102, 105]):
        assert read("fuel", [codes]).holes == 0


def test_codes_of_which_most_kinds_are_no_fuel_model_are_of_an_unknown_scheme() -> None:
    said = refusal("fuel", [[1] * 30 + [2] * 30 + [14, 15, 16, 17]])
    assert "unknown scheme" in said and "14 (1 cell)" in said


def test_codes_that_are_said_to_be_fuel_models_are_taken_for_those() -> None:
    problems = Problems()
    codes = np.array([[1, 2, 3, 101, 102, 105, 31]])
    layer = read_values("fuel", codes, "fuel.tif", problems, unit="FBFM40")
    assert layer is None and "4 of 7 cells hold no code" in str(list(problems))
    layer = read_values("fuel", codes[:, 2:], "fuel.tif", Problems(), unit="FBFM40")
    assert layer is not None and layer.holes == 2
