r"""The perturbations: all rules together, and each alone (OHR-Bench, appendix III.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ohr.plugins import Level
from perturb.text import formulas, prose, tables
from perturb.text.edits import Edit
from perturb.text.page import EditablePage
from perturb.text.rewriting import TextRewriting
from perturb.text.sites import Rule, chosen


class FormattingRule(TextRewriting, abstract=True):
    """Formatting noise by some rules: a site is edited with a probability of the intensity.

    Whatever the page holds, the words of its text stay.
    """

    rules: ClassVar[tuple[Rule, ...]]

    def edits(self, text: str, intensity: float, rng: np.random.Generator) -> list[Edit]:
        """The edits of the sites that are chosen."""
        page = EditablePage(text)
        return chosen([sites for rule in self.rules for sites in rule(page, rng)], intensity, rng)


class TextStyle(FormattingRule):
    """Bold, italic and underline, in Markdown and LaTeX, added and removed."""

    name = "text_style"
    version = "3"
    rules = (prose.text_style,)


class Titles(FormattingRule):
    """Titles of level 1 to 3, in Markdown and LaTeX, added and removed."""

    name = "titles"
    version = "4"
    rules = (prose.titles,)


class LineBreaks(FormattingRule):
    """Line breaks inside paragraphs, added and removed."""

    name = "line_breaks"
    version = "3"
    rules = (prose.line_breaks,)


class FormulaConversion(FormattingRule):
    """Inline formulas to block formulas, and back."""

    name = "formula_conversion"
    version = "2"
    rules = (formulas.formula_conversion,)


class FormulaSpacing(FormattingRule):
    """Idle spacing commands in formulas."""

    name = "formula_spacing"
    version = "2"
    rules = (formulas.formula_spacing,)


class EquivalentSymbols(FormattingRule):
    """Bold, cursive and Unicode symbols become their equivalents."""

    name = "equivalent_symbols"
    version = "2"
    rules = (formulas.equivalent_symbols,)


class TableLines(FormattingRule):
    """Rules between the rows of LaTeX tables, added and removed."""

    name = "table_lines"
    version = "2"
    rules = (tables.table_lines,)


class TableCells(FormattingRule):
    """The rules for text and formulas, inside the cells of tables."""

    name = "table_cells"
    version = "4"
    rules = (tables.table_cells,)


class Formatting(FormattingRule):
    """All rules together; mild, moderate and severe are the paper's 0.1, 0.3 and 0.6."""

    name = "formatting"
    version = "4"
    levels: ClassVar[Mapping[str, Level]] = {
        "mild": Level(0.1),
        "moderate": Level(0.3),
        "severe": Level(0.6),
    }
    rules = tuple(
        rule
        for alone in (
            TextStyle, Titles, LineBreaks, FormulaConversion, FormulaSpacing, EquivalentSymbols,
            TableLines, TableCells,
        )
        for rule in alone.rules
    )  # fmt: skip
