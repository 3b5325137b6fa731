from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.hyphenation import WordForms, join_cut_words
from tests.patience import ends

WORDS = st.text(st.sampled_from("abcdefgéñßжя"), min_size=1, max_size=8)
# Anything near a hyphen: all hyphens, blanks, capitals, marks, an apostrophe, words that connect.
TEXTS = st.lists(
    st.sampled_from(
        [*"aBé1 _'\u0301\u05d0\n\n-\u2010\u2e17\u058a\u05be\xad\xac", "and ", "or ", "of"]
    )
).map("".join)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("inter-\nnational", "international"),
        ("inter\u2010\nnational", "international"),
        ("inter\xad\nnational", "international"),
        ("inter\xac\nnational", "international"),
        ("inter-  \n  national", "international"),
        ("inter-\n\nnational", "international"),
        ("inter-\n\n\nnational", "inter-\n\n\nnational"),
        ("Anglo-\nAmerican", "Anglo-American"),
        ("Anglo\u2010\nAmerican", "Anglo\u2010American"),
        ("Anglo\xad\nAmerican", "AngloAmerican"),
        ("har\xadbour", "harbour"),
        ("con\xad the", "con the"),
        ("con \xadthe", "con the"),
        ("the end\xad\n\n\nNext", "the end\n\n\nNext"),
        ("1999-\n2004", "1999-\n2004"),
        ("well-known", "well-known"),
        ("- one\n- two", "- one\n- two"),
        ("a -\nb", "a -\nb"),
        ("---\ntext", "---\ntext"),
        ("inter\u2e17\nnational", "international"),
        ("մի\u058a\nջազգային", "միջազգային"),
        ("בית\u05be\nספר", "בית\u05beספר"),
        ("हिन्दी-\nभाषा", "हिन्दीभाषा"),
        ("caf\u0065\u0301-\nteria", "cafe\u0301teria"),
        ("INTER-\nNATIONAL", "INTERNATIONAL"),
        ("OF INTER-\nNATIONAL TRADE\nand ships", "OF INTERNATIONAL TRADE\nand ships"),
        ("the AFL-\nCIO", "the AFL-CIO"),
        ("THE X-\nRAYS", "THE X-RAYS"),
        ("e-\ncommerce", "e-commerce"),
        ("l'e-\nconomia", "l'economia"),
        ("up-\nto-date", "up-to-date"),
        ("state-of-\nthe-art", "state-of-the-art"),
        ("state-of-the-\nart", "state-of-the-art"),
    ],
)
def test_words_cut_at_the_end_of_a_line_are_whole(text, whole):
    assert join_cut_words(text) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("pre-\nand post-war", "pre- and post-war"),
        ("PRE-\nAND POST-WAR", "PRE- AND POST-WAR"),
        ("Ein-\nund Ausgabe", "Ein- und Ausgabe"),
        ("Haupt-\noder Nebensatz", "Haupt- oder Nebensatz"),
        ("zwei\u2010\nbis dreimal", "zwei\u2010 bis dreimal"),
        ("pre-\ny posguerra", "pre- y posguerra"),
        ("in-\nog utland", "inog utland"),
        ("in-\nog utland. Ind- og udland, in- og ut", "in- og utland. Ind- og udland, in- og ut"),
        ("short-\nor long-term", "short- or long-term"),
        ("two-\nto three-year terms", "two- to three-year terms"),
        ("low-\nto moderate-income", "low- to moderate-income"),
        ("avant-\net après-guerre", "avant- et après-guerre"),
        ("the govern-\nor of Texas", "the governor of Texas"),
        ("a pota-\nto field", "a potato field"),
        ("the oper-\nand is", "the operand is"),
        ("thous-\nand ships", "thousand ships"),
        ("bright hus-\nband", "bright husband"),
        ("demand and dem-\nand", "demand and demand"),
    ],
)
def test_a_part_that_stands_for_a_whole_compound_keeps_its_hyphen(text, whole):
    assert join_cut_words(text) == whole


@pytest.mark.parametrize(
    ("document", "whole"),
    [
        ("a least-squares fit", "least-squares"),
        ("A LEAST\u2011SQUARES FIT", "least-squares"),
        ("_least-squares_", "least-squares"),
        ("leastsquares", "leastsquares"),
        ("least squares", "leastsquares"),
        ("least-squares, leastsquares", "leastsquares"),
        ("least-squares, least-squares, leastsquares", "least-squares"),
        ("least-\nsquares", "leastsquares"),
        ("long-\nterm and short-\nterm; long-term, short-term", "least-squares"),
        ("long-\nterm and short-\nterm; long-term, shortterm", "leastsquares"),
    ],
)
def test_the_document_shows_how_a_word_is_written(document, whole):
    assert join_cut_words("least-\nsquares", WordForms.from_texts([document, ""])) == whole
    assert join_cut_words(f"least-\nsquares\n{document}").split("\n")[0] == whole


def test_a_name_that_the_document_has_in_one_word_is_one_word():
    assert join_cut_words("Pay-\nPal", WordForms.from_texts(["by PayPal"])) == "PayPal"
    assert join_cut_words("T-\nShirt", WordForms.from_texts(["tshirt"])) == "T-Shirt"


@given(
    st.lists(WORDS, min_size=1),
    st.sampled_from("-\u2010\u2e17\u058a\xad\xac"),
    st.integers(2, 7),
)
def test_wherever_lower_case_words_are_cut_they_come_out_whole(words, hyphen, width):
    plain = " ".join(words)
    cut = " ".join(
        f"{word[:width]}{hyphen}\n{word[width:]}" if len(word) > width + 1 else word
        for word in words
    )
    assert join_cut_words(cut) == plain


@given(st.lists(WORDS, min_size=2, max_size=5), st.sampled_from("-\u2010\u2e17"))
def test_a_compound_of_the_document_is_kept_wherever_its_line_ends(parts, hyphen):
    parts = [f"{part}xx" for part in parts]
    compound = hyphen.join(parts)
    forms = WordForms.from_texts([compound, "other words"])
    for place in range(1, len(parts)):
        cut = f"{hyphen.join(parts[:place])}{hyphen}\n{hyphen.join(parts[place:])}"
        assert join_cut_words(cut, forms) == compound


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_a_second_time_changes_nothing(text, others):
    forms = WordForms.from_texts([text, *others])
    for known_values in (None, forms):
        once = join_cut_words(text, known_values)
        assert join_cut_words(once, known_values) == once


@given(st.text(st.characters(exclude_characters="-\u2010\u2e17\u058a\u05be\xad\xac")), TEXTS)
def test_a_text_without_hyphens_stays(text, other):
    assert join_cut_words(text, WordForms.from_texts([other])) == text


@given(TEXTS)
def test_only_hyphens_and_blanks_go(text):
    def letters(text: str) -> str:
        return "".join(character for character in text if character.isalnum())

    assert letters(join_cut_words(text)) == letters(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["a-\n", "A-\nB", "AA-\nBB ", "or-\nor ", "a-", "a\u0301", "a\xad", "-", "-  ", "\n"]
)
def test_it_ends_for_any_length(piece):
    text = piece * 20_000
    with ends(cpu_s=30):
        joined = join_cut_words(f"{text}-\n{text}")
    assert len(joined) <= len(f"{text}-\n{text}")


@given(st.text(st.sampled_from("aB1 -\u2010\xad\xac\n")))
def test_no_soft_hyphen_is_left_and_nothing_is_added(text):
    once = join_cut_words(text)
    assert "\xad" not in once
    assert len(once) <= len(text)
