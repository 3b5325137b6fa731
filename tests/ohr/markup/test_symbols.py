from __future__ import annotations

import unicodedata

from pylatexenc.latex2text import LatexNodes2Text

from ohr.markup.symbols import CHAR_TO_COMMAND, COMMAND_TO_CHAR

# Where the other table looks up a similar character, or folds it to ASCII.
OTHERWISE = set("preceq succeq mid cdot bigoplus bigotimes hbar blacksquare diamond prime".split())


def test_an_independent_table_agrees():
    agreed = 0
    for command, char in COMMAND_TO_CHAR.items():
        theirs = LatexNodes2Text().latex_to_text(f"\\{command}{{}}")
        if theirs and command not in OTHERWISE:
            assert theirs == char, command
            agreed += 1
    assert agreed > 200


def test_each_stands_for_one_symbol_beyond_ascii():
    for char in COMMAND_TO_CHAR.values():
        assert len(char) == 1
        assert not char.isascii()
        assert unicodedata.normalize("NFC", char) == char


def test_back_and_forth():
    for char, command in CHAR_TO_COMMAND.items():
        assert COMMAND_TO_CHAR[command] == char
    assert CHAR_TO_COMMAND["≤"] == "leq"
    assert COMMAND_TO_CHAR["le"] == "≤"
