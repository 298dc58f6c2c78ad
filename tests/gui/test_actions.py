"""The registry of actions is complete in menus, the page of shortcuts and the help."""

from __future__ import annotations

from firegui.assets import resource
from firegui.gui.help.help_view import PAGES
from firegui.gui.window.action_registry import ACTIONS, GROUPS, MENUS, START_PAGE, SUBMENUS, TOOL_BAR, shortcuts_page
from firegui.gui.window.actions import STAGES
from firegui.gui.window.workspaces import PLACES
from firegui.runs.run_requests import STAGE_TITLES


def test_the_page_of_shortcuts_is_the_one_made_from_the_registry() -> None:
    shipped = resource("help/shortcuts.md").read_text(encoding="utf-8")
    assert shipped == shortcuts_page(), "run python -m firegui.gui.window.action_registry > resources/help/shortcuts.md"


def test_every_action_can_be_reached_and_has_a_page_of_the_help() -> None:
    in_menus = {name for names in MENUS.values() for name in names if name}
    in_submenus = {name for name in ACTIONS if ACTIONS[name].group in SUBMENUS}
    in_submenus |= {name for names in GROUPS.values() for name in names}
    panels = {f"show_{name.lower()}" for name in PLACES}
    assert in_menus | in_submenus | panels | {name for name in TOOL_BAR if name} == set(ACTIONS) | set(SUBMENUS)
    assert {spec.topic for spec in ACTIONS.values()} <= set(PAGES)
    assert {choice.action for choices in START_PAGE.values() for choice in choices} <= set(ACTIONS)


def test_stages_are_called_the_same_in_the_menu_and_in_the_form() -> None:
    for name, stages in STAGES.items():
        spec = ACTIONS[f"stages:{name}"]
        assert (spec.text, spec.help) == STAGE_TITLES[stages]


def test_a_panel_has_one_name_on_its_heading_in_menus_and_in_the_palette() -> None:
    titles = {name: (place.title, ACTIONS[f"show_{name.lower()}"].title) for name, place in PLACES.items()}
    different = {name: pair for name, pair in titles.items() if pair[0] != pair[1]}
    # The command that opens the dialog is called Export: the palette would have two entries of that name.
    assert different == {"Export": ("Export", "Files to hand over")}


def test_the_page_of_a_panel_has_its_name() -> None:
    topics = {name: ACTIONS[f"show_{name.lower()}"].topic for name in PLACES}
    own = {name: topic for name, topic in topics.items() if topic == name.lower()}
    heads = {
        name: resource(f"help/{topic}.md").read_text(encoding="utf-8").split("\n")[0] for name, topic in own.items()
    }
    different = {name: head for name, head in heads.items() if head != f"# {PLACES[name].title}"}
    assert different == {
        "Margin": "# How much must hold", "Drops": "# Drops",
    }, "these pages are on more than their panel"  # fmt: skip
