"""Exports knowledge bases, questions and gold pages in the formats of other tools.

``ohr convert export KB --format jsonl --out DIR`` writes the pages of a knowledge base that
``ohr read`` made, or of a folder with somebody's OCR output, with what is known of each page. The
formats ``jsonl`` and ``markdown`` are those of ``ohr read --format``.

``ohr convert export RUN --format beir --out DIR`` exports each knowledge base of a finished run;
``ohr convert export dataset.kind=… --format beir --out DIR`` exports the ground truth of a dataset.
There is one collection per domain, since a study searches only the question's domain. A page is a
document. A question's evidence pages are relevant, even those in another domain, where neither the
study nor the other tool can find them.

``trec`` exports topics and relevance judgements in the formats of trec_eval, and for a run the
ranked pages of each condition. ``croissant`` exports a dataset with its description for tools that
load Croissant; ``every-eval-ever`` exports the scores of answers, per condition and per question.

``hub-eval`` exports a submission to a suite as the Hugging Face Hub's ``eval.yaml`` and
``.eval_results`` of a model: ``ohr convert export runs/suite/NAME.json --format hub-eval
--hub-dataset org/name --out DIR``.

``pages``, ``markdown``, ``omnidocbench`` and ``mineru`` export only the texts, for OCR tools.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import trusting_command
from experiments._parameters import Out


@trusting_command
def main(
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="KB|RUN|CONFIG.yaml|key=value",
            help="A knowledge base, a finished run, or the options of a study, for its dataset.",
        ),
    ],
    out: Out,
    format: Annotated[
        str,
        typer.Option(
            help="beir, datasets (Hugging Face; pip install 'ohr[hub]'), trec (topics, qrels and "
            "runs), croissant (a dataset and its description), every-eval-ever (scores of "
            "answers), hub-eval (a submission to a suite), or only texts: pages (OHR-Bench), "
            "markdown (one file per page), omnidocbench (predictions), mineru. Of a knowledge "
            "base: jsonl, or markdown with the pages of a document in one file."
        ),
    ] = "beir",
    hub_dataset: Annotated[
        str, typer.Option(help="Of hub-eval: the benchmark's dataset on the Hub, as org/name.")
    ] = "",
) -> int:
    """Export texts, questions and gold pages for other tools."""
    from experiments.convert.exporting import export

    return export(source, out, format, hub_dataset)


if __name__ == "__main__":
    main()
