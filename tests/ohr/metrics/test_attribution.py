"""Flags and measures of where an answer says that it stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import ConfigError
from ohr.markup.folding import fold_quotation
from ohr.metrics.answer_kinds import kind_of, ngram_cosine, same_by_rule
from ohr.metrics.hallucination import is_found
from ohr.metrics.quantities import values
from ohr.metrics.scores import SCORING
from ohr.plugins import Retriever
from ohr.plugins.metric import AnswerCase
from ohr.types import Answer, Chunk, Document, Hit, Page, PageRef, Question

TRUTH = [
    "# Policy\n\nWords of welcome.\n\n## Cover\n\nWe pay **80 per cent** of a crown.",
    "More on cover.\n\n## Notice\n\nNotice is three months.",
    "The end.",
]
READ = ["# Policy\n\nWords of welcome.\n\n## C0ver\n\nWe pay 80 per ccnt of a crown.", *TRUTH[1:]]
DOC = "dental/a"


def document(texts: list[str]) -> dict[str, Document]:
    pages = tuple(Page(PageRef(DOC, number), text) for number, text in enumerate(texts))
    return {DOC: Document(DOC, "dental", pages)}


def case(
    quote: str = "",
    page: int | None = 0,
    headers: tuple[str, ...] = (),
    text: str = "80",
    **changed,
) -> AnswerCase:
    gold = {
        "qid": "1",
        "text": "How much?",
        "answers": ("80 per cent",),
        "doc_id": DOC,
        "domain": "dental",
        "evidence_pages": (PageRef(DOC, 0),),
        "evidence_text": "We pay **80 per cent** of a crown.",
        "evidence_source": "text",
    } | changed
    sources = () if page is None else (PageRef(DOC, page),)
    answer = Answer(text, quote, sources, (), headers)
    return AnswerCase(answer, Question(**gold), SCORING["default"], document(READ), document(TRUTH))


def value(name: str, one: AnswerCase, **params: object) -> float:
    return registry.create("metric", {"name": name, "params": params}).measure(one)


MISREAD = "We pay 80 per ccnt of a crown."
RIGHT = "We pay 80 per cent of a crown."


def test_noise_itself_raises_and_hides_flags() -> None:
    assert value("quote_flag", case(MISREAD)) == 0
    assert value("quote_flag_clean", case(MISREAD)) == 1
    assert value("quote_flag", case(RIGHT)) == 1
    assert value("quote_flag_clean", case(RIGHT)) == 0, "mark-up aside"
    assert value("headers_flag", case(RIGHT, headers=("Cover",))) == 1
    assert value("headers_flag_clean", case(RIGHT, headers=("Cover",))) == 0


def test_a_tolerance_forgives_as_many_edits() -> None:
    assert value("quote_flag", case(RIGHT), tolerance=0.05) == 0
    assert value("quote_flag", case("We pay 80 per head for a crab."), tolerance=0.05) == 1
    inserted = "We really pay 80 per ccnt of a crown."
    assert value("quote_flag", case(inserted), tolerance=0.1) == 1
    assert value("quote_flag", case(inserted), tolerance=0.105) == 0, "7 characters of 67"
    lacking = "We 80 per ccnt a crown."
    assert value("quote_flag", case(lacking), tolerance=0.1) == 1
    assert value("quote_flag", case(lacking), tolerance=0.14) == 0, "7 characters of 53"
    assert value("headers_flag", case(RIGHT, headers=("Cover",)), tolerance=0.2) == 0


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("the 'first' notary's office", "the \u2018first\u2019 notary\u2019s office"),
        ('a "crown" of gold', "a \u201ccrown\u201d of gold"),
        ("the office files affidavits", "the o\ufb03ce \ufb01les a\ufb03davits"),
        ("Wärme für Zürich", unicodedata.normalize("NFD", "Wärme für Zürich")),
        ("international law", "inter\u00adnational law"),
        ("pages 5-10, non-zero", "pages 5\u201310, non\u2011zero"),
        ("1 1/2 cups", "1\u00bd cups"),
    ],
)
def test_a_quote_is_found_however_it_is_typeset(said: str, stands: str) -> None:
    for words, text in ((said, stands), (stands, said)):
        assert is_found(words, [f"Before. {text}. After."])
        assert not is_found(words.title(), [f"Before. {text}. After."]), "case counts"


def test_the_page_flag_looks_at_the_page_that_is_named() -> None:
    assert value("page_flag_clean", case(RIGHT, page=0)) == 0
    assert value("page_flag_clean", case(RIGHT, page=1)) == 1
    assert value("page_flag_clean", case(RIGHT, page=99)) == 1
    assert value("page_flag_clean", case(RIGHT, page=None)) == 1
    assert value("quote_flag_clean", case(RIGHT, page=99)) == 0, "it is in the document"


def test_headers_are_relevant_on_the_quotes_page_or_the_one_before() -> None:
    notice = "Notice is three months."
    assert value("irrelevant_headers_flag_clean", case(notice, 1, ("Policy",))) == 0
    assert value("irrelevant_headers_flag_clean", case("The end.", 2, ("Policy",))) == 1
    assert value("irrelevant_headers_flag_clean", case("The end.", 2, ("Policy", "Notice"))) == 0
    assert value("irrelevant_headers_flag_clean", case("The end.", 0, ("Policy",))) == 1, (
        "the quote stands on page 2, whatever page is named"
    )
    assert value("irrelevant_headers_flag_clean", case("The end.", 2, ())) == 0


def test_an_answer_without_a_quote_is_flagged_unless_it_declines() -> None:
    for name in ("quote_flag", "page_flag"):
        assert value(name, case("")) == 1
        assert value(name, case("", text="not answerable")) == 0


def test_a_quote_may_run_on_overleaf_and_no_text_holds_nothing() -> None:
    assert is_found("of a crown. More on cover.", TRUTH)
    assert not is_found("", TRUTH)
    assert not is_found("  ", [""], 0.5)
    assert not is_found("crown", [], 0.5)
    assert not is_found("a crown of a tooth of gold", ["a crown"], 0.1)


@given(st.text(min_size=1, max_size=40), st.integers(0, 20), st.integers(1, 20))
def test_what_is_cut_out_of_a_text_is_found_there(text: str, start: int, length: int) -> None:
    assume(unicodedata.is_normalized("NFKC", text))  # no letter is cut off its accent
    piece = text[start : start + length]
    if fold_quotation(piece).strip():  # folding removes invisible characters
        assert is_found(" ".join(piece.split()), [text]) or not piece.strip("*_`#-+| \t\n")


def test_short_answers_in_other_code_points() -> None:
    assert kind_of("1½") == kind_of("1 1/2") == "numerical"
    assert same_by_rule("1½", "1 1/2", "numerical")
    for other in ("1", "11/2", "11"):
        assert not same_by_rule("1½", other, "numerical")
    assert same_by_rule("45.3¹", "45.3", "numerical"), "a note mark is none of its digits"
    assert not same_by_rule("45.3¹", "45.31", "numerical")
    assert not same_by_rule("10⁵", "10", "numerical")
    assert not same_by_rule("10⁵", "105", "numerical")
    assert same_by_rule("10\u202f000", "10,000", "numerical")
    assert same_by_rule("\uff11\uff12 km", "12 km", "numerical")
    assert same_by_rule("zwo\u0308lf", "zwölf", "numerical")
    assert ngram_cosine("Zu\u0308rich", "Zürich") == 1


def test_measures_of_the_place() -> None:
    right = case(RIGHT, 0, ("Policy", "Cover"))
    assert value("page_found", right) == value("perfect_header", right) == 1
    assert value("header_intersection", right) == value("location_score", right) == 1
    assert value("quote_rouge_l", right) > 0.9
    half = case(RIGHT, 1, ("policy", "Notice"))
    assert value("header_intersection", half) == 0.5
    assert value("perfect_header", half) == 0
    assert value("location_score", half) == pytest.approx(0.5 / 3)
    assert value("location_score", case("", None)) == 0


def test_headers_come_from_the_data_where_they_name_them() -> None:
    one = case(RIGHT, 0, ("Part A",))
    assert value("perfect_header", one) == 0
    named = replace(one, question=replace(one.question, headers=("Policy", "Part A")))
    assert value("perfect_header", named) == 1


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("Yes", "binary"),
        ("Nein", "binary"),
        ("80 %", "numerical"),
        ("1.500 Euro", "numerical"),
        ("EUR 1,500.50", "numerical"),
        ("drei Monate", "time span"),
        ("nach 14 Tagen", "time span"),
        ("two years", "time span"),
        ("not answerable", "none"),
        ("the crown of a tooth", "text"),
        ("No replacement without a receipt is possible", "text"),
        ("Thirty (30) days", "time span"),
        ("one hundred eighty (180) days", "time span"),
        ("ten (10) Working Days", "time span"),
        ("five business days", "time span"),
        ("Twenty-one", "numerical"),
        ("three per cent", "numerical"),
        ("$(2,998)", "numerical"),
        ("two parties", "text"),
    ],
)
def test_the_kind_of_an_answer(gold: str, kind: str) -> None:
    assert kind_of(gold) == kind
    assert same_by_rule(gold, gold, kind) if kind != "text" else ngram_cosine(gold, gold) > 0.99


@pytest.mark.parametrize(
    ("said", "gold", "same"),
    [
        ("Ja, bis zu 80 %", "Ja", True),
        ("Nein", "Ja", False),
        ("Not true", "No", True),
        ("That isn't correct", "Yes", False),
        ("Nicht richtig", "Ja", False),
        ("Not false.", "Yes", True),
        ("1500", "1.500 Euro", True),
        ("1,500.00", "1.500 Euro", True),
        ("15", "1.500 Euro", False),
        (".5 %", "0.5 %", True),
        ("5 %", ".5 %", False),
        ("$.75", "$0.75", True),
        ("-.5", "-0.50", True),
        (".5 years", "6 months", True),
        ("125", "0.125", False),
        (".125", "0,125", True),
        ("1234567", "1234.567", False),
        ("1234", "1234.000", True),
        ("80 € ", "80 %", False),
        ("80 Euro", "80 %", False),
        ("80", "80 %", True),
        ("80 Prozent", "80 %", True),
        ("zwischen 70 und 80 %", "80 %", False),
        ("1 Jahr", "zwölf Monate", True),
        ("14 Tage", "2 Wochen", True),
        ("3 Tage", "3 Monate", False),
        ("three months", "3 Monate", True),
        ("not answerable", "not answerable", True),
        ("80", "not answerable", False),
        ("", "Ja", False),
        ("twenty-one days", "1 day", False),
        ("twenty-one days", "21 days", True),
        ("einunddreißig Tage", "31 days", True),
        ("twenty-four hours", "four hours", False),
        ("hundertzwei Tage", "zwei Tage", False),
        ("one hundred and two days", "2 days", False),
        ("1,000 days", "1 day", False),
        ("1000 hours", "1,000 hours", True),
        ("6-12 months", "1 year", False),
        ("6-12 months", "6 to 12 months", True),
        ("2 to 3 years", "1 to 3 years", False),
        ("-5", "5", False),
        ("\u22125 %", "-5 %", True),
        ("the years 2019-2020", "2019 2020", True),
        ("$5 billion", "$5 million", False),
        ("5,000,000", "5 million", True),
        ("$5.2bn", "5.200 Millionen Dollar", True),
        ("3 Milliarden Euro", "3,000 million euro", True),
        ("2 Billionen Euro", "2 trillion euros", True),
        ("€5m", "5 Mio. Euro", True),
        ("25k USD", "$25,000", True),
        ("12 thousand", "12", True),  # in a table in thousands
        ("$1577", "$1,577 million", True),
        ("$1577 thousand", "$1577 million", False),
        ("$1577", "$1,578 million", False),
        ("two million years", "2,000,000 years", True),
        ("5 kg", "5 km", False),
        ("5 kilometres", "5 km", True),
        ("5", "5 km", True),
        ("5 km", "5 %", False),
        ("thirty (30) days", "30 days", True),
        ("30 days", "Thirty (30) days", True),
        ("30 minutes", "thirty (30) days", False),
        ("one hundred eighty (180) days", "180 days", True),
        ("one (1) year", "12 months", True),
        ("1 year", "twelve (12) months", True),
        ("twelve (12) months and thirty (30) days", "12 months", False),
        ("5 business days", "five (5) business days", True),
        ("three", "3", True),
        ("3 parties", "three", True),
        ("three parties", "3", True),
        ("thirteen", "3", False),
        ("no one", "1", False),
        ("eine Frist", "1", False),
        ("three per cent", "3 %", True),
        ("-917", "(917)", True),
        ("917", "(917)", False),
        ("(917)", "917", False),
        ("-$2,998", "$(2,998)", True),
        ("$2,998", "-$2,998", False),
        ("\u2212€5", "-5 Euro", True),
        ("$ (340) million", "-340 million", True),
        ("(2019)", "2019", True),
        ("(12) parties", "12", True),
        ("($153 million)", "-$153,000,000", True),
        ("€5", "$5", False),
        ("5 EUR", "US$5", False),
        ("$5", "5 dollars", True),
        ("5", "$5", True),
        ("5 miles", "5 km", False),
        ("5 km/h", "5 km", True),
        ("3.5 GHz", "3.5 MHz", False),
        ("5 mW", "5 MW", False),
        ("3,500 kHz", "3.5 MHz", False),
        ("13 °F", "13°C", False),
        ("$13^{\\circ}C$", "13 °C", True),
        ("17.5\\,\\mathrm{mm}", "17.5 mm", True),
        ("5 m²", "5 m", False),
        ("5 to 7 miles", "5 to 7 km", False),
        ("1,172 billion", "1,172 million", False),
        ("1.172 billion", "1,172 million", True),
        ("at most 5 days", "at least 5 days", False),
        ("5 days", "at least 5 days", True),
        ("not 5", "5", False),
        ("Yes, $250", "Yes, $251", False),
        ("Yes", "Yes, $251", True),
        ("Yes, €250", "Yes, $250", False),
    ],
)
def test_rules_of_kinds(said: str, gold: str, same: bool) -> None:
    assert same_by_rule(said, gold, kind_of(gold)) is same


def test_a_short_answer_of_text_is_right_from_the_threshold_on() -> None:
    gold = {"answers": ("the crown of a tooth",)}
    assert value("short_answer", case(text="crown of the tooth", **gold)) == 1
    assert value("short_answer", case(text="a bridge", **gold)) == 0
    assert value("short_answer", case(text="a bridge", **gold), threshold=0.0) == 1


@given(st.decimals(0, 10**6, places=2))
def test_a_number_means_what_it_says_in_both_styles(number) -> None:
    english, german = f"{number:,.2f}", f"{number:,.2f}".translate(str.maketrans(",.", ".,"))
    assert values(english) & values(german) == {number}


class Near(Retriever):
    """Stands for a dense retriever: the cosine of any two different texts is .6."""

    name = "near"

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks

    def search(self, query: str, k: int) -> list[Hit]:
        there = self.chunks[0]
        return [Hit(there.ref, there.text, 1.0 if query == there.text else 0.6, 0)]


def test_an_encoder_decides_over_text() -> None:
    gold = {"answers": ("the crown of a tooth",)}
    near = {"name": f"{__name__}.Near"}
    assert value("short_answer", case(text="a bridge", **gold), encoder=near) == 1
    assert value("short_answer", case(text="a bridge", **gold), encoder=near, threshold=0.7) == 0
    assert value("short_answer", case(text="", **gold), encoder=near) == 0
    assert value("short_answer", case(text="15 %", answers=("80 %",)), encoder=near) == 0
    with pytest.raises(ConfigError, match="embeds no text"):
        value("short_answer", case(text="a bridge", **gold), encoder="oracle")
    with pytest.raises(ConfigError, match=r"a text scores 0.* with itself; name a dense"):
        value("short_answer", case(text="a bridge", **gold), encoder="bm25")
