"""The images that engines read: covered pages, pages without text, and pages read again.

They are drawn once, into ``OUT/pages``; a page whose drawing was interrupted is drawn again.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from ohr.analysis.inventions import covers, repeats, textless
from ohr.analysis.inventions.pages import SourcePage
from ohr.documents.grey import grey_of
from ohr.files.safe_text import safe_path
from ohr.ocr.files import document_id
from ohr.ocr.key import source_digest
from ohr.ocr.sources import PageSource
from ohr.plugins.randomness import generator_for
from ohr.store.atomic import write_bytes, write_text
from ohr.store.identity import digest
from ohr.types import PageRef

Part = Literal["clean", "hidden", "textless", "repeat"]
COVERS = ("white", "grey", "texture")
VERSION = 2
"""Of the drawn pages: raised when their pixels change."""
DOSES = (0.05, 0.1, 0.2, 0.35, 0.5)


@dataclass(frozen=True)
class Design:
    """What engines are tested with.

    ``doses`` are shares of a page's words, rising; empty: nothing is covered. ``covers`` take turns
    from page to page. ``textless`` is the number of pages of each kind without text.
    """

    doses: tuple[float, ...] = DOSES
    covers: tuple[str, ...] = COVERS
    textless: int = 3
    repeats: bool = True
    seed: int = 0

    def images(self, pages: int, coverable: int) -> dict[str, int]:
        """Number of page images that each engine reads, by what they are."""
        return {
            "clean": pages,
            "with covered words": coverable * len(self.doses),
            "without text": self.textless * len(textless.KINDS),
            "read again": pages * len(repeats.CHANGES) * self.repeats,
        }


@dataclass(frozen=True)
class Variant:
    """An image to read.

    ``kind`` is the cover, the kind of page without text, or the change; empty for a clean page.
    ``hidden`` are the indices of the page's pieces that are covered. ``page`` is the place of its
    page among the tested ones; -1 for a page without text. ``source`` has the file, ``ref`` the
    page under which results name it.
    """

    part: Part
    kind: str
    dose: float
    page: int
    ref: PageRef
    source: PageSource
    hidden: tuple[int, ...] = ()


def draw_variants(
    pages: Sequence[SourcePage], design: Design, folder: Path, report: Callable[[int, int], None]
) -> list[Variant]:
    """Draw the images of all tests into a folder. ``report`` gets how many pages are done of all.

    Raises EngineError for a page that cannot be drawn, StoreError if the folder cannot be written.
    """
    variants: list[Variant] = []
    total = len(pages) + bool(design.textless)
    report(0, total)
    for number, page in enumerate(pages):
        variants.append(Variant("clean", "", 0.0, number, page.ref, page.source))
        variants += _variants_of_page(number, page, design, folder)
        report(number + 1, total)
    if design.textless and pages:
        variants += _textless_pages(pages, design, folder)
        report(total, total)
    return variants


def _variants_of_page(number: int, page: SourcePage, design: Design, folder: Path) -> list[Variant]:
    kind = design.covers[number % len(design.covers)]
    stem = f"{safe_path(page.ref.doc_id)}/page_{page.ref.page_no + 1:04d}"
    doses = design.doses if page.pieces else ()
    names = {f"{stem}_hidden_{dose:g}": dose for dose in doses}
    again = {f"{stem}_{change}": change for change in repeats.CHANGES if design.repeats}
    source = page.source
    recipe = {
        "version": VERSION,
        "file": source_digest(source.path),
        "page": [source.page_no, source.dpi, source.drawn_by],
        "ref": page.ref,
        "pieces": [asdict(piece) for piece in page.pieces],
        "tests": [doses, kind, design.repeats, design.seed],
    }

    def draw() -> dict[str, Any]:
        image = page.image()
        if doses:
            rng = generator_for(design.seed, "inventions.hidden", page.ref)
            covering = covers.Covering(image, page.pieces, kind, rng)
            for name, dose in names.items():
                covered = covering.cover(dose)
                hidden[name] = list(covered.hidden)
                _write_image(folder / f"{name}.png", covered.image)
        for name, change in again.items():
            _write_image(folder / f"{name}.png", repeats.CHANGES[change](image))
        return hidden

    hidden: dict[str, Any] = {}
    hidden = _drawn_once(folder, stem, recipe, [*names, *again], draw)
    return [
        Variant("hidden", kind, dose, number, page.ref, _source(folder, name, source.dpi),
                tuple(hidden[name]))
        for name, dose in names.items()
    ] + [
        Variant("repeat", change, 0.0, number, page.ref, _source(folder, name, source.dpi))
        for name, change in again.items()
    ]  # fmt: skip


def _textless_pages(pages: Sequence[SourcePage], design: Design, folder: Path) -> list[Variant]:
    """Pages without text, as large as the tested ones."""
    variants = []
    for serial in range(design.textless):
        page = pages[serial * len(pages) // design.textless]
        source = page.source
        stem = f"without_text/{serial + 1:02d}"
        names = {f"{stem}_{kind}": kind for kind in textless.KINDS}
        key = [source_digest(source.path), source.page_no, source.dpi, source.drawn_by]
        recipe = {"version": VERSION, "page": key, "serial": serial, "seed": design.seed}

        def draw(
            page: SourcePage = page, names: dict[str, str] = names, serial: int = serial
        ) -> dict[str, Any]:
            image = page.image()
            grey = grey_of(image)
            for name, kind in names.items():
                ref = PageRef("without_text", serial)
                rng = generator_for(design.seed, f"inventions.{kind}", ref)
                drawn = textless.KINDS[kind]((grey.shape[0], grey.shape[1]), rng, grey)
                _write_image(folder / f"{name}.png", drawn)
            return {}

        _drawn_once(folder, stem, recipe, list(names), draw)
        variants += [
            Variant("textless", kind, 0.0, -1, PageRef(f"without_text/{kind}", serial),
                    _source(folder, name, source.dpi))
            for name, kind in names.items()
        ]  # fmt: skip
    return variants


def _drawn_once(
    folder: Path,
    stem: str,
    recipe: dict[str, Any],
    names: Sequence[str],
    draw: Callable[[], dict[str, Any]],
) -> dict[str, Any]:
    """What ``draw`` returns; it is called only if the files of this recipe are not there."""
    record = folder / f"{stem}.json"
    made_from = digest(recipe)
    try:
        stored = json.loads(record.read_text("utf-8"))
        if stored["made_from"] == made_from and all(
            (folder / f"{name}.png").is_file() for name in names
        ):
            return dict(stored["hidden"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # not drawn, or not to the end
    hidden = draw()
    write_text(record, json.dumps({"made_from": made_from, "hidden": hidden}) + "\n")
    return hidden


def _write_image(path: Path, image: np.ndarray) -> None:
    sink = io.BytesIO()
    Image.fromarray(image).save(sink, "PNG", compress_level=1)
    write_bytes(path, sink.getvalue())


def _source(folder: Path, name: str, dpi: int) -> PageSource:
    return PageSource(folder / f"{name}.png", document_id(name), None, dpi, None, f"{name}.png")
