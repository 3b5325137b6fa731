"""Results name their origin; findings compare nothing without interval, p and documents."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

RESULTS = ROOT / "docs" / "results"
FINDINGS = (RESULTS / "findings.md").read_text("utf-8")
COMPARES = re.compile(
    r"\b(?:better|worse|best|worst|higher|lower|less than|more than|least|most|fewer|"
    r"loses?|lowers?|raises?|falls?|fell|costs?|rises?|helps?|hurts?|outperforms?)\b",
    re.IGNORECASE,
)
SCANS = (RESULTS / "real-scans.md").read_text("utf-8")
TYPESET = (RESULTS / "equal-noise.md").read_text("utf-8")
MARK = re.compile(r"\[([csgwatry]\d+)\]")
FIGURE = re.compile(r"([01]\.\d{3}) \[([csgwatry]\d+)\]")
NOT_SHOWN = "Not shown"
NO_CLAIMS = ("On other data", "What not to conclude", "Withdrawn", "Claims")
"""Headings below which nothing is claimed; other data were checked elsewhere."""
MOST_BYTES = 12_000
CLAIMS = "\n".join(
    (RESULTS / "generated" / f"{name}.md").read_text("utf-8")
    for name in (
        "claims",
        "scan_claims",
        "tiny_claims",
        "answer_claims",
        "repair_claims",
        "typeset_claims",
        "typewriter_claims",
        "sample_claims",
    )
)


PAGES = sorted(RESULTS.glob("*.md"))
TABLES = sorted((RESULTS / "generated").glob("*.md"))
COMMIT_AND_DATE = re.compile(r"\bcommit\s+[0-9a-f]{7,}\b[^|]{0,40}?\b2\d{3}-\d\d-\d\d\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_of_results_says_commit_and_date_of_its_figures(page):
    text = page.read_text("utf-8")
    for name in re.findall(r'^--8<-- "(.*)"$', text, re.MULTILINE):
        text += (ROOT / "docs" / name).read_text("utf-8")
    assert COMMIT_AND_DATE.search(text)


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_a_table_made_by_a_command_says_which_and_is_on_a_page(table):
    first = table.read_text("utf-8").splitlines()[0]
    command = r"`python -m (experiments|benchmarks)[\w.]+ .*--(out runs/\w+|results runs/\w+/\S+)`"
    assert re.match(command, first)
    assert COMMIT_AND_DATE.search(first)
    assert re.search(r"data: \w+, [\d,]+ documents, .* digest [0-9a-f]{12}\.$", first)
    assert any(f'"results/generated/{table.name}"' in page.read_text("utf-8") for page in PAGES)


def claims() -> dict[str, dict[str, str]]:
    """The rows of the table of claims, by their mark."""
    lines = [line for line in CLAIMS.splitlines() if line.startswith("|")]
    header, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    marked = [row for row in rows if re.fullmatch(r"[csgwatry]\d+", row[0])]
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in marked}


def sections() -> dict[str, str]:
    """The page's prose, without tables and commands, by the heading that it stands under."""
    text = re.sub(r"```[^`]*```|`[^`]*`|^\|[^\n]*$|!\[[^)]*\)", " ", FINDINGS, flags=re.MULTILINE)
    parts = re.split(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def sentences() -> list[tuple[str, str]]:
    """Headings and the sentences below them."""
    found = []
    for heading, text in sections().items():
        parts = re.split(r"(?<=[.:;?])\s+|\n\s*\n|\n- ", text)
        found += [(heading, " ".join(part.split())) for part in parts if part.strip()]
    return found


def test_each_claim_is_complete():
    rows = claims()
    assert len(rows) >= 20
    for mark, row in rows.items():
        assert row["compared"]
        assert row["baseline"]
        assert re.fullmatch(r"−?\d\.\d{3}", row["difference"]), mark
        assert re.fullmatch(r"−?\d\.\d{3} to −?\d\.\d{3}", row["95 % interval"]), mark
        assert re.fullmatch(r"<?\d\.\d{3}", row["p"]), mark
        assert row["documents"].isdigit(), mark
        assert row["second outcome"], mark
        assert row["verdict"].startswith(("holds", "not shown; none over 0.")), mark


def test_the_page_is_short():
    assert len(FINDINGS.encode()) <= MOST_BYTES


COMPARING = [
    (heading, sentence)
    for heading, sentence in sentences()
    if heading not in NO_CLAIMS and COMPARES.search(sentence)
]


def test_the_page_compares():
    assert len(COMPARING) >= 8


@pytest.mark.parametrize(("heading", "sentence"), COMPARING)
def test_a_sentence_that_compares_names_its_claim(heading, sentence):
    rows, marks = claims(), MARK.findall(sentence)
    assert marks, f"no [c…] in: {sentence}"
    for mark in marks:
        holds = rows[mark]["verdict"].startswith("holds")
        assert holds == (heading != NOT_SHOWN), f"{mark} {rows[mark]['verdict']}: {sentence}"


@pytest.mark.parametrize(("page", "fewest"), [(FINDINGS, 15), (SCANS, 6), (TYPESET, 6)])
def test_figures_are_those_of_their_claims(page, fewest):
    rows, found = claims(), FIGURE.findall(page)
    assert len(found) >= fewest
    for figure, mark in found:
        row = rows[mark]
        wanted = {row["difference"].lstrip("−")}
        wanted |= set(re.findall(r"none over (\d\.\d{3})", row["verdict"]))
        assert figure in wanted, f"{figure} [{mark}]"


def test_no_claim_is_of_a_part_of_the_documents():
    assert not re.search(r"\b(?:half|halves|confirmed)\b", CLAIMS + FINDINGS)


def test_the_page_says_what_other_data_show():
    text = " ".join(sections()["On other data"].split())
    assert "three domains" in text.lower()
    assert "129 documents" in text
    for figure in (
        "−0.077: holds",
        "−0.009, p 0.41: not shown",
        "−0.005: not shown",
        "−0.028",
        "−0.039",
    ):
        assert figure in FINDINGS


def test_answers_are_lost_in_the_domains_that_are_named():
    (sentence,) = [
        sentence for _, sentence in sentences() if "errors reach the answers" in sentence
        and "Earlier" not in sentence and not sentence.startswith("- \"")
    ]  # fmt: skip
    assert all(name in sentence for name in ("law", "finance", "manuals", "textbooks"))
