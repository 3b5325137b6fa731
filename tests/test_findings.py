"""The results pages compare nothing without its command, interval, p and number of documents."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

FINDINGS = (ROOT / "FINDINGS.md").read_text("utf-8")
COLUMNS = ["", "compared", "difference", "95 % interval", "p, Holm", "documents", "command"]
COMPARES = re.compile(
    r"\b(?:better|worse|best|worst|higher|lower|less than|more than|least|most|fewer|"
    r"loses?|lowers?|raises?|falls?|fell|costs?|rises?|helps?|hurts?|outperforms?)\b",
    re.IGNORECASE,
)
MARK = re.compile(r"\[(c\d+)\]")
UNDECIDED = "cannot be told apart"


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
