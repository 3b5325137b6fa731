import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.datasets.json_text import parse_json
from ohr.decoding import UndecodableError

EVERY_CHARACTER = st.text(st.characters(exclude_categories=()))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | EVERY_CHARACTER,
    lambda inner: st.lists(inner) | st.dictionaries(EVERY_CHARACTER, inner),
)


@given(VALUES, st.booleans())
def test_what_was_parsed_can_be_written_as_utf8(value, escaped):
    text = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "replace")
    written = json.dumps(parse_json(text), ensure_ascii=False)
    assert written.encode().decode() == written
    assert parse_json(written) == parse_json(text)


@given(st.text(), st.booleans())
def test_whole_characters_stay(text, escaped):
    assert parse_json(json.dumps([{text: text}], ensure_ascii=escaped)) == [{text: text}]


def test_halves_of_a_pair_are_replaced_wherever_they_stand():
    found = parse_json(rb'{"a\ud83d": ["\ude00b", {"c": "\ud83d\ude00 \\ud800"}]}')
    assert found == {"a\ufffd": ["\ufffdb", {"c": "\U0001f600 \\ud800"}]}


def test_bytes_may_begin_with_a_mark_of_byte_order_and_be_broken():
    assert parse_json(b'\xef\xbb\xbf["a"]') == parse_json('["a"]'.encode("utf-16")) == ["a"]
    for broken in (b"", b"[1"):
        with pytest.raises(ValueError, match="Expecting"):
            parse_json(broken)
    with pytest.raises(UndecodableError, match=r"not UTF-8 \(byte 0xff at 3, line 1\)"):
        parse_json(b'["a\xff"]')
