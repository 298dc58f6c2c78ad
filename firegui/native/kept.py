"""Where compiled kernels are kept: folders of other versions go when they have not been used for long."""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path

UNUSED_DAYS = 30.0
_KERNELS = re.compile("kernels-[0-9a-f]{16}")


def forget_unused_kernels(used: Path, days: float = UNUSED_DAYS) -> None:
    """Note that the kernels in ``used`` are, and delete those of other versions that were not for so many days.

    Every change of the engine's sources leaves a folder of its own beside ``used``. Only folders of such a name are
    touched; what cannot be deleted stays, and a version whose folder is gone compiles anew.
    """
    with suppress(OSError):
        os.utime(used)
        for folder in used.parent.iterdir():
            if folder == used or not _KERNELS.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
                continue
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > days * 86400.0:
                    shutil.rmtree(folder, ignore_errors=True)
