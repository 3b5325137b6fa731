"""Lines on what a study will ask language models, in the form of those at its end."""

from __future__ import annotations

from collections.abc import Sequence

from ohr.files.safe_text import plain
from ohr.scoring.measuring import JUDGE
from ohr.study.page_costs import PageForecast
from ohr.study.plan import Plan
from ohr.study.scoring.forecast import Forecast

_ANSWER_S = 1.0


def forecast_lines(
    forecasts: Sequence[Forecast], pages: Sequence[PageForecast], plan: Plan
) -> list[str]:
    """One line per engine with prices and per reader that counts tokens, one for the judge, and
    what is not known.
    """
    lines = [*map(_line_of_pages, pages), *map(_line, forecasts)]
    for label in plan.systems:
        lines.append(f"{plain(label)}: asks as it goes; its tokens are not known beforehand")
    return lines


def _line_of_pages(expected: PageForecast) -> str:
    if not expected.pages:
        cost = "nothing to pay"
    elif expected.cost_each is None:
        cost = "its cost is not known before a page is read"
    else:
        cost = f"cost about {expected.likely_cost:.4f}, as the pages so far"
    return f"{plain(expected.label)}: {expected.pages:,} pages to read; {cost}"


def _line(expected: Forecast) -> str:
    """``gpt: 480 answers, 470 of them new; about 1,234,000 tokens to read; …``."""
    usage, number = expected.usage, expected.to_ask
    new = f"{number:,} of them new"
    parts = [f"{number + expected.stored:,} answers, {'at most ' * (expected.label == JUDGE)}{new}"]
    if number:
        parts += [
            f"about {usage['prompt_tokens']:,.0f} tokens to read",
            f"at most {usage['completion_tokens']:,.0f} to write",
        ]
    if usage["images"]:
        parts.append(f"{usage['images']:,.0f} page images, whose tokens are not known")
    if usage["cost"]:
        parts.append(f"cost at most {usage['cost']:.4f}")
        if expected.answer_tokens is not None:
            parts[-1] += (
                f", about {expected.likely_cost:.4f} with answers of "
                f"{expected.answer_tokens:.0f} tokens, as so far"
            )
    if number:
        seconds = number * _ANSWER_S / expected.at_once
        at_once = f", {expected.at_once} at once" if expected.at_once > 1 else ""
        parts.append(f"{seconds:,.0f} s if an answer takes {_ANSWER_S:g} s{at_once}")
    return f"{plain(expected.label)}: {'; '.join(parts)}"
