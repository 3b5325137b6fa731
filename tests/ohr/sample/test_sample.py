"""The generated sample: exact ground truth, repeatable bytes, questions its pages answer."""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image
from pydantic import ValidationError

from ohr.collection import Dataset
from ohr.errors import ConfigError
from ohr.registry import create
from ohr.sample import Sample, SampleParams, corpus, storage
from ohr.sample.authors.all import AUTHORS
from ohr.sample.typesetting.printing import print_document
from ohr.sample.typesetting.render import Rendered
from ohr.types import EVIDENCE_SOURCES, PageRef

SMALL = {"n_pages": 2, "n_questions": 5}


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def flat(words: str) -> str:
    return re.sub(r"\s+", " ", words)


def folder_of(sample: Dataset) -> Path:
    assert sample.root is not None
    return sample.root.parent


@pytest.fixture(scope="module")
def sample(sample_cache: Path) -> Dataset:
    return Sample(SampleParams(cache=sample_cache, strict=True)).load()


# What the user gets


@pytest.mark.slow
def test_default_is_24_pages_and_60_questions(sample: Dataset) -> None:
    assert len(sample.pages) == 24
    assert len(sample.documents) == 8
    assert [question.qid for question in sample.questions] == [
        f"sample-{number:04d}" for number in range(1, 61)
    ]
    domains = Counter(document.domain for document in sample.documents.values())
    assert sorted(domains.values()) == [1, 1, 1, 1, 1, 1, 2]
    assert set(domains) == set(AUTHORS)
    assert not sample.report


def test_registered_by_name(sample_cache: Path, sample: Dataset) -> None:
    again = create("dataset", {"name": "sample", "params": {"cache": str(sample_cache)}}).load()
    assert again.digest() == sample.digest()
    assert (again.kind, again.root) == ("sample", sample.root)


def test_every_evidence_stands_verbatim_on_its_pages(sample: Dataset) -> None:
    records = json.loads((folder_of(sample) / "qas.json").read_text("utf-8"))
    for record in records:
        names, pages, passages = (
            value if isinstance(value, list) else [value]
            for value in (
                record["doc_name"],
                record["evidence_page_no"],
                record["evidence_context"],
            )
        )
        names = names * (len(passages) if len(names) == 1 else 1)
        assert len(names) == len(pages) == len(passages)
        for name, page, passage in zip(names, pages, passages, strict=True):
            assert passage in sample.pages[PageRef(name, page)].text


def test_every_source_and_half_of_yes_no_each(sample: Dataset) -> None:
    assert {q.evidence_source for q in sample.questions} == set(EVIDENCE_SOURCES)
    answers = Counter(q.answers[0] for q in sample.questions if q.answer_form == "Yes/No")
    assert answers["Yes"] == answers["No"] > 0


def test_no_two_documents_alike(sample: Dataset) -> None:
    for page in sample.pages.values():
        assert 150 <= len(page.text.split()) <= 1200
    sentences = [
        set(re.split(r"(?<=[.:])\s", " ".join(page.text for page in document.pages)))
        for document in sample.documents.values()
    ]
    for i, first in enumerate(sentences):
        for second in sentences[:i]:
            assert len(first & second) < 0.5 * len(first)


def test_entities_recur_across_documents(sample: Dataset) -> None:
    words = {
        doc_id: " ".join(page.text for page in document.pages)
        for doc_id, document in sample.documents.items()
    }
    agreement = next(doc_id for doc_id in words if doc_id.startswith("law/"))
    (supplier,) = re.findall(r"between \*\*([^*]+)\*\*", words[agreement])
    assert sum(supplier in text for text in words.values()) >= 3


def test_page_images_are_a4_at_150_dpi_and_pdfs_have_the_same_pages(sample: Dataset) -> None:
    for document in sample.documents.values():
        assert document.source is not None
        assert document.source.parts[-3:] == ("pdfs", *f"{document.doc_id}.pdf".split("/"))
        assert len(pypdfium2.PdfDocument(document.source)) == len(document.pages)
        for page in document.pages:
            assert page.image is not None
            with Image.open(page.image) as image:
                assert image.size == (1240, 1754)
                assert image.mode == "L"
                pixels = np.asarray(image)
            assert pixels.max() == 255
            assert 0.01 < (pixels < 128).mean() < 0.2
            # A page that ran into its own margin would have ink at the edge.
            assert pixels[:40].min() == pixels[-40:].min() == pixels[:, :60].min() == 255


def test_the_pdf_says_what_the_ground_truth_says(sample: Dataset) -> None:
    for document in sample.documents.values():
        pdf = pypdfium2.PdfDocument(document.source)
        for page in document.pages:
            shown = set(flat(pdf[page.ref.page_no].get_textpage().get_text_range()).split())
            prose = re.sub(r"(?s)\$\$.*?\$\$|\$[^$]*\$|\\\w+(\{[^}]*\})*|[*&\\#]", " ", page.text)
            words = {word for word in prose.split() if word.isalpha()}
            assert len(words - shown) <= 0.02 * len(words)


def test_layout_and_schema_of_ohrbench(sample: Dataset) -> None:
    assert sample.root is not None
    folder = sample.root.parent
    for doc_id, document in sample.documents.items():
        pages = json.loads((sample.root / "gt" / f"{doc_id}.json").read_text("utf-8"))
        assert [(page["page_idx"], page["text"]) for page in pages] == [
            (page.ref.page_no, page.text) for page in document.pages
        ]
    records = json.loads((folder / "qas.json").read_text("utf-8"))
    assert len(records) == 60
    assert set(records[0]) == {
        "task",
        "doc_name",
        "ID",
        "questions",
        "answers",
        "doc_type",
        "answer_form",
        "evidence_source",
        "evidence_context",
        "evidence_page_no",
    }


def test_table_totals_add_up(sample: Dataset) -> None:
    checked = 0
    for page in sample.pages.values():
        for body in re.findall(r"(?s)\\begin\{tabular\}(.*?)\\end\{tabular\}", page.text):
            rows = [
                [cell.strip() for cell in line.removesuffix(r" \\").split("&")]
                for line in body.splitlines()
                if "&" in line and "multi" not in line
            ]
            if not re.match("Total|Sum|Whole", rows[-1][0]):
                continue
            for column in range(1, len(rows[0])):
                values = [number_of(row[column]) for row in rows if len(row) > column]
                parts = [value for value in values[:-1] if value is not None]
                # A header of numbers (two years, say) is no part of the sum.
                if not number_of(rows[0][column]) and values[-1] is not None:
                    assert sum(parts) == pytest.approx(values[-1]), (rows, column)
                    checked += 1
    assert checked >= 8


def number_of(cell: str) -> float | None:
    """The number that a cell is, if it is one."""
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return None


def test_formulas_compute_what_they_say(sample: Dataset) -> None:
    checked = 0
    for page in sample.pages.values():
        for over, under, hundred, result in re.findall(
            r"\\frac\{([\d.]+)\}\{([\d.]+)\}( \\times 100)? = ([\d.]+)", page.text
        ):
            value = float(over) / float(under) * (100 if hundred else 1)
            digits = len(result.partition(".")[2])
            assert value == pytest.approx(float(result), abs=0.51 * 10**-digits)
            checked += 1
    assert checked >= 3


# Repeatable


@pytest.mark.slow
def test_same_seed_same_bytes_other_seed_others(tmp_path: Path) -> None:
    first, again, other = (
        Sample(SampleParams(cache=tmp_path / name, seed=seed, **SMALL))
        for name, seed in (("a", 3), ("b", 3), ("c", 4))
    )
    digests = [source.load().digest() for source in (first, again, other)]
    assert digests[0] == digests[1] != digests[2]
    assert files_of(first.folder()) == files_of(again.folder())
    images = [
        data
        for source in (first, other)
        for name, data in files_of(source.folder()).items()
        if name.endswith(".png")
    ]
    assert len(set(images)) == 4


def test_a_larger_corpus_contains_the_smaller_one() -> None:
    small = {doc.doc_id: doc for doc in corpus.documents(5, 12)}
    large = {doc.doc_id: doc for doc in corpus.documents(5, 48)}
    assert small.items() <= large.items()


@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
)
def test_pages_fit_whatever_the_seed(seed: int) -> None:
    for document in corpus.documents(seed, 21):
        printed = pypdfium2.PdfDocument(print_document(document, images=False).pdf)
        assert len(printed) == len(document.pages)


# Parameters


def test_a_difficulty_is_a_sample_of_its_own(tmp_path: Path) -> None:
    sources = [
        Sample(SampleParams(cache=tmp_path, difficulty=difficulty, **SMALL))
        for difficulty in corpus.EDITIONS
    ]
    assert len({source.folder() for source in sources}) == len(corpus.EDITIONS)
    with pytest.raises(ValidationError, match="'easy', 'calibrated' or 'hard'"):
        SampleParams.model_validate({"difficulty": "harder"})


@pytest.mark.slow
def test_a_harder_sample_has_fewer_companies() -> None:
    finance = {
        difficulty: [
            corpus.document(0, len(AUTHORS) * group, 3, difficulty=difficulty)
            for group in range(24)
        ]
        for difficulty in corpus.EDITIONS
    }
    assert {one.domain for each in finance.values() for one in each} == {"finance"}
    companies = [len({one.title.split(":")[0] for one in each}) for each in finance.values()]
    assert companies == [24, 4, 2]
    assert all(len({one.doc_id for one in each}) == 24 for each in finance.values())


def test_domains_select_documents_and_keep_ids(sample_cache: Path, sample: Dataset) -> None:
    law = Sample(SampleParams(cache=sample_cache, domains=("law",))).load()
    assert {document.domain for document in law.documents.values()} == {"law"}
    assert law.questions == tuple(q for q in sample.questions if q.domain == "law")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"path": "x"}, "leave path out"),
        ({"questions": "q.json"}, "leave questions out"),
        ({"pdfs": "x"}, "leave pdfs out"),
        (
            {"domains": ("biology",)},
            "no domain 'biology'; known: finance, law, manual, textbook, newspaper",
        ),
        ({"n_pages": 1, "n_questions": 500}, "1 sample pages answer at most"),
    ],
)
def test_parameters_that_cannot_be_used(
    tmp_path: Path, params: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        Sample(SampleParams.model_validate({"cache": tmp_path, **params})).load()
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("params", [{"n_pages": 0}, {"n_questions": 0}, {"pages": 3}])
def test_parameters_out_of_range(params: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        SampleParams.model_validate(params)


# Whole or not at all


@pytest.mark.slow
def test_interrupted_generation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Sample(SampleParams(cache=tmp_path, n_pages=6, n_questions=5))
    calls: list[str] = []

    def interrupted(document: corpus.Written, *, images: bool) -> Rendered:
        calls.append("")
        if len(calls) == 2:
            raise KeyboardInterrupt
        return print_document(document, images=images)

    monkeypatch.setattr(storage, "print_document", interrupted)
    with pytest.raises(KeyboardInterrupt):
        source.load()
    assert list((tmp_path / "sample").iterdir()) == []
    monkeypatch.undo()
    assert len(source.load().pages) == 6


@pytest.mark.slow
def test_incomplete_sample_is_made_again(tmp_path: Path) -> None:
    source = Sample(SampleParams(cache=tmp_path, **SMALL))
    source.load()
    before = files_of(source.folder())
    image = next(source.folder().rglob("*.png"))
    manifest = source.folder() / storage.MANIFEST
    for damage in (image.unlink, manifest.unlink, lambda: image.write_bytes(b"")):
        damage()
        assert not storage.is_complete(source.folder())
        source.load()
        assert files_of(source.folder()) == before
    assert [path.name for path in (tmp_path / "sample").iterdir()] == [source.folder().name]


def test_complete_sample_is_not_written_again(
    sample_cache: Path, sample: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sample, "_write", lambda *_: pytest.fail("written again"))
    assert Sample(SampleParams(cache=sample_cache)).load().digest() == sample.digest()


@pytest.mark.slow
def test_concurrent_generation(tmp_path: Path) -> None:
    folder = tmp_path / "sample" / "x"

    def write(part: Path) -> None:
        for number in range(20):
            (part / f"{number}.txt").write_text("whole")

    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / storage.MANIFEST).unlink(missing_ok=True)
            list(pool.map(lambda _: storage.ensure(folder, write), range(8)))
            assert storage.is_complete(folder)
            assert len(files_of(folder)) == 21
    assert [path.name for path in folder.parent.iterdir()] == ["x"]


def test_what_another_process_still_writes_is_not_swept_away(tmp_path: Path) -> None:
    long_ago = time.time() - 100_000

    def write(part: Path) -> None:
        for number in range(3):
            (part / "pdfs").mkdir(exist_ok=True)
            (part / "pdfs" / f"{number}.pdf").write_text("whole")
            for folder in (part, part / "pdfs"):
                os.utime(folder, (long_ago, long_ago))
            storage.ensure(tmp_path / "other", lambda other: (other / "x").touch())

    remaining = tmp_path / ".killed.part"
    remaining.mkdir()
    os.utime(remaining, (long_ago, long_ago))
    storage.ensure(tmp_path / "one", write)
    assert set(files_of(tmp_path / "one")) == {
        *("pdfs/0.pdf", "pdfs/1.pdf", "pdfs/2.pdf", storage.MANIFEST)
    }
    assert not remaining.exists()
