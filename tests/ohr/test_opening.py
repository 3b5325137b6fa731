from __future__ import annotations

import pytest
from PIL import Image

from ohr.documents.opening import file_facts, layers_of
from ohr.documents.pdf import MAX_PAGES, RENDERER, page_count
from ohr.errors import EngineError
from ohr.ocr.sources import find_pages
from ohr.types import Status
from ohr.workers import Limits
from tests.builders import write_bomb, write_objects, write_page, write_pdf

LIMITS = Limits(cpu_s=20, wall_s=60, memory_mb=250)


def write_claim(path, pages):
    """A PDF that claims a number of pages, whatever it has."""
    return write_objects(
        path,
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids [3 0 R] /Count {pages} >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
        ],
    )


@pytest.mark.slow
def test_one_page_that_cannot_be_opened_costs_no_other(tmp_path):
    bomb = write_bomb(tmp_path / "bomb.pdf")
    text = write_page(tmp_path / "text.pdf", "BT /F 9 Tf 10 99 Td (Here) Tj ET")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF")
    exploded, read, broken = layers_of([bomb, text, tmp_path / "broken.pdf"], LIMITS)
    assert [layer.status for layer in exploded.value] == [Status.ERROR]
    assert exploded.value[0].detail == "used more than 250 MB of memory"
    assert [layer.value.text for layer in read.value] == ["Here"]
    assert broken.value is None
    assert broken.detail.startswith("cannot open broken.pdf as a PDF")
    assert layers_of([]) == []


def test_a_page_tree_cannot_claim_any_number_of_pages(tmp_path):
    path = write_claim(tmp_path / "claim.pdf", 1_000_000)
    with pytest.raises(EngineError, match=f"at most {MAX_PAGES:,} are read"):
        page_count(path)
    assert len(list(find_pages([path], 72))) == 1


def test_what_is_known_of_files_before_they_are_read(tmp_path):
    scan = write_pdf(tmp_path / "scan.PDF", 3)
    Image.new("L", (9, 9)).save(tmp_path / "page.png", dpi=(200, 200))
    (tmp_path / "broken.pdf").write_bytes(b"")
    facts = file_facts([scan, tmp_path / "page.png", tmp_path / "broken.pdf", scan])
    assert [(f.pages, f.drawn_by, f.dpi) for f in facts.values()] == [
        (3, RENDERER, None),
        (1, None, 200),
        (1, RENDERER, None),
    ]


def test_the_pages_of_layers_are_counted_as_they_are_read(tmp_path):
    paths = [write_pdf(tmp_path / f"{name}.pdf", 3) for name in "ab"]
    lines = []
    layers_of(paths, report=lambda *line: lines.append(line))
    assert lines[0] == ("text layers", 0, 6)
    assert lines[-1] == ("text layers", 6, 6)
    assert [line[1] for line in lines] == sorted(line[1] for line in lines)
