"""Which answers are asked for again, which stop a run, and which are errors at once."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import EngineError, LateError, MissingDependencyError, RefusedError
from ohr.models.answers import Answer, BrokenAnswerError
from ohr.models.error_bodies import error_within
from ohr.models.error_codes import deciding, may_pass, status_of
from ohr.models.http import Endpoint
from ohr.models.servers import Servers
from ohr.models.waits import asked_wait
from tests.loopback import Reply, Server, refused, said, serving

WHOLE = said("nine years")


def endpoint(server: Server, retries: int = 2) -> Endpoint:
    return Endpoint(f"{server.url}/chat", None, 30.0, retries, content="choices")


def json_reply(status: int, content: object, **headers: str) -> Reply:
    return refused(status, json.dumps(content), **headers)


@pytest.mark.parametrize("status", [409, 423, 424, 430, 498, 499, 501, 507, 511, 530, 561, 598])
def test_statuses_that_may_pass_are_asked_again(
    server: Server, waits: list[float], status: int
) -> None:
    server.replies = [refused(status, "busy"), WHOLE]
    assert endpoint(server).post({})["choices"]
    assert waits == [1]


@pytest.mark.parametrize("status", [400, 405, 410, 413, 415, 422, 431])
def test_statuses_of_bad_requests_are_not(server: Server, waits: list[float], status: int) -> None:
    server.replies = [refused(status, "no"), WHOLE]
    with pytest.raises(EngineError, match=f"^HTTP {status} no$"):
        endpoint(server).post({})
    assert len(server.requests) == 1


@given(st.integers(400, 599))
def test_every_5xx_may_pass_and_what_stops_a_run_may_not(status: int) -> None:
    assert may_pass(status) or status < 500
    assert deciding(401, status) == 401
    assert deciding(200, status) == status


@pytest.mark.parametrize(
    "body",
    [WHOLE[1][:-30], WHOLE[1][:1], b"", b" \n", b"<html>502</html>", b"null", b"{}",
     b'{"choices": []}', b'{"id": "x", "choices": null}', b'{"choices": [{"message": null}]}'],
)  # fmt: skip
def test_a_body_that_is_cut_or_empty_is_asked_for_again(
    server: Server, waits: list[float], body: bytes
) -> None:
    server.replies = [(200, body, {}), WHOLE]
    assert endpoint(server).post({})["choices"][0]["message"]["content"] == "nine years"
    assert waits == [1]


@given(st.integers(0, len(WHOLE[1]) - 1))
def test_wherever_a_body_is_cut(length: int) -> None:
    answer = Answer(httpx.Headers(), WHOLE[1][:length])
    with pytest.raises(BrokenAnswerError, match="not JSON"):
        answer.json()


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"code": 429, "message": "slow"}}),
        (400, {"error": {"code": "429", "message": "slow"}}),
        (400, {"error": {"type": "RateLimitError", "message": "slow"}}),
        (400, {"detail": {"error": {"status": "RESOURCE_EXHAUSTED", "message": "slow"}}}),
        (400, {"error": {"message": "upstream said: HTTP 429, wait"}}),
        (403, {"message": "Rate limit exceeded for this key"}),
        (200, {"code": 500, "msg": "worker died"}),
        (200, {"code": "503", "message": "starting", "data": None}),
        (200, {"status_code": 502, "detail": "bad gateway"}),
        (200, {"code": 504.0, "msg": "late", "choices": []}),
        (200, {"error": {"code": "throttled", "message": "langsam"}}),
        (200, {"choices": [{"message": {"content": "ni"}, "finish_reason": "error"}]}),
    ],
)
def test_an_error_whose_body_says_that_it_passes(
    server: Server, waits: list[float], status: int, body: dict[str, Any]
) -> None:
    server.replies = [json_reply(status, body), WHOLE]
    assert endpoint(server).post({})["choices"][0]["message"]["content"] == "nine years"
    assert waits == [1]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"code": 400, "message": "no such field"}}),
        (400, {"error": {"code": "context_length_exceeded", "message": "8,192 tokens at most"}}),
        (200, {"code": 422, "msg": "bad field"}),
    ],
)
def test_an_error_whose_body_says_that_it_lasts(
    server: Server, waits: list[float], status: int, body: dict[str, Any]
) -> None:
    server.replies = [json_reply(status, body)]
    with pytest.raises(EngineError):
        endpoint(server).post({})
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (402, {"error": "top up first"}),
        (429, {"error": {"code": "insufficient_quota", "message": "top up first"}}),
        (429, {"error": {"code": 429, "type": "insufficient_quota", "message": "top up first"}}),
        (400, {"code": "Arrearage", "message": "top up first"}),
        (200, {"error": {"code": 402, "message": "top up first"}}),
    ],
)
def test_missing_credit_stops_the_run(
    server: Server, waits: list[float], status: int, body: dict[str, Any]
) -> None:
    server.replies = [json_reply(status, body)]
    with pytest.raises(MissingDependencyError, match=r"asks for payment .*top up first: add"):
        endpoint(server).post({})
    assert len(server.requests) == 1


def test_a_key_that_a_gateway_refuses_in_a_body_stops_the_run(server: Server) -> None:
    server.replies = [json_reply(200, {"code": 401, "msg": "unknown key"})]
    with pytest.raises(MissingDependencyError, match="refuses no key: name api_key_env"):
        endpoint(server).post({})


@pytest.mark.parametrize("after", ["86400", "61", "99999999999999"])
def test_a_wait_beyond_the_cap_stops_the_run_and_says_until_when(
    server: Server, waits: list[float], after: str
) -> None:
    server.replies = [refused(429, "come back tomorrow", Retry_After=after)]
    with pytest.raises(
        MissingDependencyError,
        match=r"asks to wait (until \d{4}-\d\d-\d\d \d\d:\d\d UTC|for [\d,]+ s) "
        r"\(HTTP 429 come back tomorrow\): run the same command again then",
    ):
        endpoint(server).post({})
    assert waits == []
    assert len(server.requests) == 1


def test_any_error_with_a_wait_is_asked_again(server: Server, waits: list[float]) -> None:
    server.replies = [refused(413, "too many pages now", Retry_After="2.5"), WHOLE]
    assert endpoint(server).post({})["choices"]
    assert waits == [2.5]


def test_another_server_is_asked_in_place_of_one_that_wants_a_long_wait(server: Server) -> None:
    with serving() as other:
        server.replies = [refused(503, "maintenance", Retry_After="9000")]
        other.replies = [WHOLE]
        servers = Servers((endpoint(server), endpoint(other)), None)
        for _ in range(4):
            assert servers.post({})["choices"]
        assert len(other.requests) == 4
        both = Servers((endpoint(server),) * 2, None)
        with pytest.raises(MissingDependencyError, match="asks to wait until"):
            both.post({})


@pytest.mark.parametrize(
    "error",
    [
        {"code": "0", "message": "success"},
        {"code": 0, "message": "Vorgang abgeschlossen"},
        {"code": 200, "msg": "OK"},
        {"code": None, "message": None},
        {"message": "Success."},
        {"type": "none", "param": None},
        "ok",
        "0",
        False,
    ],
)
def test_an_error_that_means_success_is_none(server: Server, error: object) -> None:
    answer = {"choices": [{"message": {"content": "nine years"}}], "error": error}
    server.replies = [json_reply(200, answer)]
    assert endpoint(server, retries=0).post({}) == answer


@pytest.mark.parametrize(
    "error",
    [{"code": 0, "message": "no such model"}, {"message": "boom"}, "boom", {"code": 7},
     {"reason": "quota"}, {"code": "1", "message": "success"}],
)  # fmt: skip
def test_any_other_error_is_one(error: object) -> None:
    assert error_within({"error": error})
    if error != {"code": 0, "message": "no such model"}:
        assert error_within({"choices": [{"message": {"content": "x"}}], "error": error})


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["error", "code", "choices", "message", "data", "status", "type", "x"]),
        inner, max_size=4,
    ),
    max_leaves=12,
))  # fmt: skip
def test_no_answer_raises_anything_else(answer: object) -> None:
    error = error_within(answer)
    assert error is None or error.code == 0 or 400 <= error.code < 600


@given(st.integers(400, 599), st.sampled_from(["{}", "HTTP {}", "{}.0", " {} Busy", "{}: no"]))
def test_a_status_is_read_in_any_form(status: int, form: str) -> None:
    assert status_of(status) == status_of(float(status)) == status
    assert status_of(form.format(status)) == status
    assert status_of(form.format(f"{status}0")) == 0


def test_refusals_and_lateness_stay_what_they_are(server: Server) -> None:
    server.replies = [refused(404, "no such model")]
    with pytest.raises(RefusedError, match=r"refused \(HTTP 404, no such endpoint or model"):
        endpoint(server).post({})
    assert not issubclass(RefusedError, LateError)


@pytest.mark.parametrize(
    "body",
    [
        {"state": "waiting", "place": 3},
        {"id": "a1", "object": "chat.completion", "usage": {}},
        {"ok": False, "problems": [{"number": 71, "text": "come back later"}]},
        {"error": "the worker has hung up"},
        {"error": {"message": "upstream gone"}},
    ],
)
def test_a_success_without_an_answer_is_asked_again(
    server: Server, waits: list[float], body: object
) -> None:
    server.replies = [json_reply(200, body), WHOLE]
    assert endpoint(server).post({})["choices"]
    assert waits == [1]


@pytest.mark.parametrize(
    "body",
    [
        {"error": "the parameter seed is not supported"},
        {"error": {"message": "no such model", "type": "invalid_request"}},
        {"message": {"role": "assistant", "content": "of another protocol"}},
    ],
)
def test_a_success_that_blames_the_request_is_not(
    server: Server, waits: list[float], body: object
) -> None:
    server.replies = [json_reply(200, body), WHOLE]
    with suppress(EngineError):  # the last one is an answer, which its reader refuses
        endpoint(server).post({})
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "error",
    [{"code": 31000, "message": "OK"}, {"code": "7000", "msg": "success"}, {"msg": "No errors."}],
)
def test_a_number_of_the_servers_own_beside_an_answer_may_mean_success(error: object) -> None:
    answer = {"choices": [{"message": {"content": "x"}}], "error": error}
    assert error_within(answer) is None
    assert error_within({"choices": [{"message": {"content": ""}}], "error": {"code": 500}})
    assert error_within(answer | {"error": {"code": 31000, "message": "queue is full"}})


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"retry-after-ms": "250"}, "", 0.25),
        ({}, "Please try again in 2h5m1.5s.", 7501.5),
        ({}, "retry after 90 seconds", 90),
        ({}, "Please wait 3 minutes and 2 s", 182),
        ({"Retry-After": "4"}, "try again in 9 h", 4),
        ({}, "try again in 40 metres", 0),
        ({}, "try again later", 0),
    ],
)
def test_waits_in_milliseconds_and_in_words(headers: dict, words: str, seconds: float) -> None:
    assert asked_wait(httpx.Headers(headers), words) == pytest.approx(seconds)


def test_a_long_wait_in_words_stops_the_run(server: Server) -> None:
    server.replies = [refused(429, "Limit of the day. Please try again in 5h30m.")]
    with pytest.raises(MissingDependencyError, match=r"asks to wait until .* UTC"):
        endpoint(server).post({})
