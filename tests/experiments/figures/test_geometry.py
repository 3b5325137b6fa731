"""Nothing that a figure says is covered, cut or measured on a scale of its own."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from ohr.display.labels import STAGE_METRICS
from ohr.figures import bars, pareto
from ohr.figures import noise as figures
from ohr.figures import sources as source_curves
from ohr.study.output.cells import CELL_COLUMNS

pytestmark = pytest.mark.arranged

SOURCES = ("text", "table", "formula", "chart", "reading_order")
LEVELS = {"none": 0.0, "mild": 0.25, "moderate": 0.5, "severe": 1.0}


def cells_of_study(
    noise: dict[str, tuple[float, ...]],
    quality: dict[str, tuple[float, ...]],
    engines: tuple[str, ...] = ("tesseract",),
) -> pd.DataFrame:
    """A study's cells: r_noise and quality by operator, at the clean pages and each level."""
    found = []
    groups = ("all", *(f"source:{name}" for name in SOURCES))
    points = [("gt", "none", "none", 0.0, 1.0)]
    for engine, (operator, xs) in product(engines, noise.items()):
        for level, x, y in zip(LEVELS, xs, quality[operator], strict=True):
            points.append((engine, "none" if level == "none" else operator, level, x, y))
    for (engine, operator, level, x, y), group in product(dict.fromkeys(points), groups):
        key = {
            "noise": "none" if operator == "none" else "semantic", "perturbation": operator,
            "level": "" if level == "none" else level, "intensity": LEVELS[level],
            "engine": engine, "kb_scope": "all", "protocol": "default", "seed": 0,
            "group": group, "n": 60, "draws": 1, "ci_unit": "document", "r_noise": x,
        }  # fmt: skip
        for name in ("r_noise", "r_noise_content", "edit_distance"):
            cell = key | {"stage": "ocr", "metric": name, "mean": x}
            found.append(cell | {"ci_low": x * 0.9, "ci_high": x * 1.1})
        scores = [(stage, metric, y) for stage, metric, _ in STAGE_METRICS]
        for share, part in ((0.7, "page_not_found"), (0.3, "text_missing")):
            scores.append(("retrieval", part, share * (1 - y)))
        for stage, metric, y in scores:
            used = {"chunker": "tokens", "retriever": "bm25", "top_k": 2}
            cell = key | {"stage": stage, "metric": metric, "mean": y}
            cell |= {} if stage == "generation" else used
            cell |= {} if stage == "retrieval" else {"reader": "extractive"}
            found.append(cell | {"ci_low": y * 0.9, "ci_high": y * 1.1})
    cells = pd.DataFrame(found).reindex(columns=list(CELL_COLUMNS))
    texts = ["chunker", "retriever", "reader"]
    return cells.drop_duplicates().assign(**{name: cells[name].fillna("") for name in texts})


def drawn(draw, cells: pd.DataFrame) -> Figure:
    """The figure that is saved, laid out."""
    saved: list[Figure] = []

    def keep(made: Figure, *_: object, **__: object) -> list[Path]:
        saved.append(made)
        return []

    with pytest.MonkeyPatch.context() as patch:
        for module in (figures, bars, pareto, source_curves):
            patch.setattr(module, "save", keep)
        draw(cells, Path("unused"))
    saved[0].draw_without_rendering()
    return saved[0]


def visible_texts(made: Figure) -> list[Text]:
    return [
        text
        for text in made.findobj(Text)
        if text.get_visible() and text.get_text().strip() and _is_drawn(text)
    ]


def _is_drawn(text: Text) -> bool:
    """Tick labels outside the axes' limits, and of shared axes, are not drawn."""
    for ax in text.figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            labels = [
                label for tick in axis.get_major_ticks() for label in (tick.label1, tick.label2)
            ]
            if any(text is label for label in labels):
                return text in axis.get_ticklabels() and _is_inside(axis, text)
    return True


def _is_inside(axis, text: Text) -> bool:
    low, high = sorted(axis.get_view_interval())
    place = text.get_position()[0 if axis.axis_name == "x" else 1]
    return low <= place <= high


def check_texts(made: Figure) -> None:
    texts = visible_texts(made)
    assert len(texts) > 10
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.overlaps(another), f"{one!r} and {other!r} collide"
    for text, box in boxes:
        assert made.bbox.padded(2).contains(box.x0, box.y0), f"{text!r} is cut"
        assert made.bbox.padded(2).contains(box.x1, box.y1), f"{text!r} is cut"


def check_marks(made: Figure) -> None:
    """Every mark lies in its panel with all of its size."""
    for ax in made.axes:
        for line in ax.lines:
            if line.get_marker() in ("None", None):
                continue
            reach = line.get_markersize() / 2 * made.dpi / 72
            for x, y in ax.transData.transform(line.get_xydata()):
                assert ax.bbox.x0 <= x - reach, "a mark is cut at the left"
                assert x + reach <= ax.bbox.x1, "a mark is cut at the right"
                assert ax.bbox.y0 <= y - reach, "a mark is cut at the bottom"
                assert y + reach <= ax.bbox.y1, "a mark is cut at the top"


def check_scales(made: Figure) -> None:
    """Panels of a row share their y axis."""
    rows: dict[int, set[tuple[float, float]]] = {}
    for ax in made.axes:
        spec = ax.get_subplotspec()
        assert spec is not None
        rows.setdefault(spec.rowspan.start, set()).add(ax.get_ylim())
    assert all(len(limits) == 1 for limits in rows.values())


CROWDED = cells_of_study(
    {"salt_and_pepper": (0.30, 0.31, 0.32, 0.5), "rotation": (0.30, 0.31, 0.33, 0.34)},
    {"salt_and_pepper": (0.70, 0.69, 0.69, 0.4), "rotation": (0.70, 0.70, 0.68, 0.68)},
)
AT_ZERO = cells_of_study({"psf_blur": (0.0, 0.0, 0.1, 1.0)}, {"psf_blur": (1.0, 0.9, 0.0, 0.0)})
TWO_ENGINES = cells_of_study(
    {"rotation": (0.1, 0.2, 0.6, 0.9)},
    {"rotation": (0.8, 0.7, 0.3, 0.1)},
    ("tesseract", "rapidocr"),
)
STUDIES = {"crowded": CROWDED, "at zero": AT_ZERO, "two engines": TWO_ENGINES}
DRAWINGS = {
    "noise_strength": figures.noise_strength,
    "source_curves": source_curves.source_curves,
    "benchmark_bars": bars.benchmark_bars,
}


@cache
def draw_study(name: str, study: str) -> Figure:
    """A drawing of a study, made once; it is only looked at."""
    return drawn(DRAWINGS[name], STUDIES[study])


@pytest.mark.parametrize(
    "study",
    [pytest.param(name, marks=[] if name == "crowded" else pytest.mark.slow) for name in STUDIES],
)
@pytest.mark.parametrize("name", DRAWINGS)
def test_no_text_covers_another_and_no_mark_is_cut(name, study):
    made = draw_study(name, study)
    check_texts(made)
    check_marks(made)
    check_scales(made)


@pytest.mark.slow
@pytest.mark.parametrize("group", ["source:a", "source:unbelievably_long_names of a source"])
def test_bars_have_room_for_their_groups_names(group):
    cells = TWO_ENGINES.replace({"group": {"source:chart": group}})
    cells = cells[cells["noise"] == "none"]
    check_texts(drawn(bars.benchmark_bars, cells[cells["engine"] == "gt"]))
    check_texts(drawn(bars.benchmark_bars, cells))


def test_noise_strength_shows_the_noise_of_the_content_too():
    names = {text.get_text() for text in visible_texts(draw_study("noise_strength", "two engines"))}
    assert "Content $r_{noise}$" in names


ENGINES = ("tesseract", "rapidocr", "structured", "pdf_text", "openai_vlm", "mineru")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noise_strength", "benchmark_bars"])
def test_every_engine_is_named_whole_below_the_panels(name):
    few = TWO_ENGINES[TWO_ENGINES["group"].isin(["all", "source:text"])]
    of_one = few[few["engine"] == "tesseract"]
    cells = pd.concat([of_one.assign(engine=engine) for engine in ENGINES], ignore_index=True)
    made = drawn(DRAWINGS[name], cells)
    check_texts(made)
    assert set(ENGINES) <= {text.get_text() for text in visible_texts(made)}
