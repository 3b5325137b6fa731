from __future__ import annotations

from ohr.quality.doubt import contradicted_layers
from ohr.quality.table import Observation
from ohr.types import Holes, Outcome, PageRef, Word

REF = PageRef("documents/minutes", 0)
TEXT = "The harbour office opens at nine each morning and closes when the last boat is in"
CIPHER = "Wkh kduerxu riilfh rshqv dw qlqh hdfk pruqlqj dqg forvhv zkhq wkh odvw erdw lv lq"


def seen(text, sure=0.95, jitter=0.0):
    words = tuple(Word(word, sure + jitter, (0, 0, 9, 9)) for word in text.split())
    return {REF: Observation(Outcome.of_text(text), (), words)}


def contradicted(one, other, layer):
    return contradicted_layers({"tesseract": one, "rapidocr": other}, {REF: layer})


def test_a_layer_that_two_sure_engines_contradict_is_at_fault():
    found = contradicted(seen(TEXT), seen(TEXT, 0.97), CIPHER)
    assert found == {
        REF: "tesseract and rapidocr are sure and agree, but it lacks 100 % of the words "
        "that both found"
    }
    half = contradicted(seen(TEXT), seen(TEXT, 0.97), " ".join(TEXT.split()[:8]))
    assert "it lacks 50 % of the words" in half[REF]


def test_a_layer_in_another_order_or_with_more_text_is_not():
    words = TEXT.split()
    assert not contradicted(seen(TEXT), seen(TEXT, 0.97), " ".join(reversed(words)))
    assert not contradicted(seen(TEXT), seen(TEXT, 0.97), f"{TEXT} and more that nobody read")


def test_engines_that_differ_or_are_unsure_or_are_one_say_nothing():
    assert not contradicted(seen(TEXT), seen(CIPHER), TEXT)
    assert not contradicted(seen(TEXT), seen(TEXT, 0.6), CIPHER)
    assert not contradicted(seen(TEXT), seen(TEXT), CIPHER)
    assert not contradicted(seen(TEXT), {REF: Observation(Outcome.of_text(TEXT))}, CIPHER)
    assert not contradicted(seen(TEXT), {}, CIPHER)
    assert not contradicted(seen("A page"), seen("A page", 0.97), "Another")
    assert not contradicted(seen(TEXT), seen(TEXT, 0.97), None)


def test_words_of_a_layer_that_are_known_to_be_doubtful_contradict_nothing():
    words = TEXT.split()
    layer = " ".join([*words[:8], *CIPHER.split()[8:]])
    holes = {REF: Holes(((len(" ".join(words[:8])) + 1, len(layer)),))}
    engines = {"tesseract": seen(TEXT), "rapidocr": seen(TEXT, 0.97)}
    assert contradicted_layers(engines, {REF: layer})
    assert not contradicted_layers(engines, {REF: layer}, holes)
