"""Blocks with errors, beside the paper's table S3."""

from __future__ import annotations

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.published import figures_of
from ohr.display.terminal import empty_table
from ohr.files.safe_text import plain
from ohr.metrics.regions import KINDS
from ohr.ocr.noise import noise_name

FILE = "block_errors.csv"


EXPLANATION = (
    "textual: found blocks with more than 5 % of their words (symbols, in formulas) missing or "
    "changed; any: with at least one; as written: formulas whose LaTeX differs by more than white "
    "space\n"
    "textual or lost, structural or lost: of all blocks, with lost blocks counted as errors\n"
    "paper: its table S3 has one more pair of shares, taken here as those of formulas"
)


def errors_table(errors: pd.DataFrame) -> Table:
    """One row per knowledge base and kind of block, with the paper's shares below.

    Table S3 speaks of text, formula and table blocks but gives one pair of shares beside the
    text's, in the column of formulas; by its caption they are textual and structural errors.
    """
    shares = {
        "textual": "textual",
        "any_textual": "any",
        "structural": "structural",
        "differs_as_written": "as written",
        "textual_or_lost": "textual or lost",
        "structural_or_lost": "structural or lost",
    }
    table = empty_table(
        ["engine", "noise", "blocks of"],
        ["blocks", "found", "words", *shares.values(), "commands per page"],
    )
    for row in errors.to_dict("records"):
        first = row["kind"] == KINDS[0]
        noise = noise_name(row["perturbation"], row["level"], row["intensity"])
        table.add_row(
            Text(plain(str(row["engine"])) if first else ""),
            noise if first else "",
            str(row["kind"]),
            f"{row['blocks']:,}",
            f"{row['found']:,}",
            "-" if pd.isna(row["mean_size"]) else f"{row['mean_size']:.0f}",
            *(_percent(row[name]) for name in shares),
            f"{row['redundant_commands']:.1f}" if first else "",
        )
    table.add_section()
    for engine, rows in figures_of("table S3").groupby("engine", sort=False):
        paper = rows.set_index(["metric", "group"])["value"]
        commands = f"{paper['redundant commands', 'all']:.1f}"
        blank = [""] * 2
        table.add_row(
            f"paper: {engine}",
            "clean",
            "text",
            *blank,
            "",
            _percent(paper["textual", "text"]),
            *[""] * 5,
            commands,
        )
        table.add_row(
            "", "", "formula", *blank, "", _percent(paper["textual", "formula"]), "",
            _percent(paper["structural", "formula"]), *[""] * 4,
        )  # fmt: skip
    return table


def _percent(share: float) -> str:
    return "-" if pd.isna(share) else f"{100 * share:.1f} %"
