"""The loaders of docs/guides: what LangChain, LlamaIndex and Haystack get of a knowledge base."""

from __future__ import annotations

import ast
import json
import logging
import math
import re
from pathlib import Path

import pytest

from ohr.ocr.page_records import PageRecord, write_records
from ohr.types import PageRef
from tests.conftest import ROOT
from tests.test_readme import working_in

GUIDES = ROOT / "docs" / "guides"
PACKAGES = {
    "langchain": "langchain_core",
    "llama_index": "llama_index.core",
    "haystack": "haystack",
}
LETTER = "Dear Ada, the roof of the mill is to be mended before the winter."
OUTLOOK = """Outlook
The mill at Osk was sold to Ada Crane in March 2019 for 12,500 euros. No other property
was sold."""
WITHOUT = "1 of 4 pages have no text and are left out, such as documents/blank#1: nothing was found"


def record(name, page, route, text, doubt="", error=math.nan, words=()):
    ref = PageRef(f"documents/{name}", page)
    return PageRecord(ref, f"{name}.pdf", route, "", text, doubt, error, doubtful_words=words)


@pytest.fixture
def kb(tmp_path):
    records = [
        record("report", 1, "layer", OUTLOOK),
        record("report", 0, "layer", "Annual report\nSales were 12 million euros."),
        record("letter", 0, "rapidocr", LETTER, "cannot be assessed", 0.0356, ("Osk", "Ada")),
        record("blank", 0, "tesseract", ""),
    ]
    write_records(records, tmp_path / "kb", ["jsonl"])
    return tmp_path / "kb"


def load_reader(name):
    """``read_pages`` of a loader, without its framework."""
    tree = ast.parse((GUIDES / f"{name}_loader.py").read_text("utf-8"))
    [function] = (node for node in tree.body if getattr(node, "name", "") == "read_pages")
    module = ast.Module([function], type_ignores=[])
    space = {"json": json, "logging": logging, "Path": Path, "Any": object, "__name__": name}
    exec(compile(module, name, "exec"), space)
    return space["read_pages"]


def import_loader(name, patch):
    patch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    patch.syspath_prepend(GUIDES)
    return __import__(f"{name}_loader")


def test_the_loaders_are_short_and_read_alike():
    readers = set()
    for name in PACKAGES:
        source = (GUIDES / f"{name}_loader.py").read_text("utf-8")
        assert len(source.splitlines()) <= 60
        readers.add(source[source.index("def read_pages") : source.index("\n\n\n", 500)])
        assert f'--8<-- "guides/{name}_loader.py"' in (GUIDES / "rag-frameworks.md").read_text()
    assert len(readers) == 1


def test_pages_are_in_order_and_those_without_text_are_said(kb, caplog):
    pages, without = load_reader("haystack")(kb)
    ids = ["documents/letter#1", "documents/report#1", "documents/report#2"]
    assert [page["id"] for page in pages] == ids
    assert [page["metadata"]["page"] for page in pages] == [1, 1, 2]
    assert pages[0]["text"] == LETTER
    metadata = pages[0]["metadata"]
    assert metadata["engine"] == metadata["route"] == "rapidocr"
    assert metadata["predicted_error"] == 0.0356
    assert metadata["doubtful_words"] == "Osk Ada"
    assert metadata["trusted"] is False
    assert "engine" not in pages[1]["metadata"]
    assert all(type(v) in (str, int, float, bool) for p in pages for v in p["metadata"].values())
    assert [page["id"] for page in without] == ["documents/blank#1"]
    assert caplog.messages == [WITHOUT]


def test_a_failed_page_is_said_with_its_reason(tmp_path, caplog):
    records = [record("a", 0, "tesseract", None, "stopped after 300 s")]
    write_records(records, tmp_path, ["jsonl"])
    pages, without = load_reader("haystack")(tmp_path)
    assert (pages, len(without)) == ([], 1)
    assert caplog.messages[0].endswith("such as documents/a#1: stopped after 300 s")


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:-9],
        lambda line: b"",
        lambda line: b"\xff" + line,
        lambda line: b"[]",
        lambda line: line.replace(b'"text": "', b'"txt": "'),
        lambda line: re.sub(rb'"id": "[^"]*"', b'"id": 7', line),
        lambda line: re.sub(rb'"metadata": .*', b'"metadata": null}', line),
    ],
)
def test_a_damaged_line_is_named(kb, damage):
    path = kb / "pages.jsonl"
    lines = path.read_bytes().splitlines()
    lines[2] = damage(lines[2])
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match=r"pages\.jsonl, line 3 is damaged"):
        load_reader("langchain")(kb)


def test_a_folder_without_lines_names_the_command(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"ohr convert export .* --format jsonl --out DIR"):
        load_reader("langchain")(tmp_path)


def test_separators_of_lines_inside_a_text_end_no_line(tmp_path):
    text = "a\x85b\u2028c\u2029d\x0ce\rf\ng"
    write_records([record("a", 0, "layer", text)], tmp_path, ["jsonl"])
    assert load_reader("langchain")(tmp_path)[0][0]["text"] == text


@pytest.mark.slow
def test_langchain_searches_the_pages(kb, monkeypatch):
    loader = import_loader("langchain", monkeypatch).KnowledgeBaseLoader(kb)
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    pages = loader.load()
    assert all(isinstance(page, Document) for page in pages)
    assert loader.without_text == ["documents/blank#1"]
    store = InMemoryVectorStore.from_documents(pages, DeterministicFakeEmbedding(size=8))
    [found] = store.similarity_search(OUTLOOK, k=1)
    assert (found.id, found.page_content) == ("documents/report#2", OUTLOOK)
    assert found.metadata["page"] == 2


@pytest.mark.slow
def test_llama_index_splits_the_pages_and_embeds_their_text_alone(kb, monkeypatch):
    reader = import_loader("llama_index", monkeypatch).KnowledgeBaseReader()
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import MetadataMode

    pages = reader.load_data(kb)
    assert reader.without_text == ["documents/blank#1"]
    assert [page.id_ for page in pages][-1] == "documents/report#2"
    assert pages[-1].get_content(MetadataMode.EMBED) == OUTLOOK
    nodes = SentenceSplitter(chunk_size=60, chunk_overlap=0).get_nodes_from_documents(pages)
    assert {node.ref_doc_id for node in nodes} == {page.id_ for page in pages}
    assert nodes[-1].metadata["route"] == "layer"


@pytest.mark.slow
def test_haystack_finds_the_pages_by_a_pipeline(kb, monkeypatch):
    loader = import_loader("haystack", monkeypatch).KnowledgeBaseToDocument()
    from haystack import Pipeline
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    pipeline = Pipeline()
    pipeline.add_component("load", loader)
    pipeline.add_component("write", DocumentWriter(store))
    pipeline.connect("load.documents", "write.documents")
    done = pipeline.run({"load": {"kb": str(kb)}})
    assert done == {
        "load": {"without_text": ["documents/blank#1"]},
        "write": {"documents_written": 3},
    }
    retriever = InMemoryBM25Retriever(store)
    [found] = retriever.run("Who bought the mill at Osk?", top_k=1)["documents"]
    assert (found.id, found.meta["page"]) == ("documents/report#2", 2)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["haystack_loader"])
    assert again.get_component("load").run(kb)["without_text"] == ["documents/blank#1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_the_guide_shows_what_comes_out(name, kb, monkeypatch, capsys, caplog):
    import_loader(name, monkeypatch)
    page = (GUIDES / "rag-frameworks.md").read_text("utf-8")
    shown = {
        block[0].split()[1].removesuffix("_loader"): block
        for block in re.findall(r"```py\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    }
    code, output = shown[name]
    assert len(code.splitlines()) == 3
    capsys.readouterr()
    with working_in(kb.parent):
        exec(code, {"__name__": "__main__"})
    assert f"{caplog.messages[-1]}\n{capsys.readouterr().out}" == output
