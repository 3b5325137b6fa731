"""The table of all commands: their groups, their modules, and their earlier names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "run": (
        "Run a study: distort pages, read, retrieve, answer, score.",
        (
            "noise-curve",
            "ocr-benchmark",
            "systems",
            "vision",
            "retrievers",
            "table-format",
            "attribution",
            "structure",
            "mitigations",
            "calibrate",
            "inventions",
        ),
    ),
    "suite": (
        "Run a frozen noise suite; check submissions for its board.",
        ("run", "list", "check"),
    ),
    "task": (
        "Run frozen tasks, or freeze a study as one.",
        ("list", "run", "freeze"),
    ),
    "analyse": (
        "Analyse finished runs.",
        (
            "compare",
            "noise-cost",
            "curves",
            "budget",
            "equal-noise",
            "trust",
            "reread",
            "predictiveness",
            "robustness",
            "errors",
            "error-kinds",
            "realism",
            "figure3",
            "judge",
            "review",
            "cells",
        ),
    ),
    "quality": (
        "Estimate the errors of OCR output without ground truth.",
        ("estimate", "confidence"),
    ),
    "perturb": ("Distort page images; add noise to texts.", ("images", "text", "gallery")),
    "dataset": (
        "Make, fetch and check datasets.",
        ("make-sample", "typeset", "twins", "download", "verify", "layers", "statistics"),
    ),
    "questions": ("Make questions from documents.", ("make",)),
    "paper": (
        "Reproduce tables and figures of the papers.",
        (
            "ohrbench",
            "prototypes",
            "drc",
            "extraction",
            "block-errors",
            "format-counts",
            "noise-statistics",
        ),
    ),
    "convert": (
        "Exchange data and results with other tools.",
        ("export", "import-results", "mlflow", "qasper"),
    ),
    "list": ("List OCR engines, other plug-ins and models.", ("engines", "plugins", "models")),
    "dev": (
        "Fetch models; fit and check those of this toolkit, and its sample.",
        (
            "fetch-models",
            "fit-errors",
            "check-errors",
            "fit-quality",
            "check-quality",
            "contact-sheet",
            "categories",
            "validity",
            "style",
        ),
    ),
}
_SINGLE = (
    *("demo", "read", "recommend", "plan", "report"),
    *("board", "cite", "verify", "cache", "status", "check-server"),
)
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Start": ("demo", "recommend", "read"),
    "Measure": (
        *("plan", "run", "suite", "task", "analyse", "report"),
        *("board", "cite", "verify", "quality", "paper"),
    ),
    "Prepare": ("perturb", "dataset", "questions", "convert"),
    "Manage": ("list", "check-server", "status", "cache", "dev"),
}
"""The sections of ``ohr --help``, in order."""
_STUDIES = ("run", "paper")
"""Groups whose commands are modules under their own name: ``experiments.noise_curve``."""
EARLIER: Mapping[str, str] = {
    "compare": "analyse_compare",
    "noise_cost": "analyse_noise_cost",
    "curve_statistics": "analyse_curves",
    "predictiveness": "analyse_predictiveness",
    "robust_reader": "analyse_robustness",
    "error_analysis": "analyse_errors",
    "error_kinds": "analyse_error_kinds",
    "realism": "analyse_realism",
    "figure3": "analyse_figure3",
    "judge_systems": "analyse_judge",
    "review": "analyse_review",
    "cells": "analyse_cells",
    "quality": "quality_estimate",
    "confidence": "quality_confidence",
    "fit_quality": "dev_fit_quality",
    "quality_check": "dev_check_quality",
    "gallery": "perturb_gallery",
    "fit_errors": "dev_fit_errors",
    "check_errors": "dev_check_errors",
    "make_sample": "dataset_make_sample",
    "contact_sheet": "dev_contact_sheet",
    "download": "dataset_download",
    "verify_dataset": "dataset_verify",
    "layers": "dataset_layers",
    "categories": "dev_categories",
    "make_questions": "questions_make",
    "question_validity": "dev_validity",
    "question_style": "dev_style",
    "paper": "ohrbench",
    "export": "convert_export",
    "import_results": "convert_import_results",
    "log_mlflow": "convert_mlflow",
    "qasper": "convert_qasper",
    "engines": "list_engines",
    "plugins": "list_plugins",
    "ocr": "read",
    "store": "cache",
}
"""Earlier names of modules, which ``python -m experiments.NAME`` still accepts."""


def _module(group: str, name: str) -> str:
    """``run noise-curve`` is noise_curve, ``analyse curves`` is analyse_curves."""
    prefix = "" if group in ("", *_STUDIES) else f"{group}_"
    return prefix + name.replace("-", "_")


GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    group: (about, {name: _module(group, name) for name in names})
    for group, (about, names) in _GROUPS.items()
}
"""Groups of commands: the purpose of each group, and the module of each of its commands."""
SINGLE: Mapping[str, str] = {name: _module("", name) for name in _SINGLE}
"""Commands outside the groups, and the module of each."""


OTHER_PATHS: Mapping[tuple[str, str], tuple[str, str]] = {("board", "check"): ("suite", "check")}
"""Another way to write a command: ``ohr board check`` is ``ohr suite check``."""


def all_commands() -> Iterator[tuple[str, str, str]]:
    """Each command: its group ("" for a single one), its name, and its module."""
    for name, module in SINGLE.items():
        yield "", name, module
    for group, (_, entries) in GROUPS.items():
        for name, module in entries.items():
            yield group, name, module


NAMES: Mapping[str, str] = {
    module: f"{group} {name}".strip() for group, name, module in all_commands()
}
"""Module -> its command, without ``ohr``."""


def nearest(name: str) -> str:
    """The command that somebody may mean by the name of another, or ""."""
    from difflib import get_close_matches

    paths: dict[str, str] = {}
    for earlier in EARLIER:
        paths[earlier.replace("_", "-")] = f"ohr {NAMES[EARLIER[earlier]]}"
    for group, leaf, _ in all_commands():
        paths[leaf] = " ".join(word for word in ("ohr", group, leaf) if word)
    return next(
        (paths[near] for near in get_close_matches(name.replace("_", "-"), paths, 1, 0.75)), ""
    )
