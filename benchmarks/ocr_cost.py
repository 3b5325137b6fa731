"""What an engine's settings cost in CPU seconds and in words, on pages whose text is known.

    python -m benchmarks.ocr_cost DATA --out OUT.jsonl [--pdfs FOLDER] [--pages 10] [--skip 0]
        [--engine rapidocr "{name: rapidocr, params: {batch: 4}, label: batch 4}" ...]

DATA is in the layout of OHR-Bench; a document's pages are ``images/DOMAIN/DOCUMENT.jpg`` or drawn
at 150 dpi from its PDF. All engines read a page before any reads the next one, each in turn first,
so that what else runs on the machine slows them all. ``--skip`` leaves out the first pages of the
same random order: a setting is chosen on these, and measured on the others. What OUT.jsonl has is
not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ohr import registry
from ohr.documents.images import load_image
from ohr.documents.pdf import render
from ohr.errors import DatasetError
from ohr.markup.strip import strip_markup
from ohr.metrics.default import edit_distance
from ohr.metrics.default_tokens import tokens
from ohr.plugins import OcrBackend
from ohr.study.config import parse_plugin

DPI = 150
FEWEST_WORDS = 20
"""Pages with fewer words are left out."""
SETTINGS = (
    "rapidocr",
    "{name: rapidocr, params: {batch: 4}, label: 'batch: 4'}",
    "{name: rapidocr, params: {pad: 160}, label: 'pad: 160'}",
    "{name: rapidocr, params: {pad: 48}, label: 'pad: 48'}",
    "{name: rapidocr, params: {side: text}, label: 'side: text'}",
)


def page_texts(data: Path, pdfs: Path | None) -> list[tuple[Path, int, str]]:
    """Image or PDF, page number (from 0) and text of the pages that have enough words.

    In a fixed random order. Raises DatasetError if there is none.
    """
    pages = []
    for path in sorted(data.glob("retrieval_base/gt/*/*.json")):
        images = sorted((data / "images" / path.parent.name).glob(f"{path.stem}.*"))
        source = pdfs / f"{path.stem}.pdf" if pdfs is not None else images[0] if images else None
        if source is None or not source.is_file():
            continue
        for page in json.loads(path.read_text(encoding="utf-8")):
            if len(words(page["text"])) >= FEWEST_WORDS:
                pages.append((source, int(page["page_idx"]), page["text"]))
    if not pages:
        raise DatasetError(f"{data}: no page has both a text and an image")
    random.Random(0).shuffle(pages)
    return pages


def words(text: str) -> list[str]:
    """The words of a page without its mark-up, in lower case."""
    return tokens(strip_markup(text).casefold())


def word_recall(text: str, truth: str) -> float:
    """Share of the true words that the text has, wherever they are."""
    expected = Counter(words(truth))
    return (expected & Counter(words(text))).total() / expected.total()


def cpu_seconds() -> float:
    """CPU time of this process and of the processes it has waited for."""
    return sum(os.times()[:4])


def read_measured(engine: OcrBackend, image: np.ndarray, truth: str) -> dict[str, float]:
    """Seconds of one page, and how well it is read."""
    started = cpu_seconds()
    [(_, outcome)] = engine.transcribe([image], [0])
    seconds, text = cpu_seconds() - started, outcome.value or ""
    distance = edit_distance(strip_markup(text).casefold(), strip_markup(truth).casefold())
    return {"seconds": seconds, "recall": word_recall(text, truth), "distance": distance}


def measure(
    pages: Sequence[tuple[Path, int, str]], engines: dict[str, OcrBackend], out: Path
) -> Iterator[dict[str, object]]:
    """One row per page and engine; new ones are added to the file ``out``."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.is_file() else []
    measured = {(row["page"], row["engine"]): row for row in map(json.loads, lines)}
    is_loaded: set[str] = set()
    for index, (source, page_no, truth) in enumerate(pages):
        label, image = f"{source.parent.name}/{source.stem}#{page_no}", None
        turn = index % len(engines)
        for name in [*list(engines)[turn:], *list(engines)[:turn]]:
            if (label, name) not in measured:
                if image is None:
                    is_pdf = source.suffix == ".pdf"
                    image = render(source, page_no, DPI) if is_pdf else load_image(source)
                if name not in is_loaded:  # loading is not the page's cost
                    list(engines[name].transcribe([image[:100]], [0]))
                    is_loaded.add(name)
                row = {"page": label, "engine": name}
                measured[label, name] = row | read_measured(engines[name], image, truth)
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(measured[label, name]) + "\n")
            yield measured[label, name]


COLUMNS = ("CPU s a page", "of the first", "word recall", "change", "worse, better pages",
           "edit distance")  # fmt: skip


def summary(rows: pd.DataFrame) -> str:
    """A Markdown table with one row per engine, each compared with the first."""
    first = rows["engine"].iloc[0]
    wide = rows.pivot(index="page", columns="engine")
    seconds, recall, distance = (
        wide["seconds"],
        wide["recall"],
        wide["distance"],
    )
    lines = [f"| | {' | '.join(COLUMNS)} |", f"| --- |{' ---: |' * len(COLUMNS)}"]
    for name in rows["engine"].drop_duplicates():
        change = recall[name] - recall[first]
        cells = (
            f"{seconds[name].mean():.2f}",
            f"{seconds[name].sum() / seconds[first].sum():.2f}",
            f"{recall[name].mean():.4f}",
            f"{change.mean():+.4f}",
            f"{(change < 0).sum()}, {(change > 0).sum()}",
            f"{distance[name].mean():.4f}",
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pdfs", type=Path)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--engine", nargs="+", default=SETTINGS)
    given = parser.parse_args()
    specs = [parse_plugin("engine", text) for text in given.engine]
    engines = {spec.label: registry.ocr_engine(spec) for spec in specs}
    pages = page_texts(given.data, given.pdfs)[given.skip : given.skip + given.pages]
    rows = pd.DataFrame(measure(pages, engines, given.out))
    rows["engine"] = pd.Categorical(rows["engine"], categories=list(engines), ordered=True)
    print(f"{len(pages)} pages")
    print(summary(rows.sort_values("engine", kind="stable")))


if __name__ == "__main__":
    main()
