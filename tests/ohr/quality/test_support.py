"""Which words of an output a witness has, and which passages look invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.quality.support import Support, Vocabulary, plain_text

PAGE = (
    "The harbour board met in March to discuss the new crane. The crane was delivered by rail and "
    "lifts forty tons. The members approved the contract with the foundry and thanked the mayor. "
    "Revenue of the harbour rose to 4,812 thousand, and the dividend remains unchanged."
)
INVENTED = (
    "Insurance premiums for overseas warehouses doubled because hurricanes damaged several "
    "electronics factories near Kaohsiung during autumn"
)


def support(text: str, *witnesses: str) -> Support:
    return Support(text, [Vocabulary.of_text(each) for each in witnesses])


@given(st.text(max_size=300))
def test_a_text_supports_itself(text):
    result = support(text, text)
    assert result.share == 0
    assert result.longest_run == 0
    assert not result.passages


@pytest.mark.parametrize(
    "text",
    [
        PAGE + " " + PAGE,  # repeated
        " ".join(reversed(PAGE.split(". "))),  # in another order
        PAGE.replace("crane", "cranc").replace("o", "0"),  # look-alikes and misread letters
        PAGE.replace("harbour board", "harbourboard").replace("foundry", "foun dry"),
        "| " + PAGE.replace(" ", " | ") + " |\n| --- | --- |",
        "# Heading\n\n![A photograph of a lighthouse keeper](img-0.jpeg)\n\n" + PAGE,
    ],
)
def test_what_is_on_the_page_is_not_invented(text):
    assert not support(text, "Heading " + PAGE).passages


def test_an_invented_sentence_is_found_where_it_is():
    result = support(PAGE.replace("The members", f"{INVENTED}. The members"), PAGE)
    best = result.passages[0]
    assert result.quote(best).startswith("Insurance premiums")
    assert result.quote(best).removesuffix(".").endswith("autumn")
    assert best.unsupported >= 12
    assert best.score > 25
    assert result.longest_run >= 8
    assert result.densest_window() > 0.8


def test_any_witness_supports():
    assert support(f"{PAGE} {INVENTED}", PAGE, INVENTED).share == 0
    assert support(f"{PAGE} {INVENTED}", PAGE).share > 0.1


def test_a_page_that_is_all_invented_is_one_passage():
    result = support(INVENTED, "")
    assert result.share == 1
    assert result.passages[0].unsupported == result.judged


def test_writing_without_spaces_is_judged_by_pairs_of_letters():
    page = "港口委员会三月开会讨论新的起重机并批准了与铸造厂签订的合同"
    misread = page.replace("起", "超")
    assert not support(misread, page).passages
    result = support(page + "海外仓库的保险费因台风而翻了一番", page)
    assert result.passages[0].unsupported >= 12
    assert result.longest_run >= 12


def test_short_words_are_not_judged_and_do_not_end_a_run():
    result = support("Kaohsiung is at hurricanes of it autumn", "is at of it")
    assert result.judged == 3
    assert result.longest_run == 3


def test_spans_are_those_of_the_plain_text():
    text = "**Bold** claim about hurricanes"
    result = support(text, "bold claim")
    assert [plain_text(text)[w.start : w.end] for w in result.words] == plain_text(text).split()
