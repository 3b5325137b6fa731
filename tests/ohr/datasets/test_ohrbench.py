from __future__ import annotations

import json
import unicodedata

import pytest
from PIL import Image

from ohr import registry
from ohr.collection import Dataset
from ohr.errors import DatasetError
from ohr.types import PageRef
from tests.builders import qa, write_kb, write_pdf, write_questions


def load(tmp_path, **params) -> Dataset:
    given = {"path": tmp_path, "questions": tmp_path / "qas.json"} | params
    return registry.create("dataset", {"name": "ohrbench", "params": given}).load()


@pytest.fixture
def corpus(tmp_path):
    write_kb(tmp_path / "gt", {"law/b": ["one", "two"], "law/b c": ["x"], "manual/a": ["three"]})
    write_questions(tmp_path / "qas.json", [qa(1, "law/b", 1), qa(2, "manual/a", 0)])
    return tmp_path


def test_first_release(corpus):
    dataset = load(corpus)
    assert list(dataset.documents) == ["law/b c", "law/b", "manual/a"]  # by name with suffix
    assert dataset.pages[PageRef("law/b", 1)].text == "two"
    question = dataset.questions[0]
    assert (question.qid, question.domain, question.answers) == ("q1", "law", ("answer 1",))
    assert question.evidence_pages == (PageRef("law/b", 1),)
    assert not dataset.report


def test_second_release_with_lists_and_new_names(corpus):
    entries = [
        qa(1, "law/b", 0, evidence_page_no=[1, 0], evidence_context=["x", "y"]),
        qa(
            2,
            "x",
            0,
            doc_name=["b", "a"],
            doc_type=["law", "manual"],
            evidence_page_no=[0, 0],
            evidence_context=["x", "y"],
            evidence_source="reading_order",
            answers=["yes", "Yes."],
        ),
        qa(3, "law/b", 1, evidence_source="equation"),
        qa(4, "law/b", 1, evidence_source="formula"),
    ]
    write_questions(corpus / "qas.json", entries)
    dataset = load(corpus, strict=True)
    one, two, three, four = dataset.questions
    assert one.evidence_pages == (PageRef("law/b", 1), PageRef("law/b", 0))
    assert one.evidence_text == "x\ny"
    assert two.evidence_pages == (PageRef("law/b", 0), PageRef("manual/a", 0))
    assert two.answers == ("yes", "Yes.")
    assert two.evidence_source == "reading_order"
    assert three.evidence_source == four.evidence_source == "formula"


def test_pdfs_are_found_by_path_or_by_name(corpus):
    write_pdf(corpus / "pdfs" / "b.pdf", 2)
    write_pdf(corpus / "pdfs" / "manual" / "a.PDF", 1)
    documents = load(corpus, pdfs=corpus / "pdfs").documents
    assert documents["law/b"].source == corpus / "pdfs" / "b.pdf"
    assert documents["manual/a"].source == corpus / "pdfs" / "manual" / "a.PDF"
    assert documents["law/b c"].source is None


@pytest.mark.parametrize("inside", ["manual", "from/manual", "finance", "all"])
def test_a_pdf_in_another_folder_is_not_taken(corpus, inside):
    write_kb(corpus / "gt", {"law/report": ["x"]})
    write_pdf(corpus / "pdfs" / inside / "report.pdf", 1)
    for domains in ((), ("law",)):
        dataset = load(corpus, pdfs=corpus / "pdfs", domains=domains)
        assert dataset.documents["law/report"].source is None
        assert dataset.report.problems == {
            "unclear_pdf": [f"none taken for law/report; of that name: {inside}/report"]
        }
    write_pdf(corpus / "pdfs" / "all" / "law" / "report.pdf", 1)
    dataset = load(corpus, pdfs=corpus / "pdfs", strict=True)
    assert dataset.documents["law/report"].source == corpus / "pdfs/all/law/report.pdf"


def test_documents_in_folders_of_a_domain_and_accents_that_are_taken_apart(corpus):
    write_kb(corpus / "gt", {"law/2023/Verträge": ["Fact 9 is answer 9."]})
    write_questions(corpus / "qas.json", [qa(9, "law/2023/Verträge", 0)])
    pdf = corpus / "pdfs" / "law" / "2023" / unicodedata.normalize("NFD", "Verträge.pdf")
    write_pdf(pdf, 1)
    dataset = load(corpus, pdfs=corpus / "pdfs")
    assert dataset.documents["law/2023/Verträge"].source == pdf
    assert [question.qid for question in dataset.questions] == ["q9"]


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC")])
def test_questions_find_their_document_however_its_accents_are_written(corpus, forms):
    in_file, in_question = (unicodedata.normalize(form, "law/Verträge") for form in forms)
    write_kb(corpus / "gt", {in_file: ["Fact 9 is answer 9."]})
    write_questions(corpus / "qas.json", [qa(9, in_question, 0)])
    dataset = load(corpus, strict=True)
    [question] = dataset.questions
    assert (question.doc_id, question.evidence_pages) == (in_file, (PageRef(in_file, 0),))


def test_a_pdf_is_found_by_name_only_if_no_other_has_it(corpus):
    write_kb(corpus / "gt", {"law/report": ["x"], "manual/report": ["y"], "manual/c": ["z"]})
    write_kb(corpus / "gt", {"law/c": ["z"]})
    write_pdf(corpus / "pdfs" / "report.pdf", 1)
    write_pdf(corpus / "pdfs" / "manual" / "report.pdf", 1)
    write_pdf(corpus / "pdfs" / "manual" / "c.pdf", 1)
    for folder in ("one", "two"):
        write_pdf(corpus / "pdfs" / folder / "law" / "b.pdf", 1)
    dataset = load(corpus, pdfs=corpus / "pdfs")
    assert dataset.documents["law/report"].source is None
    assert dataset.documents["manual/report"].source == corpus / "pdfs/manual/report.pdf"
    assert dataset.documents["law/b"].source is None
    assert dataset.documents["law/c"].source is None
    assert dataset.report.problems["unclear_pdf"] == [
        "none taken for law/b; of that name: one/law/b, two/law/b",
        "none taken for law/report; of that name: report",
    ]


def test_every_problem_is_counted_and_strict_refuses(corpus):
    (corpus / "gt" / "law" / "empty.json").write_text("")
    (corpus / "gt" / "law" / "object.json").write_text("{}")
    (corpus / "gt" / "law" / "nothing.json").write_text("[]")
    (corpus / "gt" / "law" / "twice.json").write_text(
        json.dumps([{"page_idx": 0, "text": "a"}, {"page_idx": 0, "text": "b"}])
    )
    write_questions(
        corpus / "qas.json",
        [
            qa(1, "law/b", 0),
            qa(1, "law/b", 1),
            qa(2, "law/b", 7),
            qa(3, "law/gone", 0),
            qa(4, "law/b", 0, questions="  "),
            qa(5, "law/b", 0, answers=""),
            qa(6, "law/b", 0, evidence_context=" "),
            qa(7, "law/b", 0, evidence_page_no="first"),
            qa(8, "law/b", 0, evidence_source="smell"),
            {"ID": "9"},
        ],
    )
    dataset = load(corpus)
    assert [q.qid for q in dataset.questions] == ["q1", "q2", "q6", "q8"]
    assert dataset.report.counts == {
        "document_without_pages": 1,
        "duplicate_question_id": 1,
        "empty_answer": 1,
        "empty_evidence": 1,
        "empty_question": 1,
        "malformed_question": 2,
        "missing_document": 1,
        "missing_evidence_page": 1,
        "unknown_evidence_source": 1,
        "unreadable_document": 3,
    }
    [missing] = dataset.report.problems["missing_evidence_page"]
    assert missing == "page_idx 7 of law/b, asked by q2"  # as the files count, from 0
    with pytest.raises(DatasetError, match=r"strict validation: .*1 x missing_document"):
        load(corpus, strict=True)


def test_a_file_that_is_no_text_is_a_problem_that_names_file_and_byte(corpus):
    path = corpus / "gt" / "law" / "b.json"
    path.write_bytes(path.read_bytes().replace(b"two", b"tw\xff"))
    dataset = load(corpus)
    assert "law/b" not in dataset.documents
    lines = [line for _, line in dataset.report.lines() if "b.json" in line]
    assert any("not UTF-8 (byte 0xff at " in line for line in lines)


def test_a_byte_order_mark_is_passed_over(corpus):
    before = load(corpus).digest()
    for path in (corpus / "gt" / "law" / "b.json", corpus / "qas.json"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(corpus, strict=True).digest() == before


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"questions": None}, "needs dataset.path and dataset.questions"),
        ({"path": "/nowhere"}, "no ground truth at /nowhere"),
        ({"questions": "/nowhere.json"}, "cannot read questions"),
        ({"domains": ["finance"]}, "no domain 'finance'.*law, manual"),
        ({"pdfs": "/nowhere"}, "no folder of PDFs"),
    ],
)
def test_what_is_not_there_is_one_clear_line(corpus, params, message):
    with pytest.raises(DatasetError, match=message):
        load(corpus, **params)


def test_domains_filter_documents_and_questions(corpus):
    dataset = load(corpus, domains=["manual"])
    assert list(dataset.documents) == ["manual/a"]
    assert [q.qid for q in dataset.questions] == ["q2"]
    assert not dataset.report


def test_digest_sees_text_and_gold_fields(corpus):
    before = load(corpus).digest()
    assert load(corpus).digest() == before
    write_questions(corpus / "qas.json", [qa(1, "law/b", 1), qa(2, "manual/a", 0, answers="no")])
    assert load(corpus).digest() != before


def test_the_real_data_has_no_problems(data_dir):
    bench = data_dir / "ohrbench"
    dataset = load(bench / "retrieval_base", questions=bench / "qas_dev.json", strict=True)
    assert len(dataset.questions) == 3325
    assert len(dataset.documents) == 752
    assert len(dataset.pages) == 5723


@pytest.mark.parametrize("content", ["[" * 100_000, '[{"page_idx": Infinity, "text": "x"}]'])
def test_a_document_that_cannot_be_understood_is_reported(corpus, content):
    (corpus / "gt" / "law" / "deep.json").write_text(content)
    assert load(corpus).report.counts == {"unreadable_document": 1}


def test_questions_nested_too_deep_are_one_line(corpus):
    (corpus / "qas.json").write_text("[" * 100_000)
    with pytest.raises(DatasetError, match=r"cannot read questions from .*qas\.json"):
        load(corpus)


def test_null_is_nothing_and_not_the_word_none(corpus):
    null = {"evidence_context": None, "task": None, "answer_form": None}
    entries = [qa(1, "law/b", 1, **null), qa(2, "law/b", 0, answers=None)]
    write_questions(corpus / "qas.json", [*entries, qa(3, "law/b", 0, questions=None)])
    dataset = load(corpus)
    [question] = dataset.questions
    assert (question.evidence_text, question.task, question.answer_form) == ("", "", "")
    assert dataset.report.counts == {"empty_answer": 1, "empty_evidence": 1, "empty_question": 1}


def test_a_page_number_without_end_is_a_malformed_question(corpus):
    write_questions(
        corpus / "qas.json", [qa(1, "law/b", 1), qa(2, "law/b", 0, evidence_page_no=float("inf"))]
    )
    dataset = load(corpus)
    assert [question.qid for question in dataset.questions] == ["q1"]
    assert dataset.report.counts == {"malformed_question": 1}


def test_half_a_surrogate_pair_is_replaced(corpus):
    write_kb(corpus / "gt", {})
    (corpus / "gt" / "law" / "s.json").write_text(
        r'[{"page_idx": 0, "text": "a\ud800 \ud83d\ude00"}]'
    )
    broken = {"ID": "q\ud800", "questions": "Why\udfff?", "answers": ["\ud800"]}
    write_questions(corpus / "qas.json", [qa(1, "law/s", 0, evidence_context="\ud800") | broken])
    dataset = load(corpus, strict=True)
    (question,) = dataset.questions
    assert (question.qid, question.text) == ("q\ufffd", "Why\ufffd?")
    assert (question.answers, question.evidence_text) == (("\ufffd",), "\ufffd")
    assert dataset.pages[PageRef("law/s", 0)].text == "a\ufffd \U0001f600"


@pytest.mark.parametrize("number", [10**23, -1, 10**4000])
def test_a_page_number_without_bounds_is_malformed(tmp_path, number):
    write_kb(tmp_path / "gt", {"law/a": ["One.", "Two."]})
    (tmp_path / "gt" / "law" / "b.json").write_text(
        json.dumps([{"page_idx": number, "text": "Three."}])
    )
    path = write_questions(tmp_path / "q.json", [qa(1, "law/a", 0), qa(2, "law/a", number)])
    dataset = registry.create(
        "dataset", {"name": "ohrbench", "params": {"path": tmp_path, "questions": path}}
    ).load()
    assert [question.qid for question in dataset.questions] == ["q1"]
    assert dataset.report.counts == {"malformed_question": 1, "unreadable_document": 1}


def test_questions_are_read_from_a_file_alone(tmp_path):
    write_kb(tmp_path / "gt", {"law/a": ["One."]})
    given = {"path": tmp_path, "questions": "/dev/zero"}
    with pytest.raises(DatasetError, match="/dev/zero: it is a device or a pipe, not a file"):
        registry.create("dataset", {"name": "ohrbench", "params": given}).load()


def test_hidden_files_are_no_documents_and_no_pdfs(corpus):
    """A copy that an editor puts aside would be found in place of its page."""
    beside = corpus / "gt" / "law" / ".ipynb_checkpoints"
    beside.mkdir()
    (beside / "b-checkpoint.json").write_bytes((corpus / "gt" / "law" / "b.json").read_bytes())
    (corpus / "gt" / "law" / "._b.json").write_bytes(b"\x00\x05\x16\x07")
    (corpus / "gt" / ".git").mkdir()
    pdfs = corpus / "pdfs" / ".trash" / "law"
    pdfs.mkdir(parents=True)
    write_pdf(pdfs / "b.pdf", 2)
    dataset = load(corpus, pdfs=corpus / "pdfs", strict=True)
    assert list(dataset.documents) == ["law/b c", "law/b", "manual/a"]
    assert dataset.documents["law/b"].source is None


SQUAD = {"text": ["900 crowns", "900 crowns"], "answer_start": [15, 15]}


def test_answers_of_another_type_are_read_or_said(corpus):
    given = {
        "squad": {"answers": SQUAD},
        "float": {"answers": 900.0},
        "mixed": {"answers": ["a", 2.5, 3]},
        "nested": {"answers": [["900 crowns"]]},
        "boolean": {"answers": True},
        "nan": {"answers": float("nan")},
        "question": {"questions": ["How high?", "or so"]},
        "evidence": {"evidence_context": {"span": "x"}},
        "source": {"evidence_source": ["text"]},
        "form": {"answer_form": {"a": 1}},
        "fraction": {"evidence_page_no": 0.99},
        "true page": {"evidence_page_no": [0, True]},
        "no list": {"doc_name": []},
    }
    entries = [qa(1, "law/b", 0, **{"ID": name} | fields) for name, fields in given.items()]
    write_questions(corpus / "qas.json", [*entries, qa(1, "law/b", 0, ID=True), qa(7, "law/b", 1)])
    dataset = load(corpus)
    answers = {question.qid: question.answers for question in dataset.questions}
    assert answers == {
        "squad": ("900 crowns",), "float": ("900",), "mixed": ("a", "2.5", "3"),
        "q7": ("answer 7",),
    }  # fmt: skip
    assert dataset.report.counts == {"malformed_question": len(entries) + 1 - 3}
    assert dataset.report.problems["malformed_question"][:2] == [
        "entry 3 of qas.json: answers[0] is the list ['900 crowns']; give a string or a number",
        "entry 4 of qas.json: answers is the boolean true; give a string or a number",
    ]


@pytest.mark.parametrize("text", [42, 0, True, ["The deposit."], {"text": "x"}])
def test_a_ground_truth_page_that_is_no_text_is_reported(corpus, text):
    pages = [{"page_idx": 0, "text": "one"}, {"page_idx": 1, "text": text}]
    (corpus / "gt" / "law" / "b.json").write_text(json.dumps(pages))
    dataset = load(corpus)
    assert "law/b" not in dataset.documents
    [line] = dataset.report.problems["unreadable_document"]
    assert "the text of page 1 is the " in line
    (corpus / "gt" / "law" / "b.json").write_text('[{"page_idx": 1, "text": null}]')
    assert load(corpus).pages[PageRef("law/b", 1)].text == ""


@pytest.mark.parametrize("page", [0.5, True, None, [0]])
def test_a_ground_truth_page_without_a_number_is_reported(corpus, page):
    (corpus / "gt" / "law" / "b.json").write_text(json.dumps([{"page_idx": page, "text": "x"}]))
    [line] = load(corpus).report.problems["unreadable_document"]
    assert "page_idx is" in line


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_json_lines_and_other_encodings_are_read(corpus, encoding):
    lines = [qa(1, "law/b", 1), qa(2, "manual/a", 0)]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    expected = load(corpus).digest()
    (corpus / "qas.json").write_bytes(text.encode(encoding))
    assert load(corpus).digest() == expected
    (corpus / "qas.json").write_bytes(json.dumps(lines[0]).encode(encoding))
    assert [question.qid for question in load(corpus).questions] == ["q1"]


def test_a_documents_name_with_a_backslash_is_a_path(corpus):
    entries = [qa(1, "x", 1, doc_name="law\\b", doc_type="law"), qa(2, "manual/a", 0)]
    write_questions(corpus / "qas.json", entries)
    assert [question.doc_id for question in load(corpus).questions] == ["law/b", "manual/a"]


def test_a_page_may_have_an_image_in_place_of_a_pdf(corpus):
    folder = corpus / "pdfs" / "manual"
    folder.mkdir(parents=True)
    Image.new("L", (8, 8), 255).save(folder / "a.tif")
    Image.new("L", (8, 8), 255).save(corpus / "pdfs" / "b.png")
    dataset = load(corpus, pdfs=corpus / "pdfs")
    assert dataset.documents["manual/a"].source is None
    assert dataset.pages[PageRef("manual/a", 0)].image == folder / "a.tif"
    assert dataset.report.problems["unclear_pdf"] == ["law/b has 2 pages, so b.png is not taken"]
    write_pdf(folder / "a.pdf", 1)
    assert load(corpus, pdfs=corpus / "pdfs").documents["manual/a"].source == folder / "a.pdf"
