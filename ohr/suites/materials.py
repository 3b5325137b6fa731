"""Whether this machine has the pages of a suite: the same PDFs, and the same distorted images.

OpenCV may round differently on another processor. So a distorted page is compared by its digest
and, where that differs, by the mean grey of 16 x 12 fields: images whose fields differ by at most
two grey levels look the same, and are called rounded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ohr import registry
from ohr.collection import Dataset
from ohr.documents.grey import grey_of
from ohr.documents.images import load_image
from ohr.errors import DatasetError
from ohr.ocr.distort import distort_image
from ohr.plugins import ImagePerturbation
from ohr.sample.origin import generator
from ohr.store.identity import file_digest, pixel_digest
from ohr.suites.suite import FOLDER, Suite, Track
from ohr.types import PageRef

FILE = "materials.json"
_FIELDS = (16, 12)
"""Columns and rows of the fields of an image."""
_ROUNDING = 2
"""Grey levels by which a field of a rounded image may differ."""


@dataclass(frozen=True)
class Materials:
    """How a machine's pages compare with those of the suite: numbers of distorted images."""

    same: int
    rounded: int
    other: tuple[str, ...]
    """The images that look different, such as ``camera s3``."""

    @property
    def verdict(self) -> str:
        """``same``, ``rounded`` or ``other``."""
        return "other" if self.other else "rounded" if self.rounded else "same"

    def line(self) -> str:
        """``images: 58 of 60 are the same to the pixel, 2 differ by rounding``."""
        total = self.same + self.rounded + len(self.other)
        text = f"images: {self.same} of {total} are the same to the pixel"
        if self.rounded:
            text += f", {self.rounded} differ by rounding"
        if self.other:
            text += f", {len(self.other)} look different ({', '.join(self.other[:3])})"
        return text


def describe(suite: Suite, dataset: Dataset) -> dict[str, Any]:
    """What ``materials.json`` holds: the digests of the PDFs, and of one page for each grade."""
    return {
        "made_with": {"typst": generator()["typst"], "ohr": version("ohr")},
        "pdfs": {
            document.doc_id: file_digest(document.source)
            for document in dataset.documents.values()
            if document.source is not None
        },
        "questions": {question.qid: question.doc_id for question in dataset.questions},
        "pages": {unit_of(ref): ref.doc_id for ref in dataset.pages},
        "quick": list(suite.documents_by_turns(dataset)[: suite.quick.documents]),
        "images": {name: [digest, fields] for name, digest, fields in _images(suite, dataset)},
    }


def check_materials(suite: Suite, dataset: Dataset) -> Materials:
    """Compare this machine's pages with the suite's.

    Raises DatasetError if PDFs differ: nothing that is measured on them can be compared.
    """
    frozen = json.loads((FOLDER / suite.name / FILE).read_text("utf-8"))
    check_pdfs(frozen["pdfs"], dataset, suite.name, frozen["made_with"])
    same, rounded, other = 0, 0, []
    for name, digest, fields in _images(suite, dataset):
        known_digest, known_fields = frozen["images"][name]
        if digest == known_digest:
            same += 1
        elif _distance(fields, known_fields) <= _ROUNDING:
            rounded += 1
        else:
            other.append(name)
    return Materials(same, rounded, tuple(other))


def check_pdfs(
    frozen: Mapping[str, str], dataset: Dataset, name: str, made_with: Mapping[str, str]
) -> None:
    """Raise DatasetError if a PDF differs from the suite's, is missing or is one too many."""
    digests = {
        document.doc_id: file_digest(Path(document.source))
        for document in dataset.documents.values()
        if document.source is not None
    }
    differing = sorted(
        doc_id for doc_id in {*frozen, *digests} if frozen.get(doc_id) != digests.get(doc_id)
    )
    if differing:
        raise DatasetError(
            f"{len(differing)} of {len(frozen)} PDFs are not those of {name} (such as "
            f"{differing[0]}), so nothing measured on them can be compared; they were made with "
            f"typst {made_with['typst']} and ohr {made_with['ohr']}"
        )


def unit_of(ref: PageRef) -> str:
    """A page in a submission: ``law/some-agreement#0``."""
    return f"{ref.doc_id}#{ref.page_no}"


def expected_units(suite: Suite, track: Track) -> dict[str, dict[str, str]]:
    """The ``questions`` and ``pages`` of a track, each with its document."""
    frozen = json.loads((FOLDER / suite.name / FILE).read_text("utf-8"))
    quick = set(frozen["quick"])
    return {
        kind: {
            unit: doc_id
            for unit, doc_id in frozen[kind].items()
            if track != "quick" or doc_id in quick
        }
        for kind in ("questions", "pages")
    }


def _images(suite: Suite, dataset: Dataset) -> Iterator[tuple[str, str, str]]:
    """One distorted page for each distortion and severity: its name, digest and fields."""
    pages = list(dataset.pages.values())
    number = 0
    for distortion, intensities in suite.grades.items():
        for severity, intensity in enumerate(intensities, start=1):
            page = pages[number % len(pages)]
            number += 1
            image = load_image(Path(str(page.image)))
            operator = registry.create("perturbation", distortion)
            assert isinstance(operator, ImagePerturbation)  # the suite names no other
            applied = distort_image(
                operator, image, intensity=intensity, seed=int(suite.study["seed"]), ref=page.ref
            )
            yield f"{distortion} s{severity}", pixel_digest(applied.value), _fields(applied.value)


def _fields(image: np.ndarray) -> str:
    """The mean grey of each field, in hexadecimal digits."""
    grey = grey_of(image)
    small = cv2.resize(grey, _FIELDS, interpolation=cv2.INTER_AREA)
    return bytes(small.astype(np.uint8).ravel()).hex()


def _distance(first: str, second: str) -> int:
    before, after = (np.frombuffer(bytes.fromhex(text), np.uint8).astype(int)
                     for text in (first, second))  # fmt: skip
    return int(np.abs(before - after).max()) if before.shape == after.shape else 255


def material_digest(suite: Suite) -> str:
    """The digest of the suite's files, which every submission names."""
    state = hashlib.blake2b(digest_size=16)
    for name in ("suite.yaml", FILE):
        state.update((FOLDER / suite.name / name).read_bytes())
    return state.hexdigest()
