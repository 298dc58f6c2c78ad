"""Forms generated from settings dataclasses, and the sections of forms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.options import SettingField, replaced_at, setting_fields
from firegui.errors import Problem
from firegui.gui.base.controls import OpenedScroll, set_synonyms
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import add_layout, horizontal, plain_label
from firegui.gui.base.plain_text import tooltip
from firegui.gui.widgets.fields import DecimalField, ListField, WholeField, choice_combo

Settings = TypeVar("Settings")

_LONG_LABEL = 24
"""Letters beyond which a label breaks, because the side panel is narrow."""


class SettingEditor(QObject):
    """Label and input widget of one setting.

    The widget is a number field, check box or combo box; for a list it is a field of text. ``offset`` is added to the
    number on screen, as days count from 1.
    """

    edited = Signal()
    """The value was changed, by the user or with :meth:`QSpinBox.setValue` and the like."""
    left = Signal()
    """The field lost the focus; a change on the next visit is an edit of its own."""

    def __init__(self, item: SettingField, offset: int = 0) -> None:
        super().__init__()
        self._item, self.option = item, item.option
        self._value, self._shown, self._unit = item.value, 0.0, ""
        self.label = plain_label("" if item.kind is bool else item.option.field_label)
        self.box = self._make(offset)
        self.box.setObjectName("_".join(item.path))
        self.box.setToolTip(tooltip(item.option.tooltip(offset) if self.is_number else item.option.explanation))
        self.box.setAccessibleName(item.option.title)
        self.box.setAccessibleDescription(item.option.help)
        set_synonyms(self.box, item.option.synonyms)
        self.label.setBuddy(self.box)
        self.label.setToolTip(tooltip(self.box.toolTip()))
        if item.kind is bool:
            # A check box has its own text. A label without an owner could be garbage-collected in the thread of a run.
            self.label.setParent(self.box)
            self.label.hide()
        self.show_value(item.value)

    @property
    def path(self) -> tuple[str, ...]:
        """Path of the setting."""
        return self._item.path

    @property
    def is_number(self) -> bool:
        """Whether the value is a number."""
        return isinstance(self.box, (WholeField, DecimalField))

    def value(self) -> Any:
        """Return the value; for a line that cannot be read, the last valid one."""
        if isinstance(self.box, QCheckBox):
            return self.box.isChecked()
        if isinstance(self.box, QComboBox):
            # Qt converts the members of an enumeration to plain text.
            return self._item.kind(self.box.currentData())
        if isinstance(self.box, QLineEdit | ListField):
            return self._value if self.problems() else self._item.parse(self.box.text().strip())
        # The shown number may be rounded.
        return self._value if self.box.value() == self._shown else self.option.kept(self.box.value())

    def show_value(self, value: Any) -> None:
        """Show another value, without a signal."""
        self._value = value
        with QSignalBlocker(self.box):
            if isinstance(self.box, QCheckBox):
                self.box.setChecked(value)
            elif isinstance(self.box, QComboBox):
                self.box.setCurrentIndex(self.box.findData(value.value))
            elif isinstance(self.box, ListField):
                self.box.setText(self._item.text(value).replace(",", ", "))
            elif isinstance(self.box, QLineEdit):
                self.box.setText(value)
                self.box.setCursorPosition(0)
            else:
                if self.box.value() != self.option.shown(value):
                    self.box.setValue(self.option.shown(value))
                self._shown = self.box.value()
                self._show_suffix()

    def problems(self) -> list[Problem]:
        """Return what cannot be read in a line of values with commas between."""
        if not isinstance(self.box, ListField):
            return []
        where, text, found = self.option.title[:1].lower() + self.option.title[1:], self.box.text(), []
        for part in filter(None, (part.strip() for part in text.split(","))):
            try:
                self._item.parse_element(part)
            except ValueError:
                found.append(Problem(where, f"'{part}' cannot be read", "see the tooltip of the field"))
        return found or ([] if text.strip(" ,") else [Problem(where, "is empty", "give at least one")])

    def show_unit(self) -> None:
        """Show the unit in the field."""
        self._unit = f" {self.option.shown_unit}" if self.option.shown_unit else ""
        self._show_suffix()

    def _show_suffix(self) -> None:
        """Show the unit after a number."""
        if isinstance(self.box, (WholeField, DecimalField)):
            self.box.setSuffix(self._unit)

    def _make(self, offset: int) -> WholeField | DecimalField | QCheckBox | QComboBox | QLineEdit | ListField:
        option = self.option
        if self._item.kind is bool:
            check = QCheckBox(option.field_label)
            check.toggled.connect(self.edited)
            return check
        if self._item.is_choice:
            combo = choice_combo(option.title, "")
            for value in self._item.kind:
                combo.addItem(option.choices.get(value, value.value), value.value)
            combo.currentIndexChanged.connect(self.edited)
            return combo
        if self._item.is_list:
            values = ListField()
            values.textChanged.connect(self.edited)
            return values
        if self._item.kind is str:
            line = QLineEdit()
            line.textChanged.connect(self.edited)
            return line
        low, high = option.shown_bounds
        box = WholeField(low, high, offset) if self._item.kind is int else DecimalField(low, high)
        if low == 0:
            # The lowest value shows its declared meaning, if any.
            box.setSpecialValueText(option.zero_text)
        box.valueChanged.connect(self.edited)
        box.editingFinished.connect(self.left)
        return box


class SettingsForm(QObject, Generic[Settings]):
    """Editor of every declared setting of a settings dataclass.

    An input widget is called by the path of its setting with ``_`` between the names. ``only`` and ``skip`` select
    settings; ``offsets`` are added to numbers on screen. Lay the fields out with :meth:`grid`, :meth:`folded` or
    :meth:`add_rows`.
    """

    changed = Signal()
    """A field was changed, by the user or with :meth:`set_value`."""
    edited = Signal(str)
    """The user has changed the setting of that name."""

    def __init__(
        self,
        settings: Settings,
        *,
        only: Collection[str] = (),
        skip: Collection[str] = (),
        offsets: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self.editors: dict[str, SettingEditor] = {}
        self._rows: list[tuple[SettingEditor, QFormLayout]] = []
        for item in setting_fields(settings):
            name = "_".join(item.path)
            if name not in skip and (not only or name in only):
                editor = self.editors[name] = SettingEditor(item, (offsets or {}).get(name, 0))
                editor.edited.connect(partial(self._on_edited, name))

    def box(self, name: str) -> Any:
        """Return the input widget of a setting. Raises ``KeyError`` for another name."""
        return self.editors[name].box

    def names(self, prefix: str = "", group: str | None = None) -> list[str]:
        """Return the settings below ``prefix`` and of ``group``, all groups for ``None``."""
        return [
            name
            for name, editor in self.editors.items()
            if "_".join(editor.path[:-1]) == prefix and group in (None, editor.option.group)
        ]

    def value(self) -> Settings:
        """Return the settings in the fields."""
        settings = self._settings
        for editor in self.editors.values():
            settings = replaced_at(settings, editor.path, editor.value())
        return settings

    def set_value(self, settings: Settings) -> None:
        """Show other settings."""
        self._settings = settings
        for item in setting_fields(settings):
            if (name := "_".join(item.path)) in self.editors:
                self.editors[name].show_value(item.value)
        self.changed.emit()

    def set_enabled(self, enabled: bool) -> None:
        """Enable or disable the fields."""
        for editor in self.editors.values():
            editor.box.setEnabled(enabled)

    # -- layout ------------------------------------------------------------------------------------------------------
    def pairs(self, names: Iterable[str], *, units: bool = False) -> list[tuple[QLabel, QWidget]]:
        """Return label and field of settings; ``units`` are shown in the fields."""
        editors = [self.editors[name] for name in names]
        if units:
            for editor in editors:
                editor.show_unit()
        return [(editor.label, editor.box) for editor in editors]

    def grid(self, names: Iterable[str], columns: int = 1, *, units: bool = False) -> QGridLayout:
        """Return labels and fields in a grid of ``columns`` pairs a row, and as many check boxes a row below."""
        pairs = self.pairs(names, units=units)
        grid = labelled_rows([(label, box) for label, box in pairs if not isinstance(box, QCheckBox)], columns)
        first = grid.rowCount()
        for number, box in enumerate(box for _label, box in pairs if isinstance(box, QCheckBox)):
            row, column = divmod(number, columns)
            grid.addWidget(box, first + row, 2 * column, 1, 2)
        return grid

    def folded(self, group: str, prefix: str = "", *, units: bool = False) -> FoldedSection:
        """Return the folded section of a group."""
        return FoldedSection(group, self.grid(self.names(prefix, group), units=units))

    def add_rows(self, form: QFormLayout, names: Iterable[str] = (), *, units: bool = False) -> None:
        """Add a row for every setting, or those in ``names``; :meth:`show_kind` shows and hides them."""
        for name in names or self.editors:
            editor = self.editors[name]
            if units:
                editor.show_unit()
            editor.box.setAccessibleName(editor.option.field_label)
            if isinstance(editor.box, QCheckBox):
                form.addRow(editor.box)
            else:
                form.addRow(editor.label, editor.box)
            self._rows.append((editor, form))

    def show_kind(self, kind: StrEnum, hidden: Callable[[SettingEditor], bool] = lambda editor: False) -> None:
        """Show the rows of the settings that ``kind`` reads, except those in ``hidden``."""
        for editor, form in self._rows:
            form.setRowVisible(editor.box, kind in (editor.option.kinds or (kind,)) and not hidden(editor))

    def _on_edited(self, name: str) -> None:
        self.edited.emit(name)
        self.changed.emit()


def in_two_lines(text: str) -> str:
    """Return a long text with a line break at the space nearest to its middle; a short one as it is."""
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if len(text) <= _LONG_LABEL or not spaces or "\n" in text:
        return text
    middle = min(spaces, key=lambda place: abs(2 * place - len(text)))
    return f"{text[:middle]}\n{text[middle + 1 :]}"


def labelled_rows(pairs: Sequence[tuple[QLabel, QWidget]], columns: int) -> QGridLayout:
    """Return labels and fields in a grid of ``columns`` pairs a row; fields share the width equally."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(5)
    for index, (label, field) in enumerate(pairs):
        label.setText(in_two_lines(label.text()))
        row, column = divmod(index, columns)
        label.setBuddy(field)
        grid.addWidget(label, row, 2 * column)
        grid.addWidget(field, row, 2 * column + 1)
    for column in range(columns):
        grid.setColumnStretch(2 * column + 1, 1)
    return grid


_UNDER_TITLE = 22
"""Pixels from the edge of a section to the text of its title."""


class FoldedSection(QWidget):
    """Section of a form that is collapsed until its title is pressed."""

    def __init__(self, title: str, content: QLayout, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._button = QToolButton()
        self.set_title(title)
        self._button.setCheckable(True)
        self._button.setAutoRaise(True)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setArrowType(Qt.ArrowType.RightArrow)
        self._button.toggled.connect(self._fold)
        scroll = OpenedScroll(self)
        self._button.clicked.connect(lambda opened: scroll.begin() if opened else scroll.stop())
        self.body = QWidget()
        self.body.setLayout(content)
        self.body.hide()
        self.summary = ElidedLabel(role="muted")
        self.summary.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._button)
        add_layout(column, horizontal(None, (self.summary, 1), margins=(_UNDER_TITLE, 0, 0, 0)))
        column.addWidget(self.body)

    def minimumSizeHint(self) -> QSize:
        """Return a size that is as wide as the content, so that opening it needs no more width."""
        content = self.body.layout().minimumSize()  # type: ignore[union-attr]
        return super().minimumSizeHint().expandedTo(QSize(content.width(), 0))

    def set_title(self, title: str) -> None:
        """Set the title."""
        self._button.setText(title)
        self._button.setToolTip(tooltip(f"Show or hide: {title}"))

    def set_summary(self, text: str) -> None:
        """Set a grey line below the title, which is seen while the section is folded too."""
        self.summary.set_text(text)
        self.summary.setVisible(bool(text))

    @property
    def is_open(self) -> bool:
        """Whether the content is shown."""
        return self._button.isChecked()

    def set_open(self, opened: bool) -> None:
        """Show or hide the content."""
        self._button.setChecked(opened)

    def _fold(self, opened: bool) -> None:
        self._button.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.body.setVisible(opened)
