"""Shards: processes that share the pages of a study, an output or a distortion."""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.noise_curve import main as noise_curve
from experiments.perturb_images import main as perturb_images
from experiments.read import main as ocr
from ohr.errors import ConfigError
from ohr.ocr.shards import PAGES_TOGETHER, Shard, ShardEnded, name_of, read_shards_of
from ohr.ocr.sharing import LEASES
from ohr.store.identity import file_digest
from ohr.store.leases import Leases
from ohr.types import PageRef
from tests.builders import CliRunner, write_corpus, write_pdf

NOISE = ["engines=[tests.fakes.LoggingEngine]", "noise=[rotation]", "levels=[mild]", "stages=ocr"]
RESULTS = ("rows.parquet", "cells.csv", "cases.zip", "problems.csv")


def call(command, *arguments: object):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@given(st.text(max_size=20), st.integers(0, 10**6), st.integers(1, 50))
def test_each_page_is_of_one_shard_and_its_neighbours_mostly_of_the_same(doc_id, page_no, count):
    shards = [Shard(index, count) for index in range(1, count + 1)]
    first = page_no - page_no % PAGES_TOGETHER
    names = {name_of(PageRef(doc_id, first + number)) for number in range(PAGES_TOGETHER)}
    assert sum(shard.owns(name) for name in names for shard in shards) == 1


def test_a_shard_does_not_look_into_the_files_of_others(tmp_path, monkeypatch):
    from ohr.study import knowledge_bases as variants

    settings = [*write_corpus(tmp_path, documents=6, pages=1), *NOISE[:1], "stages=ocr"]
    seen: list[Path] = []
    monkeypatch.setattr(
        variants, "source_digest", lambda path: seen.append(path) or file_digest(path)
    )
    for index in (1, 2, 3):
        done = call(noise_curve, *settings, "noise=[]", "--out", tmp_path / "run",
                    "--shard", f"{index}/3")  # fmt: skip
        assert done.exit_code == 0, done.output
    assert len(seen) == len(set(seen)) == 6


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "a/b", "-1/4", "1/0", "1/4/2"])
def test_a_shard_is_written_as_part_of_a_whole(text):
    with pytest.raises(ConfigError, match="1/8, 2/8 and so on to 8/8"):
        Shard.parse(text)


def drop_cache(settings: list[str], cache: Path) -> list[str]:
    return [s for s in settings if not s.startswith("cache=")] + [f"cache={cache}"]


@pytest.mark.slow
def test_three_shards_and_a_last_command_write_what_one_run_writes(tmp_path, log):
    settings = [*write_corpus(tmp_path), *NOISE]
    whole = tmp_path / "whole"
    done = call(noise_curve, *drop_cache(settings, tmp_path / "other"), "--out", whole)
    assert done.exit_code == 0, done.output
    read = Counter(log.read_text().split())
    log.write_text("")
    out = tmp_path / "run"
    for index in (1, 2):
        done = call(noise_curve, *settings, "--out", out, "--shard", f"{index}/3")
        assert done.exit_code == 0, done.output
        assert f"shard {index}/3: " in done.output
        assert not (out / "manifest.json").exists()
        assert not (out / "cells.csv").exists()
    last = call(noise_curve, *settings, "--out", out)
    assert last.exit_code == 0, last.output
    assert "pages that none of 2 shards has read: " in last.output
    assert Counter(log.read_text().split()) == read
    for name in RESULTS:
        assert (out / name).read_bytes() == (whole / name).read_bytes()
    by_shards, by_one = (
        json.loads((run / "manifest.json").read_text())["config"] | {"cache": ""}
        for run in (out, whole)
    )
    assert by_shards == by_one
    assert list((tmp_path / "cache" / LEASES).iterdir()) == []


@pytest.mark.slow
def test_a_shard_that_steals_leaves_nothing_to_read(tmp_path, log):
    settings = [*write_corpus(tmp_path), *NOISE]
    out = tmp_path / "run"
    done = call(noise_curve, *settings, "--out", out, "--shard", "2/3", "--steal")
    assert done.exit_code == 0, done.output
    read = log.read_text()
    again = call(noise_curve, *settings, "--out", out, "--shard", "1/3")
    assert "shard 1/3: 0 pages read now" in again.output
    last = call(noise_curve, *settings, "--out", out)
    assert last.exit_code == 0
    assert "has read" not in last.output
    assert log.read_text() == read
    told = json.loads((out / ".progress" / "shard-2-of-3").read_text())
    assert (told["state"], told["read"], told["failed"]) == ("done", 24, 0)
    assert sum(slot["pages"] for slot in told["slots"]) == told["read"]


@pytest.mark.slow
def test_a_page_that_another_reads_is_waited_for(tmp_path, log, monkeypatch):
    """The other gives its lease back without having read it, as one that was stopped does."""
    from ohr.ocr import shards

    settings = [*write_corpus(tmp_path, documents=1, pages=2), *NOISE]
    leased = Leases(tmp_path / "cache" / LEASES)
    taken = []
    take = Leases.take

    def first_by_another(leases, name):
        if not taken:
            taken.append(take(leased, name))
        return take(leases, name)

    monkeypatch.setattr(Leases, "take", first_by_another)
    waits = []

    def give_back():
        waits.append(len(log.read_text().split()))
        leased.release(next(iter(leased._held)))

    monkeypatch.setattr(shards, "pause", give_back)
    with leased:
        done = call(noise_curve, *settings, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert waits == [3]  # the others were read meanwhile
    assert len(log.read_text().split()) == 4


@pytest.mark.slow
def test_equal_pages_are_read_once_where_there_are_no_symbolic_links(tmp_path, log, monkeypatch):
    settings = [
        *write_corpus(tmp_path, documents=2, pages=2),
        *NOISE[:1],
        "stages=ocr",
        "workers=2",
    ]
    first, second = sorted((tmp_path / "pdfs").rglob("*.pdf"))
    second.write_bytes(first.read_bytes())

    def refuse(*of: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "symlink", refuse)
    done = call(noise_curve, *settings, "noise=[]", "--out", tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert len(log.read_text().split()) == 2


def test_steal_needs_a_shard_and_a_shard_needs_pages(tmp_path):
    settings = [*write_corpus(tmp_path), "stages=ocr"]
    done = call(noise_curve, *settings, "--out", tmp_path / "run", "--steal")
    assert (done.exit_code, "give --shard too" in done.output) == (2, True)


@pytest.mark.slow
def test_a_shard_refuses_another_studys_folder(tmp_path):
    settings = [*write_corpus(tmp_path), *NOISE]
    out = tmp_path / "run"
    assert call(noise_curve, *settings, "--out", out).exit_code == 0
    done = call(noise_curve, *settings, "seed=7", "--out", out, "--shard", "1/2")
    assert done.exit_code == 2
    assert "another study's results" in done.output


def test_of_several_studies_a_shard_reads_each():
    read = []

    def study(name):
        read.append(name)
        raise ShardEnded(f"{name}: read\nthe last line")

    with pytest.raises(ShardEnded) as ended:
        read_shards_of([lambda: study("clean"), lambda: study("noisy")])
    assert read == ["clean", "noisy"]
    assert str(ended.value).splitlines() == ["clean: read", "the last line", "noisy: read"]


@pytest.fixture
def folder(tmp_path):
    for name in ("a", "b", "c"):
        write_pdf(tmp_path / "in" / f"{name}.pdf", 3)
    return tmp_path / "in"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["tests.fakes.LoggingEngine", "tests.pdf_fakes.PdfEngine"])
def test_ocr_by_shards_writes_the_same_knowledge_base(folder, tmp_path, log, engine):
    def read(out, cache, *more):
        return call(ocr, folder, "--engine", engine, "--out", tmp_path / out,
                    "--cache", tmp_path / cache, "--workers", 1, *more)  # fmt: skip

    assert read("whole", "other").exit_code == 0
    once = sorted(log.read_text().split())
    log.write_text("")
    for index in (1, 2, 3):
        done = read("kb", "cache", "--shard", f"{index}/3")
        assert done.exit_code == 0, done.output
    assert sorted(log.read_text().split()) == once
    assert not list((tmp_path / "kb").rglob("*.json"))
    last = read("kb", "cache")
    assert last.exit_code == 0, last.output
    assert "9 pages of 3 documents: 9 ok" in last.output
    assert sorted(log.read_text().split()) == once
    for path in (tmp_path / "whole").rglob("*/*.json"):
        other = tmp_path / "kb" / path.relative_to(tmp_path / "whole")
        assert other.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_pages_distorted_by_shards_are_those_of_one_command(folder, tmp_path):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing else")

    def distort(out, *more):
        return call(perturb_images, folder, "--out", tmp_path / out, "--noise", "rotation",
                    "--level", "mild", "--workers", 1, "--dpi", 72, *more)  # fmt: skip

    assert distort("whole").exit_code == 1
    assert distort("parts", "--shard", "1/3").exit_code == 0
    assert not (tmp_path / "parts" / "records.jsonl").exists()
    assert distort("parts", "--shard", "3/3", "--steal").exit_code == 0
    pages = sorted((tmp_path / "parts").rglob("page*.png"))
    assert len(pages) == 9
    before = [page.stat().st_mtime_ns for page in pages]
    pages[4].unlink()
    last = distort("parts")
    assert last.exit_code == 1
    assert "1 of 10 pages could not be distorted" in last.output
    after = [page.stat().st_mtime_ns for page in pages]
    assert after[:4] + after[5:] == before[:4] + before[5:]
    for path in sorted((tmp_path / "whole").rglob("*.*")):
        other = tmp_path / "parts" / path.relative_to(tmp_path / "whole")
        if path.is_file() and path.name != ".lock":
            assert other.read_bytes() == path.read_bytes(), path
