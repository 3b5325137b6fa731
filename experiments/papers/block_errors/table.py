"""Shares of blocks with OCR errors, by engine and noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

import pandas as pd

from ohr.analysis.page_texts import read_pages
from ohr.metrics.blocks import BlockResult, judge_blocks, redundant_commands
from ohr.metrics.regions import KINDS
from ohr.ocr.progress import Progress
from ohr.study.config import StudyConfig


def block_errors(config: StudyConfig, progress: Progress) -> pd.DataFrame:
    """One row per knowledge base and kind of block. Raises OhrError.

    Shares are those of :func:`summarise`; ``redundant_commands`` is the knowledge base's mean
    over its pages. Blocks of all draws of the noise are counted together. On a failed page no block
    is found.
    """
    pages_read = read_pages(config, progress)
    refs, pages = pages_read.refs, pages_read.dataset.pages
    rows = []
    judging = Progress(verb="judging")
    with judging:
        for key, draws in pages_read.conditions():
            results: list[BlockResult] = []
            redundant = []
            for label, kb in draws:
                for done, ref in enumerate(refs, start=1):
                    output, truth = kb.text(ref), pages[ref].text
                    results += judge_blocks(output, truth)
                    redundant.append(redundant_commands(output, truth))
                    judging(label, done, len(refs))
            commands = fmean(redundant) if redundant else 0.0
            for row in summarise(results):
                rows.append(key | row | {"redundant_commands": commands})
    return pd.DataFrame(rows)


def summarise(results: Sequence[BlockResult]) -> Iterator[dict[str, object]]:
    """Counts and shares of each kind of block; a share of no blocks is NaN.

    Shares are of the found blocks; those with names in ``_or_lost`` are of all blocks, with lost
    blocks counted as errors.
    """
    for kind in KINDS:
        of_kind = [result for result in results if result.kind == kind]
        matched = [result for result in of_kind if result.is_found]
        yield {
            "kind": kind,
            "blocks": len(of_kind),
            "found": len(matched),
            "mean_size": _share([result.size for result in matched]),
            "textual": _share([result.textual for result in matched]),
            "any_textual": _share([result.share < 1 for result in matched]),
            "structural": _share([result.structural for result in matched if kind != "text"]),
            "differs_as_written": _share(
                [not result.as_written for result in matched if kind == "formula"]
            ),
            "textual_or_lost": _share(
                [not result.is_found or result.textual for result in of_kind]
            ),
            "structural_or_lost": _share(
                [not result.is_found or result.structural for result in of_kind if kind != "text"]
            ),
        }


def _share(values: Sequence[float]) -> float:
    return fmean(values) if values else float("nan")
