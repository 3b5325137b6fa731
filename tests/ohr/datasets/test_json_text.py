import json

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from ohr.datasets.json_text import parse_json, parse_records
from ohr.files.decoding import UndecodableError

EVERY_CHARACTER = st.text(st.characters(exclude_categories=()))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | EVERY_CHARACTER,
    lambda inner: st.lists(inner) | st.dictionaries(EVERY_CHARACTER, inner),
)


@pytest.mark.slow
@given(VALUES, st.booleans())
def test_what_was_parsed_can_be_written_as_utf8(value, escaped):
    text = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "replace")
    try:
        parse_json(text)
    except ValueError:  # keys that differed in halves of pairs are equal without them
        reject()
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


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_of_json_are_read(encoding):
    assert parse_json('[{"ä": "ö"}]'.encode(encoding)) == [{"ä": "ö"}]


def test_equal_keys_are_an_error_that_names_the_key():
    with pytest.raises(ValueError, match="the key 'b' comes twice"):
        parse_json('[{"a": {"b": 1, "c": 2, "b": 3}}]')


def test_json_lines_are_a_list():
    lines = '{"a": 1}\n\n{"a": "x\u2028y"}\r\n'
    assert parse_records(lines.encode()) == [{"a": 1}, {"a": "x\u2028y"}]
    assert parse_records('{"a": 1}') == {"a": 1}
    assert parse_records('[{"a": 1},\n{"a": 2}]') == [{"a": 1}, {"a": 2}]


def test_a_broken_line_of_json_lines_is_named():
    with pytest.raises(ValueError, match="line 3 of JSON Lines: Expecting"):
        parse_records('{"a": 1}\n{"a": 2}\n{"a": \n{"a": 4}')
    with pytest.raises(ValueError, match="line 2 column 5"):
        parse_records('[{"a": 1},\n{"a"}]')


def test_a_workbook_is_called_one():
    with pytest.raises(ValueError, match=r"it is no JSON but a workbook .*save it as"):
        parse_records(b"PK\x03\x04 and so on")
