"""Sentences with a gap: what they repeat, what they leave out, and what they never say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.datasets import wording
from ohr.questions.candidate import Evidence
from ohr.questions.checks import FEWEST_TERMS
from ohr.questions.corpus import Corpus
from ohr.questions.from_sentences import overlap
from ohr.questions.gaps import GAP, OMITTED, ask_gap
from ohr.questions.values import Value
from ohr.types import PageRef
from rag.retrievers.terms import analyser

REF = PageRef("law/Brill_Mill_2019", 0)
PLAIN = (
    "The Brill Mill lease was signed by Ada Crane before the whole council on March 4, 2019 in the "
    "old town hall beside the river Osk, where her brothers kept a tannery and a small brewery."
)
TOPICS = ["tenant", "rent", "Crane", "sluice", "deposit", "wheel"]


def asked(seed=0, topics=TOPICS, plain=PLAIN, answer="March 4, 2019"):
    start = plain.index(answer)
    value = Value("date", start, start + len(answer))
    evidence = Evidence(REF, 0, len(plain), plain)
    return ask_gap(plain, value, evidence, topics, np.random.default_rng(seed))


def quote_of(question):
    return question.split("\u201c")[1].split("\u201d")[0]


@given(st.integers(0, 2000))
def test_a_wording_quotes_in_order_and_does_not_say_its_answer(seed):
    one = asked(seed)
    words = [word for word in quote_of(one.text).split() if word not in (OMITTED, GAP)]
    rest = iter(PLAIN.replace("March 4, 2019", GAP).split())
    assert all(word in rest for word in words)
    assert {"council", "on", "in", "the"} <= set(words)  # two words on either side of the gap
    assert "2019" not in one.text
    assert len(wording.content_words(one.terms)) >= FEWEST_TERMS
    assert f"{OMITTED} {OMITTED}" not in one.text


def test_how_much_is_repeated_differs_and_is_less_than_the_sentence():
    shares = [overlap(asked(seed).text, PLAIN) for seed in range(300)]
    whole = overlap(asked().use_fuller().text, PLAIN)
    assert max(shares) < whole
    assert np.quantile(shares, 0.9) - np.quantile(shares, 0.1) > 0.15


def test_words_of_the_page_are_named_unless_the_sentence_has_them():
    asides = [asked(seed).text.partition("\u201d")[2] for seed in range(60)]
    assert not any("Crane" in aside for aside in asides)
    assert "?" in asides
    assert any(aside.startswith(" (about ") and " and " in aside for aside in asides)
    assert {asked(seed, ["rent"]).text.partition("\u201d")[2] for seed in range(60)} == {"?"}


def test_a_short_sentence_is_quoted_whole():
    one = asked(plain="Ada Crane signed it on March 4, 2019 in Osk.")
    assert quote_of(one.text) == f"Ada Crane signed it on {GAP} in Osk."
    assert one.fuller == ""


@pytest.mark.parametrize("terms", ["english", "english_unstemmed", "german", "ngrams", "chinese"])
def test_the_signs_of_a_wording_are_no_terms(terms):
    """A row of underscores was one, and found every form with a blank."""
    read = analyser(terms, 4)
    assert len(read.ids(f"{GAP} {OMITTED} \u201c\u201d ( )")) == 0
    assert len(read.ids("___ underscores")) > 1


def test_the_topics_of_a_page_are_what_tells_it_from_others():
    texts = {
        PageRef("law/a", number): "The council met again about the town." for number in range(30)
    }
    texts[PageRef("law/a", 0)] = "The sluice and the sluice gate of the council, and Torvald once."
    texts[PageRef("law/a", 1)] = "A sluice gate."
    assert Corpus(texts).topics(PageRef("law/a", 0)) == ["sluice", "gate"]
