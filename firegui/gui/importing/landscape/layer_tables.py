"""Tables of the landscape's files: the layers of the event, and the bands of a landscape file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from firegui.domain.scenario import LAYERS
from firegui.gui.widgets.delegates import ChoiceDelegate
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.io.importers.landscape_source import LayerBand
from firegui.io.importers.landscape_survey import LayerFacts
from firegui.io.importers.lcp import UNUSED

KEYS = tuple(LAYERS)
BAND_ROLES: tuple[tuple[str, str], ...] = (
    *((key, title) for key, (title, _) in LAYERS.items()),
    *((role, words if role == "-" else f"{words.capitalize()} (not used)") for role, words in UNUSED.items()),
)
_ROLE_TEXTS = dict(BAND_ROLES)
_DERIVED = "derived from elevation"


# -- layers -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class LayerRow:
    """A layer with the file that was chosen for it and the facts that were found; ``is_wrong`` if it has a problem."""

    key: str
    chosen: LayerBand | None
    facts: LayerFacts | None
    is_wrong: bool


class LayersModel(TableModel[LayerRow]):
    """The layers of an event; those without a file are muted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_LAYER_COLUMNS, parent, row_color=_layer_color)
        self.show({}, (), frozenset())

    def show(self, files: Mapping[str, LayerBand], facts: Sequence[LayerFacts], wrong: frozenset[str]) -> None:
        """Show the chosen files and what was found; ``wrong`` are the layers with a problem."""
        found = {fact.key: fact for fact in facts}
        self.set_rows([LayerRow(key, files.get(key), found.get(key), key in wrong) for key in KEYS])

    def facts_of(self, key: str) -> LayerFacts | None:
        """Return what was found of a layer."""
        return self.rows[KEYS.index(key)].facts


def _layer_color(row: LayerRow) -> str | None:
    if row.is_wrong:
        return "error"
    return "muted" if row.chosen is None and row.facts is None else None


def _column(title: str, text: Callable[[Any], str], tip: str) -> Column:
    return Column(title, text, tip=tip, is_text=True, cell_tip=text)


def _of_facts(title: str, text: Callable[[LayerFacts], str], tip: str) -> Column:
    return _column(title, lambda row: "" if row.facts is None else text(row.facts), tip)


def _name_text(row: LayerRow) -> str:
    title = LAYERS[row.key][0]
    return f"⚠ {title}" if row.is_wrong else title


def _file_text(row: LayerRow) -> str:
    file = row.chosen or (None if row.facts is None else row.facts.file)
    if file is None:
        return "not given" if row.facts is None else _DERIVED
    return file.path.name if file.band is None else f"{file.path.name} · band {file.band}"


def _unit_text(fact: LayerFacts) -> str:
    is_given = fact.unit_given or not fact.unit or len(fact.units) < 2
    return fact.unit if is_given else f"{fact.unit} (guessed)"


def _size_text(fact: LayerFacts) -> str:
    return "" if fact.shape is None else f"{fact.shape[0]:,} × {fact.shape[1]:,}"


def _cell_text(fact: LayerFacts) -> str:
    return "" if fact.cell is None else f"{fact.cell[0]:g} × {fact.cell[1]:g}"


def range_text(fact: LayerFacts) -> str:
    """Return lowest to highest value in the layer's own unit."""
    unit = LAYERS[fact.key][1].split(",")[0].split(" ")[0]
    if fact.key == "fuel":
        return f"{fact.low:g} to {fact.high:g}"
    return f"{_three(fact.low)} to {_three(fact.high)} {unit}"


def share_text(share: float) -> str:
    """Return a share in percent; a tiny share is not shown as none."""
    if 0.0 < share < 0.0005:
        return "< 0.1 %"
    return f"{share:.1%}".replace("%", " %") if share else "none"


def _three(value: float) -> str:
    return (f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")


_LAYER_COLUMNS = (
    _column("Layer", _name_text, "what it is in firegui"),
    _column("File", _file_text, "the file it is read from, and the band where that is not the first"),
    _of_facts("Range", range_text, "lowest and highest value, in the layer's own unit"),
    _of_facts("Read as", _unit_text, "the unit its numbers are read in; (guessed) unless it was said"),
    _of_facts("No data", lambda fact: share_text(fact.holes), "share of the event's cells without a value"),
    _of_facts("CRS", lambda fact: fact.crs, "the coordinate reference system that the file states"),
    _of_facts("Size", _size_text, "rows × columns of the file"),
    _of_facts("Cell", _cell_text, "width × height of a cell of the file, in the unit of its CRS"),
    _of_facts("Placed", lambda fact: fact.placing, "how it is brought onto the event's grid"),
)


# -- bands of a landscape file ----------------------------------------------------------------------------------------
class BandsModel(TableModel[tuple[int, str]]):
    """Bands of a landscape file by number, each with the layer it is taken for."""

    chosen = Signal(object)
    """The roles of all bands, after a person changed one."""

    def __init__(self, parent: QObject | None = None) -> None:
        columns = (
            Column("Band", lambda band: band[0], is_text=True),
            Column("Is taken for", lambda band: _ROLE_TEXTS.get(band[1], band[1]), is_text=True, edit=self._choose,
                   initial=lambda band: band[1], delegate=lambda view: ChoiceDelegate(lambda: BAND_ROLES, view)),
        )  # fmt: skip
        super().__init__(columns, parent)

    def show(self, roles: Sequence[str]) -> None:
        """Show the bands in the order of the file."""
        bands = list(enumerate(roles, 1))
        if bands != self.rows:
            self.set_rows(bands)

    def _choose(self, position: int, band: tuple[int, str], role: Any) -> bool:
        """Give a band another role. The band that had this role gets the other's: no role is there twice."""
        if role == band[1]:
            return False
        roles = [role for _, role in self.rows]
        if role != "-" and role in roles:
            roles[roles.index(role)] = band[1]
        roles[position] = str(role)
        self.chosen.emit(tuple(roles))
        return True
