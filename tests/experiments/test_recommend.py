"""What to take for one's own PDFs: from the command line."""

import json
import re
import shlex
import unicodedata
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
from PIL import Image

import ohr
from experiments import recommend
from ohr.adviser.sampling import draw_pages
from tests.builders import write_page
from tests.experiments.own_pages import FAKE, SURE, details, give, run_quality, run_recommend

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "recommendation.schema.json"
PARTS = ("VERDICT", "WHY", "COST", "TO BE SURE")


def validated(out: Path) -> dict:
    """``recommendation.json``, which follows its documented schema."""
    content = json.loads((out / "recommendation.json").read_text("utf-8"))
    jsonschema.validate(content, json.loads(SCHEMA.read_text("utf-8")))
    return content


@pytest.mark.slow
def test_a_recommendation_has_the_verdict_first_and_a_json_beside_it(folder):
    done = run_recommend(folder, "--engines", f"{FAKE},{SURE}", "--budget", 4, "--no-instability")
    assert done.exit_code == 0, done.output
    text = (folder.parent / "best" / "recommendation.txt").read_text()
    places = [text.index(f"{part}\n") for part in PARTS]
    assert places == sorted(places)
    assert places[0] == 0
    assert "Text layer: none is usable on the 12 checked pages of 2 PDFs (12 without text)" in text
    assert "Retrieval LCS: not assessed: 0 questions could be made" in text
    content = validated(folder.parent / "best")
    assert [verdict["measure"] for verdict in content["verdicts"]] == [
        *("characters", "content_r_noise", "retrieval")
    ]
    assert content["take"]["text_layer"] is False
    assert content["sentences"]["verdict"] == text.split("\n\n")[0].splitlines()[1:]


@pytest.mark.slow
def test_the_layer_is_recommended_before_the_first_page_is_read(tmp_path):
    """Also by engines of PDFs alone, which count with the layer."""
    folder = write_towns(tmp_path / "in", 4)
    done = run_recommend(folder, "--engines", "pdf_text", "--no-instability")
    assert done.exit_code == 0, done.output
    first = "Text layer: use it, without OCR. It passes the checks on all 4 checked pages of 4"
    assert done.stderr.index(first) < done.stderr.index("reading with")
    line = "Take the text layer (usable on all 4 checked pages). For a page without one: no OCR"
    assert done.stdout.startswith(line)
    assert "pdf_text reads the text layer: it counts with the layer" in details(folder)
    content = validated(tmp_path / "best")
    assert content["take"] == {
        "text_layer": True,
        "engine": None,
        "retriever": None,
        "by": None,
        "reason": "none was assessed",
        "shown": False,
        "own_engine": False,
    }


@pytest.mark.slow
def test_one_engine_is_never_recommended(tmp_path):
    folder = write_towns(tmp_path / "in", 2)
    done = run_recommend(folder, "--engines", FAKE, "--no-instability")
    assert done.exit_code == 0, done.output
    assert f"only {FAKE} was assessed, so nothing was compared" in done.output
    assert "nothing was compared with it" in details(folder)
    assert f"Take {FAKE}" not in done.output


@pytest.mark.slow
def test_any_folder_ends_in_its_sentences(tmp_path):
    """PDFs, an image, a TIFF of two pages, subfolders, broken files, and other kinds."""
    folder = write_towns(tmp_path / "in", 2)
    page = Image.new("L", (200, 260), 255)
    page.save(folder / "scan.png")
    (folder / "sub").mkdir()
    page.save(folder / "sub" / "fax.tif", save_all=True, append_images=[page.rotate(90)])
    (folder / "sub" / "broken.pdf").write_bytes(b"")
    (folder / "broken.png").write_text("no image")
    for name in ("a.docx", "b.docx", "sub/c.xlsx"):
        (folder / name).write_bytes(b"PK")
    engines = ("--engines", f"{FAKE},{SURE},pdf_text")
    dry = run_recommend(folder, *engines, "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "2 PDFs and 2 images, 5 pages; 5 of them would be read" in dry.output
    assert "pdf_text: 2 pages, 0 in the cache, 2 to read" in dry.output
    assert "it cannot read the 3 images" in dry.output
    assert (
        "Retrieval, 2 documents: the smallest possible p is 0.500, so nothing can be shown over "
        "documents; use 6 or more." in dry.output
    )
    assert not (tmp_path / "best").exists()
    done = run_recommend(folder, *engines, "--no-instability")
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert "3 files of other kinds were not read: 2 .docx, 1 .xlsx" in printed
    assert "left out: sub/broken: cannot open broken.pdf" in printed
    assert "left out: documents/broken: cannot read the image" in printed
    content = validated(tmp_path / "best")
    assert content["sample"]["pages"] == 5
    table = pd.read_csv(tmp_path / "best" / "quality.csv")
    assert set(table.loc[table["document"] == "sub/fax", "page"]) == {1, 2}
    assert len(table[table["engine"] == "pdf_text"]) == 2
    assert {"has_layer", "wall_s", "cpu_s"} <= set(table)


@pytest.mark.slow
def test_the_console_has_fifteen_lines_and_the_details_are_in_a_file(tmp_path, monkeypatch):
    for module in ("study", "advice"):
        monkeypatch.setattr(f"ohr.adviser.recommend.{module}.FEWEST_QUESTIONS", 3)
    folder = write_towns(tmp_path / "in", 4)
    for number in range(9):
        (folder / f"broken{number}.pdf").write_bytes(b"")
    done = run_recommend(folder, "--engines", f"{FAKE},{SURE}", "--no-instability", "--report")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) <= 15
    assert lines[0].startswith("Take the text layer (usable on all 4 checked pages).")
    assert any(line.startswith(f"{FAKE} ") for line in lines)
    assert "predicted for" not in done.stdout  # the layer is the truth of these pages
    [following] = [line.removeprefix("next: ") for line in lines if line.startswith("next: ")]
    assert shlex.split(following)[:4] == ["ohr", "read", str(folder), "--auto"]
    assert "0 of 4 pages with OCR, 4 text layers to check" in done.stdout
    assert "problems.csv (9 problems with files and pages)" in done.stdout
    text = (tmp_path / "best" / "recommendation.txt").read_text()
    assert "pages an hour on this machine" in text
    assert f"NEXT\n{following}\n" in text
    assert validated(tmp_path / "best")["next"]["command"] == following
    report = (tmp_path / "best" / "report" / "index.html").read_text()
    assert "<title>Recommendation</title>" in report
    assert '<p class="answer">Take the text layer' in report
    assert "Nothing was compared" not in report


@pytest.mark.slow
def test_a_dry_run_says_what_would_be_read_now(tmp_path, log):
    """Images, which are read again under distortions; it needs no folder for results."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        Image.new("L", (60, 80 + number), 255).save(folder / f"{number}.png")
    options = (folder, "--engines", f"{FAKE},{SURE}", "--cache", tmp_path / "cache")
    dry = give(recommend, *options, "--dry-run")
    assert dry.exit_code == 0, dry.output
    label = f"{FAKE}: 3 pages, 0 in the cache, 3 to read (9 more under distortions)"
    assert f"{label}, time not known: the cache has no page of it" in dry.output
    assert not log.read_text()
    once = give(recommend, *options, "--out", tmp_path / "best", "--no-instability")
    assert once.exit_code == 0, once.output
    again = give(recommend, *options, "--dry-run", "--no-instability")
    assert f"{FAKE}: 3 pages, 3 in the cache, 0 to read" in again.output
    four_times = give(recommend, *options, "--dry-run")
    assert "3 to read (9 more under distortions), about" in four_times.output
    Image.new("L", (90, 90), 255).save(tmp_path / "other.png")
    other = give(recommend, tmp_path / "other.png", *options[1:], "--dry-run", "--no-instability")
    assert f"{FAKE}: 1 page, 0 in the cache, 1 to read, about" in other.output
    assert len(log.read_text().split()) == 2 * 3  # by both engines, in the one real run
    missing = give(recommend, *options)
    assert missing.exit_code == 2
    assert "--out is missing" in missing.output


@pytest.mark.slow
def test_files_and_pages_may_be_named(tmp_path):
    folder = write_towns(tmp_path / "in", 2)
    image = tmp_path / "one.png"
    Image.new("L", (200, 260), 255).save(image)
    options = ("--cache", tmp_path / "cache", "--engines", f"{FAKE},{SURE}", "--no-instability")
    done = give(recommend, image, "--out", tmp_path / "image", *options)
    assert done.exit_code == 0, done.output
    assert "questions are made of PDFs only" in done.output
    assert validated(tmp_path / "image")["text_layer"] is None
    assert "Which engine is better cannot be said from 1 page: 8 are needed" in done.output
    assert validated(tmp_path / "image")["take"]["engine"] is None
    named = folder / "Alderport.pdf"
    done = give(recommend, named, "--pages", "1", "--out", tmp_path / "pdf", *options)
    assert done.exit_code == 0, done.output
    assert "For a page without one: which engine is better is not known: no page" in done.output
    assert validated(tmp_path / "pdf")["take"]["engine"] is None
    assert validated(tmp_path / "pdf")["sample"] == {
        "documents": 1,
        "pages": 1,
        "pages_planned": 1,
        "looks": 1,
        "stopped_by": "all pages",
        "pages_in_all": 1,
        "left_out": {},
        "other_files": {},
    }


def test_the_budget_holds_for_many_documents_too(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(12):
        Image.new("L", (60, 60), 255).save(folder / f"{number}.png")
    assert len(draw_pages([folder], 150, 5, 0).pages) == 5


def test_a_folder_of_nothing_is_one_error(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.docx").write_bytes(b"PK")
    done = run_recommend(tmp_path / "in", "--engines", FAKE)
    assert done.exit_code == 2
    assert "1 file of another kind was not read: 1 .docx" in " ".join(done.output.split())


@pytest.mark.slow
def test_a_page_is_read_once(tmp_path, log):
    folder = write_towns(tmp_path / "in", 3)
    done = run_recommend(folder, "--engines", "tests.fakes.WordsEngine")
    assert done.exit_code == 0, done.output
    assert len(log.read_text().split()) == 3
    assert "3/3 pages" in done.output


@pytest.mark.slow
def test_a_recommendation_from_python(tmp_path):
    folder = write_towns(tmp_path / "in", 2)
    result = ohr.recommend(
        folder,
        tmp_path / "best",
        engines=[FAKE, SURE],
        instability=False,
        cache=tmp_path / "cache",
    )
    assert result.sentences[0].startswith("Take the text layer (usable on")
    assert [verdict.measure for verdict in result.verdicts][:1] == ["characters"]
    assert len(result.table) == 4
    assert validated(tmp_path / "best") == result.json_content()


@pytest.mark.slow
def test_the_same_command_recommends_the_same_again(folder, monkeypatch):
    """What an engine takes is known of stored pages too, so the cheaper one stays the cheaper."""
    said = []
    for _ in range(2):
        engines = ("--engines", f"{FAKE},{SURE},tests.pdf_fakes.PdfEngine")
        done = run_recommend(folder, *engines, "--budget", 4, "--no-instability")
        assert done.exit_code == 0, done.output
        said.append((folder.parent / "best" / "recommendation.txt").read_text())
    first, again = said
    assert again.partition("COST")[0] == first.partition("COST")[0]
    for engine in (FAKE, SURE):
        assert re.search(rf"{engine}: [\d.]+ CPU s per page, [\d,]+ pages an hour", first)
        assert re.search(rf"{engine}: [\d.]+ CPU s per page, [\d,]+ pages an hour", again)


@pytest.mark.slow
def test_retrieval_is_assessed_where_questions_can_be_made(tmp_path, monkeypatch):
    for module in ("study", "advice"):
        monkeypatch.setattr(f"ohr.adviser.recommend.{module}.FEWEST_QUESTIONS", 3)
    folder = write_towns(tmp_path / "in", 4)
    engines = f"{FAKE},pdf_text"
    done = run_recommend(
        folder, "--engines", engines, "--budget", 4, "--no-instability", "--report"
    )
    assert done.exit_code == 0, done.output
    text = details(folder)
    assert "pdf_text reads the text layer: it counts with the layer" in text
    assert "differ significantly" not in text
    assert "fewer errors" not in text  # of the one engine that is ranked
    assert "Retrieval LCS on all questions, clean pages" in text
    report = (tmp_path / "best" / "report" / "index.html").read_text()
    assert report.index("Take the text layer (usable on") < report.index(
        "<details><summary>The study"
    )
    assert "For a page without one: no OCR engine is recommended: only" in done.output
    (folder / "Dunhaven.pdf").unlink()
    (tmp_path / "best" / "recommendation.txt").write_text("Take nothing.")
    done = run_recommend(folder, "--engines", engines, "--budget", 4, "--no-instability")
    assert done.exit_code == 0, done.output
    assert "gone since the last run: documents/Dunhaven" in done.output
    assert "Take nothing" not in (tmp_path / "best" / "recommendation.txt").read_text()
    assert not list((tmp_path / "best" / "exam").rglob("Dunhaven.json"))


@pytest.mark.slow
def test_every_pdf_is_asked_about_wherever_it_lies(tmp_path, monkeypatch):
    for module in ("study", "advice"):
        monkeypatch.setattr(f"ohr.adviser.recommend.{module}.FEWEST_QUESTIONS", 1)
    folder = write_towns(tmp_path / "in", 4)
    apart = unicodedata.normalize("NFD", "Verträge 2023.pdf")
    moved = ("2023/q1/report.pdf", "a.pdf", "sub/a.pdf", apart)
    for (town, _), name in zip(TOWNS, moved, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{town}.pdf").rename(folder / name)
    Image.new("L", (40, 40), 255).save(folder / "scan.png")
    done = run_recommend(folder, "--engines", FAKE, "--no-instability")
    assert done.exit_code == 0, done.output
    asked = json.loads((tmp_path / "best" / "exam" / "questions.json").read_text())
    documents = {question["doc_name"] for question in asked}
    assert documents == {"2023/q1/report", "documents/a", "sub/a", "documents/Verträge 2023"}
    rows = pd.read_parquet(tmp_path / "best" / "retrieval" / "rows.parquet")
    assert set(rows["qid"]) - {""} == {question["ID"] for question in asked}


@pytest.mark.slow
def test_of_one_page_nothing_is_said_of_how_many_documents_would_do(tmp_path, monkeypatch):
    for module in ("study", "advice"):
        monkeypatch.setattr(f"ohr.adviser.recommend.{module}.FEWEST_QUESTIONS", 1)
    folder = write_towns(tmp_path / "in", 1)
    done = run_recommend(folder, "--engines", f"{FAKE},rapidocr", "--no-instability")
    assert done.exit_code == 0, done.output
    assert "Retrieval LCS on all questions, clean" in details(folder)
    assert "would show" not in details(folder)


TOWNS = (("Alderport", 1931), ("Brammouth", 1947), ("Carnford", 1958), ("Dunhaven", 1962))


def write_towns(folder: Path, count: int) -> Path:
    """PDFs of one page, each with four sentences that can be asked about."""
    folder.mkdir()
    for place, (town, year) in enumerate(TOWNS[:count]):
        lines = [
            f"The lighthouse of {town} was finished in {year}.",
            f"The harbour of {town} has {place + 12} piers for large ships.",
            f"The council of {town} spent ${place + 31},400 on the railway.",
            f"The museum of {town} opened on 4 May {year + 20}.",
        ]
        shown = " ".join(
            f"1 0 0 1 10 {240 - 20 * n} Tm ({line}) Tj" for n, line in enumerate(lines)
        )
        write_page(folder / f"{town}.pdf", f"BT /F 6 Tf {shown} ET")
    return folder


def test_without_engines_all_are_taken_that_need_nothing_more(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "ohr.adviser.recommend.study.report_recommendation",
        lambda inputs, settings, *_, **__: asked.extend(s.name for s in settings.engines) or 0,
    )
    done = run_recommend(folder)
    assert done.exit_code == 0, done.output
    assert {"rapidocr", "structured"} <= set(asked) <= {"rapidocr", "structured", "tesseract"}
    monkeypatch.setattr("ohr.registry.known", lambda kind: ["pdf_text", "got", "azure", "gt"])
    done = run_recommend(folder)
    assert done.exit_code == 2
    assert "ohr list engines" in done.output


def test_results_do_not_go_among_the_pdfs(folder):
    done = give(recommend, folder, "--out", folder / "out", "--engines", FAKE)
    assert done.exit_code == 2
    assert "choose another --out" in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--retrievers", "bm52"], "did you mean 'bm25'?"),
        (["--levels", "mild,Severe"], "unknown level 'Severe'"),
        (["--engines", "pdf_text", "--levels", "mild"], "--levels: none of the engines"),
        (["--truth", "nowhere"], "--truth: no folder nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_before_pages_are_read(folder, more, said):
    engines = [] if "--engines" in more else ["--engines", FAKE]
    done = run_recommend(folder, *engines, *more)
    assert done.exit_code == 2
    assert said in done.output
    assert not (folder.parent / "cache").exists()
    if "--truth" in more:
        assert run_quality(folder, "--engines", FAKE, *more).exit_code == 2
        assert not (folder.parent / "cache").exists()


@pytest.mark.slow
def test_an_engine_of_pdfs_passes_over_images(folder):
    Image.new("L", (40, 40), 255).save(folder / "scan.png")
    done = run_quality(folder, "--engines", f"{FAKE},pdf_text", "--no-instability")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(folder.parent / "out" / "quality.csv")
    assert set(table.loc[table["document"] == "documents/scan", "engine"]) == {FAKE}
