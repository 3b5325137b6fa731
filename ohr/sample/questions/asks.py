"""Questions, and the ones that a list of named values answers: look-ups and reasoning."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

FORMS = {"S": "String", "N": "Numeric", "Y": "Yes/No", "L": "List"}
"""Code in a template -> answer format of OHR-Bench."""

UNDERSTANDING, REASONING = "understanding", "reasoning"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with its answer. ``denied`` is the same question of a false statement.

    A Yes/No question is asked both ways, so that neither its wording nor what is known of the
    world tells which answer is right: the two statements differ in a value, never in their words.
    """

    question: str
    answer: str
    form: str
    denied: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a passage says about an entity: ``what`` it is, its value and unit.

    The unit of something that is not a number is a word for it (``person``, ``town``).
    """

    entity: str
    unit: str
    what: str
    value: str


@dataclass(frozen=True, slots=True)
class Link:
    """A description that a passage makes stand for an entity, without its name."""

    description: str
    entity: str


def string(question: str, answer: str) -> Ask:
    """A question answered by a few words."""
    return Ask(question, answer, FORMS["S"])


def numeric(question: str, answer: str) -> Ask:
    """A question answered by a number; the question names the unit."""
    return Ask(question, answer, FORMS["N"])


def yes_no(yes: str, no: str) -> Ask:
    """One fact asked so that the answer is yes, and so that it is no."""
    return Ask(yes, "Yes", FORMS["Y"], denied=no)


def differing(statement: str, right: str, wrong: str = "") -> Ask:
    """A Yes/No question whose statement, with one ``{}``, is true of ``right`` alone.

    ``wrong`` is by default a number near it.
    """
    wrong = wrong or wrong_number(right, statement)
    return yes_no(statement.replace("{}", right), statement.replace("{}", wrong))


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


def wrong_number(value: str, statement: str) -> str:
    """A number near ``value``, printed as it is: off by a twentieth to a fifth, or by one.

    It is larger or smaller as chance has it, so that a size says nothing about which is right;
    what falls to chance is drawn from the statement, so that it is the same wherever it is made.
    """
    number = exact(value)
    draw = zlib.crc32(f"{statement} {value}".encode())
    unit = Decimal(1).scaleb(int(number.as_tuple().exponent))
    step = max(unit, (number * (draw % 4 + 1) / 20).quantize(unit))
    lower = draw >> 2 & 1 and step < number
    return printed(number - step if lower else number + step, value)


def reasoning_over(
    names: Sequence[str],
    values: Sequence[str],
    *,
    of: str,
    where: str = "",
    unit: str = "",
    which: str = "",
    several: str = "",
) -> list[tuple[int, Ask]]:
    """Questions that compare and compute over named values, each with the last row it needs.

    ``of`` is the quantity of one name, ``where`` what it has in common with the others: "the
    revenue of the {} segment" and "of <company> in <year>"; ``unit`` goes into questions about
    numbers. ``which`` asks for a name ("Which segment had the {} revenue"), ``several`` for a
    list of names ("Which segments had a revenue of more than EUR {} million"); both end in
    ``where``. Raises ValueError for values that are not numbers.
    """
    numbers = [exact(value) for value in values]
    end = len(names) - 1
    tail = f" {where}?" if where else "?"
    in_unit = f", in {unit}," if unit else ""
    asks: list[tuple[int, Ask]] = []
    for pick, word in ((max, "highest"), (min, "lowest")):
        if which and numbers.count(pick(numbers)) == 1:
            best = names[numbers.index(pick(numbers))]
            asks.append((end, string(which.format(word) + tail, best)))
    for first, name in enumerate(names):
        second = (first + 1) % len(names)
        last = max(first, second)
        a, b = of.format(name), of.format(names[second])
        total = printed(numbers[first] + numbers[second], values[first])
        asks.append((last, numeric(f"What is the sum{in_unit} of {a} and {b}{tail}", total)))
        if numbers[first] == numbers[second]:
            continue
        ranked = sorted(((numbers[first], a), (numbers[second], b)), reverse=True)
        (high, more), (low, less) = ranked
        by = printed(high - low, values[first])
        asks.append((last, numeric(f"By how much{in_unit} does {more} exceed {less}{tail}", by)))
        statement = f"Is {{}} the difference{in_unit} between {more} and {less}{tail}"
        asks.append((last, differing(statement, by)))
    cuts = sorted(set(numbers), reverse=True)
    for cut in cuts[2:-1] if several else []:
        over = [name for name, value in zip(names, numbers, strict=True) if value > cut]
        asks.append((end, listed(several.format(printed(cut, values[0])) + tail, over)))
    return [(row, reasoned(ask)) for row, ask in asks]
