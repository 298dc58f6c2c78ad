"""Strict parser of an exported web page."""

from __future__ import annotations

from html.parser import HTMLParser

_EMPTY = {"meta", "img", "br"}


class Page(HTMLParser):
    """What a reader finds on a page; it refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style" and data.strip():
            self.words.append(data.strip())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for found, attributes in self.tags if found == tag]
