"""Layers of the map: which are visible, their order, opacity and legends, and the base map."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QToolButton,
    QWidget,
)

from firegui.errors import InputError
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.icons import icon
from firegui.gui.base.layouts import fill_scroll_area, horizontal, muted_label, plain_label, scroll_area, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import set_role
from firegui.gui.map.layers.behaviour_layers import BehaviourLayer
from firegui.gui.map.layers.drop_layers import DROPS_SHOWN, DropsLayer
from firegui.gui.map.layers.layer import LayerChoice, LegendEntry, MapLayer
from firegui.gui.map.layers.layer_stack import GROUND, LayerStack
from firegui.gui.map.legends import SAMPLE_SIZE, LegendView, sample_pixmap, swatch_entry
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import NoScrollComboBox, NoScrollSlider
from firegui.io.importers.base_map import SUFFIXES

_BASE_MAPS = f"Base maps ({' '.join(f'*{ending}' for ending in SUFFIXES)});;All files (*)"
_GRIP, _GRIP_PX = "⠿", 16
_OPACITIES = (100, 75, 50, 25)


class LayersPanel(QScrollArea):
    """Panel with a row per layer, the topmost first, and the legends of the visible layers below.

    A row has a grip, a check box, an opacity slider and a context menu. Dragging a grip, or Ctrl+Up and Ctrl+Down,
    moves its layer. The rows are built when the panel is first shown.
    """

    properties_requested = Signal(str)
    """Show the properties of the layer with this key."""
    zoom_requested = Signal(str)
    """Show what the layer with this key draws."""

    def __init__(self, layers: LayerStack, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.menu: QMenu | None = None
        self.setAccessibleName("Layers of the map")
        self._layers = layers
        self._rows: dict[str, _LayerControls] = {}
        self._legend = LegendView()
        self._grid = QGridLayout()
        self._reset = QToolButton()
        self.behaviour_note = muted_label()
        """Why the layers of fire behaviour are empty."""
        self.drops_shown = self._drops_box()
        body = self._body = QWidget()
        rows = (self._drops_row(), self._order_row(), self.behaviour_note, self._grid, self._legend)
        vertical(body, *rows, 1, margins=(4, 2, 8, 8))
        fill_scroll_area(self, body)
        for keys, by in (("Ctrl+Up", 1), ("Ctrl+Down", -1)):
            add_shortcut(self, keys, partial(self._move_focused, by), below=True)
        layers.changed.connect(self._refresh)
        layers.refreshed.connect(self._refresh)
        layers.reordered.connect(self._arrange)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Build the rows."""
        super().showEvent(event)
        # By now all rows are in one window. Qt sets the tab order only within a window.
        if not self._rows:
            self._list()

    def take_legend(self) -> QScrollArea:
        """Return the legends of the visible layers, taken out of the panel into a scroll area."""
        return scroll_area(self._legend, horizontal=False)

    def _drops_box(self) -> NoScrollComboBox:
        box, choice = NoScrollComboBox(), next(each for each in DropsLayer.options if each.name == DROPS_SHOWN)
        for value, text in choice.values:
            box.addItem(text, value)
        box.setAccessibleName(choice.label)
        box.setToolTip(tooltip(choice.help))
        box.currentIndexChanged.connect(
            lambda _: self._layers.set_option(DropsLayer.key, DROPS_SHOWN, box.currentData())
        )
        return box

    def _drops_row(self) -> QHBoxLayout:
        text = plain_label("Drops shown")
        text.setBuddy(self.drops_shown)
        return horizontal(None, text, (self.drops_shown, 1), margins=0)

    def _order_row(self) -> QHBoxLayout:
        row, text = QHBoxLayout(), plain_label("Drawn in this order · grey: empty now", wordWrap=True)
        text.setProperty("role", "muted")
        self._reset.setIcon(icon("reset"))
        self._reset.setAccessibleName("Default order")
        self._reset.setToolTip("Restore the default drawing order of the layers")
        self._reset.setAutoRaise(True)
        self._reset.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._reset.clicked.connect(self._layers.reset_order)
        row.addWidget(text, 1)
        row.addWidget(self._reset)
        return row

    def _list(self) -> None:
        self._grid.setHorizontalSpacing(4)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(2, 1)
        self._rows = {layer.key: _LayerControls(self._layers, layer, self._body) for layer in self._layers}
        for row in self._rows.values():
            row.refresh()
            row.grip.moved.connect(lambda pixel, key=row.key: self._drag(key, pixel))
            row.grip.stepped.connect(lambda by, key=row.key: self._move(key, by))
            for widget in (row.grip, row.box, row.slider):
                widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                widget.customContextMenuRequested.connect(
                    lambda at, key=row.key, widget=widget: self._open_menu(key, widget.mapToGlobal(at))
                )
        self._arrange()
        self.setMinimumWidth(self._body.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width())

    def _arrange(self) -> None:
        """Put the topmost layer first, also in tab order."""
        before: QWidget | None = None
        for line, key in enumerate(reversed(self._layers.order) if self._rows else ()):
            row = self._rows[key]
            for place, widget in enumerate((row.grip, row.box, row.slider)):
                self._grid.addWidget(widget, line, place)
                if before is not None:
                    QWidget.setTabOrder(before, widget)
                before = widget

    def _open_menu(self, key: str, at: QPoint) -> None:
        """Show the menu of a layer at a global position."""
        if self.menu is not None:
            self.menu.deleteLater()
        layer = self._layers[key]
        menu = self.menu = QMenu(layer.title, self)
        menu.setAccessibleName(f"Layer {layer.title}")
        menu.addAction("Zoom to layer", lambda: self.zoom_requested.emit(key))
        menu.addAction("Properties…", lambda: self.properties_requested.emit(key))
        opacities = menu.addMenu("Opacity")
        for percent in _OPACITIES:
            opacities.addAction(f"{percent} %", partial(self._layers.set_opacity, key, percent / 100.0))
        for option in layer.options:
            if isinstance(option, LayerChoice):
                self._add_choice(menu, layer, option)
        menu.addSeparator()
        for text, by in (("Raise", 1), ("Lower", -1)):
            menu.addAction(text, partial(self._move, key, by)).setEnabled(key != GROUND)
        menu.addAction("Reset layer", lambda: self._layers.reset_style(key))
        menu.popup(at)

    def _add_choice(self, menu: QMenu, layer: MapLayer, option: LayerChoice) -> None:
        """Add a submenu of the values of a property."""
        choices, now = menu.addMenu(option.label), layer.option_values[option.name]
        for value, text in option.values:
            entry = choices.addAction(text, partial(self._layers.set_option, layer.key, option.name, value))
            entry.setCheckable(True)
            entry.setChecked(value == now)

    # -- the order ---------------------------------------------------------------------------------------------------
    def _drag(self, key: str, pixel: QPointF) -> None:
        """Move the layer towards the mouse, one row at a time."""
        order = list(reversed(self._layers.order))
        line = order.index(key)
        y = pixel.y()
        if line > 0 and y < self._middle(order[line - 1]):
            self._layers.move(key, 1)
        elif line + 1 < len(order) and y > self._middle(order[line + 1]):
            self._layers.move(key, -1)
        # The rows must be in place before the next mouse event.
        self._grid.activate()

    def _middle(self, key: str) -> float:
        grip = self._rows[key].grip
        return float(grip.mapToGlobal(grip.rect().center()).y())

    def _move_focused(self, by: int) -> None:
        for row in self._rows.values():
            if row.has_focus:
                self._move(row.key, by)
                return

    def _move(self, key: str, by: int) -> None:
        self._layers.move(key, by)
        self.ensureWidgetVisible(self._rows[key].grip)

    def _refresh(self, _: str = "") -> None:
        for row in self._rows.values():
            row.refresh()
        empty = [layer for layer in self._layers if isinstance(layer, BehaviourLayer) and layer.missing()]
        titles = ", ".join(layer.title for layer in empty)
        self.behaviour_note.setText(f"{titles.capitalize()} are empty: {empty[0].missing()}" if empty else "")
        self.behaviour_note.setVisible(bool(empty))
        with QSignalBlocker(self.drops_shown):
            shown = self._layers[DropsLayer.key].option_values[DROPS_SHOWN]
            self.drops_shown.setCurrentIndex(self.drops_shown.findData(shown))
        # Maps side by side show every view, and one legend explains all.
        drawn = [
            layer for layer in self._layers
            if layer.visible and (layer.in_view or layer.session.side_by_side) and not layer.missing()
        ]  # fmt: skip
        self._legend.show_layers(drawn[::-1])

    def changeEvent(self, event: QEvent) -> None:
        """Repaint the icon in the colours of the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_reset"):
            self._reset.setIcon(icon("reset"))


class _Grip(QToolButton):
    """Grip that moves a layer up or down by dragging or by key."""

    moved = Signal(QPointF)
    """Position of the dragging mouse, in global pixels."""
    stepped = Signal(int)

    def __init__(self, layer: MapLayer, parent: QWidget) -> None:
        super().__init__(parent)
        self._held = False
        self.setText(_GRIP)
        self.setAutoRaise(True)
        self.setFixedWidth(_GRIP_PX)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(f"Draw {layer.title} higher or lower")
        self.setEnabled(layer.key != GROUND)
        tip = f"Drag, or press Ctrl+Up and Ctrl+Down, to draw {layer.title} over or under other layers"
        self.setToolTip(tooltip(tip if layer.key != GROUND else "Everything lies on the ground of the grid (Esc)"))
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start dragging."""
        self._held = event.button() is Qt.MouseButton.LeftButton
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the position while dragging."""
        if self._held:
            self.moved.emit(event.globalPosition())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop dragging."""
        self._held = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the layer on Up and Down."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(1 if event.key() == Qt.Key.Key_Up else -1)
        else:
            super().keyPressEvent(event)


class _LayerControls:
    """Grip, check box and opacity slider of one layer."""

    def __init__(self, layers: LayerStack, layer: MapLayer, parent: QWidget) -> None:
        self._layers = layers
        self._layer = layer
        self._sample: LegendEntry | None = None
        """What the icon shows."""
        self.key = layer.key
        self.grip = _Grip(layer, parent)
        self.box = QCheckBox(layer.title, parent)
        self.box.setIconSize(SAMPLE_SIZE)
        self.box.setIconSize(QSize(14, 14))
        self.box.setAccessibleName(f"Show {layer.title}")
        self.box.toggled.connect(self._toggle)
        self.slider = NoScrollSlider(Qt.Orientation.Horizontal, parent)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(10)
        self.slider.setMinimumWidth(40)
        self.slider.setAccessibleName(f"Opacity of {layer.title}, percent")
        self.slider.valueChanged.connect(self._fade)

    @property
    def has_focus(self) -> bool:
        """Whether one of the controls has the focus."""
        return any(widget.hasFocus() for widget in (self.grip, self.box, self.slider))

    def _toggle(self, on: bool) -> None:
        self._layers.set_visible(self._layer.key, on)

    def _fade(self, percent: int) -> None:
        self._layers.set_opacity(self._layer.key, percent / 100.0)

    def refresh(self) -> None:
        """Show the state of the layer."""
        layer = self._layer
        why = layer.missing() or ("" if layer.in_view else "not part of the view that is shown")
        with QSignalBlocker(self.box), QSignalBlocker(self.slider):
            self.box.setChecked(layer.visible)
            self.slider.setValue(round(100 * layer.opacity))
        sample = swatch_entry(layer, faint=bool(why))
        if sample != self._sample:
            self._sample = sample
            self.box.setIcon(QIcon(sample_pixmap(sample)))
        self.box.setToolTip(tooltip(f"{layer.help}\nNow empty: {why}" if why else layer.help))
        set_role(self.box, "muted" if why else "")
        self.slider.setEnabled(layer.visible)
        self.slider.setToolTip(tooltip(f"Opacity of {layer.title}: {self.slider.value()} %"))


class BaseMapSelector(QObject):
    """Selector of a project's base map, which is restored with the project.

    A missing base map is reported in the status bar.
    """

    def __init__(self, session: Session, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._preferences, self._window = session, preferences, window
        session.project_opened.connect(self._restore)
        session.folder_changed.connect(self._keep)
        session.ground.chosen.connect(self._keep)
        if session.has_project:
            self._restore()

    def ask(self) -> None:
        """Let the user choose a file and show it below the map."""
        known = self._session.ground.file
        place = str(self._session.folder.parent if self._session.folder is not None else Path.home())
        if known is not None:
            place = str(known.path)
        name, _filter = QFileDialog.getOpenFileName(self._window, "Open a base map", place, _BASE_MAPS)
        if name:
            with refusing(self._session, name):
                self._session.ground.choose(Path(name))

    def _keep(self, _: object = None) -> None:
        folder, file = self._session.folder, self._session.ground.file
        if folder is not None:
            self._preferences.set_base_map(folder, None if file is None else file.path)

    def _restore(self) -> None:
        folder = self._session.source
        path = None if folder is None else self._preferences.base_map(folder)
        if path is None:
            return
        try:
            self._session.ground.open(path)
        except (InputError, OSError) as error:
            what = error.problems[0] if isinstance(error, InputError) else error
            self._session.message.emit(f"Without its base map: {what}")
