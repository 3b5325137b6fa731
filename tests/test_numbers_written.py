"""Signs and shares of what is printed are written in one place: ``ohr.statistics.numbers``."""

from __future__ import annotations

import re

from tests.conftest import ROOT

FOLDERS = ("ohr/analysis", "ohr/display", "ohr/figures", "ohr/report", "ohr/suites", "experiments")
SIGNED_OR_SHARE = re.compile(r":[^\s\"'{}]*(?:[+z][^\s\"'{}]*f|\.\d%)\}")
"""A format that writes ``45%``, or a sign as a hyphen."""


def test_no_file_formats_a_sign_or_a_share_itself() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if SIGNED_OR_SHARE.search(line)
    ]
    assert len(files) > 200
    assert found == []


def test_the_pattern_knows_them() -> None:
    for text in ('f"{x:.0%}"', 'f"{x:+.2f}"', 'f"{x:z.1f}"', 'f"{x:+z.3f}"', "{0:.1%}"):
        assert SIGNED_OR_SHARE.search(text), text
    for text in ('f"{x:,.0f} %"', 'f"{x:.3f}"', 'f"{name}: {x}"', "a[:3] % {b}"):
        assert not SIGNED_OR_SHARE.search(text), text
