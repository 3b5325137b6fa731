"""The rows of a run, ``rows.parquet``: written stage by stage, never all in memory.

A row is one unit (question or page) under one condition, draw, stage and metric.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ohr.errors import OhrError
from ohr.store.atomic import disk_of
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import BUILT_IN
from ohr.study.output.groups import make_grouping
from ohr.study.plan import Plan
from ohr.study.scoring.measuring import Scores

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq


FILE = "rows.parquet"
UNIT_COLUMNS = ("qid", "doc_id", "page_no")
"""What identifies a question, or (with an empty ``qid``) a page."""
_OF_UNIT = (*UNIT_COLUMNS, "evidence_source", "domain", "answer_form", "task", "groups")
ROW_COLUMNS = (*CONDITION_COLUMNS, "draw", "stage", "metric", *_OF_UNIT, "value", "status")
"""``groups`` is a JSON list of a unit's groups except ``all``. There is a further column
``category`` if a question states one, and a last one :data:`CONFIDENCE` if a reader or system says
how sure its answers are."""
CONFIDENCE = "confidence"
_FLOATS = ("intensity", "value", CONFIDENCE)
_INTEGERS = ("seed", "draw", "top_k", "page_no")
_NUMBERS = (*_FLOATS, *_INTEGERS)


def schema(columns: Sequence[str] = ROW_COLUMNS) -> pa.Schema:
    """The types of the columns of ``rows.parquet``."""
    import pyarrow as pa

    types = dict.fromkeys(_FLOATS, pa.float64()) | dict.fromkeys(_INTEGERS, pa.int64())
    text = pa.dictionary(pa.int32(), pa.string())
    return pa.schema([(name, types.get(name, text)) for name in columns])


class RowWriter:
    """Writes the rows of a plan, one row group per call of :meth:`add`."""

    def __init__(self, plan: Plan, path: Path) -> None:
        self._units = _unit_columns(plan)
        stated = [name for name in self._units if name not in ROW_COLUMNS]
        self._schema = schema([*ROW_COLUMNS, *stated])
        self._path = path
        self._confidences: list[list[np.ndarray | int]] = []
        """Those of each row group: an array for each score, or its number of rows without any."""
        with disk_of(path):
            self._file = self._open(self._schema)

    def _open(self, columns: pa.Schema) -> pq.ParquetWriter:
        import pyarrow.parquet as pq

        return pq.ParquetWriter(self._path, columns, compression="zstd", write_page_checksum=True)

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        with disk_of(self._path):
            self._file.close()
            if error is None and any(
                isinstance(part, np.ndarray) for group in self._confidences for part in group
            ):
                self._add_confidences()

    def add(self, scores: Sequence[Scores]) -> None:
        """Write the rows of some scores. Raises StoreError if the disk refuses them."""
        scores = [score for score in scores if len(score.values)]
        if scores:
            with disk_of(self._path):
                self._file.write_table(self._table(scores))
            self._confidences.append(
                [len(s.values) if s.confidences is None else s.confidences for s in scores]
            )

    def _add_confidences(self) -> None:
        """Write the file again, row group by row group, with a last column.

        Only here is it known whether there is one: rows without any stay as they were.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        before = self._path.with_name(f"{self._path.name}.before")
        self._path.replace(before)
        try:
            field = pa.field(CONFIDENCE, pa.float64())
            with pq.ParquetFile(before) as source, self._open(self._schema.append(field)) as file:
                for number, parts in enumerate(self._confidences):
                    values = [
                        part if isinstance(part, np.ndarray) else np.full(part, np.nan)
                        for part in parts
                    ]
                    column = pa.array(np.concatenate(values), pa.float64(), from_pandas=True)
                    table = source.read_row_group(number, use_threads=False)
                    file.write_table(table.append_column(field, column))
        finally:
            before.unlink()

    def _table(self, scores: Sequence[Scores]) -> pa.Table:
        import pyarrow as pa

        lengths = [len(score.values) for score in scores]
        constants = [
            asdict(score.condition)
            | {"draw": score.draw, "stage": score.stage, "metric": score.metric}
            for score in scores
        ]
        columns: dict[str, Any] = {}
        for name in constants[0]:
            values = [constant[name] for constant in constants]
            places = np.repeat(np.arange(len(values)), lengths)
            if name in _NUMBERS:
                columns[name] = pa.array(values, self._schema.field(name).type).take(
                    pa.array(places)
                )
            else:
                names, codes = _codes(values)
                columns[name] = _texts(codes[places], names)
        for name in self._units:
            names, by_unit = self._units[name]
            joined = np.concatenate([by_unit[score.unit] for score in scores])
            columns[name] = pa.array(joined) if name in _NUMBERS else _texts(joined, names)
        columns["value"] = pa.array(np.concatenate([score.values for score in scores]))
        names, codes = _codes([str(status) for score in scores for status in score.statuses])
        columns["status"] = _texts(codes, names)
        return pa.table(
            {score: columns[score] for score in self._schema.names}, schema=self._schema
        )


def _codes(values: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The distinct values in order, and the place of each value in them."""
    names = sorted(set(values))
    places = {name: place for place, name in enumerate(names)}
    return names, np.array([places[value] for value in values], dtype=np.int32)


def _texts(codes: np.ndarray, names: Sequence[str]) -> pa.DictionaryArray:
    import pyarrow as pa

    safe = [name.encode("utf-8", "replace").decode() for name in names]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(safe, pa.string()))


def _unit_columns(plan: Plan) -> dict[str, tuple[list[str], dict[str, np.ndarray]]]:
    """The columns that identify a row's question or page: names, and values by kind of unit.

    Texts are codes into names that questions and pages share; numbers have no names.
    """
    questions, dataset, grouping = plan.questions, plan.dataset, make_grouping(plan)
    nothing = [""] * len(plan.reread)
    columns: dict[str, dict[str, list[Any]]] = {
        "question": {
            "qid": [q.qid for q in questions],
            "doc_id": [q.doc_id for q in questions],
            "page_no": [q.place.page_no for q in questions],
            "evidence_source": [q.evidence_source for q in questions],
            "domain": [q.domain for q in questions],
            "answer_form": [q.answer_form for q in questions],
            "task": [q.task for q in questions],
            "groups": [_listed(tags) for tags in grouping.questions.tags],
        },
        "page": {
            "qid": nothing,
            "doc_id": [ref.doc_id for ref in plan.reread],
            "page_no": [ref.page_no for ref in plan.reread],
            "evidence_source": nothing,
            "domain": [dataset.documents[ref.doc_id].domain for ref in plan.reread],
            "answer_form": nothing,
            "task": nothing,
            "groups": [_listed(tags) for tags in grouping.pages.tags],
        },
    }
    if any(question.category for question in questions):
        columns["question"]["category"] = [question.category for question in questions]
        columns["page"]["category"] = nothing
    coded: dict[str, tuple[list[str], dict[str, np.ndarray]]] = {}
    for name in columns["question"]:
        of_questions, of_pages = columns["question"][name], columns["page"][name]
        if name in _NUMBERS:
            both = {unit: np.array(columns[unit][name], np.int64) for unit in columns}
            coded[name] = [], both
            continue
        names, codes = _codes([*of_questions, *of_pages])
        n = len(of_questions)
        coded[name] = names, {"question": codes[:n], "page": codes[n:]}
    return coded


def _listed(tags: Sequence[str]) -> str:
    return json.dumps(tags, ensure_ascii=False)


def read_rows(path: Path) -> pd.DataFrame:
    """The rows of a run's folder. Raises OhrError."""
    import pandas as pd
    import pyarrow as pa

    try:
        # Arrow's threads may still run when the process ends, and then abort it.
        rows = pd.read_parquet(path / FILE, page_checksum_verification=True, use_threads=False)
    except (OSError, ValueError, LookupError, pa.ArrowException) as error:
        raise unreadable(path / FILE, error) from error
    if "top_k" in rows:
        rows["top_k"] = rows["top_k"].astype("Int64")
    # Rows that another tool has written may come with an index of their own.
    return add_system(rows.reset_index(drop=True))


def add_system(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows or cells with the column ``system``, which earlier versions did not write."""
    if "system" in frame or "stage" not in frame:
        return frame
    overall = frame["stage"].astype(str) == "overall"
    return frame.assign(system=np.where(overall, BUILT_IN, ""))


def unreadable(file: Path, error: Exception) -> OhrError:
    """The error to raise for rows that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return OhrError(f"cannot read {file}: is {file.parent} the folder of a finished run?")
    return OhrError(f"{file} is damaged ({error}): delete it and run again")
