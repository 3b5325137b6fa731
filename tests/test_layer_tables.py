"""The tables on text layers are those of the figures, and explain each kind of fault."""

from __future__ import annotations

import json
import sys

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
tables = pytest.importorskip("make_layer_tables")
FIGURES = json.loads(tables.FIGURES.read_text("utf-8"))
PAGE = (ROOT / "docs" / "results" / "text-layers.md").read_text("utf-8")


@pytest.mark.parametrize("name", tables.tables(FIGURES))
def test_a_table_has_the_figures_that_are_there(name):
    assert (tables.GENERATED / name).read_text("utf-8") == tables.tables(FIGURES)[name]


def test_the_page_has_no_figures_of_parts_that_the_check_was_tuned_on():
    first, _, rest = FIGURES["part"].partition("-")
    assert int(first.partition("/")[0]) >= 3
    assert (rest or first).endswith("/12")


def test_each_kind_of_fault_is_on_the_page():
    kinds = pytest.importorskip("benchmarks.layer_corpus.__main__").KINDS
    assert set(tables.FAULTS) == {"none", "as_made", *kinds}
    for kind in kinds:
        assert f"| {tables.FAULTS[kind]} |" in PAGE
