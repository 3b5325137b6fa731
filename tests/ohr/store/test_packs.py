"""Artefacts carried in packs: all of them arrive, and damage counts as none."""

from __future__ import annotations

import uuid
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.store import packs as packs_module
from ohr.store.artefacts import ArtefactStore
from ohr.store.packs import Packs
from tests.examples import examples

pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'ohr[fsspec]'")

VALUES = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3)


def nothing(done, total):
    pass


def filled(root, values, kind="reading"):
    store = ArtefactStore(root)
    for number, value in enumerate(values):
        store.put(kind, ["key", number, value], value)
    return store


@pytest.fixture
def url():
    return f"memory://{uuid.uuid4()}/study"


@examples(20)
@given(first=st.lists(VALUES, max_size=6), second=st.lists(VALUES, max_size=6))
def test_two_machines_have_what_either_had(first, second, tmp_path_factory):
    url = f"memory://{uuid.uuid4()}"
    roots = [tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two")]
    for root, values in zip(roots, (first, second), strict=True):
        filled(root, values)
        Packs(root, url).push(nothing)
    for root in roots:
        Packs(root, url).pull(nothing)
        store = ArtefactStore(root)
        for values in (first, second):
            for number, value in enumerate(values):
                assert store.get("reading", ["key", number, value]) == value
        assert Packs(root, url).push(nothing).artefacts == 0
        assert Packs(root, url).pull(nothing).packs == 0


@pytest.mark.parametrize("local", [True, False])
def test_packs_are_full_at_their_size_and_what_is_there_is_not_sent_again(
    tmp_path, url, local, monkeypatch
):
    monkeypatch.setattr(packs_module, "PACK_BYTES", 400)
    url = str(tmp_path / "shared" / "study") if local else url
    filled(tmp_path / "a", [{"text": "x" * 100}] * 10)
    moved = Packs(tmp_path / "a", url).push(nothing)
    assert (moved.artefacts, moved.damaged) == (10, 0)
    assert 3 <= moved.packs <= 5
    told = []
    again = Packs(tmp_path / "b", url).pull(lambda *counts: told.append(counts))
    assert (again.artefacts, again.packs) == (10, moved.packs)
    assert told[-1] == (moved.packs - 1, moved.packs)
    filled(tmp_path / "b", [{"text": "new"}], kind="ocr")
    assert Packs(tmp_path / "b", url).push(nothing).artefacts == 1
    assert Packs(tmp_path / "a", url).pull(nothing).artefacts == 1
    if local:
        assert not list((tmp_path / "shared").rglob("*.part"))


def test_the_same_artefacts_make_the_same_pack(tmp_path):
    for name in ("a", "b"):
        filled(tmp_path / name, [{"text": "same"}, {"text": "other"}])
        Packs(tmp_path / name, str(tmp_path / f"to-{name}")).push(nothing)
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / f"to-{name}").iterdir()}
        for name in ("a", "b")
    )
    assert one == other


def test_a_page_that_was_read_at_another_try_takes_the_place_of_its_failure(tmp_path, url):
    one, other = ArtefactStore(tmp_path / "a"), ArtefactStore(tmp_path / "b")
    failure = {"status": "timeout", "detail": "60 s", "given": [60, 600]}
    read = {"status": "ok", "text": "Read.", "detail": ""}
    for store in (one, other):
        store.put("reading", "page", failure)
        store.put("reading", "next", read)
    moved = Packs(one.root, url).push(nothing)
    assert (moved.packs, moved.artefacts, moved.damaged) == (1, 1, 0)
    Packs(other.root, url).pull(nothing)
    one.put("reading", "page", read)
    assert Packs(one.root, url).push(nothing).artefacts == 1
    # A failure never takes the place of a reading.
    assert Packs(other.root, url).push(nothing).artefacts == 0
    assert Packs(other.root, url).pull(nothing).artefacts == 1
    assert other.get("reading", "page") == read
    assert Packs(one.root, url).pull(nothing).artefacts == 0


def test_machines_of_which_one_failed_make_two_packs(tmp_path, url):
    for name, status in (("a", "error"), ("b", "ok")):
        store = ArtefactStore(tmp_path / name)
        store.put("reading", "page", {"status": status, "text": "Read.", "detail": ""})
        store.put("reading", "next", {"status": "ok", "text": "Read too.", "detail": ""})
        assert Packs(tmp_path / name, url).push(nothing).packs == 1
    assert Packs(tmp_path / "a", url).pull(nothing).artefacts == 1


def test_damage_on_either_side_is_counted_and_left(tmp_path):
    there = tmp_path / "there"
    store = filled(tmp_path / "a", [{"text": "one"}, {"text": "two"}, {"text": "three"}])
    path = store.path("reading", ["key", 1, {"text": "two"}])
    path.write_bytes(path.read_bytes().replace(b"two", b"tvo"))
    moved = Packs(tmp_path / "a", str(there)).push(nothing)
    assert (moved.artefacts, moved.damaged) == (2, 1)

    [pack] = there.glob("*.zip")
    evil = there / f"{'0' * 32}.zip"
    with zipfile.ZipFile(pack) as whole, zipfile.ZipFile(evil, "w") as archive:
        name = whole.namelist()[0]
        archive.writestr(name, whole.read(name).replace(b"text", b"test"))
        archive.writestr("../../outside.json", b"{}")
        archive.writestr("reading/ab/outside.json", b"{}")
    (there / f"{'1' * 32}.zip").write_bytes(pack.read_bytes()[:50])
    (there / "readme.txt").write_text("no pack")
    moved = Packs(tmp_path / "b", str(there)).pull(nothing)
    assert (moved.artefacts, moved.packs, moved.damaged) == (2, 2, 5)
    assert not list(tmp_path.rglob("outside.json"))
    # The pack that could not be read is tried again; the other one is known.
    assert Packs(tmp_path / "b", str(there)).pull(nothing).damaged == 1


@pytest.mark.slow
def test_no_flipped_byte_in_a_pack_goes_unnoticed(tmp_path):
    there = tmp_path / "there"
    filled(tmp_path / "a", [{"text": f"page {number} " * 40} for number in range(3)])
    Packs(tmp_path / "a", str(there)).push(nothing)
    [pack] = there.glob("*.zip")
    data = pack.read_bytes()
    for position in range(0, len(data), 2):
        flipped = bytearray(data)
        flipped[position] ^= 0x5A
        pack.write_bytes(flipped)
        moved = Packs(tmp_path / f"to-{position}", str(there)).pull(nothing)
        assert moved.damaged or moved.artefacts == 3, position


def test_a_full_disk_under_a_new_pack_is_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    filled(tmp_path / "a", [{"text": "one"}])
    monkeypatch.setattr(packs_module.zipfile.ZipFile, "writestr", full)
    with pytest.raises(StoreError, match=r"new\.zip: No space left"):
        Packs(tmp_path / "a", str(tmp_path / "there")).push(nothing)


def test_a_place_that_cannot_be_is_one_line(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="nonsense"):
        Packs(tmp_path, "nonsense://bucket/x")
    (tmp_path / "file").write_text("")
    filled(tmp_path / "a", [{"text": "one"}])
    with pytest.raises(StoreError, match="file/below"):
        Packs(tmp_path / "a", str(tmp_path / "file" / "below")).push(nothing)
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingDependencyError, match=r"ohr\[fsspec\]"):
        Packs(tmp_path, "memory://x")
