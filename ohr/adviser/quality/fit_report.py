"""Fits the predictor of quality to the signals of finished runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.adviser.quality.signal_runs import labelled, read_signals, read_unfitted
from ohr.display.columns import Column, make_table, number_column, value_column
from ohr.display.terminal import show, terminal_table
from ohr.errors import OhrError
from ohr.quality.calibration import calibrate_means
from ohr.quality.fit import fit
from ohr.quality.predictor import FORM, Predictor
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.quality.validation import fitted_half, kinds_held, leave_out
from ohr.statistics.numbers import percent, signed
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv


def report_fit(runs: Sequence[Path], out: Path, *, half: bool = False) -> int:
    """Fit the pages of some runs, write the model, and print what was left out. Raises OhrError.

    With ``half``, half of the documents of each domain are fitted; kinds and writing systems that
    are left out are checked on all of their documents.
    """
    everything = labelled(read_signals(runs))
    is_fitted = fitted_half(everything) if half else [True] * len(everything)
    pages = [page for page, chosen in zip(everything, is_fitted, strict=True) if chosen]
    counts = Counter(f"{page.domain}, {page.knowledge_base}" for page in pages)
    is_known: dict[str, Any] = {
        "command": "ohr dev fit-quality" + " --half" * half,
        "pages": len(pages),
        "documents": len({(page.domain, page.doc_id) for page in pages}),
        "readings": dict(sorted(counts.items())),
        "assessed": {
            name: sum(page.values[name] == page.values[name] for page in pages) for name in SIGNALS
        },
    }
    try:
        model = fit(pages, is_known)
    except ValueError as error:
        raise OhrError(str(error)) from error
    results = leave_out(pages, everything)
    scripts: dict[str, set[str]] = {}
    for page in pages:
        scripts.setdefault(page.script, set()).add(page.cluster)
    model = replace(
        model,
        page_kinds=kinds_held(results),
        scripts={name: len(of) for name, of in sorted(scripts.items()) if name},
    )
    write_text(out, model.to_json())
    table = pd.DataFrame([asdict(each) for each in results])
    write_csv(out.with_suffix(".left_out.csv"), table)
    show(terminal_table(make_table(LEFT_OUT, table)))
    for target, title in TARGETS.items():
        held = [name for name in model.page_kinds if model.knows_kind(name, target)]
        print(f"{title} is assessed of: {', '.join(sorted(held)) or 'no kind of page'}")
    for target, title in TARGETS.items():
        for which, widths in model.widths.items():
            below, above = widths[target]
            print(
                f"{title}, {which}: 90 % intervals from {below:.2f} deviations below to "
                f"{above:.2f} above; they contain {percent(model.coverage[which][target])} of "
                "the pages of a domain that is left out"
            )
    print(f"model of {len(pages)} pages: {out}")
    return 0


def report_calibration(
    runs: Sequence[Path],
    model: Predictor,
    out: Path,
    *,
    half: bool = False,
    fitted: Sequence[Path] = (),
    kinds: Sequence[str] = (),
) -> int:
    """Calibrate the means of a model, write it, and print the shifts. Raises OhrError.

    Documents that a fit to half of the runs ``fitted`` has seen are left out, and with ``half``
    every second one of the others. ``kinds`` are the kinds of pages; by default all.
    """
    everything = labelled(read_unfitted(runs, fitted))
    is_used = fitted_half(everything) if half else [True] * len(everything)
    pages = [page for page, chosen in zip(everything, is_used, strict=True) if chosen]
    try:
        calibrated = calibrate_means(model, pages, kinds)
    except ValueError as error:
        raise OhrError(str(error)) from error
    shifts = calibrated.kind_mean_shifts
    used = [page for page in pages if page.page_kind in shifts]
    counts = Counter(f"{page.page_kind}: {page.domain}, {page.knowledge_base}" for page in used)
    fitted_on = {**model.fitted_on, "means_calibrated_on": dict(sorted(counts.items()))}
    write_text(out, replace(calibrated, fitted_on=fitted_on, form=FORM).to_json())
    for name, of in shifts.items():
        documents = len({page.cluster for page in used if page.page_kind == name})
        values = ", ".join(f"{TARGETS[target]} {signed(value, 2)}" for target, value in of.items())
        print(f"{name}: means moved by, in deviations: {values} ({documents} documents)")
    print(f"model: {out}")
    return 0


LEFT_OUT = (
    Column("pages", lambda row: f"{row['by']} {row['name']}".strip(), is_text=True),
    Column("error", lambda row: TARGETS[str(row["target"])], is_text=True),
    value_column("n"),
    value_column("documents"),
    number_column("coverage"),
    number_column("spearman", "Spearman"),
    number_column("true"),
    number_column("predicted"),
    number_column("mean", "mean predicted"),
    number_column("width"),
)
