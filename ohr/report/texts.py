"""What the engines of a run read, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from ohr.errors import OhrError
from ohr.study.output.cases import read_cases, read_texts
from ohr.study.results import Run
from ohr.types import PageRef

TRUTH = "gt, clean"
_NOT_THERE = ("error", "not in the knowledge base")


class Texts:
    """The pages of a run's knowledge bases; read when they are first asked for, and once."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @cached_property
    def by_base(self) -> dict[str, dict[PageRef, str]]:
        """The texts of the pages that could be read, by knowledge base."""
        return read_texts(self._run.path)

    def outcome(self, base: str, ref: PageRef) -> tuple[str, str]:
        """Status and detail of a reading."""
        plain = ("ok", "") if ref in self.by_base.get(base, {}) else _NOT_THERE
        return self._outcomes.get((base, ref), plain)

    def truth(self, ref: PageRef) -> str | None:
        """The ground truth's text, from the run, or from its dataset where that is there."""
        known = self.by_base.get(TRUTH)
        return known.get(ref) if known is not None else self._dataset.get(ref)

    @cached_property
    def _outcomes(self) -> dict[tuple[str, PageRef], tuple[str, str]]:
        """Of the readings that are not simply well."""
        pages = read_cases(self._run.path, "pages").drop_columns("text")
        status, detail = pages["status"].cast(pa.string()), pages["detail"].cast(pa.string())
        odd = pages.filter(pc.or_(pc.not_equal(status, "ok"), pc.not_equal(detail, "")))
        return {
            (row["knowledge_base"], PageRef(row["doc_id"], row["page_no"])): (
                row["status"],
                row["detail"],
            )
            for row in odd.to_pylist()
        }

    @cached_property
    def _dataset(self) -> Mapping[PageRef, str]:
        try:
            return {ref: page.text for ref, page in self._run.plan.dataset.pages.items()}
        except OhrError:
            return {}
