"""What a study does with replies that are no plain answers: refused, empty, not understood."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from experiments import ocr_benchmark
from ohr.errors import OhrError
from ohr.ocr.failures import Streak
from ohr.study.results import open_run
from ohr.types import Outcome
from tests.builders import CliRunner
from tests.loopback import Reply, Server, refused, said
from tests.ohr.study.test_readers import cell, openai, run, write_small

FLAGGED = json.dumps({"error": {"message": "your input was flagged", "code": 403}})
OVERALL = "stages=[overall]"


def judging(server: Server) -> str:
    params = {"model": "judge", "base_url": server.url, "retries": 0}
    return f"judge={json.dumps({'name': 'openai', 'params': params})}"


def number_of(request: dict[str, Any]) -> int:
    found = re.search(r"fact (\d)", request["messages"][-1]["content"])
    assert found is not None
    return int(found[1])


def refusing(*numbers: int) -> Any:
    """Refuses the questions about some facts."""

    def answer(request: dict[str, Any]) -> Reply:
        return refused(403, FLAGGED) if number_of(request) in numbers else said("answer 1")

    return answer


# Requests that a server refuses


def test_a_refused_question_is_an_error_in_the_servers_words_and_a_rerun_asks_nothing(
    server, tmp_path
):
    settings = write_small(tmp_path)
    server.answer = refusing(0)
    reader = openai(server, concurrency=1)
    result = run(settings, tmp_path / "run", reader, OVERALL)
    assert result.readers["openai"]["by_status"] == {"error": 1, "ok": 3}
    [line] = result.failures
    assert "1 error" in line
    assert "refused (HTTP 403, no key was sent): your input was flagged (1)" in line
    n = len(server.requests)
    again = run(settings, tmp_path / "run", reader, OVERALL)
    assert (again.failures, len(server.requests)) == ([line], n)
    # Those alone are asked again: that all of these are refused is no reason to stop.
    run(settings, tmp_path / "run", reader, OVERALL, "retry_failed=true")
    assert len(server.requests) == n + 1
    server.answer = refusing()
    again = run(settings, tmp_path / "run", reader, OVERALL, "retry_failed=true")
    assert (again.failures, again.failed) == ([], [])


@pytest.mark.parametrize("status", [403, 404])
def test_a_server_that_refuses_all_stops_the_study_and_nothing_stands(server, tmp_path, status):
    settings = write_small(tmp_path)
    server.replies = [refused(status, "no such model for you")]
    with pytest.raises(OhrError, match=r"openai: the server refused all 4 questions so far "
                       r"\(.*no key was sent\): no such model for you\): correct"):  # fmt: skip
        run(settings, tmp_path / "run", openai(server), OVERALL)
    server.replies = [said("answer 1")]
    assert run(settings, tmp_path / "run", openai(server), OVERALL).failures == []


def test_five_refusals_from_the_first_on_are_taken_for_all():
    mark = "http://h/v1 refused (HTTP 403, no key was sent): "
    streak = Streak("reader", "questions", 20)
    for number in range(4):
        streak.add(Outcome.error(f"{mark}reason {'abcd'[number]}"))
        assert streak.refused
    with pytest.raises(OhrError, match="refused all 5 questions"):
        streak.add(Outcome.error(f"{mark}reason e"))
    for before in (Outcome("an answer"), Outcome.error("too long"), Outcome.timeout("late")):
        streak = Streak("reader", "questions", 20)
        streak.add(before)
        for number in range(18):
            streak.add(Outcome.error(f"{mark}{'ab'[number % 2]}"))
        streak.end()
    never = Streak("reader", "questions", 0)
    for _ in range(30):
        never.add(Outcome.error(mark))
    never.end()


# Answers that are empty


@pytest.mark.slow
def test_a_run_of_empty_answers_says_why_and_exits_with_1(server, tmp_path):
    server.replies = [said("", "content_filter")]
    arguments = [*write_small(tmp_path), openai(server), OVERALL, "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(ocr_benchmark.main, arguments)
    assert done.exit_code == 1, done.output
    why = "4 empty (they count with the worst value): finish_reason content_filter (4)"
    assert f"openai: {why}" in done.stderr
    assert "error: failed: openai: all of its 4 answers are empty" in done.stderr
    result = open_run(tmp_path / "run")
    assert result.readers["openai"]["reasons"] == {"finish_reason content_filter": 4}
    assert result.failed == ["openai: all of its 4 answers are empty"]


def test_an_error_within_an_answer_is_asked_again_and_an_empty_answer_stands(server, tmp_path):
    settings = write_small(tmp_path)

    def answer(request: dict[str, Any]) -> Reply:
        replies = [said("half", "error"), said(None, "tool_calls"), said("answer 1"), said("3")]
        return replies[number_of(request)]

    server.answer = answer
    reader = openai(server, retries=0)
    result = run(settings, tmp_path / "run", reader, OVERALL)
    assert result.readers["openai"]["by_status"] == {"empty": 1, "error": 1, "ok": 2}
    [line] = result.failures
    assert line.startswith("openai: 1 error and 1 empty (they count with the worst value): ")
    assert "openai: HTTP 200 with error finish_reason error (1)" in line
    assert "no text (1)" in line
    assert result.failed == []
    n = len(server.requests)
    run(settings, tmp_path / "run", reader, OVERALL, "retry_failed=true")
    assert [number_of(request) for request in server.requests[n:]] == [0]


def test_what_is_answered_to_nothing_is_no_trouble(tmp_path):
    result = run(write_small(tmp_path), tmp_path / "run", "stages=[generation]")
    assert result.readers["extractive"]["by_status"]["empty"] == 4
    assert (result.failures, result.failed) == ([], [])


# Verdicts that cannot be read


def judged_as(*replies: str) -> Any:
    """A judge that says these of the answers to facts 0, 1 ..., and a reader."""

    def answer(request: dict[str, Any]) -> Reply:
        if request["model"] == "judge":
            return said(replies[number_of(request)])
        return said(f"answer {number_of(request)}")

    return answer


def test_verdicts_that_cannot_be_read_are_counted_shown_bounded_and_asked_again(server, tmp_path):
    settings = write_small(tmp_path)
    server.answer = judged_as("Correct.", "Hm, close", "It is hard to say.", "incorrect")
    given = [openai(server), judging(server), OVERALL]
    result = run(settings, tmp_path / "run", *given)
    row = cell(result.cells, "overall", "judged")
    assert (row["mean"], row["n"], row["n_error"]) == (0.25, 4, 2)
    judge = result.readers["(judge)"]
    assert (judge["by_status"], judge["unread"]) == ({"error": 2, "ok": 2}, 2)
    assert judge["reasons"] == {"the verdict could not be read, such as 'It is hard to say.'": 2}
    told, bounds = result.failures
    assert told == (
        "(judge): 2 of 4 verdicts could not be read, such as 'It is hard to say.' (they count as "
        "incorrect; retry_failed=true asks for them again)"
    )
    assert bounds.endswith(
        "between 0.250 if all 2 ungraded of 4 answers are incorrect and 0.750 if all are correct"
    )
    [entry] = result.manifest["ungraded"]
    assert (entry["low"], entry["high"], entry["n"], entry["ungraded"]) == (0.25, 0.75, 4, 2)
    assert open_run(tmp_path / "run").failures == [told, bounds]
    # A rerun asks nothing; with retry_failed it asks for those two.
    n = len(server.requests)
    assert run(settings, tmp_path / "run", *given).failures == [told, bounds]
    assert len(server.requests) == n
    server.answer = judged_as("-", "correct", "correct", "-")
    again = run(settings, tmp_path / "run", *given, "retry_failed=true")
    assert sorted(number_of(request) for request in server.requests[n:]) == [1, 2]
    assert cell(again.cells, "overall", "judged")["mean"] == 0.75
    assert (again.failures, "ungraded" in again.manifest) == ([], False)


def test_a_judge_none_of_whose_verdicts_can_be_read_is_a_failure(server, tmp_path):
    server.answer = judged_as(*["As an assistant I would rather not."] * 4)
    result = run(write_small(tmp_path), tmp_path / "run", openai(server), judging(server), OVERALL)
    assert result.failures[0].startswith("(judge): 4 of 4 verdicts could not be read, such as 'As")
    assert [line.rpartition(": ")[2] for line in result.failed] == [
        "all 4 answers (overall judged)"
    ]
