import json

import pikepdf
import pytest

from benchmarks.layer_corpus.build import build
from benchmarks.layer_corpus.check import discrepancies
from benchmarks.layer_corpus.faults.codepage import misread
from benchmarks.layer_corpus.fonts import FAMILIES
from benchmarks.layer_corpus.layer import mapping, write_mapping
from benchmarks.layer_corpus.page import SCRIPTS, Page, TextRun, pages, parse_line, read
from benchmarks.layer_corpus.score import Result, judge, kept_pairs, score, table
from benchmarks.layer_corpus.words import split_units, split_words


def truth(**changed):
    plain = {
        "script": "latin",
        "producer": "typst",
        "fault": "",
        "text": "The old quay\nis 45 m long",
        "expect": "right",
        "same": [],
        "any_case": False,
    }
    return plain | changed


CIPHER = truth(fault="cipher", expect="caught", text="The old quay", wrong_words=["old"])


def test_a_right_layer_passes_where_its_words_are_read_and_fails_where_it_is_refused():
    assert judge(truth(), Result(True, "The old quay\nis 45 m long")).reason == ""
    assert judge(truth(), Result(False)).reason == "refused"


def test_words_neither_there_nor_doubted_are_named():
    verdict = judge(truth(), Result(True, "The o1d quay\nis 45 m long"))
    assert verdict.silent == ["o1d"]
    assert verdict.missing == ["old"]
    assert verdict.words == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    ("result", "caught"),
    [
        (Result(False), True),
        (Result(True, "The elv quay"), False),
        (Result(True, "The elv quay", ["elv"]), True),
        (Result(True, "The e v quay", ["e", "v"]), True),
        (Result(True, "The old quay"), True),  # mended
        (Result(True, "The quay"), False),
        (Result(True, "The elv quay", ["The"]), False),
    ],
)
def test_a_wrong_layer_is_caught_where_it_is_refused_or_each_wrong_word_is_doubted(result, caught):
    assert (judge(CIPHER, result).reason == "") == caught


def test_order_counts_only_where_it_is_said_to_be_known():
    odd = truth(expect="text", fault="order")
    lines = "is 45 m long The old quay"
    assert "order" in judge(odd, Result(True, lines)).reason
    assert judge(odd, Result(True, lines, order_known=False)).reason == ""
    assert kept_pairs("a b c d", "c d a b") == pytest.approx(2 / 3)
    assert kept_pairs("a b c d", "a x c d") == pytest.approx(1)
    # Which of the two is missing is not known.
    assert kept_pairs("a b c a d", "b c a d") == pytest.approx(1)


def test_lines_without_blanks_count_letter_by_letter_and_are_doubted_as_runs():
    assert split_words("2019年春天，小船") == ["2019", "年春天", "，", "小船"]
    assert split_units("2019年春") == ["2019", "年", "春"]
    wrong = truth(expect="caught", text="年春天，小船", fault="cipher")
    assert "年天春" in judge(wrong, Result(True, "年天春，小船")).reason
    assert judge(wrong, Result(True, "年天春，小船", ["天春"])).reason == ""
    digits = truth(expect="caught", text="在2019年春天", fault="digits")
    assert judge(digits, Result(True, "在2016年春天", ["在2016年春天"])).reason == ""
    assert judge(digits, Result(True, "在2016年春天", ["2016年"])).reason == ""
    assert judge(digits, Result(True, "在2016年春天")).reason


def test_raised_figures_may_be_written_in_each_way():
    page = Page("latin", "notes", "en", ())
    line = parse_line("45.3^^1^^ of H,,2,,O, 3^^1^^/,,2,, cups")
    assert read(line) == "45.3 1 of H2O, 3 1/2 cups"
    assert page.styles == set()
    same = [("H 2 O,", "H2O,")]
    raised = truth(fault="raised", expect="text", text=read(line), same=same)
    for text in ("45.3¹ of H₂O, 3½ cups", "45.3 1 of H 2 O, 3 1/2 cups"):
        assert judge(raised, Result(True, text)).reason == ""
    assert judge(raised, Result(True, "45.31 of H2O, 31/2 cups")).reason


def test_the_table_has_a_row_for_each_fault_script_and_producer():
    truths = {"a": truth(), "b": CIPHER}
    results = {"a": Result(False), "b": Result(True, "The elv quay")}
    rows, failures = score(truths, results)
    assert (rows[0].refused, rows[0].caught, rows[0].failed) == (1, 0, 2)
    assert {row.name for row in rows} >= {"fault cipher", "fault none", "script latin"}
    assert set(failures) == {"a", "b"}
    assert table(rows).count("\n") == len(rows)


@pytest.mark.parametrize("script", SCRIPTS)
def test_pages_of_each_script_have_a_heading_lines_and_figures(script):
    first = pages(script)[0]
    assert {block.kind for block in first.blocks} == {"heading", "line", "row"}
    assert len(first.text.split("\n")) >= 11
    assert any(char.isdigit() for char in first.text)


def test_markup_makes_runs():
    assert parse_line("a **b** c") == (TextRun("a "), TextRun("b", "bold"), TextRun(" c"))


def test_a_title_of_31_letters():
    title = next(page for page in pages("latin") if page.name == "title_page")
    assert sum(char.isalpha() for char in title.text) == 31


def test_a_mapping_is_read_back_as_written():
    document = pikepdf.new()
    font = document.make_indirect(pikepdf.Dictionary(Subtype=pikepdf.Name.Type0))
    letters = {3: "f", 4: "ffi", 300: "\U00010330"}
    write_mapping(document, font, letters, 2)
    assert mapping(font) == (letters, 2)


def test_ranges_of_a_mapping():
    document = pikepdf.new()
    body = b"2 beginbfrange\n<01> <03> <0061>\n<05> <06> [<0078> <00660069>]\nendbfrange"
    font = pikepdf.Dictionary(Subtype=pikepdf.Name.Type1, ToUnicode=document.make_stream(body))
    assert mapping(font)[0] == {1: "a", 2: "b", 3: "c", 5: "x", 6: "fi"}


def test_letters_of_another_code_page():
    assert misread("Порт 12", "cp1251") == "Ïîðò 12"
    assert misread("für", "utf-8") == "fÃ¼r"


@pytest.mark.skipif(not FAMILIES["georgian"][0].path().exists(), reason="needs fonts-freefont-ttf")
def test_a_small_corpus_is_what_its_truth_says(tmp_path):
    pytest.importorskip("typst")
    truths = build(tmp_path, ["georgian"], ["typst"], ["cipher", "order"])
    assert {truth.fault for truth in truths} == {"", "cipher", "order"}
    assert set(json.loads((tmp_path / "truth.json").read_text(encoding="utf-8"))) == {
        path.name for path in tmp_path.glob("*.pdf")
    }
    assert list(discrepancies(tmp_path)) == []
