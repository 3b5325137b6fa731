"""What the errors of a kind consist of."""

from __future__ import annotations

from benchmarks.error_details import count_details

TRUTH = "The garden has twenty-five benches near the gate.\nThree gardeners water the old trees."


def test_joined_words_marks_and_number_words_are_counted() -> None:
    output = TRUTH.replace("near the", "nearthe").replace("gate.", "gate,")
    counts = count_details([(TRUTH, output), (TRUTH, TRUTH.replace("benches", "ben ches"))])
    assert (counts["joined"], counts["split or joined"]) == (1, 2)
    assert (counts["only marks"], counts["letters"]) == (1, 1)
    assert (counts["number words"], counts["misread number words"]) == (4, 0)


def test_another_number_word_is_not_a_misread_one() -> None:
    texts = [TRUTH.replace("Three", each) for each in ("These", "Thrce", "THREE")]
    texts.append(TRUTH.replace("twenty-five", "twenty-nine"))
    counts = count_details((TRUTH, text) for text in texts)
    assert counts["misread number words"] == 3
    assert counts["other number words"] == 1
