from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import StoreError
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from tests.examples import examples


def test_round_trip_and_missing(tmp_path):
    store = ArtefactStore(tmp_path)
    key = {"pixels": "abc", "engine": {"name": "x", "params": {}}}
    assert store.get("ocr", key) is None
    store.put("ocr", key, {"text": "Größe \ud83d", "status": "ok"})
    assert store.get("ocr", key) == {"text": "Größe \ud83d", "status": "ok"}
    assert store.get("ocr", dict(reversed(key.items()))) is not None
    assert store.get("reading", key) is None


def test_a_damaged_artefact_counts_as_none(tmp_path):
    store = ArtefactStore(tmp_path)
    store.put("ocr", "key", [1])
    store.path("ocr", "key").write_text("[1")
    assert store.get("ocr", "key") is None


VALUES = st.recursive(st.none() | st.integers() | st.text(max_size=9), st.lists, max_leaves=5)


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8 % len(data)] ^= 1 << bit % 8
    return bytes(changed)


@examples(200)
@given(VALUES, st.integers(0))
def test_a_flipped_bit_never_becomes_another_value(tmp_path_factory, value, bit):
    store = ArtefactStore(tmp_path_factory.mktemp("store"))
    store.put("ocr", "key", value)
    path = store.path("ocr", "key")
    path.write_bytes(flipped(path.read_bytes(), bit))
    assert store.get("ocr", "key") is None


def test_an_artefact_in_the_place_of_another_counts_as_none(tmp_path):
    store = ArtefactStore(tmp_path)
    store.put("ocr", "one", {"text": "one"})
    other = store.path("ocr", "other")
    other.parent.mkdir(parents=True)
    other.write_bytes(store.path("ocr", "one").read_bytes())
    assert store.get("ocr", "other") is None


def test_an_artefact_of_before_checksums_stands_and_is_given_one(tmp_path):
    store = ArtefactStore(tmp_path)
    path = store.path("ocr", "key")
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"status":"ok","text":"read for hours"}')
    assert store.get("ocr", "key") == {"text": "read for hours", "status": "ok"}
    path.write_bytes(path.read_bytes().replace(b"hours", b"house"))
    assert store.get("ocr", "key") is None


def test_an_old_cache_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    store = ArtefactStore(tmp_path)
    path = store.path("ocr", "key")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"[1]")

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "replace", refuse)
    assert store.get("ocr", "key") == [1]


def test_a_kind_is_never_a_path(tmp_path):
    with pytest.raises(ValueError, match="kind"):
        ArtefactStore(tmp_path).put("../x", "key", 1)


def test_a_full_disk_is_an_error_that_leaves_the_old_file(tmp_path, monkeypatch):
    store = ArtefactStore(tmp_path)
    store.put("ocr", "key", "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreError, match="No space left"):
        store.put("ocr", "key", "new")
    assert store.get("ocr", "key") == "old"
    assert [p.suffix for p in tmp_path.rglob("*") if p.is_file()] == [".json"]


def test_a_kill_while_writing_leaves_all_or_nothing(tmp_path):
    script = (
        "from pathlib import Path; from ohr.store.artefacts import ArtefactStore\n"
        f"store = ArtefactStore(Path({str(tmp_path)!r}))\n"
        "n = 0\n"
        "while True: store.put('ocr', n, 'x' * 200_000); n += 1\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 20
    while len(list(tmp_path.rglob("*.json"))) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    store = ArtefactStore(tmp_path)
    found = [store.get("ocr", n) for n in range(len(list(tmp_path.rglob("*.json"))))]
    assert len(found) >= 5
    assert all(text == "x" * 200_000 for text in found)


def test_text_with_surrogates_is_written_as_valid_utf8(tmp_path):
    write_text(tmp_path / "x.csv", "a\ud800b")
    assert (tmp_path / "x.csv").read_text("utf-8") == "a?b"
