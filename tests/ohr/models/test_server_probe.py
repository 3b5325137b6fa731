"""`ohr check-server` finds what a server can do, and prints settings that work."""

from __future__ import annotations

import json
import re
import time

import pytest
import yaml

from experiments import check_server
from ohr import registry
from ohr.errors import MissingDependencyError
from ohr.models.server_probe import ServerProbe
from ohr.plugins import Message
from tests.builders import CliRunner
from tests.loopback import Server, calling, refused, said

USAGE = {"prompt_tokens": 20, "completion_tokens": 3}


def able(request):
    """A server that can do everything, and names itself."""
    if not request:
        models = [{"id": "m", "max_model_len": 5000}, {"id": "my: model"}]
        return 200, json.dumps({"data": models}).encode(), {}
    content = request["messages"][-1]["content"]
    if request.get("tools"):
        return calling(("legs_of", {"animal": "spider"}), usage=USAGE)
    if request.get("response_format"):
        return said('{"legs": 8}', usage=USAGE)
    if isinstance(content, list):
        return said("Red", usage=USAGE)
    ends = "length" if request["max_tokens"] < 10 else "stop"
    status, body, headers = said("Eight", ends, USAGE)
    answer = json.loads(body) | {"model": request["model"]}
    if request.get("logprobs"):
        answer["choices"][0]["logprobs"] = {"content": [{"token": "Eight", "logprob": -0.1}]}
    return status, json.dumps(answer).encode(), headers


def findings(server: Server) -> dict[str, bool | None]:
    report = ServerProbe(server.url, "m").run()
    return {finding.topic: finding.works for finding in report.findings}


def test_all_that_works_is_found(server):
    server.answer = able
    report = ServerProbe(server.url, "m").run()
    assert report.answers
    assert all(finding.works for finding in report.findings if finding.topic != "requests at once")
    assert len(report.findings) == 13
    assert report.settings["max_context_tokens"] == 5000 - 512 - 128
    assert report.settings["request"] == {"logprobs": True}
    assert len(server.requests) < 20


def test_what_a_server_lacks_is_found_too(server):
    numbers = iter(range(1000))
    server.answer = lambda request: said(f"Eight, try {next(numbers)}")
    topics = findings(server)
    lacking = {
        *("counts of tokens", "limit of tokens", "same answer again", "JSON schema", "tools"),
        *("probabilities of tokens", "page images"),
    }
    assert {topic for topic, works in topics.items() if works is False} - {
        "requests at once"
    } == lacking


def test_a_template_without_a_system_turn_gives_the_setting(server):
    def answer(request):
        if request and request["messages"][0]["role"] == "system":
            return refused(400, '{"error": {"message": "System role not supported"}}')
        return able(request)

    server.answer = answer
    report = ServerProbe(server.url, "m").run()
    assert report.settings["system_turn"] is False


def test_a_server_that_wants_another_name_of_the_limit_gets_it(server):
    def answer(request):
        if "max_tokens" in request:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return refused(400, json.dumps({"error": {"message": words}}))
        return able(request and request | {"max_tokens": request["max_completion_tokens"]})

    server.answer = answer
    report = ServerProbe(server.url, "m").run()
    assert report.settings["request"]["max_tokens"] is None
    assert report.settings["request"]["max_completion_tokens"] == 128
    assert {f.topic: f.works for f in report.findings}["limit of tokens"]


@pytest.mark.parametrize("says", ["names", "one by one", "nothing"])
@pytest.mark.parametrize("refuses", [{"temperature"}, {"seed"}, {"temperature", "seed"}])
def test_a_server_that_refuses_a_field_is_asked_without_it(server, refuses, says):
    def answer(request):
        if refusing := sorted(refuses & request.keys()):
            named = {"names": refusing, "one by one": refusing[:1], "nothing": []}[says]
            words = f"Unsupported value: {', '.join(named)}" if named else "bad request"
            return refused(400, json.dumps({"error": {"message": words}}))
        return able(request)

    server.answer = answer
    report = ServerProbe(server.url, "m").run()
    assert report.answers
    assert report.settings["request"] == {**dict.fromkeys(refuses), "logprobs": True}
    works = {finding.topic: finding.works for finding in report.findings}
    assert {name for name in ("temperature", "seed") if works.get(name) is False} == refuses
    assert works["JSON schema"]
    params = {"model": "m", "base_url": server.url, "retries": 0, **report.settings}
    reader = registry.create("reader", {"name": "openai", "params": params})
    assert reader.answer("How many legs?", []).value == "Eight"
    assert reader.complete([Message("user", "How many legs?")]).text == "Eight"


@pytest.mark.parametrize("words", ["upstream timed out", "the seed service is busy"])
def test_an_error_that_passes_blames_no_field(server, words):
    asked_before = []

    def answer(request):
        if request and not asked_before:
            asked_before.append(request)
            return refused(400, words)
        return able(request)

    server.answer = answer
    report = ServerProbe(server.url, "m").run()
    assert report.answers
    assert report.settings["request"] == {"logprobs": True}


def test_a_server_that_refuses_everything_is_quoted_by_its_first_refusal(server):
    server.answer = lambda request: refused(400, "broken" if "seed" in request else "still broken")
    [finding] = ServerProbe(server.url, "m").run().findings
    assert "HTTP 400 broken" in finding.words


def test_another_model_thoughts_and_slow_requests_are_named(server):
    def answer(request):
        time.sleep(0.01)
        status, body, headers = said("<think>eight?</think>Eight", usage=USAGE)
        return status, json.dumps(json.loads(body) | {"model": "other"}).encode(), headers

    server.answer = answer
    report = ServerProbe(server.url, "m").run()
    topics = {finding.topic: finding for finding in report.findings}
    assert topics["model that answers"].works is False
    assert "'other'" in topics["model that answers"].words
    assert report.settings["max_tokens"] > 1000


def test_the_command_ends_with_a_reader_for_a_study(server):
    server.answer = able
    done = CliRunner().invoke(check_server.main, [server.url, "--model", "my: model"])
    assert done.exit_code == 0, done.output
    [spec] = re.findall(r'^use: "readers=(.*)"$', done.stdout, re.MULTILINE)
    [reader] = yaml.safe_load(spec)
    assert reader["params"]["model"] == "my: model"
    assert reader["params"]["base_url"] == server.url


def test_a_server_that_answers_nothing_exits_with_1(server):
    server.answer = lambda request: refused(400, "model is not loaded")
    done = CliRunner().invoke(check_server.main, [server.url, "--model", "m"])
    assert done.exit_code == 1
    assert "model is not loaded" in done.stdout
    assert "use:" not in done.stdout
    assert len(server.requests) <= 8  # it may refuse a field and not say which


def test_no_server_and_no_model_are_one_line(server):
    with pytest.raises(MissingDependencyError, match="cannot be reached"):
        ServerProbe("http://127.0.0.1:9/v1", "m", timeout_s=5).run()
    server.answer = lambda request: said("Eight")
    with pytest.raises(MissingDependencyError, match="does not list its models: name one"):
        ServerProbe(server.url).run()
    server.answer = able
    with pytest.raises(MissingDependencyError, match="serves m, my: model: name one"):
        ServerProbe(server.url).run()
    done = CliRunner().invoke(check_server.main, ["localhost:8000/v1"])
    assert done.exit_code == 2
    assert "Traceback" not in done.output


def test_a_model_that_thinks_long_gets_room_in_the_limit_that_the_server_knows(server):
    def answer(request):
        if "max_tokens" in request:
            return refused(400, "use 'max_completion_tokens' in place of 'max_tokens'")
        if request and request["max_completion_tokens"] < 1000:
            return said("<think>a spider has", "length", USAGE)
        return said("<think>eight</think>Eight", usage=USAGE)

    server.answer = answer
    report = ServerProbe(server.url, "m").run()
    assert report.answers
    assert report.settings["request"] == {"max_tokens": None, "max_completion_tokens": 2048}
    assert "max_tokens" not in report.settings
