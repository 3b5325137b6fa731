"""Results name their origin; findings compare nothing without interval, p and documents."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

RESULTS = ROOT / "docs" / "results"
FINDINGS = (RESULTS / "findings.md").read_text("utf-8")
COLUMNS = ["", "compared", "difference", "95 % interval", "p, Holm", "documents", "command"]
COMPARES = re.compile(
    r"\b(?:better|worse|best|worst|higher|lower|less than|more than|least|most|fewer|"
    r"loses?|lowers?|raises?|falls?|fell|costs?|rises?|helps?|hurts?|outperforms?)\b",
    re.IGNORECASE,
)
MARK = re.compile(r"\[(c\d+)\]")
UNDECIDED = "cannot be told apart"


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
    assert re.match(r"`python -m (experiments|benchmarks)\.\w+ .*--out runs/\w+`", first)
    assert COMMIT_AND_DATE.search(first)
    assert re.search(r"data: \w+, [\d,]+ documents, .* digest [0-9a-f]{12}\.$", first)
    assert any(f'"results/generated/{table.name}"' in page.read_text("utf-8") for page in PAGES)


def comparisons() -> dict[str, dict[str, str]]:
    """The rows of the table of comparisons, by their mark."""
    section = FINDINGS.split("\n## Comparisons\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    assert header == COLUMNS
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def sentences() -> list[str]:
    """What the page says in words: no tables, commands or headings, nor what it takes back."""
    text = FINDINGS.split("\n## What no longer stands\n")[0]
    text = re.sub(r"```[^`]*```|`[^`]*`|^[#|][^\n]*$|!\[[^)]*\)", " ", text, flags=re.MULTILINE)
    found = re.split(r"(?<=[.:;?])\s+|\n\s*\n|\n- ", text)
    return [" ".join(sentence.split()) for sentence in found if sentence.strip()]


def test_each_comparison_is_complete():
    rows = comparisons()
    assert len(rows) >= 10
    for mark, row in rows.items():
        assert re.fullmatch(r"c\d+", mark)
        assert re.fullmatch(r"[+−]?\.?\d*\.?\d+", row["difference"]), mark
        assert re.fullmatch(r"−?\d*\.\d+ to −?\d*\.\d+", row["95 % interval"]), mark
        assert re.fullmatch(r"(?:<)?\d*\.\d+", row["p, Holm"]), mark
        assert re.fullmatch(r"\d+(?: \(\d+ pages\))?", row["documents"]), mark
        assert re.match(r"`python -m experiments\.\w+ .+`$", row["command"]), mark


COMPARING = [sentence for sentence in sentences() if COMPARES.search(sentence)]


def test_the_page_compares():
    assert len(COMPARING) >= 8


@pytest.mark.parametrize("sentence", COMPARING)
def test_a_sentence_that_compares_names_its_comparison(sentence):
    rows, marks = comparisons(), MARK.findall(sentence)
    assert marks, f"no [c…] in: {sentence}"
    for mark in marks:
        p = float(rows[mark]["p, Holm"].removeprefix("<"))
        if p > 0.05:
            assert UNDECIDED in sentence, f"{mark} has p = {p}: {sentence}"
