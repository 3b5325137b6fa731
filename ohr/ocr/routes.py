"""The file of routes, ``routes.csv``: for each page its text layer, an engine, or a person.

Its columns are :data:`COLUMNS`. A row has the ``document`` (``domain/name``), the ``page`` from 1,
and the ``route``: ``layer``, the label of an engine, or ``person``. ``reason`` says how it was
chosen; ``predicted_error``, ``low`` and ``high`` are empty where no engine is assessed, and
``seconds`` are those of every engine that reads the page on this route.

``routes.json`` beside it has the engines with their parameters. Without it, a label is a name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ohr.errors import ConfigError
from ohr.plugins.trust import check_content
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.store.csv import unescape_table, write_csv
from ohr.types import PageRef

if TYPE_CHECKING:
    import pandas as pd

LAYER, PERSON = "layer", "person"
COLUMNS = ("document", "page", "route", "reason", "predicted_error", "low", "high", "seconds")
REQUIRED = COLUMNS[:3]


@dataclass(frozen=True)
class Routes:
    """The route of each page, and the engines by label."""

    by_page: Mapping[PageRef, str]
    engines: Mapping[str, PluginSpec]

    def counts(self) -> dict[str, int]:
        """Number of pages by route: the layer first, then engines, then persons."""
        counts = Counter(self.by_page.values())
        return {name: counts[name] for name in (LAYER, *self.engines, PERSON) if counts[name]}


def write_routes(
    path: Path, routes: pd.DataFrame, engines: Mapping[str, PluginSpec], facts: Mapping[str, object]
) -> None:
    """Write the table with :data:`COLUMNS`, and beside it the engines and other ``facts``."""
    specs = {label: spec.model_dump(mode="json") for label, spec in engines.items()}
    content = json.dumps({"engines": specs, **facts}, indent=2, ensure_ascii=False)
    write_text(path.with_suffix(".json"), content + "\n")
    write_csv(path, routes[list(COLUMNS)])


def read_routes(path: Path) -> Routes:
    """Read a file of routes. Raises ConfigError, which names the row."""
    import pandas as pd  # not at the top: a plan of what would be read needs no tables

    try:
        table = unescape_table(pd.read_csv(path, dtype=str, keep_default_na=False))
    except (OSError, ValueError) as error:
        raise ConfigError(f"--routes: cannot read {path}: {error}") from error
    missing = [name for name in REQUIRED if name not in table]
    if missing:
        raise ConfigError(f"--routes {path}: no column {', '.join(missing)}")
    by_page: dict[PageRef, str] = {}
    for line, row in enumerate(table.to_dict("records"), start=2):
        document, page, route = (str(row[name]).strip() for name in REQUIRED)
        if not (page.isascii() and page.isdigit() and int(page) >= 1):
            raise ConfigError(f"--routes {path}: line {line}: page {page!r} is no number from 1 on")
        if not document or not route:
            raise ConfigError(
                f"--routes {path}: line {line}: no {'route' if document else 'document'}"
            )
        ref = PageRef(document, int(page) - 1)
        if by_page.setdefault(ref, route) != route:
            raise ConfigError(
                f"--routes {path}: line {line}: page {page} of {document} has two routes, "
                f"{by_page[ref]} and {route}"
            )
    if not by_page:
        raise ConfigError(f"--routes {path}: no row")
    labels = [label for label in dict.fromkeys(by_page.values()) if label not in (LAYER, PERSON)]
    check_content(labels, path)
    known_values = _engines(path.with_suffix(".json"))
    return Routes(
        by_page, {label: known_values.get(label, PluginSpec.parse(label)) for label in labels}
    )


def _engines(path: Path) -> dict[str, PluginSpec]:
    """The engines in ``routes.json``; none without the file. Raises ConfigError."""
    try:
        specs = json.loads(path.read_text("utf-8"))["engines"]
        check_content(specs, path)
        return {str(label): PluginSpec.parse(value) for label, value in specs.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path} does not name the engines of the routes: {error}") from error
