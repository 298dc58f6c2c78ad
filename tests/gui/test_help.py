"""Help: a page for every panel, opened by the focus, with links, a search, and a history."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.assets import resource
from firegui.gui.base.theme import Theme
from firegui.gui.help.help_view import FIRST, PAGES, HelpPage, HelpView, heading_anchor, read_pages, search_pages
from firegui.gui.window.action_registry import ACTIONS
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import PLACES
from tests.gui.hands import LEFT, show_widget
from tests.gui.shell_scene import settle

ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def view(qtbot: QtBot) -> HelpView:
    """Return the help view alone."""
    shown = HelpView()
    show_widget(qtbot, shown, 420, 500)
    return shown


# -- the pages ---------------------------------------------------------------------------------------------------------
def test_every_panel_has_a_page() -> None:
    topics = {name: ACTIONS[f"show_{name.lower()}"].topic for name in PLACES}
    assert set(topics.values()) <= set(PAGES)
    assert {name for name, topic in topics.items() if topic != name.lower()} == {"Compare", "Legend", "Result", "Start"}


def test_every_shipped_page_is_listed_and_says_something() -> None:
    shipped = {path.stem for path in resource("help").glob("*.md")}
    assert shipped == set(PAGES)
    for page in read_pages():
        assert page.markdown.startswith("#"), page.name
        assert len(page.plain) > 150, page.name


def test_pages_follow_what_the_window_shows() -> None:
    plain = {page.name: page.plain for page in read_pages()}
    # The window says rounds and the time left. How long a round takes depends on the computer.
    assert "how much time is left at most" in plain["calibrate"]
    assert not re.search(r"epoch|seconds", plain["calibrate"])
    assert "A replanned run keeps its fire" in plain["runs"]
    assert "firegui " not in plain["method"], "the method is that of the window, too"
    assert "the paper's network" not in plain["limits"]


def test_every_backslash_is_shown() -> None:
    with_keys = set[str]()
    for page in read_pages():
        text = re.sub(r"^```.*?^```|`[^`]*`", "", page.markdown, flags=re.MULTILINE | re.DOTALL)
        # A single backslash would escape the mark after it, or break the line at its end.
        assert "\\" not in text.replace(r"\\", ""), page.name
        if r"Ctrl+\\" in text:
            with_keys.add(page.name)
            document = QTextDocument()
            document.setMarkdown(page.markdown)
            assert "Ctrl+\\" in document.toPlainText() and "Ctrl+\\" in page.plain, page.name
        assert r"\\" not in page.plain, page.name
    assert with_keys == {"getting-started", "shortcuts", "tutorial"}


def test_every_link_leads_to_a_page_and_to_a_heading_that_is_there() -> None:
    pages = {page.name: page for page in read_pages()}
    for page in pages.values():
        for link in re.findall(r"(?<!!)\[[^\]]*\]\(([^)]+)\)", page.markdown):
            name, _, place = link.partition("#")
            target = name.removesuffix(".md") or page.name
            assert target in pages, f"{page.name}: {link}"
            headings = re.findall(r"^#+ (.+)$", pages[target].markdown, re.MULTILINE)
            assert not place or place in map(heading_anchor, headings), f"{page.name}: {link}"


def test_every_picture_is_shipped() -> None:
    for page in read_pages():
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.markdown):
            assert picture.startswith("pictures/"), f"{page.name}: {picture}"
            assert resource("help").joinpath(picture).is_file(), f"{page.name}: {picture}"


def test_every_page_is_in_one_group_and_the_list_shows_them_in_order(view: HelpView) -> None:
    assert len(set(PAGES)) == len(PAGES)
    listed = [view.contents.itemData(row) for row in range(view.contents.count())]
    assert [name for name in listed if name is not None] == list(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_into_a_narrow_dock(view: HelpView, page: str) -> None:
    view.resize(244, 500)
    view.show_page(page)
    settle()
    assert view.text.horizontalScrollBar().maximum() == 0


# -- F1 ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("title", ["Regions", "Fleet", "Calendar", "Objective", "Runs", "Layers", "Scenario"])
def test_f1_explains_the_panel_that_has_the_focus(window: MainWindow, title: str) -> None:
    window.workbench.show_panel(title)
    QTest.keyClick(window, Qt.Key.Key_F1)
    settle()
    assert window.workbench.help.page == title.lower()
    assert not window.workbench.panels["Help"].isHidden()
    assert not window.workbench.help.text.viewport().visibleRegion().isEmpty()
    word = {"Objective": "Goal", "Calendar": "Grounded days"}.get(title, title)
    assert word in window.workbench.help.text.toPlainText()


@pytest.mark.parametrize("title", ["Scenario", "Regions", "Objective", "Progress", "Runs"])
def test_the_page_and_the_panel_it_is_about_are_read_side_by_side(window: MainWindow, title: str) -> None:
    window.workbench.show_panel(title)
    window.setFocus()
    assert (window.width(), window.height()) == (1280, 800)
    window.workbench.guide.show_page("tutorial")
    settle()
    panel = window.workbench.panels[title]
    assert panel is not None and panel.visibleRegion().boundingRect().height() >= 150
    seen = window.workbench.help.text.viewport().visibleRegion().boundingRect()
    assert seen.width() >= 220 and seen.height() >= 200
    assert window.workbench.help.visibleRegion().boundingRect().width() == window.workbench.help.width()


def test_f1_on_the_map_explains_the_map(window: MainWindow) -> None:
    window.workbench.map.setFocus()
    QTest.keyClick(window, Qt.Key.Key_F1)
    assert window.workbench.help.page == "map"


# -- going about -------------------------------------------------------------------------------------------------------
def test_a_link_leads_on_and_the_keys_lead_back_and_forward(view: HelpView) -> None:
    assert view.page == FIRST
    assert not view.button("back").isEnabled()
    view.text.anchorClicked.emit(QUrl("regions.md"))
    view.text.anchorClicked.emit(QUrl("objective.md"))
    assert view.page == "objective"
    QTest.keyClick(view.text, Qt.Key.Key_Left, ALT)
    assert view.page == "regions"
    QTest.mouseClick(view.button("back"), LEFT)
    assert view.page == FIRST
    QTest.keyClick(view.text, Qt.Key.Key_Right, ALT)
    assert view.page == "regions"
    QTest.keyClick(view.text, Qt.Key.Key_Home, ALT)
    assert view.page == FIRST
    assert not view.button("forward").isEnabled()


def test_a_link_is_clicked_with_the_mouse(qtbot: QtBot, view: HelpView) -> None:
    spot = next(
        spot
        for y in range(0, view.text.viewport().height(), 4)
        for x in range(0, view.text.viewport().width(), 4)
        if view.text.anchorAt(spot := view.text.viewport().rect().topLeft() + type(view.pos())(x, y)) == "limits.md"
    )
    QTest.mouseClick(view.text.viewport(), LEFT, pos=spot)
    assert view.page == "limits"


def test_a_link_leads_to_a_heading_of_another_page_and_of_its_own(view: HelpView) -> None:
    view.show_page("extend-fire-model")
    view.text.anchorClicked.emit(QUrl("files.md#maps"))
    assert view.page == "files"
    down = view.text.verticalScrollBar().value()
    assert down > 0
    top = view.text.cursorForPosition(QPoint(20, 12)).block()
    assert top.text() == "Maps"
    view.text.anchorClicked.emit(QUrl("#fleet"))
    assert view.page == "files"
    assert view.text.verticalScrollBar().value() < down
    assert not view.text.go_to("no-such-heading")


def test_pictures_fit_the_dock_and_grow_with_it(qtbot: QtBot, view: HelpView) -> None:
    view.show_page("tutorial")
    url = QUrl("pictures/demo.png")
    image = QTextDocument.ResourceType.ImageResource.value

    def width() -> int:
        picture = view.text.document().resource(image, url)
        assert isinstance(picture, QImage)
        return round(picture.width() / picture.devicePixelRatio())

    view.text.document().resource(image, url)
    narrow = width()
    assert 0 < narrow <= view.text.viewport().width()
    view.text.verticalScrollBar().setValue(view.text.verticalScrollBar().maximum())
    view.resize(700, 500)
    qtbot.waitUntil(lambda: width() > narrow)
    assert width() <= view.text.viewport().width()
    assert view.text.verticalScrollBar().value() > 0, "the page jumps to its beginning when the dock is drawn wider"


@pytest.mark.parametrize(
    "name", ["file:///etc/hostname", "https://example.org/a.png", "../icons/firegui.png", "pictures"]
)
def test_nothing_but_a_picture_of_the_help_is_loaded(view: HelpView, name: str) -> None:
    assert view.text.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name)) is None


def test_the_search_finds_pages_that_hold_every_word_and_enter_or_a_click_opens_one(view: HelpView) -> None:
    QTest.keyClick(view.text, Qt.Key.Key_F, CTRL)
    QTest.keyClicks(view.search, "payload gallons")
    assert view.hits.item(0).text().splitlines()[0] == "Fleet"
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert view.page == "fleet"
    assert view.search.text() == "payload gallons"
    assert view.text.extraSelections()
    QTest.keyClick(view.text, Qt.Key.Key_Left, ALT)
    assert view.page == FIRST
    assert view.search.text() == "" and not view.text.extraSelections()
    QTest.keyClicks(view.search, "grounded days toggle")
    item = view.hits.item(0)
    assert "Grounded days" in item.text()
    QTest.mouseClick(view.hits.viewport(), LEFT, pos=view.hits.visualItemRect(item).center())
    assert view.page == "calendar"


def test_enter_opens_the_best_page_at_the_found_words_which_are_marked(view: HelpView) -> None:
    QTest.keyClick(view.text, Qt.Key.Key_F, CTRL)
    QTest.keyClicks(view.search, "worst case")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert view.search.text() == "worst case"
    marks = [mark.cursor.selectedText().lower() for mark in view.text.extraSelections()]
    assert marks and set(marks) == {"worst case"}
    shown = view.text.viewport().rect()
    places = [view.text.cursorRect(mark.cursor) for mark in view.text.extraSelections()]
    assert any(shown.contains(place) for place in places), "a found place is in view"
    QTest.keyClick(view.text, Qt.Key.Key_F, CTRL)
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert view.hits.isVisible(), "Enter lists the pages again"


def test_titles_come_before_headings_and_headings_before_the_text() -> None:
    def page(name: str, markdown: str) -> HelpPage:
        return HelpPage(name, markdown.splitlines()[0].lstrip("# "), markdown)

    pages = [
        page("apart", "# One\n\nthe worst of them in any case"),
        page("body", "# Two\n\nthe worst case"),
        page("heading", "# Three\n\n## The case that is worst\n\nnothing"),
        page("title", "# Worst case\n\nnothing"),
        page("half", "# Worst\n\nnothing"),
    ]
    assert [hit.page.name for hit in search_pages("worst case", pages)] == ["title", "heading", "body", "apart"]
    changes = page("whats-new", "# New\n\nthe worst case, worst case and worst case")
    assert [hit.page.name for hit in search_pages("worst case", [changes, pages[1]])] == ["body", "whats-new"]


def test_a_search_for_what_is_nowhere_says_so(view: HelpView) -> None:
    QTest.keyClicks(view.search, "zeppelin")
    assert [view.hits.item(row).text() for row in range(view.hits.count())] == ["No page has all of these words."]
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert view.page == FIRST


def test_a_title_counts_more_than_a_word_in_passing() -> None:
    found = [each.page.name for each in search_pages("fleet", read_pages())]
    assert found[0] == "fleet"
    assert len(found) > 2


@pytest.mark.slow
def test_the_page_is_drawn_again_in_the_colours_of_another_theme(window: MainWindow) -> None:
    window.set_theme(Theme.DARK)
    window.workbench.guide.show_page("limits")
    dark = window.workbench.help.text.toHtml()
    window.set_theme(Theme.LIGHT)
    light = window.workbench.help.text.toHtml()
    window.set_theme(Theme.DARK)
    assert dark != light
    assert window.workbench.help.page == "limits"
