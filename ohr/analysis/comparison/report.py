"""Prints and writes the differences between finished runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from ohr.analysis.comparison.configurations import configuration_changes
from ohr.analysis.comparison.differences_report import LESS, SHOWN, floor, together
from ohr.analysis.comparison.gate import (
    Checked,
    Verdict,
    check,
    gate_table,
    parse_conditions,
    smallest_margin_lines,
    unpaired_lines,
)
from ohr.analysis.comparison.names import cut_runs
from ohr.analysis.comparison.planned import SETTINGS
from ohr.analysis.comparison.table import (
    EVERY,
    comparisons,
    default_aspect,
    metrics_of,
    split_by_signature,
)
from ohr.display.choices import ASPECTS
from ohr.display.labels import group_label, interval_units
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.verdicts import effect_text, size_text
from ohr.display.wording import ALPHA, add_letters, is_shown, letters_part, rare_losses
from ohr.errors import ConfigError, OhrError
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.numbers import interval, number, p_value, prose, signed
from ohr.store.csv import write_csv
from ohr.study.baselines import baselines_line
from ohr.study.notices.truth import truth_notes
from ohr.study.opening import open_runs, unverified_lines
from ohr.study.results import StudyRun, run_names, uncounted_conditions


def compare_runs(
    paths: Sequence[Path],
    out: Path | None,
    by: str = "",
    baseline: str = "",
    metric: Sequence[str] = (),
    groups: bool = False,
    fail_if: Sequence[str] = (),
    fail_undecided: bool = False,
) -> int:
    """Print the differences, and write them with ``out``. Raises OhrError.

    Returns 1 if a condition of ``fail_if`` holds with confidence, with ``fail_undecided`` also if
    one is not decided; else 0. Without ``metric``, the
    metrics of these conditions are compared.
    """
    if fail_undecided and not fail_if:
        raise ConfigError("--fail-undecided is for the conditions of --fail-if: give one")
    by = by or default_aspect(paths)
    if by not in ASPECTS:
        raise OhrError(f"unknown --by {by!r}; known: {', '.join(ASPECTS)}")
    runs = open_runs(paths)
    conditions = parse_conditions(fail_if, runs)
    metric = metric or list(dict.fromkeys(condition.name for condition in conditions))
    runs = cut_runs(runs, metric)
    metrics = metrics_of(runs, metric, parts=True)
    differences = comparisons(runs, by, metrics, baseline=baseline, groups=EVERY * groups)
    checked = check(runs, by, conditions, baseline) if conditions else []
    changes = configuration_changes(runs)
    notes = note_lines(_readers(runs, differences), run_notes(runs))
    labels = {(str(i.stage), i.metric): i.label for run in runs for i in run.metric_infos}
    table = _text_table(differences, labels, [*notes, *truth_notes(run.cells for run in runs)])
    for line in verdict_lines(differences, metrics_of(runs, metric), labels):
        say(line)
    print()
    show(terminal_table(table))
    print_caption(table.caption)
    for line in unverified_lines(runs):
        print_caption(line)
    for reason in split_by_signature(runs, metrics)[1]:
        print_caption(reason)
    for run, run_name in zip(runs, run_names(runs), strict=True):
        for name in uncounted_conditions(run, metrics_of(runs, metric)):
            print(f"{plain(run_name)}: {plain(name)} has no scores that count and is left out")
    if len(runs) > 1:
        print(
            "changes between the runs:" if len(changes) else "the runs have the same configuration"
        )
        for change in changes.itertuples(index=False):
            values = " -> ".join(plain(str(value)) or "(none)" for value in change[1:])
            print(f"  {plain(str(change[0]))}: {values}")
    files: list[Path] = []
    if out is not None:
        files += write_table(out, "differences", differences, table)
        if len(runs) > 1:
            files += write_table(out, "changes", changes, _changes_table(changes))
        if conditions:
            files.append(out / "gate.csv")
            write_csv(files[-1], gate_table(checked))
    code = _close_gate(checked, runs, by, fail_undecided) if conditions else 0
    say_files(files)
    return code


_PLACES = ("system", "chunker", "retriever", "reader", "perturbation", "level")
"""Columns that name where in the table a change stands."""


def verdict_lines(
    differences: pd.DataFrame,
    metrics: Sequence[tuple[str, str]],
    labels: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Of each metric, how many comparisons are significant, and the largest change; the sizes."""
    whole = differences[differences["group"] == "all"]
    for stage, metric in metrics:
        rows = whole[(whole["stage"] == stage) & (whole["metric"] == metric)]
        if (stage == "ocr" and len({s for s, _ in metrics}) > 1) or rows.empty:
            continue
        shown = rows[rows["p_adjusted"].map(is_shown)]
        chosen = rows if shown.empty else shown
        row = chosen.sort_values(
            "difference", key=lambda column: -column.abs(), kind="stable"
        ).iloc[0]
        change = effect_text(
            row["difference"], row["ci_low"], row["ci_high"], row["p_adjusted"], row["n_documents"]
        )
        of = f"{len(shown)} of {len(rows)} changes significant; the largest of "
        of += "these, " if len(shown) else "all, "
        of *= len(rows) > 1
        name = heading(labels.get((stage, metric), metric))
        varying = [column for column in _PLACES if whole[column].astype(str).nunique() > 1]
        named = [str(row[column]) for column in varying]
        where = ", ".join(each for each in named if each not in ("", "nan", "none", row["other"]))
        place = f" ({where})" if where else ""
        yield f"{name}: {of}{row['other']} minus {row['baseline']}{place}: {change}."
    if len(whole):
        yield size_text(int(whole["n"].max()), int(whole["n_documents"].max()))


def _close_gate(
    checked: Sequence[Checked],
    runs: Sequence[StudyRun],
    by: str,
    fail_undecided: bool,
) -> int:
    """Print one line per checked condition; returns 1 if one failed, else 0.

    With ``fail_undecided`` also 1 if one is not decided.
    """
    for result in checked:
        print(result.line)
    for note in unpaired_lines(runs, checked) if by == "run" else ():
        say(note)
    if len(checked) == 1:
        print("the gate: a 95 % interval over documents")
    else:
        print(f"the gate: {len(checked)} intervals over documents, at 95 % together")
    for line in smallest_margin_lines(checked):
        say(line)
    sizes = [
        each.n_documents for each in checked if each.verdict is Verdict.PASSED and not each.is_equal
    ]
    if sizes and (warning := rare_losses(min(sizes))):
        print(f"the gate: passed on {warning}")
    failing = {Verdict.FAILED, *([Verdict.NOT_DECIDED] if fail_undecided else [])}
    return int(any(result.verdict in failing for result in checked))


def _readers(runs: Sequence[StudyRun], differences: pd.DataFrame) -> list[str]:
    """The readers whose answers are compared."""
    pairs = set(differences[["stage", "metric"]].itertuples(index=False, name=None))
    parts = [run.rows[["stage", "metric", "reader", "system"]].drop_duplicates() for run in runs]
    return [
        str(name)
        for part in parts
        for stage, metric, *names in part.itertuples(index=False)
        if (stage, metric) in pairs
        for name in names
    ]


def _text_table(
    differences: pd.DataFrame, labels: Mapping[tuple[str, str], str], notes: Sequence[str]
) -> TextTable:
    """One line per comparison; settings that are the same in all are in the caption."""
    varying = [name for name in SETTINGS if differences[name].replace("", None).nunique() > 1]
    baselines = list(dict.fromkeys(differences["baseline"]))
    split = ["questions"] if differences["group"].nunique() > 1 else []
    header = [
        *("compared", *varying, "score", *split, "n"),
        *("baseline", "mean", "difference", "95 % interval", "p"),
    ]
    rows = []
    for row in differences.to_dict("records"):
        label = labels.get((row["stage"], row["metric"]), row["metric"])
        star = SHOWN if is_shown(row["p_adjusted"]) else ""
        rows.append(
            [
                row["other"] + (f" − {row['baseline']}" if len(baselines) > 1 else ""),
                *("" if pd.isna(row[name]) else str(row[name]) for name in varying),
                label + LESS * (not row["higher_is_better"]),
                *(group_label(row["group"]) for _ in split),
                str(row["n"]),
                add_letters(number(row["baseline_mean"]), row.get("baseline_letters", "")),
                add_letters(number(row["other_mean"]), row.get("letters", "")),
                signed(row["difference"]) + star,
                interval(row["ci_low"], row["ci_high"], signed),
                p_value(row["p_adjusted"]),
            ]
        )
    caption = "; ".join([*_caption(differences, baselines), *notes])
    return TextTable(header, rows, caption, left=header.index("n"))


def _caption(differences: pd.DataFrame, baselines: Sequence[str]) -> list[str]:
    parts = [f"change from {baselines[0]}" if len(baselines) == 1 else "", "paired by question"]
    parts.append(baselines_line(set(differences["part"])))
    if not differences["higher_is_better"].all():
        parts.append(f"{LESS.strip()} less is better")
    if over := interval_units(differences["ci_unit"]):
        parts.append(f"intervals and p by sign flips, for further {over}{together(differences)}")
    parts.append(floor(differences))
    if not differences["p_adjusted"].map(is_shown).all():
        parts.append(f"{SHOWN} p at most {prose(ALPHA)}; else larger differences are ruled out")
    tested = differences.attrs.get("ties", ())
    parts.append(letters_part(tested))
    if any(each.are_tested for each in tested):
        parts.append("letters compare all pairs of one metric, with the other settings as they are")
    if protocols := list(dict.fromkeys(differences["protocol"].dropna())):
        parts.append(f"{' and '.join(protocols)} scoring")
    if unpaired := int(differences[["n_baseline_only", "n_other_only"]].sum(axis=1).max()):
        parts.append(f"up to {unpaired} questions count only on one side and are left out")
    return [part for part in parts if part]


def _changes_table(changes: pd.DataFrame) -> TextTable:
    rows = [[str(value) for value in row] for row in changes.itertuples(index=False)]
    return TextTable(
        list(changes.columns), rows, "What differs between the runs", left=len(changes.columns)
    )
