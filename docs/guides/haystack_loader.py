"""Loads the pages of a knowledge base of ``ohr read`` as documents of Haystack."""

import json
import logging
from pathlib import Path
from typing import Any

from haystack import Document, component


def read_pages(kb: str | Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The pages with text and those without, each by document and page as in ``pages.jsonl``.

    Says on the log how many have none. Raises ValueError, with the line, if the file is damaged.
    """
    path = Path(kb) / "pages.jsonl"
    if not path.is_file():
        raise FileNotFoundError(f"no {path}: ohr convert export {kb} --format jsonl --out DIR")
    pages: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            page = json.loads(line)
            text, metadata = page["text"] or "", page["metadata"]
            metadata["doubtful_words"] = " ".join(metadata["doubtful_words"])
            # Stores of vectors take texts and numbers; what is not known is left out.
            metadata = {name: value for name, value in metadata.items() if value is not None}
            pages.append({"id": page["id"] + "", "text": text + "", "metadata": metadata})
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}, line {number} is damaged: {error!r}") from error
    texts = [page for page in pages if page["text"].strip()]
    without = [page for page in pages if not page["text"].strip()]
    if without:
        first, about = without[0]["id"], without[0]["metadata"]
        why = about.get("doubt") or "nothing was found"
        message = "%d of %d pages have no text and are left out, such as %s: %s"
        logging.getLogger(__name__).warning(message, len(without), len(pages), first, why)
    return texts, without


@component
class KnowledgeBaseToDocument:
    """A document for each page that has text; ``without_text`` has the ids of the others."""

    @component.output_types(documents=list[Document], without_text=list[str])
    def run(self, kb: str | Path) -> dict[str, Any]:
        pages, without = read_pages(kb)
        documents = [
            Document(id=page["id"], content=page["text"], meta=page["metadata"]) for page in pages
        ]
        return {"documents": documents, "without_text": [page["id"] for page in without]}
