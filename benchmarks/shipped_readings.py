"""Makes the OCR output that the demo ships: 60 pages of the sample, read by a real engine.

``python -m benchmarks.shipped_readings tesseract`` reads what the cache lacks and writes the file;
``--check 3`` reads three of its pages anew and prints how much of their text is the same. Needs
the engine; RapidOCR's is ``rapidocr-tiny`` (``ohr dev fetch-models rapidocr-tiny``).
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from ocr_backends.shipped import (
    FOLDER,
    PageReadings,
    Readings,
    read_readings,
    readings_file,
    truth_digest,
)
from ohr import registry
from ohr.analysis.page_texts import ReadPages, read_pages
from ohr.ocr.key import DRAWN_BY
from ohr.ocr.progress import Progress
from ohr.sample.origin import generator
from ohr.study.config import make_config
from ohr.study.knowledge_bases import condition_of_page
from ohr.study.presets import preset

ENGINES: dict[str, Any] = {
    "tesseract": "tesseract",
    "rapidocr-tiny": {
        "name": "rapidocr",
        "label": "rapidocr-tiny",
        "params": {"models": "tiny"},
    },
}
LEVELS = ("mild", "severe")


def read_demo(engine: str, levels: list[str], cache: Path, documents: list[str]) -> ReadPages:
    """The demo's pages, read by the engine itself."""
    options = preset("demo") | {
        "engines": [ENGINES[engine]],
        "ground_truth": False,
        "levels": levels,
        "cache": cache,
        "workers": 1,
    }
    if documents:
        options["dataset"] = {**options["dataset"], "documents": documents}
    return read_pages(make_config(options), Progress())


def readings_of(pages: ReadPages) -> Readings:
    """What was read, as it is shipped. Raises ValueError if a page could not be read."""
    plan = pages.plan
    variants = [v for v in plan.variants if v.engine.name != "gt"]
    texts = [pages.knowledge_bases.outcomes(variant) for variant in variants]
    rows = []
    for ref in plan.reread:
        values = [by_page[ref].value for by_page in texts]
        if any(value is None for value in values):
            raise ValueError(f"{ref} could not be read")
        truth = truth_digest(pages.dataset.pages[ref].text)
        rows.append(PageReadings(ref.doc_id, ref.page_no, truth, [str(v) for v in values]))
    noises = {
        variant.noise.name: str(
            registry.create("perturbation", variant.noise.operator).identity()["version"]
        )
        for variant in variants
        if variant.noise.operator is not None
    }
    made_with = {**DRAWN_BY, **noises, "ohr": version("ohr"), "typst": generator()["typst"]}
    (backend,) = {v.engine.label: plan.engines[v.engine.label] for v in variants}.values()
    identity = json.loads(json.dumps(backend.identity()))
    conditions = [condition_of_page(plan, variant) for variant in variants]
    return Readings(identity, conditions, made_with, rows)


def similarity(first: Readings, second: Readings) -> list[tuple[str, float]]:
    """For each text of both, its name and how much of its text is the same."""
    others = {(page.doc_id, page.page_no): page for page in second.pages}
    return [
        (
            f"{page.doc_id} page {page.page_no}, {condition}",
            Levenshtein.normalized_similarity(
                page.texts[number],
                others[page.doc_id, page.page_no].texts[second.conditions.index(condition)],
            ),
        )
        for page in first.pages
        for number, condition in enumerate(first.conditions)
        if condition in second.conditions
    ]


def some_documents(readings: Readings, count: int) -> list[str]:
    """Documents spread over those that were read."""
    return [readings.pages[i * len(readings.pages) // count].doc_id for i in range(count)]


def main() -> int:
    """Write or check the OCR output of one engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--check", type=int, default=0, help="number of pages to read anew")
    parser.add_argument("--cache", type=Path, default=Path(".ohr-cache"))
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    levels = given.levels.split(",")
    if not given.check:
        pages = read_demo(given.engine, levels, given.cache, [])
        readings_of(pages).write(given.out / f"{given.engine}.jsonl.gz")
        return 0
    shipped, _ = read_readings(readings_file(given.engine))
    documents = some_documents(shipped, given.check)
    anew = readings_of(read_demo(given.engine, levels, given.cache, documents))
    for name, same in similarity(anew, shipped):
        print(f"{name}: {100 * same:.1f} % the same")
    print(f"shipped: {shipped.engine['engine_version']}; now: {anew.engine['engine_version']}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
