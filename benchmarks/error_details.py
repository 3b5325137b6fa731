"""What the errors of some kinds consist of, which `ohr analyse error-kinds` counts as one kind.

    python -m benchmarks.error_details RUN [--engine LABEL] [--noise LABEL] [--pages 1000]

RUN is a finished ``ocr-benchmark``, as for ``ohr analyse error-kinds``. Of words split or joined it
counts those that are joined; of words with wrong letters, those in which only marks differ (no
letter and no digit); and of the number words of the truth ("three", "million"), those in whose
place another number word stands, as digits are changed silently. ``--pages`` takes so many pages,
evenly; by default all. Half a minute for 1,000 pages.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ohr.analysis.attribution.table import swapping
from ohr.analysis.error_kinds.table import choose_variant
from ohr.ocr.progress import Progress
from ohr.ocr_errors.compare import compare_page
from ohr.ocr_errors.differences import NO_EDIT, PageDifference
from ohr.ocr_errors.words import page_words
from ohr.study.results import open_run

NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million billion trillion".split()
)
"""Words that are a number or a scale, also as parts of a longer one such as twenty-five."""


def replaced_texts(difference: PageDifference, kind: str) -> list[tuple[str, str]]:
    """Truth and output of each edit of a kind."""
    pairs: dict[int, tuple[str, str]] = {}
    for segment in difference.segments:
        if segment.edit != NO_EDIT and difference.edits[segment.edit].kind == kind:
            truth, output = pairs.get(segment.edit, ("", ""))
            pairs[segment.edit] = truth + segment.truth, output + segment.output
    return list(pairs.values())


def letters_and_digits(text: str) -> str:
    """A text without its marks and spaces."""
    return "".join(filter(str.isalnum, text))


def is_number_word(word: str) -> bool:
    """Whether all parts of a word are number words."""
    parts = "".join(c if c.isalpha() else " " for c in word.casefold()).split()
    return bool(parts) and NUMBER_WORDS.issuperset(parts)


def count_details(pages: Iterable[tuple[str, str]]) -> Counter[str]:
    """Counts of all pages, each given as truth and output."""
    counts: Counter[str] = Counter()
    for truth, output in pages:
        difference = compare_page(truth, output)
        counts["pages"] += 1
        counts["number words"] += sum(map(is_number_word, page_words(truth).words))
        for before, after in replaced_texts(difference, "split_joined"):
            counts["split or joined"] += 1
            counts["joined"] += len(after.split()) < len(before.split())
        for before, after in replaced_texts(difference, "letters"):
            counts["letters"] += 1
            counts["only marks"] += letters_and_digits(before) == letters_and_digits(after)
            is_other = letters_and_digits(before.casefold()) != letters_and_digits(after.casefold())
            if is_number_word(before) and is_other:
                counts["misread number words"] += 1
                counts["other number words"] += is_number_word(after)
    return counts


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("--engine", default="")
    parser.add_argument("--noise", default="")
    parser.add_argument("--pages", type=int, default=0)
    given = parser.parse_args()
    plan = open_run(given.run).plan
    with swapping(plan, Progress()) as swaps:
        variant = choose_variant(plan, given.engine, given.noise)
        read = swaps.knowledge_bases.knowledge_base(variant)
        refs = [ref for ref in plan.dataset.pages if plan.dataset.has_order(ref)]
        step = max(1, len(refs) // given.pages) if given.pages else 1
        pages = [(plan.dataset.pages[ref].text, read.text(ref)) for ref in refs[::step]]
    counts = count_details(pages)
    print(f"{variant.label}, {counts['pages']:,} pages")
    for part, whole in (
        ("joined", "split or joined"),
        ("only marks", "letters"),
        ("misread number words", "number words"),
        ("other number words", "number words"),
    ):
        share = counts[part] / counts[whole] if counts[whole] else float("nan")
        print(f"{part}: {counts[part]:,} of {counts[whole]:,} {whole}, {share:.4f}")


if __name__ == "__main__":
    main()
