"""Which clean knowledge base a noisy one is held against."""

from __future__ import annotations

from collections.abc import Container

import pandas as pd

from ohr.study.results import knowledge_base_name


def clean_of(kb: pd.Series, names: Container[str]) -> str | None:
    """The clean knowledge base that one is held against, by name, where it is among ``names``.

    Of noise, the same engine's reading of the clean pages; of that, the ground truth.
    """
    clean = f"{kb['engine']}, clean" if kb["noise"] != "none" else "gt, clean"
    return clean if clean in names and clean != knowledge_base_name(kb) else None
