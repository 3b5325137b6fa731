"""Hypothesis strategies for pages: well-formed ones that mix everything, and odd ones."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = st.sampled_from(
    "Alpha beta Gamma delta net income rose 2017 1,234 (unaudited) of the and -5 Corp. "
    "R\\&D 12\\% \\$40 \\#3 it's “quoted” e.g. AT&T 50% state-of-the-art 1. - + * [1] § —".split()
)
SENTENCES = st.sampled_from(
    ["See the notes.", "Revenue grew.", "Who knows?", "Mr. Smith left.", "Costs fell again."]
)
SYMBOLS = st.sampled_from(
    [
        "x", "y_{1}", "x^2", r"\alpha", r"\leq", "≤", "β", "+", "=", r"\frac{1}{2}", "12", "3.5",
        r"\mathbf{v}", r"\mathcal{H}", r"\mathbb R", r"\left(a\right)", r"\text{if } x", r"\,",
        r"\sum_{i=1}^{n}", r"\$ 39", r"60 \%", r"\sqrt[3]{x}", r"\sin \theta", r"f(x)", r"\to",
    ]
)  # fmt: skip


@st.composite
def formulas(draw: st.DrawFn) -> str:
    inside = " ".join(draw(st.lists(SYMBOLS, min_size=1, max_size=6)))
    opener, closer = draw(
        st.sampled_from([("$", "$"), ("$$", "$$"), (r"\(", r"\)"), (r"\[", r"\]")])
    )
    return opener + inside + closer


INLINE = st.one_of(
    WORDS,
    WORDS,
    WORDS,
    SENTENCES,
    formulas(),
    st.sampled_from(
        [
            "**bold words**", "*slanted*", "_under_", r"\textbf{strong text}", r"\underline{x}",
            "`code * here`", "``a ` b``", "[a link](http://x.y/z_1)", "https://example.org/a_b*c",
            "www.example.org", "<b>tag</b>", "![alt](a.png)", "me@example.org", r"\square",
        ]
    ),
)  # fmt: skip


@st.composite
def paragraphs(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.tuples(INLINE, st.sampled_from([" ", " ", " ", "\n"])), max_size=25))
    return "".join(piece + gap for piece, gap in pieces).strip()


CELLS = st.one_of(st.just(""), WORDS, formulas(), st.lists(WORDS, max_size=8).map(" ".join))


@st.composite
def tables(draw: st.DrawFn) -> str:
    columns = draw(st.integers(1, 4))
    cell = CELLS.map(lambda text: text.replace("&", "").replace("|", ""))
    cell = cell.map(lambda text: text.replace("R\\D", "R"))
    rows = draw(
        st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=1, max_size=4)
    )
    kind = draw(st.sampled_from(["latex", "markdown", "html"]))
    if kind == "latex":
        lines = " \\\\\n".join(" & ".join(row) for row in rows)
        return f"\\begin{{tabular}}{{|{'c|' * columns}}}\n{lines} \\\\\n\\end{{tabular}}"
    if kind == "markdown":
        head, *body = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([head, "|" + "---|" * columns, *body, ""])  # the next line is a row
    inner = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table>{inner}</table>"


BLOCKS = st.one_of(
    paragraphs(),
    paragraphs(),
    tables(),
    st.sampled_from(
        [
            "# A heading", "## Two *words*", r"\section*{Scope}", "---", "Title\n=====",
            "- one\n- two words here\n  more of it", "1. first item\n2. second item",
            "> a quoted line of words", "```\ncode stays as it is\n# so\n```",
            "    indented code stays", "<div>\nsome block of html\n</div>",
            "\\begin{equation}\na + b = c\n\\end{equation}",
            "\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}",
            "\\begin{verbatim}\nas is\n\\end{verbatim}", "Total & 5 & 6 \\\\",
            "Short title.", "See below. Then go on with it.",
        ]
    ),
)  # fmt: skip

PAGES = st.lists(st.tuples(BLOCKS, st.sampled_from(["\n\n", "\n\n", "\n"])), max_size=8).map(
    lambda blocks: "".join(block + gap for block, gap in blocks)
)
"""Pages in which every block is well-formed."""

ODD = st.lists(
    st.sampled_from(
        [
            "$", "$$", "\\(", "\\[", "\\]", "{", "}", "*", "**", "_", "`", "```", "\\begin{", "&",
            "\\begin{tabular}{cc}", "\\end{tabular}", "<td", "<table>", "|", "\\\\", "\\", "#",
            "[", "](", "\n", "\n\n", " ", "word", "Two words.", "x^", "\\frac", "\\textbf{", "\t",
            "~~~", "|---|", "- ", "1. ", "α", "漢字", "\r\n", "\x00", "\u2028", "a" * 50, "\\left(",
        ]
    ),
    max_size=60,
).map("".join)  # fmt: skip
"""Text that opens what it does not close."""

ANY = st.one_of(PAGES, ODD, st.text(max_size=200))
