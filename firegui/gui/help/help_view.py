"""Help in the window: pages, a search over all pages, and history buttons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QImage,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QTextBrowser,
    QTextEdit,
    QToolButton,
    QWidget,
)

from firegui.assets import resource
from firegui.gui.base.controls import add_shortcut, tool_button
from firegui.gui.base.icons import icon
from firegui.gui.base.layouts import vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors
from firegui.gui.widgets.fields import narrow_combo

FIRST = "getting-started"
_FIRST_SIZE = QSize(640, 480)
GROUPS: tuple[tuple[str, ...], ...] = (
    (FIRST, "tutorial", "bear-2020", "start-page", "shortcuts", "help", "whats-new"),
    (
        "map", "drops", "scenario", "layers", "regions", "values", "barriers", "fleet", "bases", "calendar",
        "objective", "constraints", "timeline", "progress", "runs", "log", "skill", "calibrate", "sensitivity",
        "stress", "margin", "exercise", "uncertainty", "benchmark", "study", "fleet-value", "import", "export",
    ),
    (
        "method", "method-fire", "method-physical", "method-drops", "method-search", "method-pruning",
        "method-uncertainty", "limits",
    ),
    ("conventions", "files", "command-line", "from-python", "devices", "troubleshooting"),
    ("extend-planner", "extend-fire-model", "extend-importer"),
)  # fmt: skip
"""Pages in their order: first steps, panels, method, reference, and extending firegui."""
PAGES = tuple(name for group in GROUPS for name in group)
_MARKS = re.compile(r"[*_`#>|]|\\(?=\\)|!?\[(?P<text>[^\]]*)\]\([^)]*\)")
_AROUND = 60
_MARGIN = 8
_SETTLED_MS = 80
_ABOVE_HEADING, _AROUND_CODE = 14, 6
_NO_WORD = re.compile(r"[^\w\s-]")
_NAME = Qt.ItemDataRole.UserRole
_SIGNS = {"back": "‹", "forward": "›", "home": "⌂"}


@dataclass(frozen=True, slots=True)
class HelpPage:
    """One page: ``name`` is the name of its file, ``title`` its first heading."""

    name: str
    title: str
    markdown: str

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings below the title."""
        lines = (line for line in self.markdown.splitlines() if line.startswith("##"))
        return tuple(line.lstrip("# ").strip() for line in lines)

    @property
    def plain(self) -> str:
        """The text without Markdown marks, on one line."""
        bare = _MARKS.sub(lambda match: match["text"] or "", self.markdown)
        return " ".join(bare.split())


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Page with every word of a search, and the text around them."""

    page: HelpPage
    excerpt: str


def read_page(name: str) -> HelpPage:
    """Read one page. Raises :class:`~firegui.errors.FireguiError` if it is not installed."""
    text = resource(f"help/{name}.md").read_text(encoding="utf-8")
    first = next((line for line in text.splitlines() if line.startswith("#")), name)
    return HelpPage(name, first.lstrip("# ").strip(), text)


@cache
def read_pages() -> tuple[HelpPage, ...]:
    """Read every page, in order."""
    return tuple(read_page(name) for name in PAGES)


def search_pages(words: str, pages: Sequence[HelpPage]) -> list[SearchHit]:
    """Return the pages that contain all ``words``, by their rank.

    It is 0 where the words are in the title, 1 in one heading, 2 next to each other in the text, 3 elsewhere in it. Of
    pages of equal rank, those with more of the words in the title, and then those with the words more often, come
    first; the pages of first steps, which tell a story, come last.
    """
    wanted = words.lower().split()
    found: list[tuple[tuple[int, int, bool, int], SearchHit]] = []
    for page in pages:
        plain = page.plain
        lower, title = plain.lower(), page.title.lower()
        if all(word in lower or word in title for word in wanted):
            phrase = " ".join(wanted)
            if has_all(title, wanted):
                rank = 0
            elif any(has_all(heading, wanted) for heading in page.headings):
                rank = 1
            else:
                rank = 2 if phrase in lower else 3
            in_title = sum(word in title for word in wanted)
            often = lower.count(phrase) if phrase in lower else min(lower.count(word) for word in wanted)
            order = (rank, -in_title, page.name in GROUPS[0], -often)
            found.append((order, SearchHit(page, _excerpt(plain, wanted))))
    return [each for _order, each in sorted(found, key=lambda pair: pair[0])]


def has_all(text: str, wanted: Sequence[str]) -> bool:
    """Return whether ``text`` contains every one of the words, which are in lower case."""
    lower = text.lower()
    return all(word in lower for word in wanted)


def _excerpt(plain: str, wanted: Sequence[str]) -> str:
    lower = plain.lower()
    places = [lower.find(each) for each in (" ".join(wanted), *wanted)]
    at = next((place for place in places if place >= 0), 0)
    start, end = max(at - _AROUND // 2, 0), at + _AROUND
    return f"{'…' if start else ''}{plain[start:end].strip()}{'…' if end < len(plain) else ''}"


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading: its words in lower case, joined by dashes."""
    return "-".join(_NO_WORD.sub("", heading.lower()).split())


class HelpText(QTextBrowser):
    """Text of a page: Markdown with pictures as wide as the help; :class:`HelpView` follows its links."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, openLinks=False)
        self._markdown, self._marked = "", ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Help")
        self.setToolTip("Click a link to go to its page")
        self.document().setDocumentMargin(_MARGIN)
        self.document().setIndentWidth(24)
        # Pictures are drawn for the width of the text. They are redrawn when the help is no longer being resized.
        self._resized = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._resized.timeout.connect(self.redraw)

    def show_markdown(self, markdown: str, marked: str = "") -> None:
        """Show a page from its beginning, with the words of ``marked`` highlighted."""
        self._markdown, self._marked = markdown, marked
        self.setMarkdown(markdown)
        self._format()
        self._mark_words()

    def go_to_words(self) -> None:
        """Scroll to the place that fits the highlighted words best.

        That is the first heading with all of them, else the first place where they follow each other, else the first
        paragraph with all of them, else the first of them.
        """
        wanted = self._marked.lower().split()
        blocks = list(self._blocks())
        best = (
            next((block for block in self._headings() if has_all(block.text(), wanted)), None)
            or next((block for block in blocks if " ".join(wanted) in block.text().lower()), None)
            or next((block for block in blocks if has_all(block.text(), wanted)), None)
            or next((block for block in blocks if any(word in block.text().lower() for word in wanted)), None)
        )
        if best is not None:
            self._scroll_to(best)

    def _mark_words(self) -> None:
        """Highlight the words of the search; only where they follow each other, if they do anywhere."""
        wanted = self._marked.lower().split()
        phrase = " ".join(wanted)
        if any(phrase in block.text().lower() for block in self._blocks()):
            wanted = [phrase]
        colors, marks = current_colors(), []
        for word in filter(None, wanted):
            cursor = self.document().find(word)
            while not cursor.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = cursor
                mark.format.setBackground(QColor(colors.warning))
                mark.format.setForeground(QColor(colors.window))
                marks.append(mark)
                cursor = self.document().find(word, cursor)
        self.setExtraSelections(marks)

    def _scroll_to(self, block: QTextBlock) -> None:
        top = self.document().documentLayout().blockBoundingRect(block).top()
        self.verticalScrollBar().setValue(int(top))

    def go_to(self, place: str) -> bool:
        """Scroll to the heading with the anchor ``place``; return whether there is one."""
        found = next((block for block in self._headings() if heading_anchor(block.text()) == place), None)
        if found is not None:
            self._scroll_to(found)
        return found is not None

    def redraw(self) -> None:
        """Draw the page again at the same position: a text browser keeps the colours it was filled with."""
        bar = self.verticalScrollBar()
        stood = bar.value() / max(bar.maximum(), 1)
        self.show_markdown(self._markdown, self._marked)
        bar.setValue(round(stood * bar.maximum()))

    # -- pictures ----------------------------------------------------------------------------------------------------
    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return a picture of the help, scaled down if the help is narrower. Nothing else is loaded."""
        path = QUrl(name).path()
        if kind != QTextDocument.ResourceType.ImageResource.value or not path.startswith("pictures/"):
            return None
        image, ratio = QImage(str(resource("help") / path)), self.devicePixelRatioF()
        room = round(self._room() * ratio)
        if image.width() > room:
            image = image.scaledToWidth(max(room, 1), Qt.TransformationMode.SmoothTransformation)
            image.setDevicePixelRatio(ratio)
        return image

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the pictures of the page to another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and "](pictures/" in self._markdown:
            self._resized.start()

    def _room(self) -> int:
        # The scroll bar is always counted, or pictures would change size in a loop.
        return self.width() - self.verticalScrollBar().sizeHint().width() - 2 * _MARGIN - 2

    # -- blocks ------------------------------------------------------------------------------------------------------
    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _headings(self) -> Iterator[QTextBlock]:
        return (block for block in self._blocks() if block.blockFormat().headingLevel() > 0)

    def _format(self) -> None:
        """Set background and line breaks of code, and thin lines for tables."""
        ground = self.palette().brush(QPalette.ColorRole.AlternateBase)
        for block in self._blocks():
            form = block.blockFormat()
            if form.headingLevel() > 0 and block.blockNumber() > 0:
                form.setTopMargin(_ABOVE_HEADING)
            elif _is_code(block):
                form.setBackground(ground)
                form.setNonBreakableLines(False)
                form.setTopMargin(0 if _is_code(block.previous()) else _AROUND_CODE)
                form.setBottomMargin(0 if _is_code(block.next()) else _AROUND_CODE)
            else:
                continue
            QTextCursor(block).setBlockFormat(form)
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                lines = frame.format().toTableFormat()
                lines.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
                lines.setBorderBrush(self.palette().brush(QPalette.ColorRole.Mid))
                frame.setFormat(lines)

    def minimumSizeHint(self) -> QSize:
        """Let the help be made narrow."""
        return QSize(120, 80)


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence.value)


class HelpView(QWidget):
    """View of one help page.

    Links between pages are ``page.md`` or ``page.md#heading``. Other links open in the browser.
    """

    page_shown = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages: dict[str, HelpPage] = {page.name: page for page in read_pages()}
        self._behind: list[str] = []
        self._ahead: list[str] = []
        self._name = ""
        self.text = HelpText()
        self.hits = QListWidget()
        self.search = QLineEdit(placeholderText="Search the help", clearButtonEnabled=True)
        self.contents = narrow_combo("Contents", "helpContents")
        self._buttons: dict[str, QToolButton] = {}
        self._lay_out()
        self.text.anchorClicked.connect(self._follow)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._open_first_hit)
        self.hits.itemActivated.connect(self._open_hit)
        self.hits.itemClicked.connect(self._open_hit)
        self.contents.activated.connect(lambda _index: self.show_page(str(self.contents.currentData())))
        self.setFocusProxy(self.text)
        # The text would not begin at its top if it was laid out in a few pixels before.
        self.resize(_FIRST_SIZE)
        self.show_page(FIRST)

    # -- pages ---------------------------------------------------------------------------------------------------------
    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self._name

    @property
    def pages(self) -> tuple[HelpPage, ...]:
        """Every page."""
        return tuple(self._pages.values())

    def button(self, name: str) -> QToolButton:
        """Return the button ``back``, ``forward`` or ``home``."""
        return self._buttons[name]

    def show_page(self, name: str, place: str = "", *, found: str = "") -> None:
        """Show a page, at the heading with the anchor ``place``, or at the words ``found`` by a search.

        Raises ``KeyError`` for an unknown name.
        """
        page = self._pages[name]
        if name != self._name:
            if self._name:
                self._behind.append(self._name)
            self._ahead.clear()
        self._set_page(page, found)
        if place:
            self.text.go_to(place)
        elif found:
            self.text.go_to_words()

    def go_back(self) -> None:
        """Show the previous page."""
        if self._behind:
            self._ahead.append(self._name)
            self._set_page(self._pages[self._behind.pop()])

    def go_forward(self) -> None:
        """Show the page that was left with :meth:`go_back`."""
        if self._ahead:
            self._behind.append(self._name)
            self._set_page(self._pages[self._ahead.pop()])

    # -- showing -----------------------------------------------------------------------------------------------------
    def _set_page(self, page: HelpPage, found: str = "") -> None:
        self._name = page.name
        if not found:
            self.search.clear()
        self.text.show_markdown(page.markdown, found)
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
        for hit in search_pages(words, self.pages):
            item = QListWidgetItem(f"{hit.page.title}\n{hit.excerpt}")
            item.setData(_NAME, hit.page.name)
            self.hits.addItem(item)
        if not self.hits.count():
            item = QListWidgetItem("No page has all of these words.")
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.hits.addItem(item)
        self.hits.setCurrentRow(0)
        self._stack.setCurrentWidget(self.hits)

    def _open_first_hit(self) -> None:
        if self._stack.currentWidget() is not self.hits:
            # The words of the last search are still there: list its pages again.
            self._search(self.search.text())
        elif self.hits.currentItem() is not None:
            self._open_hit(self.hits.currentItem())

    def _open_hit(self, item: QListWidgetItem) -> None:
        name = item.data(_NAME)
        if isinstance(name, str):
            self.show_page(name, found=self.search.text())
            self.text.setFocus()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        row = QHBoxLayout()
        for name, tip, keys, pressed in (
            ("back", "Previous page (Alt+Left)", "Alt+Left", self.go_back),
            ("forward", "Next page (Alt+Right)", "Alt+Right", self.go_forward),
            ("home", "First page (Alt+Home)", "Alt+Home", lambda: self.show_page(FIRST)),
        ):
            button = self._buttons[name] = tool_button("", tip)
            button.setAccessibleName(tip.split(" (")[0])
            button.setIconSize(QSize(18, 18))
            button.clicked.connect(lambda _checked=False, pressed=pressed: pressed())
            add_shortcut(self, keys, pressed, below=True)
            row.addWidget(button)
        self.contents.setAccessibleName("Pages of the help")
        self.contents.setToolTip("Every page of the help")
        for group in GROUPS:
            if self.contents.count():
                self.contents.insertSeparator(self.contents.count())
            for name in group:
                self.contents.addItem(self._pages[name].title, name)
        self.search.setAccessibleName("Search the help")
        self.search.setToolTip(
            tooltip("Pages that hold every word typed; Enter opens the first, Enter here again lists them (Ctrl+F)")
        )
        row.addWidget(self.contents, 1)
        add_shortcut(self, QKeySequence(QKeySequence.StandardKey.Find), self.search.setFocus, below=True)
        self._stack = self._make_stack()
        # The search has a line of its own, because the column next to the map is narrow.
        vertical(self, row, self.search, (self._stack, 1), margins=6)
        self._update_icons()

    def _make_stack(self) -> QStackedWidget:
        self.hits.setAccessibleName("Pages found")
        self.hits.setToolTip("Click or Enter opens a page")
        self.hits.setWordWrap(True)
        self.hits.setSpacing(2)
        stack = QStackedWidget()
        stack.addWidget(self.text)
        stack.addWidget(self.hits)
        return stack

    def _update_icons(self) -> None:
        for name, button in self._buttons.items():
            picture = icon(f"page-{name}")
            button.setIcon(picture)
            button.setText(_SIGNS[name] if picture.isNull() else "")

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme: a text browser keeps the colours it was filled with."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._name:
            self._update_icons()
            self.text.redraw()
