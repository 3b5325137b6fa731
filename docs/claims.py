"""The comparisons that a results page rests on, tested as one family each.

A claim is a sum of measured scores with signs, question by question, declared in
``docs/results/claims.yaml`` for the findings, in ``scan_claims.yaml`` and ``tiny_claims.yaml`` for
receipts, in ``answer_claims.yaml`` for a language model's answers about them, in
``repair_claims.yaml`` for what repairs win back, in ``typewriter_claims.yaml`` for typewritten
pages, in ``typeset_claims.yaml`` for typeset pages of OHR-Bench, and in ``sample_claims.yaml`` for
generated documents of another seed. Each is tested on all documents of its run. A term may name
another run, with the same questions.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from attainable import GOLD_PAGES, attainable
from claim_studies import (
    ANSWER_STUDIES,
    REPAIR_STUDIES,
    SAMPLE_STUDIES,
    SCAN_STUDIES,
    STUDIES,
    TINY_STUDIES,
    TYPESET_STUDIES,
    TYPEWRITER_STUDIES,
)
from results_table import GENERATED, ROOT, Study, interval, provenance

from ohr.statistics import Paired, PairedComparison, compare_family
from ohr.statistics.numbers import number, p_value
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of, open_run

ALPHA = 0.05
SECOND = {"lcs": "hit@2", "f1": "em"}
"""The second outcome of each measure, unless a claim names another."""
NAMES = {
    "hit@2": "page found",
    "mrr@2": "MRR@2",
    "em": "EM",
    "evidence_lcs": "evidence on its page",
    "edit_distance": "edit distance",
    "silent_numbers": "numbers changed in silence",
    "dropped_numbers": "numbers dropped",
}
"""How second outcomes are called."""
HEADER = (
    *("", "compared", "baseline", "difference", "95 % interval", "p", "documents"),
    *("second outcome", "verdict"),
)
HOLDS, NOT_SHOWN = "holds", "not shown"


@dataclass(frozen=True)
class Claim:
    """One comparison: what it is called, and the terms that are added up."""

    name: str
    what: str
    baseline: str
    run: str
    terms: tuple[tuple[int, Mapping[str, Any]], ...]
    """Signs and the rows that each stands for: ``stage``, ``metric``, ``engine`` and so on."""
    second: tuple[tuple[int, Mapping[str, Any]], ...]
    second_name: str


@dataclass(frozen=True)
class Verdict:
    """What came of a claim: interval and p are of the family of all claims."""

    claim: Claim
    whole: PairedComparison
    second: PairedComparison
    second_agrees: bool
    """Whether the second outcome differs too, by a test of its own, and to the same side."""
    second_contradicts: bool = False
    """Whether it differs, by a test of its own, to the other side."""

    @property
    def holds(self) -> bool:
        """Whether the documents show it, with all claims as one family."""
        return self.whole.is_shown

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row in the table."""
        claim, whole, second = self.claim, self.whole, self.second
        verdict = HOLDS if self.holds else f"{NOT_SHOWN}; none over {number(whole.interval.bound)}"
        if self.holds and self.second_contradicts:
            verdict += "; its second outcome goes the other way"
        elif self.holds and not self.second_agrees:
            verdict += "; its second outcome is not shown"
        return (
            *(claim.name, claim.what, claim.baseline),
            *(number(whole.difference), _interval(whole), p_value(whole.p_adjusted)),
            f"{whole.n_clusters}",
            f"{claim.second_name} {number(second.difference)} ({_interval(second)})",
            verdict,
        )


def read_claims(path: Path) -> list[Claim]:
    """The claims of a YAML file. Raises KeyError for one that lacks a part."""
    return [_claim(entry) for entry in yaml.safe_load(path.read_text("utf-8"))["claims"]]


def _claim(entry: Mapping[str, Any]) -> Claim:
    of = dict(entry["of"])
    second = of | dict(entry.get("second") or {"metric": SECOND.get(of["metric"], of["metric"])})
    terms, again = [], []
    for sign, selectors in ((1, entry["after"]), (-1, entry["before"])):
        for place, selector in enumerate(_listed(selectors)):
            signed = sign if place == 0 else -sign  # a second selector is taken away
            terms.append((signed, of | selector))
            again.append((signed, second | selector))
    return Claim(
        entry["id"],
        entry["what"],
        entry["baseline"],
        entry["run"],
        tuple(terms),
        tuple(again),
        NAMES.get(str(second["metric"]), str(second["metric"])),
    )


def _listed(selectors: Any) -> list[dict[str, Any]]:
    return list(selectors) if isinstance(selectors, list) else [dict(selectors)]


def verdicts(claims: Sequence[Claim], runs: Mapping[str, Path]) -> list[Verdict]:
    """What comes of claims on their runs. Raises OhrError for a run that cannot be read."""
    # A claim may be a difference of two differences of scores.
    family = [_paired(_added(runs, claim.run, claim.terms)) for claim in claims]
    results = []
    for claim, whole in zip(claims, compare_family(family, largest=2.0), strict=True):
        added = _added(runs, claim.run, claim.second)
        [second] = compare_family([_paired(added)], largest=2.0)
        run = _opened(runs[claim.run])
        sides = _better(run, claim.terms), _better(run, claim.second)
        same_side = bool(whole.difference * second.difference * np.prod(sides) > 0)
        shown = second.is_shown
        results.append(Verdict(claim, whole, second, shown and same_side, shown and not same_side))
    return results


@cache
def _opened(path: Path) -> StudyRun:
    return open_run(path)


@cache
def _attainable(path: Path) -> pd.Series:
    return attainable(_opened(path)).set_index("qid")[GOLD_PAGES]


def _added(
    runs: Mapping[str, Path], usual: str, terms: Sequence[tuple[int, Mapping[str, Any]]]
) -> pd.DataFrame:
    """The sum of the terms for each question that all of them have: ``value``."""
    keys = [*UNIT_COLUMNS, "domain"]
    table: pd.DataFrame | None = None
    for sign, selector in terms:
        where = dict(selector)
        rows = _rows(_opened(runs[where.pop("run", usual)]), where)
        rows = rows[keys].assign(value=sign * rows["value"].to_numpy(dtype=float))
        if table is None:
            table = rows
            continue
        both = table.merge(rows, on=keys, suffixes=("", "_other"))
        table = both[keys].assign(value=both["value"] + both["value_other"])
    assert table is not None
    return table


def _rows(run: StudyRun, where: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of one condition. A term with ``attainable`` scores what a reader attains that
    copies the best span of the gold pages (:func:`attainable.attainable_f1`); of ``em`` 1 where
    that is all of F1.
    """
    where = dict(where)
    best_span = where.pop("attainable", False)
    rows = run.rows
    for name, value in where.items():
        rows = rows[rows[name].astype("string").fillna("") == str(value)]
    if rows.empty or rows.duplicated(list(UNIT_COLUMNS)).any():
        raise ValueError(f"{len(rows)} rows of {run.path} for {where}: not one a question")
    if not best_span:
        return rows
    values = rows["qid"].map(_attainable(run.path))
    return rows.assign(value=(values == 1).astype(float) if where["metric"] == "em" else values)


def _paired(values: pd.DataFrame) -> Paired:
    return Paired(values["value"].to_numpy(), clusters_of(values))


def _better(run: StudyRun, terms: Sequence[tuple[int, Mapping[str, Any]]]) -> int:
    """1 if more of what the first term measures is better, else -1."""
    metric = (terms[0][1]["stage"], terms[0][1]["metric"])
    higher = {(info.stage, info.metric): info.higher_is_better for info in run.metric_infos}
    return 1 if higher.get(metric, True) else -1


def _interval(comparison: PairedComparison) -> str:
    return interval(comparison.interval.low, comparison.interval.high)


def table_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The table in Markdown."""
    yield f"| {' | '.join(HEADER)} |"
    yield f"| {' | '.join(['---'] * len(HEADER))} |"
    for verdict in verdicts:
        yield f"| {' | '.join(verdict.cells)} |"


def some_receipts(data: Path, chosen: slice = slice(None)) -> str:
    """The ids of the receipts that slower engines read, or of some of them, as an option takes
    them.
    """
    return _listed_names(receipt_names(data)[1:160:2][chosen], "receipt")


def receipt_names(data: Path) -> list[str]:
    """The names of all receipts, in order."""
    return sorted(path.stem for path in (data / "receipts" / "images").rglob("*.jpg"))


def _listed_names(names: Sequence[str], *domains: str) -> str:
    return f"[{','.join(f'{domain}/{name}' for name in names for domain in domains)}]"


@dataclass(frozen=True)
class Family:
    """The claims of one results page: their file, their table and their runs."""

    name: str
    studies: tuple[Study, ...]
    prepare: tuple[str, ...]
    """The command that makes the data of the runs, with ``{data}`` and ``{out}``."""
    folder: str
    """Where it makes them, in the folder of the runs."""
    letter: str
    """What the studies call that folder."""

    @property
    def claims(self) -> Path:
        """The file of the claims."""
        return ROOT / "docs" / "results" / f"{self.name}.yaml"

    @property
    def table(self) -> Path:
        """The table on the page."""
        return GENERATED / f"{self.name}.md"

    def make_runs(self, data: Path, cache: Path, runs: Path) -> None:
        """Make the runs that are not there."""
        folder = runs / self.folder
        if not folder.exists():
            made_by = [part.format(data=data, out=folder) for part in self.prepare]
            subprocess.run([sys.executable, "-m", *made_by], cwd=ROOT, check=True)
        named = {"D": str(data), self.letter: str(folder), "N": some_receipts(data)}
        named["H"] = some_receipts(data, slice(1, None, 2))
        names = receipt_names(data)
        named["E"] = _listed_names(names[::2], "receipt", "receipt-scan")
        named["O"] = _listed_names(names[1::2], "receipt", "receipt-scan")
        named["R"] = _listed_names(names[1::2], "receipt")
        named["M"] = os.environ.get("OHR_MODELS", "models")
        for study in self.studies:
            study.run(named, cache, runs)

    def lines(self, runs: Path) -> list[str]:
        """The table of its claims."""
        folders = {study.name: runs / study.name for study in self.studies}
        return list(table_lines(verdicts(read_claims(self.claims), folders)))

    def check(self, runs: Path) -> int:
        """Print how the table differs from the runs; the number of lines that do."""
        lines = self.lines(runs)
        stored = self.table.read_text("utf-8").splitlines() if self.table.exists() else []
        differing = sorted(set(lines) ^ {line for line in stored if line.startswith("|")})
        for line in differing:
            print(f"{'only of the runs' if line in lines else 'only in the table'}: {line}")
        print(
            f"{len(lines) - 2} claims checked, {len(differing)} lines differ from {self.table.name}"
        )
        return len(differing)

    def write(self, runs: Path) -> None:
        """Write the table."""
        source = provenance(self.studies, runs / self.studies[0].name)
        self.table.write_text("\n".join([source, "", *self.lines(runs)]) + "\n", "utf-8")
        print(self.table)


RECEIPT_TWINS = (
    *("experiments.dataset_twins", "dataset.kind=sroie", "dataset.path={data}/receipts"),
    *("dataset.questions={data}/receipts/qas.json", "--out", "{out}"),
)
FAMILIES = (
    Family(
        "claims",
        STUDIES,
        ("experiments.dataset_make_sample", "--pages", "300", "--out", "{out}"),
        "sample",
        "S",
    ),
    Family("scan_claims", SCAN_STUDIES, RECEIPT_TWINS, "receipts_twins", "T"),
    Family("tiny_claims", TINY_STUDIES, RECEIPT_TWINS, "receipts_twins", "T"),
    Family("answer_claims", ANSWER_STUDIES, RECEIPT_TWINS, "receipts_twins", "T"),
    Family("repair_claims", REPAIR_STUDIES, (*RECEIPT_TWINS, "--with-scans"), "receipts_both", "B"),
    Family(
        "typewriter_claims",
        TYPEWRITER_STUDIES,
        (
            *("experiments.dataset_twins", "dataset.kind=sroie", "dataset.path={data}/typewriter"),
            *("dataset.params={{marks: _^~}}", "--out", "{out}"),
        ),
        "typewriter_pages_twins",
        "T",
    ),
    Family(
        "typeset_claims",
        TYPESET_STUDIES,
        (
            *("experiments.dataset_typeset", "dataset.kind=ohrbench"),
            "dataset.path={data}/ohrbench/retrieval_base",
            "dataset.questions={data}/ohrbench/qas_dev.json",
            *("--per-document", "2", "--out", "{out}"),
        ),
        "typeset_pages",
        "Y",
    ),
    Family(
        "sample_claims",
        SAMPLE_STUDIES,
        ("experiments.dataset_make_sample", "--pages", "300", "--seed", "1", "--out", "{out}"),
        "sample_2",
        "S",
    ),
)


def main() -> int:
    """Make the runs that are not there, and the tables; or check the tables against the runs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT / "../shared/data", help="the folder $D")
    parser.add_argument("--cache", type=Path, default=Path(".ohr-cache"))
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "claims")
    parser.add_argument("--only", choices=[family.name for family in FAMILIES])
    parser.add_argument("--check", action="store_true", help="run nothing, write nothing")
    given = parser.parse_args()
    differing = 0
    for family in FAMILIES:
        if given.only not in (None, family.name):
            continue
        if given.check:
            differing += family.check(given.runs)
            continue
        family.make_runs(given.data.resolve(), given.cache.resolve(), given.runs)
        family.write(given.runs)
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
