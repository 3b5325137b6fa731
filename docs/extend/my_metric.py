"""A metric of the numbers alone."""

import re

import ohr


class NumberRecall(ohr.Metric):
    """Share of the reference's numbers that the prediction has; 1 where there are none."""

    name = "number_recall"
    version = "1"
    missing = 0.0  # what an empty or failed prediction scores
    higher_is_better = True

    def score(self, prediction: str, reference: str) -> float:
        wanted, given = numbers(reference), numbers(prediction)
        return len(wanted & given) / len(wanted) if wanted else 1.0


def numbers(text: str) -> set[str]:
    """``1,000`` and ``1000`` are the same."""
    return {number.replace(",", "") for number in re.findall(r"\d+(?:[.,]\d+)*", text)}
