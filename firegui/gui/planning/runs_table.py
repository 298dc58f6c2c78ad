"""The list of runs as a table."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from firegui.gui.base.number_text import duration, number
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.jobs.saved_runs import kept_plan
from firegui.runs.events import FinishReason
from firegui.runs.messages import counted

Index = QModelIndex | QPersistentModelIndex

TITLE, STATE, PROGRESS, ELAPSED, ETA, BEST, DROPS = range(7)
HEADERS = ("Run", "State", "Progress", "Elapsed", "ETA", "Best", "Drops")
_TIPS = (
    "Objective and time of start; the run on screen is in bold, one with notes has a pencil",
    "",
    "First stage: epochs done of those asked for. Second: its pass, and the drops decided of those to test. Tactical "
    "heuristic: passes done",
    "Time it has worked",
    "Time left at the pace of late; with a + nobody can tell how much follows (see the run's tooltip)",
    "Best objective of the first stage, or of the tactical heuristic, at design effectiveness",
    "Executed drops of the kept plan",
)
_NOTE_LETTERS = 80
PROGRESS_ROLE = Qt.ItemDataRole.UserRole + 1
"""``(share, text, colour, time, what follows the time)`` for the bar."""


class RunsModel(QAbstractTableModel):
    """One row a run, the newest first. Repaints the rows in place while the runs stay the same."""

    def __init__(self, queue: RunQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._rows: tuple[RunEntry, ...] = tuple(reversed(queue.entries))
        queue.changed.connect(self.refresh)
        queue.shown_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Take over what the queue has."""
        rows = tuple(reversed(self._queue.entries))
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HEADERS) - 1))

    def entry(self, row: int) -> RunEntry | None:
        """The run in a row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, entry: RunEntry) -> int:
        """The row of a run; −1 when it is not listed."""
        return self._rows.index(entry) if entry in self._rows else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """One row a run."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """One column a heading."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What stands above a column or beside a row, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section] or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows, in the given role."""
        entry = self.entry(index.row())
        if entry is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(entry, index.column())
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(index.column())
            case Qt.ItemDataRole.ForegroundRole if index.column() == STATE:
                return QColor(_state_color(entry))
            case Qt.ItemDataRole.FontRole if index.column() == TITLE and entry is self._queue.shown:
                font = QFont()
                font.setBold(True)
                return font
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(entry)
            case role if role == PROGRESS_ROLE and index.column() == PROGRESS:
                return entry.progress, _progress_text(entry), _bar_color(entry), *_time_text(entry)
        return None

    @staticmethod
    def _text(entry: RunEntry, column: int) -> str:
        match column:
            case 0:
                return f"✎ {entry.title}" if entry.notes.strip() else entry.title
            case 1:
                return f"⚠ {entry.status}" if entry.stale else entry.status
            case 2:
                return _progress_text(entry)
            case 3:
                return duration(entry.elapsed)
            case 4:
                return _eta_text(entry)
            case 5:
                return number(entry.best)
            case _:
                return "–" if entry.drops is None else f"{entry.drops:,}"


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column >= ELAPSED else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _progress_text(entry: RunEntry) -> str:
    if entry.tactical:
        return _passes_text(entry)
    if not entry.prunes:
        return f"{entry.epoch:,}/{entry.epochs:,}"
    if entry.is_over:
        return counted(entry.passes, "pass", "passes")
    done, of = entry.tested
    return f"{entry.passes}: {done:,}/{of:,}" if of else "begins"


def _passes_text(entry: RunEntry) -> str:
    done, of = entry.swept
    if entry.is_over:
        return counted(done, "pass", "passes")
    return f"pass {done + 1}/{of}" if of else "begins"


def _eta_text(entry: RunEntry) -> str:
    return duration(entry.eta) + ("+" if entry.eta is not None and entry.more_follows else "")


def _time_text(entry: RunEntry) -> tuple[str, str]:
    if entry.eta is not None:
        return _eta_text(entry), " left"
    return ("" if entry.elapsed is None else duration(entry.elapsed)), ""


def _state_color(entry: RunEntry) -> str:
    colors = current_colors()
    if entry.reason is FinishReason.FAILED:
        return colors.error
    return colors.warning if entry.stale else colors.text


def _bar_color(entry: RunEntry) -> str:
    colors = current_colors()
    if entry.reason is FinishReason.FAILED:
        return colors.error
    if entry.is_over:
        return colors.go if entry.reason is not FinishReason.STOPPED else colors.muted
    return colors.accent


def _tip(entry: RunEntry) -> str:
    lines = [str(entry.folder)]
    if entry.message:
        lines.append(f"{entry.status}: {entry.message}")
    if entry.eta is not None:
        lines.append(f"{duration(entry.eta)} {entry.more_follows or 'left if it uses all epochs'}")
    if entry.drops_before is not None and entry.drops is not None:
        lines.append(f"drops {entry.drops_before:,} → {entry.drops:,} in the second stage")
    if entry.stale:
        lines.append("stale: the project was edited since, or the run was made with other settings")
    if entry.baseline is not None and entry.best is not None:
        lines.append(f"without drops the objective is {number(entry.baseline.objective)}")
    if entry.is_unscored and kept_plan(entry.folder) is not None:
        lines.append("its plan was not scored before it stopped: show it, and it is")
    if entry.read_only:
        lines.append("read-only: its project is open in another window")
    if entry.notes.strip():
        lines.append(f"✎ {shortened(entry.notes)}")
    lines.append("Double-click to show it; select two with Ctrl to compare them")
    return "\n".join(lines)


def shortened(text: str) -> str:
    """The first line, cut where it is long."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _NOTE_LETTERS else f"{line[:_NOTE_LETTERS].rstrip()}…"
