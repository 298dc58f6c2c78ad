"""Notes for crews: radio frequencies and hazards, typed in by people and printed.

No plan depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass

from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import option, title_of
from firegui.errors import Problem

USUAL_USES = (
    "Air/Air Fixed-Wing", "Air/Air Rotary-Wing – Flight Following", "Air/Ground", "Command", "Deck Coordinator",
    "Take-Off & Landing Coordinator", "Air Guard",
)  # fmt: skip
"""Uses that block 8 of the Air Operations Summary (FEMA, ICS Forms Booklet, ICS 220) has lines for."""
MOST_FREQUENCIES, MOST_HAZARDS = 40, 40
MOST_USE_LETTERS, MOST_FREQUENCY_LETTERS, MOST_HAZARD_LETTERS = 60, 40, 300


@dataclass(frozen=True, slots=True)
class RadioFrequency:
    """Channel of a ``use``: its frequency in the AM band, in the FM band, or in both.

    Tones are part of the text, as they are typed.
    """

    use: str = option(
        MISSING, "Use", "what the channel is for, such as Air/Ground; those of block 8 of ICS 220 stand on its lines",
        synonyms="radio channel net",
    )  # fmt: skip
    am: str = option("", "AM", "frequency in the AM band, such as 122.925; empty for none", synonyms="radio VHF MHz")
    fm: str = option(
        "", "FM", "frequency in the FM band, with its tone, such as 168.275 T110.9; empty for none",
        synonyms="radio VHF MHz tone",
    )  # fmt: skip

    @property
    def text(self) -> str:
        """The channel in one line: ``Air/Ground: AM 122.925, FM 168.275``."""
        parts = [f"{band} {value.strip()}" for band, value in (("AM", self.am), ("FM", self.fm)) if value.strip()]
        return f"{self.use.strip()}: {', '.join(parts)}"

    def problems(self) -> list[Problem]:
        """Return everything wrong with the channel itself."""
        where = f"frequency {shown_name(self.use.strip()) or '(no use)'}"
        found = [] if self.use.strip() else [Problem(where, "the use is empty", "say what each channel is for")]
        found += _text_problems(where, self.use, "the use", MOST_USE_LETTERS)
        for name in ("am", "fm"):
            value = getattr(self, name)
            found += _text_problems(where, value, title_of(self, name), MOST_FREQUENCY_LETTERS)
            if value.strip() and not any(letter.isdecimal() for letter in value):
                what = f"{title_of(self, name)} '{shown_name(value.strip())}' is not a frequency"
                found.append(Problem(where, what, "write it in MHz, such as 122.925"))
        if not (self.am.strip() or self.fm.strip()):
            found.append(Problem(where, "has neither an AM nor an FM frequency", "give one, or remove the line"))
        return found


def typed_frequency(text: str) -> RadioFrequency:
    """Return the channel that ``USE=AM,FM`` means; one of the two frequencies may be left out.

    What is wrong with it is left to :meth:`RadioFrequency.problems`.
    """
    use, _, bands = text.partition("=")
    am, _, fm = bands.partition(",")
    return RadioFrequency(use.strip(), am.strip(), fm.strip())


def hazard_problems(hazards: Sequence[str]) -> list[Problem]:
    """Return everything wrong with the texts of hazards."""
    found: list[Problem] = []
    for number, text in enumerate(hazards, start=1):
        where = f"hazard {number}"
        if not text.strip():
            found.append(Problem(where, "the text is empty", "describe it, or remove the line"))
        found += _text_problems(where, text, "the text", MOST_HAZARD_LETTERS)
    if len(hazards) > MOST_HAZARDS:
        found.append(Problem("hazards", f"there are {len(hazards):,}", f"give at most {MOST_HAZARDS}"))
    return found


def frequency_problems(frequencies: Sequence[RadioFrequency]) -> list[Problem]:
    """Return everything wrong with channels, each and together."""
    found = [problem for item in frequencies for problem in item.problems()]
    found += repeated_names("frequencies", (item.use for item in frequencies), "the use")
    if len(frequencies) > MOST_FREQUENCIES:
        found.append(Problem("frequencies", f"there are {len(frequencies):,}", f"give at most {MOST_FREQUENCIES}"))
    return found


def _text_problems(where: str, text: str, what: str, most: int) -> list[Problem]:
    """Return what keeps a text from being printed: characters that show nothing, too many letters."""
    found = character_problems(where, text, what)
    hidden = sorted({letter for letter in text if not letter.isprintable()})
    if hidden and not found:
        codes = ", ".join(f"U+{ord(letter):04X}" for letter in hidden)
        found.append(Problem(where, f"{what} has characters that cannot be printed ({codes})", "leave them out"))
    if len(text) > most:
        found.append(Problem(where, f"{what} has {len(text):,} letters", f"use at most {most}"))
    return found
