"""Films that are given up halfway."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from firegui.errors import CancelledError
from firegui.io.exporters.animation import AnimationFrames, Picture, ffmpeg, write_film


@pytest.mark.skipif(ffmpeg() is None, reason="MP4 needs ffmpeg: install firegui[video]")
def test_an_mp4_that_is_given_up_leaves_no_file_and_closes_its_pipe(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    picture = np.zeros((64, 64, 3), np.uint8)

    def pictures() -> Iterator[Picture]:
        yield from (picture, picture)
        raise CancelledError("enough")

    with pytest.raises(CancelledError):
        write_film(tmp_path / "f.mp4", AnimationFrames(pictures(), 8, (picture,)))
    # An open pipe is told of when it is collected.
    gc.collect()
    assert not recwarn.list and not list(tmp_path.iterdir())
