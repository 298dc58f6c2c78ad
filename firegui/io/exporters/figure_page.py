"""A page of paper: text and lines at places in inches, measured before they are drawn.

Only matplotlib's figure and canvas objects are used. Fonts are named with every text, so that no setting of the whole
program decides what a page looks like; the few settings that a writer of files reads are set while it writes.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from firegui.domain.names import shown_name
from firegui.io.atomic import writing

INK, MUTED, RULE = "#111111", "#4a4a4a", "#7a7a7a"
LINE = 1.22
"""Distance of two lines of text over the size of the font."""
DPI = 200
_FAMILY = "DejaVu Sans"
_OTHER_SCRIPTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic",
    "PingFang SC", "Hiragino Sans", "Arial Unicode MS", "Noto Sans", "Noto Sans Arabic", "Noto Sans Devanagari",
    "Segoe UI Symbol",
)  # fmt: skip
"""Asked, where the computer has them, for letters that the font of every page lacks."""
_SETTINGS: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "firegui",
    "text.hinting": "none",
}


_SHIFTS = {"left": 0.0, "center": 0.5, "right": 1.0}


class LineText(Text):
    """One level line of text at its baseline, drawn without the layout of paragraphs and turned texts.

    A briefing has thousands of them. The width is that of :func:`width_of`, which is known by then.
    """

    def draw(self, renderer: Any) -> None:
        """Draw the line."""
        font_properties: Any = self.get_fontproperties()
        x, y = self.get_transform().transform(self.get_position())
        if shift := _SHIFTS[self.get_horizontalalignment()]:
            bold = font_properties.get_weight() == "bold"
            x -= shift * width_of(self.get_text(), font_properties.get_size_in_points(), bold) * self.figure.dpi
        y = renderer.height - y if renderer.flipy() else y
        context = renderer.new_gc()
        context.set_foreground(self.get_color())
        renderer.draw_text(context, x, y, self.get_text(), font_properties, 0.0, mtext=self)
        context.restore()


class FigurePage:
    """One page of ``size`` inches; the origin is its lower left corner, ``y`` counts upwards."""

    def __init__(self, size: tuple[float, float]) -> None:
        self.width, self.height = size
        self.figure = Figure(figsize=size, dpi=DPI, facecolor="white")
        FigureCanvasAgg(self.figure)

    def text(
        self, x: float, y: float, text: str, size: float = 8.0, *, bold: bool = False, color: str = INK,
        across: str = "left", up: str = "baseline", turned: float = 0.0, backed: bool = False,
    ) -> None:  # fmt: skip
        """Write one line of text at ``(x, y)`` inches, ``size`` in points; ``backed`` lays white under it.

        Letters that no font has become ``?``.
        """
        if not text:
            return
        if up == "baseline" and not turned and not backed:
            line = LineText(
                x,
                y,
                printable(text),
                color=color,
                fontproperties=font(size, bold),
                ha=across,
                parse_math=False,
                transform=self.figure.dpi_scale_trans,
            )
            line.set_figure(self.figure)
            self.figure.texts.append(line)
            return
        back = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.8} if backed else None
        self.figure.text(
            x, y, printable(text), fontproperties=font(size, bold), color=color, ha=across, va=up, rotation=turned,
            rotation_mode="anchor", parse_math=False, bbox=back, transform=self.figure.dpi_scale_trans,
        )  # fmt: skip

    def lines(
        self, x: float, top: float, texts: Sequence[str], size: float = 8.0, *, bold: bool = False, color: str = INK
    ) -> float:
        """Write lines below each other from ``top`` down; return the height that they take, in inches."""
        step = size * LINE / 72.0
        for number, text in enumerate(texts):
            self.text(x, top - step * number - 0.80 * step, text, size, bold=bold, color=color)
        return step * len(texts)

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = "none", edge: str = INK,
        thick: float = 0.6, hatch: str | None = None, style: Any = "-",
    ) -> None:  # fmt: skip
        """Draw a rectangle with its lower left corner at ``(x, y)``, ``thick`` in points."""
        look = {"facecolor": fill, "edgecolor": edge, "linewidth": thick, "linestyle": style, "hatch": hatch}
        self.add(Rectangle((x, y), width, height, **look))

    def rule(self, start: tuple[float, float], end: tuple[float, float], **style: Any) -> None:
        """Draw a straight line between two places."""
        (x0, y0), (x1, y1) = start, end
        style = {"color": INK, "linewidth": 0.6, "solid_capstyle": "butt", **style}
        self.add(Line2D([x0, x1], [y0, y1], **style))

    def add(self, artist: Artist) -> None:
        """Draw anything whose coordinates are inches on the page."""
        artist.set_transform(self.figure.dpi_scale_trans)
        self.figure.add_artist(artist)

    def place(self, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
        """Return a rectangle in inches as axes take it."""
        return x / self.width, y / self.height, width / self.width, height / self.height


# -- text --------------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=64)
def font(size: float, bold: bool = False) -> FontProperties:
    """Return the font of every page, with those of other scripts behind it."""
    return FontProperties(family=list(_families()), size=size, weight="bold" if bold else "normal")


def printable(text: str) -> str:
    """Return one line that can be drawn: blanks for breaks, ``?`` for letters that no font has."""
    joined = " ".join(text.split())
    plain = joined.isascii() and joined.isprintable()
    return joined if plain else "".join(letter if _is_known(letter) else "?" for letter in joined)


@lru_cache(maxsize=20_000)
def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return width in inches of one line of text, ``size`` in points."""
    face = get_font(list(_files(bold)))
    face.set_size(size, 72.0)
    face.set_text(printable(text), 0.0, flags=LoadFlags.NO_HINTING)
    return float(face.get_width_height()[0]) / 64.0 / 72.0


def fits(text: str, width: float, size: float, bold: bool = False) -> bool:
    """Return whether one line of text is at most ``width`` inches wide.

    The sum of its letters' advances, which are known, is enough for most texts. Measuring one takes longer.
    """
    advance = sum(_advance(letter, bold) for letter in printable(text))
    return advance * size / 72.0 <= width or width_of(text, size, bold) <= width


@lru_cache(maxsize=5_000)
def _advance(letter: str, bold: bool) -> float:
    """Return the advance of a letter over the size of the font; infinite where no font has it."""
    face = next((face for path in _files(bold) if (face := get_font([path])).get_char_index(ord(letter))), None)
    if face is None:
        return math.inf
    face.set_size(_ADVANCE_SIZE, 72.0)
    glyph = face.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
    return float(glyph.linearHoriAdvance) / 65536.0 / _ADVANCE_SIZE


_ADVANCE_SIZE = 100.0


def wrapped(text: str, width: float, size: float, bold: bool = False, most: int | None = None) -> list[str]:
    """Return ``text`` in lines of at most ``width`` inches.

    What goes past ``most`` lines is cut off with an ellipsis. A no-break space breaks no line.
    """
    lines: list[str] = []
    line = ""
    for word in (piece for whole in re.split("[ \n\t]+", text.strip()) for piece in _pieces(whole, width, size, bold)):
        longer = f"{line} {word}" if line else word
        if line and not fits(longer, width, size, bold):
            lines.append(line)
            line = word
        else:
            line = longer
    lines += [line] if line else []
    if most is not None and len(lines) > most:
        lines = [*lines[: most - 1], shortened(" ".join(lines[most - 1 :]), width, size, bold)] if most > 0 else []
    return lines


def shortened(text: str, width: float, size: float, bold: bool = False) -> str:
    """Return ``text``, or as much of its beginning as fits into ``width`` inches with an ellipsis."""
    if fits(text, width, size, bold):
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        has_room = fits(f"{text[:middle].rstrip()}…", width, size, bold)
        low, high = (middle, high) if has_room else (low, middle - 1)
    return f"{text[:low].rstrip()}…" if low else ""


def _pieces(word: str, width: float, size: float, bold: bool) -> Iterator[str]:
    """Yield a word that is wider than the line, in pieces that are not."""
    while len(word) > 1 and not fits(word, width, size, bold):
        lengths = range(1, len(word) + 1)
        count = max(bisect_right(lengths, width, key=lambda length: width_of(word[:length], size, bold)), 1)
        yield word[:count]
        word = word[count:]
    yield word


@lru_cache(maxsize=1)
def _families() -> tuple[str, ...]:
    there = set(fontManager.get_font_names())
    return (_FAMILY, *(name for name in _OTHER_SCRIPTS if name in there))


@lru_cache(maxsize=2)
def _files(bold: bool) -> tuple[str, ...]:
    weight = "bold" if bold else "normal"
    found = [fontManager.findfont(FontProperties(family=name, weight=weight)) for name in _families()]
    return tuple(dict.fromkeys(str(path) for path in found))


@lru_cache(maxsize=5_000)
def _is_known(letter: str) -> bool:
    return any(get_font([path]).get_char_index(ord(letter)) > 0 for path in _files(False))


# -- files -------------------------------------------------------------------------------------------------------------
@contextmanager
def printing() -> Iterator[None]:
    """Set what matplotlib's writers read: fonts embedded, names inside a file not made at random.

    Letters are not moved to whole pixels, so that a line is as wide on a screen as it was measured.
    """
    with matplotlib.rc_context(_SETTINGS):
        yield


def save(path: Path, figure: Figure, title: str, notice: str) -> None:
    """Write a figure as PNG, SVG or PDF by the ending of ``path``, atomically.

    The same figure makes the same bytes.
    """
    kind = path.suffix.lstrip(".").lower()
    with printing(), writing(path) as file:
        figure.savefig(file, format=kind, dpi=DPI, metadata=metadata(kind, title, notice))


def metadata(kind: str, title: str, notice: str) -> dict[str, Any]:
    """Return what a file says of itself. No date of its own: that of the page is printed on it."""
    title = shown_name(title)  # matplotlib does not keep characters out that no XML may hold
    if kind == "png":
        return {"Software": "firegui", "Title": title, "Comment": notice}
    if kind == "svg":
        return {"Creator": "firegui", "Date": None, "Title": title, "Description": notice}
    return {"Creator": "firegui", "Producer": None, "CreationDate": None, "Title": title, "Subject": notice}
