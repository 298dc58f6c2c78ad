"""What a reader says of a value it cannot take, in words for people."""

from __future__ import annotations

import re

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "date": "a date",
    "datetime": "a time",
}
_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `array` of length (\d+), got (\d+)")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_CHOICE = re.compile(r"Invalid enum value (.+?)(?: - at|$)")
_PLACE = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`")


def plain_words(error: Exception) -> str:
    """The message of a failed conversion without the names that only programmers know; others as they are."""
    text = str(error)
    place = _PLACE.search(text)
    where = f" at {place[1]}" if place and place[1] else ""
    if found := _LENGTH.search(text):
        return f"has {_values(int(found[2]))} instead of {found[1]}{where}"
    if found := _TYPE.search(text):
        return f"is {_kind(found[2])}, not {_kind(found[1])}{where}"
    if found := _MISSING.search(text):
        return f"{found[1]} is missing{where}"
    if found := _CHOICE.search(text):
        return f"{found[1]} is not one of the values it may have{where}"
    return text


def _kind(name: str) -> str:
    return " or ".join(_KINDS.get(part.strip(), part.strip()) for part in name.split("|"))


def _values(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"
