"""Compares the units of a run's rows with its cases: all questions, and what is said of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ohr.datasets.verify import form_name
from ohr.store.identity import digest
from ohr.study.output.cases import FILE as CASES
from ohr.study.output.cases import read_cases, read_domains, read_questions
from ohr.study.output.rows import FILE as ROWS
from ohr.study.output.rows import read_rows
from ohr.study.results import StudyRun
from ohr.types import Question

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 3
"""Most questions that a line names."""
_STATED = ("doc_id", "domain", "evidence_source", "answer_form", "task")


def unit_faults(run: StudyRun) -> list[str]:
    """A line for each way in which rows and cases differ in their units. Raises OhrError."""
    rows = read_rows(run.path)
    questions = {question.qid: question for question in read_questions(run.path)}
    return [
        *_other_questions(rows, questions),
        *_other_facts(rows, questions),
        *_other_page_domains(run, rows),
        *_other_texts(run),
    ]


def _other_questions(rows: pd.DataFrame, questions: dict[str, Question]) -> Iterator[str]:
    scored = set(rows["qid"].astype(str)) - {""}
    if not scored:
        return
    if lost := [qid for qid in questions if qid not in scored]:
        yield f"{ROWS} lacks {len(lost):,} of {len(questions):,} questions: {_listed(lost)}"
    if foreign := sorted(scored - set(questions)):
        yield f"{ROWS} has {len(foreign):,} questions that {CASES} lacks: {_listed(foreign)}"


def _other_facts(rows: pd.DataFrame, questions: dict[str, Question]) -> Iterator[str]:
    """Facts of questions, which decide the groups of the cells."""
    question_rows = rows[rows["qid"].astype(str) != ""]
    columns = [name for name in (*_STATED, "page_no", "groups") if name in question_rows]
    distinct = question_rows[["qid", *columns]].drop_duplicates()
    differing: dict[str, list[str]] = defaultdict(list)
    for row in distinct.to_dict("records"):
        question = questions.get(str(row["qid"]))
        if question is None:
            continue
        stated = {name: getattr(question, name) for name in _STATED}
        stated |= {"page_no": question.place.page_no}
        for name in columns:
            if name == "groups":
                same = set(_read_list(str(row[name]))) == _groups(question)
            else:
                same = str(row[name]) == str(stated[name])
            if not same:
                differing[name].append(question.qid)
    for name, qids in differing.items():
        named = list(dict.fromkeys(qids))
        yield (
            f"{ROWS} has another {name} than {CASES} for {len(named):,} questions: {_listed(named)}"
        )


def _groups(question: Question) -> set[str]:
    stated = {
        "source": question.evidence_source,
        "domain": question.domain,
        "category": question.category.strip().lower(),
        "form": form_name(question),
        "task": question.task.strip().lower(),
    }
    optional = ("category", "form", "task")
    return {f"{kind}:{value}" for kind, value in stated.items() if value or kind not in optional}


def _other_page_domains(run: StudyRun, rows: pd.DataFrame) -> Iterator[str]:
    domains = read_domains(run.path)
    page_rows = rows[rows["qid"].astype(str) == ""][["doc_id", "domain"]].astype(str)
    differing = [
        doc_id
        for doc_id, domain in page_rows.drop_duplicates().itertuples(index=False, name=None)
        if domains.get(doc_id) != domain
    ]
    if differing:
        yield (
            f"{ROWS} has another domain than {CASES} for {len(differing):,} documents: "
            f"{_listed(differing)}"
        )


def _other_texts(run: StudyRun) -> Iterator[str]:
    """Page texts that are not those of their digests, and hits outside their page."""
    texts = dict(zip(*read_cases(run.path, "texts").to_pydict().values(), strict=True))
    if changed := sum(digest(text) != key for key, text in texts.items()):
        yield f"{CASES} has {changed:,} page texts that were changed: their digests differ"
    pages = read_cases(run.path, "pages").to_pylist()
    lengths = {
        (page["knowledge_base"], page["doc_id"], page["page_no"]): len(texts.get(page["text"], ""))
        for page in pages
    }
    hits = read_cases(run.path, "hits").to_pylist()
    outside = sum(
        not 0
        <= hit["start"]
        <= hit["end"]
        <= lengths.get((hit["knowledge_base"], hit["doc_id"], hit["page_no"]), -1)
        for hit in hits
    )
    if outside:
        yield f"{CASES} has {outside:,} hits that are not on their page"


def _read_list(text: str) -> list[str]:
    import json

    try:
        names = json.loads(text)
    except ValueError:
        return []
    return [str(name) for name in names] if isinstance(names, list) else []


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
