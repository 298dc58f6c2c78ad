"""Side panel: folding sections of the current workspace, and a field that finds settings in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QBoxLayout,
    QComboBox,
    QFrame,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from firegui.gui.base.controls import (
    FocusFrame,
    FoundFrame,
    OpenedScroll,
    focus_in_view,
    is_tab_stop,
    synonyms_of,
    tab_stops,
    tool_button,
    without_mnemonic,
)
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import fill_scroll_area, horizontal, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.search_rank import MatchRank, search_rank
from firegui.gui.base.tasks import IncrementalTask
from firegui.gui.help.command_palette import PaletteEntry
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.fields import SearchField
from firegui.gui.widgets.lazy_widget import LazyWidget
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.widgets.vertical_scroll_area import FittedScrollArea

_SETTLING_MS = 2_000
"""For this time a revealed section stays in view while the contents above it change."""
WIDTH = 320
_LEAST, _MOST = 250, 520
_PAUSE_MS = 400
"""Pause in typing after which the sections that were never shown are built, where settings are found without them."""
_MOST_COMMANDS = 3
"""Commands that a search shows besides the settings; the palette lists all."""
_SETTINGS = (
    QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QGroupBox, QLineEdit, QPlainTextEdit, EditableTable,
)  # fmt: skip
"""Parts that the user sets, unlike texts, charts and tables to read."""


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """Part of a section that a search has found, with the name to show for it."""

    section: PanelSection
    widget: QWidget
    rank: MatchRank
    name: str

    @property
    def is_setting(self) -> bool:
        """Whether the part is a setting or the heading of a section, not a text or a table to read."""
        if self.widget is self.section.heading:
            # Of a heading that is found by its summary only that text has the words.
            return self.rank is not MatchRank.DESCRIPTION
        return isinstance(self.widget, _SETTINGS) or self.widget.focusProxy() is not None

    @property
    def order(self) -> tuple[MatchRank, bool]:
        """Key that sorts the hits of a kind: of equal ranks a field is before a button that runs a command."""
        is_command = isinstance(self.widget, QPushButton | QToolButton) and self.widget is not self.section.heading
        return self.rank, is_command


class PanelSection(QWidget):
    """Section of a workspace: a heading that shows or hides its content, which may take spare height.

    Its ``summary`` stands below the heading: the question that it answers, or while it is folded what is set in it. Its
    ``synonyms`` are other words that find it where none of its parts is found.
    """

    toggled = Signal(bool)

    def __init__(
        self, title: str, content: QWidget, summary: str = "", *, synonyms: str = "", grows: bool = False,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._synonyms = synonyms
        self.title, self.content, self.grows = title, content, grows
        self.heading = QToolButton()
        self.heading.setText(title)
        self.heading.setProperty("role", "section")
        self.heading.setToolTip(tooltip(f"Show or hide: {title} (Space)"))
        self.heading.setCheckable(True)
        self.heading.setAutoRaise(True)
        self.heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.heading.clicked.connect(self._on_clicked)
        self._scroll = OpenedScroll(self)
        self.summary = muted_label()
        self.summary.setContentsMargins(24, 0, 4, 2)
        vertical(self, self.heading, self.summary, (content, 1), margins=0, spacing=0)
        self._is_open = False
        # A question tells what an open section is for; what is set can be read in the section itself.
        self._stays = bool(summary)
        self.set_summary(summary)
        self._show(opened=False)

    def _on_clicked(self, opened: bool) -> None:
        """Show or hide the content, and scroll to what is shown once it has its height."""
        if opened:
            self._scroll.begin()
        self.set_open(opened)

    @property
    def is_open(self) -> bool:
        """Whether the section was opened; a search may show the content of another one for a while."""
        return self._is_open

    def set_summary(self, text: str) -> None:
        """Set the text below the folded heading; screen readers read it with the heading."""
        self.summary.setText(text)
        self.heading.setAccessibleDescription(text)
        self.summary.setVisible(bool(text) and (self._stays or self.content.isHidden()))

    def set_open(self, opened: bool) -> None:
        """Show or hide the content."""
        was_open, self._is_open = self._is_open, opened
        self._show(opened=opened)
        if opened is not was_open:
            self.toggled.emit(opened)

    def show_found(self, found: bool | None) -> None:
        """Show the section with its content if a search ``found`` it; ``None`` ends the search."""
        self.setVisible(found is not False)
        self._show(opened=self._is_open if found is None else found)

    @property
    def is_built(self) -> bool:
        """Whether the content is there to be searched."""
        return not isinstance(self.content, LazyWidget) or self.content.is_filled

    def build(self) -> None:
        """Build the content, which otherwise is built when it is shown."""
        if isinstance(self.content, LazyWidget):
            self.content.build()

    def hits(self, searched: str) -> list[Hit]:
        """Return the heading and the parts of the content that have all the searched words, the best first.

        A label and its field are one hit.
        """
        found: dict[QWidget, Hit] = {}
        for widget, names, description in self._texts():
            rank = search_rank(searched, names, description)
            field = (widget.buddy() if isinstance(widget, QLabel) else None) or widget
            if rank is not None and (field not in found or rank < found[field].rank):
                found[field] = Hit(self, field, rank, _found_name(searched, names) or self.title)
        if not found and search_rank(searched, (self.title,), self._synonyms) is not None:
            found[self.heading] = Hit(self, self.heading, MatchRank.SYNONYM, self.title)
        # The sort is stable: equal ranks keep their order in the section.
        return sorted(found.values(), key=lambda hit: hit.order)

    def _texts(self) -> Iterator[tuple[QWidget, list[str], str]]:
        """Yield each part that can be shown, with its names and its description."""
        yield self.heading, [self.title], self.summary.text()
        for widget in self.content.findChildren(QWidget):
            # Parts that are hidden in every case, such as those of another kind of run, are not offered.
            if not _can_be_shown(widget, self.content):
                continue
            names, description = [], f"{without_mnemonic(widget.toolTip())} {synonyms_of(widget)}"
            shown = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
            if isinstance(widget, QLabel) and widget.wordWrap():
                # A text of several lines explains a setting, and is not the name of one.
                description += f" {shown}"
            else:
                names.append(shown)
            if isinstance(widget, QGroupBox):
                names.append(widget.title())
            if isinstance(widget, QTableView):
                titles, help_texts = _headings(widget)
                names += titles
                description += f" {help_texts}"
            # A table that is found by other words is named as a whole, not by its first column.
            names.insert(0 if isinstance(widget, QTableView) else len(names), widget.accessibleName())
            yield widget, [name for name in map(without_mnemonic, names) if name], description

    def _show(self, *, opened: bool) -> None:
        """Show content, arrow and summary of an open or of a folded section."""
        self.heading.setChecked(opened)
        self.heading.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.content.setVisible(opened)
        self.summary.setVisible(bool(self.summary.text()) and (self._stays or not opened))


def _can_be_shown(widget: QWidget, top: QWidget) -> bool:
    """Return whether a part of ``top`` is shown, or would be if the folded sections around it were opened."""
    below = widget
    for fold in _folds_around(widget, top):
        if not below.isVisibleTo(fold.body):
            return False
        below = fold
    return below.isVisibleTo(top)


def _folds_around(widget: QWidget, top: QWidget) -> Iterator[FoldedSection]:
    """Yield the folded sections of ``top`` whose bodies hold a widget, the innermost first."""
    parent = widget.parentWidget()
    while parent is not None and parent is not top:
        fold = parent.parentWidget()
        if isinstance(fold, FoldedSection) and fold.body is parent:
            yield fold
        parent = fold


def _headings(view: QTableView) -> tuple[list[str], str]:
    """Return the titles of the columns of a table, and their explanations."""
    model, across = view.model(), Qt.Orientation.Horizontal
    columns = range(model.columnCount()) if model is not None else ()
    titles, help_texts = (
        [str(model.headerData(column, across, role) or "") for column in columns]
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    )
    return titles, " ".join(help_texts)


def _found_name(searched: str, names: Sequence[str]) -> str:
    """Return the name that fits the searched words best, by default the first; empty if there is none."""
    ranks = {name: rank for name in reversed(names) if (rank := search_rank(searched, (name,))) is not None}
    return min(ranks, key=ranks.__getitem__) if ranks else next(iter(names), "")


def _control_of(hit: Hit) -> QWidget:
    """Return the control that a hit stands for: itself, its first one, or the next one after a text."""
    if is_tab_stop(hit.widget):
        return hit.widget
    if stops := tab_stops(hit.widget):
        return stops[0]
    after = hit.widget.nextInFocusChain()
    while after is not None and after is not hit.widget and hit.section.content.isAncestorOf(after):
        if is_tab_stop(after):
            return after
        after = after.nextInFocusChain()
    return hit.section.heading


class SectionColumn(QScrollArea):
    """Sections of one workspace, in the ``order`` of their names.

    ``is_exclusive`` keeps only one of them open.
    """

    def __init__(self, order: Sequence[str], *, is_exclusive: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._order, self._is_exclusive = order, is_exclusive
        self.sections: dict[str, PanelSection] = {}
        self.revealed = 0
        """Where the column was scrolled to, to show a section."""
        self._kept: PanelSection | None = None
        """Section that was just revealed and stays at the top while contents come and go above it."""
        self._body = QWidget()
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self._rest = QWidget()
        self._column.addWidget(self._rest)
        fill_scroll_area(self, self._body, horizontal=True)
        # The contents keep their width when the scroll bar comes or goes.
        self._is_keeping_width = False
        self.verticalScrollBar().rangeChanged.connect(self._keep_width)
        self._keep_width()
        self._settling = QTimer(self, singleShot=True, interval=_SETTLING_MS)
        self._settling.timeout.connect(self._let_go)
        self.verticalScrollBar().actionTriggered.connect(self._let_go)
        # Tab goes to its headings, and the page keys scroll it from there. It has the focus when it is shown by a key.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Sections of the workspace")
        FocusFrame(self)

    def _keep_width(self, *_: object) -> None:
        """Keep the room of the scroll bar free while there is none."""
        if self._is_keeping_width:
            return
        bar = self.verticalScrollBar()
        room = 0 if bar.maximum() > bar.minimum() else bar.sizeHint().width()
        if self.viewportMargins().right() != room:
            # A text that wraps can bring the bar back at once, which would go on for ever.
            self._is_keeping_width = True
            try:
                self.setViewportMargins(0, 0, room, 0)
            finally:
                self._is_keeping_width = False

    def add(self, name: str, section: PanelSection) -> None:
        """Add a section at its place among the others, which ``order`` tells."""
        self.sections[name] = section
        place = sum(self._order.index(other) < self._order.index(name) for other in self.sections if other != name)
        self._column.insertWidget(place, section)
        section.toggled.connect(partial(self._on_toggled, section))
        self._share_height()

    def reveal(self, section: PanelSection) -> None:
        """Open a section and scroll to it. Contents that change right after it do not move it out of view."""
        section.set_open(True)
        # Sections that were just opened or built have their heights after the next layout, and so has the scroll bar.
        QApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))
        self._kept = section
        self._settling.start()
        self._scroll_to_kept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep a section in view that was just revealed, once those above it have other heights."""
        if self._kept is not None and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            QTimer.singleShot(0, self, self._keep_in_view)
        return super().eventFilter(watched, event)

    def _keep_in_view(self) -> None:
        """Scroll to the revealed section again, unless something else was scrolled to since."""
        bar = self.verticalScrollBar()
        if bar.value() == min(self.revealed, bar.maximum()):
            self._scroll_to_kept()
        else:
            self._let_go()

    def _scroll_to_kept(self) -> None:
        if self._kept is not None:
            self.verticalScrollBar().setValue(self._kept.y())
            self.revealed = self.verticalScrollBar().value()

    def _let_go(self, *_: object) -> None:
        self._kept = None

    @property
    def needed_width(self) -> int:
        """Width at which nothing is cut off."""
        # A folded section counts too: the panel must not be too narrow once it is opened.
        contents = [section.content for section in self.sections.values()]
        widths = [content.minimumWidth() or content.minimumSizeHint().width() for content in contents]
        return max(widths, default=0) + self.verticalScrollBar().sizeHint().width()

    def _on_toggled(self, section: PanelSection, opened: bool) -> None:
        if opened and self._is_exclusive:
            for other in self.sections.values():
                if other is not section:
                    other.set_open(False)
        self._share_height()

    def _share_height(self) -> None:
        """Give spare height to the open sections that can use it; without one it stays free below."""
        growing = [each for each in self.sections.values() if each.is_open and each.grows]
        for section in self.sections.values():
            self._column.setStretchFactor(section, 1 if section in growing else 0)
        self._column.setStretchFactor(self._rest, 0 if growing else 1)
        self._rest.setVisible(not growing)


SEARCHING = "Searching the other pages…"


class SearchOutcome(QFrame):
    """Message below a search that finds nothing on the page.

    It has links to the sections of other pages that have the words, and a button that clears the search.
    """

    chosen = Signal(object)
    """The hit of another page that was chosen."""
    cleared = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.text = plain_label(wordWrap=True)
        self.links: list[QToolButton] = []
        """Buttons of the sections that were found."""
        self.clear_button = QPushButton("Clear search")
        self.clear_button.setToolTip("Show all sections of this page again (Esc)")
        self.clear_button.clicked.connect(lambda _checked=False: self.cleared.emit())
        self._places = vertical(None, margins=0, spacing=2)
        foot = horizontal(None, self.clear_button, margins=0)
        foot.addStretch()
        vertical(self, self.text, self._places, foot, margins=8, spacing=6)
        self.hide()

    def tell_searching(self) -> None:
        """Say that the search goes on; building the other pages takes a moment."""
        _remove_links(self._places, self.links)
        self.text.setText(SEARCHING)
        self.show()

    def tell(self, searched: str, found: Mapping[str, Hit], *, has_commands: bool) -> None:
        """Say where ``searched`` was found. ``has_commands``: the palette has it.

        ``found`` has the first hit of each section, by the titles of the page and of the section.
        """
        _remove_links(self._places, self.links)
        nothing = f"No setting for “{searched}”"
        if not has_commands:
            nothing = f"No matches for “{searched}”. Try another word, or search the help (F1)."
        self.text.setText("Not on this page. Found in:" if found else nothing)
        for title, hit in found.items():
            link = _link(title, f"Go to {title}, and mark what was found there")
            link.clicked.connect(partial(self._on_clicked, hit))
            self._places.addWidget(link)
            self.links.append(link)
        self.show()

    def _on_clicked(self, hit: Hit, _checked: bool = False) -> None:
        self.chosen.emit(hit)


class FoundCommands(QFrame):
    """Commands of the palette that a search finds: the best as links, and a link to all of them."""

    chosen = Signal(object)
    """The entry of the palette that was chosen."""
    more_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.links: list[QToolButton] = []
        self._places = vertical(None, margins=0, spacing=0)
        vertical(self, muted_label("Commands"), self._places, margins=(8, 0, 8, 0), spacing=2)
        self.hide()

    def show_found(self, found: Sequence[PaletteEntry]) -> None:
        """Show the best of the entries that can be run."""
        _remove_links(self._places, self.links)
        usable = [entry for entry in found if not entry.why_not][:_MOST_COMMANDS]
        for entry in usable:
            link = _link(f"{entry.kind} › {entry.title}", entry.help)
            link.clicked.connect(partial(self._on_clicked, entry))
            self._add(link)
        if len(found) > len(usable):
            every = _link("More commands… (Ctrl+K)", "List all commands that fit the words")
            every.clicked.connect(lambda _checked=False: self.more_requested.emit())
            self._add(every)
        self.setVisible(bool(found))

    def _add(self, link: QToolButton) -> None:
        self._places.addWidget(link)
        self.links.append(link)

    def _on_clicked(self, entry: PaletteEntry, _checked: bool = False) -> None:
        self.chosen.emit(entry)


def _link(text: str, tip: str) -> QToolButton:
    """Return a button that looks like a line of the side panel and leads elsewhere."""
    link = tool_button(f"{text}  →", tip)
    link.setAccessibleName(f"Go to {text}")
    link.setProperty("role", "section")
    link.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return link


def _remove_links(places: QBoxLayout, links: list[QToolButton]) -> None:
    """Remove the links from a layout and from their list."""
    for link in links:
        places.removeWidget(link)
        link.hide()
        # A link is removed by its own click.
        link.deleteLater()
    links.clear()


class SidePanel(QWidget):
    """Side panel with a column of sections for each workspace, of which one is shown.

    Below it are the feet of the open sections: buttons that stay visible while the column scrolls. In a low window the
    feet scroll by themselves.
    """

    section_toggled = Signal(str, bool)
    """Name of a section that was opened or closed."""
    found_chosen = Signal(str, object)
    """Name of a section of another workspace that a search has found, and the hit in it."""
    content_built = Signal()
    """The content of a section was built: the panel may need another width."""
    palette_requested = Signal(str)
    """All commands for the words of the search are wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Side panel")
        self.columns: dict[str, SectionColumn] = {}
        self._pages = QStackedWidget()
        tip = "Settings of all workspaces, and commands; Enter goes there, arrows choose, Esc leaves (Ctrl+F)"
        self.search = SearchField("Find a setting", "Find a setting of any workspace", tip)
        self.search.textChanged.connect(self._on_search)
        self.search.installEventFilter(self)
        self.chosen_hit = ElidedLabel(role="muted")
        """Which of the hits Enter goes to."""
        self.chosen_hit.hide()
        self._hits: list[Hit] = []
        self._hits_elsewhere: list[Hit] = []
        """Hits of the other workspaces."""
        self._hit_row = 0
        self._found_frame: FoundFrame | None = None
        self._goes_to_first = False
        """Enter was pressed before the other pages were searched."""
        self._is_searching = False
        """Whether some sections were not searched yet."""
        self.outcome = SearchOutcome()
        self.outcome.chosen.connect(self._choose_elsewhere)
        self.outcome.cleared.connect(self._clear_search)
        self.find_commands: Callable[[str], Sequence[PaletteEntry]] = lambda _searched: ()
        """Returns the entries of the palette for a search."""
        self.commands = FoundCommands()
        self.commands.chosen.connect(self._run_command)
        self.commands.more_requested.connect(self._open_palette)
        self._titles: dict[str, str] = {}
        """Titles of the workspaces."""
        self._search_task: IncrementalTask | None = None
        self._opened_folds: list[FoldedSection] = []
        """Folded sections that the search has opened."""
        self.feet: dict[str, QWidget] = {}
        """Foot of each section that has one, by the section's name."""
        content = QWidget()
        self._feet = vertical(content, margins=0, spacing=0)
        # In a low window the feet scroll, so that no text of theirs is cut off. The buttons are at their end.
        self._foot = FittedScrollArea(content)
        self._foot.setObjectName("sideFoot")
        bar = self._foot.verticalScrollBar()
        bar.rangeChanged.connect(lambda _least, most: bar.setValue(most))
        self._foot.hide()
        found = (self.chosen_hit, self.outcome, self.commands)
        vertical(self, self.search, *found, (self._pages, 1), self._foot, margins=(4, 4, 0, 0), spacing=4)
        self.setMinimumWidth(_LEAST)
        self.setMaximumWidth(_MOST)

    def add_column(self, workspace: str, title: str, order: Sequence[str], *, is_exclusive: bool) -> None:
        """Add the empty column of a workspace, for sections with the names in ``order``."""
        self._titles[workspace] = title
        column = self.columns[workspace] = SectionColumn(order, is_exclusive=is_exclusive)
        self._pages.addWidget(column)

    def add_section(self, workspace: str, name: str, section: PanelSection) -> None:
        """Append a section to the column of a workspace."""
        self.columns[workspace].add(name, section)
        section.toggled.connect(partial(self.section_toggled.emit, name))
        section.toggled.connect(self._show_feet)
        if isinstance(section.content, LazyWidget):
            section.content.filled.connect(self.content_built)

    def set_foot(self, name: str, foot: QWidget) -> None:
        """Show ``foot`` below the column, where it does not scroll, while the section ``name`` is open there."""
        self.feet[name] = foot
        self._feet.addWidget(foot)
        self._show_feet()
        self.content_built.emit()

    def _show_feet(self, *_: object) -> None:
        """Show the feet of the open sections of the shown column."""
        column = self._pages.currentWidget()
        sections = column.sections if isinstance(column, SectionColumn) else {}
        shown = [name for name in self.feet if name in sections and sections[name].is_open]
        for name, foot in self.feet.items():
            foot.setVisible(name in shown)
        self._foot.setVisible(bool(shown))

    @property
    def sections(self) -> dict[str, PanelSection]:
        """All sections by name."""
        return {name: section for column in self.columns.values() for name, section in column.sections.items()}

    def show_column(self, workspace: str) -> None:
        """Show the column of a workspace."""
        self.search.clear()
        self._pages.setCurrentWidget(self.columns[workspace])
        self._show_feet()

    def reveal(self, workspace: str, name: str) -> None:
        """Open a section and scroll to it."""
        self.search.clear()
        column = self.columns[workspace]
        column.reveal(column.sections[name])

    def place_of(self, workspace: str) -> int:
        """Return where a workspace opens: at its top, or where the user has scrolled it.

        A scroll to a revealed section does not count.
        """
        column = self.columns[workspace]
        place = column.verticalScrollBar().value()
        return 0 if place == column.revealed else place

    def scroll_to(self, workspace: str, place: int) -> None:
        """Scroll the column of a workspace."""
        self.columns[workspace].verticalScrollBar().setValue(place)

    @property
    def entry(self) -> QWidget:
        """The part that takes the focus when the panel is shown: the sections, if there are any."""
        column = self._pages.currentWidget()
        return column if isinstance(column, SectionColumn) and column.sections else self

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(WIDTH, 400)

    @property
    def default_width(self) -> int:
        """Width at which nothing is cut off, and at least the usual one."""
        widths = [column.needed_width for column in self.columns.values()]
        needed = max((*widths, *(foot.minimumSizeHint().width() for foot in self.feet.values())), default=0) + 6
        return min(max(WIDTH, needed), _MOST)

    def _on_search(self, text: str) -> None:
        column = self._pages.currentWidget()
        if self._search_task is not None:
            self._search_task.stop()
            self._search_task.deleteLater()
            self._search_task = None
        self._fold_again()
        self._goes_to_first = self._is_searching = False
        self._hits_elsewhere = []
        if not isinstance(column, SectionColumn):
            return
        searched = " ".join(text.split())
        self._is_searching = bool(searched)
        self._show_commands(searched)
        self._filter(column, searched)
        self._choose_hit(0)
        if not searched or self._hits:
            self.outcome.hide()
        if searched:
            self._search_task = IncrementalTask(self._search_unseen(searched, column), self)
            self._search_task.begin(_PAUSE_MS if self._finds_setting else 0)
            if not self._hits:
                self.outcome.tell_searching()

    def _show_commands(self, searched: str) -> None:
        """Show the commands that the palette has for the words, without those that only open a section."""
        titles = {section.title for section in self.sections.values()}
        found = self.find_commands(searched) if searched else ()
        self.commands.show_found([entry for entry in found if entry.title not in titles])

    def _run_command(self, entry: PaletteEntry) -> None:
        self.search.clear()
        entry.run()

    def _open_palette(self) -> None:
        searched = self.search.text()
        self.search.clear()
        self.palette_requested.emit(searched)

    @property
    def _finds_setting(self) -> bool:
        return bool(self._hits) and self._hits[0].is_setting

    def _search_unseen(self, searched: str, column: SectionColumn) -> Iterator[None]:
        """Build and search the other sections of the page, then those of the other pages.

        They are built one by one: all at once would block the window.
        """
        unseen = [each for each in column.sections.values() if not each.is_built]
        for section in unseen:
            section.build()
            yield
        if unseen:
            self._filter_again(column, searched)
        if self._goes_to_first and self._finds_setting:
            self._go_to_hit()
            return
        found: list[Hit] = []
        links: dict[str, Hit] = {}
        others = [other for other in self.columns.values() if other is not column]
        for section in [each for other in others for each in other.sections.values()]:
            if not section.is_built:
                section.build()
            found += section.hits(searched)
            yield
        is_elsewhere = not self._hits
        self._hits_elsewhere = found
        self._is_searching = False
        self._filter_again(column, searched)
        if is_elsewhere:
            for hit in self._hits:
                links.setdefault(f"{self._titles[self._place(hit.section)[0]]} › {hit.section.title}", hit)
            self.outcome.tell(searched, links, has_commands=bool(self.commands.links))
        else:
            self.outcome.hide()
        if self._goes_to_first:
            self._enter()

    def _enter(self) -> None:
        """Go to the chosen hit, or list the commands where no setting is found."""
        if self._hits:
            self._go_to_hit()
        elif self.commands.links:
            self._open_palette()

    def _place(self, section: PanelSection) -> tuple[str, str]:
        """Return the workspace of a section, and its name."""
        return next(
            (workspace, name)
            for workspace, column in self.columns.items()
            for name, each in column.sections.items()
            if each is section
        )

    def _filter_again(self, column: SectionColumn, searched: str) -> None:
        """List the hits of more sections.

        A hit that was chosen stays chosen; before a choice it is the best one.
        """
        chosen = self._hits[self._hit_row].widget if self._hits else None
        self._filter(column, searched)
        rows = [row for row, hit in enumerate(self._hits) if self._hit_row and hit.widget is chosen]
        self._choose_hit(rows[0] if rows else 0)

    def _filter(self, column: SectionColumn, searched: str) -> None:
        """Show the sections of a column that have all words, and list the hits, the best first.

        The settings of the column are before those of the other workspaces, and all of them before texts and tables.
        """
        hits: list[Hit] = []
        for section in column.sections.values():
            of_section = section.hits(searched) if searched else []
            section.show_found(bool(of_section) if searched else None)
            for hit in of_section[:1]:
                self._unfold(hit)
            hits += of_section
        hits.sort(key=lambda hit: hit.order)
        hits += sorted(self._hits_elsewhere, key=lambda hit: hit.order)
        # The sort is stable: of each kind the hits of the column are first.
        self._hits = sorted(hits, key=lambda hit: not hit.is_setting)

    def _choose_hit(self, row: int) -> None:
        """Mark one of the hits and scroll to it, and say what Enter does."""
        if self._found_frame is not None and isValid(self._found_frame):
            self._found_frame.deleteLater()
        self._found_frame = None
        self._hit_row = row
        self.chosen_hit.setVisible(bool(self._hits))
        column = self._pages.currentWidget()
        if not self._hits or not isinstance(column, SectionColumn):
            return
        hit = self._hits[row]
        name = hit.name if hit.widget is hit.section.heading else f"{hit.section.title} › {hit.name}"
        workspace = self._place(hit.section)[0]
        is_here = column is self.columns[workspace]
        # With the section between them the name would be cut off.
        place = name if is_here else f"{self._titles[workspace]} › {hit.name}"
        so_far = " so far" if self._is_searching else ""
        # The title of a column may have two lines.
        self.chosen_hit.set_text(" ".join(f"{row + 1} of {len(self._hits)}{so_far}: {place} (Enter)".split()))
        if is_here:
            self._found_frame = self._show_hit(column, hit)

    def _show_hit(self, column: SectionColumn, hit: Hit) -> FoundFrame:
        """Unfold what is around a hit, scroll to it and frame it for some seconds."""
        self._unfold(hit)
        QApplication.sendEvent(column, QEvent(QEvent.Type.LayoutRequest))
        column.ensureWidgetVisible(hit.widget)
        return FoundFrame(hit.widget)

    def _go_to_hit(self) -> None:
        """Leave the search, open the section and the folds of the chosen hit, and give its field the focus."""
        hit = self._hits[self._hit_row]
        column = self._pages.currentWidget()
        if not isinstance(column, SectionColumn):
            return
        if not column.isAncestorOf(hit.section):
            self._choose_elsewhere(hit)
            return
        self.search.clear()
        hit.section.set_open(True)
        self._show_hit(column, hit)
        # What is opened here stays open.
        self._opened_folds.clear()
        focus_in_view(_control_of(hit), Qt.FocusReason.ShortcutFocusReason)

    def _choose_elsewhere(self, hit: Hit) -> None:
        self.found_chosen.emit(self._place(hit.section)[1], hit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle Enter and the arrow keys in the search field."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._on_search_key(event.key()):
            return True
        return super().eventFilter(watched, event)

    def _on_search_key(self, key: int) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if not self.search.text().strip():
            return False
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # A text does not do while a setting may still be found, unless it was chosen.
            if self._finds_setting or self._hit_row or not self._is_searching:
                self._enter()
            else:
                self._goes_to_first = True
        elif key in steps and self._hits:
            self._choose_hit((self._hit_row + steps[Qt.Key(key)]) % len(self._hits))
        else:
            return False
        return True

    def _clear_search(self) -> None:
        self.search.clear()
        self.search.setFocus()

    def mark_found(self, workspace: str, hit: Hit) -> None:
        """Go to what a search has found in an open section, and frame it for some seconds."""
        if not isValid(hit.widget):
            # Built again when it was shown.
            hit = replace(hit, widget=hit.section.heading)
        self._show_hit(self.columns[workspace], hit)
        self._opened_folds.clear()
        focus_in_view(_control_of(hit), Qt.FocusReason.ShortcutFocusReason)

    def _unfold(self, hit: Hit) -> None:
        for fold in _folds_around(hit.widget, hit.section.content):
            if not fold.is_open:
                fold.set_open(True)
                self._opened_folds.append(fold)

    def _fold_again(self) -> None:
        """Fold what the search before has opened."""
        folds, self._opened_folds = self._opened_folds, []
        for fold in filter(isValid, folds):
            fold.set_open(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the search on Esc."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            if self.search.hasFocus():
                self.entry.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().keyPressEvent(event)
