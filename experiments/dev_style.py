"""Compares two wordings of the same questions (section IV.2 of the paper).

``ohr dev style [CONFIG.yaml] [key=value ...] --out RUN`` asks the questions of
``dataset.rewritten=FILE`` (a CSV with the columns ``qid`` and ``question``) twice, in their
original wording (``RUN/original``) and in that of the file (``RUN/rewritten``). The two are
compared by question. With ``--rewriter`` a language model rewords ``--number`` questions, drawn
with the seed, and writes them to ``RUN/rewritten.csv``: read them before you believe the result.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Settings, command
from experiments._parameters import Out
from ohr.study.config import StudyConfig


@command
def main(
    config: Annotated[StudyConfig, Settings()],
    out: Out,
    rewriter: Annotated[
        str,
        typer.Option(help="Language model that rewords: '{name: openai, params: {model: …}}'."),
    ] = "",
    number: Annotated[int, typer.Option(min=1, help="Number of questions to reword.")] = 100,
) -> int:
    """Compare two wordings of the questions (section IV.2).

    The second wording comes from dataset.rewritten=FILE, or from a model with --rewriter.
    """
    from experiments.papers.wordings import ask_in_other_words

    return ask_in_other_words(config, out, rewriter, number)


if __name__ == "__main__":
    main()
