"""The appendix: everything that somebody needs who repeats a run or doubts it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ohr.analysis.citation.doses import dose_tables
from ohr.analysis.citation.left_out import left_out_items, status_table
from ohr.analysis.citation.methods import family_sizes, units_by_domain
from ohr.analysis.citation.writing import Items, Listing, Part, Section
from ohr.analysis.comparison.differences import run_differences
from ohr.display.notes import note_lines, reader_notes
from ohr.display.origins import origin_lines
from ohr.display.settings import setting_texts
from ohr.display.text_tables import TextTable
from ohr.display.wording import counted, is_shown
from ohr.files.keys import hide_keys
from ohr.statistics.numbers import number, p_value
from ohr.study.commands import equal_command, typed_command
from ohr.study.results import StudyRun

_NO_PROMPT = "the run keeps no prompts: it has no reader with one, or is of an earlier version"


def appendix(run: StudyRun) -> list[Section]:
    """The sections in their order; a section without content is left out."""
    sections = [
        Section("Command", _command(run)),
        Section("Versions", [_versions(run)]),
        Section("Parts and their parameters", _parts(run)),
        Section("Prompts", list(_prompts(run))),
        Section("Documents and questions", _units(run)),
        Section("Measured noise", dose_tables(run)),
        Section("Metrics and their signatures", _signatures(run)),
        Section("Comparisons", list(_comparisons(run))),
        Section("What was left out, and why", _left_out(run)),
    ]
    return [section for section in sections if section.parts]


def _command(run: StudyRun) -> list[Part]:
    entry = run.manifest.get("command")
    if not isinstance(entry, dict):
        command = equal_command(run.config)
        entry = command.entry(run.path) if command else None
    if entry is None:
        return ["No command that can be typed makes this study; its configuration is in its "
                "manifest.json."]  # fmt: skip
    return [Listing(hide_keys(typed_command(entry, run.path)))]


def _versions(run: StudyRun) -> TextTable:
    rows = [[name, str(value)] for name, value in run.manifest.get("versions", {}).items()]
    return TextTable(["package", "version"], rows, "Versions", left=2)


def _parts(run: StudyRun) -> list[Part]:
    """Every plug-in with its version and parameters, as far as the manifest has them."""
    manifest = run.manifest
    rows = []
    for kind, label, identity in _identities(run):
        left_out = {"version", *(["name"] if identity.get("name") == label else [])}
        named = {name: value for name, value in identity.items() if name not in left_out}
        rows.append([kind, label, str(identity.get("version", "")), _json(named)])
    parts: list[Part] = [
        TextTable(["part", "label", "version", "parameters"], rows, "Plug-ins", left=4)
    ]
    sources = [f"{module}: {digest}" for module, digest in manifest.get("sources", {}).items()]
    if sources:
        parts += ["Plug-ins from outside the toolkit, by module and digest of the source:"]
        parts.append(Items(tuple(sources)))
    notes = note_lines(reader_notes(run.readers), reader_notes(run.readers))
    if lines := [*notes, *origin_lines(manifest)]:
        parts.append(Items(tuple(lines)))
    return parts


def _identities(run: StudyRun) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    manifest, config = run.manifest, run.config
    identities: Mapping[str, Mapping[str, Any]] = manifest.get("parts", {})
    engines = manifest.get("engines", {})
    for spec in config.engines:
        yield "engine", spec.label, engines.get(spec.label) or _configured(spec)
    for kind, specs in (
        ("noise", config.noise),
        ("chunker", config.chunkers),
        ("retriever", config.retrievers),
    ):
        own_identities = identities.get(f"{kind}s", {})
        for spec in specs:
            yield kind, spec.label, own_identities.get(spec.label) or _configured(spec)
    for kind in ("readers", "systems"):
        for label, entry in manifest.get(kind, {}).items():
            yield kind.removesuffix("s"), label, entry.get("identity", {})


def _configured(spec: Any) -> dict[str, Any]:
    """What the configuration says of a plug-in: only what was given."""
    argument = {} if spec.argument is None else {"argument": spec.argument}
    return {"name": spec.name, **argument, "params": dict(spec.params)}


def _json(value: Mapping[str, Any]) -> str:
    params = value.get("params")
    flat = {**params, **value} if isinstance(params, dict) else dict(value)
    flat.pop("params", None)
    return ", ".join(f"{name} {_scalar(part)}" for name, part in flat.items()) or "-"


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _prompts(run: StudyRun) -> Iterator[Part]:
    entries = {label: entry.get("prompts", {}) for label, entry in run.readers.items()}
    for label, prompts in entries.items():
        for name, text in prompts.items():
            yield f"{label}, {name}:"
            yield Listing(str(text))
    if not any(entries.values()):
        yield f"None: {_NO_PROMPT}."


def _units(run: StudyRun) -> list[Part]:
    units = units_by_domain(run)
    rows = [
        [str(domain), f"{documents:,}", f"{questions:,}"]
        for domain, documents, questions in units.itertuples(index=False, name=None)
    ]
    rows.append(["all", f"{units['documents'].sum():,}", f"{units['questions'].sum():,}"])
    caption = "Documents, the unit of inference, and questions asked, by domain"
    header = ["domain", "documents", "questions"]
    return [TextTable(header, rows, caption)] if len(units) else []


def _signatures(run: StudyRun) -> list[Part]:
    by_stage: dict[str, list[list[str]]] = {}
    for name, text in run.manifest.get("signatures", {}).items():
        stage, _, metric = name.partition(":")
        by_stage.setdefault(stage, []).append([metric, str(text)])
    return [
        TextTable(["metric", "signature"], rows, f"Signatures of the stage {stage}", left=2)
        for stage, rows in by_stage.items()
    ]


def _comparisons(run: StudyRun) -> Iterator[Part]:
    differences = run_differences(run)
    if differences.empty:
        yield f"Nothing is compared{_reason(differences)}."
        return
    sizes = family_sizes(differences)
    yield Items(
        tuple(
            f"family of each metric: {counted(size, 'comparison')} of {name}, on all questions"
            for name, size in sizes.items()
        )
    )
    shown = {(i.stage, i.metric): i for i in run.metric_infos}
    rows = []
    for setting, row in zip(
        setting_texts(differences), differences.to_dict("records"), strict=True
    ):
        info = shown[row["stage"], row["metric"]]
        rows.append(
            [
                f"{row['other']} less {row['baseline']}",
                ", ".join(filter(None, (setting[1], setting[0], setting[3]))),
                info.label,
                number(row["difference"]) + ("*" if is_shown(row["p_adjusted"]) else ""),
                "-"
                if pd.isna(row["ci_low"])
                else f"[{number(row['ci_low'])}, {number(row['ci_high'])}]",
                p_value(row["p_adjusted"]),
            ]
        )
    header = ["compared", "setting", "metric", "difference", "95 % interval", "p"]
    caption = (
        "Paired differences on all questions, with intervals and p corrected over the family; "
        "* p at most 0.05; - too few documents for a test"
    )
    yield TextTable(header, rows, caption, left=3)


def _reason(differences: pd.DataFrame) -> str:
    why = differences.attrs.get("not_compared")
    return f": {why}" if why else ""


def _left_out(run: StudyRun) -> list[Part]:
    lines = left_out_items(run)
    table = status_table(run)
    first: Sequence[Part] = [Items(tuple(lines))] if lines else ["Nothing was left out."]
    return [*first, *([table] if table is not None else [])]
