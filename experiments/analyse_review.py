"""Shows how far a judge and the metrics of answers agree with a person.

``ohr analyse review RUN [RUN ...] --verdicts verdicts.json`` takes the verdicts on answers that a
person gave in the review of a report (``ohr report``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRuns, OptionalOut


@results_command
def main(
    runs: FinishedRuns,
    verdicts: Annotated[Path, typer.Option(help="verdicts.json, saved by the review of a report.")],
    out: OptionalOut = None,
) -> int:
    """Compare metrics and a judge with a person's verdicts.

    Without --out the table goes to the first run's folder.
    """
    from ohr.analysis.review.report import report_review

    return report_review(runs, verdicts, out)


if __name__ == "__main__":
    main()
