"""Measures what helps against noise: each mitigation's gain, its harm on clean pages, its cost.

``ohr run mitigations [CONFIG.yaml] [key=value ...] --arms upright,flatten,vote --out RUN`` reads
clean and noisy pages with each engine, without and with each arm, and compares them page by page
and question by question. An arm is a mitigation, or several joined by ``+``, such as
``flatten+upright``; ``ohr list plugins mitigation`` lists them. ``vote`` and ``add_words`` also use
the engine ``--second``. ``RUN/mitigations.csv`` has, for each arm, noise, metric and evidence
source, the loss to noise, the arm's gain, the share of the loss that it wins back, and its harm on
clean pages, each with a 95 % interval; ``RUN/mitigation_costs.csv`` has the shares of numbers that
it changes and of words that it adds, and its CPU seconds. The arms ``identity`` and ``oracle`` (the
clean pages) show the ends of the scale.

With ``--natural '*_*door*'`` the documents whose names match are photographs of others, as in ``ohr
analyse realism``, and are compared with these.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import Settings, command, results_folder
from experiments._parameters import LIST, AndReport, DryRun, OptionalOut
from ohr.study.config import StudyConfig
from ohr.study.presets import preset

ARMS = "upright,flatten+upright,light,clean,upscale,vote,add_words,ngrams"


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("mitigations"))],
    out: OptionalOut = None,
    arms: Annotated[
        str,
        typer.Option(metavar=LIST, help="Mitigations, separated by commas; a+b takes a, then b."),
    ] = ARMS,
    second: Annotated[
        str,
        typer.Option(
            help="The second engine of arms that fuse texts: a name, or {name: …, params: {…}}."
        ),
    ] = "rapidocr",
    natural: Annotated[
        str, typer.Option(help="Documents with natural noise, such as '*_*door*'.")
    ] = "",
    dry_run: DryRun = False,
    report: AndReport = False,
) -> int:
    """Measure what helps against noise: gain, harm and cost."""
    from experiments._study import run_and_report
    from ohr.analysis.mitigations.arms import bench_of
    from ohr.analysis.mitigations.report import report as print_bench
    from ohr.study.results import StudyRun

    bench = bench_of(config, arms, second)
    if dry_run:
        from ohr.display.plan import print_plan

        print_plan(bench.config)
        return 0

    def printed(run: StudyRun) -> None:
        print_bench(run, bench.arms, bench.left_out, natural)

    options = {"arms": arms, "second": second, "natural": natural, "report": report}
    folder: Path = results_folder(out)
    return run_and_report(
        bench.config, folder, printed, (print_bench.__module__, options), report, ()
    )


if __name__ == "__main__":
    main()
