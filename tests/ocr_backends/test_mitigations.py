"""Repairs of images and texts, fusions of texts, and the engines that use them."""

from __future__ import annotations

import importlib.util
from collections import Counter
from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.fused import Fused, FusedParams
from ocr_backends.repaired import Repaired, RepairedParams
from ocr_backends.repairs.add_words import AddWords
from ocr_backends.repairs.alignment import gaps, rewritten
from ocr_backends.repairs.clean import Clean, CleanParams
from ocr_backends.repairs.correct import Correct, CorrectParams
from ocr_backends.repairs.upscale import Upscale, UpscaleParams, letter_height
from ocr_backends.repairs.vote import Vote
from ohr.errors import ConfigError
from ohr.plugins import OcrBackend, TextRepair
from ohr.types import Outcome, Status
from tests.examples import examples

needs_symspell = pytest.mark.skipif(
    importlib.util.find_spec("symspellpy") is None, reason="no symspellpy"
)
WORDS = st.lists(st.sampled_from(["a", "b", "c", "12", "1O", "x!"]), max_size=12)
PAGE = np.full((60, 40), 255, np.uint8)
FOREIGN = {
    "German": "Der Kapitän zahlte im Hafen zwölf Kronen für das Holz, denn ein anderer wollte es "
    "nicht kaufen; danach fuhren sie gegen den Wind zu einer kleinen Insel.",
    "French": "Le capitaine paya douze pièces pour le bois du port, parce que personne ne voulait "
    "les garder; puis ils partirent contre le vent vers une petite île.",
    "Dutch": "De schipper betaalde twaalf kronen voor het hout in de haven, omdat niemand anders "
    "het wilde kopen; daarna voeren zij tegen de wind naar een klein eiland.",
    "Polish": "kapitan zapłacił dwanaście koron za drewno w porcie, bo nikt inny nie chciał go "
    "kupić; potem popłynęli pod wiatr na małą wyspę",
    "Spanish": "el capitán pagó doce coronas por la madera del puerto, porque nadie quería "
    "comprarla; después navegaron contra el viento hacia una isla",
    "few": "zwei Körbe kosten dreimal mehr",
}


class Shouts(TextRepair):
    """Makes a text all capitals."""

    name = "shouts"

    def repair(self, text: str) -> str:
        return text.upper()


class Fails(OcrBackend):
    """Fails on every page."""

    name = "fails"

    def read(self, image: np.ndarray) -> Outcome[str]:
        return Outcome.error("out of order")


class Blind(OcrBackend):
    """Sees no text on any page."""

    name = "blind"

    def read(self, image: np.ndarray) -> str:
        return ""


class Sees(OcrBackend):
    """Reads the same text everywhere."""

    name = "sees"

    def read(self, image: np.ndarray) -> str:
        return "the fee is 1,200"


class German(OcrBackend):
    """Reads a German sentence on every page."""

    name = "german"

    def read(self, image: np.ndarray) -> str:
        return FOREIGN["German"]


HERE = "tests.ocr_backends.test_mitigations"


@cache
def correct() -> Correct:
    """With the English dictionary, loaded once."""
    return Correct()


@examples(100)
@given(WORDS, WORDS)
def test_gaps_are_all_that_differs(words, others):
    place = other_place = 0
    for gap in gaps(words, others):
        assert words[place : gap.start] == others[other_place : gap.other_start]
        assert gap.start < gap.end or gap.other_start < gap.other_end
        place, other_place = gap.end, gap.other_end
    assert words[place:] == others[other_place:]


def test_white_space_stays_when_words_are_replaced():
    assert rewritten(" a\n\n b ", ["x y", ""]) == " x y\n\n  "
    with pytest.raises(ValueError, match="argument 2"):
        rewritten("a b", ["a"])


@examples(100)
@given(WORDS, WORDS)
def test_added_words_are_those_that_only_the_other_text_has(words, others):
    texts = [" ".join(words), " ".join(others)]
    text = AddWords().fuse(texts)
    fused, added = text.split(), (Counter(others) - Counter(words)).total()
    assert Counter(fused) == Counter(words) | Counter(others)
    note = AddWords().note(texts, text)
    assert note.startswith(f"{added} of {len(fused)} words ") if added else not note
    remaining = iter(fused)
    assert all(word in remaining for word in words)  # in the same order


@examples(100)
@given(WORDS, st.lists(WORDS, max_size=3))
def test_a_vote_keeps_the_number_of_words_and_agrees_with_itself(words, others):
    text = " ".join(words)
    fused = Vote().fuse([text, *map(" ".join, others)])
    assert len(fused.split()) == len(words)
    assert Vote().fuse([text, text]) == text


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["the harb0ur of Lindvik", "the harbour of Lindvik"], "the harbour of Lindvik"),
        (["harbour fees. The harbaur", "harbour fees. The harbour"], "harbour fees. The harbour"),
        (["fee 1,2O0 a day", "fee 1,200 a day"], "fee 1,200 a day"),
        (["fee 1,280 a day", "fee 1,200 a day"], "fee 1,280 a day"),
        (["fee 1,280 a", "fee 1,200 a", "fee 1,200 a"], "fee 1,200 a"),
        (["one\n\nthree", "one two three"], "one\n\nthree"),
    ],
)
def test_a_vote_takes_the_better_reading(texts, expected):
    assert Vote().fuse(texts) == expected


@pytest.mark.slow
@needs_symspell
def test_corrections_change_no_number_name_or_mark_up():
    text = "The compnay Lindvlk paid $1,2O0 in 2O19. \\textbf{harbuor} $allpha$ <tabel> teh"
    expected = "The company Lindvlk paid $1,2O0 in 2O19. \\textbf{harbour} $allpha$ <tabel> teh"
    assert correct().repair(text) == expected


@pytest.mark.slow
@needs_symspell
@examples(60)
@given(st.text("aeo1 A.$<>\n", max_size=40))
def test_corrections_keep_everything_but_small_letters(text):
    corrected = correct().repair(text)
    assert [c for c in corrected if not c.islower()] == [c for c in text if not c.islower()]


@needs_symspell
def test_a_dictionary_of_ones_own(tmp_path):
    (tmp_path / "words.txt").write_text("zorbulate 9\n")
    speller = Correct(CorrectParams(dictionary=tmp_path / "words.txt"))
    assert speller.repair("we zorbulatt it") == "we zorbulate it"
    assert speller.identity() != Correct().identity()
    with pytest.raises(ConfigError, match="no dictionary"):
        Correct(CorrectParams(dictionary=tmp_path / "none.txt")).identity()
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(ConfigError, match="no words"):
        Correct(CorrectParams(dictionary=tmp_path / "empty.txt")).repair("some words")


def letters(height: int) -> np.ndarray:
    """A page of 40 bars, each as high as a letter."""
    page = np.full((600, 900), 255, np.uint8)
    for place in range(40):
        x, y = 40 + 40 * (place % 20), 60 + 200 * (place // 20)
        cv2.rectangle(page, (x, y), (x + height // 2, y + height - 1), 0, -1)
    return page


def test_small_letters_are_enlarged():
    small = letters(12)
    assert letter_height(small) == 12
    assert Upscale().repair(small).shape == (1200, 1800)
    assert Upscale(UpscaleParams(most=1.5)).repair(small).shape == (900, 1350)


@pytest.mark.parametrize("page", [letters(24), letters(60), PAGE, np.zeros((5, 700, 3), np.uint8)])
def test_other_pages_keep_their_size(page):
    assert Upscale().repair(page) is page


def test_a_clean_page_is_black_on_white():
    page = letters(24)
    dark = (page * np.linspace(0.4, 1, 900)).astype(np.uint8)
    assert np.mean(Clean().repair(dark) == page) > 0.99
    grey = Clean(CleanParams(binarise=False)).repair(np.stack([dark] * 3, axis=2))
    assert grey.shape == page.shape
    assert np.abs(grey.astype(int) - page).mean() < 3
    assert Clean().repair(PAGE) is PAGE


def test_texts_are_repaired_after_images():
    steps = ["light", f"{HERE}.Shouts"]
    engine = Repaired(RepairedParams(engine=f"{HERE}.Sees", steps=steps))
    assert engine.read(PAGE) == Outcome("THE FEE IS 1,200", Status.OK, "not changed by light")
    with pytest.raises(ConfigError, match="must come before"):
        Repaired(RepairedParams(engine=f"{HERE}.Sees", steps=steps[::-1]))
    with pytest.raises(ConfigError, match="repairs neither"):
        Repaired(RepairedParams(engine=f"{HERE}.Sees", steps=["vote"]))


def test_engines_are_fused():
    params = FusedParams(engines=[f"{HERE}.Blind", f"{HERE}.Sees"], method="add_words")
    outcome = Fused(params).read(PAGE)
    assert outcome.value == "the fee is 1,200"
    added = "add_words: 4 of 4 words are another engine's alone"
    assert outcome.detail == f"{HERE}.Blind read nothing; {added}"
    same = Fused(FusedParams(engines=[f"{HERE}.Sees", f"{HERE}.Sees"], method="add_words"))
    assert same.read(PAGE) == Outcome("the fee is 1,200", Status.OK)
    failed = Fused(FusedParams(engines=[f"{HERE}.Sees", f"{HERE}.Fails"])).read(PAGE)
    assert (failed.status, failed.detail) == (Status.ERROR, f"{HERE}.Fails: out of order")
    with pytest.raises(ConfigError, match="fuses no texts"):
        Fused(FusedParams(engines=[f"{HERE}.Sees", f"{HERE}.Sees"], method="light"))
    with pytest.raises(ConfigError, match="reads no page images"):
        Fused(FusedParams(engines=["tesseract", "gt"]))


@needs_symspell
def test_every_text_is_corrected_if_one_wants(tmp_path):
    (tmp_path / "words.txt").write_text("harbour 9\n")
    params = CorrectParams(dictionary=tmp_path / "words.txt", least_known=0)
    text = "zwei Wochen und drei Tage im harbuor sind genug"
    assert Correct(params).repair(text) == text.replace("harbuor", "harbour")
    assert Correct(CorrectParams(dictionary=tmp_path / "words.txt")).repair(text) == text


@needs_symspell
@pytest.mark.parametrize("language", FOREIGN)
def test_text_in_another_language_is_not_corrected(language):
    speller, text = correct(), FOREIGN[language]
    assert speller.repair(text) == text
    assert "words are in the dictionary" in speller.reason(text)


@needs_symspell
def test_a_foreign_paragraph_stays_beside_one_that_is_corrected():
    english = (
        "The captian paid twelve crowns for the timbr in the harbour, because nobody else wanted "
        "to buy it at such a price. Then they sailed against the wind to a small island, where "
        "the people had waited for salt since the winter and gave wool for it."
    )
    text = f"{english}\n\n{FOREIGN['German']}\n\n{english}"
    expected = english.replace("captian", "captain").replace("timbr", "timber")
    assert correct().repair(text) == f"{expected}\n\n{FOREIGN['German']}\n\n{expected}"
    assert correct().reason(text) == ""


@pytest.mark.slow
@needs_symspell
def test_an_engine_says_that_a_foreign_page_is_not_corrected():
    engine = Repaired(RepairedParams(engine=f"{HERE}.German", steps=["correct"]))
    outcome = engine.read(PAGE)
    assert outcome.value == FOREIGN["German"]
    assert "correct: left as it is: " in outcome.detail
    assert "not changed by" not in outcome.detail
