"""Document models behind servers: what goes out, what comes back, what is counted."""

from __future__ import annotations

import base64
import io
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ocr_backends.document_models import DOCUMENT_MODELS
from ocr_backends.document_replies import (
    deepseek_markdown,
    dots_blocks,
    html_markdown,
    nanonets_markdown,
    olmocr_markdown,
    qwen_markdown,
    refuses,
)
from ocr_backends.openai_vlm import OpenAiVlm
from ocr_backends.prompts import OF_MODELS, prompt_text
from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import canonical_json
from ohr.types import Outcome, Status
from tests.loopback import Server, refused, said, serving
from tests.patience import ends

PAGE = np.full((2000, 1500, 3), 255, np.uint8)
SMALL = np.full((60, 80, 3), 255, np.uint8)


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def engine(url: str, **params: Any) -> OpenAiVlm:
    params = {"model": "m", "base_url": url, "retries": 0, **params}
    made: OpenAiVlm = registry.create("engine", {"name": "openai_vlm", "params": params})
    return made


def read(made: OpenAiVlm, page: np.ndarray = SMALL) -> Outcome[str]:
    [(_, outcome)] = made.transcribe([page], [0])
    return outcome


# What goes out


@pytest.mark.parametrize("profile", sorted(DOCUMENT_MODELS))
def test_a_model_is_asked_in_its_own_words_within_its_limits(server: Server, profile: str) -> None:
    server.replies = [said("text")]
    made = engine(server.url, profile=profile)
    read(made, PAGE)
    [request] = server.requests
    model = DOCUMENT_MODELS[profile]
    [image, text] = request["messages"][-1]["content"]
    assert text["text"] == model.before + prompt_text(model.prompt)
    assert request["max_tokens"] == model.max_tokens
    assert request["temperature"] == 0
    assert (request["messages"][0]["role"] == "system") is bool(model.system)
    assert image["image_url"]["url"].startswith("data:image/png")
    assert model.prompt in (*OF_MODELS, "detailed")


def test_what_is_given_goes_before_what_the_profile_brings(server: Server) -> None:
    server.replies = [said("text")]
    made = engine(server.url, profile="olmocr2", max_tokens=7, prompt="Read this page.")
    read(made)
    [request] = server.requests
    assert (request["max_tokens"], request["messages"][0]["content"][1]["text"]) == (
        7,
        "Read this page.",
    )


def test_the_longer_side_is_limited() -> None:
    with serving() as server:
        server.replies = [said("---\na: 1\n---\ntext")]
        made = engine(server.url, profile="olmocr2")
        read(made, PAGE)
        url = server.requests[0]["messages"][0]["content"][0]["image_url"]["url"]
        image = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        assert max(image.size) == 1288


def test_an_unknown_profile_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="did you mean 'dots_ocr'"):
        engine("http://h/v1", profile="dots_orc")


def test_identity_knows_the_profile_and_no_transport() -> None:
    def identity(**params: Any) -> str:
        return canonical_json(engine("http://h/v1", **params).identity())

    plain = identity()
    assert "profile" not in plain
    assert identity(profile="glm_ocr") not in (plain, identity(profile="dots_ocr"))
    for same in ({"mirrors": ["http://i/v1"]}, {"at_once": 2}, {"prompt_price": 1.0}):
        assert identity(**same) == plain


# What comes back


def test_dots_blocks_become_markdown() -> None:
    blocks = [
        {"bbox": [0, 0, 1, 1], "category": "Page-header", "text": "head"},
        {"bbox": [0, 0, 1, 1], "category": "Title", "text": "# Title"},
        {"bbox": [0, 0, 1, 1], "category": "Text", "text": "Body"},
        {"bbox": [0, 0, 1, 1], "category": "Picture"},
        {"bbox": [0, 0, 1, 1], "category": "Formula", "text": "x^2"},
        {"bbox": [0, 0, 1, 1], "category": "Table", "text": "<table></table>"},
    ]
    text = "# Title\n\nBody\n\n$$x^2$$\n\n<table></table>"
    parsed = dots_blocks(json.dumps(blocks))
    assert (parsed.body, parsed.text) == (text, f"head\n\n{text}")
    whole = json.dumps(blocks)
    for cut in range(10, len(whole), 7):
        broken = dots_blocks(whole[:cut])
        assert broken.malformed
        assert text.startswith(broken.body or "")


def test_each_form_of_reply() -> None:
    html = (
        '<html><body><h2 data-bbox="1 2 3 4">A &amp; B</h2><p data-bbox="1">one<br/>two</p>'
        '<table data-bbox="1"><tr><td>1</td></tr></table><ul><li>x</li></ul></body></html>'
    )
    assert html_markdown(html).text == (
        "## A & B\n\none\ntwo\n\n<table><tr><td>1</td></tr></table>\n\n- x"
    )
    assert qwen_markdown("a <!-- Image (1, 2) -->b![](x.png)").text == "a b"
    deep = "<|ref|>title<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\n# T\n\nbody<｜end▁of▁sentence｜>"
    assert deepseek_markdown(deep).text == "# T\n\nbody"
    assert deepseek_markdown("<|ref|>title").malformed
    olm = olmocr_markdown("---\nprimary_language: en\n---\nText ![a](page_1_2_3_4.png)")
    assert (olm.text, olm.malformed) == ("Text", "")
    assert olmocr_markdown("Text").malformed == "no front matter"
    nano = nanonets_markdown("<img>A chart</img>x <page_number>9</page_number>")
    assert nano.text == "x 9"


@given(st.text(alphabet='ab<>/|{}[]",:-\n#![]()ref det', max_size=80))
def test_parsers_take_anything(reply: str) -> None:
    for model in DOCUMENT_MODELS.values():
        parsed = model.parse(reply)
        assert isinstance(parsed.text, str)


@pytest.mark.parametrize("unit", ["<img>", "<!--", "<table", "{", "---\n", "<|ref|>"])
def test_parsers_are_not_held_up(unit: str) -> None:
    reply = unit * 200_000
    with ends(cpu_s=30):
        texts = [model.parse(reply).text for model in DOCUMENT_MODELS.values()]
    assert len(texts) == len(DOCUMENT_MODELS)
    assert all(len(text) <= len(reply) for text in texts)


def test_refusals_are_no_pages() -> None:
    assert refuses("I'm sorry, but I can't assist with that request.")
    assert refuses("抱歉，我无法识别这张图片。")
    assert not refuses("I cannot help but recall the summer of 1912 …" + " and so on" * 100)
    assert not refuses("Sorry is the title of this page")


def test_odd_replies_are_counted(server: Server) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 50}
    good = json.dumps([{"category": "Text", "text": "Body"}])
    server.replies = [
        said(good, usage=usage),
        said(good[:-1], "length", usage=usage),
        said("I'm sorry, I can't help with that.", usage=usage),
        said("", usage=usage),
        said(json.dumps([{"category": "Text", "text": "and on, " * 200}])),
        (200, b"<html>", {}),
    ]
    made = engine(server.url, profile="dots_ocr", prompt_price=2.0, completion_price=10.0)
    outcomes = [read(made) for _ in range(6)]
    assert [outcome.status for outcome in outcomes] == [
        Status.OK, Status.OK, Status.EMPTY, Status.EMPTY, Status.OK, Status.ERROR,
    ]  # fmt: skip
    assert outcomes[1].detail == "cut at 16384 tokens; malformed: JSON that breaks off"
    assert outcomes[2].detail.startswith("refused: I'm sorry")
    taken = made.usage()
    assert taken.pop("answer_s") > 0
    assert taken.pop("cost") == pytest.approx(4 * (1000 * 2 + 50 * 10) / 1e6)
    assert taken == {
        "replies": 5, "cut": 1, "malformed": 1, "refused": 1, "empty": 1, "repeated": 1,
        "failed": 1, "prompt_tokens": 4000, "completion_tokens": 200, "unmetered": 1,
    }  # fmt: skip
    assert made.usage() == {}


# Several servers


@pytest.fixture
def two_servers() -> Iterator[tuple[Server, Server]]:
    with ExitStack() as stack:
        one, other = (stack.enter_context(serving()) for _ in range(2))
        one.replies, other.replies = [said("one")], [said("other")]
        yield one, other


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def truncate(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n{")


def drip(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(60):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.02)


def hang(handler: BaseHTTPRequestHandler) -> None:
    threading.Event().wait(1)


def test_pages_are_shared_out(two_servers: tuple[Server, Server]) -> None:
    made = engine(two_servers[0].url, mirrors=[two_servers[1].url])
    assert {read(made).value for _ in range(4)} == {"one", "other"}


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [hang_up, truncate, drip, hang, refused(503), None])
def test_pages_of_a_server_in_trouble_go_elsewhere(
    two_servers: tuple[Server, Server], waits: list[float], trouble: Any
) -> None:
    bad, good = two_servers
    bad.replies = [trouble] if trouble is not None else bad.replies
    url = bad.url if trouble is not None else closed_port()
    made = engine(url, mirrors=[good.url], timeout_s=1.0)
    assert [read(made).value for _ in range(6)] == ["other"] * 6
    assert len(bad.requests) <= 1  # and is left alone
    assert waits == []


def test_a_server_that_comes_back_is_used_again(
    two_servers: tuple[Server, Server], waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = two_servers
    bad.replies = [refused(503), said("one")]
    made = engine(bad.url, mirrors=[good.url])
    assert {read(made).value for _ in range(4)} == {"other"}
    monkeypatch.setattr("ohr.models.servers.DOWN_S", 0.0)
    assert {read(made).value for _ in range(4)} == {"one", "other"}


def test_all_dead_is_said_of_the_last(waits: list[float]) -> None:
    made = engine(closed_port(), mirrors=[closed_port()])
    with pytest.raises(MissingDependencyError, match="cannot be reached"):
        read(made)


def test_a_server_that_lies_is_not_believed_and_not_left(
    two_servers: tuple[Server, Server],
) -> None:
    for server in two_servers:
        server.replies = [(200, b'{"choices": "none"}', {})]
    outcome = read(engine(two_servers[0].url, mirrors=[two_servers[1].url]))
    assert outcome.status is Status.ERROR
    assert "no chat completion" in outcome.detail
    assert sum(len(server.requests) for server in two_servers) == 1


def test_sixteen_pages_at_once_never_overload_a_server(two_servers: tuple[Server, Server]) -> None:
    busy, most = [0, 0], [0, 0]
    lock = threading.Lock()

    def answer(number: int) -> Any:
        def reply(request: dict[str, Any]) -> Any:
            with lock:
                busy[number] += 1
                most[number] = max(most[number], busy[number])
            time.sleep(0.03)
            with lock:
                busy[number] -= 1
            return said(f"server {number}")

        return reply

    for number, server in enumerate(two_servers):
        server.answer = answer(number)
    engines = [
        engine(two_servers[0].url, mirrors=[two_servers[1].url], at_once=2) for _ in range(16)
    ]
    outcomes: list[Outcome[str]] = []
    threads = [threading.Thread(target=lambda e=e: outcomes.append(read(e))) for e in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 16
    assert all(outcome.status is Status.OK for outcome in outcomes)
    assert max(most) <= 2


@pytest.mark.slow
def test_sixteen_pages_at_once_and_a_server_that_fails_in_every_way(
    two_servers: tuple[Server, Server], waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ohr.models.servers.DOWN_S", 0.0)  # it is tried again and again
    bad, good = two_servers
    bad.replies = [hang_up, truncate, drip, hang, refused(503), (200, b"<html>", {})] * 3
    engines = [engine(bad.url, mirrors=[good.url], timeout_s=1.5, at_once=16) for _ in range(16)]
    outcomes: list[Outcome[str]] = []
    threads = [threading.Thread(target=lambda e=e: outcomes.append(read(e))) for e in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 16
    lied_to = [outcome for outcome in outcomes if outcome.status is Status.ERROR]
    assert all("not JSON" in outcome.detail for outcome in lied_to)
    assert {outcome.value for outcome in outcomes if outcome not in lied_to} == {"other"}


def test_what_they_share_is_the_users_own(
    two_servers: tuple[Server, Server], tmp_path: Path
) -> None:
    read(engine(two_servers[0].url, mirrors=[two_servers[1].url], at_once=1))
    [folder] = tmp_path.glob("ohr-servers-*")
    assert folder.stat().st_mode & 0o077 == 0
