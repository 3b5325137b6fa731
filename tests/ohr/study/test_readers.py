"""Readers in a study: answers kept one by one, failures counted, tokens and refusals told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pandas as pd
import pytest

from ohr.display.terminal import reader_lines
from ohr.errors import ConfigError, MissingDependencyError
from ohr.metrics.answers import verdict
from ohr.ocr.progress import Progress
from ohr.plugins import Reader, Reply
from ohr.scoring.answers import Answering
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.results import StudyRun
from ohr.study.run import run_study
from ohr.types import Hit, Outcome, PageRef, Status
from tests.builders import load_config, qa, write_kb, write_questions
from tests.loopback import Reply as HttpReply
from tests.loopback import Server, refused, said

KEY = "sk-not-a-real-key-0123456789"
USAGE = {"prompt_tokens": 100, "completion_tokens": 5}


def write_small(root: Any) -> list[str]:
    """Four questions of four forms over two pages of ground truth."""
    write_kb(root / "gt", {"law/a": ["Fact 1 is answer 1. Fact 2 is answer 2.", "Fact 3 is 3."]})
    forms = ("Short Answer", "Numeric", "", "Numeric")
    entries = [
        qa(n, "law/a", n // 3, answer_form=forms[n], task="Reasoning" if n else "")
        for n in range(4)
    ]
    write_questions(root / "qas.json", entries)
    return [
        "dataset.kind=ohrbench", f"dataset.path={root}", f"dataset.questions={root / 'qas.json'}",
        "engines=[gt]", f"cache={root / 'cache'}",
    ]  # fmt: skip


def run(settings: Sequence[str], out: Any, *more: str) -> StudyRun:
    return run_study(load_config([*settings, *more]), out, progress=Progress())


def openai(server: Server, **params: Any) -> str:
    given = {"model": "m", "base_url": server.url, "retries": 1, **params}
    return f"readers=[{json.dumps({'name': 'openai', 'params': given})}]"


def reply_by_question(request: dict[str, Any]) -> HttpReply:
    """Fact 0: fails; 1: the right answer; 2: none; 3: declines."""
    number = int(re.search(r"fact (\d)", request["messages"][-1]["content"])[1])  # type: ignore[index]
    if number == 0:
        return refused(400, "no zero")
    answers = ["", "answer 1", "", "The passages do not mention it."]
    return said(f"<answer>{answers[number]}</answer>", usage=USAGE)


def cell(cells: pd.DataFrame, stage: str, metric: str, group: str = "all") -> pd.Series:
    chosen = cells[(cells[["stage", "metric", "group"]] == [stage, metric, group]).all(axis=1)]
    assert len(chosen) == 1
    return chosen.iloc[0]


@pytest.mark.slow
def test_a_rerun_asks_nothing_and_writes_the_same_bytes(server, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.answer = reply_by_question
    settings = write_small(tmp_path)
    reader = openai(server, api_key_env="MY_KEY", prompt_price=10)
    first = run(settings, tmp_path / "one", reader)
    assert first.missing == []
    asked = len(server.requests)
    # Gold pages, the top two chunks, and no context: no question with a context twice.
    assert asked == len({json.dumps(request["messages"]) for request in server.requests})
    assert 8 <= asked <= 12
    monkeypatch.delenv("MY_KEY")
    again = run(settings, tmp_path / "two", reader)
    assert len(server.requests) == asked
    for name in ("rows.parquet", "cells.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    told, now = first.readers["openai"], again.readers["openai"]
    assert (told["asked_in_this_run"], now["asked_in_this_run"]) == (asked, 0)
    assert told["usage"] == now["usage"] == told["usage_of_this_run"]
    assert now["usage_of_this_run"] == {}
    answered = asked - told["by_status"]["error"]
    assert told["usage"]["prompt_tokens"] == 100 * answered
    assert told["usage"]["cost"] == pytest.approx(100 * answered * 10 / 1e6)
    assert f"{asked} answers, 0 of them new" in reader_lines(again.readers)[0]
    written = "".join(p.read_text("utf-8") for p in tmp_path.rglob("*.json*") if p.is_file())
    assert "MY_KEY" in written
    assert KEY not in written


def test_empty_refused_and_failed_answers_are_counted_apart(server, tmp_path):
    server.answer = reply_by_question
    cells = run(write_small(tmp_path), tmp_path / "run", openai(server)).cells
    for stage in ("generation", "overall"):
        row = cell(cells, stage, "refused")
        assert (row["mean"], row["n"], row["n_empty"], row["n_error"]) == (0.25, 4, 1, 1)
        for metric in ("f1", "em", "rouge_l"):
            assert cell(cells, stage, metric)["mean"] == 0.25
    assert cell(cells, "generation", "refused_no_context")["mean"] == 0.25


def test_groups_by_answer_form_and_task(server, tmp_path):
    server.answer = reply_by_question
    result = run(write_small(tmp_path), tmp_path / "run", openai(server))
    groups = list(dict.fromkeys(result.cells["group"]))
    assert groups == ["all", "source:text", "domain:law", "form:Numeric", "form:String",
                      "task:reasoning"]  # fmt: skip
    sizes = {g: cell(result.cells, "generation", "f1", g)["n"] for g in groups}
    assert sizes == dict(zip(groups, (4, 4, 4, 2, 1, 3), strict=True))
    assert cell(result.cells, "generation", "f1", "form:Numeric")["mean"] == 0.5
    rows = pd.read_parquet(tmp_path / "run" / "rows.parquet")
    mine = rows[(rows["metric"] == "f1") & (rows["stage"] == "overall")]
    assert mine["answer_form"].tolist() == ["Short Answer", "Numeric", "", "Numeric"]
    assert mine["task"].tolist() == ["", "Reasoning", "Reasoning", "Reasoning"]


@pytest.mark.slow
def test_failed_answers_stand_until_they_are_asked_again(server, tmp_path):
    settings = write_small(tmp_path)
    server.replies = [refused(400, "broken")]
    failed = run(settings, tmp_path / "run", openai(server))
    assert cell(failed.cells, "generation", "f1")["n_error"] == 4
    asked = len(server.requests)
    assert cell(run(settings, tmp_path / "run", openai(server)).cells, "overall", "f1")["mean"] == 0
    assert len(server.requests) == asked
    server.replies = [said("answer 1")]
    again = run(settings, tmp_path / "run", openai(server), "retry_failed=true")
    assert len(server.requests) == 2 * asked
    assert cell(again.cells, "generation", "f1")["n_error"] == 0
    run(settings, tmp_path / "run", openai(server), "retry_failed=true")
    assert len(server.requests) == 2 * asked


@pytest.mark.slow
def test_a_run_that_dies_keeps_what_had_come(server, tmp_path):
    settings, seen = write_small(tmp_path), []

    def dies(request: dict[str, Any]) -> HttpReply:
        seen.append(request)
        return said("answer 1") if len(seen) <= 3 else refused(401)

    server.answer = dies
    with pytest.raises(MissingDependencyError, match="refuses no key"):
        run(settings, tmp_path / "run", openai(server, concurrency=1))
    kept = [json.dumps(request["messages"]) for request in seen[:3]]
    seen.clear()
    server.answer = None
    server.replies = [said("answer 1")]
    server.requests.clear()
    assert run(settings, tmp_path / "run", openai(server, concurrency=1)).missing == []
    later = [json.dumps(request["messages"]) for request in server.requests]
    assert not set(kept) & set(later)


# Readers of one's own


class Whimsical(Reader):
    """Says what it is asked, and raises on some questions."""

    name = "whimsical"
    asked: ClassVar[list[str]] = []

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        self.asked.append(question)
        if "bad" in question:
            raise ValueError("no\nidea")
        if "missing" in question:
            raise MissingDependencyError("pip install half")
        return Outcome(f"{question} {len(context)}")


class Collapsing(Whimsical):
    """Gives up in the middle, and forgets one."""

    name = "collapsing"

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        yield Reply(len(questions) - 1, Outcome("last"), {"prompt_tokens": 3})
        raise RuntimeError("batch lost")


def hit(text: str) -> Hit:
    return Hit(PageRef("a/b", 0), text, 1.0, 0)


@pytest.fixture
def answering(tmp_path):
    Whimsical.asked.clear()
    return Answering(ArtefactStore(tmp_path))


def test_an_exception_is_one_answers_error(answering):
    found = answering.answers("w", Whimsical(), ["a", "bad", "c"], [[], [], [hit("x")]])
    assert [o.status for o in found] == [Status.OK, Status.ERROR, Status.OK]
    assert found[1].detail == "ValueError: no idea"
    assert [found[0].value, found[2].value] == ["a 0", "c 1"]


def test_what_is_not_installed_stops_the_run_and_keeps_the_rest(answering, tmp_path):
    with pytest.raises(MissingDependencyError, match="pip install half"):
        answering.answers("w", Whimsical(), ["a", "missing"], [[], []])
    Whimsical.asked.clear()
    again = Answering(ArtefactStore(tmp_path))
    assert again.answers("w", Whimsical(), ["a"], [[]]) == [Outcome("a 0")]
    assert Whimsical.asked == []


def test_equal_questions_are_asked_once_and_the_context_tells_them_apart(answering):
    asked = ["a", "a", "a", "b", "a"]
    contexts = [[], [hit("x")], [], [], [hit("y")]]
    found = answering.answers("w", Whimsical(), asked, contexts)
    assert [o.value for o in found] == ["a 0", "a 1", "a 0", "b 0", "a 1"]
    assert sorted(Whimsical.asked) == ["a", "a", "a", "b"]
    answering.answers("w", Whimsical(), asked[::-1], contexts[::-1])
    assert len(Whimsical.asked) == 4


def test_what_a_batch_loses_is_asked_alone(answering):
    found = answering.answers("c", Collapsing(), ["a", "bad", "z"], [[], [], []])
    assert [o.value for o in found] == ["a 0", None, "last"]
    assert Whimsical.asked == ["a", "bad"]
    assert answering.tallies["c"].summary()["usage"] == {"prompt_tokens": 3}


# The judge


def judging(server: Server) -> str:
    params = {"model": "judge", "base_url": server.url, "retries": 0}
    return f"judge={json.dumps({'name': 'openai', 'params': params})}"


@pytest.mark.slow
def test_a_judge_is_a_metric_of_its_own(server, tmp_path):
    def answer(request: dict[str, Any]) -> HttpReply:
        if request["model"] != "judge":
            return reply_by_question(request)
        exhibits = request["messages"][-1]["content"]
        assert "Accepted answers:\n- answer" in exhibits
        right = "graded:\nanswer 1" in exhibits
        return said(f"<answer>{'Correct' if right else 'incorrect'}</answer>")

    server.answer = answer
    settings = write_small(tmp_path)
    plain = run(settings, tmp_path / "plain", openai(server)).cells
    assert "judged" not in set(plain["metric"])
    result = run(settings, tmp_path / "run", openai(server), judging(server))
    assert result.missing == []
    for stage in ("generation", "overall"):
        row = cell(result.cells, stage, "judged")
        assert (row["mean"], row["n"], row["n_empty"], row["n_error"]) == (0.25, 4, 1, 1)
    rest = result.cells[result.cells["metric"] != "judged"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, plain)
    # Only answers are judged: two of the four, and equal ones once.
    assert result.readers["(judge)"]["answers"] == 2
    judged = [request for request in server.requests if request["model"] == "judge"]
    assert len(judged) == 2
    run(settings, tmp_path / "run", openai(server), judging(server))
    assert len([r for r in server.requests if r["model"] == "judge"]) == 2


def test_verdicts():
    for word in ("correct", " Correct.\n", "**correct**"):
        assert verdict(Outcome(word)) == Outcome(1.0)
    assert verdict(Outcome("INCORRECT")) == Outcome(0.0)
    for said_ in (Outcome("not correct"), Outcome(""), Outcome.error("lost")):
        assert verdict(said_).status is Status.ERROR
    assert verdict(Outcome.timeout("late")).status is Status.TIMEOUT


def test_a_judge_must_be_a_language_model(tmp_path):
    config = load_config([*write_small(tmp_path), "judge=extractive"])
    with pytest.raises(ConfigError, match="judge: reader 'extractive' takes no prompt"):
        make_plan(config, load_dataset(config))


def test_a_model_that_is_not_there_is_said_when_the_run_is_planned(tmp_path):
    config = load_config(
        [*write_small(tmp_path), "readers=[{name: openai, params: {model: m, prompt: /nowhere}}]"]
    )
    with pytest.raises(ConfigError, match="neither built in"):
        make_plan(config, load_dataset(config))


def test_the_same_text_of_another_document_is_asked_again_where_documents_matter(tmp_path):
    class Named(Reader):
        name = "named"
        asked: ClassVar[list[str]] = []

        def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
            self.asked.append(context[0].ref.doc_id)
            return Outcome.of_text(context[0].ref.doc_id)

    class Knowing(Named):
        name = "knowing"
        knows_documents = True
        asked: ClassVar[list[str]] = []

    contexts = [[Hit(PageRef(doc_id, 0), "text", 1.0, 0)] for doc_id in ("law/a", "law/b")]
    for reader, asked in ((Named(), ["law/a"]), (Knowing(), ["law/a", "law/b"])):
        answering = Answering(ArtefactStore(tmp_path / "cache"))
        answers = answering.answers("r", reader, ["q", "q"], contexts)
        assert reader.asked == [answer.value for answer in dict.fromkeys(answers)] == asked
