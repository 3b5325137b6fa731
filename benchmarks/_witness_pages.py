"""Pages for the measurement of witnesses: filings, receipts and generated pages, with what two
engines read of them, clean and distorted. What was read is kept in a folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import cv2
import numpy as np
import pandas as pd

from ohr import registry
from ohr.documents.images import load_image
from ohr.documents.pdf import page_count, render
from ohr.ocr.distort import distort_image
from ohr.ocr.noise import choose_level
from ohr.plugins.engine import read_with_words
from ohr.registry import PluginSpec
from ohr.sample.scale import Recipe, write_sample
from ohr.statistics.clusters import Clusters
from ohr.store.atomic import write_text
from ohr.types import PageRef, Word

DPI = 150
ENGINES = ("tesseract", "rapidocr")
OTHER_NOISE = ("photocopy", "psf_blur", "salt_and_pepper", "warping")
"""Each page is read under ``semantic`` severe, and every second one under one of these."""
CALIBRATION = {
    "financebench_pdfs": ("JPMORGAN_2021Q1_10Q",),
    "own": ("3M_2018_10K", "ADOBE_2022_10K", "AMERICANEXPRESS_2022_10K"),
}
REPORTED = {
    "financebench_pdfs": ("AMAZON_2017_10K", "VERIZON_2021_10K"),
    "own": (
        "BESTBUY_2024Q2_10Q",
        "BOEING_2022_10K",
        "JOHNSON_JOHNSON_2023_8K_dated-2023-08-30",
        "ULTABEAUTY_2023Q4_EARNINGS",
    ),
}


@dataclass(frozen=True)
class SourcePage:
    """A page of the measurement: its kind, document, and file. ``is_reported``: it calibrates
    nothing.
    """

    kind: str
    ref: PageRef
    path: Path
    is_reported: bool

    @property
    def name(self) -> str:
        """A name for files."""
        return f"{self.kind}-{self.ref.doc_id}-{self.ref.page_no}"

    def image(self) -> np.ndarray:
        """The clean page: uint8 RGB ``(h, w, 3)``."""
        if self.path.suffix == ".pdf":
            return render(self.path, self.ref.page_no, DPI)
        return load_image(self.path)


@dataclass(frozen=True)
class Reading:
    """What an engine reads of a page image."""

    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class ReadPage:
    """A page under a condition, with what each engine reads; ``picture`` is the image's file."""

    page: SourcePage
    condition: str
    readings: dict[str, Reading]
    picture: Path

    def image(self) -> np.ndarray:
        """The page image as it was read: uint8 grey ``(h, w)``."""
        image = cv2.imread(str(self.picture), cv2.IMREAD_GRAYSCALE)
        assert image is not None, self.picture
        return image


def source_pages(
    data: Path, cache: Path, part: float = 1.0, *, fresh: bool = False
) -> list[SourcePage]:
    """The pages, those of the kinds and of both sets in turn; of each document a ``part``.

    Documents that DATA does not have are left out. ``fresh``: pages that were read for no rule and
    no threshold so far: other generated documents and receipts, and other pages of the filings.
    """
    if fresh:
        return _fresh_pages(data, cache, part)
    groups = []
    for is_reported, named in ((False, CALIBRATION), (True, REPORTED)):
        count = max(1, round(3 * part))
        for folder, documents in named.items():
            for name in documents:
                path = data / folder / f"{name}.pdf"
                if not path.is_file():
                    continue
                places = np.linspace(0, page_count(path) - 1, 6)[1:-1][:count]
                groups.append([_page("filing", name, int(p), path, is_reported) for p in places])
        pictures = sorted((data / "receipts" / "images" / "receipt").glob("*.jpg"))
        some = pictures[is_reported::2][5::6][: max(1, round((10 if is_reported else 6) * part))]
        groups.append([_page("receipt", path.stem, 0, path, is_reported) for path in some])
        pages = max(2, round((6 if is_reported else 4) * part))
        groups.append(_generated(cache / "sample", 2 if is_reported else 1, pages, is_reported))
    return _alternated(groups)


def _fresh_pages(data: Path, cache: Path, part: float) -> list[SourcePage]:
    groups = []
    for is_reported, named in ((True, REPORTED), (False, CALIBRATION)):
        for folder, documents in named.items():
            for name in documents:
                path = data / folder / f"{name}.pdf"
                if path.is_file():
                    groups.append(_unread_pages(path, max(1, round(2 * part)), is_reported))
        pictures = sorted((data / "receipts" / "images" / "receipt").glob("*.jpg"))
        some = pictures[is_reported::2][2::6][: max(1, round((16 if is_reported else 8) * part))]
        groups.append([_page("receipt", path.stem, 0, path, is_reported) for path in some])
        pages = max(2, round((14 if is_reported else 8) * part))
        groups.append(_generated(cache / "sample", 4 if is_reported else 3, pages, is_reported))
    return _alternated(groups)


def _unread_pages(path: Path, count: int, is_reported: bool) -> list[SourcePage]:
    """Pages of a filing between those that :func:`source_pages` otherwise takes."""
    last = page_count(path) - 1
    read = {int(place) for place in np.linspace(0, last, 6)}
    places = (int(place) for place in np.linspace(0, last, 11)[1::2])
    free = [place for place in places if place not in read][:count]
    return [_page("filing", path.stem, place, path, is_reported) for place in free]


def _alternated(groups: Sequence[Sequence[SourcePage]]) -> list[SourcePage]:
    return [page for row in zip_longest(*groups) for page in row if page is not None]


def _page(kind: str, doc_id: str, page_no: int, path: Path, is_reported: bool) -> SourcePage:
    return SourcePage(kind, PageRef(doc_id, page_no), path, is_reported)


def _generated(folder: Path, seed: int, pages: int, is_reported: bool) -> list[SourcePage]:
    out, every = folder / f"{seed}-{pages}", 4
    recipe = Recipe(seed, every * pages, 1.0)
    write_sample(recipe, out, progress=lambda done, total: None)
    generated = [
        _page("generated", f"{seed}-{path.stem}", number, path, is_reported)
        for path in sorted(out.rglob("*.pdf"))
        for number in range(page_count(path))
    ]
    return generated[::every][:pages]


def conditions(index: int) -> tuple[str, ...]:
    """The conditions under which a page is read."""
    more = () if index % 2 else (OTHER_NOISE[index // 2 % len(OTHER_NOISE)],)
    return "clean", "semantic", *more


def read_pages(
    pages: Sequence[SourcePage], cache: Path, *, models: str = "small", only_kept: bool = False
) -> Iterator[ReadPage]:
    """Each page under each of its conditions; what is not kept is read now, or is left out.

    ``models``: those of RapidOCR. What is kept does not say which: each needs its own ``cache``.
    """
    options = {"rapidocr": {} if models == "small" else {"models": models}}
    engines = {
        name: registry.ocr_engine(PluginSpec(name=name, params=options.get(name, {})))
        for name in ENGINES
    }
    for index, page in enumerate(pages):
        for condition in conditions(index):
            stem = cache / "readings" / f"{page.name}-{condition}"
            picture, kept_file = stem.with_suffix(".png"), stem.with_suffix(".json")
            if not kept_file.is_file() or not picture.is_file():
                if only_kept:
                    continue
                image = cv2.cvtColor(_distorted(page, condition), cv2.COLOR_RGB2GRAY)
                picture.parent.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(picture), image)
                form = {}
                for name, engine in engines.items():
                    outcome, words = read_with_words(engine, image)
                    boxes = [(w.text, round(w.confidence, 4), w.box) for w in words or ()]
                    form[name] = {"text": outcome.value or "", "words": boxes}
                write_text(kept_file, json.dumps(form, ensure_ascii=False))
            form = json.loads(kept_file.read_text("utf-8"))
            readings = {
                name: Reading(
                    each["text"],
                    tuple(Word(text, sure, tuple(box)) for text, sure, box in each["words"]),
                )
                for name, each in form.items()
            }
            yield ReadPage(page, condition, readings, picture)


def _distorted(page: SourcePage, condition: str) -> np.ndarray:
    image = page.image()
    if condition == "clean":
        return image
    noise = choose_level(PluginSpec(name=condition), "severe")
    assert noise.operator is not None
    operator = registry.image_perturbation(noise.operator)
    return distort_image(operator, image, intensity=noise.intensity, seed=0, ref=page.ref).value


def documents(rows: pd.DataFrame) -> np.ndarray:
    """The document of each row."""
    return rows["page"].str.rsplit("-", n=1).str[0].to_numpy()


def document_clusters(rows: pd.DataFrame) -> Clusters:
    """The rows by document."""
    names = documents(rows)
    return Clusters.from_labels(names, names)
