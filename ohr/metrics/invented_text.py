"""Words of a page's output that no part of the page supports.

A word is supported if it stands on the page, in its place or elsewhere, or if it can be a
misreading of what stands in its place. What comes twice is *repeated*, not invented.

What is left after the words are placed (:mod:`ohr.metrics.placement`) is judged run by run. A run
is a misreading if it is more like the lost text in its place than like other stretches of the page.
Of the rest, a run in which at least a quarter of the words are new to the page is invented as a
whole, with its "of" and "the", except for phrases of the page; in other runs only the new words
are. Words of fewer than three letters or digits are not judged alone, nor are numbers on a page
with a chart, whose axes the truth lacks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz.fuzz import partial_ratio, partial_ratio_alignment

from ohr.markup.writing_systems import has_unspaced
from ohr.metrics.placement import Gap, PageContent, PageWord, page_content, place
from ohr.metrics.supporting_text import FEWEST_LETTERS, SupportingText, most_alike

NEAR_LOST = 0.34
"""Largest share of the letters in which a word of any length may differ from one that the output
lacks: it may stand for that one."""
NEW_SHARE = 0.25
"""Share of new words from which a run is invented as a whole."""
PHRASE = 4
"""Words in a row that stand in a row on the page: a repeated phrase."""
BRIDGE = 2
"""Most placed words in the middle of a run: of two sentences, "of" and "the" match."""
PASSAGE = 8
"""Words of a run that is an invented passage, about half a sentence."""
_STRETCHES = 39
"""Stretches of the page that a run is compared with: chance alone passes once in forty times."""
_LEAST_LOST = 12
"""Fewest characters of lost text that a run is compared with."""
_MOST_LOST = 2000
"""Most characters of a run, and of lost text, that are compared."""
_MOST_COMPARED = 20_000_000
"""Most pairs of different words that are compared by their letters: 4,000 on both sides, two
seconds. On longer pages with nothing in common, a misread word elsewhere counts as new."""
_LETTERS_IN_A_ROW = 3
"""Of writing without spaces: letters in a row that stand on the page."""


@dataclass(frozen=True)
class InventedText:
    """The words of an output, and which of them are invented.

    ``spans`` are the invented words, as starts and ends in the page's content
    (:func:`ohr.metrics.placement.page_content`), and ``runs`` the lengths of their runs.
    """

    words: int
    spans: tuple[tuple[int, int], ...]
    runs: tuple[int, ...]
    repeated: int
    """Words that come more often than on the page."""

    @property
    def share(self) -> float:
        """Invented words over all words of the output; 0 if it has none."""
        return len(self.spans) / self.words if self.words else 0.0

    @property
    def longest(self) -> int:
        """Words of the longest run."""
        return max(self.runs, default=0)

    @property
    def repeated_share(self) -> float:
        """Repeated words over all words of the output; 0 if it has none."""
        return self.repeated / self.words if self.words else 0.0


@lru_cache(maxsize=8)
def find_invented(text: str, truth: str) -> InventedText:
    """The invented words of a page text; mark-up is removed from both texts."""
    output, expected = page_content(text), page_content(truth)
    if text == truth or not output.words:
        return InventedText(len(output.words), (), (), 0)
    placement = place(text, truth)
    lost = [expected.words[j].key for gap in placement.gaps for j in gap.truth]
    placed = placement.matched.keys() | placement.pairs.keys()
    page = _Page(output.words, expected, placed, lost)
    nowhere = {i for gap in placement.gaps for i in gap.output}
    for gap in placement.gaps:
        if page.has_new(gap.output):
            nowhere -= _misread(output, expected, gap)
    invented: list[int] = []
    repeated = 0
    for run in _runs(nowhere, placement.doubtful):
        new = page.invented(run, nowhere)
        invented += new
        repeated += page.count_judged(nowhere.intersection(run).difference(new))
    runs: list[int] = []
    for before, place_of_word in zip([-2, *invented], invented, strict=False):
        if place_of_word == before + 1:
            runs[-1] += 1
        else:
            runs.append(1)
    spans = tuple((output.words[i].start, output.words[i].end) for i in invented)
    return InventedText(len(output.words), spans, tuple(runs), repeated)


class _Page:
    """What the page and the rest of the output say about words without a place."""

    def __init__(
        self,
        output: Sequence[PageWord],
        truth: PageContent,
        placed: Collection[int],
        lost: Sequence[str],
    ) -> None:
        self._output = output
        self._output_keys = [word.key for word in output]
        self._has_chart = truth.has_chart
        self._lost = list(dict.fromkeys(lost))
        keys = self._keys = [word.key for word in truth.words]
        self._truth = SupportingText(keys)
        # What has a place supports its like elsewhere: a word that is misread twice is repeated.
        placed_keys = {output[i].key for i in placed}
        self._placed = SupportingText(placed_keys - self._truth.words)
        self._near: dict[str, bool] = {}
        compared = len(self._truth.comparable) + len(self._placed.comparable) + len(self._lost)
        self._is_short = len(set(self._output_keys)) * compared <= _MOST_COMPARED

    @cached_property
    def _phrases(self) -> frozenset[tuple[str, ...]]:
        return _sequences(self._keys, PHRASE)

    @cached_property
    def _triples(self) -> frozenset[tuple[str, ...]]:
        return _sequences(self._keys, _LETTERS_IN_A_ROW)

    def has_new(self, places: Sequence[int]) -> bool:
        """Whether any of the words is new to the page."""
        return any(self._is_new(i) for i in places)

    def count_judged(self, places: Iterable[int]) -> int:
        """How many of the words are judged."""
        return sum(map(self._is_judged, places))

    def invented(self, run: Sequence[int], nowhere: Collection[int]) -> list[int]:
        """The places of a run's invented words; ``nowhere`` are those without a place."""
        new = {i for i in run if i in nowhere and self._is_new(i)}
        if not new:
            return []
        if len(new) < NEW_SHARE * self.count_judged(run):
            return sorted(new)
        phrases = self._repeated_phrases(run)
        return [i for i in run if i not in phrases]

    def _is_judged(self, position: int) -> bool:
        key = self._output[position].key
        return len(key) >= FEWEST_LETTERS or has_unspaced(key)

    def _is_new(self, position: int) -> bool:
        key = self._output[position].key
        if not self._is_judged(position):
            return False
        if self._has_chart and self._output[position].number is not None:
            return False  # it may stand along an axis
        if has_unspaced(key):
            return not self._has(key) or not self._is_in_a_row(position)
        if key not in self._near:
            self._near[key] = self._is_near(key)
        return not self._near[key]

    def _is_near(self, key: str) -> bool:
        if self._has(key) or key in self._truth.letters:
            return True
        return self._is_short and (
            most_alike(key, self._lost, NEAR_LOST) is not None
            or self._truth.similar(key) is not None
            or self._placed.similar(key) is not None
        )

    def _has(self, key: str) -> bool:
        return key in self._truth.words or key in self._placed.words

    def _is_in_a_row(self, position: int) -> bool:
        """Whether the letters around one stand in a row on the page."""
        keys = self._output_keys
        first = max(0, position - _LETTERS_IN_A_ROW + 1)
        return any(
            tuple(keys[i : i + _LETTERS_IN_A_ROW]) in self._triples
            for i in range(first, position + 1)
        )

    def _repeated_phrases(self, run: Sequence[int]) -> set[int]:
        phrases: set[int] = set()
        for start in range(len(run) - PHRASE + 1):
            places = run[start : start + PHRASE]
            in_a_row = places[-1] - places[0] == PHRASE - 1
            if in_a_row and tuple(self._output[i].key for i in places) in self._phrases:
                phrases.update(places)
        return phrases


def _sequences(keys: Sequence[str], count: int) -> frozenset[tuple[str, ...]]:
    """All so many words in a row."""
    return frozenset(zip(*(keys[start:] for start in range(count)), strict=False))


def _runs(nowhere: Collection[int], doubtful: Collection[int]) -> Iterator[list[int]]:
    """Words without a place in runs, across a few words that have one and any of doubtful ones.

    A run begins and ends with a word without a place.
    """
    run: list[int] = []
    between: list[int] = []
    last = 0
    for position in sorted({*nowhere, *doubtful}):
        if run and position - last > BRIDGE + 1:
            yield run
            run, between = [], []
        last = position
        if position in nowhere:
            run += [*between, position]
            between = []
        elif run:
            between.append(position)
    if run:
        yield run


def _misread(output: PageContent, truth: PageContent, gap: Gap) -> set[int]:
    """The places of a gap whose words can be misreadings of the lost text in their place.

    The words are compared with the lost text and with stretches of the page of the same length. If
    they are most like the lost text, those that stand for it are misreadings.
    """
    lost = " ".join(truth.words[j].key for j in gap.truth)
    if not _LEAST_LOST <= len(lost) <= _MOST_LOST:
        return set()
    starts, end = {}, 0
    for i in gap.output:
        starts[i] = end
        end += len(output.words[i].key) + 1
    read = " ".join(output.words[i].key for i in gap.output)
    if len(read) > _MOST_LOST:
        return set()
    page = " ".join(word.key for word in truth.words)
    step = max(1.0, (len(page) - len(lost)) / _STRETCHES)
    stretches = [page[round(k * step) :][: len(lost)] for k in range(_STRETCHES)]
    aligned = partial_ratio_alignment(lost, read)
    if aligned is None:
        return set()
    for stretch in stretches:
        if _is_part(stretch, lost):
            continue
        if partial_ratio(stretch, read, score_cutoff=aligned.score) >= aligned.score:
            return set()
    return {
        i
        for i in gap.output
        if starts[i] < aligned.dest_end
        and starts[i] + len(output.words[i].key) > aligned.dest_start
    }


def _is_part(stretch: str, lost: str) -> bool:
    """Whether a stretch of the page is mostly the lost text itself."""
    return partial_ratio(stretch, lost) > 60
