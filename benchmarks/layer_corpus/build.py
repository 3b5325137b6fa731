"""The corpus: pages set by each producer, faults planted in them, and the truth of each file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pikepdf

from benchmarks.layer_corpus.faults import FAULTS, TYPESET
from benchmarks.layer_corpus.faults.planted import Plant, Planted
from benchmarks.layer_corpus.page import Page, pages, set_in_columns
from benchmarks.layer_corpus.plain import plain_words
from benchmarks.layer_corpus.producers import PRODUCERS, families, set_pages
from benchmarks.layer_corpus.producers.split import saved
from benchmarks.layer_corpus.words import lacking, split_words

# Producers join, split and turn the letters of these in ways of their own.
COMPLEX = ("arabic", "devanagari", "hebrew", "tamil", "thai")
JOINED = ("arabic", "devanagari", "tamil")  # whose letters are never spaced
UNDIVIDED = ("arabic", "hebrew", "thai")  # not set in two columns
# How many files of a variant a script has at most: more where most PDFs are.
MOST = {"latin": 8}


@dataclass
class Truth:
    """What is known of a PDF. `expect`: right, caught or text; `same`: other ways to write it."""

    file: str
    script: str
    page: str
    producer: str
    family: str
    fault: str
    variant: str
    text: str
    expect: str
    wrong_words: list[str] = field(default_factory=list)
    extra_words: list[str] = field(default_factory=list)
    same: list[tuple[str, str]] = field(default_factory=list)
    any_case: bool = False


def _truth(page: Page, producer: str, family: str, path: Path) -> Truth:
    """What is known of a page as set: a typeset fault's, or that all of it is right."""
    truth = Truth(
        path.name,
        page.script,
        page.name,
        producer,
        family,
        page.fault,
        page.variant,
        page.text,
        "text" if page.fault else "right",
        same=page.same,
        any_case="small_caps" in page.styles,
    )
    if page.fault or page.script in COMPLEX:
        truth.wrong_words = lacking(split_words(page.text), plain_words(path))
        if truth.wrong_words and not page.fault:
            truth.expect, truth.fault = "text", "as_made"
    return truth


def _source(scripts: Sequence[str], faults: Sequence[str]) -> list[Page]:
    """The pages to set: those of the texts, and those whose setting is their fault."""
    matches = [page for script in scripts for page in pages(script)]
    plain = [page for page in matches if not page.fault]
    for script in scripts:
        own = [page for page in plain if page.script == script]
        if script not in UNDIVIDED and all(page.name != "columns" for page in own):
            plain.append(set_in_columns(own[0]))
    outputs = [page for page in matches if page.fault in faults]
    for fault, variants in TYPESET.items():
        if fault in faults:
            for variant, change in variants.items():
                outputs += [
                    replace(change(page), fault=fault, variant=variant)
                    for page in plain
                    if page.name in ("report", "english", "german")
                    and not (fault == "spaced" and page.script in JOINED)
                ]
    # Small capitals are in one family only.
    again = [replace(page, turn=1) for page in plain if "small_caps" not in page.styles]
    return plain + again + outputs


def _turn(*names: str) -> int:
    return int.from_bytes(hashlib.sha256("/".join(names).encode()).digest()[:4], "big")


def _candidates(
    truths: Sequence[tuple[Page, Truth]], fault: str, variant: str
) -> Iterator[tuple[Page, Truth]]:
    """Where to plant a variant: each script's pages and producers, from another one each time."""
    for script in dict.fromkeys(page.script for page, _ in truths):
        own = [pair for pair in truths if pair[0].script == script]
        keys = list(dict.fromkeys(page.key for page, _ in own))
        producers = list(dict.fromkeys(truth.producer for _, truth in own))
        turn = _turn(script, fault, variant)
        ordered = sorted(
            own,
            key=lambda pair: (
                (keys.index(pair[0].key) - turn) % len(keys) if pair[0].key != keys[0] else -1,
                (producers.index(pair[1].producer) - turn - keys.index(pair[0].key))
                % len(producers),
            ),
        )
        yield from ordered


def _plant_all(
    folder: Path, truths: Sequence[tuple[Page, Truth]], faults: Sequence[str]
) -> Iterator[Truth]:
    for fault in faults:
        set_so = [pair for pair in truths if pair[0].fault == (fault if fault in TYPESET else "")]
        for variant, plant in FAULTS.get(fault, {}).items():
            done: dict[str, list[tuple[str, str]]] = {}
            for page, truth in _candidates(set_so, fault, variant):
                seen = done.setdefault(page.script, [])
                most = MOST.get(page.script, 2)
                producers = sum(truth.producer == name for name, _ in seen)
                keys = sum(page.key == key for _, key in seen)
                if len(seen) >= most or producers >= max(1, most // 4) or keys >= most // 2:
                    continue
                full = f"{variant}_{page.variant}" if page.variant else variant
                name = f"{page.key}-{truth.producer}-{fault}-{full}.pdf"
                planted = _planted(plant, page, folder / truth.file, folder / name)
                if planted is not None:
                    seen.append((truth.producer, page.key))
                    yield _planted_truth(truth, planted, folder / name, fault, full)


def _planted(plant: Plant, page: Page, source: Path, target: Path) -> Planted | None:
    with pikepdf.open(source) as document:
        planted = plant(document, page)
        if planted is None:
            return None
        target.write_bytes(saved(document))
    if planted.wrong and not planted.extra:
        words = split_words(page.text if planted.text is None else planted.text)
        if not lacking(words, plain_words(target)):  # the glyphs' names or codes tell the letters
            target.unlink()
            return None
    return planted


def _planted_truth(truth: Truth, planted: Planted, path: Path, fault: str, variant: str) -> Truth:
    """What is known of the page after planting; where only reading it tells, as it reads."""
    text = truth.text if planted.text is None else planted.text
    wrong = planted.wrong
    if truth.script in COMPLEX or planted.expect == "text":
        measured = lacking(split_words(text), plain_words(path))
        wrong = sorted(wrong + lacking(measured, wrong))
    expect = planted.expect
    if expect == "right" and truth.expect != "right":
        expect = truth.expect
    return replace(
        truth,
        file=path.name,
        fault=fault,
        variant=variant,
        text=text,
        expect=expect,
        wrong_words=wrong,
        extra_words=planted.extra,
    )


def build(
    folder: Path, scripts: Sequence[str], producers: Sequence[str], faults: Sequence[str]
) -> list[Truth]:
    """Write the PDFs and their truth."""
    folder.mkdir(parents=True, exist_ok=True)
    source = _source(scripts, faults)
    set_truths: list[tuple[Page, Truth]] = []
    for producer in producers:
        names = [family.name for family in families(producer, source)]
        paths = set_pages(producer, source, folder)
        for page, name, path in zip(source, names, paths, strict=True):
            set_truths.append((page, _truth(page, producer, name, path)))
    truths = [truth for _, truth in set_truths] + list(_plant_all(folder, set_truths, faults))
    write_truth(folder, truths)
    return truths


def write_truth(folder: Path, truths: Sequence[Truth]) -> None:
    """The truths as one JSON object, by file name."""
    matches: dict[str, dict[str, Any]] = {}
    for truth in sorted(truths, key=lambda truth: truth.file):
        matches[truth.file] = {key: value for key, value in vars(truth).items() if key != "file"}
    text = json.dumps(matches, ensure_ascii=False, indent=1)
    (folder / "truth.json").write_text(text + "\n", encoding="utf-8")


__all__ = ["PRODUCERS", "Truth", "build"]
