"""Writes knowledge bases with formatting noise, in the layout of OHR-Bench.

``ohr perturb text [CONFIG.yaml] [key=value ...] --out DIR`` writes
``DIR/formatting_noise_mild/<domain>/<document>.json`` and so on (lists of ``page_idx`` and
``text``, 0-based), the records that replay and undo each page's edits in
``DIR/records/formatting_noise_mild/<domain>/<document>.jsonl``, and ``DIR/manifest.json``.
``--show 10`` adds ``before_after.html``: ten pages, edits marked.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Out, Settings, command
from ohr.display.choices import TEXT_NOISE_OPTIONS
from ohr.study.config import StudyConfig

DEFAULTS = {"engines": ["gt"], "noise": ["formatting"], "stages": ["ocr"]}


@command
def main(
    config: Annotated[
        StudyConfig, Settings(DEFAULTS, options=TEXT_NOISE_OPTIONS, reads_pages=False)
    ],
    out: Out,
    show: Annotated[int, typer.Option(min=0, help="Pages in before_after.html.")] = 0,
) -> int:
    """Add formatting noise to knowledge bases."""
    from experiments.noisy.texts import write_noisy_text

    return write_noisy_text(config, out, show)


if __name__ == "__main__":
    main()
