"""Notice over the map of where a demo was saved that was planned before it had a folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton

from firegui.gui.base.plain_text import tooltip
from firegui.gui.session.session import Session
from firegui.gui.widgets.notice import OverlayNotice
from firegui.gui.window.documents import Documents


class DemoNotice(OverlayNotice):
    """Notice that names the folder of a demo, opens it, and saves the project in another one.

    It goes with another project or folder, or when it is closed.
    """

    def __init__(self, session: Session, documents: Documents) -> None:
        self.open_button, self.save_button = QPushButton("Open folder"), QPushButton("Save as…")
        super().__init__(self.open_button, self.save_button)
        self._folder: Path | None = None
        self.open_button.setToolTip("Show the folder of the project in the file manager")
        self.save_button.setToolTip("Save the project in a folder of your own, and go on there")
        self.open_button.clicked.connect(lambda _checked=False: self._open())
        self.save_button.clicked.connect(lambda _checked=False: documents.save_as())
        documents.demo_saved.connect(self._tell)
        for signal in (session.project_opened, session.folder_changed):
            signal.connect(self._forget)

    def _tell(self, folder: Path) -> None:
        self._folder = folder
        home = Path.home()
        place = Path("~") / folder.relative_to(home) if folder.is_relative_to(home) else folder
        self.show_text(f"The demo project is saved in {place}")
        self.label.setToolTip(tooltip(str(folder)))

    def _forget(self) -> None:
        self._folder = None
        self.show_text("")

    def _open(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))
