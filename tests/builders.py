"""Small datasets on disk, in the layouts that the toolkit reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

Pages = Mapping[str, Sequence[str]]


def write_kb(folder: Path, documents: Pages) -> Path:
    """``<folder>/<domain>/<doc>.json`` for each ``domain/doc``."""
    for doc_id, texts in documents.items():
        path = folder / f"{doc_id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        pages = [{"page_idx": number, "text": text} for number, text in enumerate(texts)]
        path.write_text(json.dumps(pages), "utf-8")
    return folder


def qa(number: int, doc_id: str, page: int, **changed: Any) -> dict[str, Any]:
    """A Q&A entry of the first release's schema."""
    return {
        "doc_name": doc_id,
        "ID": f"q{number}",
        "questions": f"What is fact {number}?",
        "answers": f"answer {number}",
        "doc_type": doc_id.split("/")[0],
        "answer_form": "Short Answer",
        "evidence_source": "text",
        "evidence_context": f"Fact {number} is answer {number}.",
        "evidence_page_no": page,
    } | changed


def write_questions(path: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text(json.dumps(list(entries)), "utf-8")
    return path


def write_pdf(path: Path, pages: int, size: tuple[int, int] = (200, 260)) -> Path:
    """A PDF of images, each with a bar as long as its page number."""
    images = []
    for number in range(pages):
        image = Image.new("L", size, 255)
        ImageDraw.Draw(image).rectangle((10, 10, 20 + 10 * number, 40), fill=0)
        images.append(image)
    path.parent.mkdir(parents=True, exist_ok=True)
    images[0].save(path, save_all=True, append_images=images[1:])
    return path


def write_corpus(root: Path, documents: int = 3, pages: int = 4) -> list[str]:
    """Two domains of documents with ground truth, PDFs and two questions a page.

    Returns the command-line settings that name them, with the noise drawn once.
    """
    texts: dict[str, list[str]] = {}
    entries = []
    for d in range(documents):
        doc_id = f"{'law' if d % 2 else 'manual'}/doc{d}"
        texts[doc_id] = []
        for p in range(pages):
            numbers = [1000 * d + 10 * p, 1000 * d + 10 * p + 1]
            texts[doc_id].append(
                "\n".join(f"Fact {n} is answer {n}. Item {n} costs {n} euros." for n in numbers)
            )
            entries += [qa(n, doc_id, p) for n in numbers]
        write_pdf(root / "pdfs" / f"{doc_id}.pdf", pages)
    write_kb(root / "kb" / "gt", texts)
    write_questions(root / "qas.json", entries)
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={root / 'kb'}",
        f"dataset.questions={root / 'qas.json'}",
        f"dataset.pdfs={root / 'pdfs'}",
        f"cache={root / 'cache'}",
        "dpi=72",
        "seeds=0",
    ]
