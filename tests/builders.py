"""Small datasets on disk, in the layouts that the toolkit reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from typer import testing

from ohr import registry
from ohr.study import config
from ohr.study.calibration import CalibratedCurve, Calibration, fit
from ohr.study.config import StudyConfig

Pages = Mapping[str, Sequence[str]]
RUN_STUDY = """
import sys
from pathlib import Path
from ohr.study.run import run_study
from tests.builders import load_config
run_study(load_config(sys.argv[2:]), Path(sys.argv[1]))
"""
"""``python -c RUN_STUDY OUT key=value ...``: a study without the figures of a command."""


def write_kb(folder: Path, documents: Pages) -> Path:
    """``<folder>/<domain>/<doc>.json`` for each ``domain/doc``."""
    for doc_id, texts in documents.items():
        path = folder / f"{doc_id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        pages = [{"page_idx": number, "text": text} for number, text in enumerate(texts)]
        path.write_text(json.dumps(pages), "utf-8")
    return folder


def qa(number: int, doc_id: str, page: int, **changed: Any) -> dict[str, Any]:
    """A Q&A entry of the first release's schema."""
    return {
        "doc_name": doc_id,
        "ID": f"q{number}",
        "questions": f"What is fact {number}?",
        "answers": f"answer {number}",
        "doc_type": doc_id.split("/")[0],
        "answer_form": "Short Answer",
        "evidence_source": "text",
        "evidence_context": f"Fact {number} is answer {number}.",
        "evidence_page_no": page,
    } | changed


def write_questions(path: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text(json.dumps(list(entries)), "utf-8")
    return path


def write_pdf(path: Path, pages: int, size: tuple[int, int] = (200, 260)) -> Path:
    """A PDF of images, each with a bar as long as its page number."""
    images = []
    for number in range(pages):
        image = Image.new("L", size, 255)
        ImageDraw.Draw(image).rectangle((10, 10, 20 + 10 * number, 40), fill=0)
        images.append(image)
    path.parent.mkdir(parents=True, exist_ok=True)
    images[0].save(path, save_all=True, append_images=images[1:])
    return path


def write_objects(path: Path, objects: Sequence[str]) -> Path:
    """A PDF of objects, numbered from 1; the first is its catalogue."""
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}"
    path.write_text(body)
    return path


def stream(dictionary: str, data: str) -> str:
    """A stream object of a PDF."""
    return f"<< {dictionary} /Length {len(data)} >>\nstream\n{data}\nendstream"


def write_page(path: Path, content: str, *rest: str, resources: str = "") -> Path:
    """A PDF of one page, 200 x 260 points, with Helvetica as /F; ``others`` are objects 6 on."""
    return write_objects(
        path,
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] /Contents 4 0 R "
            f"/Resources << /Font << /F 5 0 R >> {resources} >> >>",
            stream("", content),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *rest,
        ],
    )


def image_object(image: Image.Image) -> str:
    """A grey image as an object of a PDF."""
    data = image.convert("L").tobytes().hex() + ">"
    width, height = image.size
    return stream(
        f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8 "
        "/ColorSpace /DeviceGray /Filter /ASCIIHexDecode",
        data,
    )


def scan_of_text(lines: int = 12) -> Image.Image:
    """The picture of a page of words."""
    image = Image.new("L", (400, 50 + 40 * lines), 245)
    draw = ImageDraw.Draw(image)
    for line in range(lines):
        draw.text((20, 30 + 40 * line), "minutes of the harbour board, held in May", fill=20)
    return image


def write_bomb(path: Path, levels: int = 9, invocations: int = 12) -> Path:
    """A PDF of a few kilobytes whose forms draw one another billions of times."""
    forms = [
        stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
            + (f"/Resources << /XObject << /X {7 + level} 0 R >> >>" if level < levels else ""),
            "/X Do " * invocations if level < levels else "0 0 1 1 re f",
        )
        for level in range(levels + 1)
    ]
    return write_page(path, "/X Do", *forms, resources="/XObject << /X 6 0 R >>")


def write_corpus(root: Path, documents: int = 3, pages: int = 4) -> list[str]:
    """Two domains of documents with ground truth, PDFs and two questions a page.

    Returns the command-line settings that name them, with the noise drawn once.
    """
    texts: dict[str, list[str]] = {}
    entries = []
    for d in range(documents):
        doc_id = f"{'law' if d % 2 else 'manual'}/doc{d}"
        texts[doc_id] = []
        for p in range(pages):
            numbers = [1000 * d + 10 * p, 1000 * d + 10 * p + 1]
            texts[doc_id].append(
                "\n".join(f"Fact {n} is answer {n}. Item {n} costs {n} euros." for n in numbers)
            )
            entries += [qa(n, doc_id, p) for n in numbers]
        write_pdf(root / "pdfs" / f"{doc_id}.pdf", pages)
    write_kb(root / "kb" / "gt", texts)
    write_questions(root / "qas.json", entries)
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={root / 'kb'}",
        f"dataset.questions={root / 'qas.json'}",
        f"dataset.pdfs={root / 'pdfs'}",
        f"cache={root / 'cache'}",
        "dpi=72",
        "seeds=0",
        "workers=1",
    ]


def overridden(settings: Iterable[str]) -> list[str]:
    """Settings without those ``key=value`` whose key comes again later."""
    found = [*settings]
    keys = [re.match(r"[a-z_.]+=|", each)[0] or str(place) for place, each in enumerate(found)]
    last = {key: place for place, key in enumerate(keys)}
    return [each for place, each in enumerate(found) if last[keys[place]] == place]


def load_config(settings: Iterable[str], defaults: Mapping[str, Any] | None = None) -> StudyConfig:
    """As that of the toolkit, but a test may change settings by giving their keys again."""
    return config.load_config(overridden(settings), defaults)


class CliRunner(testing.CliRunner):
    """As typer's, but a test may change settings by giving their keys again."""

    def invoke(self, app: Any, args: Sequence[str] = (), **options: Any) -> Any:
        return super().invoke(app, overridden(args), **options)


def write_calibration(path: Path) -> None:
    """As ``ohr run calibrate`` would: Tesseract under salt and pepper."""
    curve = CalibratedCurve(
        engine="tesseract",
        operator="salt_and_pepper",
        engine_identity=registry.create("engine", "tesseract").identity(),
        operator_identity=registry.create("perturbation", "salt_and_pepper").identity(),
        metric="r_noise",
        curve=fit([0.0, 1.0], [0.2, 0.8]),
        n=10,
    )
    Calibration(dataset="", unit="page", curves=(curve,)).write(path)
