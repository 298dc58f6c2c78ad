"""Faults of files as such, whatever is in them: cut short, empty, noise, no file at all."""

from __future__ import annotations

import os

from tests.unit.io.faults.cases import EITHER, WORKS, Fault, Rng, Sound
from tests.unit.io.faults.sound import IMPORTERS

TEXTS: tuple[str, ...] = (
    "regions geojson", "regions toml", "fleet toml", "operations toml", "schedule csv", "project text",
    "perimeters geojson", "perimeters kml", "wind csv",
)  # fmt: skip
BINARIES = tuple(name for name in IMPORTERS if name not in TEXTS)
ALONE = tuple(name for name in IMPORTERS if name != "pytorchfire")  # of its files some need not be there
GIANT_BYTES = 3 * 2**30


def cut(sound: Sound, rng: Rng) -> None:
    """Only the first part of the file is there."""
    data = sound.path.read_bytes()
    sound.path.write_bytes(data[: int(len(data) * rng.uniform(0.15, 0.9))])


def cut_in_a_word(sound: Sound, rng: Rng) -> None:
    """A text ends within a value, where no reader can take it for whole."""
    text = sound.path.read_text(encoding="utf-8")
    ends = [
        place for place in range(len(text) // 4, len(text)) if text[place - 1] in '=[,"{' and text[place] not in '"\n'
    ]
    sound.path.write_text(text[: ends[rng.integers(len(ends))]].rstrip(" "), encoding="utf-8")


def emptied(sound: Sound, rng: Rng) -> None:
    """Zero bytes."""
    sound.path.write_bytes(b"")


def noise(sound: Sound, rng: Rng) -> None:
    """Random bytes under the right name."""
    sound.path.write_bytes(rng.bytes(int(rng.integers(200, 5000))))


def prose(sound: Sound, rng: Rng) -> None:
    """Words under the right name."""
    words = "the wind was from the north and nobody wrote it down\n"
    sound.path.write_text(words * int(rng.integers(1, 50)), encoding="utf-8")


def folder_instead(sound: Sound, rng: Rng) -> None:
    """A folder of the file's name."""
    sound.path.unlink()
    sound.path.mkdir()


def pipe_instead(sound: Sound, rng: Rng) -> None:
    """A pipe that nobody writes into: whoever reads it waits for ever."""
    sound.path.unlink()
    os.mkfifo(sound.path)


def missing(sound: Sound, rng: Rng) -> None:
    """No file."""
    sound.path.unlink()


def protected(sound: Sound, rng: Rng) -> None:
    """A file that may not be read."""
    sound.path.chmod(0)


def giant(sound: Sound, rng: Rng) -> None:
    """Gigabytes of nothing behind what was there, which take no room on the disk."""
    with sound.path.open("r+b") as file:
        file.truncate(GIANT_BYTES + int(rng.integers(1000)))


def flipped(sound: Sound, rng: Rng) -> None:
    """Some bits changed anywhere, as a bad disk or line does."""
    data = bytearray(sound.path.read_bytes())
    for place in rng.integers(len(data), size=int(rng.integers(1, 12))):
        data[place] ^= 1 << int(rng.integers(8))
    sound.path.write_bytes(bytes(data))


def flipped_ahead(sound: Sound, rng: Rng) -> None:
    """Bits changed in the first bytes, which is where sizes and types are."""
    data = bytearray(sound.path.read_bytes())
    for place in rng.integers(min(len(data), 400), size=int(rng.integers(1, 6))):
        data[place] ^= 1 << int(rng.integers(8))
    sound.path.write_bytes(bytes(data))


def nothing(sound: Sound, rng: Rng) -> None:
    """The file stays sound."""


_CUT = r"cut short|truncated|changed after it was saved|ends before|too short|cut off|malformed"
_CUT_TEXT = (
    r"cut short|ends before|is not valid TOML|of 5 columns|cut off|Unterminated|no element found|instead of \d"
    r"|not a (finite )?number"
)
_NOISE = r"is not |cannot be read as|changed after it was saved|no NumPy data|2 files \(|no columns of the wind"

WHOLE_FILES = (
    Fault("truncated", BINARIES, cut, _CUT),
    Fault("truncated", TEXTS, cut_in_a_word, _CUT_TEXT),
    Fault("empty", tuple(IMPORTERS), emptied, r"is empty|changed after it was saved"),
    Fault("noise", tuple(IMPORTERS), noise, _NOISE),
    Fault("noise: words", tuple(IMPORTERS), prose, _NOISE + r"|columns step, .* are missing"),
    Fault(
        "no file: folder",
        tuple(IMPORTERS),
        folder_instead,
        r"is a folder|is missing|project.toml is not a file|holds no .gpkg",
    ),
    Fault("no file: pipe", tuple(IMPORTERS), pipe_instead, r"is a pipe|is missing|project.toml is not a", alone=True),
    Fault("no file: missing", ALONE, missing, r"does not exist|is missing|has no project.toml"),
    Fault("no file: protected", tuple(IMPORTERS), protected, r"Permission denied", protected=True),
    Fault("giant", (*TEXTS, "schedule plan", "weights"), giant, r"too large", alone=True),
    Fault("flipped bits", tuple(IMPORTERS), flipped, "", EITHER),
    Fault("flipped bits: ahead", tuple(IMPORTERS), flipped_ahead, "", EITHER),
    Fault("odd path", tuple(IMPORTERS), nothing, "", WORKS, odd_path=True),
)
