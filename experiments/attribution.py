"""Where the loss arises: OCR, retrieval, chunking or reading.

``ohr run attribution [CONFIG.yaml] [key=value ...] --out RUN`` runs a study and then
swaps in the truth part by part. What F1 lacks of 1 with the
clean evidence pages is the reader's loss; the rest is shared among the others, averaged over the
orders of swapping. ``RUN/attribution.csv`` has a row for each knowledge base, setting, group
and cause; ``order_low`` and ``order_high`` are the least and the greatest of the orders. Of other
systems (``systems=[…]``) ``RUN/system_parts.csv`` has what was lost through structure, finding and
reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._command import study_command

if TYPE_CHECKING:
    from ohr.study.results import Run


@study_command({"stages": ["ocr", "generation", "overall"]}, needs="overall")
def main(run: Run) -> None:
    """Attribute the F1 loss: OCR, chunking, retrieval, reader."""
    from ohr.analysis.attribution.report import report

    report(run)


if __name__ == "__main__":
    main()
