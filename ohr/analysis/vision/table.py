"""Routes from pages to answers: retrieval and reading by text or by page images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pandas as pd

from ohr.errors import ConfigError, did_you_mean
from ohr.plugins import ImageRetriever, OcrBackend, Oracle, Reader
from ohr.study.config import BUILT_IN
from ohr.study.output.select import cells_of
from ohr.study.plan import Plan

if TYPE_CHECKING:
    from ohr.registry import Search

Through = Literal["text", "images", "both"]
POINT_COLUMNS = (
    *("route", "retrieved_by", "read_as", "chunker", "retriever", "reader"),
    *("engine", "noise", "perturbation", "level", "intensity"),
    *("r_noise", "r_noise_content", "r_noise_reference", "edit_distance"),
    *("metric", "mean", "ci_low", "ci_high", "ci_unit", "n", "letters"),
)
SOURCES = ("text", "table", "formula", "chart", "reading_order")
"""Evidence sources in the order of the paper's tables."""

PUBLISHED = {
    ("GT", "text"): (57.7, 41.7, 41.8, 39.8, 29.8, 46.8),
    ("MinerU", "text"): (51.2, 33.7, 32.1, 10.7, 29.8, 37.9),
    ("Qwen2.5-VL", "text"): (54.1, 38.9, 34.5, 22.7, 13.3, 40.6),
    ("VisRAG", "images"): (50.7, 40.3, 32.0, 30.6, 15.6, 40.2),
}
"""Table S4 of the paper: F1 in per cent by source, all last, with text or images as input;
its reader was Qwen2-VL-7B."""


@dataclass(frozen=True)
class Route:
    """A chunker, a retriever and a reader, and whether the latter two use text or images."""

    chunker: str
    retriever: str
    reader: str
    retrieved_by: Through
    read_as: Through
    name: str
    """``bm25 > qwen``, with the chunker where there are several."""

    @property
    def sees_text(self) -> bool:
        """Whether the route uses OCR output."""
        return (self.retrieved_by, self.read_as) != ("images", "images")


def routes_of(plan: Plan) -> list[Route]:
    """The routes of a study, in its order; a retriever of images only has the first chunker.

    Raises ConfigError for a study without answers.
    """
    if not plan.has_built_in or "overall" not in plan.config.stages:
        raise ConfigError("routes need answers: stages must include overall, and systems rag")
    routes = []
    for number, chunker in enumerate(plan.chunkers):
        for label, retriever in plan.retrievers.items():
            if number and isinstance(retriever, ImageRetriever):
                continue
            through = _searches(retriever)
            several = len(plan.chunkers) > 1 and through != "images"
            search = f"{chunker}, {label}" if several else label
            routes += [
                Route(chunker, label, name, through, _reads(reader), f"{search} > {name}")
                for name, reader in plan.readers.items()
            ]
    return routes


def _searches(retriever: Search) -> Through:
    if isinstance(retriever, ImageRetriever):
        return "images"
    return "both" if not isinstance(retriever, Oracle) and retriever.sees_images else "text"


def _reads(reader: Reader) -> Through:
    if not reader.reads_images:
        return "text"
    return "both" if reader.reads_text else "images"


def axis_engine(plan: Plan, name: str | None = None) -> str:
    """The label of the engine whose noise is the axis: by default the first that reads images.

    Raises ConfigError for an engine that is not in the study.
    """
    if name is not None and name not in plan.engines:
        raise ConfigError(f"no engine {name!r}; {did_you_mean(name, list(plan.engines))}")
    image_engines = [
        label
        for label, engine in plan.engines.items()
        if isinstance(engine, OcrBackend) and "image" in engine.accepts
    ]
    return name or next(iter([*image_engines, *plan.engines]))


def route_points(
    cells: pd.DataFrame, routes: Sequence[Route], engine: str, metric: str = "f1"
) -> pd.DataFrame:
    """One row per route and noise: the mean of all answers, and the engine's measured noise.

    All routes see the same distorted pages as the engine. ``letters`` are those of the cells, if
    they have them (:func:`~ohr.analysis.comparison.ties.cells_with_letters`).
    """
    chosen = cells_of(cells, "overall", metric, "all")
    chosen = chosen[(chosen["engine"] == engine) & (chosen["system"] == BUILT_IN)]
    parts = [_route_rows(chosen, route) for route in routes]
    points = pd.concat(parts) if parts else chosen
    return points.reindex(columns=list(POINT_COLUMNS)).reset_index(drop=True)


def source_means(
    cells: pd.DataFrame, routes: Sequence[Route], engine: str, metric: str = "f1"
) -> pd.DataFrame:
    """The paper's table S4 for clean pages: routes in rows, evidence sources in columns.

    Routes with text have one row per engine. Means in per cent, ``all`` last. The paper's own
    rows follow (``from``).
    """
    groups = [*(f"source:{name}" for name in SOURCES), "all"]
    clean = cells[
        (cells["stage"] == "overall")
        & (cells["metric"] == metric)
        & (cells["noise"] == "none")
        & (cells["system"] == BUILT_IN)
        & cells["group"].isin(groups)
    ]
    table: list[dict[str, object]] = []
    for route in routes:
        of_route = _route_rows(clean, route)
        if not route.sees_text:
            of_route = of_route[of_route["engine"] == engine]
        for name, rows in of_route.groupby("engine", sort=False):
            means = dict(zip(rows["group"], 100 * rows["mean"], strict=True))
            names = {"engine": name if route.sees_text else "", "route": route.name}
            through = {"retrieved_by": route.retrieved_by, "read_as": route.read_as}
            by_group = {group.removeprefix("source:"): means.get(group) for group in groups}
            n = int(rows["n"].max())
            table.append({"from": "this run", **names, **through, **by_group, "n": n})
    columns = ["from", "engine", "route", "retrieved_by", "read_as", *SOURCES, "all", "n"]
    return pd.DataFrame([*table, *_published()], columns=columns).astype({"n": "Int64"})


def _published() -> list[dict[str, object]]:
    """The paper's rows of table S4."""
    return [
        {
            **{"from": "the paper", "engine": name, "route": "Qwen2-VL-7B"},
            **{"retrieved_by": through, "read_as": through},
            **dict(zip((*SOURCES, "all"), means, strict=True)),
        }
        for (name, through), means in PUBLISHED.items()
    ]


def _route_rows(cells: pd.DataFrame, route: Route) -> pd.DataFrame:
    of_route = cells[
        (cells["chunker"] == route.chunker)
        & (cells["retriever"] == route.retriever)
        & (cells["reader"] == route.reader)
    ]
    return of_route.assign(route=route.name, retrieved_by=route.retrieved_by, read_as=route.read_as)
