"""The noise that a run reached: by domain from its cells, by writing system from its manifest."""

from __future__ import annotations

import pandas as pd

from ohr.analysis.curves.table import axis_of
from ohr.display.choices import INTENSITY
from ohr.display.labels import group_label, noise_title
from ohr.display.noise_axis import LEAST_RISE
from ohr.display.text_tables import TextTable
from ohr.display.wording import listed
from ohr.ocr.noise import strength
from ohr.statistics.numbers import number, prose
from ohr.study.metrics import NOISE_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name

_DOMAIN = "domain:"
_DISTANCE = "edit_distance"


def doses_by_domain(run: StudyRun) -> pd.DataFrame:
    """One row per knowledge base and domain, and one of ``all``, with each measure of noise.

    Columns ``knowledge_base``, those of the knowledge base, ``group``, and the measures in [0, 1],
    NaN where one was not measured; means over the draws of the noise.
    """
    cells = run.cells
    groups = cells["group"]
    cells = cells[(groups == "all") | groups.str.startswith(_DOMAIN)]
    keys = [*KNOWLEDGE_BASE, "group"]
    doses = cells.groupby(keys, sort=False, dropna=False)[list(NOISE_COLUMNS)].first().reset_index()
    if doses["group"].nunique() == 2:  # a single domain is all
        doses = doses[doses["group"] == "all"].reset_index(drop=True)
    names = [knowledge_base_name(row) for _, row in doses.iterrows()]
    return doses.assign(knowledge_base=names)


def dose_tables(run: StudyRun) -> list[TextTable]:
    """The table by domain and, for noise in text, the one by writing system."""
    doses = doses_by_domain(run)
    measures = [name for name in NOISE_COLUMNS if doses[name].notna().any()]
    header = ["knowledge base", "domain", *(noise_title(name) for name in measures)]
    rows = [
        [row["knowledge_base"], group_label(row["group"]), *(_value(row[m]) for m in measures)]
        for row in doses.to_dict("records")
    ]
    caption = (
        "Measured noise by domain: edit distance over the pages read, r_noise over the questions"
    )
    tables = [TextTable(header, rows, caption, left=2)] if measures else []
    systems = [
        [name, system, *(f"{dose[n]:,}" for n in ("pages", "changed")), _value(dose[_DISTANCE])]
        for name, base in run.manifest.get("knowledge_bases", {}).items()
        for system, dose in base.get("dose", {}).items()
    ]
    if systems:
        header = ["knowledge base", "writing system", "pages", "changed", "edit distance"]
        caption = "What noise in text changed by writing system; edit distance from the clean pages"
        tables.append(TextTable(header, systems, caption, left=2))
    return tables


def dose_sentences(run: StudyRun) -> list[str]:
    """A sentence for each engine and noise: what the noise did to the axis, level by level."""
    axis = axis_of(run)
    doses = doses_by_domain(run)
    doses = doses[(doses["group"] == "all") & doses[axis].notna()]
    clean_doses = doses[doses["noise"] == "none"]
    clean = dict(zip(clean_doses["engine"], clean_doses[axis], strict=True))
    sentences = []
    noisy = doses[doses["noise"] != "none"]
    for (engine, noise), levels in noisy.groupby(["engine", "perturbation"], sort=False):
        reached = [
            f"{prose(row[axis])} ({strength(row['level'], row['intensity'])})"
            for row in levels.to_dict("records")
        ]
        if axis == INTENSITY:
            sentences.append(
                f"The noise “{noise}” had an intensity of {listed(reached)}; no metric of damage "
                f"of {engine} rose by {prose(LEAST_RISE)}."
            )
            continue
        before = f" from {prose(clean[engine])} on clean pages" if engine in clean else ""
        sentences.append(
            f"The noise “{noise}” moved the {noise_title(axis)} of {engine}{before} to "
            f"{listed(reached)}."
        )
    return sentences


def _value(share: float) -> str:
    return number(share)
