"""Notices of edits: drawn regions that plans do not protect; refused edits; deletions; undo and redo."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from firegui.domain.regions import Region, Ring
from firegui.domain.results import Metrics
from firegui.domain.settings import SETTING_TITLES
from firegui.fire.project_notes import Remedy, settled, unprotected_text
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.drop_edits import signed
from firegui.gui.session.session import Session
from firegui.gui.widgets.notice import OverlayNotice, PassingNotice

_UNDO_TIP, _REDO_TIP = "Take the edit back (Ctrl+Z)", "Repeat the edit (Ctrl+Shift+Z)"


class RegionNotice(OverlayNotice):
    """Notice that offers to protect drawn regions that no plan protects and the fire may reach.

    It goes when they are protected or deleted, or when it is closed. Then it does not come back for these regions until
    one of them changes or a plan protects it.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(QPushButton("Protect it"))
        self._session = session
        self._known: set[Region] = set()
        self._count = 0
        self._named: tuple[str, ...] = ()
        self._closed: frozenset[Region] = frozenset()
        """Regions that plans do not protect and whose notice the user has closed."""
        self.button.setToolTip("Change the goal: keep the fire small and out of the regions")
        self.button.clicked.connect(lambda _checked=False: self._protect())
        session.project_opened.connect(self._open)
        for signal in (session.regions_changed, session.plan_changed, session.result_changed):
            signal.connect(self._follow)
        self._open()

    def tell_all(self) -> None:
        """Name every region that plans do not protect, unless the notice was closed for all of them."""
        unprotected = self._unprotected
        if not unprotected <= self._closed:
            self._named = tuple(region.name for region in self._regions if region in unprotected)
            self._show()

    def dismiss(self) -> None:
        """Take the notice away; it does not come back for these regions as they are."""
        self._closed |= {region for region in self._unprotected if region.name in self._named}
        self._named = ()
        self._show()

    def _open(self) -> None:
        self._known, self._count = set(self._regions), len(self._regions)
        self._named, self._closed = (), frozenset()
        self._show()

    @property
    def _unprotected(self) -> frozenset[Region]:
        """Regions that plans do not protect, without those that the fire does not reach anyway."""
        if not self._session.has_project:
            return frozenset()
        names = {*self._session.project.unprotected_regions}.difference(self._session.unreached_regions)
        return frozenset(region for region in self._regions if region.name in names)

    @property
    def _regions(self) -> tuple[Region, ...]:
        return self._session.project.regions if self._session.has_project else ()

    def _follow(self) -> None:
        regions, unprotected = self._regions, self._unprotected
        # A renamed region is not a new one, nor is one that undo brings back.
        has_new = len(regions) > self._count
        added = {region.name for region in regions if has_new and region not in self._known}
        wanted = {*added, *self._named}
        self._named = tuple(region.name for region in regions if region in unprotected and region.name in wanted)
        self._known.update(regions)
        self._closed &= self._unprotected
        self._count = len(regions)
        self._show()

    def _show(self) -> None:
        self.button.setText("Protect them" if len(self._named) > 1 else "Protect it")
        self.show_text(unprotected_text(self._named) if self._named else "")

    def _protect(self) -> None:
        project = settled(self._session.project, Remedy.PROTECT)
        self._session.edit("protect the regions", project)
        self._session.message.emit(f"Plans now protect the regions. Goal: {SETTING_TITLES[project.plan.setting]}.")


class UnreachedNotice(OverlayNotice):
    """Notice of new regions that the fire without drops does not reach, once that fire is known.

    It tells of each region once, and again only after the fire has reached the region in between. It goes
    when the regions are deleted or reached, or when it is closed. Then it does not come back for these outlines.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(QPushButton("Delete it"))
        self._session = session
        self._known: set[str] = set()
        self._new: set[str] = set()
        self._told: dict[str, Region] = {}
        self._closed: set[tuple[tuple[Ring, ...], ...]] = set()
        """Outlines of regions whose notice the user has closed."""
        self._named: tuple[str, ...] = ()
        self.button.setToolTip(tooltip("Delete the regions that the notice names; Undo brings them back"))
        self.button.clicked.connect(lambda _checked=False: self._delete())
        session.project_opened.connect(self._open)
        session.regions_changed.connect(self._follow)
        session.result_changed.connect(self._judge)
        self._open()

    def dismiss(self) -> None:
        """Take the notice away; it does not come back for these regions."""
        self._closed |= {region.parts for region in self._regions if region.name in self._named}
        self._named = ()
        super().dismiss()

    def _open(self) -> None:
        self._known = {region.name for region in self._regions}
        self._new, self._told, self._closed, self._named = set(), {}, set(), ()
        super().dismiss()

    @property
    def _regions(self) -> tuple[Region, ...]:
        return self._session.project.regions if self._session.has_project else ()

    def _follow(self) -> None:
        regions = {region.name: region for region in self._regions}
        added, gone = regions.keys() - self._known, self._known - regions.keys()
        if len(regions) > len(self._known):
            # A region that undo brings back was told of; another one may have its name.
            back = {name for name in added if self._told.get(name) == regions[name]}
            self._told = {name: region for name, region in self._told.items() if name not in added - back}
            self._closed -= {regions[name].parts for name in added - back}
            self._new |= added
        elif len(added) == 1 and len(gone) == 1:
            self._rename(gone.pop(), added.pop())
        self._told |= {name: regions[name] for name in self._told if name in regions}
        self._known = set(regions)
        self._judge()

    def _rename(self, name: str, to: str) -> None:
        self._new = {to if each == name else each for each in self._new}
        self._told = {to if each == name else each: region for each, region in self._told.items()}
        self._named = tuple(to if each == name else each for each in self._named)

    def _judge(self) -> None:
        """Tell of the new regions that are not reached; take back what is no longer known to be true."""
        fire = self._session.no_drops_fire
        is_known = fire is not None and len(fire.fire) > 0
        new = {region.name: region for region in self._regions if region.name in self._new}
        unreached = self._session.unreached_regions
        missed = {name: region for name, region in new.items() if name in unreached}
        if is_known:
            self._told = {name: region for name, region in self._told.items() if name in missed or name not in new}
        kept = tuple(name for name in self._named if name in missed)
        is_due = {
            name for name, region in missed.items() if name not in self._told and region.parts not in self._closed
        }
        self._named = (*kept, *(name for name in missed if name in is_due))
        self._told |= missed
        self._show()

    def _show(self) -> None:
        names, many = " and ".join(self._named), len(self._named) > 1
        them = "them" if many else "it"
        self.button.setText(f"Delete {them}")
        said = f"The fire without drops does not reach {names}; protecting {them} changes nothing."
        self.show_text(said if names else "")

    def _delete(self) -> None:
        kept = tuple(region for region in self._regions if region.name not in self._named)
        self._session.set_regions(f"delete {', '.join(self._named)}", kept)


class RefusedEditNotice(PassingNotice):
    """Notice of why an edit on the map was refused. It goes after some seconds, and with the next edit."""

    def __init__(self, session: Session) -> None:
        super().__init__(role="warning")
        session.map_edit_refused.connect(self.tell)
        session.project_opened.connect(self.dismiss)
        session.undo_stack.indexChanged.connect(self._on_edit)

    def _on_edit(self, _index: int) -> None:
        self.dismiss()


class EditNotice(PassingNotice):
    """Notice of a deletion, or of an edit that was undone or done again, with the way back.

    After drops were removed it also says how the burned area changes, as soon as that is known. It goes after some
    seconds and with the next edit. It also goes when the map shows another plan, to which it does not belong.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(QPushButton("Undo"))
        self._session, self._at, self._redoes, self._plan = session, -1, False, ""
        self._before: Metrics | None = None
        """Fire before drops were removed, until the one after it is known."""
        self._computed_at = -1
        """Position on the undo stack of the latest edit whose fire is known."""
        self.button.setToolTip(tooltip(_UNDO_TIP))
        self.button.clicked.connect(lambda _checked=False: session.redo() if self._redoes else session.undo())
        session.deleted.connect(self._tell_deletion)
        session.undone.connect(lambda text: self._tell(f"Undone: {text}", redoes=True))
        session.redone.connect(lambda text: self._tell(f"Redone: {text}", redoes=False))
        session.project_opened.connect(self.dismiss)
        session.undo_stack.indexChanged.connect(self._on_edit)
        session.result_changed.connect(self._on_map)

    def _tell_deletion(self, text: str) -> None:
        self._tell(text, redoes=False)
        plan, result = self._session.plan_editor.plan, self._session.result
        # A replanned run's drops are edited on the simulated fire, which is another.
        is_same_fire = plan is not None and not plan.origin.fire
        if result.pending and is_same_fire and self._computed_at == self._at - 1:
            self._before = result.plan_metrics

    def _tell(self, text: str, *, redoes: bool) -> None:
        self._before = None
        self._at, self._redoes, self._plan = self._session.undo_stack.index(), redoes, self._plan_on_map
        self.button.setText("Redo" if redoes else "Undo")
        self.button.setToolTip(tooltip(_REDO_TIP if redoes else _UNDO_TIP))
        self.tell(text)

    @property
    def _plan_on_map(self) -> str:
        return "" if self._session.result.plan is None else self._session.result.title

    def _on_map(self) -> None:
        if self._plan and self._plan_on_map != self._plan:
            self.dismiss()
        result, before = self._session.result, self._before
        if result.pending:
            return
        self._computed_at, self._before = self._session.undo_stack.index(), None
        if before is not None and result.plan_metrics is not None and self.is_wanted:
            self.show_text(f"{self.label.text()} {self._difference(before, result.plan_metrics)}")

    def _difference(self, before: Metrics, after: Metrics) -> str:
        units, cell_ha = self._session.units, self._session.plan_editor.project.scenario.grid.cell_area_ha
        more = units.area_value((after.final_extent_cells - before.final_extent_cells) * cell_ha)
        return f"Burned at end: {signed(more)} {units.area_unit}."

    def _on_edit(self, index: int) -> None:
        if not self._session.result.pending:
            self._computed_at = index
        if index != self._at:
            self.dismiss()
