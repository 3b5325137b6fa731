"""Vectors from a server with vLLM's pooling interface, here one on loopback."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import threading

import numpy as np
import pytest
from PIL import Image

from ohr import registry
from ohr.errors import EngineError, MissingDependencyError
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef
from rag.retrievers._maxsim import maxsim
from tests.loopback import refused
from tests.rag.test_image_retrievers import Drawn, random_pages

SECRET = "sk-not-a-real-key-0123456789"


def create(server, **params):
    given = {"model": "m", "base_url": server.url, "retries": 0} | params
    return registry.create("retriever", {"name": "late_interaction_server", "params": given})


def picture(request):
    url = request["messages"][0]["content"][0]["image_url"]["url"]
    head, _, packed = url.partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(packed))))


def vectors_of_page(image):
    return [[float(v) for v in row] for row in image[:5, :4, 0].astype(float) + 1]


def vectors_of_text(text):
    return [[float(ord(letter)), 1.0, float(index), 2.0] for index, letter in enumerate(text)]


def pooling(request):
    """A model whose vectors are a page's first pixels, and a text's letters."""
    if "messages" in request:
        made = [vectors_of_page(picture(request))]
    else:
        made = [vectors_of_text(text) for text in request["input"]]
    data = [{"index": i, "object": "pooling", "data": one} for i, one in enumerate(made)]
    return 200, json.dumps({"data": data}).encode(), {}


def unit(rows):
    array = np.array(rows, np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def test_pages_are_ranked_by_maxsim_of_what_the_server_gives(server):
    server.answer = pooling
    made, pages = create(server, query_prompt="Query: ", query_suffix="!"), random_pages(20)
    assert made.index_images(Drawn(pages).pages()) == {}
    hits = made.search_many(["river", "bank"], 20)
    queries = [unit(vectors_of_text(f"Query: {text}!")) for text in ("river", "bank")]
    held = [unit(vectors_of_page(page)).astype(np.float16) for page in pages]
    for ranked, scores in zip(hits, maxsim(queries, held), strict=True):
        assert [hit.ref.page_no for hit in ranked] == sorted(range(20), key=lambda i: -scores[i])
    assert set(server.paths) == {"/pooling"}
    assert all(request["encoding_format"] == "float" for request in server.requests)


def test_the_pixels_arrive_as_they_are(server):
    server.answer = pooling
    pages = random_pages(3)
    create(server).index_images(Drawn(pages).pages())
    sent = {picture(request).tobytes() for request in server.requests}
    assert sent == {page.tobytes() for page in pages}


@pytest.mark.parametrize(
    "body",
    [b"{}", b"no json", b'{"data": [{"index": 0, "data": [1, 2]}]}',
     b'{"data": [{"index": 0, "data": [[NaN]]}]}', b'{"data": [{"index": 1, "data": [[1.0]]}]}',
     b'{"data": [{"index": 0, "data": [[1.0], [1.0, 2.0]]}]}',
     b'{"data": [{"index": 0, "data": "AAAA"}]}', b"[]", b"null"],
)  # fmt: skip
def test_what_is_no_list_of_vectors_is_that_pages_failure(server, body):
    lies = {"at": 0}

    def answer(request):
        if "messages" in request and not picture(request)[0, 0, 0] % 2:
            lies["at"] += 1
            return 200, body, {}
        return pooling(request)

    server.answer = answer
    pages = random_pages(6)
    made = create(server)
    unseen = made.index_images(Drawn(pages).pages())
    even = {PageRef("law/a", n) for n, page in enumerate(pages) if not page[0, 0, 0] % 2}
    assert 0 < len(even) < 6
    assert set(unseen) == even
    assert all(reason.startswith("late_interaction_server: ") for reason in unseen.values())
    assert {hit.ref for hit in made.search("river", 9)}.isdisjoint(even)


def test_a_page_that_failed_is_asked_for_again_and_the_others_are_not(server, tmp_path, waits):
    pages = random_pages(4)
    server.answer = lambda request: (
        refused(503) if picture(request)[0, 0, 0] == pages[1][0, 0, 0] else pooling(request)
    )
    made = create(server)
    made.use_store(ArtefactStore(tmp_path))
    assert list(made.index_images(Drawn(pages).pages())) == [PageRef("law/a", 1)]
    server.answer = pooling
    again = create(server)
    again.use_store(ArtefactStore(tmp_path))
    server.requests.clear()
    assert again.index_images(Drawn(pages).pages()) == {}
    assert len(server.requests) == 1


def test_no_server_stops_the_run(server, waits):
    server.answer = lambda request: refused(401, "who?")
    with pytest.raises(MissingDependencyError, match="late_interaction_server"):
        create(server).index_images(Drawn(random_pages(2)).pages())


def test_questions_that_cannot_be_encoded_stop_the_run(server, waits):
    server.answer = pooling
    made = create(server)
    made.index_images(Drawn(random_pages(2)).pages())
    server.answer = lambda request: refused(500, "broken")
    with pytest.raises(EngineError, match="late_interaction_server: HTTP 500"):
        made.search("river", 2)


def test_no_key_in_any_identity_or_message(server, monkeypatch, waits):
    monkeypatch.setenv("A_KEY", SECRET)
    made = create(server, api_key_env="A_KEY")
    server.answer = lambda request: refused(401, SECRET)
    with pytest.raises(MissingDependencyError) as raised:
        made.index_images(Drawn(random_pages(1)).pages())
    assert SECRET not in str(raised.value)
    assert SECRET not in json.dumps(made.identity())
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"


def test_several_pages_are_under_way_at_once(server):
    together = threading.Barrier(4, timeout=30)

    def answer(request):
        together.wait()
        return pooling(request)

    server.answer = answer
    assert create(server, concurrency=4).index_images(Drawn(random_pages(8)).pages()) == {}


def breaks_off(handler):
    handler.connection.close()


def cut_short(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')


def drips(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    over = threading.Event()
    with contextlib.suppress(OSError):
        while not over.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()


@pytest.mark.slow
def test_sixteen_pages_at_once_of_a_server_that_hangs_drips_lies_and_breaks_off(server, waits):
    pages = random_pages(16)
    bad = [breaks_off, cut_short, drips]
    kinds = {page.tobytes(): n % 5 for n, page in enumerate(pages)}

    def answer(request):
        kind = kinds[picture(request).tobytes()] if "messages" in request else 4
        if kind == 4:
            return pooling(request)
        return bad[kind] if kind < 3 else (200, b"{}", {})

    server.answer = answer
    made = create(server, concurrency=16, timeout_s=3.0)
    unseen = made.index_images(Drawn(pages).pages())
    assert {ref.page_no for ref in unseen} == {n for n in range(16) if n % 5 != 4}
    assert [hit.ref.page_no for hit in sorted(made.search("x", 9), key=lambda h: h.ref)] == [
        4,
        9,
        14,
    ]
