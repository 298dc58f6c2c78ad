"""Fuel models as the custom fuel model files of FARSITE and FlamMap (.fmd).

A line is a model, its fields separated by spaces: number, code, loads of dead 1-h, 10-h and 100-h, live herbaceous
and woody fuel, ``static`` or ``dynamic``, surface-area-to-volume ratios of dead 1-h, live herbaceous and woody fuel,
depth, moisture of extinction, heat contents of dead and live fuel, name. FARSITE 4 wrote neither code, type nor name.
``ENGLISH`` (tons per acre, 1/ft, ft, Btu/lb, without it as well) or ``METRIC`` (t/ha, 1/cm, cm, J/kg) may stand above.
Blank lines and lines that begin with ``#`` are skipped. Source: help of FlamMap 6.2, Custom Fuel Model File.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from firegui.assets import resource
from firegui.domain.fuel_models import FuelModel
from firegui.domain.options import number_from_text
from firegui.domain.units import FOOT_M
from firegui.errors import Problems
from firegui.io.source_files import read_text

_SHIPPED = "fuel/models.fmd"
_SAV_10H, _SAV_100H = 109.0, 30.0  # 1/ft, of all models (Albini 1976)
_SAV_UNUSED = 1500.0
_FIELDS, _FARSITE_4_FIELDS = 15, 13
_MOST_MODELS = 256
_TONS_ACRE = 0.44609  # of a metric tonne per hectare
_BTU_LB = 1.0 / 2326.0  # of a J/kg


@cache
def standard_fuel_models() -> tuple[FuelModel, ...]:
    """Return the 13 and 40 standard fuel models.

    Raises :class:`~firegui.errors.InputError` when the installation is damaged.
    """
    return read_fuel_models(resource(_SHIPPED))


def read_fuel_models(path: Path) -> tuple[FuelModel, ...]:
    """Read a custom fuel model file.

    Raises :class:`~firegui.errors.InputError` listing everything that is wrong in it.
    """
    problems, title = Problems(), f"{path.name} cannot be used"
    text = read_text(path, problems)
    problems.raise_if_any(title)
    assert text is not None
    lines = [
        (f"{path.name}, line {number}", line.split())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    units = " ".join(lines[0][1]).upper() if lines else ""
    is_metric = units == "METRIC"
    if units in ("METRIC", "ENGLISH"):
        del lines[0]
    if not 0 < len(lines) <= _MOST_MODELS:
        what = f"holds {len(lines):,} fuel models" if lines else "holds no fuel model"
        problems.add(path.name, what, f"give 1 to {_MOST_MODELS} lines of a model each")
        lines = []
    models: dict[int, FuelModel] = {}
    for where, words in lines:
        model = _model(where, words, is_metric, problems)
        if model is None:
            continue
        if model.code in models:
            problems.add(where, f"fuel model {model.code} is given twice", "keep one")
        problems.extend(model.problems())
        models[model.code] = model
    problems.raise_if_any(title)
    return tuple(models.values())


def _model(where: str, words: list[str], is_metric: bool, problems: Problems) -> FuelModel | None:
    """Return the model of a line; ``None`` where it has the wrong fields, which are added to ``problems``."""
    kind = words[7].lower() if len(words) >= _FIELDS else ""
    if kind in ("static", "dynamic"):
        numbers = [*words[2:7], *words[8:_FIELDS]]
        code, title = words[1], " ".join(words[_FIELDS:])
    elif len(words) == _FARSITE_4_FIELDS:
        numbers, code, title, kind = words[1:], words[0], "", "static"
    else:
        remedy = "write: number code, five loads, static or dynamic, three ratios, depth, extinction, two heats, name"
        problems.add(where, f"has {len(words)} fields that are not fuel models", remedy)
        return None
    bad = [word for word, read in [(words[0], int), *((word, float) for word in numbers)] if not _is_number(word, read)]
    if bad:
        problems.add(where, f"{', '.join(map(repr, bad))}: no number", "write the number with a point and no unit")
        return None
    load, sav, depth, heat = (_TONS_ACRE, 100.0 * FOOT_M, 0.01 / FOOT_M, _BTU_LB) if is_metric else (1.0,) * 4
    values = map(float, numbers)
    h1, h10, h100, herb, woody, sav_1h, sav_herb, sav_woody, deep, extinction, heat_dead, heat_live = values
    # Where there is no such fuel, files have any ratio: 0, 1500 or 9999.
    ratios = [
        ratio * sav if amount else _SAV_UNUSED for ratio, amount in ((sav_1h, h1), (sav_herb, herb), (sav_woody, woody))
    ]
    return FuelModel(
        code=int(words[0]),
        name=code,
        title=title,
        loads=(h1 * load, h10 * load, h100 * load, herb * load, woody * load),
        savs=(ratios[0], _SAV_10H, _SAV_100H, ratios[1], ratios[2]),
        depth_ft=deep * depth,
        extinction=extinction / 100.0,
        heats=(heat_dead * heat, heat_live * heat),
        dynamic=kind == "dynamic",
    )


def _is_number(word: str, read: Callable[[str], float]) -> bool:
    try:
        number_from_text(word, read)
    except ValueError:
        return False
    return True
