"""What to take for one's own PDFs: from the command line."""

import json
import math
import re
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments import recommend
from ohr.adviser.recommend.report import cheapest, three_sentences
from ohr.quality.truth import TARGETS
from tests.builders import write_page
from tests.experiments.own_pages import FAKE, SURE, give, run_quality, run_recommend


@pytest.mark.slow
def test_a_recommendation_is_three_sentences(folder):
    done = run_recommend(folder, "--engines", f"{FAKE},{SURE}", "--budget", 4, "--no-instability")
    assert done.exit_code == 0, done.output
    assert "retrieval: not assessed" in done.output
    lines = (folder.parent / "best" / "recommendation.txt").read_text().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("Take ")


def test_the_same_command_recommends_the_same_again(folder, monkeypatch):
    """What an engine takes is known of stored pages too, so the cheaper one stays the cheaper."""
    said = []
    for _ in range(2):
        engines = ("--engines", f"{FAKE},{SURE},tests.pdf_fakes.PdfEngine")
        done = run_recommend(folder, *engines, "--budget", 4, "--no-instability")
        assert done.exit_code == 0, done.output
        said.append((folder.parent / "best" / "recommendation.txt").read_text().splitlines())
    first, again = said
    assert again[:2] == first[:2]
    for engine in (FAKE, SURE):
        assert f"{engine} 0." in first[2]
        assert f"{engine} 0." in again[2]


@pytest.mark.slow
def test_retrieval_is_assessed_where_questions_can_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr("ohr.adviser.recommend.study.FEWEST_QUESTIONS", 3)
    folder = write_towns(tmp_path / "in", 4)
    engines = f"{FAKE},pdf_text"
    done = run_recommend(
        folder, "--engines", engines, "--budget", 4, "--no-instability", "--report"
    )
    assert done.exit_code == 0, done.output
    assert "pdf_text is not ranked" in done.output
    assert "differ significantly" not in done.output
    assert "fewer errors" not in done.output  # of the one engine that is ranked
    assert "retrieval LCS, clean" in done.output, done.output
    assert (tmp_path / "best" / "report" / "index.html").is_file()
    assert f"Take {FAKE}" in done.output
    assert "Only one engine of page images was given" in done.output
    (folder / "Dunhaven.pdf").unlink()
    (tmp_path / "best" / "recommendation.txt").write_text("Take nothing.")
    done = run_recommend(folder, "--engines", engines, "--budget", 4, "--no-instability")
    assert done.exit_code == 0, done.output
    assert "gone since the last run: documents/Dunhaven" in done.output
    assert "Take nothing" not in (tmp_path / "best" / "recommendation.txt").read_text()
    assert not list((tmp_path / "best" / "exam").rglob("Dunhaven.json"))


@pytest.mark.slow
def test_every_pdf_is_asked_about_wherever_it_lies(tmp_path, monkeypatch):
    monkeypatch.setattr("ohr.adviser.recommend.study.FEWEST_QUESTIONS", 1)
    folder = write_towns(tmp_path / "in", 4)
    apart = unicodedata.normalize("NFD", "Verträge 2023.pdf")
    moved = ("2023/q1/report.pdf", "a.pdf", "sub/a.pdf", apart)
    for (town, _), name in zip(TOWNS, moved, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{town}.pdf").rename(folder / name)
    Image.new("L", (40, 40), 255).save(folder / "scan.png")
    done = run_recommend(folder, "--engines", FAKE, "--no-instability")
    assert done.exit_code == 0, done.output
    assert "questions are about PDFs only, not about the 1 images" in done.output
    asked = json.loads((tmp_path / "best" / "exam" / "questions.json").read_text())
    documents = {question["doc_name"] for question in asked}
    assert documents == {"2023/q1/report", "documents/a", "sub/a", "documents/Verträge 2023"}
    rows = pd.read_parquet(tmp_path / "best" / "retrieval" / "rows.parquet")
    assert set(rows["qid"]) - {""} == {question["ID"] for question in asked}


@pytest.mark.slow
def test_of_one_page_nothing_is_said_of_how_many_documents_would_do(tmp_path, monkeypatch):
    monkeypatch.setattr("ohr.adviser.recommend.study.FEWEST_QUESTIONS", 1)
    folder = write_towns(tmp_path / "in", 1)
    done = run_recommend(folder, "--engines", f"{FAKE},rapidocr", "--no-instability")
    assert done.exit_code == 0, done.output
    assert "retrieval LCS, clean" in done.output
    assert "would show" not in (tmp_path / "best" / "recommendation.txt").read_text()


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


def test_of_engines_that_do_as_well_the_fastest_is_taken():
    seconds = {"a": 3.0, "b": 1.0, "c": 2.0}
    assert cheapest(["a", "c"], seconds) == "c"
    assert cheapest(["a"], seconds) == "a"
    assert cheapest(["a", "b"], seconds | {"b": math.nan}) == "a"
    assert cheapest(["a", "d"], seconds) == "a"


class Scored:
    """A run of retrieval: each engine's score of a question, of 20 documents with 5 questions.

    ``values`` are by engine and level: ``clean`` and, where there was noise, levels of it.
    """

    seed = 0

    def __init__(self, values, documents=20):
        rng = np.random.default_rng(0)
        number = np.arange(5 * documents)
        units = {"qid": number.astype(str), "doc_id": (number // 5).astype(str), "page_no": 0.0}
        units |= {"stage": "retrieval", "metric": "lcs", "retriever": "bm25"}
        parts = []
        for engine, by_level in values.items():
            for level, value in by_level.items():
                noise = {"noise": "none", "level": ""}
                if level != "clean":
                    noise = {"noise": "semantic", "level": level}
                near = rng.normal(value, 0.05, len(number))
                parts.append(pd.DataFrame(units | noise | {"engine": engine, "value": near}))
        self.rows = pd.concat(parts, ignore_index=True)


def said_of(run, *errs, levels=(), **seconds):
    errs = errs or (0.1, 0.1)
    names = list("abcdefghi"[: len(errs)])
    found = {"engine": np.repeat(names, 20), "layer": 0.1, "status": "ok"}
    found["assessed"] = ~np.isnan(np.repeat(errs, 20))
    found["doc_id"] = [f"d{n}" for n in range(20)] * len(errs)
    columns = {f"{name}_spread": 0.1 for name in TARGETS}
    columns |= {f"{name}_mean": np.repeat(errs, 20) for name in TARGETS}
    table = pd.DataFrame(found | columns | {f"true_{name}": math.nan for name in TARGETS})
    return three_sentences(table, seconds, frozenset(), run, levels)


def test_an_engine_is_called_worse_where_that_is_shown():
    said = said_of(Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}}), a=1.0, b=2.0)
    assert said[0].startswith("Take a with bm25")
    assert said[1].startswith("a has the best retrieval LCS on clean pages: .90")
    assert "Shown to be worse: b (by .2" in said[1]
    assert "No significant difference" not in said[1]


def test_what_is_not_shown_has_a_bound_and_a_number_of_documents():
    said = said_of(Scored({"a": {"clean": 0.90}, "b": {"clean": 0.898}}), a=1.0, b=2.0)[1]
    assert re.search(
        r"No significant difference from [ab]: [ab] \(none larger than \.0\d\d\)", said
    )
    assert re.search(
        r"About [\d,]+ more (?:documents|pages of these documents) like these would show", said
    )
    assert "Shown to be worse" not in said
    few = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.2}}, documents=3)
    said = said_of(few, a=1.0, b=2.0)[1]
    assert "Shown to be worse" not in said
    assert "of fewer than 6 documents nothing can be shown" in said


def test_the_engine_is_chosen_under_the_noise_that_was_asked_for():
    values = {
        "a": {"clean": 0.9, "mild": 0.6, "severe": 0.2},
        "b": {"clean": 0.8, "mild": 0.7, "severe": 0.6},
    }
    assert said_of(Scored({n: {"clean": v["clean"]} for n, v in values.items()}))[0][:6] == "Take a"
    said = said_of(Scored(values), levels=("mild", "severe"))
    assert said[0].startswith("Take b with bm25")
    assert "b has the best retrieval LCS under mild and severe noise: .6" in said[1]
    assert re.search(r"\(\.(79|80)\d on clean pages\)", said[1])
    assert "Shown to be worse: a" in said[1]


def test_an_engine_that_is_not_distorted_is_no_candidate_under_noise():
    values = {"a": {"clean": 0.9, "mild": 0.5}, "b": {"clean": 0.95}}
    said = said_of(Scored(values), levels=("mild",), a=1.0, b=0.1)
    assert said[0].startswith("Take a with bm25")
    assert said[1].endswith("Not compared under noise, which only page images have: b.")


def test_retrievers_are_compared_with_the_engines():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.5}})
    other = run.rows.assign(retriever="other", value=run.rows["value"] - 0.4)
    run.rows = pd.concat([run.rows, other], ignore_index=True)
    said = said_of(run)
    assert said[0].startswith("Take a with bm25")
    assert "Shown to be worse: b with bm25 (" in said[1]
    assert "all 6 comparisons of two engines with retrievers" in said[1]


def test_a_cheaper_engine_is_taken_only_where_it_does_as_well():
    near, far = (Scored({"a": {"clean": 0.9}, "b": {"clean": low}}) for low in (0.893, 0.6))
    assert said_of(near, a=2.0, b=1.0)[0].startswith("Take b with bm25")
    assert "b is faster." in said_of(near, a=2.0, b=1.0)[1]
    assert said_of(far, a=2.0, b=1.0)[0].startswith("Take a with bm25")
    assert said_of(None, 0.1, 0.11, a=2.0, b=1.0)[0].startswith("Take b, ")
    assert said_of(None, 0.1, 0.3, a=2.0, b=1.0)[0].startswith("Take a, ")


def test_without_questions_noise_is_not_assessed():
    said = said_of(None, 0.1, 0.9, 0.95, levels=("mild",))
    assert "a is best. Shown to be worse: b, c." in said[1]
    assert "all 3 comparisons" in said[1]
    assert said[1].endswith("Noise (mild) was not assessed: there are no questions.")


def test_what_is_not_assessed_is_no_reason_to_take_an_engine():
    nan = math.nan
    (line,) = said_of(None, nan, nan, a=1.0, b=2.0)
    assert line.startswith("Nothing can be recommended: the pages of a, b are not assessed")
    scored = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}})
    by_retrieval = said_of(scored, nan, nan, a=1.0, b=2.0)
    assert by_retrieval[0].startswith(
        "Take a with bm25: how many characters of a page are wrong is not assessed"
    )
    assert "%" not in by_retrieval[0]
    one = said_of(None, nan, 0.1, a=1.0, b=2.0)
    assert one[0].startswith("Take b, ")
    assert "Not assessed, so not compared: a." in one[1]


def test_without_engines_all_are_taken_that_need_nothing_more(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "ohr.adviser.recommend.study.recommend",
        lambda folder, reading, wanted, out: asked.extend(s.name for s in reading.engines) or 0,
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
    done = run_recommend(folder, "--engines", FAKE, *more)
    assert done.exit_code == 2
    assert said in done.output
    assert not (folder.parent / "cache").exists()
    if "--truth" in more:
        assert run_quality(folder, "--engines", FAKE, *more).exit_code == 2
        assert not (folder.parent / "cache").exists()


def test_an_image_for_an_engine_of_pdfs_is_said_before_pages_are_read(folder):
    Image.new("L", (40, 40), 255).save(folder / "scan.png")
    for run in (run_quality, run_recommend):
        done = run(folder, "--engines", f"{FAKE},pdf_text")
        assert done.exit_code == 2
        assert "scan.png is an image: leave images out" in " ".join(done.output.split())
        assert not list((folder.parent / "cache").rglob("*.json"))
