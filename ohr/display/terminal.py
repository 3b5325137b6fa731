"""Terminal tables of a study's cells."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ohr.display.choices import MEASURES
from ohr.display.labels import group_label, shown_measures, shown_readings
from ohr.display.narrow import narrow_text, wrapped
from ohr.display.noise_axis import blind_axes
from ohr.display.notes import Notes, answerers, note_lines
from ohr.display.settings import Block, Means, Value, blocks_of
from ohr.display.text_tables import TextTable
from ohr.display.wording import add_letters, letters_line
from ohr.files.safe_text import plain
from ohr.metrics.labels import R_NOISE, R_NOISE_MEANING
from ohr.ocr.noise import noise_name
from ohr.statistics.numbers import number
from ohr.study.notices.truth import marked, same_as_truth, truth_note
from ohr.study.output.select import cells_of

if TYPE_CHECKING:
    import pandas as pd


_OF_PAGES = ("ocr", "edit_distance")
_NOTED = {
    "contexts_cut": "contexts cut at max_context_tokens",
    "images_cut": "contexts cut at max_images",
    "answers_cut": "answers cut",
    "unknown_ends": "answers that ended for a reason that is not known",
    "answers_looping": "in a loop",
    "answers_echoing": "with the question in them",
    "answers_in_another_script": "in another script",
    "unmetered": "answers whose tokens the server did not report",
}
MetricColumn = tuple[str, str, str]
"""Stage, metric and title."""
_GUESS = ("generation", "f1_no_context", "no context")
_GUESSED = ("generation", "f1")
"""The reader's F1 without context comes after its F1 with the gold pages."""
_OWN_N = "in brackets: the number of questions of a mean, where it is not n"


_PLAIN: Mapping[str, Any] = {"highlight": False, "markup": False, "emoji": False}
NARROW = 100
"""Characters of the widest line of the main tables."""
MOST_FIGURES = 3
"""Figures that the line of files names; of more it names the first."""
_OF_FIGURES = (".png", ".svg", ".pdf", ".jpg")
_NOTES = ".txt"
"""What a figure cannot say, beside it (:func:`ohr.figures.style.save`)."""
_OF_TABLES = (".csv", ".md", ".tex")
"""The formats of a table (:func:`ohr.display.text_tables.write_table`)."""


@dataclass(frozen=True)
class _Columns:
    """The metrics of the cells, as columns; each knowledge base and group is a row."""

    metrics: list[MetricColumn]
    blocks: list[Block]

    @classmethod
    def from_cells(cls, cells: pd.DataFrame) -> _Columns:
        metrics = _drop_further_noise(shown_readings(cells), cells)
        for column in shown_measures(cells):
            metrics.append(column)
            if column[:2] == _GUESSED and len(cells_of(cells, *_GUESS[:2], "all")):
                metrics.append(_GUESS)
        return cls(metrics, [block for block in blocks_of(cells) if not block.is_mean])

    def table(self, heads: Sequence[str]) -> Table:
        """An empty table: the heads, the setting if there are several, n and the metrics."""
        setting = ["setting"] if len(self.blocks) > 1 else []
        return empty_table([*heads, *setting], ["n", *(title for _, _, title in self.metrics)])

    def rows(self, means: Means, group: str) -> Iterable[tuple[str | Text, ...]]:
        """One row per setting of one knowledge base: setting, n and the means.

        A mean over another number of questions than n is followed by its own.
        """
        for block in self.blocks:
            values = [means.find(block, stage, metric, group) for stage, metric, _ in self.metrics]
            n = self._questions(values)
            texts = []
            for (stage, metric, _), value in zip(self.metrics, values, strict=True):
                own = value is not None and (stage, metric) != _OF_PAGES and value.n != n
                text = add_letters(number(value.mean), value.letters) if value else "-"
                texts.append(f"{text} ({value.n})" if own and value else text)
            labels = [Text(plain(block.label))] if len(self.blocks) > 1 else []
            yield (*labels, n, *texts)

    def _questions(self, values: Sequence[Value | None]) -> str:
        """The number of a row's questions: that of the first metric of questions."""
        for (stage, metric, _), value in zip(self.metrics, values, strict=True):
            if value is not None and (stage, metric) != _OF_PAGES:
                return value.n
        return "-"


def _drop_further_noise(metrics: Sequence[MetricColumn], cells: pd.DataFrame) -> list[MetricColumn]:
    """The metrics with one noise ratio, the first that is not blind; cells.csv has all."""
    measured = {(stage, name) for stage, name, _ in metrics}
    ratios = [axis for axis in MEASURES if ("ocr", axis) in measured]
    blind = blind_axes(cells)
    ratios.sort(key=lambda axis: axis in blind)
    return [m for m in metrics if m[0] != "ocr" or m[1] not in ratios[1:]]


def noise_table(cells: pd.DataFrame, notes: Notes | None = None) -> Table:
    """One row per knowledge base and setting: measured noise, quality at each stage."""
    columns = _Columns.from_cells(cells)
    table = columns.table(("engine", "noise"))
    same = same_as_truth(cells)
    keys = ["engine", "perturbation", "level", "intensity"]
    for _, key in cells[keys].drop_duplicates().iterrows():
        of_base = cells[(cells[keys] == key).all(axis=1)]
        noise = noise_name(*key[keys[1:]])
        name = Text(plain(marked(str(key["engine"]), same)))
        for row in columns.rows(Means(of_base), "all"):
            table.add_row(name, Text(plain(noise)), *row)
    return _captioned(table, cells, notes)


def benchmark_tables(cells: pd.DataFrame, notes: Notes | None = None) -> list[Table]:
    """One row per engine, setting and evidence source, and the same by domain.

    The first follows the paper's table 2.
    """
    clean = cells[cells["noise"] == "none"]
    by_source = _benchmark_table(clean, "source:", "evidence source", None)
    by_domain = _benchmark_table(clean, "domain:", "domain", notes)
    return [by_source, by_domain]


def _benchmark_table(clean: pd.DataFrame, kind: str, title: str, notes: Notes | None) -> Table:
    columns = _Columns.from_cells(clean)
    table = columns.table(("engine", title))
    same = same_as_truth(clean)
    groups = [g for g in clean["group"].drop_duplicates() if g.startswith(("all", kind))]
    for engine in clean["engine"].drop_duplicates():
        means = Means(clean[clean["engine"] == engine])
        for group in groups:
            name = Text(plain(marked(str(engine), same)) if group == "all" else "")
            for row in columns.rows(means, group):
                table.add_row(name, Text(plain(group_label(group))), *row)
    return _captioned(table, clean, notes)


def _captioned(table: Table, cells: pd.DataFrame, notes: Notes | None) -> Table:
    """The table with explanations below it."""
    texts = (str(cell) for column in table.columns for cell in column.cells)
    lines = [_OWN_N] if any(text[:1].isdigit() and text.endswith(")") for text in texts) else []
    lines += [R_NOISE_MEANING] if R_NOISE in (str(c.header) for c in table.columns) else []
    lines += _pages_line(cells)
    lines += truth_note(cells) if notes is not None else []
    lines += _letters_lines(cells) if notes is not None else []
    lines += note_lines(answerers(cells), notes) if notes is not None else []
    table.caption = Text("\n".join(plain(line) for line in lines if line), style="")
    return table


def _letters_lines(cells: pd.DataFrame) -> list[str]:
    """What letters mean, and which conditions they compare if there are several noises."""
    results = cells.attrs.get("ties", ())
    lines = [letters_line(results)]
    if any(each.are_tested for each in results) and cells["noise"].nunique() > 1:
        lines.append("letters compare the rows under one noise, column by column")
    return lines


def _pages_line(cells: pd.DataFrame) -> list[str]:
    """The number of pages that the edit distance is over, where there is one."""
    numbers = cells_of(cells, *_OF_PAGES, "all")["n"].dropna()
    if numbers.empty or not numbers.max():
        return []
    least, most = int(numbers.min()), int(numbers.max())
    return [f"edit distance: over {most if least == most else f'{least} to {most}'} pages"]


def empty_table(left_side: Iterable[str], right: Iterable[str] = (), **options: Any) -> Table:
    """A table for the terminal without rows: headings of columns aligned left, then right.

    ``options`` are rich's. A caption is aligned left.
    """
    table = Table(header_style="bold", box=None, pad_edge=False, caption_justify="left", **options)
    add_columns(table, left_side)
    add_columns(table, right, justify="right")
    return table


def add_columns(table: Table, headings: Iterable[str], **options: Any) -> None:
    """Further columns of a table; ``options`` are rich's."""
    for name in headings:
        table.add_column(Text("\n".join(map(plain, name.split("\n")))), **options)


def terminal_table(table: TextTable, **options: Any) -> Table:
    """A table for the terminal, with text from datasets escaped; ``options`` are rich's."""
    printed = empty_table((), **options)
    for place, name in enumerate(table.header):
        add_columns(printed, [name], justify="left" if table.is_text(place) else "right")
    for row in table.rows:
        printed.add_row(*(Text(plain(cell)) for cell in row))
    return printed


def print_caption(caption: str, indent: str = "") -> None:
    """Print what belongs to a table or a list, wrapped."""
    print("\n".join(wrapped(plain(caption), NARROW, indent)))


def say(sentence: str) -> None:
    """Print a sentence: wrapped between words on a terminal, on one line elsewhere."""
    console = Console(**_PLAIN)
    width = min(console.width, NARROW) if console.is_terminal else sys.maxsize
    print("\n".join(wrapped(plain(sentence), width)))


def reader_lines(readers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One line per reader that counts tokens: the cost of its answers, in total and new."""
    lines = []
    for label, summary in readers.items():
        usage: Mapping[str, float] = summary["usage"]
        if not usage:
            continue
        parts = [
            f"{summary['answers']} answers, {summary['asked_in_this_run']} of them new",
            f"{usage.get('prompt_tokens', 0):,.0f} tokens read",
            f"{usage.get('completion_tokens', 0):,.0f} written",
        ]
        if "prefill_s" in usage:
            parts.append(
                f"{usage['prefill_s']:,.0f} s to read, {usage['decode_s']:,.0f} s to write"
            )
        if "cost" in usage:
            now = summary["usage_of_this_run"].get("cost", 0.0)
            parts.append(f"cost {usage['cost']:.4f}, {now:.4f} of it new")
        for name, note in _NOTED.items():
            if name in usage:
                parts.append(f"{usage[name]:.0f} {note}")
        lines.append(f"{plain(label)}: {'; '.join(parts)}")
    return lines


def report_line(out: Path, *runs: Path) -> str:
    """The command that writes the report of finished runs, as a line to print."""
    options = shlex.join([*map(str, runs), "--out", str(out)])
    return f"interactive report: ohr report {options}"


def say_files(paths: Iterable[Path]) -> None:
    """Print the files that a command wrote, on one line (:func:`files_line`); nothing for none."""
    if written := list(paths):
        say(files_line(written))


def files_line(paths: Sequence[Path]) -> str:
    """The files of a run on one line: every table; of more than :data:`MOST_FIGURES` figures one.

    Tables and figures are named once, whatever their formats: ``files in runs/first: curves.csv,
    differences.csv (.md, .tex), figures/noise_curve, figures/noise_strength``.
    """
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    formats: dict[Path, list[str]] = {}
    for path in dict.fromkeys(paths):
        formats.setdefault(path.relative_to(folder).with_suffix(""), []).append(path.suffix)
    names: list[str] = []
    figures: list[str] = []
    for stem, suffixes in formats.items():
        figure_suffixes = [suffix for suffix in suffixes if suffix in _OF_FIGURES]
        if len(stem.parts) > 1:
            (figures if figure_suffixes else names).append(stem.as_posix())
            continue
        if figure_suffixes:
            figures.append(f"{stem}{figure_suffixes[0]}")
            suffixes = [suffix for suffix in suffixes if suffix not in (*figure_suffixes, _NOTES)]
        if set(_OF_TABLES) <= set(suffixes):
            names.append(f"{stem}.csv (.md, .tex)")
            suffixes = [suffix for suffix in suffixes if suffix not in _OF_TABLES]
        names += [f"{stem}{suffix}" for suffix in suffixes]
    if len(figures) > MOST_FIGURES:
        figures = [f"{figures[0]} and {len(figures) - 1} more figures"]
    return f"files in {folder}: {', '.join([*names, *figures])}"


def show(table: Table, width: int = NARROW) -> None:
    """Print a table on standard output, without mark-up: as wide as the terminal, or ``width``."""
    console = Console(**_PLAIN)
    if console.is_terminal:
        print(table_text(table, console.width, console), end="")
    else:
        print(table_text(table, width), end="")


def table_text(table: Table, width: int = NARROW, console: Console | None = None) -> str:
    """The table's lines (see :func:`narrow_text`), with its caption below, wrapped.

    A caption has at most :data:`NARROW` characters a line, however wide the table is. ``console``
    is the terminal that shows it, for bold headings.
    """
    with _uncaptioned(table) as caption:
        text = narrow_text(table, width, console)
    return "".join([text, *(f"{line}\n" for line in wrapped(caption, min(width, NARROW)))])


@contextmanager
def _uncaptioned(table: Table) -> Iterator[str]:
    """Take a table's caption off while the table is printed: rich wraps it to the table's width."""
    caption = table.caption
    table.caption = None
    try:
        yield str(caption or "")
    finally:
        table.caption = caption


def report_failures(failures: Sequence[str], failed: Sequence[str]) -> int:
    """Print failures on standard error; returns 1 if a whole condition failed, else 0."""
    for line in failures:
        print(line, file=sys.stderr)
    for line in failed:
        print(f"error: failed: {line}", file=sys.stderr)
    return int(bool(failed))
