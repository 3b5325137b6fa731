"""Reading one's own PDFs and images into a knowledge base, from the command line."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from experiments.read import main
from ohr import registry
from ohr.collection import Dataset
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.types import Document, Page, PageRef, Status
from tests import loopback
from tests.builders import CliRunner, load_config, write_pdf
from tests.conftest import ROOT
from tests.fakes import MENDED

FAKE, SLOW = "tests.fakes.LoggingEngine", "tests.fakes.SlowLoggingEngine"
TROUBLED = "tests.fakes.TroubledEngine"
PDF, TROUBLED_PDF = "tests.pdf_fakes.PdfEngine", "tests.pdf_fakes.TroubledPdfEngine"


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "in"
    write_pdf(source / "report.pdf", 3)
    (source / "law").mkdir()
    page = np.full((120, 90), 250, np.uint8)
    page[50:60, 20:70] = 10
    Image.fromarray(page).save(source / "law" / "scan.png")
    return source


def arguments(folder: Path, engine: str, *more: object) -> list[str]:
    root = folder.parent
    given = [folder, "--engine", engine, "--out", root / "kb", "--cache", root / "cache", *more]
    return [str(argument) for argument in given]


def ocr(folder: Path, engine: str, *more: object):
    return CliRunner().invoke(main, arguments(folder, engine, "--workers", 1, *more))


def pages(folder: Path, doc_id: str) -> dict[int, str]:
    entries = json.loads((folder.parent / "kb" / f"{doc_id}.json").read_text("utf-8"))
    return {entry["page_idx"]: entry["text"] for entry in entries}


def manifest(folder: Path) -> dict:
    return json.loads((folder.parent / "kb" / "manifest.json").read_text("utf-8"))


def test_any_mixture_becomes_a_knowledge_base_that_a_study_reads(folder):
    result = ocr(folder, FAKE)
    assert result.exit_code == 0, result.output
    assert "4 pages of 2 documents: 4 ok, 0 empty, 0 error, 0 timeout" in result.output
    truth = [
        Document("law/scan", "law", [Page(PageRef("law/scan", 0), "")]),
        Document("documents/report", "documents",
                 [Page(PageRef("documents/report", n), "") for n in range(3)]),
    ]  # fmt: skip
    dataset = Dataset(truth, [], kind="test", root=None)
    kb = registry.create("engine", f"precomputed:{folder.parent / 'kb'}").knowledge_base(dataset)
    assert [outcome.status for outcome in kb.pages.values()] == [Status.OK] * 4
    assert kb.text(PageRef("documents/report", 2)).startswith("Fact 2 is answer 2. Dark pixels: ")


@pytest.mark.slow
def test_pages_are_chosen_as_a_viewer_counts_them(folder):
    assert ocr(folder, FAKE, "--pages", "2-").exit_code == 0
    assert list(pages(folder, "documents/report")) == [1, 2]
    assert not (folder.parent / "kb" / "law").exists()
    shutil.rmtree(folder.parent / "kb")
    assert ocr(folder, FAKE, "--pages", "1,3").exit_code == 0
    assert list(pages(folder, "documents/report")) == [0, 2]
    assert list(pages(folder, "law/scan")) == [0]
    for wrong in ("0", "3-1", "one", "1,,2", "-2"):
        result = ocr(folder, FAKE, f"--pages={wrong}")
        assert result.exit_code == 2
        assert "1-3,7" in result.output
    assert "no file has such a page" in ocr(folder, FAKE, "--pages", "9").output


def test_what_was_read_is_not_read_again_here_or_in_a_study(folder, log):
    ocr(folder, FAKE, "--pages", "1")
    assert len(log.read_text().splitlines()) == 2
    result = ocr(folder, FAKE)
    assert len(log.read_text().splitlines()) == 4
    assert "read now: 2 pages" in result.output
    before = (folder.parent / "kb" / "documents" / "report.json").read_bytes()
    result = ocr(folder, FAKE)
    assert len(log.read_text().splitlines()) == 4
    assert "read now" not in result.output
    assert (folder.parent / "kb" / "documents" / "report.json").read_bytes() == before
    questions = folder.parent / "questions.csv"
    questions.write_text("question,answer,document,page\nWhich?,first,report,1\n")
    config = load_config([
        "dataset.kind=folder", f"dataset.path={folder}", f"dataset.questions={questions}",
        f"engines=[{FAKE}]", f"cache={folder.parent / 'cache'}",
    ])  # fmt: skip
    plan = make_plan(config, load_dataset(config))
    readings = KnowledgeBases(plan, ArtefactStore(config.cache))
    assert len(list(readings.tasks(plan.variants[0]))) == 3
    assert readings.pending(plan.variants[0]) == 0


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path, log):
    folder = tmp_path / "in"
    write_pdf(folder / "long.pdf", 12)
    command = [sys.executable, "-m", "experiments.read", *arguments(folder, SLOW, "--workers", 2)]
    running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(log.read_text().splitlines()) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    family = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert psutil.wait_procs(family, timeout=60)[1] == []
    begun = len(log.read_text().splitlines())
    assert 4 <= begun < 12
    assert ocr(folder, SLOW).exit_code == 0
    assert len(pages(folder, "documents/long")) == 12
    read = log.read_text().splitlines()
    assert len(set(read)) == 12
    assert len(read) <= 12 + 2, "at most the pages under way are read again"


@pytest.mark.slow
def test_trouble_is_counted_named_and_not_waited_for_twice(tmp_path):
    folder = tmp_path / "in"
    write_pdf(folder / "report.pdf", 4)
    (folder / "broken.pdf").write_bytes(b"%PDF-nonsense")
    result = ocr(folder, TROUBLED, "--page-wall-s", 4)
    assert result.exit_code == 1
    assert "5 pages of 2 documents: 2 ok, 0 empty, 2 error, 1 timeout" in result.output
    assert "report.pdf page 2" in result.output
    assert list(pages(folder, "documents/report")) == [0, 3]
    assert pages(folder, "documents/broken") == {}
    assert len(manifest(folder)["failures"]) == 3
    again = ocr(folder, TROUBLED, "--page-wall-s", 4)
    assert again.exit_code == 1
    assert manifest(folder)["read_now"] == 0
    ocr(folder, TROUBLED, "--page-wall-s", 2, "--retry")
    assert manifest(folder)["read_now"] == 3


@pytest.mark.slow
def test_an_engine_of_pdfs_is_handed_many_pages_and_each_is_kept(folder, log):
    result = ocr(folder / "report.pdf", PDF)
    assert result.exit_code == 0, result.output
    assert log.read_text().splitlines() == ["report.pdf [0, 1, 2]"]
    kb = folder / "kb" / "documents" / "report.json"
    assert [entry["text"] for entry in json.loads(kb.read_text())] == [
        f"report.pdf page {n}" for n in range(3)
    ]
    result = ocr(folder, PDF)
    assert result.exit_code == 2
    assert "reads PDFs, but law/scan.png is an image" in result.output
    result = ocr(folder, FAKE, "--pdf")
    assert result.exit_code == 2
    assert "leave --pdf out" in result.output


@pytest.mark.slow
@pytest.mark.workers
def test_one_bad_page_of_a_pdf_does_not_cost_the_others(tmp_path):
    folder = tmp_path / "in"
    write_pdf(folder / "report.pdf", 6)
    result = ocr(folder, TROUBLED_PDF)
    assert result.exit_code == 1
    assert "3 ok, 1 empty, 2 error, 0 timeout" in result.output
    assert "page 1 is torn" in result.output
    assert pages(folder, "documents/report") == {0: "page 0", 3: "", 4: "page 4", 5: "page 5"}
    assert manifest(folder)["pages"] == {"ok": 3, "empty": 1, "error": 2, "timeout": 0}


def test_names_of_files_are_not_trusted(tmp_path):
    folder = tmp_path / "in"
    name = "a\\..\\b \x1b[31m\n.pdf"
    write_pdf(folder / "plain.pdf", 1)
    os.rename(folder / "plain.pdf", folder / name)
    result = ocr(folder, FAKE)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    (written,) = (tmp_path / "kb" / "documents").iterdir()
    assert written.name == "a_.._b _[31m_.json"
    for other in ("x", "y"):
        write_pdf(tmp_path / other / "same.pdf", 1)
    result = CliRunner().invoke(main, [str(tmp_path / "x"), *arguments(tmp_path / "y", FAKE)])
    assert result.exit_code == 2
    assert "would both be the document 'documents/same'" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("gt", "reads no pages"),
        ("tesserakt", "did you mean 'tesseract'"),
        ("{a", "not YAML"),
        ("5", "unknown engine '5'"),
        ("{name: tesseract, params: {nosuch: 1}}", "nosuch"),
    ],
)
def test_a_wrong_engine_is_one_line(folder, engine, said):
    result = ocr(folder, engine)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize("kind", ["reading", "ocr"])
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param("empty", marks=pytest.mark.slow),
        pytest.param("other", marks=pytest.mark.slow),
        "gone",
    ],
)
def test_a_damaged_cache_is_read_again(folder, log, kind, harm):
    assert ocr(folder, FAKE).exit_code == 0
    before = pages(folder, "documents/report")
    files = list((folder.parent / "cache" / kind).rglob("*.json"))
    assert files
    for path in files:
        path.write_text({"empty": "", "other": "[1]", "gone": ""}[harm])
        if harm == "gone":
            path.unlink()
    result = ocr(folder, FAKE)
    assert result.exit_code == 0, result.output
    assert "read now: 4 pages" in result.output
    assert pages(folder, "documents/report") == before
    # Pixels that were read are not read again where only what points to them is lost.
    assert len(log.read_text().splitlines()) == (4 if kind == "reading" else 8)


@pytest.mark.parametrize(
    "engine",
    [
        "tests.fakes.MendableEngine",
        pytest.param("tests.pdf_fakes.MendablePdfEngine", marks=pytest.mark.slow),
    ],
)
def test_what_failed_is_tried_again_when_asked(folder, monkeypatch, engine):
    report = folder / "report.pdf"
    assert ocr(report, engine).exit_code == 1
    monkeypatch.setenv(MENDED, "1")
    assert ocr(report, engine).exit_code == 1
    result = ocr(report, engine, "--retry")
    assert result.exit_code == 0, result.output
    assert "read now: 3 pages" in result.output


@pytest.mark.slow
def test_a_hung_page_of_a_pdf_is_tried_twice_by_itself(tmp_path, log):
    folder = tmp_path / "in"
    write_pdf(folder / "report.pdf", 4)
    result = ocr(folder, "tests.pdf_fakes.HungPdfEngine", "--page-wall-s", 1)
    assert "3 ok, 0 empty, 0 error, 1 timeout" in result.output
    handed = log.read_text().splitlines()
    assert handed.count("report.pdf [0, 1, 2, 3]") == 1
    assert handed.count("report.pdf [1]") == 2
    # More time than it was given: it is tried again, unasked.
    ocr(folder, "tests.pdf_fakes.HungPdfEngine", "--page-wall-s", 0.9)
    assert len(log.read_text().splitlines()) == len(handed)
    ocr(folder, "tests.pdf_fakes.HungPdfEngine", "--page-wall-s", 1.1)
    assert log.read_text().splitlines().count("report.pdf [1]") == 4


@pytest.mark.slow
def test_a_knowledge_base_is_not_mixed_with_another(folder):
    assert ocr(folder, FAKE, "--pages", "1-2").exit_code == 0
    before = pages(folder, "documents/report")
    for more, said in (
        ((SLOW,), "has the output of another engine or version"),
        ((FAKE, "--dpi", 100), "has pages read at [150] dpi"),
        ((FAKE, "--pages", "2-"), "has page 1 of documents/report, which this"),
    ):
        result = ocr(folder, *more)
        assert result.exit_code == 2
        assert said in " ".join(result.output.split())
        assert pages(folder, "documents/report") == before
    assert ocr(folder, FAKE).exit_code == 0  # more pages and files of the same kind
    assert len(pages(folder, "documents/report")) == 3
    (folder.parent / "kb" / "manifest.json").unlink()
    result = ocr(folder, FAKE)
    assert result.exit_code == 2
    assert "has JSON files that are not of this command" in " ".join(result.output.split())


def test_a_file_that_is_named_twice_is_read_once(folder):
    report = str(folder / "report.pdf")
    result = CliRunner().invoke(main, [report, *arguments(folder / "report.pdf", FAKE)])
    assert result.exit_code == 0, result.output
    assert "3 pages of 1 document" in result.output
    entries = json.loads((folder / "kb" / "documents" / "report.json").read_text())
    assert [entry["page_idx"] for entry in entries] == [0, 1, 2]


def test_what_is_hidden_in_a_folder_is_no_page(folder):
    for name in ("._report.pdf", "law/._scan.png", ".ohr-cache/sample/0.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"what macOS puts beside a file")
    result = ocr(folder, FAKE)
    assert result.exit_code == 0, result.output
    assert "4 pages of 2 documents" in result.output
    given = ocr(folder / "._report.pdf", FAKE)
    assert "cannot open ._report.pdf" in given.output


def test_what_is_skipped_is_named_and_what_pillow_reads_is_read(folder):
    for suffix in ("gif", "ppm", "jp2"):
        Image.new("L", (90, 60), 200).save(folder / f"more.{suffix}")
    (folder / "letter.docx").write_bytes(b"PK")
    (folder / "photo.heic").write_bytes(b"")
    (folder / "gone.pdf").symlink_to(folder / "nowhere.pdf")
    result = ocr(folder, FAKE)
    assert "7 pages of 5 documents" in result.output
    for line in (
        "skipped: letter.docx: .docx is not read: save it as PDF",
        "skipped: photo.heic: Pillow does not read .heic here: convert it to PNG or JPEG",
        "skipped: gone.pdf: a link to nothing",
    ):
        assert line in result.output


def test_tokens_cost_and_odd_replies_are_told_now_and_later(folder):
    with loopback.serving() as server:
        usage = {"prompt_tokens": 500, "completion_tokens": 20}
        server.replies = [
            loopback.said("I'm sorry, I can't assist with that.", usage=usage),
            loopback.said("# Text", "length", usage=usage),
            loopback.said("text", usage=usage),
        ]
        params = {"model": "m", "base_url": server.url, "profile": "glm_ocr", "prompt_price": 10}
        engine = json.dumps({"name": "openai_vlm", "params": params})
        done = [ocr(folder, engine) for _ in range(2)]
        assert len(server.requests) == 4
    for once in done:
        assert once.exit_code == 0, once.output
        assert (
            "openai_vlm: 4 replies; 2,000 tokens read, 80 written; cost 0.0200; 1 cut; 1 refused\n"
        ) in once.output
    taken = json.loads((folder.parent / "kb" / "manifest.json").read_text())["taken"]
    assert (taken["pages"], taken["cut"], taken["refused"]) == (4, 1, 1)
    assert taken["wall_s"] >= taken["median_wall_s"] > 0


def test_a_dry_run_says_what_would_be_read_and_reads_nothing(folder, log):
    for flag in ("--engine", "--engines"):
        out = folder.parent / "dry"
        options = [folder, flag, FAKE, "--out", out, "--cache", folder.parent / "c", "--dry-run"]
        done = CliRunner().invoke(main, list(map(str, options)))
        assert done.exit_code == 0, done.output
        assert f"with {FAKE}: 0 in the cache" in done.output
        assert "time not known" in done.output
        assert not out.exists()
    assert not log.read_text()
