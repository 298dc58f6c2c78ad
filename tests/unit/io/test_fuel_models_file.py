from __future__ import annotations

from pathlib import Path

import pytest

from firegui.domain.fuel import FBFM13, FBFM40, NONBURNABLE
from firegui.errors import InputError
from firegui.io.fuel_models_file import read_fuel_models, standard_fuel_models

GR2 = "14 mine 0.10 0 0 1.00 0 dynamic 2000 1800 9999 1.0 15 8000 8000 My own grass"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "own.fmd"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_standard_models_are_those_of_both_sets() -> None:
    models = {model.code: model for model in standard_fuel_models()}
    assert set(models) == (FBFM13 | FBFM40) - NONBURNABLE
    assert (models[10].loads, models[165].savs[4], models[124].depth_ft) == ((3.01, 2.0, 5.01, 0.0, 2.0), 750.0, 2.1)
    assert models[162].extinction == 0.30
    assert not any(model.problems() for model in models.values())
    dynamic = {model.name for model in models.values() if model.dynamic}
    assert dynamic == {*(f"GR{n}" for n in range(1, 10)), "GS1", "GS2", "GS3", "GS4", "SH1", "SH9", "TU1", "TU3"}


def test_english_metric_and_older_files_give_the_same_model(tmp_path: Path) -> None:
    (english,) = read_fuel_models(written(tmp_path, "ENGLISH", GR2))
    (bare,) = read_fuel_models(written(tmp_path, "", "# a remark", GR2))
    metric = "14 mine 0.2242 0 0 2.2417 0 dynamic 65.6168 59.0551 0 30.48 15 18608000 18608000"
    (si,) = read_fuel_models(written(tmp_path, "METRIC", metric))
    assert read_fuel_models(written(tmp_path, "Metric", metric)) == (si,)
    assert (english.name, english.title, english.dynamic) == ("mine", "My own grass", True)
    assert bare == english
    assert si.loads == pytest.approx(english.loads, rel=1e-3)
    assert si.savs == pytest.approx(english.savs, rel=1e-3)
    assert si.depth_ft == pytest.approx(1.0)
    assert si.heats == pytest.approx((8000.0, 8000.0))
    (old,) = read_fuel_models(written(tmp_path, "19 2.25 1.5 3.71 0 1 2000 1800 1500 0.6 25 8000 8000"))
    assert (old.code, old.name, old.dynamic, old.extinction) == (19, "19", False, 0.25)


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path, "ENGLISH", GR2, GR2, "15 x 1 2", GR2.replace("14", "1_5").replace("0.10", "nan?"),
        "16 y 0 0 0 1 0 static 2000 1800 1500 -1 400 8000 inf", "9" * 5000 + GR2[2:],
    )  # fmt: skip
    with pytest.raises(InputError) as caught:
        read_fuel_models(path)
    text = str(caught.value)
    for said in (
        "line 3: fuel model 14 is given twice", "line 4: has 4 fields", "line 5: '1_5', 'nan?': no number",
        "its depth in ft is -1", "its moisture of extinction in percent is 400", "its heat content in Btu/lb is inf",
        "fuel model y: it has no dead fuel", "line 7:",
    ):  # fmt: skip
        assert said in text


@pytest.mark.parametrize("lines", [("", ""), ("ENGLISH",), ("METRIC", "# none")])
def test_a_file_without_a_model_is_refused(tmp_path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="holds no fuel model"):
        read_fuel_models(written(tmp_path, *lines))
