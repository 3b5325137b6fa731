"""The page texts of a run's knowledge bases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from ohr.errors import OhrError
from ohr.study.output.cases import read_cases, read_texts
from ohr.study.results import StudyRun
from ohr.types import PageRef

TRUTH = "gt, clean"
_MISSING = ("error", "not in the knowledge base")


class Texts:
    """The page texts of a run, loaded on first use."""

    def __init__(self, run: StudyRun) -> None:
        self._run = run
        self.missing = ""
        """Why there is no ground truth of pages; set after the first use."""

    @cached_property
    def bases(self) -> dict[str, dict[PageRef, str]]:
        """Page texts by knowledge base, without failed pages."""
        return read_texts(self._run.path)

    def outcome(self, base: str, ref: PageRef) -> tuple[str, str]:
        """Status and detail of a page text."""
        default = ("ok", "") if ref in self.bases.get(base, {}) else _MISSING
        return self._outcomes.get((base, ref), default)

    def truth(self, ref: PageRef) -> str | None:
        """The ground truth of a page, from the run or from its dataset; None without either."""
        known_values = self.bases.get(TRUTH)
        return known_values.get(ref) if known_values is not None else self._dataset.get(ref)

    @cached_property
    def _outcomes(self) -> dict[tuple[str, PageRef], tuple[str, str]]:
        """Status and detail of page texts that failed or have a note."""
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
            return {ref: page.text for ref, page in self._run.dataset.pages.items()}
        except OhrError as error:
            self.missing = str(error)
            return {}
