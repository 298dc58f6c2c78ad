"""Guided tour: every step frames an existing widget, and mouse and keyboard go through it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from firegui.gui.help.tour import TOUR_STEPS, Tour, TourStep, card_position, find_target
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import PLACES
from tests.gui.hands import LEFT
from tests.gui.shell_scene import settle, workbench


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """Return one window for all of these tests."""
    with workbench(tmp_path_factory.mktemp("tour")) as window:
        yield window


def test_the_tour_taken_from_the_start_page_runs_over_the_workbench(shared: MainWindow) -> None:
    shared.workbench.actions["start_page"].trigger()
    QTest.mouseClick(shared.start_page.button("tour"), LEFT)
    settle()
    tour = shared.workbench.guide.tour
    assert tour is not None and not shared.start_page.isVisible()
    target, middle = tour.target(), tour.framed.center()
    tour.end()
    settle()
    front = shared.childAt(middle)
    assert target is not None and front is not None and target.isAncestorOf(front)


@pytest.fixture
def tour(shared: MainWindow) -> Iterator[Tour]:
    """Return the tour at its first step, with every panel at its default place."""
    shared.reset_layout()
    shared.workbench.actions["tour"].trigger()
    settle()
    begun = shared.workbench.guide.tour
    assert begun is not None
    yield begun
    if shared.workbench.guide.tour is not None:
        shared.workbench.guide.tour.end()
    settle()


def test_the_tour_is_short_and_ends_with_a_plan() -> None:
    assert len(TOUR_STEPS) <= 6
    assert "plan" in TOUR_STEPS[-1].button


@pytest.mark.parametrize("step", TOUR_STEPS, ids=[step.title for step in TOUR_STEPS])
def test_the_widget_of_every_step_is_there(shared: MainWindow, step: TourStep) -> None:
    if step.panel:
        shared.workbench.show_panel(step.panel)
    assert find_target(shared, shared.workbench.shell.widget_of, step) is not None
    assert not step.panel or step.panel in PLACES


@pytest.mark.parametrize("step", [TourStep("", "", name="noSuchWidget"), TourStep("", "", panel="Nowhere")])
def test_a_step_about_a_widget_that_is_not_there_is_noticed(shared: MainWindow, step: TourStep) -> None:
    assert find_target(shared, shared.workbench.shell.widget_of, step) is None


def test_next_frames_one_widget_after_the_other_and_the_card_stays_clear_of_it(
    shared: MainWindow, tour: Tour, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[str] = []
    # The plan would ask for a folder.
    monkeypatch.setattr(shared.workbench.plan, "_save", lambda: False)
    for number, step in enumerate(TOUR_STEPS):
        assert tour.number == number
        assert tour.card.title.text() == step.title
        settle()
        target = tour.target()
        assert target is not None
        whole = QRect(target.mapTo(shared, QPoint(0, 0)), target.size()).intersected(shared.rect())
        assert whole.contains(tour.framed)
        assert not tour.framed.isEmpty(), step.title
        card = tour.card.geometry()
        assert shared.rect().contains(card)
        if target is not shared.workbench.map:
            assert not card.intersects(tour.framed), step.title
        if number == len(TOUR_STEPS) - 1:
            shared.workbench.guide.plan_requested.connect(lambda: planned.append("asked"))
        QTest.mouseClick(tour.card.next, LEFT)
    assert shared.workbench.guide.tour is None
    assert "asked" in planned


def test_the_keys_go_on_and_back_and_escape_ends_it(shared: MainWindow, tour: Tour) -> None:
    QTest.keyClick(tour, Qt.Key.Key_Right)
    QTest.keyClick(tour.card.next, Qt.Key.Key_Right)
    assert tour.number == 2
    QTest.keyClick(tour, Qt.Key.Key_Left)
    assert tour.number == 1
    QTest.keyClick(tour.card.next, Qt.Key.Key_Return)
    assert tour.number == 2
    QTest.keyClick(tour, Qt.Key.Key_Escape)
    assert shared.workbench.guide.tour is None
    assert not any(each.isVisible() for each in shared.findChildren(Tour))


def test_back_and_skip_with_the_mouse(shared: MainWindow, tour: Tour) -> None:
    assert not tour.card.back.isEnabled()
    QTest.mouseClick(tour.card.next, LEFT)
    QTest.mouseClick(tour.card.back, LEFT)
    assert tour.number == 0
    QTest.mouseClick(tour.card.skip, LEFT)
    assert shared.workbench.guide.tour is None


def test_tab_stays_in_the_card_and_no_key_reaches_the_window_behind(shared: MainWindow, tour: Tour) -> None:
    for _press in range(4):
        focus = shared.focusWidget()
        assert focus is not None and tour.card.isAncestorOf(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    QTest.keyClick(tour, Qt.Key.Key_Home)
    QTest.keyClick(tour, Qt.Key.Key_5)
    assert not shared.workbench.timeline.is_playing


def test_a_hidden_side_panel_is_brought_back_for_its_station(shared: MainWindow, tour: Tour) -> None:
    shared.workbench.shell.set_side_visible(False)
    number = next(number for number, step in enumerate(TOUR_STEPS) if step.panel == "Regions")
    tour.go(number)
    settle()
    assert shared.workbench.shell.is_side_visible
    assert not tour.framed.isEmpty()


def test_the_tour_follows_the_window_when_its_size_changes(shared: MainWindow, tour: Tour) -> None:
    tour.go(2)
    shared.resize(1100, 760)
    settle(10)
    assert tour.geometry() == shared.rect()
    target = tour.target()
    assert target is not None
    assert not tour.framed.isEmpty() and shared.rect().contains(tour.framed)
    shared.resize(1280, 800)
    settle(10)


@pytest.mark.parametrize(
    "frame",
    [QRect(0, 60, 260, 700), QRect(900, 60, 380, 400), QRect(300, 500, 900, 60), QRect(500, 40, 80, 30), QRect()],
    ids=["left", "right", "below", "button", "nothing"],
)
def test_the_card_is_beside_the_frame_and_in_the_window(frame: QRect) -> None:
    card, window = QSize(360, 150), QSize(1280, 800)
    box = QRect(card_position(frame, card, window), card)
    assert QRect(QPoint(0, 0), window).contains(box)
    assert not box.intersects(frame)


def test_where_nothing_is_open_the_demo_is_opened_first(qapp: QApplication, tmp_path: Path) -> None:
    with workbench(tmp_path, opened=False) as window:
        window.workbench.actions["tour"].trigger()
        assert window.workbench.session.project.scenario.synthetic
        assert not window.start_page.isVisible()
        assert window.workbench.guide.tour is not None
        window.workbench.guide.tour.end()


def test_the_tour_says_what_the_program_is_for_and_where_the_result_will_be() -> None:
    assert TOUR_STEPS[0].text.startswith("firegui plans where aircraft drop water and retardant on this fire.")
    assert "The result is then shown in Runs" in TOUR_STEPS[-1].text
