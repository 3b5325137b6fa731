"""The model of OCR errors: fitted counts, and errors made from them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from ohr.errors import OhrError
from ohr.metrics.alignment import Fate, align
from ohr.ocr_errors.counts import count_errors
from ohr.ocr_errors.edits import is_lost, make_edits, page_edits, rewrite
from ohr.ocr_errors.files import read_model, shipped_models, write_model
from ohr.ocr_errors.fit import fit_model
from ohr.ocr_errors.make import ErrorMaker
from ohr.ocr_errors.model import SHARES, ErrorModel
from ohr.ocr_errors.pages import (
    PagePair,
    align_pair,
    error_runs,
    page_slices,
    ranks,
)
from ohr.ocr_errors.replacements import changes
from ohr.ocr_errors.times import kind_times
from ohr.ocr_errors.words import WORD_KINDS, page_words
from ohr.types import PageRef
from tests.ohr.ocr_errors.conftest import PROVENANCE, page

pytestmark = pytest.mark.slow


def fates_of(maker, page, share, rank, rng):
    fates = [Fate.RIGHT] * len(page.words)
    errors = maker.errors(page, share, rank, rng, maker.fixed(page, rng))
    for number, (fate, _) in errors.texts.items():
        fates[number] = fate
    return fates


def runs_of(model: ErrorModel):
    slices = [slice_ for style in model.styles for slice_ in style.slices]
    return [runs for slice_ in slices for runs in slice_.runs.values()]


def test_changes_of_a_word_are_its_sites():
    assert changes("modern", "modem") == [(4, 6, "m")]
    assert changes("cat", "cot") == [(1, 2, "o")]
    assert changes("cat", "at") == [(0, 1, "")]
    assert changes("cat", "cat") == []


def test_runs_of_errors():
    fates = [Fate.RIGHT, Fate.LOST, Fate.REWRITTEN, Fate.RIGHT, Fate.LOST]
    assert error_runs(fates) == [(1, 3), (4, 5)]
    assert error_runs([]) == []


def test_ranks_are_within_a_level(pages):
    of_rank = ranks(pages)
    assert sorted(of_rank) == [pytest.approx((i + 0.5) / 12) for i in range(12)]
    assert of_rank.index(max(of_rank)) == 11, "most words of the last page are lost"


def test_the_model_holds_counts_of_what_happened(model):
    assert model.levels[0].pages == 12
    assert model.channel.single["a"]["e"] > 0
    assert set(model.channel.single) <= {"a", "start"}, "no other character was rewritten"
    lost = sum(sum(row[2] for row in runs.first) for runs in runs_of(model))
    assert lost > 0


def test_the_model_holds_no_word(model, pages):
    text = write_model(model)
    assert not any(word in text for words in pages for word in words.words.words if len(word) > 6)


def test_the_wanted_distance_is_the_mean_over_ranks_and_never_falls(model):
    middles = [(i + 0.5) / 200 for i in range(200)]
    for wanted in (0.0, 0.02, 0.1, 0.4, 0.9, 1.0):
        shares = [model.page_share(wanted, rank) for rank in middles]
        assert float(np.mean(shares)) == pytest.approx(wanted, abs=0.01)
        more = [model.page_share(min(1.0, wanted + 0.05), rank) for rank in middles]
        assert all(a <= b + 1e-12 for a, b in zip(shares, more, strict=True))


def test_made_errors_have_the_wanted_edit_distance(model):
    maker = ErrorMaker(model)
    reached = []
    for number in range(30, 42):
        words = page_words(" ".join(page(number)))
        seeds = np.random.default_rng(number), np.random.default_rng(number + 1)
        made = page_words(rewrite(words.source, page_edits(maker, words, 0.15, 0.5, 1.0, *seeds)))
        reached.append(align(words.words, made.words).share(words.words))
    assert float(np.mean(reached)) == pytest.approx(0.15, abs=0.04)


def test_made_errors_are_bunched_as_the_real_ones(model, pages):
    maker = ErrorMaker(model)
    made, real = [], []
    for rank, number in zip(ranks(pages), range(12), strict=True):
        fates = fates_of(
            maker, pages[number].words, pages[number].share, rank, np.random.default_rng(3)
        )
        made += [b - a for a, b in error_runs(fates)]
        real += [b - a for a, b in error_runs(pages[number].alignment.fates)]
    assert np.mean(made) > 2, "independent errors would be alone"
    assert np.mean(made) == pytest.approx(np.mean(real), rel=0.9)


FORMULAS = " ".join(
    f"## Part {i}\n\nthe *area* of circle {i} is $\\pi r_{i}^2 + a_{i}$, the sum is $\\sum x_{i}$"
    for i in range(6)
)


def seeds_of(model: ErrorModel) -> list[int]:
    """Forty seeds, and five with which the page is lost, if the model loses pages."""
    lost = [s for s in range(2000) if is_lost(model, np.random.default_rng(s).random())]
    return [*range(40), *lost[:5]]


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_models())
def test_a_higher_intensity_has_all_edits_of_a_lower_one(name):
    shipped = read_model(name)
    maker, seeds = ErrorMaker(shipped), seeds_of(shipped)
    assert (len(seeds) == 45) == any(level.lost for level in shipped.levels)
    for seed in seeds:
        lower: set[tuple[int, str, str]] = set()
        for intensity in (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.0):
            edits = set(make_edits(maker, FORMULAS, intensity, np.random.default_rng(seed)))
            assert lower <= edits, f"seed {seed}, intensity {intensity}"
            lower = edits
        assert lower


@pytest.mark.slow
def test_what_a_maker_keeps_changes_no_edit(model, monkeypatch):
    """The runs of a page are drawn once per draw and rank, not once per edit distance."""
    sources = [" ".join(page(number)) for number in range(4)]
    shares = [(share, rank) for share in (0.3, 0.05, 0.6) for rank in (0.2, 0.9)]

    def made(maker: ErrorMaker, source: str, seed: int, share: float, rank: float):
        seeds = np.random.default_rng(seed), np.random.default_rng(seed + 1)
        return page_edits(maker, page_words(source), share, rank, 1.0, *seeds)

    cases = [(s, n, *of) for of in shares for s in sources for n in range(2)]
    alone = [made(ErrorMaker(model), *case) for case in cases]
    reused = ErrorMaker(model)
    assert [made(reused, *case) for case in cases] == alone
    draws = []
    monkeypatch.setattr(reused, "_draw", lambda *args: draws.append(args))
    assert [made(reused, *case) for case in cases] == alone
    assert draws == [], "all runs are known"
    monkeypatch.setattr("ohr.ocr_errors.make.CACHED_RUNS", 3)
    few = ErrorMaker(model)
    assert [made(few, *case) for case in cases] == alone


def test_pages_without_words_cannot_be_fitted():
    empty = [align_pair(PagePair(PageRef("d", 0), "law", "clean", " ", ""))]
    with pytest.raises(OhrError, match="no page"):
        fit_model(empty, PROVENANCE)


@pytest.mark.slow
def test_kinds_of_words_have_their_own_fates():
    """An engine that loses the cells of tables and rewrites text."""
    pairs = []
    for number in range(16):
        words, cells = page(number, 120), page(100 + number, 60)
        table = "".join(f"| {' | '.join(cells[i : i + 4])} |\n" for i in range(0, 60, 4))
        table = table.replace("\n", "\n| --- | --- | --- | --- |\n", 1)
        ref = PageRef(f"d{number % 4}", number)
        wrong = [w.replace("a", "e") if i % 3 else w for i, w in enumerate(words)]
        output = " ".join([*wrong, *cells[:20]])
        pairs.append(PagePair(ref, "law", "clean", " ".join(words) + "\n\n" + table, output))
    aligned = [align_pair(pair) for pair in pairs]
    maker = ErrorMaker(fit_model(aligned, PROVENANCE))
    of_kind = {0: Counter(), 2: Counter()}
    for number, one in enumerate(aligned):
        fates = fates_of(maker, one.words, one.share, 0.5, np.random.default_rng(number))
        for kind, fate in zip(one.words.kinds, fates, strict=True):
            of_kind[kind][fate] += 1
    assert of_kind[0][Fate.REWRITTEN] > 4 * of_kind[0][Fate.LOST]
    assert of_kind[2][Fate.LOST] > 4 * of_kind[2][Fate.REWRITTEN]


def page_with_chart(number: int) -> tuple[list[str], str]:
    """The text of a page, and a chart whose words are lost."""
    cells = page(100 + number, 12)
    rows = " \\\\\n".join(" & ".join(cells[i : i + 4]) for i in range(0, 12, 4))
    table = f"\\begin{{tabular}}{{|c|c|c|c|}}\n{rows} \\\\\n\\end{{tabular}}"
    return page(number, 200), f"<chart>\n{table}\n</chart>"


def test_kinds_of_words_have_rates_by_the_layout_of_the_page():
    pairs = []
    for number in range(24):
        words, chart = page_with_chart(number)
        ref = PageRef(f"d{number % 4}", number)
        if number % 2:
            truth, output = f"{' '.join(words)}\n\n{chart}", " ".join(words)
        else:
            truth = " ".join(words)
            output = truth.replace("a", "e")
        pairs.append(PagePair(ref, "law", "clean", truth, output))
    aligned = [align_pair(pair) for pair in pairs]
    assert all(0.01 < one.share < 0.1 for one in aligned)
    times = kind_times(count_errors(aligned, PROVENANCE))
    text, chart = (WORD_KINDS.index(kind) for kind in ("text", "chart"))
    slices = 1 + np.array(page_slices(aligned))
    on_charts = times["charts"].of_kinds[:, slices[1]]
    assert on_charts[chart] > 0.7 > 0.01 > on_charts[text]
    assert times["text"].of_kinds[text, slices[0]] > 0.1


@pytest.mark.slow
def test_the_first_slice_has_the_pages_without_noise(level_pages, level_model):
    aligned = level_pages
    assert [of == 0 for of in page_slices(aligned)] == [True, False] * 60
    alone = aligned[1::2]
    by_distance = [bisect_left(SHARES, page.share) for page in alone]
    assert page_slices(alone) == by_distance, "with one level"
    assert {style.slices[0].name for style in level_model.styles} == {"level clean"}


def test_what_goes_wrong_without_noise_does_so_first(level_pages, level_model):
    aligned, maker = level_pages, ErrorMaker(level_model)
    first, all_of_them = Counter(), Counter()
    for number, one in enumerate(aligned[1::2]):
        rank, seed = (number + 0.5) / 60, np.random.default_rng(number)
        without_noise = aligned[2 * number].share
        first.update(fates_of(maker, one.words, without_noise, rank, seed))
        seed = np.random.default_rng(number)
        all_of_them.update(fates_of(maker, one.words, one.share, rank, seed))
    assert first[Fate.LOST] > 3 * first[Fate.REWRITTEN]
    assert all_of_them[Fate.REWRITTEN] > all_of_them[Fate.LOST]


@pytest.mark.parametrize("count", [60, 400, 2000])
def test_every_word_goes_wrong_in_the_end(count):
    maker, words = ErrorMaker(read_model("tesseract")), page_words(" ".join(page(7, count)))
    for seed in range(80):
        runs = maker.page_runs(words, 0.5, np.random.default_rng(seed))
        assert {n for run in runs for n in range(run.start, run.end)} == set(range(count))
    errors = maker.errors(words, 1.0, 0.5, np.random.default_rng(0), {})
    assert len(errors.texts) > 0.9 * count


def windows_with_errors(fates: Sequence[Fate]) -> float:
    """The share of windows of 25 words in which a word is wrong."""
    windows = [fates[position : position + 25] for position in range(0, len(fates) - 25, 5)]
    return sum(any(window) for window in windows) / len(windows)


@pytest.mark.slow
def test_errors_of_good_pages_are_spread_although_bad_pages_lose_long_runs():
    pairs = []
    for number in range(24):
        words, rng = page(number, 400), np.random.default_rng(number)
        if number % 2:
            output = [*words[:50], *words[250:]]
        else:
            chosen = set(rng.choice(400, size=16, replace=False).tolist())
            output = [f"x{word}" if i in chosen else word for i, word in enumerate(words)]
        ref = PageRef(f"d{number % 4}", number)
        pairs.append(PagePair(ref, "law", "clean", " ".join(words), " ".join(output)))
    aligned = [align_pair(pair) for pair in pairs]
    maker = ErrorMaker(fit_model(aligned, PROVENANCE))
    real, made = [], []
    for number, one in enumerate(aligned[::2]):
        fates = fates_of(maker, one.words, one.share, 0.2, np.random.default_rng(number))
        real.append(windows_with_errors(one.alignment.fates))
        made.append(windows_with_errors(fates))
    assert np.mean(made) == pytest.approx(np.mean(real), abs=0.1)


@pytest.mark.slow
def test_characters_that_are_never_read_do_not_stand_for_other_errors():
    """An engine that reads no bullet and rewrites a word in fifty."""
    pairs = []
    for number in range(24):
        items = [page(100 * number + item, 10) for item in range(20)]
        words = [word for item in items for word in ("-", *item)]
        output = [
            "«" if word == "-" else f"x{word}" if i % 50 == 7 else word
            for i, word in enumerate(words)
        ]
        ref = PageRef(f"d{number % 4}", number)
        pairs.append(PagePair(ref, "law", "clean", " ".join(words), " ".join(output)))
    aligned = [align_pair(pair) for pair in pairs]
    fitted = fit_model(aligned, PROVENANCE)
    assert sum(sum(runs.lengths) for runs in runs_of(fitted)) == 5 * len(aligned)
    maker, fates, distance = ErrorMaker(fitted), Counter(), []
    for number, one in enumerate(aligned):
        seeds = np.random.default_rng(number), np.random.default_rng(number)
        edits = page_edits(maker, one.words, one.share, 0.5, 1.0, *seeds)
        made = align(one.words.words, page_words(rewrite(one.pair.truth, edits)).words)
        distance.append(made.share(one.words.words))
        fates.update(
            fate
            for word, fate in zip(one.words.words, made.fates, strict=True)
            if fate and word != "-"
        )
    assert fates[Fate.REWRITTEN] > 9 * (fates[Fate.RUBBISH] + fates[Fate.LOST])
    assert np.mean(distance) == pytest.approx(np.mean([one.share for one in aligned]), rel=0.1)


def test_formulas_are_lost_or_right_as_often_as_the_engine_has_it():
    """One formula in four is lost, two are read as text, and one has a wrong symbol."""
    pairs = []
    for number in range(24):
        words = page(number, 60)
        formulas = [f"a{i}=b+{i}c" for i in range(8)]
        truth = [part for w, f in zip(words[::8], formulas, strict=False) for part in (w, f"${f}$")]
        read = [
            part
            for i, (w, f) in enumerate(zip(words[::8], formulas, strict=False))
            for part in ((w,), (w, f), (w, f), (w, f.replace("=", "-")))[i % 4]
        ]
        ref = PageRef(f"d{number % 4}", number)
        pairs.append(PagePair(ref, "textbook", "clean", " ".join(truth), " ".join(read)))
    aligned = [align_pair(pair) for pair in pairs]
    maker, fates = ErrorMaker(fit_model(aligned, PROVENANCE)), Counter()
    for number, one in enumerate(aligned):
        for position, (fate, text) in maker.fixed(one.words, np.random.default_rng(number)).items():
            fates["right" if text == one.words.words[position] else fate] += 1
    assert fates.total() == 24 * 8
    assert fates[Fate.LOST] / fates.total() == pytest.approx(0.25, abs=0.1)
    assert fates["right"] / fates.total() == pytest.approx(0.5, abs=0.1)


@pytest.mark.slow
def test_long_lost_runs_stay_lost():
    pairs = []
    for number in range(12):
        words = page(number, 400)
        lost = [*words[:50], *words[130:]] if number % 2 else words
        output = [w.replace("a", "e") if i % 5 == 0 else w for i, w in enumerate(lost)]
        ref = PageRef(f"d{number % 4}", number)
        pairs.append(PagePair(ref, "law", "clean", " ".join(words), " ".join(output)))
    aligned = [align_pair(pair) for pair in pairs]
    fitted = fit_model(aligned, PROVENANCE)
    after_lost = [runs.following_long[2] for runs in runs_of(fitted)]
    assert sum(row[2] for row in after_lost) > 20 * sum(sum(row[:2]) for row in after_lost)
    maker = ErrorMaker(fitted)
    longest = 0
    for number, one in enumerate(aligned):
        fates = fates_of(maker, one.words, 0.3, 0.9, np.random.default_rng(number))
        runs = "".join("x" if fate is Fate.LOST else " " for fate in fates).split()
        longest = max(longest, *map(len, runs))
    assert longest > 30
