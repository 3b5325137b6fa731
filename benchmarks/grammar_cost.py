"""What the scan of a page costs on hostile text: CPU seconds at 1, 2.5, 5 and 10 MB.

    python -m benchmarks.grammar_cost [--megabytes 1 2.5 5 10]

Time that is linear in the text grows tenfold over a row; quadratic time, a hundredfold.
"""

from __future__ import annotations

import argparse
import time

from rich.table import Table

from ohr.display.terminal import show
from ohr.markup.page import MarkupPage
from ohr.markup.strip import strip_markup

PIECES = (
    "$", "$$", "$a ", "$1 $2 ", "[", "![](", "|", "| a | b |\n", "{", "`", "*a", "_", "<a ", "<!--",
    "<pre>", "<table><td>", "```\n", "# ", "- ", "    a\n\n", "\\(", "\\[", "\\textbf{", "www.",
    "\\begin{tabular}", "\\begin{tabular}{c}&", "\\end{tabular}", "\\begin{align}",
)  # fmt: skip
MEGABYTES = (1.0, 2.5, 5.0, 10.0)


def main() -> None:
    """Print a row for each piece that is repeated, and one for runs of backticks that grow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", nargs="+", type=float, default=MEGABYTES)
    sizes = parser.parse_args().megabytes
    table = Table("repeated", *(f"{size:g} MB" for size in sizes), box=None)
    for piece in (*PIECES, ""):
        row = []
        for size in sizes:
            characters = int(size * 1_000_000)
            if piece:
                text = piece * (characters // len(piece))
            else:
                runs = int((2 * characters) ** 0.5)
                text = " ".join("`" * length for length in range(1, runs))
            start = time.process_time()
            page = MarkupPage(text)
            assert page.regions
            list(page.formulas)
            strip_markup(text)
            row.append(f"{time.process_time() - start:.1f}")
        table.add_row(repr(piece or "` `` ```"), *row)
    show(table)


if __name__ == "__main__":
    main()
