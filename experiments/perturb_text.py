"""Writes knowledge bases with noise in their texts, in the layout of OHR-Bench.

The noise is formatting noise or OCR errors (``noise=[ocr_errors]``).

``ohr perturb text [CONFIG.yaml] [key=value ...] --out DIR`` writes
``DIR/formatting_noise_mild/<domain>/<document>.json`` and so on (lists of ``page_idx``, from 0, and
``text``), and ``DIR/manifest.json``. The records in
``DIR/records/formatting_noise_mild/<domain>/<document>.jsonl`` can replay and undo each page's
edits. ``--show 10`` adds ``before_after.html``, with ten pages and their edits marked.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import Out
from ohr.display.choices import TEXT_NOISE_OPTIONS
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[
        StudyConfig, Settings(preset("perturb-text"), options=TEXT_NOISE_OPTIONS, reads_pages=False)
    ],
    out: Out,
    show: Annotated[int, typer.Option(min=0, help="Pages in before_after.html.")] = 0,
) -> int:
    """Add formatting noise or OCR errors to knowledge bases."""
    from experiments.noisy.texts import write_noisy_text

    return write_noisy_text(config, out, show)


if __name__ == "__main__":
    main()
