"""What a report's data files hold: nothing in them can end a script, and texts stay whole."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import ConfigError
from ohr.report.chunks import Chunks, packed, script_json
from ohr.report.inline_svg import inline_svg
from ohr.report.rendered import blocks_of, math
from ohr.report.select import Request, parse_selection
from ohr.report.words import side_by_side
from tests.patience import ends

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "\" onload='alert(1)'",
    "\u202e\u2066evil\u2069",
    "\u2028\u2029\x00\x1b[31m",
    "\ud800",
    "<!--<script>",
    "]]>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_can_end_a_script(text, tmp_path):
    path = Chunks(tmp_path).write("meta", {"a": [text], text: 1})
    written = path.read_text("utf-8")
    assert not re.search(r"[<>&\u2028\u2029\x00]", written)
    assert written.startswith('ohrData("meta",')
    inside = json.loads(written[len('ohrData("meta",') : -len(");\n")])
    expected = text.encode("utf-8", "replace").decode()
    assert inside == {"a": [expected], expected: 1}


@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner), max_leaves=9)
)
def test_data_comes_back_as_it_was(value):
    def whole(one):
        if isinstance(one, str):
            return one.encode("utf-8", "replace").decode()
        return [whole(inner) for inner in one] if isinstance(one, list) else one

    assert json.loads(script_json(value)) == whole(value)


def test_numbers_that_json_has_not_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        script_json([float("nan")])


def test_packed_numbers_are_little_endian():
    [(kind, text)] = packed(np.array([1, 256], dtype=">u2")).items()
    assert (kind, base64.b64decode(text)) == ("u16", b"\x01\x00\x00\x01")


@given(st.text(), st.text())
def test_pieces_are_the_texts(one, other):
    left_side, right = side_by_side(one, other)
    for pieces, text in ((left_side, one), (right, other)):
        joined = "".join(piece for _, piece in pieces)
        assert joined == (text if text.strip() else "")


def test_words_that_differ_are_marked_and_white_space_does_not_differ():
    left_side, right = side_by_side("The rent\nwas 400.", "The rent was  4O0.")
    assert left_side == [(0, "The rent\nwas "), (1, "400.")]
    assert right == [(0, "The rent was  "), (1, "4O0.")]


def test_a_page_in_blocks():
    text = (
        "# Costs\n\nThe **rent** was $x^2$.\n\nMore.\n\n$$\\frac{a}{b}$$\n\n"
        "\\begin{tabular}{ll}\n\\multicolumn{2}{c}{All} \\\\\na & 1 \\\\\n\\end{tabular}\n\n"
        "- one\n- two\n"
    )
    heading, first, second, formula, table, items = blocks_of(text)
    assert heading == {"h": 1, "t": "Costs"}
    assert first["p"][0].startswith("The ")
    assert first["p"][-2]["m"][0] == "math"
    assert second == {"p": ["More."]}
    assert formula["m"][0] == "math"
    assert [[cell["p"] for cell in row] for row in table["rows"]] == [[["All"]], [["a"], ["1"]]]
    assert table["rows"][0][0]["c"] == 2
    assert "".join(items["p"]).split() == ["-", "one", "-", "two"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_pages_become_texts(text):
    def leaves(tree):
        if isinstance(tree, str):
            yield tree
        elif isinstance(tree, dict):
            for value in tree.values():
                yield from leaves(value)
        elif isinstance(tree, list):
            for value in tree:
                yield from leaves(value)

    blocks = blocks_of(f"# {text}\n\n{text}\n\n<table><tr><td>{text}</td></tr></table>\n\n${text}$")
    assert json.dumps(blocks)
    for block in blocks:
        assert set(block) <= {"h", "t", "p", "m", "c", "rows", "caption"}


def test_a_formula_that_is_none_stays_latex():
    assert math("\\frac{") == "\\frac{" or isinstance(math("\\frac{"), list)
    assert math("x" * 5_000) == "x" * 5_000
    tree = math("\\href{javascript:alert(1)}{x}")
    assert "javascript" not in json.dumps(tree) or isinstance(tree, str) or "href" not in tree[1]


def test_svg_has_no_style_of_its_own_and_its_ids_are_apart():
    svg = (
        b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        b'width="10pt" height="5pt" viewBox="0 0 10 5"><style>*{}</style><defs><path id="m" '
        b'style="stroke: #000; fill: none"/></defs><use xlink:href="#m" clip-path="url(#p)"/></svg>'
    )
    inlined = inline_svg(svg, "f1-", 'Curves <"x">')
    assert "style" not in inlined
    assert 'id="f1-m"' in inlined
    assert 'href="#f1-m"' in inlined
    assert "url(#f1-p)" in inlined
    assert "<title>Curves &lt;" in inlined


@pytest.mark.parametrize("text", ["worst", "worst:x", "best:3", "worst:1,worst:2", "worst:-1"])
def test_a_selection_that_means_nothing(text):
    with pytest.raises(ConfigError, match="worst:N"):
        parse_selection(text)


def test_selections():
    wanted = parse_selection("worst:2, failed:all, question:a:1")
    several = parse_selection("question:a,b c, worst:2,question:d,")
    assert several.questions == ("a,b c", "d")
    assert wanted == Request({"worst": 2, "failed": None}, ("a:1",))
    assert parse_selection("") == Request({})


FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|"
    r"setAttribute\(\s*[\"']on|\.on(?:click|load|error|input)\s*=|srcdoc|createContextualFragment|fetch\(|XMLHttpRequest|"
    r"https?://(?!www\.w3\.org/)"
)


def test_scripts_never_parse_mark_up_nor_ask_another_machine():
    app = Path(__file__).parents[2] / "ohr" / "report" / "app"
    scripts = sorted(app.glob("*.js"))
    assert len(scripts) > 5
    for script in scripts:
        found = FORBIDDEN.search(script.read_text("utf-8"))
        assert found is None, f"{script.name}: {found[0] if found else ''}"
        assert script.read_text("utf-8").startswith("// @ts-check")
    assert sum(path.stat().st_size for path in [*scripts, app / "style.css"]) < 150_000


def test_a_page_of_nothing_but_headings_is_set_in_time():
    with ends(cpu_s=20):
        assert len(blocks_of("# a\n" * 15_000)) > 10_000
