from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from firegui.domain.weights import Correction, NetworkWeights
from firegui.errors import InputError
from firegui.io.project.weights_file import read_weights, weights_bytes, write_weights
from tests.unit.domain.samples import training, weights
from tests.unit.io.builders import assert_same_bits, files_below, refused_for

PLACE = (30.0, 0.0, -104430.0, 0.0, -30.0, 210000.0)


def corrected() -> NetworkWeights:
    nodes = np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32)
    placed = Correction("Bear", (20, 30), PLACE, nodes, -0.1 / 3.0, date(2020, 8, 19), 10)
    return replace(weights(), corrections=(placed, Correction("Pier", (6, 8), None, -nodes.T)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "fire.safetensors"


@pytest.mark.parametrize("before", [weights(), corrected()])
def test_weights_come_back_bit_for_bit(path: Path, before: NetworkWeights) -> None:
    write_weights(path, before)

    after = read_weights(path)

    assert after.training == before.training
    assert set(after.tensors) == set(before.tensors)
    for name, tensor in before.tensors.items():
        assert_same_bits(after.tensors[name], tensor)
    for one, other in zip(after.corrections, before.corrections, strict=True):
        assert (one.event, one.shape, one.transform) == (other.event, other.shape, other.transform)
        assert (one.trend, one.start, one.fit_days) == (other.trend, other.start, other.fit_days)
        assert_same_bits(one.log_rate, other.log_rate)


def test_equal_weights_give_equal_bytes_and_others_other_bytes() -> None:
    assert weights_bytes(corrected()) == weights_bytes(corrected())
    assert weights_bytes(weights(0)) != weights_bytes(weights(1))
    assert weights_bytes(weights()) != weights_bytes(replace(weights(), training=training(seed=2)))


def test_weights_that_could_not_be_read_back_are_not_written(path: Path) -> None:
    tensors = {**weights().tensors, "head.bias": np.full(6, np.nan, np.float32)}

    with pytest.raises(InputError, match="not finite"):
        write_weights(path, replace(weights(), tensors=tensors))

    assert files_below(path.parent) == set()


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Path:
    """The file of :func:`corrected` with its tensors and its description changed."""
    data = weights_bytes(corrected())
    tensors: dict[str, Any] = dict(load(data))
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    about = json.loads(header["__metadata__"]["firegui"])
    change(tensors, about)
    path.write_bytes(save(tensors, {"firegui": json.dumps(about)}))
    return path


def timeless(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    for key in ("trend", "start", "fit_days"):
        del about["corrections"][0][key]


def test_a_correction_without_a_trend_is_read_as_one_that_does_not_change(path: Path) -> None:
    found = read_weights(rewritten(path, timeless)).corrections[0]

    assert (found.trend, found.start, found.fit_days) == (0.0, None, 0)
    assert_same_bits(found.log_rate, corrected().corrections[0].log_rate)


def spoil_the_trend(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    about["corrections"][0] |= {"trend": "down", "start": "soon", "fit_days": 2.5}


def endless(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    about["corrections"][0]["trend"] = float("inf")


def test_a_trend_that_cannot_be_understood_is_refused_with_every_reason(path: Path) -> None:
    with refused_for("trend", "start", "fit_days"):
        read_weights(rewritten(path, spoil_the_trend))
    with pytest.raises(InputError, match="trend"):
        read_weights(rewritten(path, endless))


def spoil(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    del tensors["head.bias"]
    tensors["head.weight"] = np.zeros((2, 2), np.float32)
    tensors["branches.1.bias"] = np.full(32, np.inf, np.float32)
    tensors["correction.7"] = np.zeros((2, 2), np.float32)
    del tensors["correction.1"]
    del about["training"]["label"]
    about["training"]["epochs"] = "many"
    about["training"]["events"][0]["start"] = "soon"
    about["corrections"][0]["shape"] = [20]
    about["weather"] = 1


def test_every_problem_of_a_bad_file_is_listed(path: Path) -> None:
    with refused_for(
        "head.bias: the tensor is missing",
        "head.weight: has the shape [2, 2]",
        "branches.1.bias: has values that are not finite",
        "correction.7 belongs to no correction",
        "corrections 2: its nodes are missing",
        "label is missing",
        "epochs",
        "start",
        "corrections 1: shape",
        "weather is not known",
    ) as caught:
        read_weights(rewritten(path, spoil))
    assert all(problem.remedy for problem in caught.value.problems)


def learn_luck(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    about["training"]["learned"] = ["luck"]


def double(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    tensors["correction.0"] = tensors["correction.0"].astype(np.float64)


def later(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    about["format"] = 2


def unnumbered(tensors: dict[str, Any], about: dict[str, Any]) -> None:
    about["format"] = True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (learn_luck, "'luck' is not a map"),
        (double, "its nodes are float64 values"),
        (later, r"written by a newer firegui \(format 2.*update firegui"),
        (unnumbered, "the format True"),
    ],
)
def test_a_description_that_cannot_be_understood_is_refused(
    path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        read_weights(rewritten(path, change))


def test_tensors_of_something_else_are_no_fire_model(path: Path) -> None:
    path.write_bytes(save({"D": np.zeros((3, 2))}))

    with pytest.raises(InputError, match="does not say what it was trained on"):
        read_weights(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"not a file of tensors at all", "is not a safetensors file"),
        (weights_bytes(weights())[:-100], "is cut short"),
        (weights_bytes(weights())[:100], "is cut short"),
    ],
)
def test_a_file_of_another_kind_or_cut_short_is_refused(path: Path, data: bytes, said: str) -> None:
    path.write_bytes(data)

    with pytest.raises(InputError, match=said):
        read_weights(path)


def test_a_description_that_is_no_json_is_refused(path: Path) -> None:
    path.write_bytes(save(dict(weights().tensors), {"firegui": "{"}))

    with pytest.raises(InputError, match="format None"):
        read_weights(path)


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_weights(tmp_path / "nothing.safetensors")
    with pytest.raises(InputError, match="is a folder"):
        read_weights(tmp_path)
