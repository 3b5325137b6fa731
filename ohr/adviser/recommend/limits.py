"""What a comparison cannot show: too few pages or documents, or scores at the end of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ohr.statistics.clusters import DOCUMENT, FEWEST
from ohr.statistics.flips import smallest_p
from ohr.statistics.letters import too_few
from ohr.statistics.numbers import prose_p
from ohr.statistics.paired import FEWEST_TO_SHOW

FEWEST_PAGES = 8
"""Of fewer pages, engines are not compared by their predicted errors."""
END = 0.005
"""If all means are this near an end of their scale, they decide nothing."""

Limit = Literal["ceiling", "floor", ""]


def limit_of(means: Sequence[float], *, is_error: bool) -> Limit:
    """``ceiling`` if all of several means in [0, 1] are almost perfect, ``floor`` if almost worst.

    ``is_error`` says that 0 is perfect, not 1.
    """
    if len(means) < 2:
        return ""
    if all(mean <= END for mean in means):
        return "ceiling" if is_error else "floor"
    if all(mean >= 1 - END for mean in means):
        return "floor" if is_error else "ceiling"
    return ""


def limit_clause(limit: Limit) -> str:
    """``all engines are at the ceiling, so this measure decides nothing``."""
    return f"all engines are at the {limit}, so this measure decides nothing"


def too_few_clusters(clusters: int, unit: str, documents: int) -> str:
    """Why a test by sign flips of such clusters can show nothing; empty if it can.

    ``unit`` is that of :class:`ohr.statistics.clusters.Clusters`; without one, the values are of
    ``documents`` and of fewer pages than can be tested.
    """
    if not unit:
        of = f"{documents} document{'s' * (documents != 1)}"
        return f"{of} with fewer than {FEWEST} pages: nothing can be tested"
    reason = too_few(clusters)
    return reason if unit == DOCUMENT else reason.replace(" document", " page")


def too_few_pages(pages: int) -> str:
    """Why predicted errors are not compared on so many pages; empty if they are."""
    if pages >= FEWEST_PAGES:
        return ""
    return f"{_pages(pages)}: too few to compare engines, at least {FEWEST_PAGES} are needed"


def floor_lines(documents: int, pages: int, engines: int) -> list[str]:
    """What can be shown at all, before any page is read.

    ``documents`` are those that questions can be made of, ``pages`` all that may be read,
    ``engines`` those of page images.
    """
    if engines < 2:
        return ["Fewer than two engines of page images: nothing can be compared (--engines)."]
    lines = []
    if reason := too_few_pages(pages):
        lines.append(f"Errors, {reason}.")
    if reason := too_few(documents) if documents else "":
        more = f"so nothing can be shown over documents; use {FEWEST_TO_SHOW} or more"
        lines.append(f"Retrieval, {reason}, {more}.")
    elif documents:
        p = prose_p(smallest_p(documents)).removeprefix("p ")
        smallest = f"is below {p.strip(' <')}" if p.startswith("<") else f"is {p}"
        lines.append(
            f"Retrieval, {documents} documents, {engines} engines: the smallest possible p "
            f"{smallest}."
        )
    return lines


def _pages(count: int) -> str:
    return f"{count} page{'s' * (count != 1)}"
