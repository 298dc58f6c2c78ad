"""Dark and light: one palette each, and the few rules that Fusion's own drawing does not cover."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication


class Theme(StrEnum):
    """The two looks of the window."""

    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True, slots=True)
class Colors:
    """Named colours of a theme; every text colour reads on ``window`` and ``base`` with a contrast of 4.5 or more."""

    window: str
    base: str
    alternate: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    go: str
    go_hover: str
    warning: str
    error: str
    water: str
    retardant: str
    grounded: str
    flying: str


COLORS: dict[Theme, Colors] = {
    Theme.DARK: Colors(
        window="#23262d", base="#1b1d22", alternate="#20232a", raised="#31353f", border="#3b404b", text="#e4e7eb",
        muted="#9aa3b0", accent="#4aa3ff", on_accent="#08131f", go="#238636", go_hover="#2b9a43", warning="#e3b341",
        error="#ff7b72", water="#5bd3dd", retardant="#ff8aa5", grounded="#9c3a3a", flying="#2c3b33",
    ),
    Theme.LIGHT: Colors(
        window="#f3f4f6", base="#ffffff", alternate="#f7f8fa", raised="#e6e8ec", border="#c6cbd3", text="#1d2127",
        muted="#5a6472", accent="#0b63ce", on_accent="#ffffff", go="#1f883d", go_hover="#1a7334", warning="#8a5a00",
        error="#b42318", water="#0b6f7a", retardant="#b3224f", grounded="#d9807c", flying="#dfeae2",
    ),
}  # fmt: skip


def system_theme(app: QApplication) -> Theme:
    """What the desktop asks for; dark where it says nothing."""
    return Theme.LIGHT if app.styleHints().colorScheme() is Qt.ColorScheme.Light else Theme.DARK


def current_theme(app: QApplication) -> Theme:
    """The theme that is on, read off the application's palette."""
    return Theme.DARK if app.palette().color(QPalette.ColorRole.Window).lightness() < 128 else Theme.LIGHT


def current_colors() -> Colors:
    """The named colours of the theme that is on."""
    app = QApplication.instance()
    return COLORS[current_theme(app) if isinstance(app, QApplication) else Theme.DARK]


def palette(theme: Theme) -> QPalette:
    """The Qt palette of a theme."""
    colors = COLORS[theme]
    role = QPalette.ColorRole
    table = {
        role.Window: colors.window, role.WindowText: colors.text, role.Base: colors.base,
        role.AlternateBase: colors.alternate, role.Text: colors.text, role.PlaceholderText: colors.muted,
        role.Button: colors.raised, role.ButtonText: colors.text, role.BrightText: colors.error,
        role.Highlight: colors.accent, role.HighlightedText: colors.on_accent, role.Accent: colors.accent,
        role.ToolTipBase: colors.raised, role.ToolTipText: colors.text, role.Link: colors.accent,
        role.LinkVisited: colors.accent, role.Mid: colors.border,
    }  # fmt: skip
    result = QPalette(QColor(colors.raised), QColor(colors.window))
    for name, color in table.items():
        result.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        faded = QColor(colors.text)
        faded.setAlpha(95)
        result.setColor(QPalette.ColorGroup.Disabled, name, faded)
    return result


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Put ``theme`` on the whole application."""
    if app.style().name().lower() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(palette(theme))
    app.setStyleSheet(_stylesheet(COLORS[theme]))


def _stylesheet(c: Colors) -> str:
    return f"""
    QMainWindow::separator {{ background: {c.window}; width: 5px; height: 5px; }}
    QMainWindow::separator:hover {{ background: {c.accent}; }}
    QToolTip {{ color: {c.text}; background: {c.raised}; border: 1px solid {c.border}; padding: 3px; }}
    QToolBar {{ background: {c.window}; border: 0; border-bottom: 1px solid {c.border}; spacing: 4px;
        padding: 4px 6px; }}
    QToolBar QToolButton {{ padding: 4px 9px; border: 1px solid transparent; border-radius: 4px; }}
    QToolBar QToolButton:hover {{ background: {c.raised}; }}
    QToolBar QToolButton:checked {{ background: {c.accent}; color: {c.on_accent}; }}
    QToolBar QToolButton:focus {{ border-color: {c.accent}; }}
    QToolBar QToolButton#startButton:enabled {{ background: {c.go}; color: white; font-weight: 600; }}
    QToolBar QToolButton#startButton:enabled:hover {{ background: {c.go_hover}; }}
    QStatusBar {{ border-top: 1px solid {c.border}; }}
    QStatusBar::item {{ border: 0; }}
    QStatusBar QToolButton {{ color: {c.muted}; padding: 2px 16px 2px 8px; border: 1px solid transparent;
        border-radius: 4px; }}
    QStatusBar QToolButton::menu-indicator {{ subcontrol-position: right center; right: 3px; }}
    QStatusBar QToolButton:hover {{ background: {c.raised}; color: {c.text}; }}
    QStatusBar QToolButton:focus {{ border-color: {c.accent}; }}
    QHeaderView::section {{ background: {c.window}; color: {c.muted}; border: 0; border-bottom: 1px solid {c.border};
        padding: 3px 4px; }}
    QTableView {{ border: 1px solid {c.border}; gridline-color: {c.border}; }}
    QTableView QTableCornerButton::section {{ background: {c.window}; border: 0; border-bottom: 1px solid {c.border}; }}
    QLabel[role="muted"] {{ color: {c.muted}; }}
    QLabel[role="warning"] {{ color: {c.warning}; }}
    QLabel[role="error"] {{ color: {c.error}; }}
    QLabel[role="heading"] {{ font-weight: 600; padding-top: 4px; }}
    QLabel[role="banner"] {{ color: {c.warning}; border: 1px solid {c.warning}; border-radius: 4px; padding: 5px;
        font-weight: 600; }}
    """
