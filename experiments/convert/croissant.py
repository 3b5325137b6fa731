"""Exports a dataset with its description in Croissant, the format for metadata of datasets.

Source: Akhtar et al., Croissant: A metadata format for ML-ready datasets, 2024; version 1.0 of the
format, which ``mlcroissant`` reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from experiments.convert.beir import page_id
from ohr.collection import Dataset
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.questions import select_questions
from ohr.types import Question

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_TEXT, _INTEGER = "sc:Text", "sc:Integer"
FIELDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "documents": {
        "document": (_TEXT, "Id of the document: its domain and its name."),
        "domain": (_TEXT, "Subject area, such as finance or law."),
        "pages": (_INTEGER, "Number of pages."),
        "source": (_TEXT, "Name of the PDF; empty if there is none."),
        "source_sha256": (_TEXT, "SHA-256 of the PDF; empty if there is none."),
    },
    "pages": {
        "page": (_TEXT, "Id of the page: document#number, from 0."),
        "document": (_TEXT, "Id of the document."),
        "number": (_INTEGER, "Number of the page in the document, from 0."),
        "text": (_TEXT, "Correct text of the page, in Markdown with LaTeX."),
        "has_truth": ("sc:Boolean", "Whether the text counts as ground truth."),
    },
    "questions": {
        "question": (_TEXT, "Id of the question."),
        "text": (_TEXT, "The question."),
        "answers": (_TEXT, "The accepted answers."),
        "document": (_TEXT, "Id of the document that it is about."),
        "domain": (_TEXT, "The question is asked of all documents of this domain."),
        "evidence_text": (_TEXT, "The passage that answers the question; may be empty."),
        "evidence_source": (_TEXT, "Kind of the evidence: text, table, formula, chart …"),
        "answer_form": (_TEXT, "Form of the answer."),
        "task": (_TEXT, "Kind of the question."),
    },
    "evidence": {
        "question": (_TEXT, "Id of the question."),
        "page": (_TEXT, "Id of a page with evidence."),
    },
}
"""The record sets, each with its fields: type and meaning."""
_LISTS = frozenset({("questions", "answers")})
_KEYS = {"documents": "document", "pages": "page", "questions": "question"}
_REFERENCES = {
    ("pages", "document"): "documents/document",
    ("questions", "document"): "documents/document",
}
"""Foreign keys. ``evidence`` has none: mlcroissant 1.1 cannot load two in one record set."""


def export_dataset(config: StudyConfig, out: Path) -> None:
    """Write ``croissant.json`` and the JSON lines that it describes."""
    dataset = load_dataset(config)
    questions = select_questions(config, dataset)
    tables = records(dataset, questions)
    texts = {
        name: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        for name, rows in tables.items()
    }
    for name, text in texts.items():
        write_text(out / f"{name}.jsonl", text)
    description = describe(dataset, {name: text.encode() for name, text in texts.items()})
    write_text(out / "croissant.json", json.dumps(description, indent=2, ensure_ascii=False) + "\n")
    counts = ", ".join(f"{len(rows)} {name}" for name, rows in tables.items())
    print(f"{out / 'croissant.json'}: {counts}")
    print("it names no licence, author or address, which this command does not know: add them")


def records(dataset: Dataset, questions: Iterable[Question]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each record set, with the fields of :data:`FIELDS`."""
    questions = list(questions)
    documents = [
        {
            "document": document.doc_id,
            "domain": document.domain,
            "pages": len(document.pages),
            "source": document.source.name if document.source else "",
            "source_sha256": _file_sha256(document.source),
        }
        for document in dataset.documents.values()
    ]
    pages = [
        {
            "page": page_id(ref),
            "document": ref.doc_id,
            "number": ref.page_no,
            "text": page.text,
            "has_truth": dataset.has_truth(ref),
        }
        for ref, page in dataset.pages.items()
    ]
    return {
        "documents": documents,
        "pages": pages,
        "questions": [
            {
                "question": question.qid,
                "text": question.text,
                "answers": list(question.answers),
                "document": question.doc_id,
                "domain": question.domain,
                "evidence_text": question.evidence_text,
                "evidence_source": question.evidence_source,
                "answer_form": question.answer_form,
                "task": question.task,
            }
            for question in questions
        ],
        "evidence": [
            {"question": question.qid, "page": page_id(ref)}
            for question in questions
            for ref in question.evidence_pages
        ],
    }


def describe(dataset: Dataset, files: Mapping[str, bytes]) -> dict[str, Any]:
    """The description: files with their digests, record sets with their fields."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": dataset.kind,
        "description": f"Documents (text: {dataset.truth}), questions about them, and the pages "
        "that have the evidence.",
        "conformsTo": CONFORMS_TO,
        "version": "1.0.0",
        "identifier": dataset.digest(),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"{name}.jsonl",
                "name": f"{name}.jsonl",
                "contentUrl": f"{name}.jsonl",
                "contentSize": f"{len(content)} B",
                "encodingFormat": "application/jsonlines",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for name, content in files.items()
        ],
        "recordSet": [_record_set(name) for name in files],
    }


def _record_set(name: str) -> dict[str, Any]:
    key = {"key": {"@id": f"{name}/{_KEYS[name]}"}} if name in _KEYS else {}
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        **key,
        "field": [_field(name, field) for field in FIELDS[name]],
    }


def _field(name: str, field: str) -> dict[str, Any]:
    kind, about = FIELDS[name][field]
    described: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{name}/{field}",
        "name": field,
        "description": about,
        "dataType": kind,
        "source": {"fileObject": {"@id": f"{name}.jsonl"}, "extract": {"column": field}},
    }
    if (name, field) in _LISTS:
        described["repeated"] = True
    if (name, field) in _REFERENCES:
        described["references"] = {"field": {"@id": _REFERENCES[name, field]}}
    return described


def _file_sha256(path: Path | None) -> str:
    if path is None or not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_CR = "cr:{}".format
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "citeAs": _CR("citeAs"),
    "column": _CR("column"),
    "data": {"@id": _CR("data"), "@type": "@json"},
    "dataType": {"@id": _CR("dataType"), "@type": "@vocab"},
    "examples": {"@id": _CR("examples"), "@type": "@json"},
    **{
        name: _CR(name)
        for name in (
            *(
                "equivalentProperty",
                "extract",
                "field",
                "fileProperty",
                "fileObject",
                "fileSet",
                "format",
                "includes",
            ),
            *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *(
                "references",
                "regex",
                "repeated",
                "replace",
                "samplingRate",
                "separator",
                "source",
                "subField",
            ),
            "transform",
        )
    },
}
"""The names of the format, as its version 1.0 lists them."""
