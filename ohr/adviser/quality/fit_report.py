"""Fits the predictor of quality to the signals of finished runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ohr.adviser.quality.signal_runs import labelled, read_signals
from ohr.errors import OhrError
from ohr.quality.fit import fit
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.store.atomic import write_text


def report_fit(runs: Sequence[Path], out: Path) -> int:
    """Fit the pages of some runs and write the model. Raises OhrError."""
    pages = labelled(read_signals(runs))
    counts = Counter(f"{page.domain}, {page.knowledge_base}" for page in pages)
    is_known: dict[str, Any] = {
        "command": "ohr dev fit-quality",
        "pages": len(pages),
        "documents": len({(page.domain, page.doc_id) for page in pages}),
        "readings": dict(sorted(counts.items())),
        "assessed": {
            name: sum(page.values[name] == page.values[name] for page in pages) for name in SIGNALS
        },
    }
    try:
        model = fit(pages, is_known)
    except ValueError as error:
        raise OhrError(str(error)) from error
    write_text(out, model.to_json())
    for target, title in TARGETS.items():
        for which, widths in model.widths.items():
            below, above = widths[target]
            print(
                f"{title}, {which}: 90 % intervals from {below:.2f} deviations below to "
                f"{above:.2f} above; they contain {model.coverage[which][target]:.0%} of the pages "
                "of a domain that is left out"
            )
    print(f"model of {len(pages)} pages: {out}")
    return 0
