"""Reports the verification of questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from ohr.datasets.floor import NOISY_TRUTH
from ohr.datasets.verify import Verification, one_line


def findings_table(verification: Verification, examples: int = 1) -> Table:
    """One row per check: the number of judged and of failing questions, and the first findings."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("check")
    for name in ("judged", "found", "share"):
        table.add_column(name, justify="right")
    table.add_column("what a finding means; the first ones", ratio=1)
    for result in verification.results:
        n_findings = len(result.findings)
        share = f"{100 * n_findings / result.judged:.1f} %" if result.judged else "-"
        lines = [result.about] if not n_findings or not examples else [f"{result.about}:"]
        for finding in result.findings[:examples]:
            lines.append(one_line(f"{finding.qid} {finding.detail}".strip()))
        # Text(), so that text from a dataset is not parsed as rich's mark-up.
        table.add_row(
            result.name, str(result.judged), str(n_findings), share, Text("\n".join(lines))
        )
    return table


def floor_table(floor: Mapping[str, tuple[float, int]]) -> Table:
    """The truth's own r_noise, of all questions and by domain, with the number of questions."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("truth")
    for name in ("r_noise", "questions"):
        table.add_column(name, justify="right")
    for group, (value, count) in floor.items():
        mark = " *" if value > NOISY_TRUTH else ""
        table.add_row(Text(one_line(group or "no domain")), f"{value:.3f}{mark}", str(count))
    table.caption = Text(
        "r_noise: the share of questions whose evidence is not on its own page of the "
        f"truth. No engine starts below it. *: above {NOISY_TRUTH}, so every output names it"
    )
    table.caption_justify = "left"
    return table


def findings_json(
    verification: Verification, floor: Mapping[str, tuple[float, int]] | None = None
) -> bytes:
    """Every finding of every check, and the truth's own r_noise, as JSON."""
    content = {
        "truth_r_noise": {
            group: {"r_noise": value, "questions": count}
            for group, (value, count) in (floor or {}).items()
        },
        "questions": verification.questions,
        "failing": verification.failing,
        "checks": [asdict(result) for result in verification.results],
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
