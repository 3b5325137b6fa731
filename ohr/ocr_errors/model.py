"""The model of an engine's errors: counts in a small JSON file, with their provenance.

It holds no text of the data: only counts of words, run lengths, single characters, pairs of
characters, and what replaced them (at most three characters).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ohr.ocr_errors.words import LAYOUT_GROUPS, PARTS, WORD_KINDS

SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Upper bounds of the slices of pages, by the edit distance of their content. If several levels
were fitted, the first slice has the pages of the lowest one instead, whatever their distance: what
goes wrong there does so without noise."""
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)
"""Upper bounds of the bins of run lengths, in words."""
INSERTED = (1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70, 110, 200, 400)
"""Upper bounds of the bins of what is inserted, in characters."""
QUANTILES = 21
STYLES = ("characters", "rubbish", "loss")
SITES = 6
"""Most changed places in a word that are counted apart."""
WORD_LENGTHS = (3, 7, 1000)
"""Upper bounds of the bins of word lengths, in characters."""
LONGEST = 3
"""Most characters that replace one: longer ones are stretches."""
START, END = "start", "end"
"""Stand for the start and the end of a word among characters."""
RUBBISH_KEY = "..."
"""Stands for any longer text."""
LEAST_OF_LAYOUT = 20
"""Pages from which the ranks of a layout are believed."""
BINS = 10
"""Bins of the ranks of pages."""
LONGEST_OUTPUT = 29
"""Most characters of the output whose length is counted."""
FORMAT: Final = 4

Count = Annotated[int, Field(ge=0, le=10**12)]
Counts = tuple[Count, ...]
FateCounts = tuple[Counts, Counts, Counts, Counts]
_Firsts = Annotated[Counts, Field(min_length=5, max_length=5)]
_Nexts = Annotated[Counts, Field(min_length=4, max_length=4)]
_Sites = Annotated[Counts, Field(min_length=SITES, max_length=SITES)]
_Lengths = Annotated[Counts, Field(min_length=LONGEST_OUTPUT + 1, max_length=LONGEST_OUTPUT + 1)]
_Inserted = Annotated[Counts, Field(min_length=len(INSERTED), max_length=len(INSERTED))]
_Stretch = Annotated[str, Field(pattern=r"^(start|middle|end) \d \d$")]
_Replacements = Annotated[dict[str, Count], Field(min_length=1)]
Factor = Annotated[float, Field(ge=0.01, le=100)]
Share = Annotated[float, Field(ge=0, le=1)]
Clustering = Annotated[float, Field(ge=0, le=4)]
SliceRates = Annotated[tuple[Factor, ...], Field(min_length=len(SHARES), max_length=len(SHARES))]
LengthRates = Annotated[tuple[Factor, ...], Field(min_length=len(LENGTHS), max_length=len(LENGTHS))]
Balance = Annotated[tuple[Factor, ...], Field(min_length=5, max_length=5)]
SliceBalance = Annotated[tuple[Balance, ...], Field(min_length=len(SHARES), max_length=len(SHARES))]
Outcome = Literal["fits", "does not fit", "not decided", "not tested"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Level(_Part):
    """One condition that was fitted: the edit distances of its pages' content."""

    name: str
    pages: Annotated[int, Field(ge=1)]
    lost: Count
    """Pages without any output."""
    edit_distance: Share
    quantiles: Annotated[tuple[Share, ...], Field(min_length=QUANTILES, max_length=QUANTILES)]


class Runs(_Part):
    """Counts of the runs of words with errors in one part of the pages."""

    words: Count
    lengths: Annotated[Counts, Field(min_length=len(LENGTHS), max_length=len(LENGTHS))]
    """Runs by length (:data:`LENGTHS`); insertions between right words are runs of one."""
    first: tuple[_Firsts, _Firsts, _Firsts, _Firsts]
    """Fate of a run's first word (rewritten, rubbish, lost, joined, kept with something inserted
    after it): runs of 1, 2 to 4, 5 to 16, more."""
    following: tuple[_Nexts, _Nexts, _Nexts, _Nexts]
    """Fate of the next word in a run of up to 16, by that of the word before."""
    following_long: tuple[_Nexts, _Nexts, _Nexts, _Nexts]
    """The same in longer runs, which are often lost as a whole."""
    inserted: Count
    """Runs of output that stand for no word, next to a word with an error."""


_KindCounts = dict[str, tuple[Count, Count]]


def _check_keys(table: Mapping[str, Any], what: str, each: str, keys: Sequence[str]) -> None:
    if set(table) != set(keys):
        raise ValueError(f"give the {what} of each {each}: {', '.join(keys)}")


class Slice(_Part):
    """Counts over the pages of one of :data:`SHARES`."""

    name: str
    pages: Count
    runs: dict[str, Runs]
    """Part of the page (:data:`ohr.ocr_errors.words.PARTS`) -> its runs."""
    kinds: dict[str, _KindCounts]
    """Group of layouts (:data:`ohr.ocr_errors.words.LAYOUT_GROUPS`) -> kind of word -> words, and
    those with errors. A page with charts has its errors in them, a page of text in its text."""
    specks: tuple[Count, Count] = (0, 0)
    """Rewritten words of which only punctuation changed, and all rewritten words."""

    @field_validator("runs")
    @classmethod
    def _every_part(cls, runs: dict[str, Runs]) -> dict[str, Runs]:
        _check_keys(runs, "runs", "part", PARTS)
        return runs

    @field_validator("kinds")
    @classmethod
    def _every_kind(cls, kinds: dict[str, _KindCounts]) -> dict[str, _KindCounts]:
        _check_keys(kinds, "words", "group of layouts", LAYOUT_GROUPS)
        for counts in kinds.values():
            _check_keys(counts, "words", "kind", WORD_KINDS)
        return kinds


class Style(_Part):
    """Pages on which most edits are of one kind: characters, rubbish or loss."""

    name: str
    slices: Annotated[tuple[Slice, ...], Field(min_length=len(SHARES), max_length=len(SHARES))]


class Channel(_Part):
    """What becomes of the characters of a rewritten word."""

    seen: dict[str, Count]
    """How often each character could have changed; :data:`START` and :data:`END` are those of a
    word."""
    single: dict[str, _Replacements]
    """Character -> what replaced it -> how often."""
    after: dict[str, _Replacements]
    """The character before (:data:`START` if there is none) and the character -> what replaced it
    -> how often."""
    stretches: dict[_Stretch, Count]
    """``start 4 0``: place in the word, characters removed and written -> how often."""
    alone: dict[str, dict[str, Count]] = {}
    """Word of one character -> what stands for it, itself included -> how often; the empty string
    if it is lost, :data:`RUBBISH_KEY` if more than :data:`LONGEST` characters stand for it."""
    specks: dict[str, dict[str, Count]] = {}
    """Words of which only punctuation changed: ``before`` or ``after`` -> what was written there
    -> how often; ``within`` if the word's own punctuation changed."""
    joints: dict[str, Count] = {}
    """What stands for the space between joined words -> how often."""


class Rubbish(_Part):
    """Output that has little in common with the word, or stands for none."""

    pairs: dict[str, dict[str, Count]]
    """Character -> the next one -> how often; the empty string is the start and the end."""
    short: dict[str, dict[str, Count]] = {}
    """Kind of the word before -> what of at most :data:`LONGEST` characters was inserted."""


class OutputLengths(_Part):
    """How much changes in words, and how much stands for them, on the pages of one slice."""

    sites: Annotated[
        tuple[_Sites, ...], Field(min_length=len(WORD_LENGTHS), max_length=len(WORD_LENGTHS))
    ]
    """Words with other letters, by the number of places that changed (1 to :data:`SITES`), by the
    word's length."""
    rubbish: Annotated[
        tuple[_Lengths, ...], Field(min_length=len(WORD_LENGTHS), max_length=len(WORD_LENGTHS))
    ]
    """Rubbish by its length (0 to 29 characters), by the word's length."""
    inserted: dict[str, _Inserted]
    """Kind of the word before -> what stands for no word, by its length (:data:`INSERTED`)."""

    @field_validator("inserted")
    @classmethod
    def _every_kind(cls, inserted: dict[str, Counts]) -> dict[str, Counts]:
        _check_keys(inserted, "lengths", "kind", WORD_KINDS)
        return inserted


class Formulas(_Part):
    """What became of formulas."""

    count: Count
    right: Count
    """With the same symbols, as formulas or not."""
    lost: Count
    symbols: Count
    """Characters of the formulas that were neither right nor lost, without commands."""
    edits: Count
    """Edits of these characters."""
    became: dict[str, dict[str, Count]] = {}
    """Character of these formulas -> what stands for it, itself included -> how often."""
    spaced: tuple[Count, Count] = (0, 0)
    """Operators of these formulas with spaces around them in the output, and all."""


class Layout(_Part):
    """Pages of one kind (:func:`ohr.ocr_errors.words.page_layout`) among all pages."""

    name: str
    ranks: Annotated[Counts, Field(min_length=BINS, max_length=BINS)]
    """Pages by their rank within their level, best tenth first."""


class Provenance(_Part):
    """Where the counts come from."""

    engine: str
    noise: str
    data: str
    documents: Count
    pages: Count
    words: Count
    command: str
    made_with: str


class GroupCheck(_Part):
    """What the check by other documents says of one group of questions and pages."""

    group: str
    outcome: Outcome
    pages: Count
    questions: Count = 0
    r_noise: float | None = None
    """Largest |difference| from the real output over the levels."""
    lcs: float | None = None
    r_noise_bound: float | None = None
    """Largest |end| of the 95 % intervals of these differences; None in models that were checked
    before fitting was tested as equivalence."""
    lcs_bound: float | None = None
    note: str = ""

    @model_validator(mode="after")
    def _fits_only_by_equivalence(self) -> GroupCheck:
        """A model whose check had no intervals is not said to fit."""
        if self.outcome == "fits" and self.r_noise_bound is None:
            undecided = "checked without intervals"
            return self.model_copy(update={"outcome": "not decided", "note": undecided})
        return self


class Check(_Part):
    """The check that :mod:`ohr.analysis.ocr_errors` makes of every fit."""

    discriminator: float | None = None
    """AUC: .5 means that nothing distinguishes made errors from real ones."""
    discriminator_uniform: float | None = None
    verdicts: tuple[GroupCheck, ...] = ()


class ErrorModel(_Part):
    """An engine's errors, as counts."""

    format: Literal[4] = FORMAT
    provenance: Provenance
    levels: Annotated[tuple[Level, ...], Field(min_length=1)]
    styles: Annotated[tuple[Style, ...], Field(min_length=len(STYLES), max_length=len(STYLES))]
    layouts: tuple[Layout, ...] = ()
    reached: Annotated[float, Field(gt=0, le=2)] = 1.0
    """Edit distance of the pages that are made, aligned again, over the one that was wanted."""
    clustering: tuple[Clustering, Clustering] = (0.0, 0.0)
    """How unevenly errors spread over a page's passages: the standard deviation of the logarithm
    of their rate between narrow and between wide windows of words."""
    length_rates: LengthRates = (1.0,) * len(LENGTHS)
    """Runs of each length that are drawn, over the counted ones: runs that are made may touch, and
    words beside an error may be aligned as wrong, too."""
    balance: dict[str, tuple[Balance, Balance]] = {}
    """Kind of word -> chances with which its words are rewritten, rubbish, lost or joined and
    something is inserted after them, over the counted ones: alone, and in runs of several words.
    Kinds differ, and errors that touch are counted as others."""
    slice_balance: dict[str, SliceBalance] = {}
    """Part of the page -> the same by the slice of the run, best pages first."""
    kind_rates: dict[str, SliceRates] = {}
    """Kind of word -> rate of errors in the runs of each slice, over what ``kinds`` implies."""
    channel: Channel
    rubbish: Rubbish
    output_lengths: Annotated[
        tuple[OutputLengths, ...], Field(min_length=len(SHARES), max_length=len(SHARES))
    ]
    """By slice: the worse a page, the more stands for a word."""
    formulas: Formulas
    structure: dict[str, tuple[Count, Count]]
    """Kind of mark-up -> regions in the truth, and those that the output lacks."""
    moved: tuple[Count, Count]
    """Passages and words that stand elsewhere in the output: reported, never made."""
    check: Check = Check()

    def page_share(self, intensity: float, rank: float) -> float:
        """The edit distance wanted of a page of this rank (in [0, 1]) among all pages.

        The mean over ranks is ``intensity``. It never falls as the intensity rises: between the
        levels that were fitted, none and everything lost, the quantiles are interpolated.
        """
        points: list[tuple[float, Sequence[float]]] = [(0.0, (0.0,) * QUANTILES)]
        for level in sorted(self.levels, key=lambda level: level.edit_distance):
            rising = [max(a, b) for a, b in zip(points[-1][1], level.quantiles, strict=True)]
            if (mean := _mean(rising)) > points[-1][0]:
                points.append((mean, rising))
        points.append((1.0, (1.0,) * QUANTILES))
        for (low, below), (high, above) in pairwise(points):
            if intensity <= high:
                weight = (intensity - low) / (high - low) if high > low else 1.0
                return (1 - weight) * quantile(below, rank) + weight * quantile(above, rank)
        return 1.0

    def page_rank(self, layout: str, uniform: float) -> float:
        """The rank that a page of this layout has among all pages, from a number in [0, 1].

        A layout that was hardly fitted has the ranks of all pages.
        """
        counts = next((entry.ranks for entry in self.layouts if entry.name == layout), ())
        if (total := sum(counts)) < LEAST_OF_LAYOUT:
            return uniform
        remaining = uniform * total
        for number, count in enumerate(counts):
            if remaining < count:
                return (number + remaining / count) / BINS
            remaining -= count
        return 1.0

    @property
    def lowest(self) -> Level:
        """The level with the least edit distance; from there on mark-up is dropped in full."""
        return min(self.levels, key=lambda level: level.edit_distance)


def _mean(quantiles: Sequence[float]) -> float:
    """The mean of a distribution by its quantiles (trapezoids)."""
    return (sum(quantiles) - (quantiles[0] + quantiles[-1]) / 2) / (len(quantiles) - 1)


def quantile(quantiles: Sequence[float], rank: float) -> float:
    """The quantile at a rank in [0, 1]."""
    place = rank * (len(quantiles) - 1)
    low = min(int(place), len(quantiles) - 2)
    return quantiles[low] + (place - low) * (quantiles[low + 1] - quantiles[low])
