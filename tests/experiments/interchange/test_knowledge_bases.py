"""A knowledge base exported with what is known of each page."""

from __future__ import annotations

import json

import pytest

from experiments import convert_export as export
from experiments import read
from ohr.ocr.page_records import PageRecord, read_table, write_records
from ohr.store.atomic import write_text
from ohr.types import PageRef
from tests.builders import CliRunner, write_kb, write_pdf
from tests.experiments.own_pages import FAKE, give
from tests.fakes import MENDED

BROKEN = "tests.fakes.MendableEngine"


def convert(source, out, form="jsonl", exit_code=0):
    done = CliRunner().invoke(export.main, [str(source), "--format", form, "--out", str(out)])
    assert done.exit_code == exit_code, done.output
    return " ".join((done.stderr if exit_code else done.stdout).split())


def lines(folder):
    return [json.loads(line) for line in (folder / "pages.jsonl").read_bytes().splitlines()]


@pytest.fixture
def kb(tmp_path):
    """A knowledge base with a page that failed, as ``ohr read --auto`` writes it."""
    folder = write_kb(tmp_path / "kb", {"law/b": ["one", "two"], "law/a.png": [""]})
    records = [
        PageRecord(PageRef("law/b", 0), "b.pdf", "layer", "its text layer is verified", "one"),
        PageRecord(
            PageRef("law/b", 1), "b.pdf", "rapidocr", "", "two", "", 0.25, 0.1, 0.4, 0.9,
            ("=tw", "o, two", "NA"), 1.5,
        ),
        PageRecord(PageRef("law/b", 2), "b.pdf", "tesseract", "", None, "stopped after 300 s"),
        PageRecord(PageRef("law/a.png", 0), "a.png", "tesseract", "", "", "no text was found"),
    ]  # fmt: skip
    manifest = {"engine": {"name": "routes"}, "dpi": [150], "pages": {"ok": 2, "error": 1}}
    write_text(folder / "manifest.json", json.dumps(manifest))
    write_records(records, folder, ["jsonl", "markdown"])
    return folder


def test_an_export_is_what_read_writes(kb, tmp_path):
    said = convert(kb, tmp_path / "lines")
    assert "4 pages of 2 documents" in said
    assert "without text: 2 of them, such as page 1 of law/a.png (no text was found)" in said
    assert (tmp_path / "lines/pages.jsonl").read_bytes() == (kb / "pages.jsonl").read_bytes()
    entries = lines(tmp_path / "lines")
    assert [entry["id"] for entry in entries] == ["law/a.png#1", "law/b#1", "law/b#2", "law/b#3"]
    assert [entry["text"] for entry in entries] == ["", "one", "two", None]
    assert entries[2]["metadata"]["doubtful_words"] == ["=tw", "o, two", "NA"]
    convert(kb, tmp_path / "texts", "markdown")
    for name in ("law/b.md", "law/a.png.md"):
        assert (tmp_path / "texts" / name).read_bytes() == (kb / name).read_bytes()
    assert "<!-- page 3: {" in (kb / "law/b.md").read_text("utf-8")
    again = convert(kb, tmp_path / "texts", "markdown", exit_code=2)
    assert "it would mix pages of two exports" in again


def test_other_formats_get_the_texts(kb, tmp_path):
    assert "left out: 1 of 4 pages, which failed" in convert(kb, tmp_path / "out", "pages")
    entries = json.loads((tmp_path / "out/law/b.json").read_text("utf-8"))
    assert entries == [{"page_idx": 0, "text": "one"}, {"page_idx": 1, "text": "two"}]
    said = convert(kb, tmp_path / "beir", "beir", exit_code=2)
    assert "a knowledge base has no questions for --format beir: give one of jsonl" in said


def test_a_table_is_read_back_as_it_was(kb):
    records = read_table(kb / "pages.csv")
    assert records[PageRef("law/b", 1)].doubtful_words == ("=tw", "o, two", "NA")
    assert records[PageRef("law/b", 1)].metadata() == lines(kb)[2]["metadata"]
    (kb / "pages.csv").write_text("document,page\nlaw/b,x\n")
    assert "pages.csv is damaged" in convert(kb, kb.parent / "out", exit_code=2)


def test_without_a_table_what_is_missing_is_said(kb, tmp_path):
    (kb / "pages.csv").unlink()
    said = convert(kb, tmp_path / "out")
    assert "1 pages that failed or were left out are missing" in said
    assert [entry["text"] for entry in lines(tmp_path / "out")] == ["", "one", "two"]


def test_output_of_other_tools(tmp_path):
    folder = write_kb(tmp_path / "own", {"law/a": ["one", " "]})
    write_text(folder / "law/b/page_0001.md", "first")
    write_text(folder / "law/b/page_0002.md", "second")
    write_text(folder / "law/c.txt", "alone")
    items = [{"type": "text", "text": "a list", "page_idx": 0}]
    write_text(folder / "law/d/auto/d_content_list.json", json.dumps(items))
    write_text(folder / "law/d/auto/d.md", "a list")
    write_text(folder / "about.json", "{}")
    said = convert(folder, tmp_path / "out")
    assert "left out: about.json" in said
    found = {entry["id"]: entry["text"].strip() for entry in lines(tmp_path / "out")}
    assert found == {
        "law/a#1": "one",
        "law/a#2": "",
        "law/b#1": "first",
        "law/b#2": "second",
        "law/c#1": "alone",
        "law/d#1": "a list",
    }
    metadata = lines(tmp_path / "out")[0]["metadata"]
    assert (metadata["route"], metadata["doubt"]) == (None, "not assessed")
    write_text(folder / "law/a.json", "[{")
    assert "law/a: file is not JSON" in convert(folder, tmp_path / "two", exit_code=2)
    assert not (tmp_path / "two").exists()


def test_a_folder_of_neither_kind_says_what_it_holds(tmp_path):
    folder = tmp_path / "my_pdfs"
    write_pdf(folder / "a.pdf", 1)
    write_text(folder / "package.json", '{"name": "x"}')
    said = convert(folder, tmp_path / "out", exit_code=2)
    assert "neither the folder of a finished run nor a knowledge base" in said
    assert "it holds 2 files (1 .pdf, 1 .json)" in said or "(1 .json, 1 .pdf)" in said
    (tmp_path / "none").mkdir()
    assert "it is empty" in convert(tmp_path / "none", tmp_path / "out", exit_code=2)
    assert "nowhere is none" in convert("nowhere", tmp_path / "out", exit_code=2)


def test_a_recommendation_says_which_of_its_folders_can_be_exported(tmp_path):
    folder = tmp_path / "mine"
    write_text(folder / "recommendation.json", "{}")
    said = convert(folder, tmp_path / "out", exit_code=2)
    assert f"is a recommendation: give {folder / 'retrieval'}" in said
    assert f"or {folder / 'kb'}" in said


@pytest.mark.slow
def test_a_run_is_no_knowledge_base(benchmark_runs, tmp_path):
    said = convert(benchmark_runs[0].path, tmp_path / "out", exit_code=2)
    assert "--format jsonl is for a knowledge base" in said


@pytest.mark.slow
def test_read_by_one_engine_has_the_formats(tmp_path, log):
    write_pdf(tmp_path / "in" / "report.pdf", 2)
    options = ["--out", tmp_path / "kb", "--cache", tmp_path / "cache", "--workers", 1]
    first = [tmp_path / "in", "--engines", FAKE, *options]
    done = give(read, *first, "--format", "jsnl")
    assert "unknown --format 'jsnl'" in done.stderr
    done = give(read, *first, "--format", "jsonl,markdown")
    assert done.exit_code == 0, done.output
    entries = lines(tmp_path / "kb")
    assert [entry["id"] for entry in entries] == ["documents/report#1", "documents/report#2"]
    metadata = entries[0]["metadata"]
    assert metadata["engine"] == metadata["route"] == FAKE
    assert (metadata["trusted"], metadata["doubt"]) == (False, "not assessed")
    assert metadata["seconds"] >= 0
    convert(tmp_path / "kb", tmp_path / "out")
    assert (tmp_path / "out/pages.jsonl").read_bytes() == (tmp_path / "kb/pages.jsonl").read_bytes()
    assert give(read, *first).exit_code == 0
    assert not (tmp_path / "kb/pages.jsonl").exists()
    assert (tmp_path / "kb/pages.csv").is_file()


@pytest.mark.slow
def test_a_page_that_failed_keeps_its_line(tmp_path, log, monkeypatch):
    monkeypatch.delenv(MENDED, raising=False)
    write_pdf(tmp_path / "in" / "report.pdf", 3)
    options = ["--out", tmp_path / "kb", "--cache", tmp_path / "cache", "--workers", 1]
    done = give(read, tmp_path / "in", "--engines", BROKEN, *options, "--format", "jsonl")
    assert done.exit_code == 1, done.output
    entries = lines(tmp_path / "kb")
    assert [entry["text"] for entry in entries] == [None] * 3
    assert {entry["metadata"]["doubt"] for entry in entries} == {"EngineError: out of order"}
    said = convert(tmp_path / "kb", tmp_path / "out")
    assert (
        "without text: 3 of them, such as page 1 of documents/report (EngineError: out of order)"
        in said
    )


def test_what_another_tool_says_of_its_words_is_exported(tmp_path):
    words = [("The", 0.99), ("rnill", 0.41)]
    result = {
        "content": "The rnill",
        "pages": [
            {
                "pageNumber": 1,
                "lines": [{"content": "The rnill"}],
                "words": [{"content": text, "confidence": sure} for text, sure in words],
            }
        ],
    }
    (tmp_path / "kb" / "law").mkdir(parents=True)
    (tmp_path / "kb" / "law" / "a.json").write_text(json.dumps(result))
    convert(tmp_path / "kb", tmp_path / "out")
    [entry] = lines(tmp_path / "out")
    assert entry["metadata"]["confidence"] == 0.7
    assert entry["metadata"]["doubtful_words"] == ["rnill"]
