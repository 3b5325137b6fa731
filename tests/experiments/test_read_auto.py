"""``read --auto``: each page by the cheapest text that can be trusted."""

import json
import os
import textwrap

import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageDraw, ImageFont

from experiments import read as command
from ohr import registry
from ohr.adviser.auto import reading
from ohr.adviser.quality.table import DECIDES
from ohr.collection import Dataset
from ohr.datasets.folder import read_layers
from ohr.ocr.page_records import COLUMNS, DOUBTFUL
from ohr.types import Outcome, Status, Word
from tests.builders import write_page, write_pdf
from tests.experiments.own_pages import give
from tests.fakes import SureEngine

BROKEN = "OHR_TEST_BROKEN_ENGINE"
HERE = "tests.experiments.test_read_auto"
FAST, SLOW = f"{HERE}.HastyEngine", f"{HERE}.CarefulEngine"
TEXT = "This line of plain words stands on the page and in its layer. "
WORDS = "Seven plain words are on this page and no engine has any doubt about one of them"


class HastyEngine(SureEngine):
    """Is sure of its words, except on a dark page."""

    name = "hasty"
    confidences = (0.98, 0.2)
    words_of = (
        WORDS,
        "S3ven plajn w0rds ar e 0n thjs pa ge and n 0 eng1ne h4s any d0ubt ab0ut 0ne",
    )

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        super().read(image, page_no)  # which logs the page
        return Outcome.of_text(self.words_of[self.is_dark(image)])

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        dark = self.is_dark(image)
        text = self.words_of[dark].split()
        return tuple(Word(word, self.confidences[dark], (0, 0, 9, 9)) for word in text)

    @staticmethod
    def is_dark(image: np.ndarray) -> bool:
        return bool(image.mean() < 128)


class CarefulEngine(HastyEngine):
    """Reads dark pages too."""

    name = "careful"
    confidences = (0.98, 0.98)
    words_of = (WORDS, WORDS)


class FlakyEngine(HastyEngine):
    """Fails as long as a file is there."""

    name = "flaky"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        if os.path.exists(os.environ[BROKEN]):
            return Outcome.error("the engine is broken")
        return super().read(image, page_no)


def draw(path, shade):
    page = Image.new("L", (360, 240), shade)
    pen = ImageDraw.Draw(page)
    for number, part in enumerate(textwrap.wrap(WORDS, 30)):
        pen.text((30, 30 + 30 * number), part, fill=255 - shade, font=ImageFont.load_default(16))
    page.save(path)


def predict_by_confidence(outputs):
    """The engine's own doubt as predicted error: these tests are not about the prediction."""
    table = outputs.table.assign(assessed=True, in_range=True)
    for end in ("", "_low", "_high"):
        table[DECIDES + end] = table["confidence"]
    return table


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A PDF with a text layer, a light page and a dark one."""
    inside = tmp_path / "in"
    inside.mkdir()
    lines = "".join(f"BT /F 5 Tf 20 {220 - 20 * n} Td ({TEXT}) Tj ET\n" for n in range(9))
    write_page(inside / "typed.pdf", lines)
    draw(inside / "light.png", 250)
    draw(inside / "dark.png", 20)
    monkeypatch.setattr(reading, "predict_pages", predict_by_confidence)
    return inside


def read(folder, *more, engines=f"{FAST},{SLOW}", out="kb"):
    root = folder.parent
    options = ("--auto", "--out", root / out, "--cache", root / "cache", "--workers", 1)
    return give(command, folder, *options, "--engines", engines, "--trust-code", *more)


def records(folder):
    table = pd.read_csv(folder.parent / "kb" / "pages.csv").set_index("document")
    return table.rename(index=lambda name: name.removeprefix("documents/"))


def pages_read(log):
    return len(log.read_text().splitlines())


@pytest.mark.slow
def test_a_page_takes_its_layer_then_the_first_engine_then_the_second(folder, log):
    done = read(folder, "--max-error", 0.2)
    assert done.exit_code == 0, done.output
    table = records(folder)
    assert list(table.reset_index()) == [*COLUMNS, DOUBTFUL]
    assert table.loc["typed", "route"] == "layer"
    assert table.loc["light", "route"] == FAST
    assert table.loc["dark", "route"] == SLOW
    assert table.loc["dark", "reason"].startswith("read by both: predicted error")
    assert "3 pages of 1 PDF and 2 images: verified text layer on 1, to read 2" in (done.stdout)
    assert f"read again by {SLOW}: 1 of 2 pages" in done.stdout
    text = json.loads((folder.parent / "kb/documents/dark.json").read_text("utf-8"))[0]["text"]
    assert text == WORDS

    before, count = (folder.parent / "kb/pages.csv").read_bytes(), pages_read(log)
    assert read(folder, "--max-error", 0.2).exit_code == 0
    assert (folder.parent / "kb/pages.csv").read_bytes() == before
    assert pages_read(log) == count  # all are in the cache

    dataset = Dataset(read_layers(folder).documents.values(), [], kind="folder")
    kb = registry.create("engine", f"precomputed:{folder.parent / 'kb'}").knowledge_base(dataset)
    assert {page.status for page in kb.pages.values()} == {Status.OK}


@pytest.mark.slow
def test_pages_that_are_not_trusted_are_named_and_can_be_left_out(folder, log):
    done = read(folder, "--max-error", 0.2, engines=FAST)
    assert done.exit_code == 0, done.output
    table = records(folder)
    assert list(table["trusted"].loc[["dark", "light", "typed"]]) == ["no", "yes", "yes"]
    assert table.loc["dark", "reason"] == "no second engine was given"
    assert "trusted: 2 of 3 pages\n" in done.stdout
    assert "not trusted: 1 page, such as page 1 of documents/dark" in done.stdout
    assert (folder.parent / "kb/documents/dark.json").is_file()

    done = read(folder, "--max-error", 0.2, "--trusted-only", engines=FAST, out="trusted")
    assert done.exit_code == 0, done.output
    assert not (folder.parent / "trusted/documents/dark.json").exists()
    assert "for a person, left out: documents/dark page 1" in done.stderr


@pytest.mark.slow
def test_pages_that_are_left_out_now_do_not_stay_in_silence(folder, log):
    assert read(folder, "--max-error", 0.2, engines=FAST).exit_code == 0
    before = (folder.parent / "kb/documents/dark.json").read_bytes()
    done = read(folder, "--max-error", 0.2, "--trusted-only", engines=FAST)
    assert done.exit_code != 0
    assert "has page 1 of documents/dark, which this command does not read" in done.stderr
    assert (folder.parent / "kb/documents/dark.json").read_bytes() == before


@pytest.mark.slow
def test_pages_that_failed_are_read_again_on_request(folder, log, monkeypatch, tmp_path):
    broken = tmp_path / "broken"
    broken.touch()
    monkeypatch.setenv(BROKEN, str(broken))
    flaky = f"{HERE}.FlakyEngine"
    assert read(folder, "--max-error", 0.2, engines=flaky).exit_code == 1
    assert records(folder).loc["light", "doubt"] == f"{flaky} failed"
    broken.unlink()
    assert read(folder, "--max-error", 0.2, engines=flaky).exit_code == 1
    done = read(folder, "--max-error", 0.2, "--retry", engines=flaky)
    assert done.exit_code == 0, done.output
    text = json.loads((folder.parent / "kb/documents/light.json").read_text("utf-8"))[0]["text"]
    assert text == WORDS
    assert records(folder).loc["light", "doubt"] != f"{flaky} failed"


@pytest.mark.slow
def test_files_that_cannot_be_opened_are_named_and_do_not_stop(folder, log):
    (folder / "empty.png").touch()
    (folder / "letter.docx").write_text("no page")
    done = read(folder)
    assert done.exit_code == 1
    assert done.output.count("empty.png") == 1
    assert "error: 1 file could not be read\n" in done.stderr
    assert "skipped: letter.docx" in done.stderr
    assert len(records(folder)) == 3


@pytest.mark.slow
def test_no_engine_is_needed_where_every_page_has_its_layer(folder, log):
    for name in ("light.png", "dark.png"):
        (folder / name).unlink()
    done = read(folder)
    assert done.exit_code == 0, done.output
    assert "trusted: 1 of 1 page\n" in done.stdout
    assert pages_read(log) == 0


@pytest.mark.slow
def test_formats_have_the_metadata_of_each_page(folder, log):
    done = read(folder, "--max-error", 0.2, "--format", "jsonl,markdown")
    assert done.exit_code == 0, done.output
    lines = (folder.parent / "kb/pages.jsonl").read_text("utf-8").splitlines()
    pages = {entry["id"]: entry for entry in map(json.loads, lines)}
    assert list(pages) == ["documents/dark#1", "documents/light#1", "documents/typed#1"]
    metadata = pages["documents/dark#1"]["metadata"]
    assert metadata["route"] == SLOW
    assert metadata["confidence"] == 0.98
    assert metadata["doubtful_words"] == []
    markdown = (folder.parent / "kb/documents/dark.md").read_text("utf-8")
    assert markdown.startswith("<!-- page 1: {")
    assert markdown.rstrip().endswith(WORDS)
    assert read(folder, "--max-error", 0.2).exit_code == 0
    assert not (folder.parent / "kb/pages.jsonl").exists()  # it would be out of date


@pytest.mark.slow
def test_seconds_that_do_not_suffice_are_said_before_anything_is_read(folder, log):
    done = read(folder)
    assert done.exit_code == 0
    count = pages_read(log)
    draw(folder / "more.png", 240)
    done = read(folder, "--seconds", 0)
    assert done.exit_code != 0
    assert "alone takes about" in done.stderr
    assert "the 1 s of the budget" in " ".join(done.stderr.split())
    assert pages_read(log) == count


@pytest.mark.slow
def test_a_dry_run_reads_nothing(folder, log):
    done = read(folder, "--dry-run")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == "dry run: nothing was read"
    assert f"{FAST}: 2 pages, 0 in the cache, 2 to read, time not known" in done.stdout
    assert pages_read(log) == 0
    assert not (folder.parent / "kb").exists()


def test_a_dry_run_needs_no_folder_for_the_results(tmp_path):
    (tmp_path / "in").mkdir()
    draw(tmp_path / "in" / "page.png", 240)
    (tmp_path / "routes.csv").write_text(f"document,page,route\ndocuments/page,1,{FAST}\n")
    for more in (["--auto", "--engines", FAST], ["--engines", FAST], ["--routes"]):
        more += [tmp_path / "routes.csv"] if more == ["--routes"] else []
        options = [tmp_path / "in", *more, "--cache", tmp_path / "cache"]
        done = give(command, *options, "--dry-run", "--trust-code")
        assert done.exit_code == 0, done.output
        assert "1 to read" in done.stdout
        missing = give(command, *options)
        assert missing.exit_code == 2
        assert "--out is missing" in missing.stderr


def test_a_dry_run_names_what_cannot_be_read(tmp_path):
    (tmp_path / "in").mkdir()
    draw(tmp_path / "in" / "page.png", 240)
    (tmp_path / "in" / "empty.png").touch()
    options = ["--auto", "--engines", FAST, "--cache", tmp_path / "cache", "--workers", 1]
    done = give(command, tmp_path / "in", *options, "--dry-run")
    assert done.exit_code == 0, done.output
    assert "cannot be read: documents/empty: cannot read the image empty.png" in done.stdout
    assert "1 page of 0 PDFs and 1 image" in done.stdout


@pytest.mark.slow
def test_what_cannot_be_read_is_named_once(tmp_path):
    (tmp_path / "in").mkdir()
    draw(tmp_path / "in" / "page.png", 240)
    (tmp_path / "in" / "empty.png").touch()
    options = ["--auto", "--engines", FAST, "--cache", tmp_path / "cache", "--workers", 1]
    done = give(command, tmp_path / "in", *options, "--out", tmp_path / "kb", "--trust-code")
    assert done.exit_code == 1, done.output
    assert done.output.count("empty.png") == 1
    assert "error: 1 file could not be read\n" in done.stderr
    assert "empty.png" in json.loads((tmp_path / "kb" / "manifest.json").read_text())["failures"][0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--seconds", 9, "--pages-per-hour", 9), "give --seconds or --pages-per-hour, not both"),
        (("--format", "jsnl"), "unknown --format 'jsnl'"),
        (("--routes", "routes.csv"), "--auto chooses by itself: leave --routes out"),
        (("--shard", "1/2"), "--auto is read by one process"),
        (("--runner", "ray"), "--runner does not go with --auto"),
        (("--engines", f"{FAST},{SLOW},tests.fakes.SureEngine"), "at most 2 engines"),
        (("--engines", "pdf_text"), "'pdf_text' reads no page images"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(folder, more, message):
    engines = "" if "--engines" in more else f"{FAST},{SLOW}"
    root = folder.parent
    given = ("--engines", engines) if engines else ()
    done = give(command, folder, "--auto", "--out", root / "kb", *given, "--trust-code", *more)
    assert done.exit_code != 0
    assert message in " ".join(done.stderr.split()), done.output


@pytest.mark.parametrize("option", ["--max-error=.2", "--seconds=9", "--trusted-only"])
def test_options_of_auto_need_it(tmp_path, option):
    write_pdf(tmp_path / "in" / "scan.pdf", 1)
    done = give(
        command, tmp_path / "in", "--engines", "tesseract", "--out", tmp_path / "kb", option
    )
    assert f"{option.partition('=')[0]} goes with --auto" in done.stderr
