from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.hyphenation import join_cut_words

WORDS = st.text(st.sampled_from("abcdefgéñßжя"), min_size=1, max_size=8)


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
    ],
)
def test_words_cut_at_the_end_of_a_line_are_whole(text, whole):
    assert join_cut_words(text) == whole


@given(st.lists(WORDS, min_size=1), st.sampled_from("-\u2010\xad\xac"), st.integers(1, 7))
def test_wherever_lower_case_words_are_cut_they_come_out_whole(words, hyphen, width):
    plain = " ".join(words)
    cut = " ".join(
        f"{word[:width]}{hyphen}\n{word[width:]}" if len(word) > width else word for word in words
    )
    assert join_cut_words(cut) == plain


@given(st.text(st.sampled_from("aB1 -\u2010\xad\xac\n")))
def test_no_soft_hyphen_is_left_and_nothing_is_added(text):
    once = join_cut_words(text)
    assert "\xad" not in once
    assert len(once) <= len(text)
