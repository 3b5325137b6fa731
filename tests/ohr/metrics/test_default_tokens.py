"""Each rule of ``docs/reference/protocols.md``, as a property."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ohr.markup.symbols import COMMAND_TO_CHAR
from ohr.metrics import default
from ohr.metrics.default import tokens

DASHES = st.sampled_from("-–−－")
CURRENCIES = "€£¥₹"
INTEGERS = st.integers(1, 999_999_999)
GROUPED = INTEGERS.map(lambda n: f"{n:,}")
NUMBERS = GROUPED | INTEGERS.map(str) | st.decimals(0, 10_000, places=2).map(str)
WORDS = st.text("bcdefghij", min_size=2, max_size=8)
RULES = st.sampled_from(
    (
        r"\hline", r"\toprule", r"\midrule", r"\bottomrule", r"\hline\hline", r"\\\hline",
        r"\cline{2-3}", r"\cmidrule(lr){1-2}", "<tr>", "</td>", '<td rowspan="2">', "<br/>",
    )
)  # fmt: skip


@given(NUMBERS, DASHES)
def test_a_number_keeps_its_sign_on_either_side_of_the_currency_sign(number, dash):
    (plain,) = tokens(number)
    assert tokens(dash + number) == [f"-{plain}"]
    for dollar in ("$", "\\$", "$ "):
        assert tokens(dollar + number) == [plain]
        assert tokens(dash + dollar + number) == tokens(dollar + dash + number) == [f"-{plain}"]


@given(NUMBERS, st.sampled_from(CURRENCIES), st.sampled_from(CURRENCIES), DASHES)
def test_a_currency_sign_is_a_token_attached_or_not(number, one, other, dash):
    assert tokens(one + number) == tokens(f"{one} {number}") == [one, *tokens(number)]
    assert (tokens(one + number) == tokens(other + number)) == (one == other)
    assert tokens(one + number) != tokens(f"${number}")
    assert tokens(f"{dash}{one}{number}") == tokens(f"{one}{dash}{number}")


@given(st.from_regex(r"[0-9]{1,6}", fullmatch=True), DASHES)
def test_a_decimal_point_needs_no_zero_before_it(digits, dash):
    assert tokens(f".{digits}") == tokens(f"0.{digits}") == tokens(f"$.{digits}")
    assert tokens(f".{digits}") != tokens(digits)
    assert tokens(f"{dash}.{digits}") == tokens(f"-0.{digits}") != tokens(f".{digits}")
    assert tokens(f"contents ....{digits}") == tokens(f"contents {digits}")


@given(NUMBERS, NUMBERS, DASHES, st.sampled_from(["", "--"]), WORDS)
def test_ranges_and_hyphenated_words_hold_no_negative_numbers(one, other, dash, more, word):
    parts = [*tokens(one), *tokens(other)]
    for text in (f"{one}{dash}{other}", f"{one}{dash}{more}{other}", f"${one}${dash}${other}$"):
        assert tokens(text) == parts
    assert tokens(f"{one}%{dash}{other}%") == [parts[0], "%", parts[1], "%"]
    assert tokens(f"{word}{dash}{one}") == [word, parts[0]]
    assert tokens(f"{one} {dash} {other}") == parts


@given(INTEGERS.filter(lambda n: n >= 100), st.sampled_from(["{}", "{:,}", "{:,}.5"]), WORDS)
def test_an_amount_in_brackets_is_negative_and_an_aside_is_not(number, form, word):
    amount = form.format(number)
    assume(not (form == "{}" and 1500 <= number < 2100))
    (plain,) = tokens(amount)
    for text in (f"({amount})", f"$({amount})", f"({amount}) million"):
        assert tokens(text)[0] == f"-{plain}"
    assert tokens(f"{word} ({amount}) (1,234)")[1] == f"-{plain}"
    for aside in (f"{word} ({amount}) {word}", f"{word} (${amount})", f"{word}({amount})"):
        assert plain in tokens(aside)
        assert f"-{plain}" not in tokens(aside)


@given(st.integers(1, 99) | st.integers(1500, 2099))
def test_labels_and_years_in_brackets_are_no_amounts(number):
    assert tokens(f"({number})") == [str(number)]


def test_a_telephone_number_is_no_amount():
    assert tokens("(917) 555-1234") == ["917", "555", "1234"]


@given(NUMBERS, st.sampled_from("kg m K bn st".split()), DASHES)
def test_a_unit_is_a_token_attached_or_not(number, unit, dash):
    assert tokens(number + unit) == tokens(f"{number} {unit}") == [*tokens(number), unit.lower()]
    assert tokens(dash + number + unit) == tokens(f"-{number} {unit}") != tokens(number + unit)


@given(NUMBERS)
def test_per_cent_is_a_token_however_it_is_written(number):
    for text in (f"{number}%", f"{number} %", rf"{number}\%", rf"${number}\%$", f"{number}％"):
        assert tokens(text) == [*tokens(number), "%"]


RELATIONS = {"≤": r"\leq", "≥": r"\geq", "<": r"\lt", ">": r"\gt", "≠": r"\neq", "≈": r"\approx",
             "+": "+", "±": r"\pm", "×": r"\times", "÷": r"\div"}  # fmt: skip


@given(st.sampled_from(sorted(RELATIONS)), st.sampled_from(sorted(RELATIONS)), NUMBERS)
def test_comparisons_and_arithmetic_are_told_apart(one, other, number):
    assert tokens(one + number) == tokens(f"{RELATIONS[one]} {number}") == [one, *tokens(number)]
    assert (tokens(f"x{one}{number}") == tokens(f"x{other}{number}")) == (one == other)
    assert tokens(f"x{one}{number}") != tokens(f"x-{number}")


@given(st.sampled_from([("<=", "≤"), (">=", "≥"), ("⩽", "≤"), (r"\geqslant", "≥"), ("≦", "≤")]))
def test_signs_of_one_meaning_are_one(pair):
    assert tokens(f"x {pair[0]} 5") == tokens(f"x {pair[1]} 5") == ["x", pair[1], "5"]


@pytest.mark.parametrize("command", sorted(COMMAND_TO_CHAR))
def test_a_command_reads_as_its_character(command):
    assert tokens(rf"x \{command} y") == tokens(f"x {COMMAND_TO_CHAR[command]} y")


@given(st.sampled_from("bcxyz"), st.sampled_from(["(", "{", "= ", "="]), DASHES)
def test_a_variable_keeps_its_sign(variable, before, dash):
    assert tokens(f"e^{before}{dash}{variable}") == ["e", "-", variable]
    assert tokens(f"e^{before}{variable}") == ["e", variable]


@given(WORDS, st.sampled_from(["a", "an", "the", "A", "The"]), st.sampled_from(" \n"))
def test_an_article_before_a_word_is_none(word, article, space):
    assert tokens(f"{article}{space}{word} it is") == [word, "it", "is"]
    if article != "A":
        for marked in (f"**{word}**", f"({word})", f"“{word}”", "5%"):
            assert tokens(f"see {article} {marked}") == ["see", *tokens(marked)]


@given(st.sampled_from("xyz29"), st.sampled_from(["=", "+", "^", "×"]), WORDS)
def test_a_variable_named_a_is_no_article(other, operator, word):
    for text, without in [
        (f"a{operator}{other}", f"{operator}{other}"),
        (f"{other} {operator} a {word}", f"{other} {operator} {word}"),
        (f"{other} {operator} a {operator} {other}", f"{other} {operator} {operator} {other}"),
        (f"y = a {other}", f"y = {other}"),
    ]:
        if not text.startswith("y") or other.isalpha():
            assert tokens(text) != tokens(without), text


def test_an_option_is_no_article():
    assert tokens("Option A") == tokens("option a") == ["option", "a"]
    assert tokens("option a, then b") == ["option", "a", "then", "b"]
    assert tokens("Class A Common Stock") == ["class", "a", "common", "stock"]
    assert tokens("a") == tokens("A") == ["a"]


@given(st.lists(st.one_of(WORDS, NUMBERS), min_size=1), RULES)
def test_rules_of_tables_are_no_words(cells, rule):
    plain = " & ".join(cells)
    assert tokens(f" {rule} ".join(cells)) == tokens(plain)
    for frame in ("tabular", "longtable", "array"):
        table = rf"\begin{{{frame}}}{{|l|p{{3cm}}|c|}} {plain} \end{{{frame}}}"
        assert tokens(table) == tokens(plain)


def test_what_only_looks_like_a_tag_or_a_rule_is_kept():
    assert tokens("x<b and c>d") == ["x", "<", "b", "and", "c", ">", "d"]
    assert tokens(r"\hlines \textbf{b}") == ["hlines", "textbf", "b"]


@given(st.sampled_from(["xi", "leq", "hline"]), st.integers(1, 4))
def test_a_command_may_be_escaped_more_than_once(command, times):
    text = "x " + "\\" * times + command + " y"
    assert tokens(text) == tokens(rf"x \{command} y")


MARKED = ("किताब", "कुतुब", "ज़मीन", "தமிழ்", "বাংলা", "كِتَاب", "שָׁלוֹם", "ગુજરાતી", "తెలుగు", "བོད")


@given(st.lists(st.sampled_from(MARKED) | WORDS, min_size=1))
def test_vowel_signs_and_other_marks_belong_to_their_words(words):
    read = tokens(" ".join(words))
    assert len(read) == len(words)
    assert read == [token for word in words for token in tokens(word)]
    assert default.f1("किताब", "कुतुब") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ที่อยู่", ["ที่", "อ", "ยู่"]),
        ("บริษัท 25 ๒๕", ["บ", "ริ", "ษั", "ท", "25", "๒๕"]),
        ("ភាសា abc", ["ភា", "សា", "abc"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("ລາວ", ["ລ", "າ", "ວ"]),
    ],
)
def test_scripts_without_spaces_have_a_token_a_letter(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize("text", ["naïve cafe\u0301", "x\u0302 + 1", "Привет, мир", "中文 abc"])
@pytest.mark.parametrize("script", ["क", "ა", "Ꙗ"])
def test_other_text_reads_the_same_beside_such_a_script(text, script):
    assert tokens(f"{text} {script}") == [*tokens(text), *tokens(script)]
