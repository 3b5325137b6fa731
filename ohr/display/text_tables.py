"""Tables as files: CSV with every digit, Markdown and LaTeX for papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ohr.files.safe_text import plain
from ohr.store.atomic import write_text
from ohr.store.csv import csv_text

if TYPE_CHECKING:
    import pandas as pd


_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"}, "Δ": r"$\Delta$", "−": "$-$",
    "↓": r"$\downarrow$", "→": r"$\rightarrow$",
    # LaTeX's usual font has other characters here: "<.001" would print as "¡.001".
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


@dataclass(frozen=True)
class TextTable:
    """A table ready for print: cells are text; ``bold`` and ``underlined`` are (row, column)."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    bold: frozenset[tuple[int, int]] = frozenset()
    underlined: frozenset[tuple[int, int]] = frozenset()
    spans: Sequence[tuple[str, int]] = field(default_factory=tuple)
    """A row above the header: text and how many columns it spans."""
    left: int = 1
    """How many columns at the left are text; the others are aligned to the right."""
    texts: frozenset[int] = frozenset()
    """Further columns of text."""

    def is_text(self, column: int) -> bool:
        """Whether a column is aligned to the left."""
        return column < self.left or column in self.texts

    def markdown(self) -> str:
        """A pipe table below its caption, with all texts escaped."""
        lines = [escape_markdown(self.caption), ""]
        header = list(self.header)
        if self.spans:  # Markdown has one header row: each column names its group
            groups = [text for text, width in self.spans for _ in range(width)]
            header = [f"{group} {name}".strip() for group, name in zip(groups, header, strict=True)]
        lines.append(_pipe(escape_markdown(name) for name in header))
        lines.append(_pipe("---" if self.is_text(i) else "---:" for i in range(len(header))))
        for i, row in enumerate(self.rows):
            lines.append(_pipe(self._styled(i, j, escape_markdown(c), "**{}**", "<u>{}</u>")
                               for j, c in enumerate(row)))  # fmt: skip
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """A ``table`` with ``booktabs`` rules."""
        places = range(len(self.header))
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(self.caption)}}}",
            rf"\begin{{tabular}}{{{''.join('l' if self.is_text(i) else 'r' for i in places)}}}",
            r"\toprule",
        ]
        if self.spans:
            lines.append(
                " & ".join(
                    rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(text)}}}" if text else ""
                    for text, width in self.spans
                )
                + r" \\"
            )
        lines += [" & ".join(escape_latex(name) for name in self.header) + r" \\", r"\midrule"]
        for i, row in enumerate(self.rows):
            cells = (
                self._styled(i, j, escape_latex(c), r"\textbf{{{}}}", r"\underline{{{}}}")
                for j, c in enumerate(row)
            )
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        return "\n".join(lines) + "\n"

    def _styled(self, row: int, column: int, text: str, bold: str, underlined: str) -> str:
        if (row, column) in self.bold:
            return bold.format(text)
        return underlined.format(text) if (row, column) in self.underlined else text


def write_table(folder: Path, name: str, values: pd.DataFrame, table: TextTable) -> list[Path]:
    """Write ``name.csv`` (the values), ``name.md`` and ``name.tex`` (the table)."""
    texts = {
        "csv": csv_text(values),
        "md": table.markdown(),
        "tex": table.latex(),
    }
    for suffix, text in texts.items():
        write_text(folder / f"{name}.{suffix}", text)
    return [folder / f"{name}.{suffix}" for suffix in texts]


def _pipe(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape_markdown(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    escaped = plain(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{c}" if c in "\\|*_`[]$" else c for c in escaped)


def escape_latex(text: str) -> str:
    """Text on one line that LaTeX prints as it is."""
    return "".join(_LATEX.get(c, c) for c in plain(text))
