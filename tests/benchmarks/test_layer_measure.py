"""How the verifier of text layers is measured; and that it does well on a small part."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from benchmarks.layer_corpus import excluded
from benchmarks.layer_corpus.fonts import FAMILIES, WIDE
from benchmarks.layer_corpus.measure import Measured, Part, describe, measure
from benchmarks.layer_corpus.score import Result, score, table

SMALL = ("latin", "georgian")
"""One script that OCR engines read, and one of which only the glyphs tell."""
PRODUCERS = ("typst", "weasyprint")
FAULTS = ("cipher", "digits", "hidden", "order", "spaced")
MOST = 3
"""Most files of a script with one fault, or with none."""
PACKAGES = sorted({
    family.package for script in SMALL for family in (*FAMILIES[script], *WIDE)
    if not family.path().exists()
})  # fmt: skip


def test_a_file_is_in_one_part_by_the_crc_of_its_name():
    name = "latin_report-typst.pdf"
    own = zlib.crc32(name.encode()) % 12
    assert [Part(part, part, 12).has(name) for part in range(12)].index(True) == own
    assert Part.parse(f"{own}/12") == Part(own, own, 12)
    assert Part.parse("3-11/12").has(name) == (own >= 3)
    assert [str(Part.parse(text)) for text in ("3/12", "3-3/12", "3-11/12")] == [
        "3/12",
        "3/12",
        "3-11/12",
    ]


@pytest.mark.parametrize("text", ["3", "12/12", "4-3/12", "a/b", "-1/4"])
def test_a_part_that_is_none_is_an_error(text):
    with pytest.raises(argparse.ArgumentTypeError, match=r"3/12|parts go from 0"):
        Part.parse(text)


def test_the_files_of_each_family_are_left_out():
    families = {family for choices in (*FAMILIES.values(), WIDE) for family in choices}
    assert {family.name for family in families} == set(excluded.FILES)
    for family in families:
        for path in map(family.path, ("", "bold", "italic")):
            assert excluded.is_of(path, family.name)


@pytest.mark.skipif(not shutil.which("fc-list"), reason="needs fontconfig")
@pytest.mark.parametrize("family", excluded.FILES)
def test_no_installed_file_of_a_family_stays_a_reference(family):
    command = ["fc-list", f":family={family}", "--format=%{file}\n"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    assert all(excluded.is_of(Path(line), family) for line in listed if line.strip())


def test_a_table_says_where_it_comes_from_and_has_no_texts():
    truth = {
        "script": "latin", "page": "report", "producer": "typst", "family": "Charis SIL",
        "fault": "", "variant": "", "text": "The old quay", "expect": "right", "same": [],
        "any_case": False,
    }  # fmt: skip
    measured = Measured({"a.pdf": Result(True, "The old quay"), "b.pdf": Result(False)}, 3.0)
    facts = describe({"a.pdf": truth, "b.pdf": truth}, measured, "3/12")
    assert facts["expect"] == {"right": 2}
    assert facts["failed"] == [{"fault": "none", "script": "latin", "failed": 1, "files": 2}]
    assert facts["cpu_ms_a_page"] == 1500
    assert facts["rows"][0]["refused"] == 0.5
    assert "quay" not in json.dumps(facts)


@pytest.mark.slow
@pytest.mark.skipif(bool(PACKAGES), reason=f"needs the fonts of {', '.join(PACKAGES)}")
def test_a_small_part_of_the_corpus_is_judged_well(tmp_path):
    for package in ("pikepdf", "typst", "fpdf", "uharfbuzz"):
        pytest.importorskip(package)
    # OSError: Pango is missing
    pytest.importorskip("weasyprint", exc_type=(ImportError, OSError))
    from benchmarks.layer_corpus.build import build

    build(tmp_path, SMALL, PRODUCERS, FAULTS)
    truths = json.loads((tmp_path / "truth.json").read_text("utf-8"))
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(truths, key=lambda name: zlib.crc32(name.encode())):
        group = groups.setdefault((truths[name]["script"], truths[name]["fault"]), [])
        if len(group) < MOST:
            group.append(name)
    small = {name: truths[name] for names in groups.values() for name in names}
    measured = measure(tmp_path, small, together=True)
    rows, failures = score(small, measured.results)
    report = "\n".join([table(rows), *map(str, sorted(failures.items()))])
    total = rows[0]
    assert total.files == 36, report
    assert total.caught is not None, report
    assert total.caught >= 0.75, report
    assert total.refused == 0, report
    assert total.words is not None, report
    assert total.words >= 0.97, report
    assert total.order is not None, report
    assert total.order >= 0.97, report
