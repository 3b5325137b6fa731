"""The cases behind a run's rows: page texts, questions, hits and answers, in one file.

``RUN/cases.zip`` has Parquet tables. ``texts`` has each distinct page text under its digest,
``pages`` the digest of each page of each knowledge base, and ``hits`` spans of these texts. Equal
results give equal bytes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ohr.errors import OhrError
from ohr.models.ends import finish_reason
from ohr.models.origins import origin_in
from ohr.store.identity import digest
from ohr.study.scoring.conditions import AnswerSource, Replies
from ohr.types import Answer, Hit, KnowledgeBase, Outcome, PageRef, Question, Status

FILE = "cases.zip"
_OPTIONAL = ("category", "headers", "written_for", "relevance", "fact", "confidence")
_PAGES = pa.list_(pa.struct([("doc_id", pa.string()), ("page_no", pa.int32())]))
_NAME = pa.dictionary(pa.int32(), pa.string())
SCHEMAS = {
    "texts": pa.schema([("digest", pa.string()), ("text", pa.string())]),
    "pages": pa.schema(
        [
            *((name, _NAME) for name in ("knowledge_base", "domain", "doc_id")),
            ("page_no", pa.int32()),
            ("status", _NAME),
            ("detail", pa.string()),
            ("text", pa.string()),
            ("confidence", pa.float64()),
        ]
    ),
    "questions": pa.schema(
        [
            *((name, pa.string()) for name in ("qid", "doc_id", "domain", "text")),
            ("answers", pa.list_(pa.string())),
            ("evidence_pages", _PAGES),
            *((n, pa.string()) for n in ("evidence_text", "evidence_source")),
            *((n, pa.string()) for n in ("answer_form", "task", "category")),
            ("headers", pa.list_(pa.string())),
            ("written_for", pa.string()),
            ("relevance", pa.list_(pa.float64())),
            ("fact", pa.string()),
        ]
    ),
    "hits": pa.schema(
        [
            *((name, _NAME) for name in ("knowledge_base", "chunker", "retriever", "qid")),
            ("rank", pa.int32()),
            ("doc_id", _NAME),
            *((name, pa.int32()) for name in ("page_no", "start", "end")),
            ("score", pa.float64()),
        ]
    ),
    "answers": pa.schema(
        [
            *((n, _NAME) for n in ("knowledge_base", "stage", "system")),
            *((n, _NAME) for n in ("chunker", "retriever", "reader", "qid", "status")),
            *((n, pa.string()) for n in ("detail", "text", "quote")),
            ("sources", _PAGES),
            ("trace", pa.list_(pa.string())),
            ("headers", pa.list_(pa.string())),
        ]
    ),
    "prompts": pa.schema([(n, pa.string()) for n in ("digest", "name", "text")]),
    "calls": pa.schema(
        [
            *((n, _NAME) for n in ("knowledge_base", "stage", "system")),
            *((n, _NAME) for n in ("chunker", "retriever", "reader", "qid")),
            ("repeat", pa.int32()),
            ("status", _NAME),
            *((n, pa.string()) for n in ("detail", "text")),
            *((n, _NAME) for n in ("prompt", "model", "fingerprint", "finish_reason")),
            *((n, pa.float64()) for n in ("prompt_tokens", "completion_tokens", "cost")),
        ]
    ),
}
"""Columns of each table. ``pages.text`` is a digest, null for a page that could not be read.

``pages.confidence`` is the mean confidence in the page's words that another tool gave.
``headers``, ``category``, ``written_for``, ``relevance``, ``fact`` and ``confidence`` are left out
of a table where nothing has any. ``calls`` has every answer of readers with a prompt, in each
repeat, and ``prompts`` each part of a prompt; both are left out where no reader has one.
"""
_OF_MODELS = ("prompts", "calls")


@dataclass
class Cases:
    """Collects the cases of a study, one knowledge base after the other."""

    questions: Sequence[Question]
    domains: dict[str, str]
    """Domain of each document."""
    _texts: dict[str, str] = field(default_factory=dict)
    _prompts: dict[tuple[str, str, str], None] = field(default_factory=dict)
    _tables: dict[str, list[pa.Table]] = field(default_factory=dict)

    def add_pages(self, knowledge_base: str, kb: KnowledgeBase) -> None:
        """Add the pages of a knowledge base, and their texts if they are new."""
        rows = []
        for ref, outcome in kb.pages.items():
            text = None if outcome.value is None else _clean(outcome.value)
            key = None if text is None else digest(text)
            if key is not None and text is not None:
                self._texts[key] = text
            where = (knowledge_base, self.domains[ref.doc_id], ref.doc_id, ref.page_no)
            detail = _clean(outcome.detail)
            rows.append((*where, str(outcome.status), detail, key, outcome.confidence))
        self._add("pages", rows)

    def add_hits(
        self, knowledge_base: str, setting: tuple[str, str], rankings: Sequence[Sequence[Hit]]
    ) -> None:
        """Add the hits of every question under a chunker and a retriever."""
        rows = [
            (
                knowledge_base,
                *setting,
                question.qid,
                hit.rank,
                hit.ref.doc_id,
                hit.ref.page_no,
                *hit.span,
                hit.score,
            )
            for question, hits in zip(self.questions, rankings, strict=True)
            for hit in hits
        ]
        self._add("hits", rows)

    def add_answers(
        self,
        knowledge_base: str,
        source: AnswerSource,
        answers: Sequence[Outcome[Answer]],
    ) -> None:
        """Add the answer of ``source`` to every question."""
        rows = []
        for question, outcome in zip(self.questions, answers, strict=True):
            answer = outcome.value or Answer("")
            rows.append(
                (
                    *(knowledge_base, *astuple(source), question.qid, str(outcome.status)),
                    _clean(outcome.detail),
                    None if outcome.value is None else _clean(answer.text),
                    _clean(answer.quote),
                    [asdict(ref) for ref in answer.sources],
                    [_clean(line) for line in answer.trace],
                    [_clean(header) for header in answer.headers],
                )
            )
        self._add("answers", rows)

    def add_calls(
        self,
        knowledge_base: str,
        source: AnswerSource,
        prompts: Mapping[str, str],
        replies: Sequence[Replies],
    ) -> None:
        """Add what a language model was told and what each of its answers counted, by repeat."""
        prompt = digest(dict(prompts)) if prompts else None
        if prompt is not None:
            parts = [(prompt, name, _clean(text)) for name, text in prompts.items()]
            self._prompts.update(dict.fromkeys(parts))
        rows = []
        for repeat, each in enumerate(replies):
            for place, outcome in enumerate(each.answers):
                usage = each.usages[place]
                text = None if outcome.value is None else _clean(outcome.value.text)
                of_repeat = (
                    repeat,
                    str(outcome.status),
                    _clean(outcome.detail),
                    text,
                    prompt,
                )
                counts = [usage.get(n) for n in ("prompt_tokens", "completion_tokens", "cost")]
                qid = self.questions[place].qid
                origin = map(_clean, origin_in(usage))
                end = finish_reason(outcome.status, outcome.detail, usage)
                rows.append(
                    (
                        knowledge_base,
                        *astuple(source),
                        qid,
                        *of_repeat,
                        *origin,
                        end,
                        *counts,
                    )
                )
        self._add("calls", rows)

    def packed(self) -> bytes:
        """The file's content."""
        if self._prompts:
            self._add("prompts", list(self._prompts))
        self._tables["texts"] = []
        self._add("texts", list(self._texts.items()))
        self._tables["questions"] = []
        self._add("questions", [_question_row(question) for question in self.questions])
        sink = io.BytesIO()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
            for name, schema in SCHEMAS.items():
                if name in _OF_MODELS and name not in self._tables:
                    continue
                table = pa.concat_tables([schema.empty_table(), *self._tables.get(name, [])])
                for optional in _OPTIONAL:
                    if optional in table.column_names and not any(table[optional].to_pylist()):
                        table = table.drop_columns(optional)
                packed = io.BytesIO()
                pq.write_table(
                    table.unify_dictionaries(),
                    packed,
                    compression="zstd",
                    compression_level=9,
                    use_dictionary=name != "texts",  # they are distinct
                )
                # An entry without a time: equal results are equal bytes.
                archive.writestr(zipfile.ZipInfo(f"{name}.parquet"), packed.getvalue())
        return sink.getvalue()

    def _add(self, name: str, rows: Sequence[Sequence[object]]) -> None:
        schema = SCHEMAS[name]
        columns: list[Sequence[object]] = list(zip(*rows, strict=True)) or [() for _ in schema]
        arrays = [pa.array(column, kind.type) for column, kind in zip(columns, schema, strict=True)]
        self._tables.setdefault(name, []).append(pa.table(arrays, schema=schema))


def _clean(text: str) -> str:
    """Text without lone surrogates, of the same length, so that spans stay valid."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text  # no copy: all page texts are in memory to the end


def _question_row(question: Question) -> tuple[object, ...]:
    pages = [{"doc_id": ref.doc_id, "page_no": ref.page_no} for ref in question.evidence_pages]
    return (
        *map(_clean, (question.qid, question.doc_id, question.domain, question.text)),
        [_clean(answer) for answer in question.answers],
        pages,
        *map(_clean, (question.evidence_text, question.evidence_source)),
        *map(_clean, (question.answer_form, question.task, question.category)),
        [_clean(header) for header in question.headers],
        _clean(question.written_for),
        list(question.relevance),
        _clean(question.fact),
    )


def read_cases(run: Path, name: str) -> pa.Table:
    """A table of a finished run (see :data:`SCHEMAS`). Raises OhrError if the run has none."""
    try:
        with zipfile.ZipFile(run / FILE) as archive:
            if name in _OF_MODELS and f"{name}.parquet" not in archive.namelist():
                return SCHEMAS[name].empty_table()
            content = io.BytesIO(archive.read(f"{name}.parquet"))
            table = pq.read_table(content, use_threads=False)  # see ohr.study.output.rows
    except FileNotFoundError as error:
        raise OhrError(
            f"{run} has no {FILE}: run its command again; no page is read twice"
        ) from error
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise OhrError(f"{run / FILE} is damaged ({error}): delete it and run again") from error
    _check_columns(run, name, table)
    return table


def _check_columns(run: Path, name: str, table: pa.Table) -> None:
    """Raise OhrError for a table without a column, with another, or with one of another type."""
    schema = SCHEMAS[name]
    lacking = [field.name for field in schema if field.name not in table.column_names]
    lacking = [column for column in lacking if column not in (*_OPTIONAL, "system")]
    problem = f"{name} has no column {lacking[0]!r}" if lacking else ""
    for column in table.schema:
        if column.name not in schema.names:
            problem = problem or f"{name} has a column {column.name!r}"
        elif not _is_alike(column.type, schema.field(column.name).type):
            problem = problem or f"the column {column.name!r} of {name} is of another type"
    if problem:
        raise OhrError(f"{run / FILE} is damaged ({problem}): delete it and run again")


def _is_alike(stored: pa.DataType, declared: pa.DataType) -> bool:
    """Whether two types hold the same kind of values, however they are stored."""
    kinds = (
        lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind),
        pa.types.is_integer,
        pa.types.is_floating,
        lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind),
    )
    pair = [t.value_type if pa.types.is_dictionary(t) else t for t in (stored, declared)]
    return pa.types.is_null(pair[0]) or any(all(map(is_kind, pair)) for is_kind in kinds)


def read_questions(run: Path) -> list[Question]:
    """The questions that a finished run asked. Raises OhrError."""
    questions = []
    for row in read_cases(run, "questions").to_pylist():
        pages = tuple(PageRef(**page) for page in row.pop("evidence_pages"))
        answers, headers = tuple(row.pop("answers")), tuple(row.pop("headers", ()))
        relevance = tuple(row.pop("relevance", ()))
        questions.append(
            Question(
                **row,
                evidence_pages=pages,
                answers=answers,
                headers=headers,
                relevance=relevance,
            )
        )
    return questions


def read_domains(run: Path) -> dict[str, str]:
    """The domain of each document of a finished run's knowledge bases. Raises OhrError."""
    pages = read_cases(run, "pages").select(["doc_id", "domain"])
    return {page["doc_id"]: page["domain"] for page in pages.to_pylist()}


def read_texts(run: Path) -> dict[str, dict[PageRef, str]]:
    """The page texts of each knowledge base, without failed pages. Raises OhrError."""
    texts = dict(zip(*read_cases(run, "texts").to_pydict().values(), strict=True))
    table = read_cases(run, "pages")
    columns = (table[name].to_pylist() for name in ("knowledge_base", "doc_id", "page_no", "text"))
    by_base: dict[str, dict[PageRef, str]] = {}
    for base, doc_id, page_no, text in zip(*columns, strict=True):
        pages = by_base.setdefault(base, {})
        if text is not None:
            pages[PageRef(doc_id, page_no)] = texts[text]
    return by_base


def read_statuses(run: Path) -> dict[str, dict[PageRef, Status]]:
    """How each page of each knowledge base was read. Raises OhrError."""
    table = read_cases(run, "pages")
    columns = (
        table[name].to_pylist() for name in ("knowledge_base", "doc_id", "page_no", "status")
    )
    by_base: dict[str, dict[PageRef, Status]] = {}
    for base, doc_id, page_no, status in zip(*columns, strict=True):
        by_base.setdefault(base, {})[PageRef(doc_id, page_no)] = Status(status)
    return by_base


def read_confidences(run: Path) -> dict[tuple[str, PageRef], float]:
    """The confidence of each knowledge base's pages that have one. Raises OhrError."""
    table = read_cases(run, "pages")
    if "confidence" not in table.column_names:
        return {}
    names = ("knowledge_base", "doc_id", "page_no", "confidence")
    rows = zip(*(table[name].to_pylist() for name in names), strict=True)
    return {
        (base, PageRef(doc_id, no)): sure for base, doc_id, no, sure in rows if sure is not None
    }
