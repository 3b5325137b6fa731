"""What each rule does to a page, and how often."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ohr import registry
from perturb.text.formula import gaps, read_formula, symbols


def run(name, page, intensity=1.0, seed=0):
    operator = registry.create("perturbation", name)
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed)).value


def outcomes(name, page, seeds=60):
    return {run(name, page, 1.0, seed) for seed in range(seeds)}


# --- plain text ------------------------------------------------------------------------


def test_a_run_takes_each_of_six_styles():
    assert outcomes("text_style", "two words") == {
        "**two words**",
        "*two words*",
        "_two words_",
        r"\textbf{two words}",
        r"\textit{two words}",
        r"\underline{two words}",
    }


def test_runs_have_two_to_five_words():
    words = " ".join(f"w{i}" for i in range(400))
    text = run("text_style", words)
    runs = re.findall(r"\*\*([^*]+)\*\*|\*([^*]+)\*|_([^_]+)_|\{([^}]+)\}", text)
    lengths = {len("".join(run).split()) for run in runs}
    assert lengths == {2, 3, 4, 5}
    assert len(runs) == pytest.approx(400 / 3.5, rel=0.1)


def test_the_intensity_is_the_share_of_runs():
    words = " ".join(f"w{i}" for i in range(20_000))
    all_runs = len(registry_edits("text_style", words, 1.0))
    some = len(registry_edits("text_style", words, 0.3))
    assert some / all_runs == pytest.approx(0.3, abs=0.02)


def registry_edits(name, page, intensity):
    operator = registry.create("perturbation", name)
    rng = np.random.default_rng(0)
    return operator.apply(page, intensity=intensity, rng=rng).record["edits"]


def test_existing_emphasis_goes():
    page = r"**a** and *b c* and \textbf{d} and \underline{e f}"
    text = run("text_style", page)
    assert "**a**" not in text
    assert r"\textbf{d}" not in text
    assert {"a", "d"} <= set(text.split())


def test_a_run_after_a_comment_sign_takes_no_brace():
    assert outcomes("text_style", "50% of") | outcomes("text_style", "x%\nmore words") <= {
        f"{a}50% of{a}" for a in ("**", "*", "_")
    } | {f"x%\n{a}more words{a}" for a in ("**", "*", "_")}


def test_a_short_sentence_becomes_a_title_of_level_one_to_three():
    assert outcomes("titles", "Short title.") == {
        "# Short title.",
        "## Short title.",
        "### Short title.",
        r"\section{Short title.}",
        r"\subsection{Short title.}",
        r"\subsubsection{Short title.}",
    }


def test_a_title_inside_a_paragraph_gets_a_line_of_its_own():
    page = "It rained the whole long day. See Note 5. Then the sun came out again."
    assert "It rained the whole long day.\n# See Note 5.\nThen the sun came out again." in outcomes(
        "titles", page
    )


@pytest.mark.parametrize(
    "page",
    [
        "This sentence has too many words.",
        "Without a full stop",
        "Is it one?",
        "Mr. Smith and Acme Inc. agreed on it all yesterday",
        "in lower case.",
        "- A list item.",
        "1. Go there.",
        "> It is quoted.",
        "Underlined above.\n---",
        "Before a list. - so that it would open one",
    ],
)
def test_what_is_no_short_sentence_stays(page):
    assert "#" not in "".join(outcomes("titles", page))
    assert "section" not in "".join(outcomes("titles", page))


def test_existing_headings_become_text():
    page = "# One\n\n\\section*{Two}\n\n## 1. would be a list\n"
    assert run("titles", page) == "One\n\nTwo\n\n## 1. would be a list\n"


def test_words_and_lines_break_and_join():
    assert run("line_breaks", "a b c") == "a\nb\nc"
    assert run("line_breaks", "first\nsecond line") == "first second\nline"


@pytest.mark.parametrize(
    "page", ["a - b", "a 1. b", "a # b", "a > b", "a\n- b", "a\n# b", "a\n\nb", "a\n---", "a\n1. b"]
)
def test_no_line_begins_a_block_by_chance(page):
    assert run("line_breaks", page) in {page, re.sub(r"(?<=[-.#>]) b", "\nb", page)}


# --- formulas --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("so $x$ is", "so $$x$$ is"),
        ("so $$x$$ is", "so $x$ is"),
        (r"so \(x\) is", r"so \[x\] is"),
        (r"so \[ x \] is", r"so \(x\) is"),
        ("$$\na + b\n$$", "$a + b$"),
        ("\\begin{equation}\na\n\\end{equation}", "$a$"),
        (
            "\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}",
            "$\\begin{aligned}a &= b \\\\\nc &= d\\end{aligned}$",
        ),
    ],
)
def test_formulas_change_their_form(before, after):
    assert run("formula_conversion", before) == after


@pytest.mark.parametrize(
    "page",
    [
        "$a$$b$",
        "$$x$$5",
        "costs $5 or $6",
        r"$$x \tag{1}$$",
        r"$$a \\ b$$",
        "$unclosed",
        r"\begin{multline} a \end{multline}",
        r"$\left( x$",
        "$x}$",
        "`$x$`",
    ],
)
def test_what_has_no_other_form_stays(page):
    assert run("formula_conversion", page) == page


def test_spacing_stands_between_symbols():
    found = [run("formula_spacing", r"$a + \frac{b}{c} = d$", 1.0, seed) for seed in range(200)]
    commands = [re.findall(r"\\(?:qquad|quad|[ ;:])", text) for text in found]
    assert {len(c) for c in commands} == {1, 2, 3, 4}  # as many as there are gaps, at most
    assert {c for used in commands for c in used} == {"\\ ", "\\quad", "\\qquad", "\\;", "\\:"}
    for text in found:
        assert re.sub(r"\\(?:q?quad |[ ;:])", "", text) == r"$a + \frac{b}{c} = d$"


def test_at_most_five_commands_stand_in_a_formula():
    counts = {
        run("formula_spacing", "$" + "+".join("abcdefgh") + "$", 1.0, s).count("\\")
        for s in range(99)
    }
    assert counts == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("formula", "marked"),
    [
        ("a+b=c", "a|+|b|=|c"),
        (r"\frac{1}{2}x", r"\frac{1}{2}|x"),
        (r"\frac12x", r"\frac12x"),
        (r"\frac \alpha\beta + 1", r"\frac \alpha\beta |+ |1"),
        (r"x^2_i y", r"x^2_i |y"),
        (r"\left(\frac{a}{b}\right)^{2}c", r"\left(|\frac{a}{b}\right)^{2}|c"),
        (r"\sum_{i=1}^{n}\limits x", r"\sum_{i=1}^{n}\limits x"),
        (r"\begin{array}{c} a&b\\ c \end{array}", r"\begin{array}{c} a&b\\ c \end{array}"),
        (r"\sqrt[3]{x}y", r"\sqrt[3]{x}|y"),
        ("1 5 , 9 1 0", "1 5 , 9 1 0"),
        ("12ab", "12ab"),
        (r"\Delta\alpha x", r"\Delta|\alpha |x"),
        (r"\not\in A", r"\not\in |A"),
        (r"\unknown x", r"\unknown x"),
        (r"f'(x)", r"f'|(|x|)"),
    ],
)
def test_gaps_lie_between_symbols(formula, marked):
    read = read_formula(formula, 0, len(formula))
    text = formula
    for position in reversed(gaps(read)):
        text = text[:position] + "|" + text[position:]
    assert text == marked


@pytest.mark.parametrize(
    ("formula", "equals"),
    [
        (r"\mathbf{x}", {r"\mathbf": (r"\boldsymbol",)}),
        (r"\mathcal H", {r"\mathcal": (r"\mathbb", r"\pmb", r"\mathscr")}),
        (r"\sigma", {r"\sigma": ("σ",)}),
        ("σ", {"σ": (r"\sigma",)}),
        ("σx", {"σ": (r"{\sigma}",)}),
        (r"\bar\sigma", {r"\sigma": ("{σ}",)}),
        (r"\text{\sigma}", {}),
        (r"\not\in", {}),
        (r"\left\langle x \right\rangle", {}),
        (r"\sum\limits_i", {}),
        (r"\sin x", {}),
    ],
)
def test_symbols_have_equals(formula, equals):
    read = read_formula(formula, 0, len(formula))
    assert {formula[s.start : s.end]: s.equals for s in symbols(read)} == equals


def test_equal_symbols_are_exchanged():
    assert run("equivalent_symbols", r"$\alpha \leq \mathbf{β}$") == r"$α ≤ \boldsymbol{\beta}$"
    assert run("equivalent_symbols", r"\alpha in text, `$\alpha$`") == r"\alpha in text, `$\alpha$`"


# --- tables ----------------------------------------------------------------------------

TABLE = "\\begin{tabular}{|c|c|}\n  Year & Net income \\\\\n  2017 & $x$ \\\\\n\\end{tabular}"


def test_lines_stand_between_rows():
    text = run("table_lines", TABLE)
    assert text.count("\\hline") == 3
    assert len(re.findall(r"\\cline\{1-1\}", text)) == 1
    assert len(re.findall(r"\\cline\{2-2\}", text)) == 1
    rest = re.sub(r" \\hline| \\cline\{\d-\d\}", "", text)
    assert rest.split() == TABLE.split()


def test_existing_lines_go():
    lined = TABLE.replace("income \\\\", "income \\\\ \\hline").replace(
        "|}\n", "|}\n\\cline{1-2}\n"
    )
    edits = registry_edits("table_lines", lined, 1.0)
    assert sorted(removed.strip() for _, removed, _ in edits if removed) == [
        "\\cline{1-2}",
        "\\hline",
    ]


def test_lines_are_latex():
    for page in ("| a | b |\n|---|---|\n| 1 | 2 |\n", "<table><tr><td>a</td></tr></table>"):
        assert run("table_lines", page) == page


def test_cells_take_styles_and_formula_rules():
    found = "".join(outcomes("table_cells", TABLE))
    for style in ("**Year**", r"\textbf{Net income}", "_2017_", "$$x$$"):
        assert style.replace(" ", "\n") in found


def test_cells_take_line_breaks_and_lose_theirs():
    for cell, broken in [("Net income", "Net\nincome"), ("Net\nincome", "Net income")]:
        page = TABLE.replace("Net income", cell)
        assert broken in re.sub(r"[*_]|\\[a-z]+\{|\}", "", run("table_cells", page))
    markdown = "| Net income | b |\n|---|---|\n| c | d |\n"
    assert "Net<br>income" in run("table_cells", markdown)


def test_cells_that_are_short_sentences_become_titles():
    latex = r"\begin{tabular}{ll} Prices rose. & of 2017 \\ \end{tabular}"
    found = outcomes("table_cells", latex)
    assert all("section{Prices rose.} &" in text for text in found)
    for name in ("section", "subsection", "subsubsection"):
        assert any(rf"\{name}{{" in text for text in found)
    html = "<table><tr><td>Prices rose.</td></tr></table>"
    assert outcomes("table_cells", html) == {
        f"<table><tr><td><h{level}>Prices rose.</h{level}></td></tr></table>" for level in (1, 2, 3)
    }
    titled = latex.replace("Prices rose.", r"\section{Prices rose.}")
    assert r"\section" not in run("table_cells", titled)


def test_cells_of_html_take_html():
    page = "<table><tr><td>Net income</td></tr></table>"
    assert outcomes("table_cells", page) == {
        f"<table><tr><td><{tag}>Net\nincome</{tag}></td></tr></table>" for tag in "biu"
    }


def test_a_cell_keeps_its_row():
    page = "| Net income | of 2017 |\n|---|---|\n| a b c d e f g h | $x$ |\n"
    for text in outcomes("table_cells", page):
        assert [line.count("|") for line in text.splitlines()] == [3, 3, 3]


def test_text_rules_leave_tables_to_table_rules():
    for name in ("text_style", "titles", "line_breaks", "formula_conversion"):
        assert run(name, TABLE) == TABLE


@pytest.mark.parametrize("intensity", [0.3, 0.6, 1.0])
def test_titles_act_at_their_rate_among_all_rules(intensity):
    page = "A long first sentence stands here. Then comes this. And a long last sentence follows."
    texts = [run("formatting", page, intensity, seed) for seed in range(400)]
    titles = sum("# " in text or "section{" in text for text in texts)
    assert titles / 400 == pytest.approx(intensity, abs=0.08)
