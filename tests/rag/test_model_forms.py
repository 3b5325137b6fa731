"""``model`` is a folder, an ONNX file or a server, for every plug-in that takes a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohr import registry
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.machine.models import models_in
from ohr.models.local import LocalModel
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, PageRef
from tests.loopback import Reply, Server, refused
from tests.onnx_files import write_onnx

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "boat", "loan", "rate", "river"]
TEXTS = ["loan rate", "boat river", "river", ""]
AXES = np.array([[0, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0, 1], [0, 1], [1, 0]], np.float32)
"""Boats and rivers point one way, loans and rates another."""


def chunks() -> list[Chunk]:
    return [Chunk(PageRef("d/x", i), 0, len(t), t) for i, t in enumerate(TEXTS)]


def create(name: str, **params: Any) -> Any:
    return registry.create("retriever", {"name": name, "params": params})


def write_tokenizer(folder: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    folder.mkdir(parents=True, exist_ok=True)
    made.save(str(folder / "tokenizer.json"))


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A folder as exporters write it: the graph below it, pooling by the mean."""
    folder = tmp_path / "encoder"
    write_tokenizer(folder)
    write_onnx(folder / "onnx" / "model.onnx", AXES)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    return folder


@pytest.fixture
def scorer(tmp_path: Path) -> Path:
    """A cross-encoder that scores pairs by their greatest word."""
    table = np.array([[-9], [0], [0], [0], [5], [1], [1], [3]], np.float32)
    write_tokenizer(tmp_path / "scorer")
    return write_onnx(
        tmp_path / "scorer" / "model.onnx",
        table,
        inputs=("input_ids", "attention_mask", "token_type_ids"),
        pooled=True,
        output="logits",
    )


def pages(made: Any, query: str, k: int = 9) -> list[int]:
    made.index(chunks())
    return [hit.ref.page_no for hit in made.search(query, k)]


def test_an_onnx_file_and_its_folder_are_one_encoder(encoder, tmp_path):
    by_folder = create("sentence_transformers", model=str(encoder))
    by_file = create("sentence_transformers", model=str(encoder / "onnx" / "model.onnx"))
    assert by_folder.name == "onnx_embeddings"
    assert by_folder.identity() == by_file.identity()
    by_folder.use_store(ArtefactStore(tmp_path / "store"))
    assert pages(by_folder, "boat boat")[:2] == [1, 2]
    assert pages(by_file, "rate")[0] == 0
    # The mean is over the words of a text, not over its padding.
    scores = {hit.ref.page_no: hit.score for hit in by_folder.search("boat river", 9)}
    assert scores[1] == pytest.approx(1) == scores[2]
    assert scores[3] == 0


def test_where_nothing_says_how_tokens_are_pooled_the_user_must(encoder):
    (encoder / "1_Pooling" / "config.json").unlink()
    with pytest.raises(ConfigError, match="name pooling: mean or cls"):
        pages(create("sentence_transformers", model=str(encoder)), "boat")
    assert pages(create("onnx_embeddings", model=str(encoder), pooling="mean"), "rate")[0] == 0
    # All texts begin with one token.
    made = create("bge_m3", model=str(encoder), mode="dense")
    assert made.params.pooling == "cls"
    assert {hit.score for hit in made.search("rate", 9)} <= {0.0}


def test_vectors_that_need_a_further_layer_or_several_poolings_are_refused(encoder):
    modules = [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]
    (encoder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ConfigError, match="names a further layer"):
        pages(create("onnx_embeddings", model=str(encoder), pooling="mean"), "river")
    (encoder / "modules.json").unlink()
    folder = encoder / "1_Pooling"
    folder.mkdir(exist_ok=True)
    both = dict.fromkeys(("pooling_mode_mean_tokens", "pooling_mode_max_tokens"), True)
    (folder / "config.json").write_text(json.dumps(both))
    with pytest.raises(ConfigError, match="name pooling"):
        pages(create("onnx_embeddings", model=str(encoder)), "river")


def test_the_longest_input_is_that_of_the_model_and_part_of_its_identity(encoder):
    before = create("onnx_embeddings", model=str(encoder), pooling="mean").identity()
    (encoder / "sentence_bert_config.json").write_text('{"max_seq_length": 64}')
    after = create("onnx_embeddings", model=str(encoder), pooling="mean").identity()
    assert before != after


def test_a_question_that_leaves_no_room_for_the_text_is_one_error(scorer):
    with pytest.raises(ConfigError, match="max_tokens"):
        pages(create("rerank_onnx", model=str(scorer), max_tokens=8), "loan " * 40)


def test_an_edited_file_is_another_model(encoder):
    before = create("onnx_embeddings", model=str(encoder)).identity()
    write_onnx(encoder / "onnx" / "model.onnx", AXES * 2)
    assert create("onnx_embeddings", model=str(encoder)).identity() != before


def test_an_onnx_cross_encoder_ranks_anew(scorer, tmp_path):
    made = create("rerank", model=str(scorer), retriever="bm25", depth=9, batch_size=2)
    assert made.name == "rerank_onnx"
    made.use_store(ArtefactStore(tmp_path / "store"))
    assert pages(made, "river rate", 3) == [1, 0, 2]
    assert [hit.score for hit in made.search("river rate", 3)] == [5, 3, 3]


@pytest.mark.parametrize(
    ("columns", "inputs", "words"),
    [
        (3, ("input_ids",), "gives 3 scores to a pair; a re-ranker gives one or two"),
        (1, ("input_ids", "pixel_values"), "needs the input 'pixel_values'"),
    ],
)
def test_another_kind_of_onnx_file_is_refused_in_words(tmp_path, columns, inputs, words):
    write_tokenizer(tmp_path)
    path = write_onnx(tmp_path / "m.onnx", np.ones((8, columns)), inputs=inputs, pooled=True)
    with pytest.raises(ConfigError, match=words):
        pages(create("rerank", model=str(path)), "river")
    (tmp_path / "m.onnx").write_bytes(b"no model")
    with pytest.raises(MissingDependencyError, match="cannot be loaded"):
        pages(create("rerank", model=str(path)), "river")
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(MissingDependencyError, match=r"no tokenizer\.json beside"):
        create("rerank", model=str(path)).identity()


def scored(request: dict[str, Any]) -> Reply:
    results = [
        {"index": i, "relevance_score": float(len(text))}
        for i, text in enumerate(request["documents"])
    ]
    return 200, json.dumps({"model": request["model"], "results": results[::-1]}).encode(), {}


def test_a_server_ranks_anew(server: Server):
    server.answer = scored
    made = create("rerank", model=f"{server.url}#bge", depth=9, batch_size=2, retries=0)
    assert made.name == "rerank_server"
    assert pages(made, "river loan") == [1, 0, 2]
    assert {request["model"] for request in server.requests} == {"bge"}
    assert set(server.paths) == {"/v1/rerank"}
    assert max(len(request["documents"]) for request in server.requests) == 2
    asked = len(server.requests)
    made.search("river loan", 2)
    assert len(server.requests) == asked
    server.answer = lambda request: refused(400, "too long")
    with pytest.raises(EngineError, match="rerank_server: HTTP 400 too long"):
        made.search("boat", 2)


@pytest.mark.parametrize(
    ("kind", "name", "taker"),
    [
        ("retriever", "sentence_transformers", "openai_embeddings"),
        ("retriever", "openai_embeddings", "openai_embeddings"),
        ("retriever", "bge_m3", "openai_embeddings"),
        ("retriever", "rerank", "rerank_server"),
        ("retriever", "late_interaction", "late_interaction_server"),
        ("reader", "transformers", "openai"),
        ("reader", "openai", "openai"),
    ],
)
def test_a_server_is_one_word_or_two_options(kind: Any, name: str, taker: str):
    one = {"model": "http://127.0.0.1:9/v1/#org/m"}
    two = {"model": "org/m", "base_url": "http://127.0.0.1:9/v1"}
    made = registry.create(kind, {"name": name, "params": one})
    assert made.name == taker
    assert made.identity() == registry.create(kind, {"name": taker, "params": two}).identity()
    with pytest.raises(ConfigError, match="without the model's name"):
        registry.create(kind, {"name": name, "params": {"model": "http://127.0.0.1:9/v1"}})
    both = one | {"base_url": "http://127.0.0.1:8/v1"}
    with pytest.raises(ConfigError, match="two addresses"):
        registry.create(kind, {"name": name, "params": both})
    params = {"model": "http://me:secret@127.0.0.1/v1#m"}
    with pytest.raises(ConfigError, match="no password or key") as caught:
        registry.create(kind, {"name": name, "params": params})
    assert "secret" not in str(caught.value)


def test_other_modes_of_bge_m3_need_its_folder():
    with pytest.raises(ConfigError, match="mode 'sparse' needs the folder of the checkpoint"):
        create("bge_m3", model="http://127.0.0.1:9/v1#m", mode="sparse")


TAKERS = [
    (kind, name)
    for kind in ("retriever", "reader")
    for name in registry.known(kind)
    if issubclass(registry.plugin_class(kind, name), LocalModel) and name != "minilm"
]


@pytest.mark.parametrize(("kind", "name"), TAKERS)
@pytest.mark.parametrize("model", ["nowhere", "nowhere/at/all", "none.onnx", "ftp://x/y#z"])
def test_what_is_no_model_is_one_error_that_lists_what_is_taken(kind, name, model, monkeypatch):
    for package in ("torch", "transformers", "sentence_transformers", "FlagEmbedding"):
        pytest.importorskip(package)
    cls = registry.plugin_class(kind, name)
    assert issubclass(cls, LocalModel)
    with pytest.raises(MissingDependencyError) as caught:
        registry.create(kind, {"name": name, "params": {"model": model}}).identity()
    error = str(caught.value)
    assert f"model: no checkpoint folder or file {model!r}: name a" in error
    if model != "none.onnx":
        assert ("ONNX file" in error) == ("onnx" in cls.forms())
        assert ("#NAME" in error) == ("server" in cls.forms())
        assert ("GGUF" in error) == cls.reads_gguf


def test_the_list_of_models_names_plugins_that_take_them(encoder, scorer):
    folder = encoder.parent
    reranker = {"architectures": ["BertForSequenceClassification"]}
    (scorer.parent / "config.json").write_text(json.dumps(reranker))
    entries = {entry.name: entry.use for entry in models_in(folder)}
    assert entries == {"encoder": "retriever onnx_embeddings", "scorer": "retriever rerank_onnx"}
    for name, use in entries.items():
        spec = {"name": use.split()[1], "params": {"model": str(folder / name)}}
        assert registry.create("retriever", spec).identity()


def test_a_folder_that_has_no_single_model_is_not_called_missing(tmp_path):
    for name in ("a.onnx", "b.onnx"):
        write_onnx(tmp_path / name, AXES)
    with pytest.raises(MissingDependencyError, match="cannot be used: name"):
        create("onnx_embeddings", model=str(tmp_path)).identity()
