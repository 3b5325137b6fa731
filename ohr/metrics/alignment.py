"""Aligns OCR output with the truth: passages that moved first, then words, then characters.

A passage that stands elsewhere in the output is no error of its words. Three-word sequences that
occur once on both sides are anchors. Anchors that follow each other on both sides form a passage.
The heaviest sequence of passages in one order stays; the others have *moved*, and are put back
before words are compared. So are fragments of at least two words, and long single words, that stand
elsewhere: on bad pages, engines cut lines into pieces and write them in another order. Words
between equal words are compared by their characters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from ohr.metrics.character_places import character_places

ANCHOR = 3
"""Words of an anchor."""
LEAST_ANCHORS = 3
"""A passage with fewer anchors stays where it is: it may be a repeated phrase."""
LIKE = 0.5
"""A word with less in common with its output is replaced by rubbish, not rewritten."""
LEAST_MOVED = 4
"""Characters from which a single lost word that stands elsewhere has moved."""
MOST_PLACES = 20
"""Most places of the output where two words are looked for."""
LONGEST_SPECK = 3
"""Characters that touch a word, beyond which they are an insertion of their own."""
MOST_CELLS = 400_000_000
"""Characters of truth times characters of output, above which a gap is not compared."""


class Fate(IntEnum):
    """What became of a word of the truth."""

    RIGHT = 0
    REWRITTEN = 1
    RUBBISH = 2
    LOST = 3
    JOINED = 4
    """The word is right, but nothing or a few specks stand for the space after it."""


@dataclass(slots=True)
class Alignment:
    """What became of each word of the truth.

    ``texts[i]`` is what stands for word i (empty for a lost one); ``inserted`` are runs of output
    that stand for no word, each after so many words of the truth.
    """

    fates: list[Fate]
    texts: list[str]
    inserted: list[tuple[int, str]] = field(default_factory=list)
    moved_passages: int = 0
    moved_words: int = 0
    uncompared: int = 0
    """Words in gaps too large to compare, counted as lost."""
    output_length: int = 0

    def cost(self, words: Sequence[str]) -> int:
        """Edits of characters, moves not counted."""
        edits = 0
        for word, fate, text in zip(words, self.fates, self.texts, strict=True):
            if fate is Fate.LOST:
                edits += len(word) + 1
            elif fate is Fate.JOINED:
                edits += max(1, len(text) - len(word))
            elif fate is not Fate.RIGHT:
                edits += Levenshtein.distance(word, text)
        return edits + sum(len(text) + 1 for _, text in self.inserted)

    def content(self, words: Sequence[str]) -> str:
        """The output's content in the truth's order, moved passages put back."""
        pieces: list[str] = []
        inserted = iter([*self.inserted, (len(words), "")])
        position, extra = next(inserted)
        for number, (fate, text) in enumerate(zip(self.fates, self.texts, strict=True)):
            while position <= number and extra:
                pieces += (extra, " ")
                position, extra = next(inserted)
            if text:
                pieces += (text, "" if fate is Fate.JOINED else " ")
        return "".join([*pieces, extra, *(f" {text}" for _, text in inserted)]).strip()

    def share(self, words: Sequence[str]) -> float:
        """The edit distance of the content, in [0, 1]: edits over the longer side."""
        length = max(sum(map(len, words)) + len(words) - 1, self.output_length)
        return min(1.0, self.cost(words) / length) if length > 0 else 0.0


@dataclass(frozen=True, slots=True)
class WordMatches:
    """Which words of the truth stand in the output as they are, moved passages put back.

    ``order`` are places of the output in the truth's order; other places count along ``order``.
    ``gaps`` are what is between equal words in one order, on both sides; words between them are
    equal one by one. ``fragments`` are equal words of gaps that stand elsewhere: place in the
    truth, place along ``order``, number of words.
    """

    order: Sequence[int]
    gaps: Sequence[tuple[range, range]]
    fragments: Sequence[tuple[int, int, int]]
    moved: Sequence[range] = ()
    """Places along ``order`` of each passage that has moved."""
    moved_words: int = 0

    def free_gaps(self) -> Iterator[tuple[list[int], list[int], int]]:
        """The words of each gap on both sides without :attr:`fragments`, and the word after it."""
        placed = {i + step for i, _, length in self.fragments for step in range(length)}
        taken = {j + step for _, j, length in self.fragments for step in range(length)}
        for of_truth, of_output in self.gaps:
            yield (
                [number for number in of_truth if number not in placed],
                [place for place in of_output if place not in taken],
                of_truth.stop,
            )


def match_words(truth: Sequence[str], output: Sequence[str]) -> WordMatches:
    """Find the words of a page in its OCR output."""
    order, passages, moved = _reorder(truth, output)
    ordered = [output[place] for place in order]
    gaps = []
    words, rest = 0, 0
    for code in Levenshtein.opcodes(truth, ordered):
        if code.tag == "equal":
            gaps.append((range(words, code.src_start), range(rest, code.dest_start)))
            words, rest = code.src_end, code.dest_end
    gaps.append((range(words, len(truth)), range(rest, len(ordered))))
    return WordMatches(order, gaps, list(fragments(truth, ordered, gaps)), passages, moved)


def align(truth: Sequence[str], output: Sequence[str]) -> Alignment:
    """Align the words of a page with those of its OCR output."""
    matches = match_words(truth, output)
    aligned = Alignment([Fate.RIGHT] * len(truth), list(truth))
    aligned.output_length = max(0, sum(map(len, output)) + len(output) - 1)
    aligned.moved_passages = len(matches.moved) + len(matches.fragments)
    aligned.moved_words = matches.moved_words + sum(length for _, _, length in matches.fragments)
    for numbers, places, end in matches.free_gaps():
        words = [output[matches.order[place]] for place in places]
        _fill(aligned, truth, numbers, words, end)
    return aligned


def fragments(
    truth: Sequence[str], output: Sequence[str], gaps: Sequence[tuple[range, range]]
) -> Iterator[tuple[int, int, int]]:
    """Words between equal words that stand elsewhere in the output: where they are in the truth
    and in the output, and how many.

    The longest first, of at least two words; then single words of :data:`LEAST_MOVED` characters
    that are left once on both sides.
    """
    missing = {number for own, _ in gaps for number in own}
    spare = {place for _, own in gaps for place in own}
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place in sorted(spare):
        if place + 1 in spare:
            places[output[place], output[place + 1]].append(place)
    candidates = []
    for number in sorted(missing):
        if number + 1 not in missing:
            continue
        for place in places.get((truth[number], truth[number + 1]), ())[:MOST_PLACES]:
            before = number - 1 in missing and place - 1 in spare
            if before and truth[number - 1] == output[place - 1]:
                continue  # part of a longer one
            length = 2
            while (
                number + length in missing
                and place + length in spare
                and truth[number + length] == output[place + length]
            ):
                length += 1
            candidates.append((length, number, place))
    for length, number, place in sorted(candidates, key=lambda entry: (-entry[0], *entry[1:])):
        words, rest = range(number, number + length), range(place, place + length)
        if missing.issuperset(words) and spare.issuperset(rest):
            missing.difference_update(words)
            spare.difference_update(rest)
            yield number, place, length
    remaining = Counter(truth[number] for number in missing)
    on_page = Counter(output[place] for place in spare)
    single = {output[place]: place for place in spare}
    for number in sorted(missing):
        word = truth[number]
        if len(word) >= LEAST_MOVED and remaining[word] == on_page[word] == 1:
            yield number, single[word], 1


@dataclass(slots=True)
class _Passage:
    truth: int
    last: int
    start: int
    end: int
    anchors: int = 1


def _reorder(truth: Sequence[str], output: Sequence[str]) -> tuple[Sequence[int], list[range], int]:
    """The output's places in the truth's order; the moved passages in it, and how many words."""
    passages = [p for p in _passages(truth, output) if p.anchors >= LEAST_ANCHORS]
    if all(a.truth < b.truth for a, b in pairwise(passages)):
        return range(len(output)), [], 0
    stays = _heaviest(passages)
    edges = _edges(passages, len(truth), len(output))
    order: list[int] = []
    moved = []
    for i in sorted(range(len(passages)), key=lambda i: passages[i].truth):
        start = len(order)
        order += range(edges[i], edges[i + 1])
        if i not in stays:
            moved.append(range(start, len(order)))
    moved_words = sum(p.end - p.start for i, p in enumerate(passages) if i not in stays)
    return order, moved, moved_words


def _edges(passages: Sequence[_Passage], words: int, length: int) -> list[int]:
    """Where the output is cut between passages: each gets its share of the words in between.

    Before and after each passage, as many words may belong to it as the truth has there up to the
    next passage.
    """
    ordered = sorted(passages, key=lambda passage: passage.truth)
    ends = [0, *(passage.last + ANCHOR for passage in ordered)]
    starts = [*(passage.truth for passage in ordered), words]
    room = [max(0, start - end) for end, start in zip(ends, starts, strict=True)]
    place = {id(passage): number for number, passage in enumerate(ordered)}
    edges = [0]
    for before, after in pairwise(passages):
        tail, lead = room[place[id(before)] + 1], room[place[id(after)]]
        share = tail / (tail + lead) if tail + lead else 0.5
        edges.append(before.end + round(share * max(0, after.start - before.end)))
    return [*edges, length]


def _passages(truth: Sequence[str], output: Sequence[str]) -> list[_Passage]:
    places, rest = _single(truth), _single(output)
    passages: list[_Passage] = []
    for key, position in rest.items():
        place = places.get(key)
        if place is None or position < 0 or place < 0:
            continue
        last = passages[-1] if passages else None
        if last is not None and 0 < place - last.last <= 2 * (position + ANCHOR - last.end) + 60:
            last.last, last.end = place, position + ANCHOR
            last.anchors += 1
        else:
            passages.append(_Passage(place, place, position, position + ANCHOR))
    return passages


def _single(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Where each sequence of words begins; -1 if it occurs more than once. In their order."""
    places: dict[tuple[str, ...], int] = {}
    for position in range(len(words) - ANCHOR + 1):
        key = tuple(words[position : position + ANCHOR])
        places[key] = -1 if key in places else position
    return places


def _heaviest(passages: Sequence[_Passage]) -> set[int]:
    """The passages of the heaviest increasing sequence, by number."""
    best = [0] * len(passages)
    before = [-1] * len(passages)
    for i, passage in enumerate(passages):
        for j in range(i):
            if passages[j].truth < passage.truth and best[j] > best[i]:
                best[i], before[i] = best[j], j
        best[i] += passage.anchors
    position = max(range(len(passages)), key=best.__getitem__)
    chain: set[int] = set()
    while position >= 0:
        chain.add(position)
        position = before[position]
    return chain


def _fill(
    aligned: Alignment,
    truth: Sequence[str],
    numbers: Sequence[int],
    output: Sequence[str],
    end: int,
) -> None:
    """Compare words without equal words between them by their characters.

    ``end`` is the number of the word after them.
    """
    if not numbers:
        if output:
            aligned.inserted.append((end, " ".join(output)))
        return
    if not output:
        _lose(aligned, numbers)
        return
    expected, read = " ".join(truth[number] for number in numbers), " ".join(output)
    if len(expected) * len(read) > MOST_CELLS:
        _lose(aligned, numbers)
        aligned.uncompared += len(numbers)
        return
    places, equal = character_places(expected, read)
    spans: list[_Span] = []
    start = 0
    for number in numbers:
        stop = start + len(truth[number])
        first, last = places[start], places[stop]
        text = read[first:last]
        first += len(text) - len(text.lstrip())
        last -= len(text) - len(text.rstrip())
        if first < last:
            matched = equal[stop] - equal[start]
            spans.append(_Span(number, first, last, matched, equal[start + 1] > equal[start]))
        else:
            aligned.fates[number], aligned.texts[number] = Fate.LOST, ""
        start = stop + 1
    glued = _glue(aligned, truth, read, spans, end)
    for span in spans:
        text = read[span.first : span.last]
        length = len(truth[span.number]) + len(text.replace(" ", ""))
        if 2 * span.matched < LIKE * length:
            aligned.fates[span.number], aligned.texts[span.number] = Fate.RUBBISH, text
        elif text != truth[span.number]:
            aligned.fates[span.number], aligned.texts[span.number] = Fate.REWRITTEN, text
        elif span.number in glued:
            aligned.fates[span.number] = Fate.JOINED
            aligned.texts[span.number] = text + glued[span.number]


@dataclass(slots=True)
class _Span:
    """What stands for a word: a piece of the output, without spaces around it."""

    number: int
    first: int
    last: int
    matched: int
    """Characters of the word that are right."""
    starts_right: bool


def _glue(
    aligned: Alignment, truth: Sequence[str], read: str, spans: Sequence[_Span], end: int
) -> dict[int, str]:
    """Give what stands between the words to its neighbours, or note it as inserted.

    Specks that touch a word belong to it. Returns the words without a space after them, each with
    what stands in its place.
    """
    joined: dict[int, str] = {}
    done = 0
    for before, after in pairwise([None, *spans, None]):
        between = read[done : after.first if after else len(read)]
        done = after.last if after else done
        number = after.number if after else end
        if before and after and " " not in between and len(between) <= LONGEST_SPECK:
            is_right = read[before.first : before.last] == truth[before.number]
            if is_right and number == before.number + 1 and after.starts_right:
                joined[before.number] = between
            else:
                before.last += len(between)
            continue
        head, tail = between.partition(" ")[0], between.rpartition(" ")[2]
        if before and 0 < len(head) <= LONGEST_SPECK:
            before.last += len(head)
            between = between[len(head) :]
        if after and 0 < len(tail) <= min(LONGEST_SPECK, len(between)):
            after.first -= len(tail)
            between = between[: -len(tail)]
        if rest := between.strip():
            aligned.inserted.append((number, rest))
    return joined


def _lose(aligned: Alignment, numbers: Iterable[int]) -> None:
    for number in numbers:
        aligned.fates[number], aligned.texts[number] = Fate.LOST, ""
