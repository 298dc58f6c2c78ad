"""What firegui is, and what it must not be taken for."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from firegui.assets import installed_version

LIMITS = (
    "A plan is only as good as the fire model it was made with. The model is fitted to few fires, knows one wind per "
    "cell and day, and neither spotting nor people on the ground.",
    "Effectiveness, footprints and turnaround times are assumptions from the literature, not measurements of your "
    "aircraft.",
    "The optimizer finds a good plan, not the best one. Another seed may find another.",
    "firegui is for analysis and training. It does not replace air operations, and no drop should be ordered from it "
    "alone.",
)


def about_text() -> str:
    """The text of the box, as rich text."""
    items = "".join(f"<li>{limit}</li>" for limit in LIMITS)
    return (
        f"<h3>firegui {installed_version()}</h3>"
        "<p>Plans the aerial attack on a wildfire by gradient descent through a frozen, differentiable fire model.</p>"
        f"<p><b>What it cannot do</b></p><ul>{items}</ul><p>MIT licence.</p>"
    )


def show_about(parent: QWidget | None) -> None:
    """Show the box and wait until it is shut."""
    QMessageBox.about(parent, "About firegui", about_text())
