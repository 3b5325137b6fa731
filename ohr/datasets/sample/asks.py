"""Questions, and the ones that a list of named values answers: look-ups and reasoning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

FORMS = {"S": "String", "N": "Numeric", "Y": "Yes/No", "L": "List"}
"""Code in a template -> answer format of OHR-Bench."""

UNDERSTANDING, REASONING = "understanding", "reasoning"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with its answer. ``denied`` is the same question of a false statement.

    A Yes/No question has both, so that yes and no can be balanced over the whole set.
    """

    question: str
    answer: str
    form: str
    denied: str = ""
    task: str = ""


def string(question: str, answer: str) -> Ask:
    """A question answered by a few words."""
    return Ask(question, answer, FORMS["S"])


def numeric(question: str, answer: str) -> Ask:
    """A question answered by a number; the question names the unit."""
    return Ask(question, answer, FORMS["N"])


def yes_no(yes: str, no: str) -> Ask:
    """One fact asked so that the answer is yes, and so that it is no."""
    return Ask(yes, "Yes", FORMS["Y"], denied=no)


def listed(question: str, answers: Sequence[str]) -> Ask:
    """A question answered by several items, in the order of the page."""
    return Ask(question, ", ".join(answers), FORMS["L"])


def reasoned(ask: Ask) -> Ask:
    """The same question, marked as one that takes comparing or computing."""
    return replace(ask, task=REASONING)


def exact(written: str) -> Decimal:
    """The number that is printed, thousands separators and all."""
    return Decimal(written.replace(",", ""))


def printed(value: Decimal, like: str) -> str:
    """A number with thousands separators, if ``like`` may have them, and its exact decimals."""
    return f"{value:,}" if "," in like or exact(like) < 1000 else str(value)


def reasoning_over(
    names: Sequence[str],
    values: Sequence[str],
    *,
    which: str,
    of: str,
    unit: str,
    several: str = "",
) -> list[tuple[int, Ask]]:
    """Questions that compare and compute over named values, each with the last row it needs.

    ``which`` asks for a name: "Which segment of <company> had the {} revenue in <year>?";
    ``of`` is the quantity of one name: "the revenue of the {} segment of <company> in <year>";
    ``unit`` goes into questions about numbers; ``several`` asks for a list of names:
    "Which segments of <company> had a revenue of more than {} in <year>?".
    """
    numbers = [exact(value) for value in values]
    rows: list[tuple[int, Ask]] = []
    end = len(names) - 1
    for pick, word in ((max, "highest"), (min, "lowest")):
        if numbers.count(pick(numbers)) == 1:
            best = names[numbers.index(pick(numbers))]
            rows.append((end, string(which.format(word), best)))
    in_unit = f", in {unit}," if unit else ""
    for first in range(len(names)):
        second = (first + 1) % len(names)
        last = max(first, second)
        a, b = of.format(names[first]), of.format(names[second])
        total = numbers[first] + numbers[second]
        like = values[first]
        rows.append(
            (last, numeric(f"What is the sum{in_unit} of {a} and {b}?", printed(total, like)))
        )
        if numbers[first] != numbers[second]:
            (high, more), (low, less) = sorted(
                ((numbers[first], a), (numbers[second], b)), reverse=True
            )
            by = printed(high - low, like)
            rows.append((last, numeric(f"By how much{in_unit} does {more} exceed {less}?", by)))
            rows.append(
                (last, yes_no(f"Is {more} higher than {less}?", f"Is {less} higher than {more}?"))
            )
    if several:
        ranked = sorted(set(numbers), reverse=True)
        if 1 < (cut := len(ranked) // 2) < len(ranked):
            over = [n for n, v in zip(names, numbers, strict=True) if v > ranked[cut]]
            threshold = printed(ranked[cut], values[0])
            if len(over) > 1:
                rows.append((end, listed(several.format(threshold), over)))
    return [(row, reasoned(ask)) for row, ask in rows]
