"""Small files in the form of published datasets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def annotated(image: str, texts: Sequence[str], **attributes: str) -> dict[str, Any]:
    """A page of OmniDocBench: text blocks, a table where a text is one, a title first."""
    dets = [{"category_type": "title", "order": 0, "anno_id": 0, "text": "Title"}]
    for order, text in enumerate(texts, start=1):
        table = text.startswith("<table")
        kind = {"category_type": "table", "html": text} if table else {
            "category_type": "text_block", "text": text}  # fmt: skip
        dets.append({"order": order, "anno_id": order, "ignore": False, **kind})
    info = {"page_no": 0, "height": 9, "width": 9, "image_path": image}
    page = {"layout_dets": dets, "page_info": info | {"page_attribute": attributes}}
    return page | {"extra": {"relation": []}}


def write_annotated(
    folder: Path, pages: Mapping[str, Sequence[str]], images: Sequence[str] = ("images",)
) -> None:
    """``OmniDocBench.json`` and, in each folder of images, an image a page."""
    entries = [annotated(name, texts, data_source="book") for name, texts in pages.items()]
    (folder / "OmniDocBench.json").write_text(json.dumps(entries), "utf-8")
    for where in images:
        for name in pages:
            path = folder / where / name
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.new("L", (40, 30), 255).save(path)


def write_parquet(
    folder: Path,
    corpus: Mapping[str, bytes],
    queries: Sequence[tuple[str | int, str, Any, str]],
    *,
    qrels: bool = True,
    **more: list[Any],
) -> None:
    """A subset of DVisRAG: id and image of each page; id, text, answer and page of each query."""
    images = [{"bytes": data, "path": None} for data in corpus.values()]
    tables = {
        "corpus": {"corpus-id": list(corpus), "image": images},
        "queries": {
            "query-id": [qid for qid, *_ in queries],
            "query": [text for _, text, *_ in queries],
            "answer": [answer for *_, answer, _ in queries],
            **more,
        },
    }
    if qrels:
        tables["qrels"] = {
            "query-id": [qid for qid, *_ in queries],
            "corpus-id": [page for *_, page in queries],
            "score": [1 for _ in queries],
        }
    for name, columns in tables.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), folder / name / "train-00000-of-00001.parquet")


def write_pairs(
    folder: Path, documents: Mapping[str, str], pairs: Sequence[tuple[str, str, Any]]
) -> None:
    """``RAG_eval`` of InduOCRBench: Markdown documents, and document, question and answer."""
    root = folder / "RAG_eval"
    (root / "doc_md").mkdir(parents=True, exist_ok=True)
    for name, text in documents.items():
        (root / "doc_md" / f"{name}.md").write_text(text, "utf-8")
    lines = [
        {
            "doc_type": "harbour",
            "filename": f"{name}.md",
            "title": name,
            "file_path": f"RAG_eval/doc_md/{name}.md",
            "question_category": "facts",
            "question": question,
            "answer": answer,
            "evidence": f"about {answer}",
        }
        for name, question, answer in pairs
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (root / "QA_pairs.jsonl").write_text(text, "utf-8")
