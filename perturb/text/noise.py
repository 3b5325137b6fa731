r"""The perturbations: all rules together, and each alone (OHR-Bench, appendix III.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ohr.plugins import Applied, Level, TextPerturbation
from ohr.plugins.perturbation import check_intensity
from ohr.store.identity import digest
from perturb.text import formulas, prose, tables
from perturb.text.edits import TextRecord, read_record, rewrite, undone, write_record
from perturb.text.page import EditablePage
from perturb.text.sites import Rule, chosen


class FormattingRule(TextPerturbation, abstract=True):
    """Formatting noise by some rules: a site is edited with a probability of the intensity."""

    rules: ClassVar[tuple[Rule, ...]]

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        """Rewrite a page of Markdown with LaTeX.

        Whatever the page holds, the words of its text stay and the time is linear in its length.
        Raises ValueError for an intensity outside [0, 1] or something other than a text.
        """
        text, rate = check_text(x), check_intensity(intensity)
        page = EditablePage(text)
        edits = chosen([sites for rule in self.rules for sites in rule(page, rng)], rate, rng)
        return Applied(
            rewrite(text, edits), write_record(self.name, self.version, rate, text, edits)
        )

    def replay(self, x: str, record: Mapping[str, Any]) -> str:
        """The text that :meth:`apply` returned. Raises ValueError if the record does not fit."""
        text, parsed = check_text(x), self._record(record)
        self._check_digest(text, parsed)
        return rewrite(text, parsed.edits)

    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        """The clean text. Raises ValueError unless :meth:`apply` made ``value`` by this record."""
        parsed = self._record(record)
        text = undone(check_text(value), parsed.edits)
        self._check_digest(text, parsed)
        return text

    def _record(self, record: Mapping[str, Any]) -> TextRecord:
        return read_record(record, self.name, self.version)

    def _check_digest(self, text: str, record: TextRecord) -> None:
        if digest(text) != record.text:
            raise ValueError(f"record of {self.name!r} is for another text")


def check_text(x: str) -> str:
    """The text. Raises ValueError for anything else."""
    if not isinstance(x, str):
        raise ValueError(f"formatting noise rewrites a text, got {type(x).__name__}")
    return x


class TextStyle(FormattingRule):
    """Bold, italic and underline, in Markdown and LaTeX, added and removed."""

    name = "text_style"
    version = "2"
    rules = (prose.text_style,)


class Titles(FormattingRule):
    """Titles of level 1 to 3, in Markdown and LaTeX, added and removed."""

    name = "titles"
    version = "3"
    rules = (prose.titles,)


class LineBreaks(FormattingRule):
    """Line breaks inside paragraphs, added and removed."""

    name = "line_breaks"
    version = "2"
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
    version = "3"
    rules = (tables.table_cells,)


class Formatting(FormattingRule):
    """All rules together; mild, moderate and severe are the paper's 0.1, 0.3 and 0.6."""

    name = "formatting"
    version = "3"
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
