"""Makes the tables of the results pages that take minutes, from the commands themselves.

``make results-small [DATA=…]``, or ``python docs/make_results.py [NAME ...]``. Each table is a
file ``docs/results/generated/NAME.md``, which a page includes; its first line says which command
made it, at which commit of the code, on which day and on which data. A run that is finished in
``runs/results`` for the same code is not made again.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from results_table import ROOT, Cells, Fragment, Rows, Study, interval

from ohr.statistics.numbers import number

DATA = (
    "dataset.kind=ohrbench dataset.path=$D/ohrbench/retrieval_base "
    "dataset.questions=$D/ohrbench/qas_dev.json"
)
LEVELS = ("", "mild", "moderate", "severe")
ALL_LEVELS = f'"levels=[{",".join(LEVELS[1:])}]"'
ERROR_AMOUNTS = ("0.0", "0.05", "0.1", "0.2", "0.3", "0.4")

MINERU = Study("mineru", f'ocr_benchmark {DATA} "engines=[gt,precomputed:MinerU]"')
MINERU_REFERENCE = Study(
    "mineru_reference",
    f'ocr_benchmark {DATA} "engines=[gt,precomputed:MinerU]" scoring=reference',
)
FORMATTING = Study(
    "formatting", f'noise_curve {DATA} "engines=[gt]" "noise=[formatting]" {ALL_LEVELS}'
)
FORMATTING_REFERENCE = Study(
    "formatting_reference",
    f'noise_curve {DATA} "engines=[gt]" "noise=[formatting]" {ALL_LEVELS} '
    'scoring=reference "stages=[ocr,retrieval]"',
)
RETRIEVERS = Study(
    "retrievers",
    f'retrievers {DATA} "engines=[gt,precomputed:MinerU]" "stages=[retrieval]" "ks=[1,2,5,10]" '
    '"retrievers=[bm25,{name: bm25, label: unstemmed, params: {terms: english_unstemmed}},'
    "{name: bm25, label: 3-grams, params: {terms: ngrams, n: 3}},"
    "{name: bm25, label: 4-grams, params: {terms: ngrams}},"
    "{name: bm25, label: 5-grams, params: {terms: ngrams, n: 5}},"
    "{name: hybrid, label: hybrid, params: {retrievers: "
    "[bm25, {name: bm25, label: 4-grams, params: {terms: ngrams}}]}},"
    'page,oracle]"',
)
ERRORS = Study(
    "errors",
    f'noise_curve {DATA} "engines=[gt]" "noise=[ocr_errors:mineru]" '
    f'"intensities=[{",".join(ERROR_AMOUNTS[1:])}]" "seeds=[0,1,2]"',
)
TABLE_FORMATS = Study(
    "table_formats",
    f'table_format {DATA} "chunkers=[tokens,page]" '
    '"retrievers=[bm25,{name: benchmarks._untagged_bm25.UntaggedBm25, label: no tags}]"',
)
BLOCK_ERRORS = Study("block_errors", f'block_errors {DATA} "engines=[precomputed:MinerU]"')
ATTRIBUTION = Study("attribution", f'attribution {DATA} "engines=[gt,precomputed:MinerU]"')
SAMPLE_OCR = Study("sample_ocr", "sample_ocr 84", "benchmarks")
SAMPLE = Study(
    "sample",
    f'noise_curve "engines=[tesseract]" "noise=[semantic]" {ALL_LEVELS} ground_truth=true',
)


def protocol_rows(default: Path, reference: Path) -> Rows:
    """One row per measure and knowledge base, a column a protocol."""
    protocols = [Cells(reference), Cells(default)]
    for stage, metric, title in (
        ("ocr", "r_noise", "r_noise"),
        ("retrieval", "lcs", "retrieval LCS"),
        ("generation", "f1", "answer F1, right pages given (`extractive`)"),
        ("overall", "f1", "answer F1, whole system (`extractive`)"),
    ):
        for engine, name in (("gt", "ground truth"), ("precomputed:MinerU", "MinerU")):
            means = [cells.mean(stage, metric, engine=engine) for cells in protocols]
            yield [f"{title}, {name}", *map(number, means)]


def formatting_rows(default: Path, reference: Path) -> Rows:
    """One row per measure, a column a level."""
    protocols = {"`reference`": Cells(reference), "`default`": Cells(default)}

    def row(title: str, protocol: str, stage: str, *metrics: str, group: str = "all") -> list[str]:
        cells = protocols[protocol]
        return [title] + [
            " / ".join(number(cells.mean(stage, m, group, level=level)) for m in metrics)
            for level in LEVELS
        ]

    for protocol in protocols:
        yield row(f"r_noise, {protocol}", protocol, "ocr", "r_noise")
        for source in ("text", "table", "formula"):
            title = f"of {source} questions"
            yield row(title, protocol, "ocr", "r_noise", group=f"source:{source}")
        yield row(f"content r_noise, {protocol}", protocol, "ocr", "r_noise_content")
        title = f"retrieval LCS, as it stands / without mark-up, {protocol}"
        yield row(title, protocol, "retrieval", "lcs", "lcs_stripped")
        title = f"page not found / text missing as it stands, {protocol}"
        yield row(title, protocol, "retrieval", "page_not_found", "text_missing")
    yield row(
        "answer F1, right pages given (`extractive`), `default`", "`default`", "generation", "f1"
    )
    yield row("answer F1, whole system (`extractive`), `default`", "`default`", "overall", "f1")
    yield row("edit distance", "`default`", "ocr", "edit_distance")


def error_rows(run: Path) -> Rows:
    """One row per measure, a column an intensity of the made errors."""
    cells = Cells(run)
    for title, stage, metric in (
        ("edit distance", "ocr", "edit_distance"),
        ("r_noise", "ocr", "r_noise_reference"),
        ("r_noise (default tokens)", "ocr", "r_noise"),
        ("retrieval LCS", "retrieval", "lcs"),
        ("page not found", "retrieval", "page_not_found"),
        ("text missing", "retrieval", "text_missing"),
        ("answer F1, right pages given", "generation", "f1"),
        ("answer F1, whole system", "overall", "f1"),
    ):
        means = (cells.mean(stage, metric, intensity=amount) for amount in ERROR_AMOUNTS)
        yield [title, *map(number, means)]


def retriever_rows(run: Path) -> Rows:
    """One row per retriever: what it finds in MinerU's text, and what that text costs it."""
    drops = pd.read_csv(run / "drops.csv")
    for retriever in dict.fromkeys(drops["retriever"]):
        rows = drops[drops["retriever"] == retriever].set_index(["top_k", "metric", "group"])
        lcs = rows.loc[2, "lcs", "all"]
        parts = [rows.loc[2, part, "all"]["drop"] for part in ("page_not_found", "text_missing")]
        hits = [rows.loc[k, f"hit@{k}", "all"] for k in (1, 2, 5, 10)]
        ranks = rows.loc[10, "mrr@10", "all"]
        sources = [rows.loc[2, "lcs", f"source:{s}"]["drop"] for s in ("text", "table", "formula")]
        yield [
            f"`{retriever}`" if retriever in ("bm25", "page", "oracle") else retriever,
            f"{number(lcs['clean'])} / {number(lcs['noisy'])}",
            f"{number(lcs['drop'])} ({interval(lcs['drop_low'], lcs['drop_high'])})",
            " / ".join(map(number, parts)),
            " / ".join(map(number, sources)),
            " / ".join(number(hit["noisy"]) for hit in hits),
            " / ".join(number(hit["drop"]) for hit in hits),
            f"{number(ranks['noisy'])}, {number(ranks['drop'])}",
        ]


FORMATS = {"latex": "LaTeX", "markdown": "Markdown", "html": "HTML"}


def format_rows(run: Path) -> Rows:
    """One row per format, with what it costs against LaTeX."""
    cells, differences = Cells(run), pd.read_csv(run / "differences.csv", keep_default_na=False)
    chunks = {"chunker": "tokens", "retriever": "bm25"}
    stages = (("retrieval", "lcs", chunks), ("generation", "f1", {}), ("overall", "f1", chunks))
    for name, title in FORMATS.items():
        row = [title]
        for stage, metric, where in stages:
            row.append(_latex_row(cells, differences, name, stage, metric, where))
        yield row


def tag_rows(run: Path) -> Rows:
    """One row per way to cut and index, a column a format: retrieval LCS, with what it costs."""
    cells, differences = Cells(run), pd.read_csv(run / "differences.csv", keep_default_na=False)
    for chunker, pieces in (("tokens", "1,024 tokens"), ("page", "whole pages")):
        for retriever, terms in (("bm25", "all"), ("no tags", "without HTML tags")):
            where = {"chunker": chunker, "retriever": retriever}
            yield [pieces, terms] + [
                _latex_row(cells, differences, name, "retrieval", "lcs", where) for name in FORMATS
            ]


def _latex_row(
    cells: Cells,
    differences: pd.DataFrame,
    name: str,
    stage: str,
    metric: str,
    where: Mapping[str, str],
) -> str:
    mean = number(cells.mean(stage, metric, "source:table", engine=name, **where))
    paired = differences
    for column, value in {"stage": stage, "metric": metric, "format": name, **where}.items():
        paired = paired[paired[column] == value]
    for less in paired.to_dict("records"):
        ends = interval(less["ci_low"], less["ci_high"])
        mean += f" ({number(less['mean'])}: {ends})"
    return mean


def block_rows(run: Path) -> Rows:
    """One row per kind of block."""

    def percent(value: float) -> str:
        return "" if math.isnan(value) else f"{100 * value:.1f}"

    for row in pd.read_csv(run / "block_errors.csv").to_dict("records"):
        yield [
            {"text": "text", "formula": "formulas", "table": "tables"}[row["kind"]],
            f"{row['blocks']:,}",
            f"{row['found']:,}",
            f"{row['mean_size']:.0f}",
            f"{percent(row['textual'])} / {percent(row['textual_or_lost'])}",
            percent(row["any_textual"]),
            f"{percent(row['structural'])} / {percent(row['structural_or_lost'])}".strip(" /"),
            percent(row["differs_as_written"]),
        ]


def attribution_rows(run: Path) -> Rows:
    """One row per knowledge base and group of questions, a column a cause."""
    losses = pd.read_csv(run / "attribution.csv")
    names = {"gt": "ground truth", "precomputed:MinerU": "MinerU"}
    groups = {"all": "all", "source:text": "text", "source:table": "tables"}
    groups["source:formula"] = "formulas"
    for engine, name in names.items():
        for group, title in groups.items():
            mine = losses[(losses["engine"] == engine) & (losses["group"] == group)]
            rows = mine.set_index("cause")
            shares = []
            for cause in ("reading", "retrieval", "chunking", "ocr"):
                share = rows.loc[cause]
                ends = interval(share["ci_low"], share["ci_high"])
                is_known = not math.isnan(share["ci_low"])
                shares.append(f"{number(share['f1_lost'])}{f' ({ends})' * is_known}")
            overall = number(float(rows["overall_f1"].iloc[0]))
            yield [name, title, str(rows["n"].iloc[0]), *shares, overall]


def sample_rows(run: Path) -> Rows:
    """One row per level of the noise, with Tesseract; first the ground truth."""
    cells = Cells(run)
    points = [("ground truth", "gt", "")]
    points += [(level or "clean", "tesseract", level) for level in LEVELS]
    for title, engine, level in points:
        yield [title] + [
            number(cells.mean(stage, metric, engine=engine, level=level))
            for stage, metric in (
                ("ocr", "r_noise"),
                ("ocr", "r_noise_content"),
                ("ocr", "edit_distance"),
                ("retrieval", "lcs"),
                ("generation", "f1"),
                ("overall", "f1"),
            )
        ]


def engine_rows(run: Path) -> Rows:
    """One row per kind of page, a column an engine."""
    means = pd.read_csv(run / "sample_ocr.csv")
    for kind, rows in means.groupby("page", sort=False):
        by_engine = rows.set_index("engine")
        yield [str(kind), str(rows["n"].iloc[0])] + [
            f"{number(row['edit_distance'])}, {number(row['without_markup'])}"
            for engine in ("tesseract", "rapidocr")
            for row in [by_engine.loc[engine]]
        ]


WHOLE = "answer F1, whole system"
QUALITY = ("retrieval LCS", "answer F1, right pages given", WHOLE)
FRAGMENTS = (
    Fragment(
        "protocols",
        (MINERU, MINERU_REFERENCE),
        ("", "`reference`", "`default`"),
        protocol_rows,
    ),
    Fragment(
        "formatting",
        (FORMATTING, FORMATTING_REFERENCE),
        ("", "clean", *LEVELS[1:]),
        formatting_rows,
    ),
    Fragment(
        "retrievers",
        (RETRIEVERS,),
        (
            "",
            "LCS of 2, gt / MinerU",
            "drop (95 %)",
            "page not found / text missing",
            "on text / table / formula",
            "hit@1 / 2 / 5 / 10, MinerU",
            "drop",
            "MRR@10, drop",
        ),
        retriever_rows,
    ),
    Fragment(
        "ocr_errors",
        (ERRORS,),
        ("", "clean", *ERROR_AMOUNTS[1:]),
        error_rows,
    ),
    Fragment(
        "table_tags",
        (TABLE_FORMATS,),
        ("chunks", "index terms", *FORMATS.values()),
        tag_rows,
    ),
    Fragment("table_formats", (TABLE_FORMATS,), ("tables in", *QUALITY), format_rows),
    Fragment(
        "block_errors",
        (BLOCK_ERRORS,),
        (
            "",
            "blocks",
            "found",
            "words",
            "textual / or lost, %",
            "a word or more, %",
            "structural / or lost, %",
            "differ as written, %",
        ),
        block_rows,
        data=MINERU,
    ),
    Fragment(
        "attribution",
        (ATTRIBUTION,),
        (
            "",
            "questions on",
            "n",
            "reading",
            "retrieval",
            "chunking",
            "OCR",
            "answer F1, whole system",
        ),
        attribution_rows,
    ),
    Fragment(
        "sample",
        (SAMPLE,),
        ("", "r_noise (default tokens)", "content r_noise", "edit distance", *QUALITY),
        sample_rows,
    ),
    Fragment(
        "sample_ocr",
        (SAMPLE_OCR,),
        ("pages with", "n", "Tesseract", "RapidOCR"),
        engine_rows,
    ),
)


def main() -> None:
    """Make the tables that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = [fragment.name for fragment in FRAGMENTS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--data", type=Path, default=ROOT / "../shared/data", help="the folder $D")
    parser.add_argument("--cache", type=Path, default=Path(".ohr-cache"))
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "results")
    given = parser.parse_args()
    unknown = set(given.names) - set(names)
    if unknown:
        parser.error(f"no table {min(unknown)!r}; known: {', '.join(names)}")
    for fragment in FRAGMENTS:
        if fragment.name in (given.names or names):
            print(fragment.write(given.data.resolve(), given.cache.resolve(), given.runs))


if __name__ == "__main__":
    main()
