"""Measures what noise leaves of documents' outlines: headings, sections, tables and captions.

``ohr run structure "engines=[tesseract]" "noise=[semantic]" --out DIR`` takes a study's options and
reads the pages that are not in the cache. It compares the outline of each document, recovered from
OCR output, with that of the ground truth (:mod:`ohr.markup.outline`,
:mod:`ohr.metrics.outlines`). ``DIR/structure.csv`` has the means over documents with intervals,
``DIR/figures`` the curves against measured r_noise.
"""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from experiments._parameters import OptionalOut
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("structure"))], out: OptionalOut = None
) -> int:
    """Measure what noise leaves of documents' outlines."""
    from ohr.analysis.structure.report import report_structure
    from ohr.analysis.structure.table import structure
    from ohr.ocr.progress import Progress

    return report_structure(structure(config, Progress()), out)


if __name__ == "__main__":
    main()
