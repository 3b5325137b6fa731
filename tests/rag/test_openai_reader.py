"""The reader over HTTP, against a server on loopback that behaves and one that does not."""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from typing import Any

import pytest

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import canonical_json
from ohr.types import Hit, Outcome, PageRef, Status
from rag.chunking.token_counter import count_tokens
from rag.readers.openai import cut
from tests.loopback import Reply, Server, refused, said

KEY = "sk-not-a-real-key-0123456789"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}


def reader(server: Server, **params: Any) -> Any:
    settings = {"model": "a/model", "base_url": server.url, **params}
    return registry.create("reader", {"name": "openai", "params": settings})


def hits(*texts: str) -> list[Hit]:
    return [Hit(PageRef("a/b", n), text, 1.0, n) for n, text in enumerate(texts)]


def ask(server: Server, question: str = "Who?", *texts: str, **params: Any) -> Outcome[str]:
    outcome: Outcome[str] = reader(server, **params).answer(question, hits(*texts))
    return outcome


def test_question_and_passages_go_out_and_the_answer_comes_back(server: Server) -> None:
    server.replies = [said("<answer>Ada</answer>")]
    assert ask(server, "Who wrote it?", "First page.", "Second page.") == Outcome("Ada")
    [request] = server.requests
    assert server.paths == ["/v1/chat/completions"]
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("a/model", 0, 128)
    user = request["messages"][-1]["content"]
    assert user.index("[1] First page.") < user.index("[2] Second") < user.index("Who wrote it?")
    assert "Authorization" not in server.headers[0]


def test_request_fields_can_be_added_and_left_out(server: Server) -> None:
    server.replies = [said("x")]
    more = {"max_tokens": None, "max_completion_tokens": 50, "top_k": 1}
    ask(server, request=more)
    assert "max_tokens" not in server.requests[0]
    assert (server.requests[0]["max_completion_tokens"], server.requests[0]["top_k"]) == (50, 1)


def test_long_context_is_cut_and_it_is_said(server: Server) -> None:
    server.replies = [said("x")]
    page = "Some words of a long page. " * 400
    [reply] = reader(server, max_context_tokens=100).answer_many(["Who?"], [hits(page)])
    assert re.fullmatch(r"context cut to 100 of [\d,]+ tokens", reply.outcome.detail)
    assert reply.usage["contexts_cut"] == 1
    sent = (
        server.requests[0]["messages"][-1]["content"]
        .partition("[1] ")[2]
        .partition("\n\nQuestion")[0]
    )
    assert page.startswith(sent.strip())
    assert 90 <= count_tokens(sent) <= 100
    assert cut(page, 10**6) == (page, "")
    assert cut("", 1) == ("", "")


def test_tokens_and_cost_are_what_the_server_reports(server: Server) -> None:
    server.replies = [said("x", usage=USAGE), said("x"), said("x", usage={"prompt_tokens": "many"})]
    made = reader(server, prompt_price=2.5, completion_price=10, concurrency=1)
    replies = list(made.answer_many(["a", "b", "c"], [[], [], []]))
    assert [dict(reply.usage) for reply in replies] == [
        {"prompt_tokens": 1000, "completion_tokens": 10, "cost": pytest.approx(0.0026)},
        {"unmetered": 1},
        {"unmetered": 1},
    ]


def test_cut_empty_and_filtered_answers(server: Server) -> None:
    server.replies = [said("<answer>half a", "length"), said(None), said("", "content_filter")]
    assert ask(server, max_tokens=5) == Outcome("half a", Status.OK, "cut at 5 tokens")
    assert ask(server) == Outcome("", Status.EMPTY, "no text")
    assert ask(server) == Outcome("", Status.EMPTY, "finish_reason content_filter")


def replied(choice: dict[str, Any], message: dict[str, Any]) -> Reply:
    """A completion whose first choice and its message hold these."""
    whole = {"message": {"content": None, **message}, "finish_reason": "stop", **choice}
    return 200, json.dumps({"choices": [whole]}).encode(), {}


CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("choice", "message", "why"),
    [
        ({}, {"refusal": "I cannot help with that."}, "refusal: I cannot help with that."),
        ({}, {"content": [{"type": "refusal", "refusal": "No."}]}, "refusal: No."),
        ({"finish_reason": "tool_calls"}, {"tool_calls": [CALL]},
         "a tool call in place of an answer: look"),
        ({}, {"reasoning_content": "Well, the lease"}, "reasoning without an answer"),
        ({"finish_reason": "length"}, {"reasoning": "Well, the"},
         "cut at 128 tokens; reasoning without an answer"),
        ({}, {"content": "<think>Well, the lease"}, "thoughts or tags without an answer"),
        ({"finish_reason": "sensitive"}, {"content": " "}, "finish_reason sensitive"),
    ],
)  # fmt: skip
def test_an_empty_answer_says_why_there_is_no_text(
    server: Server, choice: dict[str, Any], message: dict[str, Any], why: str
) -> None:
    server.replies = [replied(choice, message)]
    outcome = ask(server)
    assert (outcome.status, outcome.detail) == (Status.EMPTY, why)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "output_text", "text": "nine "}, {"type": "text", "text": "years"}],
        [{"type": "thinking", "thinking": "hm"}, {"text": "nine years"}],
        ["nine ", "years"],
        "<|channel|>analysis<|message|>We need it.<|end|><|start|>assistant<|channel|>final"
        "<|message|>nine years<|return|>",
    ],
)
def test_text_in_parts_and_channels_is_the_answer(server: Server, content: object) -> None:
    server.replies = [replied({}, {"content": content})]
    assert ask(server) == Outcome("nine years")


def test_channels_without_a_final_one_are_no_answer(server: Server) -> None:
    server.replies = [said("<|channel|>analysis<|message|>We need the ter", "length")]
    outcome = ask(server)
    assert (outcome.value, outcome.status) == ("", Status.EMPTY)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": {"message": "upstream overloaded", "code": 502}},
         "HTTP 200 with error 502 upstream overloaded (2 attempts)"),
        ({"error": {"message": "slow down", "type": "rate_limit_error"}},
         "HTTP 200 with error 429 slow down (2 attempts)"),
        ({"error": "no such thing"}, "HTTP 200 with error no such thing"),
        ({"object": "error", "message": "too long", "code": 400},
         "HTTP 200 with error 400 too long"),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "error",
                       "error": {"code": "503", "message": "upstream died"}}]},
         "HTTP 200 with error 503 upstream died (2 attempts)"),
        ({"choices": [{"message": {"content": "half"}, "finish_reason": "error"}]},
         "HTTP 200 with error finish_reason error (2 attempts)"),
        ({"choice": "none"}, 'an answer without choices: {"choice": "none"} (2 attempts)'),
    ],
)  # fmt: skip
def test_an_error_within_success_is_quoted_and_tried_again_by_its_code(
    server: Server, waits: list[float], answer: dict[str, Any], words: str
) -> None:
    server.replies = [(200, json.dumps(answer).encode(), {})]
    assert ask(server, retries=1) == Outcome.error(f"openai: {words}")
    assert len(server.requests) == 1 + ("attempts" in words)


def test_an_error_within_success_that_passes_costs_nothing(
    server: Server, waits: list[float]
) -> None:
    busy = {"error": {"message": "Rate limit exceeded", "code": 429}}
    server.replies = [(200, json.dumps(busy).encode(), {}), said("nine years")]
    assert ask(server, retries=1) == Outcome("nine years")


def test_what_is_not_understood_is_quoted_without_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    html = f"<html>{KEY} is unknown here{'x' * 500}</html>".encode()
    answers = [html, json.dumps({"echo": KEY}).encode(),
               json.dumps({"error": {"message": f"{KEY} spent"}}).encode()]  # fmt: skip
    server.replies = [(200, answer, {}) for answer in answers]
    for words in ("not JSON: <html>[key] is unknown here", '{"echo": "[key]"}', "[key] spent"):
        outcome = ask(server, api_key_env="A_KEY", retries=0)
        assert words in outcome.detail
        assert KEY not in outcome.detail
        assert len(outcome.detail) < 350


@pytest.mark.slow
def test_no_more_requests_at_once_than_asked_and_all_come_back(server: Server) -> None:
    lock, busy, most = threading.Lock(), 0, 0
    numbers, together = itertools.count(), threading.Barrier(4)

    def answer(request: dict[str, Any]) -> Reply:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
            first = next(numbers) < 4
        if first:
            together.wait(60)  # until there are four
        time.sleep(0.01)
        with lock:
            busy -= 1
        name = re.search(r"Question: (\w+)", request["messages"][-1]["content"])
        assert name is not None
        return said(f"<answer>{name[1]}</answer>")

    server.answer = answer
    questions = [f"q{n}" for n in range(40)]
    replies = list(reader(server, concurrency=4).answer_many(questions, [[]] * 40))
    assert {r.index: r.outcome.value for r in replies} == dict(enumerate(questions))
    assert most == 4


def test_key_is_sent_and_shown_nowhere(
    server: Server, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server.replies = [refused(500, f"{KEY} crashed me"), refused(401, f"{KEY} is unknown")]
    made = reader(server, api_key_env="MY_KEY", retries=0)
    shown = [made.answer("q", []).detail]
    with pytest.raises(MissingDependencyError, match="refuses the key in MY_KEY") as caught:
        made.answer("q", [])
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {KEY}"] * 2
    shown += [str(caught.value), canonical_json(made.identity()), repr(made.params)]
    assert KEY not in "".join(shown)
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(MissingDependencyError, match="MY_KEY is not set"):
        list(made.answer_many(["q"], [[]]))


def test_identity_follows_what_changes_an_answer(server: Server, tmp_path: Any) -> None:
    def identity(**params: Any) -> str:
        return canonical_json(reader(server, **params).identity())

    plain = identity()
    for same in ({"timeout_s": 5.0}, {"retries": 0}, {"api_key_env": "K"}, {"concurrency": 1},
                 {"prompt_price": 1.0}):  # fmt: skip
        assert identity(**same) == plain
    for other in ({"revision": "2"}, {"max_tokens": 9}, {"model": "b"}, {"request": {"top_k": 1}},
                  {"max_context_tokens": 9}, {"prompt": "judge"}):  # fmt: skip
        assert identity(**other) != plain
    path = tmp_path / "p.txt"
    path.write_text("{question} {context}")
    first = identity(prompt=str(path))
    copied = tmp_path / "q.txt"
    copied.write_text("{question} {context}")
    assert identity(prompt=str(copied)) == first
    path.write_text("{question}: {context}")
    assert identity(prompt=str(path)) != first


def test_parameters_are_checked(server: Server) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        reader(server, base_url="http://me:secret@host/v1")
    with pytest.raises(ConfigError, match="neither built in"):
        reader(server, prompt="/nowhere").identity()
    assert json.dumps(reader(server).identity())


def test_seconds_that_a_server_reports_are_kept(server: Server) -> None:
    timings = {"prompt_ms": 1500.0, "predicted_ms": 250, "cache_n": 3}
    answer = {"choices": [{"message": {"content": "x"}}], "usage": USAGE, "timings": timings}
    server.replies = [(200, json.dumps(answer).encode(), {})]
    [reply] = reader(server).answer_many(["Who?"], [hits("Page.")])
    assert (reply.usage["prefill_s"], reply.usage["decode_s"]) == (1.5, 0.25)
    answer["timings"] = {"prompt_ms": "1", "predicted_ms": float("nan")}
    server.replies = [(200, json.dumps(answer).encode(), {})]
    [reply] = reader(server).answer_many(["Who?"], [hits("Page.")])
    assert not {"prefill_s", "decode_s"} & set(reply.usage)


def test_questions_on_one_page_follow_one_another(server: Server) -> None:
    server.replies = [said("x")]
    pages = [hits("Second page."), hits("First page."), hits("Second page."), hits("First page.")]
    replies = list(reader(server, concurrency=1).answer_many(["a?", "b?", "c?", "d?"], pages))
    assert sorted(reply.index for reply in replies) == [0, 1, 2, 3]
    asked = [request["messages"][-1]["content"] for request in server.requests]
    assert ["First" in text for text in asked] == [True, True, False, False]
