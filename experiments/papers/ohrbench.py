"""Reproduces all measurements of the OHR-Bench paper as a series of studies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.papers.noise_statistics import noise_statistics
from experiments.papers.table_format import report as table_format
from experiments.papers.wordings import compare_wordings
from ohr import registry
from ohr.analysis.benchmark import report as benchmark_report
from ohr.analysis.benchmark.paper_tables import percent
from ohr.analysis.curves import study_report as noise_curve
from ohr.analysis.error_analysis.report import analyse_errors
from ohr.analysis.figure3.report import make_figure3
from ohr.analysis.published import compare_with_published, drop_lines, weight_by_domains
from ohr.analysis.robustness.report import compare_readers
from ohr.display.choices import TABLE_FORMATS
from ohr.display.columns import Column, make_table, text_column, value_column
from ohr.display.labels import group_label
from ohr.display.notes import Notes, answerers, note_lines, reader_notes
from ohr.display.terminal import (
    print_caption,
    report_failures,
    report_line,
    say_files,
    show,
    terminal_table,
)
from ohr.display.text_tables import write_table
from ohr.errors import ConfigError
from ohr.ocr.progress import Progress
from ohr.ocr.shards import read_shards_of, shard_of_process
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.statistics.numbers import signed
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.questions import select_questions
from ohr.study.results import StudyRun, open_run
from ohr.study.run import run_study


def reproduce_paper(config: StudyConfig, out: Path) -> int:
    """Run and report everything; returns 1 if a whole condition failed. Raises OhrError."""
    if config.noise or config.intensities or config.r_noise or config.edit_distance:
        raise ConfigError(
            "paper ohrbench sets its own noise: leave out noise, levels, intensities and so on"
        )
    # The paper's figures use its original wordings.
    rewritten = config.dataset.rewritten
    config = config.model_copy(
        update={"dataset": config.dataset.model_copy(update={"rewritten": None})}
    )
    truth = PluginSpec(name="gt")
    images = [spec for spec in config.engines if _reads_images(spec)]
    sources = {q.evidence_source for q in select_questions(config, load_dataset(config))}

    if shard_of_process() is not None:
        read_shards_of(
            partial(run_study, _change(config, *of), out / name)
            for name, of in {"benchmark": ((), ""), "semantic": (images, "semantic")}.items()
            if name == "benchmark" or images
        )
    benchmark = _study(config, out / "benchmark", benchmark_report, "Tables 2, S6 to S8")
    curves = [
        _study(config, out / "formatting", noise_curve, "Formatting noise", [truth], "formatting")
    ]
    if images:
        curves.append(
            _study(config, out / "semantic", noise_curve, "Image noise", images, "semantic")
        )
    _title("Figure 3")
    make_figure3([result.path for result in curves], out / "figure3")
    code = int(any(result.failed for result in (benchmark, *curves)))
    if "table" in sources:
        dataset = config.dataset.model_copy(update={"sources": ("table",)})
        formats = [
            PluginSpec(name="gt", params={"tables": name}, label=name) for name in TABLE_FORMATS
        ]
        on_tables = config.model_copy(update={"dataset": dataset})
        tables = _study(on_tables, out / "table_format", table_format, "Figure 4", formats)
        code |= int(bool(tables.failed))
    _title("Figure 5")
    analyse_errors([result.path for result in curves], out / "error_analysis")
    noise = (PluginSpec(name="formatting"), PluginSpec(name="semantic"))
    code |= noise_statistics(config.model_copy(update={"noise": noise}), out / "noise_statistics")
    if len(config.readers) > 1:
        _title("Table S5")
        engines = set(benchmark.cells["engine"])
        has_baseline = "gt" in engines and len(engines) > 1
        run = open_run(benchmark.path if has_baseline else curves[0].path)
        compare_readers(run, out / "robust_reader")
    if rewritten is not None:
        _title("Section IV.2")
        code |= compare_wordings(config, rewritten, out / "question_style")
    _title("The paper's figures and ours")
    _compare(benchmark.cells, out, reader_notes(benchmark.readers))
    print(report_line(out / "report", *(run.path for run in (benchmark, *curves))))
    return code


def _title(text: str) -> None:
    print(f"\n== {text}")


def _reads_images(spec: PluginSpec) -> bool:
    engine = registry.create("engine", spec)
    return isinstance(engine, OcrBackend) and "image" in engine.accepts


def _study(
    config: StudyConfig,
    out: Path,
    module: Any,
    title: str,
    engines: Sequence[PluginSpec] = (),
    noise: str = "",
) -> StudyRun:
    """Run a study with other engines or noise, and report it as its own command does."""
    _title(title)
    result = run_study(_change(config, engines, noise), out, progress=Progress())
    module.report(result)
    report_failures(result.failures, result.failed)
    return result


def _change(config: StudyConfig, engines: Sequence[PluginSpec], noise: str) -> StudyConfig:
    update: dict[str, Any] = {"noise": (PluginSpec(name=noise),) if noise else ()}
    if engines:
        update["engines"] = tuple(engines)
    return config.model_copy(update=update)


_COLUMNS = (
    text_column("table", "in"),
    *map(text_column, ("engine", "reader", "stage", "metric")),
    Column("questions", lambda row: group_label(row["group"]), is_text=True),
    Column("paper", lambda row: percent(row["paper"])),
    Column("ours", lambda row: percent(row["ours"])),
    Column("difference", lambda row: signed(100 * row["difference"], 1)),
    value_column("n"),
    value_column("elsewhere"),
)


def _compare(cells: pd.DataFrame, out: Path, notes: Notes) -> None:
    weighted = weight_by_domains(cells)
    compared = pd.concat(
        [compare_with_published(cells), weighted.drop(columns="domains", errors="ignore")]
    )
    if compared.empty:
        print("no engine is one of the paper's, so there is nothing to compare with")
        return
    caption = "In per cent; means over retrievers and readers; last: values elsewhere in the paper"
    if len(weighted):
        domains = weighted["domains"].iloc[0]
        caption += (
            f"; our domains: {domains}, the paper's tables S6 to S8 weighted by our questions"
        )
    caption = "; ".join([caption, *note_lines(answerers(cells), notes)])
    table = make_table(_COLUMNS, compared, caption)
    show(terminal_table(table))
    print_caption(caption)
    for line in drop_lines(weighted):
        print(line)
    say_files(write_table(out, "paper", compared, table))
