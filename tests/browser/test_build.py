"""A report's folder: the same bytes again, nothing left over, cases by choice, noise made again."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

import ohr
from ohr.analysis.plots import draw
from ohr.errors import ConfigError, OhrError
from ohr.ocr.worker import distort, page_image
from ohr.report.again import Recipes, shown_record
from ohr.report.build import Built, build_report
from ohr.report.changes import changes_of
from ohr.report.command import command_of, why_without_command
from ohr.report.options import ReportOptions
from ohr.report.rows import main_metrics, make_rows
from ohr.report.sentences import losses
from ohr.report.tables import group_tables, loss_tables
from ohr.report.texts import Texts
from ohr.study.output.cases import read_texts
from ohr.study.results import StudyRun, knowledge_base_name, open_run
from ohr.types import PageRef
from tests.browser.reports import finished, number, write_pages
from tests.experiments.test_commands import invoke

READERS = "readers=[tests.fakes.FactReader,tests.fakes.SteadyReader]"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def run(settings: list[str], tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    """Two kinds of noise, each drawn twice."""
    return finished(
        tmp_path_factory.mktemp("run") / "curve",
        *settings,
        "engines=[gt,tests.fakes.LoggingEngine]",
        "noise=[formatting,salt_and_pepper]",
        *("levels=[severe]", "seeds=[0,1]", READERS),
    )


@pytest.fixture(scope="module")
def figure_cache() -> dict[str, dict[str, bytes]]:
    """Figures of the first run of this module that has them, by their name."""
    return {}


@pytest.fixture(autouse=True)
def figures_drawn_once(
    figure_cache: dict[str, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draw each figure once: drawing is most of the cost of a report.

    The tests of figures check that a figure shows its run.
    """

    def once(name: str, runs: Sequence[StudyRun], **options: Any) -> dict[str, bytes]:
        if name not in figure_cache:
            figure_cache[name] = draw(name, runs, **options)
        return figure_cache[name]

    monkeypatch.setattr("ohr.report.overview.draw", once)


def built(run: StudyRun, out: Path, **options: Any) -> Built:
    return build_report([run], out, ReportOptions(**options))


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def chunks(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """What the data files of a kind hold, in order."""
    files = (folder / "data").glob(f"{name}-*.js")
    for path in sorted(files, key=lambda path: int(path.stem.split("-")[1])):
        yield from json.loads(re.sub(r'^ohrData\("[^"]*",|\);\n$', "", path.read_text("utf-8")))


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes(run, tmp_path):
    for name in ("a", "b"):
        assert built(run, tmp_path / name, cases="random:all", images="webp:300:50").pictures > 8
    assert content(tmp_path / "b") == content(tmp_path / "a")


@pytest.mark.slow
def test_nothing_is_left_over_of_another_report(run, tmp_path):
    built(run, tmp_path / "b", cases="random:all", images="webp:300:50")
    before = content(tmp_path / "b")
    built(run, tmp_path / "b", cases="random:1", images="none")
    small = content(tmp_path / "b")
    assert len(list(chunks(tmp_path / "b", "cases"))) == 1
    assert not any(name.endswith(".webp") for name in small)
    built(run, tmp_path / "b", cases="random:all", images="webp:300:50")
    assert content(tmp_path / "b") == before


@pytest.mark.slow
def test_what_is_not_of_the_report_is_left_alone(run, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.csv").write_text("mine")
    built(run, tmp_path, cases="random:1", images="none")
    assert (tmp_path / "data" / "mine.csv").read_text() == "mine"


def test_tables_by_source_and_domain_have_the_figures_of_the_cells(run):
    rows, measures = make_rows([run]), main_metrics([run])
    tables = {table["title"]: table for table in group_tables(rows, measures)}
    # By source and by domain, at each stage, and two parts of the loss of retrieval.
    assert len(tables) == 2 * (3 + 2)
    assert "Text missing, by domain" in tables
    cells = run.cells[(run.cells["metric"] == "f1") & (run.cells["stage"] == "overall")]
    for prefix, title in (("source", "by evidence source"), ("domain", "by domain")):
        table = tables[f"Answer F1, whole system, {title}"]
        assert table["texts"] == 2
        groups = [name.partition(",")[0] for name in table["columns"][2:]]
        assert [f"{prefix}:{group}" for group in groups] == sorted(
            group for group in set(cells["group"]) if group.startswith(f"{prefix}:")
        )
        found = {
            (row[0], row[1].split(", ")[-1], group): row[2 + index]
            for row in table["rows"]
            for index, group in enumerate(groups)
        }
        wanted = {
            (knowledge_base_name(cell), cell["reader"], cell["group"].partition(":")[2]): (
                f"{cell['mean']:.3f}"
            )
            for _, cell in cells[cells["group"].str.startswith(prefix)].iterrows()
        }
        assert found == wanted


@pytest.mark.slow
def test_each_run_of_several_has_its_own_losses_and_names(run, settings, tmp_path):
    short = "chunkers=[{name: tokens, params: {size: 8}}]"
    told = ("engines=[gt,tests.fakes.LoggingEngine]", "noise=[formatting]", "levels=[severe]")
    runs = [run, finished(tmp_path / "short", *settings, *told, READERS, short)]
    rows, measures = make_rows(runs), main_metrics(runs)
    changes = changes_of(runs, rows)
    lost = {name: losses(rows, changes, name) for name in measures}
    tables = list(loss_tables(rows, measures, lost))
    alone = []
    for one in runs:
        of_one = make_rows([one])
        lost = {name: losses(of_one, changes_of([one], of_one), name) for name in measures}
        alone.append(list(loss_tables(of_one, measures, lost)))
    for table, *parts in zip(tables, *alone, strict=True):
        assert [tuple(row) for row in table["rows"]] == [  # each run is a family of its own
            (one.name, *row) for one, part in zip(runs, parts, strict=True) for row in part["rows"]
        ]
    for table in tables[:1]:
        names = table["columns"]
        of = slice(names.index("LCS"), names.index("LCS") + 3)
        assert names[of] == ("LCS", "page not found", "text missing")
        for row in table["rows"]:
            value = dict(zip(names, row, strict=True))
            assert sum(number(value[name]) for name in names[of]) == pytest.approx(1, abs=0.0021)
            if value["loss"] != "–":
                parts = (number(value[f"loss: {name}"]) for name in names[of][1:])
                assert sum(parts) == pytest.approx(number(value["loss"]), abs=0.0021)
    lost = {row[2:6] for row in tables[0]["rows"] if row[1] == "gt, formatting severe"}
    assert len(lost) == 2
    sentences = [loss.sentence() for loss in losses(rows, changes, "retrieval")]
    assert len(set(sentences)) == len(sentences)
    assert {sentence.partition(":")[0] for sentence in sentences} == {"curve", "short"}
    build_report(runs, tmp_path / "report", ReportOptions("random:1", "none"))
    meta = (tmp_path / "report" / "data" / "meta.js").read_text("utf-8")
    assert '"name":"short: gt, clean","kept":"short: gt, clean"' in meta


@pytest.mark.slow
def test_the_first_page_says_what_it_took_and_how_it_was_made(run, tmp_path):
    built(run, tmp_path, cases="random:1", images="none")
    page = (tmp_path / "index.html").read_text("utf-8")
    for stage in run.manifest["seconds"]:
        assert f"<td>{stage}</td>" in page
    configuration = page.partition("<summary>Configuration</summary>")[2].partition("</details>")[0]
    shown = yaml.safe_load(html.unescape(re.sub("<[^>]+>", "", configuration)))
    assert shown == run.manifest["config"]


@pytest.mark.slow
def test_the_first_page_begins_with_question_answer_and_picture(run, settings, tmp_path):
    built(run, tmp_path / "one", cases="random:1", images="none")
    page = (tmp_path / "one" / "index.html").read_text("utf-8")
    first = page.partition('<section class="first"')[2].partition("</section>")[0]
    heads = re.findall(r'<h2 id="question">(.*?)</h2>|<p class="answer">(.*?)</p>', first)
    assert [bool(a or b) for a, b in heads] == [True, True]
    assert "noise cost retrieval and answers?" in first
    assert first.index("<svg") < first.index("How to read it")
    assert "<dt>questions</dt>" in first.partition("<details>")[2]
    clean = finished(tmp_path / "clean", *settings, "engines=[gt]", READERS)
    built(clean, tmp_path / "two", cases="random:1", images="none")
    assert "Nothing was compared" in (tmp_path / "two" / "index.html").read_text("utf-8")


def test_sentences_name_only_what_differs(run):
    rows = make_rows([run])
    for loss in losses(rows, changes_of([run], rows), "retrieval"):
        text = loss.sentence()
        assert "tokens" not in text
        assert "hits" not in text
        assert loss.baseline in text


@pytest.mark.slow
def test_the_first_page_lists_failures(run, tmp_path, monkeypatch):
    built(run, tmp_path / "none", cases="random:1", images="none")
    assert "<p>None.</p>" in (tmp_path / "none" / "index.html").read_text("utf-8")
    monkeypatch.setattr(StudyRun, "failures", property(lambda run: ["<engine>: 2 pages failed"]))
    built(run, tmp_path / "some", cases="random:1", images="none")
    page = (tmp_path / "some" / "index.html").read_text("utf-8")
    assert "<li>&lt;engine&gt;: 2 pages failed</li>" in page


@pytest.mark.slow
def test_details_of_several_draws_are_of_the_first(run, tmp_path):
    built(run, tmp_path, cases="random:all", images="none")
    meta = (tmp_path / "data" / "meta.js").read_text("utf-8")
    assert '"kept":"tests.fakes.LoggingEngine, salt_and_pepper severe, seed 0"' in meta
    cases = list(chunks(tmp_path, "cases"))
    assert len(cases) == 16 * 4  # questions; both engines, clean and noisy
    for case in cases:
        assert any(hit["text"] for found in case["hits"] for hit in found["hits"])
        assert {reply["stage"] for reply in case["replies"]} == {
            "no_context",
            "generation",
            "overall",
        }


@pytest.mark.slow
def test_all_cases_of_a_question_and_of_none_other(run, tmp_path):
    chosen = built(run, tmp_path, cases="question:q10", images="none").selection
    assert len(chosen.cases) == 4
    assert {case["text"] for case in chunks(tmp_path, "cases")} == {"What is fact 10?"}
    assert "all of 1 named question" in chosen.sentence()
    with pytest.raises(ConfigError, match="unknown question 'q999'"):
        built(run, tmp_path, cases="question:q999", images="none")


@pytest.mark.slow
def test_results_without_cases_have_figures_alone(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "bare")
    (tmp_path / "bare" / "cases.zip").unlink()
    chosen = built(open_run(tmp_path / "bare"), tmp_path / "report", images="none").selection
    assert chosen.sentence() == "No case has details: the runs have no cases.zip"
    assert "<h2>Each comparison</h2>" in (tmp_path / "report" / "index.html").read_text("utf-8")
    both = [run, open_run(tmp_path / "bare")]
    of_one = build_report(both, tmp_path / "both", ReportOptions("random:all", "none")).selection
    assert len(of_one.cases) == 16 * 4


def test_a_run_of_reading_alone_has_no_cases(settings, tmp_path):
    read = finished(tmp_path / "read", *settings, "engines=[gt]", "stages=[ocr]")
    chosen = built(read, tmp_path / "report", images="none").selection
    assert chosen.sentence() == "No case has details: the runs measured only OCR"


@pytest.mark.slow
def test_pictures_that_find_no_room_are_counted(run, tmp_path, monkeypatch):
    monkeypatch.setattr("ohr.report.build._MEGABYTE", 1_000)
    few = built(run, tmp_path, cases="random:all", images="webp:300:50", most_mb=5)
    assert few.left_out > 0
    assert sum(path.stat().st_size for path in (tmp_path / "images").iterdir()) <= 5_000
    assert any("left out" in line for line in few.lines(tmp_path))


@pytest.mark.slow
def test_a_picture_is_made_once_for_all_that_were_shown_it(run, tmp_path, monkeypatch):
    made = []
    thumbnail = Image.Image.thumbnail
    monkeypatch.setattr(
        Image.Image, "thumbnail", lambda self, *rest: made.append(thumbnail(self, *rest))
    )
    built(run, tmp_path, cases="random:all", images="webp:300:50")
    assert len(made) == len(list((tmp_path / "images").iterdir()))


@pytest.mark.slow
def test_data_that_has_changed_since_is_said(run, tmp_path):
    qas = Path(run.config.dataset.questions)
    before = qas.read_bytes()
    qas.write_bytes(before.replace(b"What is fact 1?", b"What was fact 1?"))
    try:
        lines = built(open_run(run.path), tmp_path, cases="random:2").lines(tmp_path)
    finally:
        qas.write_bytes(before)
    said = "curve: no page images and no code to reproduce pages: the data of"
    assert any(said in line for line in lines)
    assert said in (tmp_path / "index.html").read_text("utf-8")


def test_lines_of_python_make_the_noisy_page_again(run, monkeypatch):
    recipes = Recipes(run)
    ref = PageRef("law/doc1", 0)
    name = "tests.fakes.LoggingEngine, salt_and_pepper severe, seed 1"
    task = recipes.task(name, ref)
    assert task is not None
    monkeypatch.chdir(task.source.parent)
    made: dict[str, Any] = {}
    exec(recipes.python(name, ref), made)
    seen, record = distort(task, page_image(task))
    assert not np.array_equal(made["page"], made["noisy"])
    assert np.array_equal(made["noisy"], seen)
    assert record is not None
    assert json.loads(shown_record(record)) == record
    assert recipes.python("gt, clean", ref) == ""
    odd = replace(task, source=task.source.with_name('x"), print("y.pdf'))
    monkeypatch.setattr(Recipes, "task", lambda recipes, base, ref: odd)
    assert f"ohr.page_image({odd.source.name!r}, " in recipes.python(name, ref)


def test_lines_of_python_rewrite_the_text_again(run):
    ref, texts = PageRef("law/doc1", 0), read_texts(run.path)
    name = "gt, formatting severe, seed 1"
    lines = Recipes(run).python(name, ref)
    text = texts["gt, clean"][ref]
    made: dict[str, Any] = {}
    exec(re.sub(r"page = .*", lambda _: f"page = {text!r}", lines), made)
    assert made["noisy"] == texts[name][ref] != text


@pytest.mark.slow
def test_a_study_makes_its_report_or_says_how(settings, tmp_path):
    arguments = [*settings, "engines=[gt]", READERS, "--out", str(tmp_path / "r")]
    said = invoke("ocr_benchmark", *arguments).output
    assert f"interactive report: ohr report {tmp_path / 'r'} --out" in said
    said = invoke("ocr_benchmark", *arguments, "--report").output
    assert f"report: {tmp_path / 'r' / 'report' / 'index.html'}" in said
    assert "<title>r</title>" in (tmp_path / "r" / "report" / "index.html").read_text("utf-8")
    assert ohr.open_run(tmp_path / "r").name == "r"


@pytest.mark.slow
def test_what_is_missing_is_said_with_its_reason(run, settings, tmp_path, monkeypatch):
    def unreadable(*_):
        raise OhrError("page 1 is damaged")

    monkeypatch.setattr("ohr.report.images.words_of_page", unreadable)
    lines = built(run, tmp_path / "boxes", cases="random:all", images="webp:300:50").missing
    assert any("have no boxes around the evidence, such as page" in line for line in lines)
    monkeypatch.setattr("ohr.report.images.page_image", unreadable)
    lines = built(run, tmp_path / "images", cases="random:all", images="webp:300:50").missing
    assert any("have no image, such as page" in line for line in lines)
    read = finished(tmp_path / "read", *settings, "engines=[gt]", "stages=[ocr]")
    monkeypatch.setattr("ohr.report.overview.draw", draw)  # not the figures of another run
    built(read, tmp_path / "ocr", images="none")
    page = (tmp_path / "ocr" / "index.html").read_text("utf-8")
    assert "<p>Not drawn: Engines: " in page
    assert str(tmp_path) not in page.split("<p>Not drawn")[1].split("</p>")[0]


@pytest.mark.slow
def test_a_run_that_no_command_reproduces_says_why(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "imported")
    manifest = json.loads((run.path / "manifest.json").read_text("utf-8"))
    del manifest["config"]
    (tmp_path / "imported" / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    imported = open_run(tmp_path / "imported")
    assert why_without_command(run) == ""
    assert command_of(imported) == ""
    build_report([imported], tmp_path / "report", ReportOptions("random:1", "none"))
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "<p>No command reproduces it: imported was not made by a study" in page


def test_missing_ground_truth_is_said(run, tmp_path, monkeypatch):
    texts = Texts(run)
    assert texts.missing == ""
    texts.bases = {}
    monkeypatch.setattr(type(run), "dataset", property(lambda _: unfound()))
    assert texts.truth(PageRef("law/doc1", 0)) is None
    assert texts.missing == "the data is not there"


def unfound():
    raise OhrError("the data is not there")
