"""Measures how well each signal of OCR quality predicts true errors, at each noise.

``ohr quality confidence dataset.kind=... engines=[tesseract] noise=[semantic] --out RUN``
reads pages with known truth like a study, and observes each page like ``ohr quality estimate``.
``RUN/scores.csv`` has, for each signal and noise, Spearman's correlation with the true errors and
the AUROC of an edit distance above 0.2, also for the engine's mean confidence, docling's rules and
the shipped predictions. ``RUN/words.csv`` counts the right words by tenth of confidence.
``ohr dev fit-quality`` fits ``RUN/signals.csv``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import Out
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
    budget: Annotated[int, typer.Option(min=1, help="Number of pages.")] = 60,
    instability: Annotated[
        bool, typer.Option(help="Read each page again under three mild distortions.")
    ] = True,
    words: Annotated[bool, typer.Option(help="Ask engines for the confidence of words.")] = True,
) -> int:
    """Compare signals of OCR quality where the truth is known."""
    from ohr.adviser.confidence.study import report_confidence

    return report_confidence(config, out, pages=budget, instability=instability, words=words)


if __name__ == "__main__":
    main()
