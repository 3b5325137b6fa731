"""Words that depend on what they stand beside."""

import pytest

from ohr.display.wording import add_article


@pytest.mark.parametrize(
    ("name", "text"),
    [("retrieval LCS", "a retrieval LCS"), ("answer F1", "an answer F1"), ("EM", "an EM")],
)
def test_a_name_has_its_article(name, text):
    assert add_article(name) == text
