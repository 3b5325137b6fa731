"""What each signal of a reading is worth, at each noise: reliability, AUROC, correlation.

``ohr quality confidence dataset.kind=... engines=[tesseract] noise=[semantic] --out RUN``
reads pages whose truth is known as a study does, and looks at each reading as
``ohr quality estimate`` does. ``RUN/scores.csv`` has for each signal and noise Spearman's
correlation with the page's true errors and the AUROC of an edit distance above .2, also of the
engine's mean confidence, of docling's rules and of the shipped predictions; ``RUN/words.csv`` how
many words of each tenth of confidence are right; ``RUN/signals.csv`` is what
``ohr quality fit`` fits.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Out, Settings, command
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[
        StudyConfig,
        Settings(
            {"engines": ["tesseract"], "noise": ["semantic"], "stages": ["ocr"]}, reads_pages=False
        ),
    ],
    out: Out,
    pages: Annotated[int, typer.Option(min=1, help="Pages that are looked at.")] = 60,
    wobble: Annotated[
        bool, typer.Option(help="Read each page again under three mild distortions.")
    ] = True,
    words: Annotated[bool, typer.Option(help="Ask engines how sure they are of words.")] = True,
) -> int:
    """Compare the signals of OCR quality where the truth is known."""
    from ohr.adviser.confidence.study import report_confidence

    return report_confidence(config, out, pages=pages, wobble=wobble, words=words)


if __name__ == "__main__":
    main()
