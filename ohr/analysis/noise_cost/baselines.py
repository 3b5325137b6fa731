"""A baseline that is named, in place of the frozen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ohr.errors import ConfigError, did_you_mean
from ohr.study.results import StudyRun

_NAMED = ("engine", "chunker", "retriever", "reader", "system")
"""Parts of a condition that a baseline is named by, in the order in which a name is looked up."""


def named_baseline(runs: Sequence[StudyRun], text: str) -> Mapping[str, str]:
    """Part -> label of the baseline in a text such as ``gt`` or ``gt, bm25, extractive``.

    Raises ConfigError for a name that no condition of the runs has, or a part named twice.
    """
    labels: dict[str, str] = {}
    every: dict[str, str] = {}
    for run in runs:
        for part in _NAMED:
            for label in run.cells[part].astype(str).unique():
                if label:
                    every.setdefault(label, part)
    for name in (part.strip() for part in text.split(",")):
        if name not in every:
            raise ConfigError(
                f"--baseline {text!r}: no condition has {name!r}; "
                f"{did_you_mean(name, sorted(every))}"
            )
        part = every[name]
        if part in labels:
            raise ConfigError(
                f"--baseline {text!r} names two values of {part}: {labels[part]}, {name}"
            )
        labels[part] = name
    return labels
