"""Shows where F1 is lost: OCR, retrieval, chunking or reading.

``ohr run attribution [CONFIG.yaml] [key=value ...] --out RUN`` runs a study, then replaces one part
of the system after another by the truth. The reader's loss is what its F1 with the clean evidence
pages is below 1. The rest is attributed to the other parts, averaged over the orders of
replacement. ``RUN/attribution.csv`` has one row per knowledge base, setting, group and cause;
``order_low`` and ``order_high`` are the lowest and highest value over the orders. For other systems
(``systems=[…]``), ``RUN/system_parts.csv`` has the loss through outline, finding and reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._study_command import study_command
from ohr.study.presets import preset

if TYPE_CHECKING:
    from ohr.study.results import StudyRun


@study_command(preset("attribution"), needs="overall")
def main(run: StudyRun) -> None:
    """Attribute the F1 loss: OCR, chunking, retrieval, reader."""
    from ohr.analysis.attribution.report import report

    report(run)


if __name__ == "__main__":
    main()
