"""Twins of a dataset: the same ids, questions and texts; what is left out is counted, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from ohr.collection import Dataset
from ohr.datasets.ohrbench import OhrBench
from ohr.datasets.question_entries import entry_of
from ohr.documents.pdf import page_text, render
from ohr.errors import ConfigError, DatasetError
from ohr.plugins import DatasetParams
from ohr.sample import twins as module
from ohr.sample.twins import NO_LINES, Twins, write_twins
from ohr.types import Document, Line, Page, PageRef, Question

LINES = (
    Line("HARBOUR STORES", (60, 20, 340, 50)),
    Line("2 x rope", (20, 80, 140, 104)),
    Line("18.40", (300, 81, 380, 103)),
)
UNDRAWABLE = Line("sign \U00013000", (20, 120, 200, 150))
SIZE = (400, 300)


def document(name: str, pages: Sequence[Sequence[Line]], folder: Path) -> Document:
    """A document in the domain ``tills`` whose pages have these lines, each with an image."""
    doc_id = f"tills/{name}"
    built = []
    for number, lines in enumerate(pages):
        image = folder / f"{name}-{number}.png"
        Image.new("L", SIZE, 255).save(image)
        text = f"{name} {number}\n" + "\n".join(line.text for line in lines)
        built.append(Page(PageRef(doc_id, number), text, image, tuple(lines)))
    return Document(doc_id, "tills", tuple(built))


def question(qid: str, *refs: PageRef) -> Question:
    return Question(
        qid=qid,
        text=f"What does {qid} cost?",
        answers=("18.40", "18,40"),
        doc_id=refs[0].doc_id,
        domain="tills",
        evidence_pages=refs,
        evidence_text="2 x rope 18.40",
        evidence_source="table",
        answer_form="Numeric",
        category="calculation",
        headers=("HARBOUR STORES",),
    )


def dataset(folder: Path) -> Dataset:
    """Three documents: a whole one, one with pages that have no twin, one without any lines."""
    documents = [
        document("whole", [LINES], folder),
        document("partly", [LINES, (), [UNDRAWABLE], LINES[:2]], folder),
        document("bare", [()], folder),
    ]
    whole, partly, bare = ("tills/whole", "tills/partly", "tills/bare")
    questions = [
        question("rope", PageRef(whole, 0)),
        question("last", PageRef(partly, 3)),
        question("both", PageRef(partly, 0), PageRef(whole, 0)),
        question("sign", PageRef(partly, 0), PageRef(partly, 2)),
        question("none", PageRef(bare, 0)),
    ]
    return Dataset(documents, questions, kind="test")


def load(out: Path) -> Dataset:
    return OhrBench(
        DatasetParams(
            path=out / "retrieval_base", questions=out / "qas.json", pdfs=out / "pdfs", strict=True
        )
    ).load()


def test_twins_keep_ids_texts_and_questions(tmp_path: Path) -> None:
    scans = dataset(tmp_path)
    written, is_new = write_twins(scans, tmp_path / "twins", dpi=150, face="mono")
    assert is_new
    assert (written.pages, written.equal, written.documents, written.questions) == (3, 3, 2, 3)
    loaded = load(tmp_path / "twins")
    assert list(loaded.pages) == [
        PageRef("tills/partly", 0),
        PageRef("tills/partly", 3),
        PageRef("tills/whole", 0),
    ]
    assert all(page.text == scans.pages[ref].text for ref, page in loaded.pages.items())
    assert loaded.questions == scans.questions[:3]
    for ref in loaded.pages:
        source = loaded.documents[ref.doc_id].source
        assert source is not None
        assert render(source, ref.page_no, 150).shape == (SIZE[1], SIZE[0], 3)
        layer = page_text(source, ref.page_no).split()
        assert layer == [word for line in scans.pages[ref].lines for word in line.text.split()]


def test_what_is_left_out_is_counted_with_its_reason(tmp_path: Path) -> None:
    written, _ = write_twins(dataset(tmp_path), tmp_path / "twins", dpi=150, face="mono")
    reasons = {(doc_id, number): reason for doc_id, number, reason in written.pages_out}
    assert reasons[("tills/partly", 1)] == reasons[("tills/bare", 0)] == NO_LINES
    assert "U+13000" in reasons[("tills/partly", 2)]
    assert written.documents_out == [("tills/bare", NO_LINES)]
    assert [qid for qid, _ in written.questions_out] == ["sign", "none"]
    pdf = tmp_path / "twins" / "pdfs" / "tills" / "partly.pdf"
    assert render(pdf, 1, 150).min() == 255  # blank: page 3 stays page 3


def test_a_page_whose_layer_differs_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = module.layer_difference
    monkeypatch.setattr(
        module,
        "layer_difference",
        lambda page, lines: "it differs" if len(lines) == 2 else check(page, lines),
    )
    written, _ = write_twins(dataset(tmp_path), tmp_path / "twins", dpi=150, face="mono")
    assert (written.pages, written.equal) == (3, 2)
    assert ("tills/partly", 3, "it differs") in written.pages_out
    assert PageRef("tills/partly", 3) not in load(tmp_path / "twins").pages


def test_a_finished_folder_is_left_alone_and_another_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "twins"
    scans = dataset(tmp_path)
    first, _ = write_twins(scans, out, dpi=150, face="mono")
    pdf = (out / "pdfs" / "tills" / "whole.pdf").read_bytes()
    again, is_new = write_twins(scans, out, dpi=150, face="mono")
    assert not is_new
    assert json.dumps(vars(again)) == json.dumps(vars(first))
    for dpi, face in ((200, "mono"), (150, "sans")):
        with pytest.raises(ConfigError, match="holds no twins of this dataset with these options"):
            write_twins(scans, out, dpi=dpi, face=face)  # type: ignore[arg-type]
    assert (out / "pdfs" / "tills" / "whole.pdf").read_bytes() == pdf
    moved = replace(LINES[0], box=(60, 22, 340, 52))
    other = Dataset([document("whole", [[moved]], tmp_path)], scans.questions[:1], kind="test")
    with pytest.raises(ConfigError):
        write_twins(other, out, dpi=150, face="mono")


def test_a_killed_command_starts_again(tmp_path: Path) -> None:
    out = tmp_path / "twins"

    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_twins(dataset(tmp_path), out, dpi=150, face="mono", progress=stop)
    assert not out.exists()
    assert write_twins(dataset(tmp_path), out, dpi=150, face="mono")[1]
    assert len(load(out).pages) == 3


def test_a_dataset_without_lines_is_refused(tmp_path: Path) -> None:
    bare = Dataset([document("bare", [()], tmp_path)], [], kind="folder")
    with pytest.raises(DatasetError, match=r"dataset \(folder\) has transcribed lines"):
        write_twins(bare, tmp_path / "twins", dpi=150, face="mono")


@pytest.mark.parametrize("doc_id", ["tills/../../out", "other/whole", "whole"])
def test_a_document_id_that_is_no_place_in_the_layout_is_left_out(
    doc_id: str, tmp_path: Path
) -> None:
    good = document("good", [LINES], tmp_path)
    page = replace(good.pages[0], ref=PageRef(doc_id, 0))
    bad = Document(doc_id, "tills", (page,))
    scans = Dataset([good, bad], [question("rope", PageRef(good.doc_id, 0))], kind="test")
    written, _ = write_twins(scans, tmp_path / "a" / "twins", dpi=150, face="mono")
    assert [name for name, _ in written.documents_out] == [doc_id]
    assert [path.name for path in tmp_path.rglob("*.pdf")] == ["good.pdf"]


def test_boxes_on_a_page_of_a_pdf_mean_nothing(tmp_path: Path) -> None:
    good = document("good", [LINES], tmp_path)
    pdf = replace(document("pdf", [LINES], tmp_path), source=tmp_path / "pdf.pdf")
    scans = Dataset([good, pdf], [question("rope", PageRef(good.doc_id, 0))], kind="test")
    written, _ = write_twins(scans, tmp_path / "twins", dpi=150, face="mono")
    assert written.documents_out == [("tills/pdf", "it has no image whose size is known")]


def test_entries_of_questions_without_a_page_name_their_document() -> None:
    without = replace(question("rope", PageRef("tills/whole", 0)), evidence_pages=())
    assert entry_of(without)["doc_name"] == "tills/whole"
    assert entry_of(without)["evidence_page_no"] == []


def test_an_image_on_its_side_has_its_upright_size(tmp_path: Path) -> None:
    image = Image.new("L", (300, 400), 255)
    exif = image.getexif()
    exif[274] = 6
    image.save(tmp_path / "side.jpg", exif=exif)
    page = Page(PageRef("tills/side", 0), "text", tmp_path / "side.jpg", LINES)
    scans = Dataset(
        [Document("tills/side", "tills", (page,))], [question("rope", page.ref)], kind="test"
    )
    write_twins(scans, tmp_path / "twins", dpi=150, face="mono")
    drawn = render(tmp_path / "twins" / "pdfs" / "tills" / "side.pdf", 0, 150)
    assert drawn.shape == (300, 400, 3)


def test_the_counts_are_json() -> None:
    counts = vars(Twins(pages=1, pages_out=[("tills/a", 0, NO_LINES)]))
    assert json.loads(json.dumps(counts))["pages_out"] == [["tills/a", 0, NO_LINES]]
