"""The lines of ``ohr recommend``: what to do first, and what was not read."""

from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from rich.console import Console

from ohr.adviser import page_looks
from ohr.adviser.recommend.advice import Recommendation
from ohr.adviser.recommend.console import (
    MOST_LINES,
    basis_lines,
    closing_lines,
    console_lines,
)
from ohr.adviser.recommend.decision import Decision
from ohr.adviser.recommend.read_command import ReadCommand
from ohr.adviser.recommend.report import Advice
from ohr.adviser.recommend.verdicts import Candidate, MeasureVerdict, not_assessed
from ohr.adviser.sampling import PageSample
from ohr.types import PageRef

PREDICTED = "predicted from the engines' agreement and confidences"


def errors(pages=10, ocr_pages=1, against=PREDICTED):
    both = (Candidate("a", "a", 0.1, 0.0, 0.2), Candidate("b", "b", 0.2, 0.1, 0.3))
    return MeasureVerdict("characters", both, pages, 2, against, {}, ocr_pages=ocr_pages)


def pages_in(*scripts):
    """Pages that two engines read; ``Thai`` is what neither can write, Greek only b can."""
    rows = [
        {"engine": engine, "doc_id": f"d{place}", "page_no": 0, "script": script}
        | {"writes_script": script == "Latin" or (script == "Greek" and engine == "b")}
        for place, script in enumerate(scripts)
        for engine in "ab"
    ]
    layer = {"engine": "pdf_text", "doc_id": "d1", "page_no": 0, "script": ""}
    return pd.DataFrame([*rows, layer | {"writes_script": True}])


def result(*verdicts, left_out=(), others=(), stopped=(), failures=(), scripts=("Latin",)):
    return SimpleNamespace(
        table=pages_in(*scripts),
        decision=SimpleNamespace(engine="", by="characters"),
        reading=SimpleNamespace(
            sentences=list(stopped),
            inventions=SimpleNamespace(vetoes={}),
            outputs=SimpleNamespace(of_layer=frozenset({"pdf_text"})),
        ),
        verdicts=verdicts,
        sample=PageSample(
            (), {}, {}, {}, {}, dict(left_out), others=dict(others), failures=dict(failures)
        ),
        advice=SimpleNamespace(doubts=("Errors are predicted.",)),
    )


def recommended(engine="", layers=None) -> Recommendation:
    sentence = "Which engine is better cannot be said from 3 pages."
    advice = Advice((sentence, "Wrong characters: …"), (), (), ())
    decision = Decision(engine, "", "why")
    empty = pd.DataFrame()
    whole = Recommendation(decision, layers, None, (), (), advice, empty, None, None)
    command = ReadCommand(("ohr", "read"), 3, 3, 4.0, 0, 0.0, "b", 2.0, first="a")
    return whole.add_command(command)


def test_without_an_engine_the_first_line_says_first_what_to_do():
    does = (
        "Run the command below: it reads pages that need OCR with a, and again with b where that "
        "is in doubt."
    )
    first = "Which engine is better cannot be said from 3 pages."
    assert recommended().sentences == [f"{does} {first}", "Wrong characters: …"]
    layers = SimpleNamespace(is_usable=True)
    assert recommended(layers=layers).sentences[0] == f"{first} {does}"
    assert recommended(engine="a").sentences[0] == first


def test_pages_of_another_kind_than_the_advice_is_about_are_counted():
    lines = basis_lines(result(errors()))
    assert "predicted for 10 pages of 2 documents, 9 of them with a usable text layer" in lines[-1]
    assert "usable" not in " ".join(basis_lines(result(errors(10, 10))))


def test_why_reading_stopped_and_what_was_not_assessed_have_a_line_each():
    missing = [not_assessed("retrieval", "there are no questions", ["a", "b"])]
    lines = basis_lines(result(errors(), *missing, stopped=["Reading stopped."]))
    assert lines[0] == "Reading stopped."
    assert lines[-1] == "not assessed: retrieval LCS (there are no questions)"


def test_an_error_of_too_few_pages_is_left_out_beside_another():
    few = replace(
        errors(pages=1),
        measure="content_r_noise",
        too_few="1 page: too few",
        not_assessed={"b": "no page has a prediction"},
    )
    lines = basis_lines(result(errors(10, 10), few))
    assert lines[-1] == "not assessed: content r_noise (1 page: too few)"
    assert "content" not in " ".join(lines[:-1])
    assert "content r_noise: predicted" in " ".join(basis_lines(result(few)))


def test_pages_that_no_engine_can_write_are_counted():
    lines = basis_lines(result(errors(), scripts=["Latin", "Thai", "Greek", "Thai", "Arabic"]))
    assert lines[-1] == (
        "not assessed: 3 of 5 pages in Thai and Arabic, which no engine here can write: name one "
        "that can (--engines), or install its language data"
    )
    assert "can write" not in " ".join(basis_lines(result(errors(), scripts=["Latin", "Greek"])))


def test_pages_whose_writing_system_nobody_can_detect_are_counted(monkeypatch):
    whole = result(errors(), scripts=["Latin", "Latin"])
    signals = {"disagreement": [0.9, 0.9, 0.1, 0.1, 0.0], "confidence": 0.1, "has_layer": False}
    whole.table = whole.table.assign(**signals)
    monkeypatch.setattr(page_looks, "missing_parts", lambda: "no osd.traineddata: apt-get")
    assert basis_lines(whole)[-1] == (
        "not assessed: the writing system of 1 page (no osd.traineddata: apt-get)"
    )
    monkeypatch.setattr(page_looks, "missing_parts", lambda: "")
    assert "writing system" not in " ".join(basis_lines(whole))


def test_what_was_not_read_has_one_line():
    unread = {"a": "it is empty", "b": "it is locked", "c": "it is locked"}
    lines = closing_lines(result(errors(), left_out=unread, others={".txt": 2}))
    assert lines == ["not read: a: it is empty, and 2 more files; 2 .txt", "Errors are predicted."]


def test_a_page_that_no_engine_can_read_is_named():
    failed = {PageRef("b", 1): "it is cut off", PageRef("c", 0): "it is cut off"}
    lines = closing_lines(result(errors(), failures=dict([*failed.items()][:1])))
    assert lines[0] == "not read: page 2 of b: it is cut off"
    lines = closing_lines(result(errors(), left_out={"a": "it is empty"}, failures=failed))
    assert lines[0] == "not read: a: it is empty, and 2 more files or pages"
    problems = result(errors(), failures=failed).sample.problems()
    assert problems[0] == ("failed_page", "page 2 of b: it is cut off")


def test_errors_that_were_measured_are_not_called_predicted():
    assert closing_lines(result(errors(against="the text layer"))) == []


def printed(engines: int, vetoes: int, *, full: bool) -> list[str]:
    """The lines of a recommendation with everything in it, or only what is always there."""
    candidates = tuple(Candidate(f"e{n}", f"e{n}", 0.1, 0.0, 0.2) for n in range(engines))
    verdicts = [MeasureVerdict("characters", candidates, 10, 2, PREDICTED, {}, ocr_pages=10)]
    if full:
        verdicts.append(not_assessed("retrieval", "there are no questions", []))
    whole = result(
        *verdicts,
        stopped=["Reading stopped."] * full,
        left_out={"a": "empty"} if full else {},
        scripts=["Latin", "Thai"] if full else ["Latin"],
    )
    whole.reading.inventions.vetoes = {
        f"v{n}": SimpleNamespace(sentence=f"v{n} invents text.") for n in range(vetoes)
    }
    whole.sentences = ["Take e0."]
    whole.costs = ()
    whole.following = ReadCommand(("ohr", "read"), 3, 3, 4.0, 0, 0.0)
    whole.sample = replace(whole.sample, left_out={"a": "b"})
    stream = StringIO()
    console = Console(file=stream, width=100, color_system=None)
    for line in console_lines(whole, Path("out")):
        console.print(line, soft_wrap=True)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("vetoes", [0, 1, 2, 4, 6, 12])
@pytest.mark.parametrize("engines", [0, 1, 2, 4, 6, 12])
def test_the_console_has_at_most_fifteen_lines(engines, vetoes, full):
    lines = printed(engines, vetoes, full=full)
    text = "\n".join(lines)
    assert len(lines) <= MOST_LINES
    shown = sum(line.startswith("e") and "engine" not in line for line in lines)
    assert shown >= min(2, engines)
    if shown < engines:
        assert f"; {engines - shown} more engine" in text
    named = sum(line.endswith(" invents text.") for line in lines)
    assert named == vetoes or f"{vetoes} engines write what is not on the pages" in text
    assert "next: ohr read" in text
    assert "details in out: recommendation.txt" in text


def test_with_room_each_engine_that_invents_has_its_sentence():
    assert "v2 invents text." in printed(2, 3, full=False)
