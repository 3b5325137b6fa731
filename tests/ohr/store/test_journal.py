from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import StoreError
from ohr.store.artefacts import ArtefactStore
from ohr.store.journal import Journal
from tests.examples import examples

VALUES = st.recursive(st.none() | st.integers() | st.text(max_size=9), st.lists, max_leaves=5)


@examples(30)
@given(st.dictionaries(st.text(max_size=9), VALUES, max_size=5))
def test_what_is_kept_comes_back_in_another_process(tmp_path_factory, entries):
    path = tmp_path_factory.mktemp("journal") / "answers" / "a.jsonl"
    journal = Journal(path)
    for key, value in entries.items():
        journal.put(key, value)
        assert journal.get(key) == value
    again = Journal(path)
    assert {key: again.get(key) for key in entries} == entries
    assert again.get("absent \x00") is None


def test_a_torn_line_costs_itself_alone(tmp_path):
    path = tmp_path / "a.jsonl"
    Journal(path).put("one", [1, "é\u2028\r\n"])
    whole = path.read_bytes()
    Journal(path).put("two", [2])
    torn = path.read_bytes()[: len(whole) + 5]
    path.write_bytes(torn)
    journal = Journal(path)
    assert (journal.get("one"), journal.get("two")) == ([1, "é\u2028\r\n"], None)
    journal.put("three", [3])
    again = Journal(path)
    assert [again.get(key) for key in ("one", "two", "three")] == [[1, "é\u2028\r\n"], None, [3]]


@examples(200)
@given(st.dictionaries(st.text(max_size=9), VALUES, min_size=1, max_size=4), st.integers(0))
def test_a_flipped_bit_never_becomes_another_value(tmp_path_factory, entries, bit):
    path = tmp_path_factory.mktemp("journal") / "a.jsonl"
    for key, value in entries.items():
        Journal(path).put(key, value)
    data = bytearray(path.read_bytes())
    data[bit // 8 % len(data)] ^= 1 << bit % 8
    path.write_bytes(data)
    journal = Journal(path)
    read = {key: journal.get(key) for key in entries}
    lost = {key for key in entries if read[key] is None and entries[key] is not None}
    assert len(lost) <= 2  # a line break that was lost
    assert {key: read[key] for key in entries if key not in lost} == {
        key: value for key, value in entries.items() if key not in lost
    }


def test_behind_a_damaged_line_no_earlier_value_comes_up(tmp_path):
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.put("k", "failed")
    journal.put("k", "answered")
    path.write_bytes(path.read_bytes().replace(b"answered", b"answeret"))
    assert Journal(path).get("k") is None


def test_lines_of_before_checksums_stand_and_are_given_one(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\n["k",["an answer"]]\n')
    assert Journal(path).get("k") == ["an answer"]
    assert Journal(path).get("k") == ["an answer"]
    assert path.read_bytes().count(b"an answer") == 2  # the old line and the new one
    path.write_bytes(path.read_bytes().replace(b"an answer", b"an answes"))
    assert Journal(path).get("k") is None


def test_the_later_line_counts_and_nonsense_counts_as_none(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xff\xfe\n["k",1]\n{"k":2}\n["k"]\n[3]\nnull\n["k",4]\n[]\n')
    assert Journal(path).get("k") == 4


@pytest.mark.slow
def test_processes_share_a_journal(tmp_path):
    path = tmp_path / "a.jsonl"
    code = (
        "import sys; from pathlib import Path; from ohr.store.journal import Journal\n"
        "j = Journal(Path(sys.argv[1]))\n"
        "for n in range(200): j.put(f'{sys.argv[2]}{n}', 'x' * 500)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in ("a", "b", "c")
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    journal = Journal(path)
    assert all(journal.get(f"{name}{n}") == "x" * 500 for name in "abc" for n in range(200))


def test_a_full_disk_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", lambda handle, data: 3)
    with pytest.raises(StoreError, match=r"cannot write .*a\.jsonl: no space"):
        Journal(tmp_path / "a.jsonl").put("k", 1)


def test_the_store_names_journals_by_kind_and_key(tmp_path):
    store = ArtefactStore(tmp_path)
    store.journal("answers", {"reader": 1}).put("k", 1)
    assert store.journal("answers", {"reader": 1}).get("k") == 1
    assert store.journal("answers", {"reader": 2}).get("k") is None
    with pytest.raises(ValueError, match="not a kind"):
        store.journal("../answers", {})
