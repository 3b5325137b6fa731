"""Scores of pages, evidence and hits that the artefact store keeps, for other studies too.

They are stored by scope, as rankings are, under the digest of all texts that were compared and of
what scores them: an unchanged domain is not scored again with the same metrics. Only metrics of
this project are stored: one from elsewhere may read other things, such as a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import numpy as np

from ohr.datasets.floor import truth_floor
from ohr.errors import StoreError
from ohr.plugins import Metric
from ohr.plugins.metric import AnswerCase, Case, EvidenceCase, PageCase
from ohr.scoring.cases import Cases
from ohr.scoring.units import Units
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import DIGEST_BYTES, digest
from ohr.types import Page, PageRef, Question

KIND = "scores"
"""The kind of the artefacts."""
ROUNDING = 1e-9
"""Beyond worst and best by this much, a value is still taken: sums of floats end beside 1."""
_CODE = ("ohr.metrics", "ohr.markup", "ohr.plugins", "ohr.scoring", "ohr.store", "ohr.datasets")
_LIBRARIES = ("numpy", "rapidfuzz", "scipy")
Columns = dict[str, np.ndarray]
"""Float ``(n,)`` by the label of the metric; NaN where it does not apply."""


@dataclass
class StoredScores:
    """Scores of the pages and questions of some units, by scope."""

    units: Units
    store: ArtefactStore

    def columns(
        self,
        cases: Cases,
        metrics: Mapping[str, Metric],
        applies: Mapping[str, np.ndarray],
        measure: Callable[[Sequence[int]], Columns],
    ) -> Columns:
        """The columns of metrics that :func:`is_storable` accepts: stored, or measured now.

        ``applies``: by label, whether the metric applies to each case. ``measure``: the columns of
        the cases at some places.
        """
        columns = {label: np.full(len(cases.cases), math.nan) for label in metrics}
        identities = {label: metric.identity() for label, metric in metrics.items()}
        for places in self._places(cases).values():
            key = {
                "metrics": identities,
                "protocol": self.units.protocol,
                "code": _code_digest(),
                "cases": _cases_digest(cases, places, applies),
            }
            scores = _read(self.store.get(KIND, key), metrics, len(places))
            if scores is None:
                scores = measure(places)
                _put(self.store, key, {name: _plain(scores[name]) for name in scores})
            for label, column in columns.items():
                column[places] = scores[label]
        return columns

    def _places(self, cases: Cases) -> dict[str, list[int]]:
        """The places of the cases of each scope, in order."""
        units = self.units
        scopes = (
            [units.scope_of_document(ref.doc_id) for ref in units.pages]
            if cases.of == "page"
            else list(map(units.scope_of, units.questions))
        )
        places: dict[str, list[int]] = {}
        for place, scope in enumerate(scopes):
            places.setdefault(scope, []).append(place)
        return places


def stored_floor(
    store: ArtefactStore, questions: Sequence[Question], pages: Mapping[PageRef, Page]
) -> dict[str, tuple[float, int]]:
    """:func:`~ohr.datasets.floor.truth_floor`, which is stored as scores are."""
    texts = (
        part
        for question in questions
        for part in (
            repr(question),
            *(f"={pages[ref].text}" if ref in pages else "" for ref in question.evidence_pages),
        )
    )
    key = {"floor": _texts_digest(texts), "code": _code_digest()}
    stored: Any = store.get(KIND, key)
    if not _is_floor(stored):
        floor = truth_floor(questions, pages)
        stored = [[group, *pair] for group, pair in floor.items()]
        _put(store, key, stored)
    return {group: (share, count) for group, share, count in stored}


def _put(store: ArtefactStore, key: object, value: object) -> None:
    with contextlib.suppress(StoreError):  # a read-only cache still works: scores cost little
        store.put(KIND, key, value)


def _is_floor(stored: Any) -> bool:
    if not isinstance(stored, list):
        return False
    for entry in stored:
        match entry:
            case [str(), int() | float() as share, int() as count] if 0 <= share <= 1 and count > 0:
                continue
            case _:
                return False
    return True


def is_storable(metric: Metric) -> bool:
    """Whether a metric's values depend on its cases alone, as far as is known."""
    return not metric.takes_all and type(metric).__module__.startswith("ohr.metrics.")


def _cases_digest(cases: Cases, places: Sequence[int], applies: Mapping[str, np.ndarray]) -> str:
    flags = [cases.failed, *(applies[label].tolist() for label in applies)]
    return _texts_digest(
        part
        for place in places
        for part in (
            "".join("01"[bool(of_cases[place])] for of_cases in flags),
            *_parts(cases.cases[place]),
        )
    )


def _texts_digest(texts: Iterable[str]) -> str:
    state = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def _parts(case: Case) -> Sequence[str]:
    """All that a metric of this project reads of a case, as texts."""
    match case:
        case PageCase():
            return (case.text, case.truth)
        case EvidenceCase():
            return (repr(case.question), *case.pages)
        case AnswerCase():
            raise TypeError("scores of answers are not stored")
    texts = [part for hit in case.hits for part in (repr(hit.ref), hit.text)]
    return (repr(case.question), str(case.k), *texts)


def _plain(column: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in column.tolist()]


def _read(stored: Any, metrics: Mapping[str, Metric], count: int) -> Columns | None:
    """The columns of an artefact; None if it is none, or one that no metric can have written."""
    if not isinstance(stored, dict) or set(stored) != set(metrics):
        return None
    columns = {}
    for label, metric in metrics.items():
        values = stored[label]
        low, high = sorted((metric.worst, metric.best))
        if not isinstance(values, list) or len(values) != count:
            return None
        for value in values:
            if value is not None and not (
                isinstance(value, int | float) and low - ROUNDING <= value <= high + ROUNDING
            ):
                return None
        columns[label] = np.array([math.nan if v is None else v for v in values], float)
    return columns


@cache
def _code_digest() -> str:
    """Digest of the code that scores, and of the versions of the libraries that it uses."""
    sources = []
    for package in _CODE:
        folders = [files(package)]
        while folders:
            for entry in sorted(folders.pop().iterdir(), key=lambda each: each.name):
                if entry.is_dir():
                    folders.append(entry)
                elif entry.name.endswith((".py", ".json")):
                    sources.append([package, entry.name, digest(entry.read_bytes())])
    libraries = [f"{name} {version(name)}" for name in _LIBRARIES]
    types = digest(files("ohr").joinpath("types.py").read_bytes())
    return digest([sources, types, libraries, platform.python_version()])
