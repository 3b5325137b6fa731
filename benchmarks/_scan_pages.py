"""Scans with their twins, and what engines read of them, kept in a folder."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ohr import registry
from ohr.documents.images import load_image
from ohr.documents.pdf import render
from ohr.errors import DatasetError
from ohr.metrics.default import edit_distance
from ohr.plugins import OcrBackend
from ohr.plugins.engine import read_with
from ohr.sample.typesetting import faces, line_fit, twin
from ohr.store.identity import digest, pixel_digest
from ohr.study.config import parse_plugin
from ohr.types import Page

OF_HALF = {"fit": 0, "test": 1}


@dataclass(frozen=True)
class Engine:
    """An engine, and its name in tables."""

    label: str
    backend: OcrBackend[Any]

    @classmethod
    def parse(cls, text: str) -> Engine:
        """An engine as a user types it."""
        spec = parse_plugin("engine", text)
        backend = registry.create("engine", spec)
        if not isinstance(backend, OcrBackend):
            raise DatasetError(f"{spec.name!r} reads no page images")
        return cls(spec.label, backend)


def scanned_pages(folder: Path, half: str, count: int, marks: str) -> list[Page]:
    """At most ``count`` pages of one half of the documents, evenly spaced.

    The halves are those at even and at odd places of the names' order.
    """
    values = {"path": folder, "marks": marks}
    dataset = registry.create("dataset", {"name": "sroie", "params": values}).load()
    pages = [
        page for document in dataset.documents.values() for page in document.pages if page.lines
    ]
    pages.sort(key=lambda page: page.ref)
    half_of_pages = pages[OF_HALF[half] :: 2]
    places = np.arange(min(count, len(half_of_pages))) * len(half_of_pages) // max(1, count)
    return half_of_pages if count >= len(half_of_pages) else [half_of_pages[p] for p in places]


def scan_of(page: Page) -> np.ndarray:
    """The scan of a page: uint8 RGB ``(h, w, 3)``."""
    if page.image is None:
        raise DatasetError(f"{page.ref.doc_id} has no image")
    image = load_image(page.image)
    return image if image.ndim == 3 else np.stack([image] * 3, axis=2)


class Readings:
    """What engines read, and twins, kept in a folder; errors of pages are computed from it."""

    def __init__(self, folder: Path, dpi: int) -> None:
        self._folder, self._dpi = folder, dpi
        sources = [Path(str(module.__file__)).read_bytes() for module in (twin, line_fit, faces)]
        self.drawn_by = digest(b"".join(sources))[:12]
        """The code that draws twins: a twin drawn by other code is another image."""
        folder.mkdir(parents=True, exist_ok=True)

    def twin(self, page: Page) -> np.ndarray:
        """The page drawn anew, of its scan's size: uint8 RGB ``(h, w, 3)``."""
        height, width = scan_of(page).shape[:2]
        name = digest([[list(line.box), line.text] for line in page.lines] + [[width, height]])
        path = self._folder / f"twins-{self.drawn_by}" / f"{name}-{self._dpi}.png"
        if not path.is_file():
            path.parent.mkdir(exist_ok=True)
            pdf = self._folder / "twin.pdf"
            pdf.write_bytes(twin.twin_pdf(page.lines, (width, height), self._dpi))
            stream = io.BytesIO()
            Image.fromarray(render(pdf, 0, self._dpi)).save(stream, "PNG")
            path.write_bytes(stream.getvalue())
        image = load_image(path)
        return image if image.ndim == 3 else np.stack([image] * 3, axis=2)

    def error(
        self, engine: Engine, page: Page, condition: str, image: Callable[[], np.ndarray]
    ) -> float:
        """Edit distance of what an engine reads of an image to the page's text, case folded.

        ``condition`` names the image in the cache: what is there is neither drawn nor read again.
        """
        path, outputs = self._outputs(engine)
        key = f"{page.ref.doc_id} {condition}"
        if key not in outputs:
            outcome = read_with(engine.backend, np.ascontiguousarray(image()))
            outputs[key] = outcome.value or ""
            with path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps([key, outputs[key]], ensure_ascii=False) + "\n")
        return edit_distance(outputs[key].casefold(), page.text.casefold())

    @cache  # noqa: B019  # one object for a whole run
    def _outputs(self, engine: Engine) -> tuple[Path, dict[str, str]]:
        identity = digest({k: str(v) for k, v in engine.backend.identity().items()})
        path = self._folder / f"{engine.label.replace('/', '_')[:40]}-{identity[:12]}.jsonl"
        if not path.is_file():
            return path, {}
        lines = path.read_text("utf-8").splitlines()
        return path, dict(json.loads(line) for line in lines if line.endswith("]"))


def image_name(image: np.ndarray) -> str:
    """A name of an image's pixels for the cache."""
    return pixel_digest(image)[:16]
