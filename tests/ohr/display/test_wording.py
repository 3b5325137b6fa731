"""Words that depend on what they stand beside."""

import pytest

from ohr.display.wording import with_article


@pytest.mark.parametrize(
    ("name", "text"),
    [("retrieval LCS", "a retrieval LCS"), ("answer F1", "an answer F1"), ("EM", "an EM")],
)
def test_a_name_has_its_article(name, text):
    assert with_article(name) == text
