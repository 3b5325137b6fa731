"""Shows how well each signal of OCR quality finds errors, at each level of noise.

``ohr quality confidence dataset.kind=... engines=[tesseract] noise=[semantic] --out RUN`` reads
pages whose truth is known, and computes the signals of ``ohr quality estimate`` for each OCR
output. ``RUN/scores.csv`` has, for each signal and noise, Spearman's correlation with the page's
true errors and the AUROC for an edit distance above .2. It also has them for the engine's mean
confidence, docling's rules and the shipped predictions. ``RUN/words.csv`` counts the right words in
each tenth of confidence. ``RUN/signals.csv`` is the input of ``ohr quality fit``.
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
    pages: Annotated[int, typer.Option(min=1, help="Pages to score.")] = 60,
    wobble: Annotated[
        bool, typer.Option(help="Read each page again under three mild distortions.")
    ] = True,
    words: Annotated[bool, typer.Option(help="Use the engines' confidence in words.")] = True,
) -> int:
    """Compare signals of OCR quality where the truth is known."""
    from ohr.adviser.confidence.study import report_confidence

    return report_confidence(config, out, pages=pages, wobble=wobble, words=words)


if __name__ == "__main__":
    main()
