"""Text on printed pages."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.text import Text

from firegui.io.exporters.figure_page import INK, FigurePage, fits, font, width_of
from firegui.io.exporters.map_figure import picture_of

SAMPLES = ("S-2T-1", "39°44.95′ N 120°12.10′ W", "WAVE AV To 034/214", "Ж é ü")


@pytest.mark.parametrize("across", ["left", "center", "right"])
def test_a_line_of_text_is_drawn_where_the_library_would_draw_it(across: str) -> None:
    page, plain = FigurePage((3.0, 1.0)), FigurePage((3.0, 1.0))
    for number, text in enumerate(SAMPLES):
        y = 0.1 + 0.2 * number
        page.text(1.5, y, text, 7.0, bold=bool(number % 2), across=across)
        plain.figure.text(
            1.5, y, text, fontproperties=font(7.0, bool(number % 2)), color=INK, ha=across, va="baseline",
            transform=plain.figure.dpi_scale_trans,
        )  # fmt: skip
    drawn, expected = (picture_of(each.figure, 200.0).astype(int) for each in (page, plain))
    assert (drawn < 128).sum() > 500
    # A text that is not at the left may be set off by a fraction of a pixel.
    assert np.abs(drawn - expected).mean() < (0.01 if across == "left" else 1.0)


def test_lines_of_text_are_drawn_without_a_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    page = FigurePage((3.0, 1.0))
    for number, text in enumerate(SAMPLES):
        page.text(0.5, 0.1 + 0.2 * number, text, 7.0)
    monkeypatch.setattr(Text, "_get_layout", None)
    assert (picture_of(page.figure, 100.0) < 128).any()


def test_the_quick_answer_whether_a_text_fits_is_that_of_its_measured_width() -> None:
    for text in SAMPLES:
        width = width_of(text, 7.0)
        assert fits(text, 1.05 * width, 7.0) and not fits(text, 0.97 * width, 7.0)
