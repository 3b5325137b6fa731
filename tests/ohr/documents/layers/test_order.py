"""The order of lines, from their places and from the file."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.documents.layers.order import order_lines
from ohr.documents.layers.segments import Segment
from ohr.documents.layers.units import Unit
from tests.ohr.documents.layers.sheets import Sheet, verdict_on
from tests.ohr.documents.layers.texts import LEFT, NOTICE, RIGHT


def test_text_that_lies_over_other_text_has_no_order(tmp_path):
    sheet = Sheet().lines(20, 260, NOTICE).lines(22, 258, reversed(NOTICE))
    verdict = verdict_on(sheet, tmp_path)
    assert not verdict.holes.order_known
    assert "the order of its words is not known" in verdict.note


def segment(text, left_side, base, place, *, width=None, size=10.0):
    right = left_side + (width if width is not None else 5.0 * len(text))
    glyph = Unit(text, [place], left_side, right, base, base, base + 7, left_side, right, size)
    return Segment([glyph], base, size, [[glyph]])


def ordered(segments, *, mirrored=False):
    texts = [one.units[0].text for one in segments]
    result = order_lines(segments, texts, mirrored=mirrored)
    return [[one.units[0].text for one in line] for line in result.lines], result.known


def test_a_page_without_text_has_no_lines():
    assert ordered([]) == ([], True)


def test_the_places_decide_on_a_page_of_one_column():
    segments = [segment(text, 0, 12 * n, n) for n, text in enumerate(reversed(NOTICE))]
    assert ordered(segments) == ([[text] for text in NOTICE], True)


def test_cells_of_a_line_go_from_left_to_right_and_mirrored_from_right_to_left():
    cells = [segment("9.10", 300, 50, 0), segment("7.20", 150, 50, 1), segment("Fee", 0, 50, 2)]
    assert ordered(cells) == ([["Fee", "7.20", "9.10"]], True)
    assert ordered(cells, mirrored=True) == ([["9.10", "7.20", "Fee"]], True)


def two_columns(*, by_row):
    """Two columns; with ``by_row`` the file goes from one to the other in each line."""
    segments = []
    for n, (left_side, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        places = (2 * n, 2 * n + 1) if by_row else (n, 100 + n)
        segments.append(segment(left_side, 0, 200 - 12 * n, places[0]))
        segments.append(segment(right, 200, 200 - 12 * n, places[1]))
    return segments


def test_columns_drawn_row_by_row_are_columns():
    expected = [[text] for text in (*LEFT, *RIGHT)]
    for by_row in (False, True):
        assert ordered(two_columns(by_row=by_row)) == (expected, True)


def test_columns_that_the_file_has_the_other_way_round_are_of_no_known_order():
    """Both orders go on as sentences do, but for one step."""
    segments = [segment(text, 200, 200 - 12 * n, n) for n, text in enumerate(RIGHT)]
    segments += [segment(text, 0, 200 - 12 * n, 50 + n) for n, text in enumerate(LEFT)]
    lines, known_values = ordered(segments)
    assert lines == [[text] for text in (*RIGHT, *LEFT)]
    assert not known_values


BLOCKS = (
    ("The harbour office opens", "at nine each morning and", "closes as the sun sets."),
    ("Fees are paid at the desk", "or by post, and boats of", "more than nine metres that"),
    ("stay for a month get back", "a tenth of the fee at the", "end of it, if they ask."),
    ("Dogs are not allowed near", "the fish market, and the", "gate is locked at night."),
)


def test_where_sentences_go_on_in_the_order_of_the_file_alone_it_is_taken():
    """Four blocks that look like two columns are read row by row."""
    segments = []
    for number, block in enumerate(BLOCKS):
        row, column = divmod(number, 2)
        for line, text in enumerate(block):
            base = 200 - 36 * row - 12 * line
            segments.append(segment(text, 200 * column, base, 10 * number + line))
    assert ordered(segments) == ([[text] for block in BLOCKS for text in block], True)


@given(st.permutations(range(len(NOTICE))))
@settings(max_examples=30)
def test_the_order_of_one_column_does_not_depend_on_the_file(places):
    segments = [
        segment(text, 0, -12 * n, place)
        for n, (text, place) in enumerate(zip(NOTICE, places, strict=True))
    ]
    segments.sort(key=lambda one: one.first_place)
    assert ordered(segments)[0] == [[text] for text in NOTICE]


def test_columns_of_a_script_without_capitals_have_no_known_order():
    """The places show no columns, the file does, and no sentence tells which is right."""
    left_lines, right_lines = (
        ["\u05d0\u05d1\u05d2\u05d3 " * 3] * 4,
        ["\u05d4\u05d5\u05d6\u05d7 " * 3] * 4,
    )
    segments = []
    for n, (one, other) in enumerate(zip(left_lines, right_lines, strict=True)):
        segments.append(segment(f"{one}{n}", 0, 200 - 12 * n, n))
        segments.append(segment(f"{other}{n}", 200, 200 - 12 * n, 100 + n))
    lines, is_known = ordered(segments)
    assert len(lines) == 4
    assert not is_known


def test_a_table_of_words_in_a_script_with_capitals_is_read_by_row():
    cells = [(f"Row {n}", f"{n}.20") for n in range(4)]
    segments = [
        segment(text, 200 * c, 200 - 12 * n, 100 * c + n)
        for n, row in enumerate(cells)
        for c, text in enumerate(row)
    ]
    assert ordered(segments) == ([list(row) for row in cells], True)


NARROW_LEFT = (
    "The mill was built in",
    "the year of the flood.",
    "A man from Norfolk put",
    "all his money into it.",
    "Its wheel went round",
    "with the tide of June.",
    "He died old and poor in",
    "the year of the frost.",
)
NARROW_RIGHT = (
    "His son let it decay,",
    "and the owls moved in.",
    "Today the town pays a",
    "guard who lives there.",
    "Schools come to see it",
    "and to count the owls.",
    "They pay nothing, but",
    "leave some bread there.",
)


def narrow_columns(left_lines, right_lines):
    """Columns of 21 letters, which the file has line by line across both."""
    return [
        segment(text, 150 * column, 200 - 12 * n, 2 * n + column)
        for n, row in enumerate(zip(left_lines, right_lines, strict=True))
        for column, text in enumerate(row)
    ]


def test_narrow_columns_are_read_one_after_the_other_where_their_sentences_go_on():
    expected = [[text] for text in (*NARROW_LEFT, *NARROW_RIGHT)]
    assert ordered(narrow_columns(NARROW_LEFT, NARROW_RIGHT)) == (expected, True)


def test_cells_of_text_beside_one_another_are_read_by_row():
    """Each cell is a sentence: nothing goes on from one line to the next."""
    cells = [
        [f"{text.rstrip('.,').capitalize()}." for text in column]
        for column in (NARROW_LEFT, NARROW_RIGHT)
    ]
    expected = [list(row) for row in zip(*cells, strict=True)]
    assert ordered(narrow_columns(*cells)) == (expected, True)
