"""Two metrics: one scores an answer from two texts, one scores a page from its case."""

import re

import ohr


@ohr.metric(of="answer", title="number recall")
def number_recall(answer: str, accepted: str) -> float:
    """Share of the accepted answer's numbers that the answer has; 1 if there are none."""
    expected, answered = numbers(accepted), numbers(answer)
    return len(expected & answered) / len(expected) if expected else 1.0


@ohr.metric(of="page", title="lost lines", higher_is_better=False)
def lost_lines(page: ohr.plugins.PageCase) -> float:
    """Share of the ground truth's lines that the page text does not contain verbatim."""
    lines = page.truth.splitlines()
    lost = [line for line in lines if line not in page.text]
    return len(lost) / len(lines) if lines else float("nan")  # no line that could be lost


def numbers(text: str) -> set[str]:
    """``1,000`` and ``1000`` are the same."""
    return {number.replace(",", "") for number in re.findall(r"\d+(?:[.,]\d+)*", text)}
