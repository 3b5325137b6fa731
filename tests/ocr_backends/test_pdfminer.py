"""A PDF's own words with their places, and what of a page is kept."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ocr_backends import structured
from ocr_backends._pdfminer import page_segments
from ocr_backends.pdf_text import PdfText
from ocr_backends.structure.layout_model import Region
from ohr import registry
from ohr.documents.pdf import render
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.types import Status
from tests.builders import stream, write_objects, write_page

pytest.importorskip("pdfminer")

LINES = "BT /F 12 Tf 20 200 Td (The pier is old.) Tj 0 -16 Td (It leans on.) Tj ET"


def write_turned(path: Path, entries: str) -> Path:
    """A page with further entries in its dictionary."""
    return write_objects(
        path,
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] {entries} /Contents 4 0 R "
            "/Resources << /Font << /F 5 0 R >> >> >>",
            stream("", LINES),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ],
    )


def engine(**params: Any) -> Any:
    return registry.create(
        "engine", {"name": "structured", "params": {"words": "pdfminer"} | params}
    )


def read(path: Path, **params: Any) -> Any:
    [(number, outcome)] = engine(**params).transcribe(path, [0])
    assert number == 0
    return outcome


@pytest.mark.parametrize(
    "entries", ["", "/CropBox [10 20 190 250]", "/CropBox [-50 20 190 999]"],
    ids=["whole", "cropped", "larger than the page"],
)  # fmt: skip
def test_words_stand_where_their_ink_is(tmp_path: Path, entries: str) -> None:
    path = write_turned(tmp_path / "a.pdf", entries)
    image = render(path, 0, 150)
    segments = page_segments(path, 0, *image.shape[:2])
    assert [segment.text for segment in segments] == ["The pier is old.", "It leans on."]
    dark = image.min(axis=2) < 128
    covered = np.zeros_like(dark)
    for segment in segments:
        for text, corners in segment.words:
            left_edge, top = np.floor(corners.min(axis=0)).astype(int)
            right, bottom = np.ceil(corners.max(axis=0)).astype(int)
            assert dark[top:bottom, left_edge:right].any(), text
            covered[top:bottom, left_edge:right] = True
        for (_, before), (_, after) in pairwise(segment.words):
            assert before[:, 0].max() < after[:, 0].min()
    assert not (dark & ~covered).any(), "all ink is some word's"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_keeps_its_words(tmp_path: Path, turn: int) -> None:
    path = write_turned(tmp_path / "a.pdf", f"/Rotate {turn} /CropBox [10 20 190 250]")
    image = render(path, 0, 150)
    dark = image.min(axis=2) < 128
    rows, columns = np.nonzero(dark)
    corners = np.concatenate(
        [c for s in page_segments(path, 0, *image.shape[:2]) for _, c in s.words]
    )
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert low == pytest.approx((columns.min(), rows.min()), abs=12)
    assert high == pytest.approx((columns.max(), rows.max()), abs=12)


@pytest.mark.slow
def test_a_pdf_is_read_without_its_image(tmp_path: Path) -> None:
    outcome = read(write_page(tmp_path / "a.pdf", LINES))
    assert outcome.value.split() == "The pier is old. It leans on.".split()
    [(_, plain)] = PdfText(PdfText.Params(library="pdfminer")).transcribe(tmp_path / "a.pdf", [0])
    assert plain.value.split() == outcome.value.split()


def test_what_is_not_kept_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["Header", "Heading", "Body", "Item", "Inside", "Note", "Cell"]
    shown = " ".join(f"1 0 0 1 20 {230 - 30 * n} Tm ({word}) Tj" for n, word in enumerate(words))
    path = write_page(tmp_path / "a.pdf", f"BT /F 10 Tf {shown} ET")
    kinds = ["furniture", "heading", "text", "item", "figure", "note", "table"]
    scale = 150 / 72
    regions = [
        Region(kind, 0, (20 + 30 * n) * scale, 300, (45 + 30 * n) * scale, 0.9)
        for n, kind in enumerate(kinds)
    ]
    model = tmp_path / "model.onnx"
    model.write_bytes(b"model")
    monkeypatch.setattr(structured.layout_model, "load_layout", lambda path: None)
    monkeypatch.setattr(structured.layout_model, "page_regions", lambda page, path: regions)

    def seen(**params: Any) -> set[str]:
        text = read(path, layout=str(model), **params).value
        return {word for word in words if word in text}

    assert seen() == set(words), "by default everything is"
    assert seen(keep=["text", "item"], normalise={"furniture": True}) == {"Body", "Item"}
    assert seen(keep=["table"], normalise={"furniture": True}) == {"Cell"}
    assert seen(keep=["note"], normalise={"furniture": True}) == {"Note"}
    assert seen(normalise={"furniture": True}) == set(words) - {"Header"}


def test_what_is_kept_is_part_of_the_identity() -> None:
    everything = engine().identity()
    assert everything != engine(keep=["text"]).identity()
    assert everything == engine(keep=list(structured.EVERYTHING)).identity()
    assert "pdfminer.six" in str(everything["engine_version"])


def test_each_source_has_its_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="reads PDFs, not page images"):
        list(engine().transcribe([np.zeros((20, 20), np.uint8)], [0]))
    with pytest.raises(ConfigError, match="reads page images"):
        list(registry.create("engine", "structured").transcribe(tmp_path / "a.pdf", [0]))


def test_damage_is_a_pages_error(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\nnothing of it")
    assert read(path).status is Status.ERROR
    for call in (
        lambda: page_segments(path, 0, 10, 10),
        lambda: page_segments(write_page(tmp_path / "b.pdf", LINES), 7, 10, 10),
    ):
        with pytest.raises(EngineError):
            call()
    [(_, outcome)] = PdfText(PdfText.Params(library="pdfminer")).transcribe(path, [0])
    assert outcome.status is Status.ERROR


def test_a_missing_package_is_named_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_page(tmp_path / "a.pdf", LINES)
    for name in [name for name in sys.modules if name.split(".")[0] == "pdfminer"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=r"pip install pdfminer\.six"):
        list(engine().transcribe(path, [0]))
