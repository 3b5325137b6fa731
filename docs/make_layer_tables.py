"""Makes the tables of the page on text layers from what `benchmarks.layer_corpus.measure` wrote.

``python docs/make_layer_tables.py RUN/rows.json OTHER/rows.json`` keeps the figures of two runs in
``docs/results/text-layers.json`` and writes ``docs/results/generated/text_layers*.md``; without
files it writes the tables of the figures that are there. In the first run Tesseract has its data
for English alone, in the other for all scripts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from results_table import GENERATED, ROOT, table_line

from ohr.statistics.numbers import number

FIGURES = ROOT / "docs" / "results" / "text-layers.json"
FAULTS = {
    "none": "none",
    "as_made": "none planted: the producer's own layer is wrong",
    "cipher": "letters stand for other letters",
    "digits": "digits stand for other digits",
    "codepage": "letters read by another code page",
    "ligatures": "ligatures without letters",
    "soft_hyphen": "hyphens that count as hidden",
    "ink": "glyphs for nothing, letters without ink",
    "hidden": "hidden or covered text",
    "order": "words, lines or columns in another order",
    "doubles": "text drawn twice",
    "spaced": "spaced letters, blanks that are gaps",
    "direction": "right-to-left text and marks in another order",
    "raised": "raised and lowered figures",
    "one_line": "a single line on an empty page",
    "fields": "form fields, notes and stamps",
}
"""What each fault is, in the words and the order of the page."""
COLUMNS = {
    "caught": "caught",
    "refused": "refused",
    "handled": "put right or refused",
    "doubted": "words doubted",
    "given_up": "refused of these",
    "words": "words",
    "order": "order",
}
LANGUAGE_COLUMNS = {"caught": "caught", "handled": "put right or refused", "doubted": "doubted"}
MOST_FAILURES = 15
TEXTS = ("", "fault", "script", "producer")
"""Columns of words."""


def provenance(figures: Mapping[str, Any]) -> str:
    """Command, commit, date and data of the figures, on one line."""
    part = f" --part {figures['part']}" if figures["part"] else ""
    parts = f"parts {figures['part']}" if figures["part"] else "all parts"
    return (
        f"`python -m benchmarks.layer_corpus.measure CORPUS{part} "
        f"--results runs/layers/results.json`; commit {figures['commit']}, {figures['date']}; "
        f"data: layer_corpus, {sum(figures['expect'].values()):,} documents, {parts}, "
        f"digest {figures['digest']}.\n{{ .provenance }}"
    )


def summary(figures: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    """The figures over all files, with how many files each is of, for both runs."""
    total, other_total = figures["rows"][0], figures["languages"]["rows"][0]
    right, wrong, other = (figures["expect"].get(kind, 0) for kind in ("right", "caught", "text"))
    used = right * (1 - (total["refused"] or 0)) + other * (1 - (total["given_up"] or 0))
    for label, files, key in (
        ("wrong layers that are caught", wrong, "caught"),
        ("right layers that are refused", right, "refused"),
        ("words doubted in right layers", right, "doubted"),
        ("layers to be put right: right or refused", other, "handled"),
        ("layers to be put right: refused", other, "given_up"),
        ("words right, in layers that are used", round(used), "words"),
        ("neighbouring words in order, in layers that are used", round(used), "order"),
    ):
        yield label, f"{files:,}", share(total[key]), share(other_total[key])
    costs = (f"{run['cpu_ms_a_page']:,.0f} ms" for run in (figures, figures["languages"]))
    yield "CPU time a page, with OCR of some lines", f"{right + wrong + other:,}", *costs


def language_rows(figures: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    """One row per script: what Tesseract's data for it change."""
    others = {row["name"]: row for row in figures["languages"]["rows"]}
    for row in figures["rows"]:
        if row["name"].startswith("script "):
            pairs = (
                share(run[column])
                for column in LANGUAGE_COLUMNS
                for run in (row, others[row["name"]])
            )
            yield row["name"].removeprefix("script ").capitalize(), f"{row['files']:,}", *pairs


def shares(figures: Mapping[str, Any], kind: str) -> Iterator[Sequence[str]]:
    """One row per fault, script or producer, a column a share."""
    names = {row["name"].removeprefix(f"{kind} "): row for row in figures["rows"][1:]
             if row["name"].startswith(f"{kind} ")}  # fmt: skip
    order = [name for name in FAULTS if name in names] if kind == "fault" else list(names)
    for name in order:
        row = names[name]
        label = FAULTS[name] if kind == "fault" else name.capitalize()
        yield label, f"{row['files']:,}", *(share(row[column]) for column in COLUMNS)


def failures(figures: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    """One row per fault and script with most failures."""
    for row in figures["failed"][:MOST_FAILURES]:
        counts = f"{row['failed']:,}", f"{row['files']:,}"
        yield FAULTS[row["fault"]], row["script"].capitalize(), *counts


def share(value: float | None) -> str:
    """``0.954``; a dash where no file counts."""
    return "–" if value is None else number(value)


def tables(figures: Mapping[str, Any]) -> dict[str, str]:
    """The text of each generated file, by its name."""
    by_kind = ("files", *COLUMNS.values())
    both = [f"{name}{end}" for name in LANGUAGE_COLUMNS.values() for end in (", English", ", all")]
    parts: dict[str, tuple[Sequence[str], Iterator[Sequence[str]]]] = {
        "text_layers": (("", "files", "English alone", "all data"), summary(figures)),
        "text_layers_languages": (("script", "files", *both), language_rows(figures)),
        "text_layers_faults": (("fault", *by_kind), shares(figures, "fault")),
        "text_layers_scripts": (("script", *by_kind), shares(figures, "script")),
        "text_layers_producers": (("producer", *by_kind), shares(figures, "producer")),
        "text_layers_failures": (("fault", "script", "failed", "files"), failures(figures)),
    }
    texts = {}
    for name, (header, rows) in parts.items():
        lines = [provenance(figures), "", table_line(header)]
        lines += [table_line(["---" if head in TEXTS else "---:" for head in header])]
        texts[f"{name}.md"] = "\n".join([*lines, *map(table_line, rows)]) + "\n"
    return texts


def main() -> None:
    """Keep the figures of a run, if one is named, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=Path, nargs="*", metavar="RUN/rows.json")
    given = parser.parse_args()
    if len(given.rows) not in (0, 2):
        parser.error("the figures of both runs, or of none")
    files = given.rows or [FIGURES]
    figures, *others = (json.loads(path.read_text("utf-8")) for path in files)
    if others:
        figures["languages"] = others[0]
        text = json.dumps(figures, ensure_ascii=False, indent=1)
        FIGURES.write_text(text + "\n", "utf-8")
    for name, text in tables(figures).items():
        (GENERATED / name).write_text(text, "utf-8")
        print(GENERATED / name)


if __name__ == "__main__":
    main()
