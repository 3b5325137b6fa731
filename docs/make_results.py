"""Makes the tables of the results pages that take minutes, from the commands themselves.

``make results-small [DATA=…]``, or ``python docs/make_results.py [NAME ...]``. Each table is a
file ``docs/results/generated/NAME.md``, which a page includes; its first line says which command
made it, at which commit of the code, on which day and on which data. A run that is finished in
``runs/results`` for the same code is not made again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "docs" / "results" / "generated"
CODE = ("ohr", "perturb", "ocr_backends", "rag", "experiments")
"""What the figures depend on: the commit named is the last one that changed any of it."""
DATA = (
    "dataset.kind=ohrbench dataset.path=$D/ohrbench/retrieval_base "
    "dataset.questions=$D/ohrbench/qas_dev.json"
)
LEVELS = ("", "mild", "moderate", "severe")

Rows = Iterable[Sequence[str]]


@dataclass(frozen=True)
class Study:
    """A command that writes a run; ``arguments`` as a shell reads them, ``$D`` the data folder."""

    name: str
    arguments: str
    room: str = "experiments"

    @property
    def command(self) -> str:
        """As a user gives it."""
        return f"python -m {self.room}.{self.arguments} --out runs/{self.name}"

    @property
    def code(self) -> str:
        """The last commit that changed its code; with a ``+`` where it has been edited since."""
        rooms = {*CODE, self.room}
        last = git("log", "-1", "--format=%h", "--", *rooms)
        return last + "+" * bool(git("status", "--porcelain", "--", *rooms))

    def run(self, data: Path, cache: Path, runs: Path) -> Path:
        """Its folder, made where it is not finished there."""
        out = runs / self.name
        finished = out / "made_by.json"
        made_by = {"command": self.command, "code": self.code}
        if finished.exists() and json.loads(finished.read_text("utf-8")) == made_by:
            return out
        command = self.command.replace("$D", str(data)).replace(f"runs/{self.name}", str(out))
        options = [f"cache={cache}"] if self.room == "experiments" else ["--cache", str(cache)]
        subprocess.run([sys.executable, *shlex.split(command)[1:], *options], cwd=ROOT, check=True)
        finished.write_text(json.dumps(made_by), "utf-8")
        return out


@dataclass(frozen=True)
class Fragment:
    """A table of a results page: the studies that it is taken from, and how."""

    name: str
    studies: tuple[Study, ...]
    header: tuple[str, ...]
    rows: Callable[..., Rows]
    """Takes the folder of each study."""
    data: Study | None = None
    """The study whose manifest names the data; by default the first."""

    def write(self, data: Path, cache: Path, runs: Path) -> Path:
        """Run what is not there and write the table."""
        folders = [study.run(data, cache, runs) for study in self.studies]
        source = (self.data or self.studies[0]).run(data, cache, runs)
        lines = [provenance(self.studies, source), "", table_line(self.header)]
        lines += [table_line(["---", *["---:"] * (len(self.header) - 1)])]
        lines += [table_line(row) for row in self.rows(*folders)]
        path = GENERATED / f"{self.name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path


def provenance(studies: Sequence[Study], source: Path) -> str:
    """Command, commit, date and data of a table, on one line."""
    commands = " and ".join(f"`{study.command}`" for study in studies)
    manifest = json.loads((source / "manifest.json").read_text("utf-8"))
    data = manifest["dataset"]
    today = datetime.datetime.now(datetime.UTC).date()
    return (
        f"{commands}; commit {studies[0].code}, {today}; data: {data['kind']}, "
        f"{data['documents']:,} documents, {data['pages']:,} pages, {data['asked']:,} questions, "
        f"digest {data['digest'][:12]}.\n{{ .provenance }}"
    )


def git(*arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def table_line(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def number(value: float) -> str:
    """``.107``, ``−.021``, ``1.000``; a dash for what was not measured."""
    if math.isnan(value):
        return "–"
    text = f"{abs(value):.3f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + text.removeprefix("0")


def interval(low: float, high: float) -> str:
    """``.084 to .129``."""
    return f"{number(low)} to {number(high)}"


class Cells:
    """The cells of a run, looked up by what one wants to know."""

    def __init__(self, run: Path) -> None:
        self._cells = pd.read_csv(run / "cells.csv", keep_default_na=False, na_values=["nan"])

    def mean(self, stage: str, metric: str, group: str = "all", **where: str) -> float:
        """The mean of the only cell; NaN where there is none."""
        cells = self._cells
        chosen = cells[
            (cells["stage"] == stage) & (cells["metric"] == metric) & (cells["group"] == group)
        ]
        for name, value in where.items():
            chosen = chosen[chosen[name].astype(str) == value]
        values = pd.to_numeric(chosen["mean"])
        if len(values) > 1:
            raise ValueError(f"{len(values)} cells of {stage} {metric} {group} {where}")
        return float(values.iloc[0]) if len(values) else math.nan


MINERU = Study("mineru", f'ocr_benchmark {DATA} "engines=[gt,precomputed:MinerU]"')
MINERU_REFERENCE = Study(
    "mineru_reference",
    f'ocr_benchmark {DATA} "engines=[gt,precomputed:MinerU]" scoring=reference',
)
FORMATTING = Study("formatting", f'noise_curve {DATA} "engines=[gt]" "noise=[formatting]"')
FORMATTING_REFERENCE = Study(
    "formatting_reference",
    f'noise_curve {DATA} "engines=[gt]" "noise=[formatting]" scoring=reference '
    '"stages=[ocr,retrieval]"',
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
TABLE_FORMATS = Study("table_formats", f"table_format {DATA}")
BLOCK_ERRORS = Study("block_errors", f'block_errors {DATA} "engines=[precomputed:MinerU]"')
ATTRIBUTION = Study("attribution", f'attribution {DATA} "engines=[gt,precomputed:MinerU]"')
SAMPLE_OCR = Study("sample_ocr", "sample_ocr 84", "benchmarks")
SAMPLE = Study("sample", 'noise_curve "engines=[tesseract]" "noise=[semantic]" ground_truth=true')


def protocol_rows(default: Path, reference: Path) -> Rows:
    """A row a measure and knowledge base, a column a protocol."""
    protocols = [Cells(reference), Cells(default)]
    for stage, metric, title in (
        ("ocr", "r_noise", "r_noise"),
        ("retrieval", "lcs", "retrieval LCS"),
        ("generation", "f1", "generation F1 (`extractive`)"),
        ("overall", "f1", "overall F1 (`extractive`)"),
    ):
        for engine, name in (("gt", "ground truth"), ("precomputed:MinerU", "MinerU")):
            means = [cells.mean(stage, metric, engine=engine) for cells in protocols]
            yield [f"{title}, {name}", *map(number, means)]


def formatting_rows(default: Path, reference: Path) -> Rows:
    """A row a measure, a column a level."""
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
        yield row(f"r_noise of content, {protocol}", protocol, "ocr", "r_noise_content")
        title = f"retrieval LCS, as it stands / without mark-up, {protocol}"
        yield row(title, protocol, "retrieval", "lcs", "lcs_stripped")
    yield row("generation F1 (`extractive`), `default`", "`default`", "generation", "f1")
    yield row("overall F1 (`extractive`), `default`", "`default`", "overall", "f1")
    yield row("edit distance", "`default`", "ocr", "edit_distance")


def retriever_rows(run: Path) -> Rows:
    """A row a retriever: what it finds in MinerU's text, and what that text costs it."""
    drops = pd.read_csv(run / "drops.csv")
    for retriever in dict.fromkeys(drops["retriever"]):
        rows = drops[drops["retriever"] == retriever].set_index(["top_k", "metric", "group"])
        lcs = rows.loc[2, "lcs", "all"]
        hits = [rows.loc[k, f"hit@{k}", "all"] for k in (1, 2, 5, 10)]
        ranks = rows.loc[10, "mrr@10", "all"]
        sources = [rows.loc[2, "lcs", f"source:{s}"]["drop"] for s in ("text", "table", "formula")]
        yield [
            f"`{retriever}`" if retriever in ("bm25", "page", "oracle") else retriever,
            f"{number(lcs['clean'])} / {number(lcs['noisy'])}",
            f"{number(lcs['drop'])} ({interval(lcs['drop_low'], lcs['drop_high'])})",
            " / ".join(map(number, sources)),
            " / ".join(number(hit["noisy"]) for hit in hits),
            " / ".join(number(hit["drop"]) for hit in hits),
            f"{number(ranks['noisy'])}, {number(ranks['drop'])}",
        ]


def format_rows(run: Path) -> Rows:
    """A row a format, with what it costs against LaTeX."""
    cells, differences = Cells(run), pd.read_csv(run / "differences.csv")
    for name, title in (("latex", "LaTeX"), ("markdown", "Markdown"), ("html", "HTML")):
        row = [title]
        for stage, metric in (("retrieval", "lcs"), ("generation", "f1"), ("overall", "f1")):
            mean = number(cells.mean(stage, metric, "source:table", engine=name))
            paired = differences[
                (differences["stage"] == stage)
                & (differences["metric"] == metric)
                & (differences["format"] == name)
            ]
            for less in paired.to_dict("records"):
                ends = interval(less["ci_low"], less["ci_high"])
                mean += f" ({number(less['mean'])}: {ends})"
            row.append(mean)
        yield row


def block_rows(run: Path) -> Rows:
    """A row a kind of block."""

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
    """A row a knowledge base and group of questions, a column a cause."""
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
                known = not math.isnan(share["ci_low"])
                shares.append(f"{number(share['f1_lost'])}{f' ({ends})' * known}")
            overall = number(float(rows["overall_f1"].iloc[0]))
            yield [name, title, str(rows["n"].iloc[0]), *shares, overall]


def sample_rows(run: Path) -> Rows:
    """A row a level of the noise, with Tesseract; first the ground truth."""
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
    """A row a kind of page, a column an engine."""
    means = pd.read_csv(run / "sample_ocr.csv")
    for kind, rows in means.groupby("page", sort=False):
        by_engine = rows.set_index("engine")
        yield [str(kind), str(rows["n"].iloc[0])] + [
            f"{number(row['edit_distance'])}, {number(row['without_markup'])}"
            for engine in ("tesseract", "rapidocr")
            for row in [by_engine.loc[engine]]
        ]


QUALITY = ("retrieval LCS", "generation F1", "overall F1")
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
            "on text / table / formula",
            "hit@1 / 2 / 5 / 10, MinerU",
            "drop",
            "MRR@10, drop",
        ),
        retriever_rows,
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
        ("", "questions on", "n", "reading", "retrieval", "chunking", "OCR", "overall F1"),
        attribution_rows,
    ),
    Fragment(
        "sample",
        (SAMPLE,),
        ("", "r_noise", "of content", "edit distance", *QUALITY),
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
