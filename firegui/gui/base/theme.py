"""Dark and light theme: a palette each, and style rules for what Fusion draws too faintly.

Fusion draws the frames of fields and check boxes a shade darker than the window, which is invisible on a dark one. The
style sheet draws them in ``outline`` instead, with marks from ``resources/icons``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from firegui.assets import resource

_DISABLED_ALPHA = 115


class Theme(StrEnum):
    """Themes of the window."""

    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True, slots=True)
class Colors:
    """Named colours of a theme.

    Every text colour has a contrast of at least 4.5 on ``window``, ``base`` and ``alternate``, and so has the
    ``outline`` of controls. ``text`` has it also on ``raised``, ``chosen``, ``grounded`` and ``flying``. ``focus``
    frames what has the keyboard, with a contrast of at least 3 to what lies beside it. ``water`` and ``retardant`` are
    shades for text and charts of the colours in :mod:`firegui.domain.plan_colors`.
    """

    window: str
    base: str
    alternate: str
    raised: str
    border: str
    outline: str
    chosen: str
    text: str
    muted: str
    accent: str
    on_accent: str
    go: str
    go_hover: str
    focus: str
    warning: str
    error: str
    water: str
    retardant: str
    grounded: str
    flying: str


COLORS: dict[Theme, Colors] = {
    Theme.DARK: Colors(
        window="#23262d", base="#1b1d22", alternate="#20232a", raised="#31353f", border="#3b404b",
        outline="#858f9d", chosen="#19324e", text="#e4e7eb", muted="#9aa3b0", accent="#4aa3ff", on_accent="#08131f",
        go="#1f7a32", go_hover="#238636", focus="#ffffff", warning="#e3b341", error="#ff7b72", water="#4cc0ea",
        retardant="#ff6fae", grounded="#9c3a3a", flying="#2c3b33",
    ),
    Theme.LIGHT: Colors(
        window="#f3f4f6", base="#ffffff", alternate="#f7f8fa", raised="#e6e8ec", border="#c6cbd3",
        outline="#656e7b", chosen="#d6e6fb", text="#1d2127", muted="#5a6472", accent="#0b63ce", on_accent="#ffffff",
        go="#1a7334", go_hover="#1f883d", focus="#000000", warning="#8a5a00", error="#b42318", water="#0060a8",
        retardant="#b00050", grounded="#d9807c", flying="#dfeae2",
    ),
}  # fmt: skip


def system_theme(app: QApplication) -> Theme:
    """Return the theme of the desktop; dark if it has none."""
    return Theme.LIGHT if app.styleHints().colorScheme() is Qt.ColorScheme.Light else Theme.DARK


def resolve_theme(app: QApplication, chosen: Theme | None) -> Theme:
    """Return the ``chosen`` theme, or the desktop's for ``None``, and request matching title bars."""
    hints = app.styleHints()
    # The desktop draws the title bars, dark or light on request.
    if chosen is None:
        hints.unsetColorScheme()
    else:
        hints.setColorScheme(Qt.ColorScheme.Light if chosen is Theme.LIGHT else Qt.ColorScheme.Dark)
    return system_theme(app) if chosen is None else chosen


def current_theme(app: QApplication) -> Theme:
    """Return the current theme, according to the application's palette."""
    return Theme.DARK if app.palette().color(QPalette.ColorRole.Window).lightness() < 128 else Theme.LIGHT


def current_colors() -> Colors:
    """Return the colours of the current theme."""
    app = QApplication.instance()
    return COLORS[current_theme(app) if isinstance(app, QApplication) else Theme.DARK]


def palette(theme: Theme) -> QPalette:
    """Return the Qt palette of a theme."""
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
        faded.setAlpha(_DISABLED_ALPHA)
        result.setColor(QPalette.ColorGroup.Disabled, name, faded)
    return result


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Apply ``theme`` to the whole application."""
    if app.style().name().lower() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(palette(theme))
    colors = COLORS[theme]
    sheet = _focus(colors) + _bars(colors) + _controls(colors, theme) + _labels(colors)
    # Qt polishes every widget anew, also for the style sheet that it has.
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)


def set_role(widget: QWidget, role: str) -> None:
    """Give ``widget`` another role of the style sheet, such as ``warning``; empty for none."""
    if widget.property("role") == role:
        return
    widget.setProperty("role", role)
    # A style sheet reads properties only when the widget is polished.
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def _mark(name: str, theme: Theme) -> str:
    """Return the style sheet's name of a picture in ``resources/icons``."""
    return f'url("{resource(f"icons/{name}-{theme}.svg").as_posix()}")'


def _focus(c: Colors) -> str:
    """Return the rules for the frame of a flat button with the keyboard."""
    return f"""
    QToolButton:focus {{ border: 2px solid {c.focus}; border-radius: 4px; }}
    QToolButton:checked:focus {{ background: {c.chosen}; }}
    """


def _controls(c: Colors, theme: Theme) -> str:
    """Return the rules for fields and buttons, with visible outlines."""
    return f"""
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QLineEdit, QAbstractSpinBox, QComboBox {{ background: {c.base}; color: {c.text}; border: 1px solid {c.outline};
        border-radius: 3px; padding: 2px 4px; selection-background-color: {c.accent};
        selection-color: {c.on_accent}; }}
    QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QComboBox:on {{ border-color: {c.accent}; }}
    QLineEdit[role="path"] {{ background: transparent; border-color: transparent; padding: 0; }}
    QLineEdit[role="path"]:focus {{ background: {c.base}; border-color: {c.accent}; }}
    QLineEdit[role="refused"], QLineEdit[role="refused"]:focus, QAbstractSpinBox[role="refused"],
        QAbstractSpinBox[role="refused"]:focus {{ border: 2px solid {c.error}; padding: 1px 3px; }}
    QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled {{ background: {c.window};
        border-color: {c.border}; color: {_faded(c)}; }}
    QAbstractItemView QLineEdit, QAbstractItemView QAbstractSpinBox, QAbstractItemView QComboBox {{ padding: 0 2px;
        border-radius: 0; }}
    QAbstractItemView QLineEdit[role="refused"], QAbstractItemView QLineEdit[role="refused"]:focus,
        QAbstractItemView QAbstractSpinBox[role="refused"], QAbstractItemView QComboBox[role="refused"] {{
        border: 2px solid {c.error}; padding: 0 1px; }}
    QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: 0; padding: 0; background: transparent; }}
    QAbstractSpinBox {{ padding-right: 16px; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ subcontrol-origin: border; width: 16px;
        border: 0; background: transparent; }}
    QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
    QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
    QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover {{ background: {c.raised}; }}
    QAbstractSpinBox::up-arrow {{ image: {_mark("up", theme)}; width: 9px; height: 9px; }}
    QAbstractSpinBox::down-arrow, QComboBox::down-arrow {{ image: {_mark("down", theme)}; width: 9px; height: 9px; }}
    QAbstractSpinBox::up-arrow:disabled, QAbstractSpinBox::up-arrow:off, QAbstractSpinBox::down-arrow:disabled,
        QAbstractSpinBox::down-arrow:off, QComboBox::down-arrow:disabled {{ image: none; }}
    QComboBox::drop-down {{ subcontrol-origin: border; subcontrol-position: center right; width: 18px; border: 0; }}
    QComboBox QAbstractItemView {{ background: {c.base}; color: {c.text}; border: 1px solid {c.outline};
        selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
    QCheckBox::indicator, QRadioButton::indicator, QGroupBox::indicator, QAbstractItemView::indicator {{
        width: 13px; height: 13px; border: 1px solid {c.outline}; border-radius: 3px; background: {c.base}; }}
    QRadioButton::indicator {{ border-radius: 7px; }}
    QCheckBox::indicator:checked, QGroupBox::indicator:checked, QAbstractItemView::indicator:checked {{
        background: {c.accent}; border-color: {c.accent}; image: {_mark("check", theme)}; }}
    QRadioButton::indicator:checked {{ background: {c.accent}; border-color: {c.accent};
        image: {_mark("dot", theme)}; }}
    QCheckBox::indicator:focus, QRadioButton::indicator:focus {{ border-color: {c.accent}; }}
    QCheckBox::indicator:disabled, QRadioButton::indicator:disabled {{ border-color: {c.border};
        background: {c.window}; }}
    QCheckBox::indicator:checked:disabled, QRadioButton::indicator:checked:disabled {{ background: {c.outline}; }}
    QMenu {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.outline}; padding: 4px 0; }}
    QMenu::item {{ padding: 4px 20px 4px 14px; border: 0; }}
    QMenu::item:selected {{ background: {c.accent}; color: {c.on_accent}; }}
    QMenu::item:disabled {{ background: transparent; color: {_faded(c)}; }}
    QMenu::separator {{ height: 1px; background: {c.border}; margin: 4px 0; }}
    QMenu::icon {{ padding-left: 6px; }}
    QMenu::indicator {{ width: 13px; height: 13px; margin-left: 7px; border: 1px solid {c.outline}; border-radius: 3px;
        background: {c.base}; }}
    QMenu::indicator:exclusive {{ border-radius: 7px; }}
    QMenu::indicator:checked {{ background: {c.accent}; border-color: {c.accent}; image: {_mark("check", theme)}; }}
    QMenu::indicator:exclusive:checked {{ image: {_mark("dot", theme)}; }}
    QCheckBox, QRadioButton {{ spacing: 6px; }}
    QRadioButton {{ border: 2px solid transparent; border-radius: 4px; padding: 0 2px; }}
    QRadioButton:focus {{ border-color: {c.focus}; }}
    QPushButton {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.outline}; border-radius: 4px;
        padding: 4px 14px; min-width: 48px; }}
    QPushButton:hover {{ background: {c.chosen}; }}
    QPushButton:pressed {{ background: {c.base}; }}
    QPushButton:default {{ border-color: {c.accent}; }}
    QPushButton:focus {{ border: 2px solid {c.focus}; padding: 3px 13px; }}
    QPushButton:disabled {{ background: {c.window}; border-color: {c.border}; color: {_faded(c)}; }}
    QPushButton[role="primary"]:enabled {{ background: {c.go}; border-color: {c.go}; color: white;
        font-weight: 600; }}
    QPushButton[role="primary"]:enabled:hover {{ background: {c.go_hover}; }}
    QPushButton[role="primary"]:focus {{ border-color: {c.focus}; }}
    QPushButton[role="start"] {{ text-align: left; padding: 7px 12px; }}
    QPushButton[role="start"]:focus {{ padding: 6px 11px; }}
    QTabBar::tab {{ color: {c.muted}; padding: 4px 7px; margin: 0; border: 0; border-bottom: 2px solid transparent; }}
    QTabBar::tab:hover {{ color: {c.text}; background: {c.raised}; }}
    QTabBar::tab:disabled {{ color: {_faded(c)}; }}
    QTabBar::tab:selected {{ color: {c.text}; border-bottom-color: {c.accent}; }}
    QTabBar::tab:focus {{ border: 2px solid {c.focus}; padding: 2px 5px 4px 5px; }}
    """


def _labels(c: Colors) -> str:
    """Return the rules for labels by ``role``, and for overlay frames."""
    return f"""
    QLabel[role="muted"], QCheckBox[role="muted"] {{ color: {c.muted}; }}
    QLabel[role="warning"] {{ color: {c.warning}; }}
    QLabel[role="error"] {{ color: {c.error}; }}
    QLabel[is_strong="true"] {{ font-weight: 600; }}
    QLabel[role="heading"] {{ font-weight: 600; padding-top: 4px; }}
    QLabel[role="section"] {{ font-weight: 600; font-size: 11pt; }}
    QLabel[role="title"] {{ font-weight: 600; font-size: 20pt; }}
    QLabel[role="banner"] {{ color: {c.warning}; border: 1px solid {c.warning}; border-radius: 4px; padding: 5px;
        font-weight: 600; }}
    QToolButton[role="outlined"] {{ background: transparent; border: 1px solid {c.outline}; border-radius: 4px;
        padding: 1px 8px; }}
    QToolButton[role="outlined"]:hover {{ background: {c.raised}; }}
    QToolButton[role="outlined"]:focus {{ border: 2px solid {c.focus}; padding: 0 7px; }}
    QToolButton[role="section"] {{ text-align: left; font-weight: 600; padding: 3px 4px; border: 0;
        border-top: 1px solid {c.border}; border-radius: 0; background: {c.window}; }}
    QToolButton[role="section"]:hover {{ background: {c.raised}; }}
    QToolButton[role="section"]:focus {{ border: 2px solid {c.focus}; padding: 2px 2px 1px 2px; }}
    QFrame#rail {{ background: {c.base}; border: 0; border-right: 1px solid {c.border}; }}
    QFrame#rail QToolButton {{ color: {c.muted}; font-size: 8pt; padding: 5px 2px; border: 0;
        border-left: 3px solid transparent; border-radius: 0; }}
    QFrame#rail QToolButton:hover {{ background: {c.raised}; color: {c.text}; }}
    QFrame#rail QToolButton:checked {{ background: {c.window}; color: {c.text}; border-left-color: {c.accent}; }}
    QFrame#rail QToolButton#railSide {{ background: {c.base}; border-left-color: transparent; }}
    QFrame#rail QToolButton#railSide:hover {{ background: {c.raised}; }}
    QFrame#rail QToolButton:focus {{ border: 2px solid {c.focus}; padding: 3px 1px 3px 1px; color: {c.text}; }}
    QFrame#overlayCard {{ background: {c.window}; border: 1px solid {c.outline}; border-radius: 6px; }}
    QFrame#tourCard {{ background: {c.window}; border: 1px solid {c.accent}; border-radius: 6px; }}
    QFrame#palette {{ background: {c.window}; border: 1px solid {c.outline}; border-radius: 6px; }}
    """


def _faded(c: Colors) -> str:
    color = QColor(c.text)
    return f"rgba({color.red()}, {color.green()}, {color.blue()}, {_DISABLED_ALPHA})"


def _bars(c: Colors) -> str:
    return f"""
    QSplitter::handle:hover {{ background: {c.accent}; }}
    QToolTip {{ color: {c.text}; background: {c.raised}; border: 1px solid {c.border}; padding: 3px; }}
    QToolBar {{ background: {c.window}; border: 0; border-bottom: 1px solid {c.border}; spacing: 4px;
        padding: 2px 6px; }}
    QMenuBar::item {{ padding: 8px 8px; background: transparent; }}
    QMenuBar::item:selected, QMenuBar::item:pressed {{ background: {c.raised}; }}
    QMenuBar QToolBar {{ border: 0; padding: 0 6px; }}
    QToolBar QToolButton {{ padding: 3px 8px; border: 1px solid transparent; border-radius: 4px; }}
    QMenuBar QToolBar QToolButton {{ padding: 1px 8px; }}
    QToolBar QToolButton:hover {{ background: {c.raised}; }}
    QToolBar QToolButton:checked {{ background: {c.chosen}; border-color: {c.accent}; }}
    QToolBar QToolButton:focus {{ border: 2px solid {c.focus}; padding: 2px 7px; }}
    QMenuBar QToolBar QToolButton:focus {{ padding: 0 7px; }}
    QMenuBar QToolBar QToolButton[popupMode="1"], QMenuBar QToolBar QToolButton[popupMode="1"]:focus {{
        padding-right: 24px; }}
    QToolBar QToolButton::menu-button {{ width: 16px; border-left: 1px solid {c.border}; }}
    QToolBar QToolButton[role="primary"]:enabled {{ background: {c.go}; color: white; font-weight: 600; }}
    QToolBar QToolButton[role="primary"]:enabled:hover {{ background: {c.go_hover}; }}
    QStatusBar, QFrame#sideFoot {{ border-top: 1px solid {c.border}; }}
    #sideFoot QToolButton[role="primary"]:enabled {{ background: {c.go}; color: white; font-weight: 600; }}
    #sideFoot QToolButton[role="primary"]:enabled:hover {{ background: {c.go_hover}; }}
    QStatusBar::item {{ border: 0; }}
    QStatusBar QToolButton {{ color: {c.muted}; padding: 2px 16px 2px 8px; border: 1px solid transparent;
        border-radius: 4px; }}
    QStatusBar QToolButton::menu-indicator {{ subcontrol-position: right center; right: 3px; }}
    QStatusBar QToolButton:hover {{ background: {c.raised}; color: {c.text}; }}
    QStatusBar QToolButton:focus {{ border: 2px solid {c.focus}; padding: 1px 15px 1px 7px; }}
    QHeaderView::section {{ background: {c.window}; color: {c.muted}; border: 0; border-bottom: 1px solid {c.border};
        padding: 3px 2px 3px 3px; }}
    QTableView {{ border: 1px solid {c.border}; gridline-color: {c.border}; }}
    QTableView QTableCornerButton::section {{ background: {c.window}; border: 0; border-bottom: 1px solid {c.border}; }}
    """
