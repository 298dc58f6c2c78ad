"""The help in the window: pages, a search over all of them, and the way back and forward."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from firegui.gui.base.controls import tool_button
from firegui.gui.base.icons import icon
from firegui.gui.base.layouts import vertical
from firegui.gui.help.help_pages import FIRST, GROUPS, Page, look_for, read_pages
from firegui.gui.help.help_text import HelpText

_NAME = Qt.ItemDataRole.UserRole
_SIGNS = {"back": "‹", "forward": "›", "home": "⌂"}


class HelpView(QWidget):
    """Shows a page at a time. Links between pages are ``page.md`` or ``page.md#heading``; others open outside."""

    page_shown = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages: dict[str, Page] = {page.name: page for page in read_pages()}
        self._behind: list[str] = []
        self._ahead: list[str] = []
        self._name = ""
        self.text = HelpText()
        self.hits = QListWidget()
        self.search = QLineEdit(placeholderText="Search the help", clearButtonEnabled=True)
        self.contents = QComboBox()
        self._buttons: dict[str, QToolButton] = {}
        self._lay_out()
        self.text.anchorClicked.connect(self._follow)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._open_first_hit)
        self.hits.itemActivated.connect(self._open_hit)
        self.hits.itemClicked.connect(self._open_hit)
        self.contents.activated.connect(lambda _index: self.show_page(str(self.contents.currentData())))
        self.setFocusProxy(self.text)
        self.show_page(FIRST)

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self._name

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every page."""
        return tuple(self._pages.values())

    def button(self, name: str) -> QToolButton:
        """``back``, ``forward`` or ``home``."""
        return self._buttons[name]

    def show_page(self, name: str, place: str = "") -> None:
        """Show a page, at the heading called ``place``, and remember the one before.

        Raises ``KeyError`` for a name there is not.
        """
        page = self._pages[name]
        if name != self._name:
            if self._name:
                self._behind.append(self._name)
            self._ahead.clear()
        self._put(page)
        if place:
            self.text.go_to(place)

    def go_back(self) -> None:
        """Show the page before."""
        if self._behind:
            self._ahead.append(self._name)
            self._put(self._pages[self._behind.pop()])

    def go_forward(self) -> None:
        """Show the page one came back from."""
        if self._ahead:
            self._behind.append(self._name)
            self._put(self._pages[self._ahead.pop()])

    # -- showing -----------------------------------------------------------------------------------------------------
    def _put(self, page: Page) -> None:
        self._name = page.name
        self.search.clear()
        self.text.show_markdown(page.markdown)
        self._stack.setCurrentWidget(self.text)
        self.contents.setCurrentIndex(self.contents.findData(page.name))
        self._buttons["back"].setEnabled(bool(self._behind))
        self._buttons["forward"].setEnabled(bool(self._ahead))
        self.page_shown.emit(page.name)

    def _follow(self, link: QUrl) -> None:
        name = link.path().removesuffix(".md") or self._name
        if not link.scheme() and name in self._pages:
            self.show_page(name, link.fragment())
        elif link.scheme() in ("http", "https"):
            QDesktopServices.openUrl(link)

    def _search(self, words: str) -> None:
        if not words.strip():
            self._stack.setCurrentWidget(self.text)
            return
        self.hits.clear()
        for found in look_for(words, self.pages):
            item = QListWidgetItem(f"{found.page.title}\n{found.excerpt}")
            item.setData(_NAME, found.page.name)
            self.hits.addItem(item)
        if not self.hits.count():
            item = QListWidgetItem("No page has all of these words.")
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.hits.addItem(item)
        self.hits.setCurrentRow(0)
        self._stack.setCurrentWidget(self.hits)

    def _open_first_hit(self) -> None:
        if self._stack.currentWidget() is self.hits and self.hits.currentItem() is not None:
            self._open_hit(self.hits.currentItem())

    def _open_hit(self, item: QListWidgetItem) -> None:
        name = item.data(_NAME)
        if isinstance(name, str):
            self.show_page(name)
            self.text.setFocus()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        row = QHBoxLayout()
        for name, tip, keys, pressed in (
            ("back", "The page before (Alt+Left)", "Alt+Left", self.go_back),
            ("forward", "The next page again (Alt+Right)", "Alt+Right", self.go_forward),
            ("home", "The first page (Alt+Home)", "Alt+Home", lambda: self.show_page(FIRST)),
        ):
            button = self._buttons[name] = tool_button("", tip)
            button.setAccessibleName(tip.split(" (")[0])
            button.setIconSize(QSize(18, 18))
            button.clicked.connect(lambda _checked=False, pressed=pressed: pressed())
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(pressed)
            row.addWidget(button)
        self.contents.setAccessibleName("Pages of the help")
        self.contents.setToolTip("Every page of the help")
        self.contents.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.contents.setMinimumContentsLength(10)
        for group in GROUPS:
            if self.contents.count():
                self.contents.insertSeparator(self.contents.count())
            for name in group:
                self.contents.addItem(self._pages[name].title, name)
        self.search.setAccessibleName("Search the help")
        self.search.setToolTip("Pages that hold every word typed; Enter opens the first (Ctrl+F)")
        row.addWidget(self.contents, 1)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.search.setFocus)
        self._stack = self._make_stack()
        column = vertical(self, row, margins=6)
        # On a line of its own: the column beside the map is narrow.
        column.addWidget(self.search)
        column.addWidget(self._stack, 1)
        self._dress()

    def _make_stack(self) -> QStackedWidget:
        self.hits.setAccessibleName("Pages found")
        self.hits.setToolTip("Click or Enter opens a page")
        self.hits.setWordWrap(True)
        self.hits.setSpacing(2)
        stack = QStackedWidget()
        stack.addWidget(self.text)
        stack.addWidget(self.hits)
        return stack

    def _dress(self) -> None:
        for name, button in self._buttons.items():
            picture = icon(f"page-{name}")
            button.setIcon(picture)
            button.setText(_SIGNS[name] if picture.isNull() else "")

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme: a text browser keeps the colours that it was filled with."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._name:
            self._dress()
            self.text.redress()
