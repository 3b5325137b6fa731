"""How wrong readings of one's own PDFs are: from the command line."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

from experiments import (
    dev_check_quality as quality_check,
)
from experiments import (
    dev_fit_quality as fit_quality,
)
from experiments import (
    quality_confidence as confidence,
)
from ohr.adviser.quality.known_truth import observe_pages
from ohr.adviser.quality.signal_runs import labelled, read_signals
from ohr.adviser.sampling import PageSample, check_sample, draw_pages
from ohr.adviser.transcriptions import transcription_name
from ohr.errors import ConfigError
from ohr.ocr.progress import Silent
from ohr.quality.predictor import COVERAGE, shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.study.config import parse_plugins
from ohr.types import Outcome, PageRef
from tests.builders import load_config, write_corpus, write_page, write_pdf
from tests.experiments.own_pages import FAKE, SURE, give, run_quality, run_recommend
from tests.fakes import LOG, LoggingEngine


class HangingEngine(LoggingEngine):
    """Reads no page in the time that it has."""

    name = "hanging"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        return Outcome.timeout("took too long")


@pytest.mark.slow
def test_an_engine_that_read_nothing_is_named_and_makes_the_exit_code_1(folder):
    hanging = "tests.experiments.test_quality.HangingEngine"
    options = ("--engines", f"{FAKE},{hanging}", "--no-instability")
    done = run_quality(folder, *options, "--budget", 4)
    assert done.exit_code == 1, done.output
    assert done.stderr.splitlines()[-1] == f"error: failed: {hanging}: all 4 pages"
    done = run_recommend(folder, *options, "--budget", 4, "--report")
    assert done.exit_code == 1, done.output
    assert f"error: failed: {hanging}: all 4 pages" in done.stderr
    assert "report: not written, since it is about retrieval, which was not assessed" in done.stdout
    assert f"reads pages that need OCR with {FAKE}." in done.stdout
    assert hanging not in done.stdout.partition("next: ")[2]


@pytest.mark.slow
def test_signals_and_predictions_of_every_page_and_engine(folder):
    done = run_quality(folder, "--engines", f"{FAKE},{SURE}", "--budget", 6)
    assert done.exit_code == 0, done.output
    table = pd.read_csv(folder.parent / "out" / "quality.csv")
    assert len(table) == 12
    assert {*SIGNALS, *TARGETS} <= set(table)
    sure = table[table["engine"] == SURE]
    assert sure["confidence"].tolist() == pytest.approx([0.25] * 6)
    assert table[table["engine"] == FAKE]["confidence"].isna().all()
    assert table["instability"].notna().all()
    assert "6 of 12 pages of 2 documents" in done.output
    assert "6 pages have no usable text layer" in done.output
    assert "do not differ significantly" in done.output or "has fewer errors" in done.output
    assert table["edit_distance"].notna().all()
    assert set(table["r_noise_content_coverage"]) == {shipped().coverage["scan"]["r_noise_content"]}
    short = min(shipped().coverage["scan"].values()) < COVERAGE
    assert ("the 90 % intervals of pages are too short" in done.output) == short
    assert "mean of these 2 documents" in done.output


@pytest.mark.slow
def test_by_the_text_alone_nothing_is_assessed(folder):
    """One engine without confidences on pages without a layer: no error, and no worst pages."""
    done = run_quality(folder, "--engines", FAKE, "--budget", 6, "--no-instability")
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert "6 of 6 pages are not assessed: they have no text layer, no second engine" in printed
    assert "Name a second engine" in printed
    assert "most errors by" not in printed
    assert "%]" not in printed.replace("[95 %]", "").replace("[95 % interval]", "")
    table = pd.read_csv(folder.parent / "out" / "quality.csv")
    shown = [name + end for name in TARGETS for end in ("", "_mean", "_low", "_high", "_coverage")]
    assert table[[*shown, "in_range"]].isna().all().all()
    assert not table["assessed"].any()
    done = run_recommend(folder, "--engines", FAKE, "--budget", 4, "--no-instability")
    assert done.exit_code == 0, done.output
    text = (folder.parent / "best" / "recommendation.txt").read_text()
    assert "No OCR engine is recommended: none was assessed." in text
    assert "Wrong characters: not assessed: no page has a prediction." in text
    assert f"{FAKE}: 4 of 4 pages are not assessed: they have no text layer" in text


@pytest.mark.slow
def test_transcribed_pages_assess_what_the_text_alone_does_not(folder):
    options = ("--engines", FAKE, "--budget", 12, "--no-instability")
    run_quality(folder, *options)
    wanted = pd.read_csv(folder.parent / "out" / "to_transcribe.csv")
    for name in wanted["file"].head(8):
        path = folder.parent / "labelled" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("nothing that an engine has read")
    done = run_quality(folder, *options, "--truth", folder.parent / "labelled")
    assert done.exit_code == 0, done.output
    assert "corrected by the pages that were transcribed" in done.output
    assert re.search(r"\d\*\s+\d\.\d+\*", done.output)  # the means of two errors


@pytest.mark.slow
def test_a_second_engine_that_failed_assesses_nothing(folder):
    hanging = "tests.experiments.test_quality.HangingEngine"
    run_quality(folder, "--engines", f"{FAKE},{hanging}", "--no-instability", "--budget", 4)
    table = pd.read_csv(folder.parent / "out" / "quality.csv").set_index("engine")
    assert not table.loc[FAKE, "assessed"].any()
    assert table.loc[FAKE, "disagreement"].isna().all()
    assert (table.loc[hanging, "edit_distance"] == 1).all()


@pytest.mark.slow
def test_what_was_read_is_not_read_again(folder, tmp_path, monkeypatch):
    log = tmp_path / "log.txt"
    log.touch()
    monkeypatch.setenv(LOG, str(log))
    assert run_quality(folder, "--engines", FAKE, "--budget", 4).exit_code == 0
    first = log.read_text().splitlines()
    assert 4 * 3 < len(first) == len(set(first)) <= 4 * 4  # equal pixels are read once
    assert run_quality(folder, "--engines", FAKE, "--budget", 4).exit_code == 0
    assert log.read_text().splitlines() == first


@pytest.mark.slow
def test_transcribed_pages_correct_the_estimate(folder):
    assert run_quality(folder, "--engines", FAKE, "--budget", 12).exit_code == 0
    wanted = pd.read_csv(folder.parent / "out" / "to_transcribe.csv")
    assert len(wanted) == 12
    for name in wanted["file"]:
        path = folder.parent / "labelled" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("nothing that an engine has read")
    truth = ("--truth", folder.parent / "labelled")
    done = run_quality(folder, "--engines", FAKE, "--budget", 12, *truth)
    assert "corrected by the pages that were transcribed" in done.output
    table = pd.read_csv(folder.parent / "out" / "quality.csv")
    assert table["true_edit_distance"].notna().all()


@pytest.mark.slow
def test_too_few_transcribed_pages_are_said_to_correct_nothing(folder):
    path = folder.parent / "labelled" / "law" / "act" / "page_0001.md"
    path.parent.mkdir(parents=True)
    path.write_text("nothing that an engine has read")
    truth = ("--truth", folder.parent / "labelled", "--no-instability")
    done = run_quality(folder, "--engines", FAKE, "--budget", 12, *truth)
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert "not corrected: 1 transcribed pages of the sample, at least 8" in printed
    assert "corrected by the pages" not in printed


@pytest.mark.slow
def test_a_folder_without_a_transcription_is_an_error(folder, tmp_path):
    (tmp_path / "labelled").mkdir()
    done = run_quality(folder, "--engines", FAKE, "--budget", 2, "--truth", tmp_path / "labelled")
    assert done.exit_code == 2
    assert "no transcription of a sampled page" in done.output


@pytest.mark.slow
def test_a_pdf_that_changed_since_the_last_run_is_named(folder):
    assert run_quality(folder, "--engines", FAKE, "--budget", 4).exit_code == 0
    write_pdf(folder / "report.pdf", 10)
    done = run_quality(folder, "--engines", FAKE, "--budget", 4)
    assert "changed since the last run: documents/report" in done.output
    assert "changed since the last run: law/act" not in done.output


@pytest.mark.slow
def test_a_file_that_cannot_be_opened_is_left_out_and_named(folder):
    (folder / "locked.pdf").write_bytes(b"%PDF-1.7 nothing more")
    done = run_quality(folder, "--engines", FAKE, "--budget", 4)
    assert done.exit_code == 0, done.output
    assert "left out: documents/locked" in done.output
    known_values = json.loads((folder.parent / "out" / "quality.json").read_text())
    assert "documents/locked" in known_values["left_out"]


def sampled(inputs, most) -> PageSample:
    """A sample of files, with its text layers checked."""
    return check_sample(draw_pages(inputs, 150, most, 0))


def test_nothing_that_can_be_opened_is_an_error(tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    with pytest.raises(ConfigError, match="no file can be opened"):
        draw_pages([tmp_path], 150, 4, 0)


def test_a_sample_has_a_page_of_each_document_and_no_more_than_asked_for(folder):
    sample = sampled([folder], 4)
    drawn = [(source.name, source.page_no) for source in sample.pages]
    assert len(drawn) == len(set(drawn)) == 4
    assert [name for name, _ in drawn].count("law/act") == 1
    assert sampled([folder], 4) == sample
    every = sampled([folder], 99)
    assert len(every.pages) == 12
    beside = sampled([folder, folder / "report.pdf", folder / "law" / "act.pdf"], 99)
    assert beside == every


def test_transcriptions_are_named_by_page_from_one():
    assert transcription_name(PageRef("law/act", 0)) == "law/act/page_0001.md"


def look(settings, tmp_path, *more):
    """What ``experiments.quality_confidence`` makes of pages, without instability."""
    config = load_config([*settings, *more, f"cache={tmp_path / 'cache'}", "workers=1", "dpi=72"])
    return observe_pages(config, 60, instability=False, words=True, progress=Silent())


@pytest.mark.slow
def test_every_draw_of_a_noise_is_looked_at(tmp_path):
    settings = write_corpus(tmp_path, documents=1, pages=2)
    more = [f"engines=[{SURE}]", "noise=[semantic]", "levels=[severe]", "seeds=[0,1,2]"]
    table, words = look(settings, tmp_path, *more)
    drawn = table[table["noise"] == "semantic severe"]
    assert sorted(drawn["draw"]) == [0, 0, 1, 1, 2, 2]
    assert len(table) == 8
    one = look(settings, tmp_path, *more, "seeds=[0]")[1].set_index("noise")["n"]
    assert words.set_index("noise")["n"]["semantic severe"] > 2 * one["semantic severe"]


@pytest.mark.slow
def test_pages_without_truth_are_not_held_against_it(tmp_path):
    """A page with a text layer is measured against it; a scan is not."""
    folder = tmp_path / "pdfs"
    write_pdf(folder / "scan.pdf", 2)
    text = " ".join(f"word{n}" for n in range(40))
    write_page(folder / "text.pdf", f"BT /F 6 Tf 1 0 0 1 10 200 Tm ({text}) Tj ET")
    (folder / "questions.csv").write_text("question,answer,document,page\nWhat?,word1,text,1\n")
    settings = ["dataset.kind=folder", f"dataset.path={folder}", f"engines=[{FAKE}]", "noise=[]"]
    settings += [f"dataset.questions={folder / 'questions.csv'}"]
    table, _ = look(settings, tmp_path)
    assert table["doc_id"].tolist() == ["documents/text"]


@pytest.mark.slow
def test_what_a_signal_is_worth_and_its_fit(tmp_path):
    settings = write_corpus(tmp_path)
    more = ["levels=[severe]", f"engines=[{FAKE},{SURE}]", f"cache={tmp_path / 'cache'}"]
    done = give(confidence, *settings, *more, "--budget", 12, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "run" / "signals.csv")
    assert set(table["noise"]) == {"clean", "semantic severe"}
    scores = pd.read_csv(tmp_path / "run" / "scores.csv")
    further = {f"predicted_{name}" for name in TARGETS}
    assert {*SIGNALS, "docling", *further} == set(scores["signal"])
    words = pd.read_csv(tmp_path / "run" / "words.csv")
    assert (words["right"] <= words["n"]).all()
    assert set(words["engine"]) == {SURE}
    fitted = give(fit_quality, tmp_path / "run", "--out", tmp_path / "model.json")
    assert fitted.exit_code == 0, fitted.output
    assert json.loads((tmp_path / "model.json").read_text())["fitted_on"]["pages"] == len(table)
    checked = give(quality_check, tmp_path / "run", "--out", tmp_path / "check")
    assert checked.exit_code == 0, checked.output
    checks = pd.read_csv(tmp_path / "check" / "checks.csv")
    assert checks.groupby("kind").size().to_dict() == {"scan": 3, "text": 3}  # no page has a layer
    assert checks["n"].tolist() == [len(table)] * 6
    assert "domains" in checked.output
    beside = pd.read_csv(tmp_path / "check" / "beside_engines.csv")
    assert dict(zip(beside["engine"], beside["n"], strict=True)) == {SURE: len(table) // 4}
    outside = give(quality_check, tmp_path / "run", "--left-out", "--out", tmp_path / "outside")
    assert outside.exit_code == 2
    assert "needs pages of 3 domains" in outside.output


@pytest.mark.slow
def test_a_domain_that_is_left_out_is_predicted_by_the_others(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for doc, domain in [
        (f"{domain}/{position}", domain) for domain in "abc" for position in range(5)
    ]:
        for page, error in enumerate(rng.uniform(0, 0.5, 10)):
            signals = dict.fromkeys(SIGNALS, math.nan) | {"unsure_words": error}
            signals["confidence"] = 0.4 - 0.3 * error  # surer where it errs more
            truth = {f"true_{target}": error for target in TARGETS}
            known_values = {
                "engine": "a",
                "noise": "clean",
                "draw": 0,
                "status": "ok",
                "docling": 0.0,
            }
            rows.append(
                known_values | {"doc_id": doc, "page_no": page, "domain": domain} | signals | truth
            )
    pd.DataFrame(rows).to_csv(tmp_path / "signals.csv", index=False)
    done = give(quality_check, tmp_path, "--left-out", "--out", tmp_path / "check")
    assert done.exit_code == 0, done.output
    checks = pd.read_csv(tmp_path / "check" / "checks.csv").set_index(["kind", "error"])
    assert checks.loc[("scan", "edit_distance"), "spearman"] > 0.9
    assert 0.8 < checks.loc[("scan", "edit_distance"), "coverage"] <= 1
    (beside,) = pd.read_csv(tmp_path / "check" / "beside_engines.csv").to_dict("records")
    assert beside["n"] == 150
    assert beside["spearman_predicted"] > 0.9
    assert beside["spearman_confidence"] < -0.9


def test_what_is_left_out_together_is_a_domain_of_the_same_documents(tmp_path):
    def run(name, *documents):
        rows = [
            dict.fromkeys([*SIGNALS, *(f"true_{target}" for target in TARGETS)], 0.5)
            | {"engine": "a", "noise": "clean", "doc_id": doc, "page_no": 0, "domain": doc[:3]}
            for doc in documents
        ]
        (tmp_path / name).mkdir()
        pd.DataFrame(rows).to_csv(tmp_path / name / "signals.csv", index=False)
        return tmp_path / name

    runs = [run("one", "law/a", "fin/b"), run("two", "law/c"), run("three", "fin/b", "law/d")]
    table = read_signals([*runs, run("four", "law/d")])
    # What two runs read alike counts once.
    assert table["group"].tolist() == ["one: law", "one: fin", "two: law", "one: law"]
    assert table["doc_id"].tolist() == ["law/a", "fin/b", "law/c", "law/d"]
    assert {page.domain for page in labelled(table)} == {"one: law", "one: fin", "two: law"}


def test_signals_of_an_earlier_version_are_read_by_their_names_of_today(tmp_path):
    row = dict.fromkeys([*SIGNALS, *(f"true_{target}" for target in TARGETS)], 0.5)
    row |= {"engine": "a", "noise": "clean", "doc_id": "law/a", "page_no": 0, "domain": "law"}
    older = pd.DataFrame([row]).rename(columns={"instability": "wobble"})
    older.to_csv(tmp_path / "signals.csv", index=False)
    [page] = labelled(read_signals([tmp_path]))
    assert page.values["instability"] == 0.5


def test_a_folder_without_signals_is_an_error(tmp_path):
    done = give(fit_quality, tmp_path, "--out", tmp_path / "model.json")
    assert done.exit_code == 2
    assert "not a run of ohr quality confidence" in done.output


@pytest.mark.parametrize(
    ("engines", "said"),
    [
        (f"{FAKE},{FAKE}", "is given twice"),
        ("", "argument is empty"),
        ("1,2", "unknown engine '1'"),
        ("[", "write them as a,b"),
        ("tesserakt", "tesseract"),
    ],
)
def test_engines_that_cannot_be_are_one_line(folder, engines, said):
    done = run_quality(folder, "--engines", engines, "--budget", 1)
    assert done.exit_code == 2
    assert said in done.output


def test_engines_may_have_parameters():
    both = "tesseract, {name: tesseract, label: german, params: {languages: [deu]}}"
    specs = parse_plugins("engine", both)
    assert [spec.label for spec in specs] == ["tesseract", "german"]
    assert specs[1].params == {"languages": ["deu"]}
