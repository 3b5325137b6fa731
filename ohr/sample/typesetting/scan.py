"""A page as a flatbed scanner gives it back: grey paper, a slight turn, blur and noise."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ohr.plugins.randomness import generator_for
from ohr.sample.typesetting.boxes import Arrangement, turned
from ohr.sample.typesetting.render import DPI, Rendered
from ohr.types import PageRef

MOST_DEGREES = 0.8
_QUALITY = 78  # of the JPEG in the PDF
_EPOCH = time.gmtime(1704067200)

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sheet:
    """How a page lies on the glass: its turn in degrees, the grey of paper and ink."""

    degrees: float
    paper: float
    ink: float
    shade: float
    rng: np.random.Generator


def scanned(rendered: Rendered, title: str, doc_id: str, seed: int) -> Rendered:
    """The document scanned: images, a PDF of images only, boxes turned with their pages."""
    sheets = [_sheet(seed, PageRef(doc_id, n)) for n in range(len(rendered.images))]
    pages = [
        scan(np.asarray(Image.open(io.BytesIO(image))), sheet)
        for image, sheet in zip(rendered.images, sheets, strict=True)
    ]
    boxes = tuple(turned(box, sheets[box.page_no].degrees) for box in rendered.arrangement.boxes)
    arrangement = Arrangement(boxes, rendered.arrangement.continuations)
    return replace(
        rendered,
        images=tuple(map(_png, pages)),
        pdf=_pdf(pages, title),
        arrangement=arrangement,
    )


def scan(page: Grey, sheet: Sheet) -> Grey:
    """A grey page, (height, width) uint8, as it is scanned; same shape."""
    import cv2

    height, width = page.shape
    middle = ((width - 1) / 2, (height - 1) / 2)
    turn = cv2.getRotationMatrix2D(middle, sheet.degrees, 1.0)
    moved = cv2.warpAffine(page, turn, (width, height), flags=cv2.INTER_LINEAR, borderValue=255.0)
    soft = cv2.GaussianBlur(moved, (3, 3), 0.6).astype(np.float32)
    soft = sheet.ink + soft * ((sheet.paper - sheet.ink) / 255)
    # The lamp is a little weaker at one side; the paper has a grain.
    lamp = np.linspace(1.0, 1.0 - sheet.shade, width, dtype=np.float32)
    grain = sheet.rng.standard_normal((height // 2 + 1, width // 2 + 1), dtype=np.float32)
    coarse = cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.clip(soft * lamp + 5.0 * coarse, 0, 255).astype(np.uint8)


def _sheet(seed: int, ref: PageRef) -> Sheet:
    rng = generator_for(seed, "sample.scan", ref)
    degrees, paper, ink, shade = rng.uniform(
        (-MOST_DEGREES, 208, 30, 0.0), (MOST_DEGREES, 236, 60, 0.07)
    ).tolist()
    return Sheet(degrees, paper, ink, shade, rng)


def _png(page: Grey) -> bytes:
    with io.BytesIO() as stream:
        Image.fromarray(page).save(stream, "PNG", dpi=(DPI, DPI), compress_level=1)
        return stream.getvalue()


def _pdf(pages: Sequence[Grey], title: str) -> bytes:
    first, *rest = (Image.fromarray(page) for page in pages)
    with io.BytesIO() as stream:
        first.save(
            stream,
            "PDF",
            save_all=True,
            append_images=rest,
            resolution=float(DPI),
            quality=_QUALITY,
            title=title,
            creationDate=_EPOCH,
            modDate=_EPOCH,
        )
        return stream.getvalue()
