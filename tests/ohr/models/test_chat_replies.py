"""Ends, counts of tokens and system turns of servers that differ from OpenAI's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.ends import end_of
from ohr.models.system_turns import explained
from ohr.models.token_counts import tokens_used
from ohr.plugins import Message
from ohr.types import Outcome, Status
from tests.loopback import Server, refused, said
from tests.rag.test_openai_reader import ask, hits, reader


@pytest.mark.parametrize(
    "reason",
    ["length", "max_tokens", "MAX_TOKENS", "MaxTokens", "max_output_tokens", "token_limit",
     "model_length", "FINISH_REASON_MAX_TOKENS", "max-tokens", "max_new_tokens", "incomplete",
     "model_context_window_exceeded"],
)  # fmt: skip
def test_a_cut_answer_is_counted_whatever_its_end_is_called(server: Server, reason: str) -> None:
    server.replies = [said("half a", reason)]
    [reply] = reader(server, max_tokens=5).answer_many(["Who?"], [[]])
    assert reply.outcome == Outcome("half a", Status.OK, "cut at 5 tokens")
    assert reply.usage["answers_cut"] == 1
    assert reader(server).complete([Message("user", "Who?")]).cut


@pytest.mark.parametrize(
    ("reason", "end"),
    [("STOP", "stop"), ("EndTurn", "stop"), ("eos_token", "stop"), (None, "None"),
     ("SAFETY", "content_filter"), ("toolUse", "tool_calls"), ("moody", "moody")],
)  # fmt: skip
def test_other_ends(reason: object, end: str) -> None:
    assert end_of(reason) == end


def test_an_end_that_is_not_known_is_counted(server: Server) -> None:
    server.replies = [said("nine", "moody")]
    [reply] = reader(server).answer_many(["Who?"], [[]])
    assert reply.outcome == Outcome("nine", Status.OK, "finish_reason moody")
    assert reply.usage["unknown_ends"] == 1


def used(**usage: Any) -> dict[str, float]:
    return tokens_used({"usage": usage}, 0.0, 1e6)


@pytest.mark.parametrize(
    ("usage", "written"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 313,
          "completion_tokens_details": {"reasoning_tokens": 300}}, 303),
        ({"prompt_tokens": 10, "completion_tokens": 303, "total_tokens": 313,
          "completion_tokens_details": {"reasoning_tokens": 300}}, 303),
        ({"prompt_tokens": 10, "completion_tokens": 3,
          "completion_tokens_details": {"reasoning_tokens": 300}}, 303),
        ({"prompt_tokens": 10, "completion_tokens": 303,
          "completion_tokens_details": {"reasoning_tokens": 300}}, 303),
        ({"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": "50"}, 40),
        ({"prompt_tokens": "10", "completion_tokens": "3"}, 3),
        ({"prompt_tokens": 10.0, "completion_tokens": 3.0}, 3),
        ({"prompt_tokens": "1,010", "completion_tokens": "3.0"}, 3),
        ({"input_tokens": 10, "output_tokens": 3}, 3),
    ],
)  # fmt: skip
def test_tokens_in_any_form(usage: dict[str, Any], written: int) -> None:
    counts = used(**usage)
    assert counts["completion_tokens"] == counts["cost"] == written


@pytest.mark.parametrize(
    "number", [True, -1, 2.5, "many", "", None, float("nan"), float("inf"), 1 << 50, "٣", [3]]
)
def test_what_is_no_number_of_tokens(number: object) -> None:
    assert used(prompt_tokens=1, completion_tokens=number) == {"unmetered": 1}


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_thoughts_count_once(prompt: int, answer: int, thoughts: int) -> None:
    details = {"reasoning_tokens": thoughts}
    total = prompt + answer + thoughts
    for completion in (answer, answer + thoughts):
        counts = used(
            prompt_tokens=prompt,
            completion_tokens=completion,
            total_tokens=total,
            completion_tokens_details=details,
        )
        assert counts["completion_tokens"] == answer + thoughts


REFUSALS = [
    "System role not supported",
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "Only user and assistant roles are supported!",
    "Developer instruction is not enabled for this model",
    "Unexpected message role: system",
    "This model does not support system messages",
    "`system` role is not permitted here",
    "messages[0].role: 'system' is not allowed",
    "the first message must be from the user",
    "'system' is not one of ['user', 'assistant'] (messages.0.role)",
    "role: input must be 'user' or 'assistant'",
    "system is not a valid role",
]


@pytest.mark.parametrize("words", REFUSALS)
@pytest.mark.parametrize("status", [400, 500])
def test_a_template_without_a_system_turn_stops_the_run_and_names_the_setting(
    server: Server, waits: list[float], words: str, status: int
) -> None:
    def answer(request: dict[str, Any]) -> Any:
        if request["messages"][0]["role"] == "system":
            return refused(status, json.dumps({"error": {"message": words}}))
        return said("nine years")

    server.answer = answer
    with pytest.raises(MissingDependencyError, match=r"no system turn .*set system_turn=false"):
        ask(server)
    assert ask(server, system_turn=False) == Outcome("nine years")
    system = server.requests[0]["messages"][0]["content"]
    [first, *_] = server.requests[-1]["messages"]
    assert first["role"] == "user"
    assert first["content"].startswith(system)


def test_words_that_were_sent_name_no_setting() -> None:
    page = "Note: system role not supported by old templates."
    body = {"messages": [{"role": "system", "content": "Answer."},
                         {"role": "user", "content": page}]}  # fmt: skip
    error = EngineError(f"HTTP 400 flagged: {page}")
    assert explained(error, body, "http://x") is error
    other = EngineError("HTTP 400 System role not supported")
    assert isinstance(explained(other, body, "http://x"), MissingDependencyError)
    assert explained(other, {"messages": body["messages"][1:]}, "http://x") is other
    assert explained(other, {"input": ["x"]}, "http://x") is other


def test_the_system_turn_is_part_of_the_identity(server: Server) -> None:
    assert reader(server).identity() != reader(server, system_turn=False).identity()
    server.replies = [said("x")]
    ask(server, "Who?", *(hit.text for hit in hits("A page.")))
    assert server.requests[0]["messages"][0]["role"] == "system"
