"""Pictures in a row as a film: MP4 by ffmpeg, GIF by Pillow, one picture as PNG.

Needs neither Qt nor an engine. Every picture gets a strip below it that says what it is (:data:`NOTICE`); a film that
was cut short never appears.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from firegui.errors import Check, InputError, Problem
from firegui.io.atomic import replacing, writing
from firegui.io.exporters.table import NOTICE

Picture = NDArray[np.uint8]
"""``[H, W, 3]``, red, green and blue."""

ENDINGS = (".mp4", ".gif", ".png")
MOST_FPS = 30
_STRIP_PX, _FONT_PX = 22, 13
_INK, _PAPER = (255, 214, 102), (20, 23, 27)
_GIF_COLORS = 256
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


@dataclass(frozen=True, slots=True, eq=False)
class AnimationFrames:
    """``pictures`` of one size, ``fps`` of them a second.

    ``samples`` are some of them, for the colours of a GIF.
    """

    pictures: Iterable[Picture]
    fps: int
    samples: Sequence[Picture]


def film_problems(path: Path, fps: int) -> list[Problem]:
    """Return what keeps a film from being written there."""
    problems = []
    if path.suffix.lower() not in ENDINGS:
        problems.append(Problem(str(path), "is of no known kind", f"end its name in {', '.join(ENDINGS)}"))
    if not 1 <= fps <= MOST_FPS:
        problems.append(Problem("frames a second", f"{fps} is out of range", f"use 1 to {MOST_FPS}"))
    if path.suffix.lower() == ".mp4" and ffmpeg() is None:
        what = "MP4 needs ffmpeg, which is not on this computer"
        problems.append(Problem(str(path), what, "install the extra `firegui[video]` or ffmpeg itself, or write a GIF"))
    return problems


def ffmpeg() -> str | None:
    """Return the program that writes MP4: the one that came with imageio-ffmpeg, else the system's.

    ``None`` for neither.
    """
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        return shutil.which("ffmpeg")


def write_film(path: Path, film: AnimationFrames, check: Check | None = None) -> None:
    """Write ``film`` to ``path`` by the ending of its name: all of it, or nothing.

    ``check`` is called before every picture and may raise :class:`~firegui.errors.CancelledError`. A PNG has the first
    picture. Raises :class:`~firegui.errors.InputError` for what :func:`film_problems` finds and where the system or
    ffmpeg refuses.
    """
    problems = film_problems(path, film.fps)
    if problems:
        raise InputError(problems, "No film was written")
    path.parent.mkdir(parents=True, exist_ok=True)
    pictures = _checked(film.pictures, check)
    if path.suffix.lower() == ".mp4":
        with replacing(path) as temporary:
            _write_mp4(temporary, film, pictures)
        return
    with writing(path) as file:
        if path.suffix.lower() == ".gif":
            _write_gif(file, film, pictures)
        else:
            Image.fromarray(next(pictures)).save(file, "PNG")


def with_notice(picture: Picture) -> Picture:
    """Return the picture with the strip below it; nothing of the picture is covered."""
    height, width, _ = picture.shape
    whole = np.empty((height + _STRIP_PX, width, 3), np.uint8)
    whole[:height], whole[height:] = picture, _strip(width)
    return whole


def _strip(width: int) -> Picture:
    """Return a font for as large a text as fits, at most :data:`_FONT_PX`."""
    image = Image.new("RGB", (width, _STRIP_PX), _PAPER)
    draw = ImageDraw.Draw(image)
    sizes = range(_FONT_PX, 5, -1)
    # Pillow's own font has no dash; this one comes with matplotlib, which a window does not need to open.
    file = Path(import_module("matplotlib").get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf"
    fonts = [ImageFont.truetype(file, size) for size in sizes]
    font = next((font for font in fonts if draw.textlength(NOTICE, font=font) <= width - 8), fonts[-1])
    draw.text((width / 2, _STRIP_PX / 2), NOTICE, fill=_INK, font=font, anchor="mm")
    return np.asarray(image, np.uint8)


def _checked(pictures: Iterable[Picture], check: Check | None) -> Iterator[Picture]:
    strip: Picture | None = None
    for picture in pictures:
        if check is not None:
            check()
        strip = _strip(picture.shape[1]) if strip is None else strip
        yield np.concatenate([picture, strip])


def _write_gif(file: IO[bytes], film: AnimationFrames, pictures: Iterator[Picture]) -> None:
    """Write a GIF with one palette for the whole film, and no dithering.

    With one palette no colour changes its meaning.
    """
    mosaic = np.concatenate([with_notice(sample) for sample in film.samples])
    palette = Image.fromarray(mosaic).quantize(_GIF_COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    frames = (Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures)
    first = next(frames)
    # A GIF counts hundredths of a second.
    hundredths = max(round(100 / film.fps), 2)
    first.save(
        file, "GIF", save_all=True, append_images=frames, duration=10 * hundredths, loop=0, comment=NOTICE.encode(),
        optimize=False, disposal=1,
    )  # fmt: skip


def _write_mp4(path: Path, film: AnimationFrames, pictures: Iterator[Picture]) -> None:
    first = next(pictures)
    height, width, _ = first.shape
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            _command(path, width, height, film.fps), stdin=subprocess.PIPE, stdout=said, stderr=said,
            creationflags=_NO_WINDOW,
        )  # fmt: skip
        pipe = process.stdin
        assert pipe is not None
        try:
            _feed(pipe, first, pictures)
            status = process.wait()
        except BrokenPipeError:
            status = process.wait() or 1
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            # A film that is given up leaves its pipe open, with pixels that ffmpeg does not read any more.
            with suppress(OSError):
                pipe.close()
        if status:
            said.seek(0)
            reason = said.read().decode(errors="replace").strip().splitlines()
            raise OSError(f"ffmpeg: {(reason or ['it gave no reason'])[-1]}")


def _feed(pipe: IO[bytes], first: Picture, pictures: Iterator[Picture]) -> None:
    pipe.write(np.ascontiguousarray(first).data)
    for picture in pictures:
        pipe.write(np.ascontiguousarray(picture).data)
    pipe.close()


def _command(path: Path, width: int, height: int, fps: int) -> list[str]:
    """Return the command for H.264 that every player shows.

    An odd edge gets one more line of pixels, because the format knows pairs only.
    """
    program = ffmpeg()
    assert program is not None
    return [
        program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
        "-r", str(fps), "-i", "-", "-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-preset", "fast",
        "-crf", "17", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-metadata", f"comment={NOTICE}",
        "-f", "mp4", str(path),
    ]  # fmt: skip
