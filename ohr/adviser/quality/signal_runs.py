"""Reads runs of ``ohr quality confidence`` as one table, and as pages to fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from ohr.errors import OhrError
from ohr.quality.fit import Labelled
from ohr.quality.signals import EARLIER_NAMES, SIGNALS
from ohr.quality.truth import TARGETS
from ohr.quality.validation import fitted_half

_ONE_READING = ["group", "engine", "noise", "draw", "doc_id", "page_no"]
_LATER: Mapping[str, str | bool] = {
    "page_kind": "",
    "script": "",
    "cluster": "",
    "apart": "",
    "writes_script": True,
}


def read_signals(runs: Sequence[Path]) -> pd.DataFrame:
    """The signals of some runs, with a column ``group`` of pages to leave out of a fit together.

    A group is a domain of one run, or of several runs that share documents: a model that has seen
    a document in one run would predict it better in the other. What two runs read alike counts
    once. Raises OhrError.
    """
    tables = [_read(run) for run in runs]
    sources: list[tuple[str, set[str]]] = []
    for run, table in zip(runs, tables, strict=True):
        documents = set(table["doc_id"].astype(str))
        same = next((source for source in sources if source[1] & documents), None)
        if same is None:
            sources.append(same := (run.name, set()))
        same[1].update(documents)
        table["group"] = same[0] + ": " + table["domain"].astype(str)
    whole = pd.concat(tables, ignore_index=True)
    reading_columns = [name for name in _ONE_READING if name in whole]
    return whole.drop_duplicates(reading_columns, ignore_index=True)


def _read(run: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(run / "signals.csv")
    except (OSError, ValueError) as error:
        raise OhrError(
            f"{run} has no signals.csv: it is not a run of ohr quality confidence"
        ) from error
    table = table.rename(columns=dict(EARLIER_NAMES))
    # Runs of earlier versions lack what follows.
    for name, empty in _LATER.items():
        table[name] = table.get(name, empty)
    table["cluster"] = table["cluster"].where(table["cluster"].ne(""), table["doc_id"])
    table = table.fillna({name: empty for name, empty in _LATER.items() if empty == ""})
    return table.drop(columns=[name for name in table if str(name).startswith("predicted_")])


def labelled(table: pd.DataFrame) -> list[Labelled]:
    """The pages of :func:`read_signals` that are in a writing system of the engine, for a fit."""
    return [
        Labelled(
            str(row["group"]),
            str(row["doc_id"]),
            int(row["page_no"]),
            f"{row['engine']}, {row['noise']}",
            {name: float(row[name]) for name in SIGNALS}
            | {name: float(row[f"true_{name}"]) for name in TARGETS},
            str(row["page_kind"]),
            str(row["script"]),
            str(row["cluster"]),
            str(row["apart"]),
        )
        for row in table.to_dict("records")
        if row["writes_script"]
    ]


def unfitted_half(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the documents that a fit to half of the documents leaves out."""
    pages = labelled(table.assign(writes_script=True))
    chosen = [not fitted for fitted in fitted_half(pages)]
    return table[chosen].reset_index(drop=True)


def fitted_documents(runs: Sequence[Path]) -> frozenset[str]:
    """The documents that a fit to half of the documents of some runs has seen."""
    if not runs:
        return frozenset()
    table = read_signals(runs)
    return frozenset(table["doc_id"]) - frozenset(unfitted_half(table)["doc_id"])


def read_unfitted(runs: Sequence[Path], fitted: Sequence[Path]) -> pd.DataFrame:
    """The signals of some runs without the documents of :func:`fitted_documents`."""
    table = read_signals(runs)
    seen = fitted_documents(fitted)
    return table[~table["doc_id"].isin(seen)].reset_index(drop=True) if seen else table
