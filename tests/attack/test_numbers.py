"""Every number of every text sample, replaced by each of a few extremes, ends in success or one message.

The seeded attacks draw such cases at random and meet a given one rarely. Here they are tried one after another, with
the commands called in this process. There are 20,000, which takes about an hour: slow, and in parts.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from firegui.cli.main import main
from firegui.cli.shell import report_error
from tests.attack import readers
from tests.attack.attack import ask, make_places
from tests.attack.judge import complaints
from tests.attack.mutators import NUMBER, TEXTS
from tests.attack.samples import READ, Sample

EXTREMES = (
    "-1", "0", str(2**63), str(10**400), "1e308", "1e30", "nan", "-inf", "1e-308", '""', '"1_0"', "true", "[]", "{}",
)  # fmt: skip
MOST_PLACES = 60
"""Numbers of a file that are tried; of more, these many are spread over the file."""

PARTS = 20

Case = tuple[Sample, Path, slice, str]


class InThisProcess:
    """Calls commands, and readers of the window, without a process of their own."""

    def run(self, words: tuple[str, ...], folder: Path, humble: bool, **more: object) -> dict[str, float]:
        """Call a command, with its output in files of ``folder``."""
        with (
            (folder / "out").open("w", encoding="utf-8") as out,
            (folder / "err").open("w", encoding="utf-8") as err,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = _code(words)
        return {"code": code, "seconds": 0.0, "peak_mb": 0.0}


def _code(words: tuple[str, ...]) -> int:
    try:
        if words[0].startswith(READ):
            reader: Callable[[Path], object] = getattr(readers, words[0].removeprefix(READ))
            reader(Path(words[1]))
        else:
            main(args=list(words), prog_name="firegui")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 98 if leaving.code else 0
    except Exception as error:
        return report_error(error, as_json=False)
    return 0


def cases(samples: list[Sample]) -> Iterator[Case]:
    """Yield every sample, the file in it, the number there and what takes its place. Like files are tried once."""
    seen = set()
    for sample in samples:
        for path in sorted(path for path in sample.folder.rglob("*") if path.suffix in TEXTS and path.is_file()):
            text = path.read_text(encoding="utf-8", errors="replace")
            key = (sample.name if path == sample.sound.path else path.name, text)
            if key in seen:
                continue
            seen.add(key)
            places = [slice(*match.span()) for match in NUMBER.finditer(text)]
            chosen = np.unique(np.linspace(0, len(places) - 1, min(MOST_PLACES, len(places))).astype(int))
            for place in (places[number] for number in chosen):
                yield from ((sample, path.relative_to(sample.folder), place, extreme) for extreme in EXTREMES)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_number_replaced_by_an_extreme_is_no_more_than_one_message(
    part: int, tmp_path: Path, samples: list[Sample]
) -> None:
    failures, count, folder = [], 0, tmp_path / "try"
    for sample, file, place, extreme in islice(cases(samples), part, None, PARTS):
        make_places(folder)
        sound = sample.copy(folder / "data" / "in")
        path = folder / "data" / "in" / file
        text = path.read_text(encoding="utf-8", errors="replace")
        path.write_text(text[: place.start] + extreme + text[place.stop :], encoding="utf-8")
        words = tuple(str(folder / "data" / "new.firegui") if word == "OUT" else word for word in sound.words)
        answer, took = ask(InThisProcess(), words, folder)
        found = complaints(answer, took, folder)
        near = text[max(place.start - 30, 0) : place.stop]
        failures += [f"{sample.name}, {file}: {near!r} -> {extreme[:12]}: {each}" for each in found]
        count += 1
        shutil.rmtree(folder)
    assert count * PARTS > 1_000 and not failures, "\n".join(failures)
