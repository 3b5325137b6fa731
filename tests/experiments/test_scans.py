"""Studies of scans with transcribed lines: folded case, changed numbers, and what is verified."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from experiments.ocr_benchmark import main as ocr_benchmark
from experiments.verify import main as verify
from ohr.study.results import open_run
from tests.builders import CliRunner
from tests.ohr.datasets.test_sroie import FIELDS, SHOP, write_receipt

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run over three receipts that are read in small letters, each with a wrong total."""
    root = tmp_path_factory.mktemp("scans")
    for n in range(3):
        total = f"{17 + n}.50"
        lines = [(*box, text.replace("17.50", total)) for *box, text in SHOP]
        lines[0] = (*lines[0][:4], f"HARBOUR TOOLS NO {n} LTD")
        fields = FIELDS | {"company": f"HARBOUR TOOLS NO {n} LTD", "total": total}
        write_receipt(root / "data", f"{n:03}", lines, fields, published=True)
        text = "\n".join(line[4] for line in lines).replace(total, f"{57 + n}.50").lower()
        pages = root / "read" / "receipt" / f"{n:03}.json"
        pages.parent.mkdir(parents=True, exist_ok=True)
        pages.write_text(json.dumps([{"page_idx": 0, "text": text}]))
    options = ["dataset.kind=sroie", f"dataset.path={root / 'data'}", f"cache={root / 'cache'}"]
    options += [f"engines=[gt,precomputed:{root / 'read'}]", "--out", str(root / "run")]
    done = CliRunner().invoke(ocr_benchmark, options)
    assert done.exit_code == 0, done.output
    return root / "run", done.output


def test_small_letters_are_no_error_where_the_truth_has_only_capitals(run) -> None:
    folder, output = run
    assert "small and capital letters count as equal" in output
    opened = open_run(folder)
    assert opened.manifest["dataset"]["case_folded"] is True
    rows = pd.read_parquet(folder / "rows.parquet")
    distances = rows[(rows["metric"] == "edit_distance") & (rows["engine"] != "gt")]["value"]
    assert len(distances) == 3
    assert distances.max() < 0.1  # the changed totals, and rows that are cut


def test_what_the_study_wrote_is_verified_also_of_changed_numbers(run) -> None:
    folder, _ = run
    rows = pd.read_parquet(folder / "rows.parquet")
    assert (rows[rows["metric"] == "number_changed"]["value"] == 1).any()
    done = CliRunner().invoke(verify, [str(folder)])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].endswith("run: verified")
