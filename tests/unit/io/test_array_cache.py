"""Arrays kept on disk: the same ones come back, or none."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from firegui.io.array_cache import ArrayCache, maps_cache

ARRAYS = {"phi": np.arange(600, dtype=np.float32).reshape(2, 300), "t_burn": np.asarray(10.0)}


def entry(cache: ArrayCache, key: str, age: int) -> Path:
    """Keep 4,000 bytes and more, last used ``age`` seconds ago."""
    cache.write(key, {"a": np.zeros(1000, np.float32)})
    path = cache.folder / f"{key}.npz"
    used = path.stat().st_mtime - age
    os.utime(path, (used, used))
    return path


def test_what_was_kept_comes_back_bit_for_bit(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path / "maps")
    assert cache.read("key", ("phi",)) is None
    cache.write("key", ARRAYS)
    found = cache.read("key", ("phi", "t_burn"))
    assert found is not None
    assert found["phi"].tobytes() == ARRAYS["phi"].tobytes() and found["phi"].flags.writeable
    assert float(found["t_burn"]) == 10.0
    assert [path.name for path in (tmp_path / "maps").iterdir()] == ["key.npz"]


@pytest.mark.parametrize("damage", ["a bit", "the end", "everything", "an array"])
def test_a_damaged_entry_is_none_and_is_deleted(tmp_path: Path, damage: str) -> None:
    cache = ArrayCache(tmp_path)
    cache.write("key", ARRAYS)
    path = tmp_path / "key.npz"
    data = bytearray(path.read_bytes())
    if damage == "a bit":
        data[data.index(ARRAYS["phi"].tobytes()) + 1000] ^= 1
    if damage == "the end":
        del data[1500:]
    path.write_bytes(b"no archive" if damage == "everything" else data)
    names = ("phi", "gamma") if damage == "an array" else ("phi", "t_burn")
    assert cache.read("key", names) is None
    assert not path.exists()


def test_what_was_not_used_for_longest_makes_room(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path, most_bytes=12_000)
    oldest, older = entry(cache, "oldest", 300), entry(cache, "older", 200)
    assert cache.read("oldest", ("a",)) is not None  # now it was used last
    entry(cache, "new", 0)
    assert oldest.exists() and not older.exists()
    assert sum(cache.sizes().values()) <= 12_000


def test_one_entry_does_not_fill_the_cache(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path, most_bytes=7000)
    cache.write("large", {"a": np.zeros(1000, np.float32)})
    assert cache.sizes() == {}


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    cache = ArrayCache(tmp_path / "file" / "maps")
    cache.write("key", ARRAYS)
    assert cache.read("key", ("phi",)) is None and cache.sizes() == {}
    cache.clear()


def test_the_cache_can_be_cleared(tmp_path: Path) -> None:
    cache = ArrayCache(tmp_path / "maps")
    cache.write("key", ARRAYS)
    cache.clear()
    assert cache.sizes() == {}


def test_maps_lie_beside_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    cache = maps_cache()
    assert cache is not None and cache.folder == tmp_path / "firegui" / "maps"
