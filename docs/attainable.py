"""The F1 that a reader can attain that copies its answer: the best span of a text.

``python docs/attainable.py RUN`` prints it for the questions of a finished run, beside the F1 of
the run's readers over the gold pages of the ground truth.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ohr.metrics.answer_forms import answer_tokens
from ohr.metrics.default import f1
from ohr.statistics.numbers import number
from ohr.study.results import StudyRun, open_run, rows_of

VERDICTS = ("yes", "no")
GOLD_PAGES = "gold pages"
TEXTS = ("evidence", GOLD_PAGES)


def attainable_f1(texts: Sequence[str], answers: Sequence[str]) -> float:
    """The highest F1, in [0, 1], of a run of words that is in one of the texts; 0 without one.

    The best accepted answer counts. ``yes`` and ``no`` count 1, which a reader may say without
    copying. Words are the tokens of :func:`ohr.metrics.default.f1`.
    """
    if is_verdict(answers):
        return 1.0
    return max((_best_span(text, answer) for text in texts for answer in answers), default=0.0)


def _best_span(text: str, answer: str) -> float:
    tokens, expected = answer_tokens(text, answer)
    answer_words = Counter(expected)
    # A span that begins or ends with another word is improved by leaving that word out.
    useful = [index for index, token in enumerate(tokens) if token in answer_words]
    best, size = 0.0, len(expected)
    for place, first in enumerate(useful):
        missing, shared = answer_words.copy(), 0
        for last in useful[place:]:
            length = last - first + 1
            if 2 * size / (length + size) <= best:
                break  # no longer span from here is better, whatever it holds
            if missing[tokens[last]] > 0:
                missing[tokens[last]] -= 1
                shared += 1
                best = max(best, 2 * shared / (length + size))
    return best


def is_verdict(answers: Sequence[str]) -> bool:
    """Whether yes or no is an accepted answer."""
    return any(f1(verdict, answer) == 1 for verdict in VERDICTS for answer in answers)


def attainable(run: StudyRun) -> pd.DataFrame:
    """One row per question of a run: ``qid``, a column for each of :data:`TEXTS` with the F1 that
    is attainable in it, and ``copied``: whether the answer has to be copied (not yes or no).
    """
    documents = run.dataset.documents.values()
    pages = {page.ref: page.text for document in documents for page in document.pages}
    rows = []
    for question in run.dataset.questions:
        gold = [pages.get(ref, "") for ref in question.evidence_pages]
        of_texts = (
            attainable_f1(texts, question.answers) for texts in ([question.evidence_text], gold)
        )
        rows.append((question.qid, *of_texts, not is_verdict(question.answers)))
    return pd.DataFrame(rows, columns=["qid", *TEXTS, "copied"])


def main() -> None:
    """Print the means: all questions, without yes/no, and by source of the evidence."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path)
    run = open_run(parser.parse_args().run)
    rows = rows_of(run.rows, "generation", "f1")
    rows = rows[(rows["engine"] == "gt") & (rows["noise"] == "none")]
    rows = rows.merge(attainable(run), on="qid")
    print(f"{'F1':16}{'n':>7}" + "".join(f"{name:>12}" for name in ("reader", *TEXTS)))
    for reader, own in rows.groupby("reader"):
        groups = {f"{reader}": own, "not yes/no": own[own["copied"]]}
        groups |= {f"on {name}": part for name, part in own.groupby("evidence_source")}
        for name, part in groups.items():
            means = [number(part[column].mean()) for column in ("value", *TEXTS)]
            print(f"{name:16}{len(part):7,}" + "".join(f"{mean:>12}" for mean in means))


if __name__ == "__main__":
    main()
