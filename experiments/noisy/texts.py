"""Writes knowledge bases with formatting noise, in the layout of OHR-Bench."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from experiments.noisy.before_after import Comparison, ShownPage, compare, render_comparison
from ocr_backends.precomputed import document_file
from ohr import registry
from ohr.collection import Dataset
from ohr.display.choices import TEXT_NOISE_OPTIONS
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.dose import dose_line, measure_doses, untouched_lines
from ohr.ocr.noise import Noise
from ohr.ocr.progress import Progress
from ohr.ocr.rewriting import rewrite_page, text_perturbation
from ohr.plugins import Applied, KnowledgeBaseSource
from ohr.store.atomic import write_text
from ohr.store.versions import versions
from ohr.study.calibration import UnreachableError
from ohr.study.checks import check_noise, check_truth_has_text
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.noise_points import noise_points
from ohr.study.questions import pages_to_reread, select_questions
from ohr.types import KnowledgeBase, PageRef

SHOWN_CHARS = range(400, 5000)
"""Length in characters of pages to show."""


def write_noisy_text(config: StudyConfig, out: Path, show: int) -> int:
    """Write the knowledge bases, their records, and an HTML page of ``show`` pages.

    Raises ConfigError.
    """
    if stray := config.model_fields_set - TEXT_NOISE_OPTIONS:
        raise ConfigError(f"perturb text does not use {', '.join(sorted(stray))}")
    if len(config.engines) != 1:
        raise ConfigError("perturb text rewrites one ground truth: name one engine")
    _check_out(config, out)
    dataset = load_dataset(config)
    pages = pages_to_reread(config, dataset, select_questions(config, dataset))
    points, clean = _noisy_points(config, dataset)
    truth = Truth(config, dataset, frozenset(pages), clean)
    with Progress(verb="rewriting", unit="documents") as progress:
        written = {folder_name(noise): _write(truth, noise, out, progress) for noise in points}
    manifest = {
        "config": config.model_dump(mode="json"),
        "seed": config.seed,
        "versions": versions(),
        "dataset": {"kind": dataset.kind, "digest": dataset.digest()},
        "knowledge_bases": written,
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    for name, counts in written.items():
        print(
            f"{out / name}: {counts['pages']} pages, {counts['changed']} of them changed, "
            f"{counts['edits']} edits"
        )
    if show:
        write_text(out / "before_after.html", _shown(truth, points, pages, show))
        print(f"{out / 'before_after.html'}")
    return 0


@dataclass(frozen=True)
class Truth:
    """The texts that are rewritten, and of which pages."""

    config: StudyConfig
    dataset: Dataset
    pages: frozenset[PageRef]
    clean: KnowledgeBase


def _noisy_points(config: StudyConfig, dataset: Dataset) -> tuple[list[Noise], KnowledgeBase]:
    """The noise for the only engine, and the texts that it gives. Raises OhrError."""
    [spec] = config.engines
    engines = {spec.label: registry.create("engine", spec)}
    engine = engines[spec.label]
    check_truth_has_text(dataset, engines)
    check_noise(config, engines)
    unreachable: list[str] = []
    points = noise_points(config, spec, engine, unreachable)
    if unreachable and not points:
        raise UnreachableError(f"no wanted noise can be reached: {'; '.join(unreachable)}")
    if not points or not isinstance(engine, KnowledgeBaseSource):
        raise ConfigError("noise=[…] names no formatting noise")
    return points, engine.knowledge_base(dataset)


def folder_name(noise: Noise) -> str:
    """The folder of a knowledge base: ``formatting_noise_mild``. Raises ConfigError."""
    name = f"{noise.name}_noise_{noise.strength}"
    if name.startswith(".") or any(char in name for char in "/\\\0"):
        raise ConfigError(f"the label {noise.name!r} cannot be part of a file name")
    return name


def _check_out(config: StudyConfig, out: Path) -> None:
    """Raise ConfigError if the folder has knowledge bases of another configuration."""
    path = out / "manifest.json"
    if not path.exists():
        return
    try:
        stored_config = json.loads(path.read_text("utf-8"))["config"]
    except (OSError, ValueError, LookupError, TypeError):
        stored_config = None
    if stored_config != config.model_dump(mode="json"):
        raise ConfigError(f"{out} has knowledge bases of other options: choose another --out")


def _write(truth: Truth, noise: Noise, out: Path, progress: Progress) -> dict[str, Any]:
    """Write one knowledge base, a document at a time; returns its entry of the manifest."""
    operator = text_perturbation(noise)
    folder = folder_name(noise)
    counts: Counter[str] = Counter(pages=0, rewritten=0, changed=0, edits=0)
    named = truth.config.dataset.documents
    documents = [
        document
        for document in truth.dataset.documents.values()
        if not named or document.doc_id in named
    ]
    pairs: list[tuple[str, str]] = []
    for done, document in enumerate(documents, start=1):
        pages, records = [], []
        for page in document.pages:
            text = truth.clean.text(page.ref)
            if text and page.ref in truth.pages:
                intensity, seed = noise.intensity, truth.config.seed
                applied = rewrite_page(operator, text, page.ref, intensity, seed)
                record = {"doc_id": page.ref.doc_id, "page_no": page.ref.page_no}
                records.append(json.dumps(record | {"record": applied.record}) + "\n")
                counts.update(
                    rewritten=1,
                    changed=int(applied.value != text),
                    edits=count_edits(text, applied),
                )
                pairs.append((text, applied.value))
                text = applied.value
            pages.append({"page_idx": page.ref.page_no, "text": text})
        counts["pages"] += len(pages)
        file = document_file(document.doc_id)
        # Escaped to ASCII, so that any text is read back to the byte.
        write_text(out / folder / file, json.dumps(pages, indent=1) + "\n")
        write_text(out / "records" / folder / file.with_suffix(".jsonl"), "".join(records))
        progress(folder, done, len(documents))
    doses = measure_doses(pairs)
    name = f"{noise.name} {noise.strength}"
    for line in (dose_line(name, doses), *untouched_lines(name, doses)) if doses else ():
        progress.say(plain(line))
    return {
        "operator": operator.identity(),
        "level": noise.level,
        "intensity": noise.intensity,
        **counts,
        "dose": {system: dose.json_content() for system, dose in doses.items()},
    }


def count_edits(text: str, applied: Applied[str]) -> int:
    """The edits that a record lists, or else the stretches in which the texts differ."""
    if (edits := applied.record.get("edits")) is not None:
        return len(edits)
    return sum(code.tag != "equal" for code in Levenshtein.opcodes(text, applied.value))


def _shown(truth: Truth, points: Sequence[Noise], refs: Sequence[PageRef], count: int) -> str:
    names = [f"{noise.name} {noise.strength}" for noise in points]
    texts = {ref: truth.clean.text(ref) for ref in refs}
    pages_shown = []
    for ref in worth_showing(texts, count, truth.config.seed):
        text = texts[ref]
        comparisons: list[Comparison] = []
        for name, noise in zip(names, points, strict=True):
            operator = text_perturbation(noise)
            intensity, seed = noise.intensity, truth.config.seed
            applied = rewrite_page(operator, text, ref, intensity, seed)
            comparisons.append(compare(name, text, applied.value, applied.record))
        pages_shown.append(ShownPage(f"{ref.doc_id}, page {ref.page_no + 1}", tuple(comparisons)))
    return render_comparison("Formatting noise, before and after", names, pages_shown)


def worth_showing(pages: Mapping[PageRef, str], count: int, seed: int) -> list[PageRef]:
    """Pages of a readable length, drawn with the seed: with tables, formulas, both and neither."""
    kinds: dict[tuple[bool, bool], list[PageRef]] = {}
    for ref, text in pages.items():
        if len(text) in SHOWN_CHARS:
            kinds.setdefault(("tabular" in text, "$" in text), []).append(ref)
    rng = np.random.default_rng(seed)
    drawn = [[refs[i] for i in rng.permutation(len(refs))] for _, refs in sorted(kinds.items())]
    in_turn = [ref for rank in range(count) for refs in drawn for ref in refs[rank : rank + 1]]
    return sorted(in_turn[:count])
