"""Layout of the window: rail of workspaces, side panel, centre, drawer, help and timeline."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from firegui.gui.base.controls import action_button, add_shortcut, close_button, dress_button, focus_first
from firegui.gui.base.layouts import horizontal, plain_label, vertical
from firegui.gui.window.action_registry import ACTIONS
from firegui.gui.window.centre import Centre, CentreMode
from firegui.gui.window.pane_focus import FocusReturn, Pane, focus_harmless
from firegui.gui.window.side_panel import Hit, PanelSection, SidePanel
from firegui.gui.window.workspaces import EXCLUSIVE, PLACES, WindowArea, WorkspaceName, panels_of

_ROOM_FOR_SIDE = 1360
"""In a narrower window the side panel is hidden at first."""
_HELP_WIDTH, _DRAWER_HEIGHT, _RAIL_ICONS = 420, 260, QSize(22, 22)
_BELOW = Qt.ShortcutContext.WidgetWithChildrenShortcut
_FIRST_MODES = {WorkspaceName.HAND_OVER: CentreMode.CHART}


class RailButton(QToolButton):
    """Button that looks like an action and emits a signal instead of triggering it."""

    chosen = Signal()

    def __init__(self, action: QAction) -> None:
        super().__init__()
        dress_button(self, action, Qt.ToolButtonStyle.ToolButtonTextUnderIcon)

    def nextCheckState(self) -> None:
        """Tell of the click; what is checked follows the shown workspace."""
        self.chosen.emit()


class Rail(QFrame):
    """Narrow column of buttons, one for each workspace, and at its foot that of the side panel."""

    chosen = Signal(str)
    """Name of the workspace whose button was pressed."""

    def __init__(self, actions: Iterable[QAction], side: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setAccessibleName("Workspaces")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(2)
        self.buttons: list[QToolButton] = []
        for action in actions:
            button = RailButton(action)
            button.chosen.connect(partial(self.chosen.emit, action.objectName().partition(":")[2]))
            button.setIconSize(_RAIL_ICONS)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self.buttons.append(button)
            column.addWidget(button)
        column.addStretch(1)
        self.side_button = action_button(side, Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.side_button.setObjectName("railSide")
        self.side_button.setIconSize(_RAIL_ICONS)
        self.side_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column.addWidget(self.side_button)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)


class Drawer(QTabWidget):
    """Drawer below the map, with a tab for charts and one for the log."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setCornerWidget(close_button("the drawer", "F7", self.closed.emit))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


class HelpColumn(QFrame):
    """Help beside the map."""

    closed = Signal()
    shown = Signal(bool)
    """The help was shown or hidden."""

    def __init__(self, help: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = plain_label("Help")
        title.setProperty("role", "heading")
        close = close_button("the help", "Esc", self.closed.emit)
        head = horizontal(None, (title, 1), close, margins=(8, 2, 2, 0))
        vertical(self, head, (help, 1), margins=0, spacing=0)
        add_shortcut(self, "Esc", self.closed.emit, below=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that the help is shown."""
        super().showEvent(event)
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that the help is hidden."""
        super().hideEvent(event)
        self.shown.emit(False)


class Shell(QWidget):
    """Central widget of the window. Panels are added by name, at their places in :data:`PLACES`."""

    changed = Signal()
    """Another workspace, mode, drawer, side panel or card is shown."""
    workspace_changed = Signal()

    def __init__(self, maps: QWidget, timeline: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Each part gets its place before its contents: at a new parent Qt applies the style sheet to all inside.
        self._down = QSplitter(Qt.Orientation.Vertical, self)
        vertical(self, (self._down, 1), timeline, margins=0, spacing=0)
        upper = QWidget(self._down)
        self._across = QSplitter(Qt.Orientation.Horizontal, upper)
        self._upper = horizontal(upper, (self._across, 1), margins=0, spacing=0)
        self.side = SidePanel(self._across)
        self.centre = Centre(maps, self._across)
        self.stage = self.centre.stage
        self.drawer = Drawer(self._down)
        self.help: HelpColumn | None = None
        # On the map Esc closes the help before a tool or the selection has it.
        self._help_escape = QShortcut("Esc", maps, self.close_help, context=_BELOW, enabled=False)
        # The card that explains a caution has the same key: either closes, then the other.
        self._help_escape.activatedAmbiguously.connect(self.close_help)
        self.workspace = WorkspaceName.FIRE
        self._modes: dict[WorkspaceName, CentreMode] = {}
        self._chosen: dict[WorkspaceName, str] = {}
        self._panels: dict[str, QWidget] = {"Timeline": timeline}
        self._results: dict[str, QWidget] = {}
        self._side_width, self._drawer_height = 0, _DRAWER_HEIGHT
        self._needed_width = self.side.default_width
        self._drawer_opened_in: WorkspaceName | None = None
        self._drawer_left: tuple[WorkspaceName, int] | None = None
        """Workspace whose drawer was closed on leaving it, and the tab that it showed."""
        self._drawer_before: tuple[bool, int] | None = None
        """Whether the drawer was open before a comparison, and the tab that it showed."""
        self._was_shown = False
        self._rail: Rail | None = None
        self._hidden: tuple[QWidget, ...] | None = None
        for workspace in WorkspaceName:
            title = ACTIONS[f"workspace:{workspace}"].title
            self.side.add_column(workspace, title, panels_of(workspace), is_exclusive=workspace in EXCLUSIVE)
        for parts, wide in ((self._across, 1), (self._down, 0)):
            parts.setStretchFactor(wide, 1)
            parts.setChildrenCollapsible(False)
            parts.setHandleWidth(4)
        self._drawer_focus = FocusReturn(self.drawer, maps)
        self.side.section_toggled.connect(self._on_section)
        self.side.content_built.connect(self._widen_side)
        self.side.found_chosen.connect(self._show_found)
        self.stage.card_toggled.connect(lambda _name, _on: self.changed.emit())
        self.drawer.closed.connect(lambda: self.set_drawer_visible(False))
        for part in (self.side, self.centre, self.drawer, timeline):  # the help has a search of its own
            add_shortcut(part, QKeySequence(QKeySequence.StandardKey.Find), self.find_setting, below=True)
        self.drawer.hide()

    # -- building ----------------------------------------------------------------------------------------------------
    def set_rail(self, rail: Rail) -> None:
        """Put the rail at the left edge."""
        self._rail = rail
        rail.chosen.connect(lambda name: self.go_to_workspace(WorkspaceName(name)))
        self._upper.insertWidget(0, rail)

    def add_panel(self, name: str, panel: QWidget, result: QWidget | None = None) -> None:
        """Put a panel at its place; ``result`` is what it shows in the centre.

        Raises ``KeyError`` for another name.
        """
        place = PLACES[name]
        self._panels[name] = panel
        if place.area is WindowArea.SIDE and place.workspace is not None:
            synonyms = ACTIONS[f"show_{name.lower()}"].synonyms
            section = PanelSection(place.title, panel, place.question, synonyms=synonyms, grows=place.grows)
            self.side.add_section(place.workspace, name, section)
            if result is not None:
                self._results[name] = result
                self.centre.add_result(result, is_page=place.workspace is WorkspaceName.HAND_OVER)
        elif place.area is WindowArea.DRAWER:
            self.drawer.addTab(panel, place.title)
        elif place.area is WindowArea.OVERLAY and isinstance(panel, QScrollArea):
            self.stage.add_card(name, panel)
        elif place.area is WindowArea.HELP:
            self.help = HelpColumn(panel)
            self._help_focus = FocusReturn(self.help, self.stage.maps)
            self.help.closed.connect(self.close_help)
            self.help.shown.connect(self._help_escape.setEnabled)
            self._across.addWidget(self.help)
            self._across.setStretchFactor(2, 0)
            self.help.hide()

    # -- the map alone -----------------------------------------------------------------------------------------------
    @property
    def is_full_map(self) -> bool:
        """Whether everything but the map is hidden."""
        return self._hidden is not None

    def set_full_map(self, on: bool) -> None:
        """Hide everything but the map, or show again what was shown before."""
        if on == self.is_full_map:
            return
        if on:
            parts = [self.side, self.drawer, self.centre.bar, self.centre.result, self._panels["Timeline"]]
            parts += [part for part in (self._rail, self.help) if part is not None]
            self._hidden = tuple(part for part in (*parts, *self.stage.cards.values()) if not part.isHidden())
            for part in self._hidden:
                part.hide()
            self.stage.show()
            self.stage.place_cards()
        else:
            hidden, self._hidden = self._hidden or (), None
            for part in hidden:
                part.show()
            self._show_result()
            self.stage.place_cards()
        self.stage.maps.setFocus()
        self.changed.emit()

    # -- what is shown -----------------------------------------------------------------------------------------------
    def show_panel(self, name: str) -> None:
        """Show a panel, and give it the focus. Raises ``KeyError`` for another name."""
        place, panel = PLACES[name], self._panels[name]
        if place.area is WindowArea.SIDE and place.workspace is not None:
            self.show_workspace(place.workspace)
            self.side.reveal(place.workspace, name)
            self._choose(name)
        elif place.area is WindowArea.DRAWER:
            self.drawer.setCurrentWidget(panel)
            self.set_drawer_visible(True)
        elif place.area is WindowArea.OVERLAY:
            self.show_card(name, on=True)
        elif self.help is not None and place.area is WindowArea.HELP:
            self._show_help(self.help)
        focus_first(panel)

    def find_setting(self) -> None:
        """Give the focus to the search of the side panel, which is shown."""
        self.set_side_visible(True)
        self.side.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.side.search.selectAll()

    def show_card(self, name: str, *, on: bool) -> None:
        """Show or close a card over the map; to show it, the map is shown beside a result that stands alone."""
        if on:
            self.show_map()
        self.stage.show_card(name, on=on)

    def show_map(self) -> None:
        """Show the map beside a result that stands alone."""
        if self.stage.isHidden():
            self.set_mode(CentreMode.BOTH)

    def _show_found(self, name: str, hit: Hit) -> None:
        """Show a section in which a search has found something, and mark where."""
        self.show_panel(name)
        if (workspace := PLACES[name].workspace) is not None:
            self.side.mark_found(workspace, hit)

    def reveal_panel(self, name: str) -> None:
        """Show a panel of the side panel or of the drawer without the focus.

        A drawer that this opens closes with the workspace.

        Raises ``KeyError`` for another name.
        """
        workspace = PLACES[name].workspace
        if PLACES[name].area is WindowArea.DRAWER:
            self.drawer.setCurrentWidget(self._panels[name])
            was_open = self.is_drawer_visible
            self.set_drawer_visible(True)
            if not was_open:
                self._drawer_opened_in = self.workspace
        elif workspace is not None:
            self.show_workspace(workspace)
            self.side.reveal(workspace, name)

    def widget_of(self, name: str) -> QWidget | None:
        """Return the section, card, tab page or bar of a panel; ``None`` for no panel."""
        section = self.side.sections.get(name)
        card = self.stage.cards.get(name)
        return section or card or self._panels.get(name)

    def show_workspace(self, workspace: WorkspaceName) -> None:
        """Show a workspace, with its side panel."""
        if self._drawer_opened_in not in (None, workspace):
            left = self._drawer_opened_in, self.drawer.currentIndex()
            self.set_drawer_visible(False)
            self._drawer_left = left
        elif self._drawer_left is not None and self._drawer_left[0] is workspace:
            tab = self._drawer_left[1]
            self.set_drawer_visible(True)
            self.drawer.setCurrentIndex(tab)
            self._drawer_opened_in = workspace
        is_other = workspace is not self.workspace
        self.workspace = workspace
        self.side.show_column(workspace)
        self.set_side_visible(True)
        self._show_result()
        self.changed.emit()
        if is_other:
            self.workspace_changed.emit()

    def go_to_workspace(self, workspace: WorkspaceName) -> None:
        """Show a workspace, and give the focus to its side panel, where Space plays."""
        # Qt moves the focus of a control that is hidden into what is shown instead, such as Start plan.
        self.setFocus()
        place = self.side.place_of(workspace)
        self.show_workspace(workspace)
        # A list that was just built has its place after the layouts that wait.
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        focus_harmless(self.side.entry)
        # Qt has scrolled to the list that took the focus.
        self.side.scroll_to(workspace, place)

    def set_mode(self, mode: CentreMode) -> None:
        """Show map, result, or both in the current workspace."""
        self._modes[self.workspace] = mode
        self._show_result()
        self.changed.emit()

    def show_result_of(self, name: str) -> None:
        """Make the result of a panel visible, if its workspace is the current one.

        A person who has chosen to see the map alone there keeps it.
        """
        workspace = PLACES[name].workspace
        if workspace is self.workspace:
            self._choose(name)
            if workspace not in self._modes and self.mode is CentreMode.MAP:
                self.set_mode(CentreMode.BOTH)

    def shows_result_of(self, name: str) -> bool:
        """Return whether the centre shows the result of a panel."""
        result = self._results.get(name)
        return result is not None and result.isVisibleTo(self)

    @property
    def mode(self) -> CentreMode:
        """What the centre of the current workspace shows if there is a result."""
        return self._modes.get(self.workspace, _FIRST_MODES.get(self.workspace, CentreMode.MAP))

    @property
    def hidden_result(self) -> str:
        """Name of the panel whose result the centre has, but does not show beside the map; empty for none."""
        name = self._chosen.get(self.workspace, "")
        return name if name in self._results and self.mode is CentreMode.MAP else ""

    @property
    def is_drawer_visible(self) -> bool:
        """Whether the drawer is open."""
        return not self.drawer.isHidden()

    @property
    def is_side_visible(self) -> bool:
        """Whether the side panel is shown."""
        return not self.side.isHidden()

    def set_side_visible(self, visible: bool) -> None:
        """Show or hide the side panel."""
        if visible is self.is_side_visible:
            return
        held = _holds_focus(self.side)
        if not visible and self._was_shown:
            self._side_width = self.side.width()
        self.side.setVisible(visible)
        if visible:
            self._set_side_width(self._side_width or self.side.default_width)
        elif held:
            self.stage.maps.setFocus()
        self.changed.emit()

    def set_drawer_visible(self, visible: bool) -> None:
        """Open or close the drawer."""
        if visible is self.is_drawer_visible:
            return
        self._drawer_opened_in = self._drawer_left = None
        if visible:
            self.drawer.show()
            self._limit_drawer()
            self._set_drawer_height()
        else:
            if self._was_shown:
                self._drawer_height = self.drawer.height()
            self._drawer_focus.hide_part()
        self.changed.emit()

    @property
    def is_help_visible(self) -> bool:
        """Whether the help is shown beside the map."""
        return self.help is not None and not self.help.isHidden()

    def forget_drawer(self) -> None:
        """Forget the drawer that was closed with its workspace: what it showed is of another project."""
        self._drawer_left = None

    def begin_comparison(self, name: str) -> None:
        """Turn to the page of a comparison in the drawer, without opening it.

        Raises ``KeyError`` for another name.
        """
        page = self._panels[name]
        if self._drawer_before is None or self.drawer.currentWidget() is not page:
            self._drawer_before = self.is_drawer_visible, self.drawer.currentIndex()
        self.drawer.setCurrentWidget(page)

    def end_comparison(self, name: str) -> None:
        """Leave the drawer as it was before the comparison, unless a person has turned to another page since."""
        before, self._drawer_before = self._drawer_before, None
        if before is None or self.drawer.currentWidget() is not self._panels[name]:
            return
        was_open, tab = before
        if self._drawer_left is not None:
            self._drawer_left = (self._drawer_left[0], tab) if was_open else None
        self.drawer.setCurrentIndex(tab)
        if not was_open:
            self.set_drawer_visible(False)

    def close_help(self) -> None:
        """Close the help."""
        if self.help is not None:
            self._help_focus.hide_part()

    def show_map_only(self) -> None:
        """Hide everything but map, timeline and rail."""
        self.set_side_visible(False)
        self.set_drawer_visible(False)
        self.close_help()
        for name in self.stage.cards:
            self.stage.show_card(name, on=False)

    @property
    def panes(self) -> list[Pane]:
        """The parts that F6 stops at, from left to right and down, also the hidden ones."""
        parts: list[Pane] = [] if self._rail is None else [(self._rail, self._rail)]
        parts += [(self.side, self.side.entry), (self.stage, self.stage.maps), (self.centre.result, self.centre.result)]
        parts += [] if self.help is None else [(self.help, self.help)]
        return [*parts, *((part, part) for part in (self.drawer, self._panels["Timeline"]))]

    def panel_with_focus(self) -> str:
        """Return the name of the panel that has the focus, or whose result has it; empty for none."""
        focus = QApplication.focusWidget()
        if focus is None:
            return ""
        for panels in (self._panels, self._results, self.side.feet):
            for name, panel in panels.items():
                if panel is focus or panel.isAncestorOf(focus):
                    return name
        return next((name for name, section in self.side.sections.items() if section.isAncestorOf(focus)), "")

    # -- state -------------------------------------------------------------------------------------------------------
    def state(self) -> str:
        """Return the layout, for :meth:`restore`."""
        sections = {name: section.is_open for name, section in self.side.sections.items()}
        return json.dumps(
            {
                "workspace": self.workspace.value,
                "side": self.is_side_visible,
                "side_width": self.side.width() if self.is_side_visible else self._side_width,
                "drawer": self.is_drawer_visible,
                "drawer_height": self.drawer.height() if self.is_drawer_visible else self._drawer_height,
                "drawer_tab": self.drawer.tabText(self.drawer.currentIndex()),
                "sections": sections,
                "chosen": {workspace.value: name for workspace, name in self._chosen.items()},
                "modes": {workspace.value: mode.value for workspace, mode in self._modes.items()},
                "cards": self.stage.shown_cards,
                "folded": self.stage.folded_cards,
            }
        )

    def restore(self, state: str) -> None:
        """Restore a layout that :meth:`state` returned; what cannot be read stays as by default."""
        self.reset()
        try:
            kept = json.loads(state)
        except ValueError:
            return
        if isinstance(kept, dict):
            self._restore(kept)

    def _restore(self, kept: Mapping[str, Any]) -> None:
        for name, section in self.side.sections.items():
            section.set_open(bool(_part(kept, "sections").get(name, section.is_open)))
        for workspace in WorkspaceName:
            mode, chosen = _part(kept, "modes").get(workspace.value), _part(kept, "chosen").get(workspace.value)
            if mode in set(CentreMode):
                self._modes[workspace] = CentreMode(mode)
            if chosen in self._results and PLACES[chosen].workspace is workspace:
                self._chosen[workspace] = chosen
        folded = kept.get("folded")
        for name in self.stage.cards:
            self.stage.restore_folded(name, on=isinstance(folded, list) and name in folded)
            self.stage.show_card(name, on=bool(_part(kept, "cards").get(name, PLACES[name].is_open)))
        for number in range(self.drawer.count()):
            if self.drawer.tabText(number) == kept.get("drawer_tab"):
                self.drawer.setCurrentIndex(number)
        if kept.get("workspace") in set(WorkspaceName):
            self.show_workspace(WorkspaceName(kept["workspace"]))
        self._side_width = _size(kept.get("side_width"), self._side_width)
        self._drawer_height = _size(kept.get("drawer_height"), _DRAWER_HEIGHT)
        self._set_side_width(self._side_width or self.side.default_width)
        self.set_side_visible(bool(kept.get("side", self.is_side_visible)))
        self.set_drawer_visible(bool(kept.get("drawer", False)))

    def reset(self) -> None:
        """Restore the first layout."""
        self._modes.clear()
        self._chosen.clear()
        for name, section in self.side.sections.items():
            section.set_open(PLACES[name].is_open)
            if section.is_open:
                self._choose(name)
        self.set_drawer_visible(False)
        self._drawer_height = _DRAWER_HEIGHT
        self.drawer.setCurrentIndex(0)
        self.close_help()
        for name in self.stage.cards:
            self.stage.restore_folded(name, on=False)
            self.stage.show_card(name, on=PLACES[name].is_open)
        self.show_workspace(WorkspaceName.FIRE)
        # The width follows from the texts when the panel is shown.
        self._side_width = 0
        self._set_side_width(self.side.default_width)
        self.set_side_visible(self.window().width() >= _ROOM_FOR_SIDE)
        self._side_width = 0
        self.changed.emit()

    # -- inside ------------------------------------------------------------------------------------------------------
    def _on_section(self, name: str, opened: bool) -> None:
        if opened and name in self._results:
            self._choose(name)
        elif not opened and self._chosen.get(self.workspace) == name:
            del self._chosen[self.workspace]
            self._show_result()
        self.changed.emit()

    def _choose(self, name: str) -> None:
        workspace = PLACES[name].workspace
        if workspace is not None and name in self._results:
            self._chosen[workspace] = name
            self._show_result()

    def _show_result(self) -> None:
        self.centre.show_result(self._results.get(self._chosen.get(self.workspace, "")), self.mode)

    def _show_help(self, column: HelpColumn) -> None:
        if column.isHidden():
            column.show()
            sizes = self._across.sizes()
            width = min(_HELP_WIDTH, self.width() // 2)
            self._across.setSizes([sizes[0], max(sum(sizes) - sizes[0] - width, 1), width])

    def _set_side_width(self, width: int) -> None:
        sizes = self._across.sizes()
        total = sum(sizes) or self.width()
        rest = sizes[2:] if len(sizes) > 2 else []
        self._across.setSizes([width, max(total - width - sum(rest), 1), *rest])

    def _widen_side(self) -> None:
        """Make room for a section that was just built, unless the user has made the side panel narrower."""
        before, self._needed_width = self._needed_width, self.side.default_width
        if self._side_width >= before:
            self._side_width = max(self._side_width, self._needed_width)
        if before <= self.side.width() < self._needed_width:
            self._set_side_width(self._needed_width)

    def _set_drawer_height(self) -> None:
        height = min(self._drawer_height, self.drawer.maximumHeight())
        self._down.setSizes([max(self._down.height() - height, 1), height])

    def _limit_drawer(self) -> None:
        self.drawer.setMaximumHeight(max(self.height() // 2, 120))

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the widths that were set before the window had its size."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            for layout in (self.layout(), self._upper):
                if layout is not None:
                    layout.activate()
            self._limit_drawer()
            if self.is_side_visible:
                self._set_side_width(self._side_width or self.side.default_width)
            if self.is_drawer_visible:
                self._set_drawer_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the drawer within half of the height."""
        super().resizeEvent(event)
        self._limit_drawer()


def _holds_focus(widget: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and widget.isAncestorOf(focus)


def _part(kept: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = kept.get(key)
    return value if isinstance(value, dict) else {}


def _size(value: object, default: int) -> int:
    return value if isinstance(value, int) and 0 < value < 5_000 else default
