"""Loads the pages of a knowledge base of ``ohr read`` as documents of LlamaIndex."""

import json
import logging
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document


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


class KnowledgeBaseReader(BaseReader):
    """A document for each page that has text; after loading, ``without_text`` names the others."""

    def load_data(self, kb: str | Path) -> list[Document]:
        pages, without = read_pages(kb)
        self.without_text = [page["id"] for page in without]
        documents = []
        for page in pages:
            about = page["metadata"]
            # What is known of a page is not part of its text: it is not embedded.
            documents.append(Document(text=page["text"], id_=page["id"], metadata=about))
            documents[-1].excluded_embed_metadata_keys = list(about)
            documents[-1].excluded_llm_metadata_keys = list(about.keys() - {"document", "page"})
        return documents
