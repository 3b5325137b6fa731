"""Runs the prototypes several times, and prints the results."""

from __future__ import annotations

from pathlib import Path

from experiments.papers.prototypes.figure import box_plots
from experiments.papers.prototypes.report import (
    cost_table,
    flag_table,
    mean_table,
    paired_table,
    step_table,
)
from experiments.papers.prototypes.table import (
    REPEAT,
    costs,
    flag_rates,
    paired_steps,
    run_means,
    steps,
)
from ohr import registry
from ohr.analysis.systems.written_for import written_for
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
from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig
from ohr.study.run import run_study
from ohr.study.yaml_values import parse_yaml

INDEPENDENT = (
    "The t-tests treat the runs of a prototype as independent data points. The runs differ only in "
    "the model's sampling: every run answers the same questions over the same documents. So 40 "
    "runs show how much the benchmark's mean would change in another run, not whether the "
    "difference would hold on other documents. The table paired by question, with intervals over "
    "documents, shows that."
)
DETERMINISTIC = (
    "These systems are deterministic: every run would equal the first. So each ran once, and there "
    "is no t-test."
)


def repeated(config: StudyConfig, reader: str, repeats: int, temperature: float) -> StudyConfig:
    """The study with each system repeated, each run with its own seed.

    A system whose answers do not depend on the seed runs once. Raises ConfigError.
    """
    specs: list[PluginSpec] = []
    for spec in config.systems:
        params = dict(spec.params)
        if reader:
            params["reader"] = _parsed(reader)
        if repeats == 1:
            specs.append(spec.model_copy(update={"params": params}))
            continue
        repetitions = [
            PluginSpec(
                name=spec.name,
                params={**params, "temperature": temperature, "seed": number},
                label=f"{spec.label}{REPEAT}{number + 1}",
            )
            for number in range(repeats)
        ]
        first, second = (registry.create("system", spec).identity() for spec in repetitions[:2])
        same = first == second
        specs += [spec.model_copy(update={"params": params})] if same else repetitions
    return config.model_copy(update={"systems": tuple(specs)})


def _parsed(reader: str) -> PluginSpec:
    try:
        return PluginSpec.parse(parse_yaml(reader))
    except ValueError as error:
        raise ConfigError(f"--reader {reader!r} is no YAML: {error}") from error


def run_prototypes(config: StudyConfig, out: Path) -> int:
    """Run the study, print and write its tables and figures. Raises OhrError."""
    run = run_study(config, out)
    means = run_means(run)
    folder = out / "tables"
    tables = [
        ("means", means, mean_table(means)),
        ("table2", tests := steps(means), step_table(tests)),
        ("paired", pairs := paired_steps(run), paired_table(pairs)),
        ("flags", flags := flag_rates(run), flag_table(flags)),
        ("costs", spent := costs(run), cost_table(spent)),
    ]
    files: list[Path] = []
    for name, values, table in tables:
        print()
        print_caption(table.caption)
        show(terminal_table(table))
        files += write_table(folder, name, values, table)
        if name == "table2":
            print(DETERMINISTIC if (values["test"] == "none").all() else INDEPENDENT)
    if line := written_for(run).line():
        print(line)
    say_files([*files, *box_plots(means, out / "figures")])
    print(f"results: {run.path}")
    print(report_line(run.path / "report", run.path))
    return report_failures(run.failures, run.failed)
