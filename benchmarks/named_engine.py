"""How often the engine that is named is the wrong one, by the number of pages that were read.

    python -m benchmarks.named_engine RUN [RUN …] [--draws 200] [--pages 1,4,16,64] [--as-images] \
        [--noise NAME] [--fitted RUN …] [--other-half] [--cache CACHE]

``RUN`` is a result folder of ``ohr quality confidence`` with at least two engines, which has the
true errors; ``--noise`` takes those under one noise. Pages are drawn in the order in which ``ohr
recommend`` reads them, predicted by the shipped model, and judged as if no truth were known. An
engine is *better* if each other one is shown to be worse, and *as good* if some are shown to be as
good within 0.02; otherwise one may be *ahead*. A better engine is *wrong* if another one has a
lower true error, a mean over all pages of the run, one that is as good if another has an error
lower by more than 0.02. *By truth* is how often an engine would be better or as good if the true
errors of the drawn pages were known. ``--as-images`` takes the text layers away. ``--fitted RUN
…`` leaves out the documents that ``ohr dev fit-quality RUN … --half`` fits, and ``--other-half``
every second one of the rest: those on which ``--means-of`` calibrates.
With ``--cache`` each row of the table is stored under the predictions that it is made of: a command
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Table

from ohr.adviser.own_pages import add_predictions, keep_assessed
from ohr.adviser.quality.signal_runs import fitted_documents, read_signals, unfitted_half
from ohr.adviser.quality.table import DECIDES
from ohr.adviser.recommend.batches import spread_order
from ohr.adviser.recommend.decision import Decision, decide
from ohr.adviser.recommend.verdicts import error_verdict
from ohr.display.terminal import show
from ohr.quality.predictor import shipped
from ohr.quality.truth import TARGETS
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef

KEYS = ["doc_id", "page_no"]
PAGES = (1, 4, 16, 64)
FORM = 4
"""Counts up when pages are drawn or judged otherwise, so that no row of before is shown."""
CLOSE = 0.02
"""How far behind an engine may be that is said to be as good."""


@dataclass(frozen=True)
class Row:
    """What the draws of so many pages give, as shares of the draws."""

    pages: int
    better: float
    wrong: float
    """Share of the draws with a better engine in which another one is better."""
    as_good: float
    worse: float
    """Share of the draws with an engine that is as good in which another one is better by more than
    :data:`CLOSE`."""
    wrong_ahead: float
    """Share of the draws in which an engine is only ahead that another one is better."""
    by_truth: float
    """Share of the draws in which an engine is better or as good if all true errors are known: no
    prediction can show more of these pages."""


def read_truths(
    run: Path,
    *,
    as_images: bool = False,
    fitted: Collection[str] = (),
    other_half: bool = False,
    noise: str = "clean",
) -> pd.DataFrame:
    """Pages of a run under one noise that all engines read, with predictions and true errors apart.

    Documents of ``fitted`` are left out, and with ``other_half`` the half of the rest that a
    calibration uses.
    """
    table = read_signals([run])
    noises = sorted(table["noise"].unique())
    table = table[table["noise"] == noise].reset_index(drop=True)
    if table.empty:
        raise SystemExit(f"{run} has no pages under {noise!r}: name one of {', '.join(noises)}")
    table = table[~table["doc_id"].isin(fitted)].reset_index(drop=True)
    table = unfitted_half(table) if other_half else table
    if as_images:
        table[["layer", "lost_passages"]] = np.nan
        table["page_kind"] = table["page_kind"].replace("born-digital", "clean")
    engines = table["engine"].nunique()
    table = table[table.groupby(KEYS)["engine"].transform("size") == engines]
    predicted = keep_assessed(add_predictions(table.reset_index(drop=True)))
    predicted["has_layer"] = predicted["layer"].notna()
    truths = {f"true_{name}": np.nan for name in TARGETS}
    return predicted.assign(truth=predicted[f"true_{DECIDES}"], **truths)


def name_engines(
    table: pd.DataFrame, sizes: Sequence[int], draws: int, store: ArtefactStore | None = None
) -> list[Row]:
    """The rows for some numbers of pages; of fewer pages than that there is none.

    A row that the ``store`` has is taken from it.
    """
    pages = len(table[KEYS].drop_duplicates())
    rows = []
    for size in (size for size in sizes if size <= pages):
        key = {
            "form": FORM,
            "table": table.to_csv(index=False),
            "model": shipped().to_json(),
            "size": size,
            "draws": draws,
        }
        stored = None if store is None else store.get("named_engine", key)
        # JSON has no NaN.
        row = (
            _row(table, size, draws)
            if stored is None
            else Row(**{name: np.nan if of is None else of for name, of in stored.items()})
        )
        if store is not None and stored is None:
            values = asdict(row).items()
            store.put("named_engine", key, {n: None if np.isnan(of) else of for n, of in values})
        rows.append(row)
    return rows


def _row(table: pd.DataFrame, size: int, draws: int) -> Row:
    """What draws of so many pages give."""
    refs = [PageRef(str(doc), int(no)) for doc, no in table[KEYS].drop_duplicates().to_numpy()]
    own = [PageRef(str(doc), int(no)) for doc, no in table[KEYS].to_numpy()]
    means = table.groupby("engine")["truth"].mean()
    decisions, by_truth = [], []
    for seed in range(draws):
        chosen = set(spread_order(refs, seed)[:size])
        part = table[[ref in chosen for ref in own]]
        decisions.append(_decision(part))
        by_truth.append(_decision(part.assign(**{f"true_{DECIDES}": part["truth"]})).is_shown)
    better, as_good, ahead = (
        np.array([means[each.engine] - means.min() for each in group])
        for group in (
            [each for each in decisions if each.is_better],
            [each for each in decisions if each.is_shown and not each.is_better],
            [each for each in decisions if each.engine and not each.is_shown],
        )
    )
    return Row(
        size,
        len(better) / draws,
        _share(better > 0),
        len(as_good) / draws,
        _share(as_good > CLOSE),
        _share(ahead > 0),
        float(np.mean(by_truth)),
    )


def _decision(rows: pd.DataFrame) -> Decision:
    """What is decided by these pages, as if they needed OCR."""
    return decide([replace(error_verdict(rows, DECIDES), needs_ocr=True)], {})


def _share(flags: np.ndarray) -> float:
    return float(np.mean(flags)) if len(flags) else float("nan")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+", help="runs of ohr quality confidence")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--pages", default=",".join(map(str, PAGES)))
    parser.add_argument("--noise", default="clean", help="the noise, as the run names it")
    parser.add_argument("--as-images", action="store_true", help="without text layers")
    parser.add_argument("--fitted", type=Path, nargs="+", default=(), help="runs that were fitted")
    parser.add_argument("--other-half", action="store_true", help="not calibrated documents")
    parser.add_argument("--cache", type=Path, help="folder of rows of a command that was stopped")
    options = parser.parse_args(arguments)
    store = None if options.cache is None else ArtefactStore(options.cache)
    sizes = [int(size) for size in options.pages.split(",")]
    grid = Table(title=f"{options.draws} draws of pages, judged without their truth")
    for head in (
        "run",
        "true errors",
        "of",
        "pages",
        "better",
        "wrong",
        "as good",
        f"wrong by > {CLOSE:g}",
        "ahead, wrong",
        "by truth",
    ):
        grid.add_column(head)
    fitted = fitted_documents(options.fitted)
    for run in options.runs:
        whole = read_truths(
            run,
            as_images=options.as_images,
            fitted=fitted,
            other_half=options.other_half,
            noise=options.noise,
        )
        for pair in combinations(sorted(whole["engine"].unique()), 2):
            table = whole[whole["engine"].isin(pair)].reset_index(drop=True)
            means = table.groupby("engine")["truth"].mean()
            title = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
            for row in name_engines(table, sizes, options.draws, store):
                shares = (
                    row.better,
                    row.wrong,
                    row.as_good,
                    row.worse,
                    row.wrong_ahead,
                    row.by_truth,
                )
                texts = ["-" if np.isnan(share) else f"{share:.3f}" for share in shares]
                grid.add_row(run.name, title, str(len(table) // 2), str(row.pages), *texts)
    show(grid, 120)


if __name__ == "__main__":
    main()
