"""Samples pages of your PDFs and images, and checks the text layers of the PDFs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ohr.documents.layers import LayerVerdict
from ohr.documents.opening import LIMITS, Report
from ohr.documents.verifying import verified_layers
from ohr.errors import ConfigError
from ohr.ocr.files import document_id
from ohr.ocr.knowledge_base import select_pages
from ohr.ocr.sources import PageSource, find_pages, other_kinds, other_kinds_line
from ohr.store.identity import file_digest
from ohr.types import Holes, PageRef

NO_PDF = "an image"
LAYERS_CHECKED = 60
"""Number of pages of PDFs whose text layers are checked, if fewer pages are read with engines, or
if all of these layers are usable."""
SECOND_PAGES = 30
"""Number of PDFs of which two or more pages are checked, if there are as many, so that it is seen
whether one page speaks for its PDF."""


@dataclass(frozen=True)
class Draw:
    """The pages that were drawn from some files; nothing but their number is known of them."""

    pages: Sequence[PageSource]
    """Pages to read."""
    further: Sequence[PageSource]
    """Further pages of PDFs, whose text layers are checked."""
    files: Mapping[str, Path]
    """The file of each document that can be opened."""
    counts: Mapping[str, int]
    """Number of pages of each document that can be opened."""
    left_out: Mapping[str, str]
    """Why documents cannot be opened."""
    others: Mapping[str, int]
    """Number of files by suffix that are neither PDFs nor images."""
    seed: int = 0

    @property
    def total(self) -> int:
        """Number of pages of all documents that can be opened."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class PageSample:
    """The sampled pages, their usable text layers, and what was left out.

    ``layers`` has None for a page without a usable layer, and ``no_layer`` the reason; ``notes``
    name what was left out of layers that are used. ``digests`` are those of the files by document,
    ``counts`` the numbers of pages. ``checked`` has the fault of the layer of every page of a PDF
    that was checked, also of pages that no engine reads; it is empty if the layer is usable.
    """

    pages: Sequence[PageSource]
    layers: Mapping[PageRef, str | None]
    no_layer: Mapping[PageRef, str]
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    left_out: Mapping[str, str]
    notes: Mapping[PageRef, str] = field(default_factory=dict)
    checked: Mapping[PageRef, str] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)
    pdfs: frozenset[str] = frozenset()
    """The documents that are PDFs."""
    holes: Mapping[PageRef, Holes] = field(default_factory=dict)
    """What is not known of text layers that are used."""
    failures: Mapping[PageRef, str] = field(default_factory=dict)
    """Why engines could not read pages."""

    def drop_layers(self, faults: Mapping[PageRef, str]) -> PageSample:
        """The sample without the layers of ``faults``, which gives the reasons."""
        layers = {ref: None if ref in faults else layer for ref, layer in self.layers.items()}
        notes = {ref: note for ref, note in self.notes.items() if ref not in faults}
        return replace(
            self,
            layers=layers,
            no_layer={**self.no_layer, **faults},
            notes=notes,
            holes={ref: holes for ref, holes in self.holes.items() if ref not in faults},
            checked={**self.checked, **faults},
        )

    def only(self, refs: Collection[PageRef]) -> PageSample:
        """The sample as if only these of its pages had been drawn to be read."""
        return replace(
            self,
            pages=[source for source in self.pages if page_ref(source) in refs],
            layers={ref: layer for ref, layer in self.layers.items() if ref in refs},
            no_layer={ref: why for ref, why in self.no_layer.items() if ref in refs},
            notes={ref: note for ref, note in self.notes.items() if ref in refs},
            holes={ref: holes for ref, holes in self.holes.items() if ref in refs},
        )

    def problems(self) -> list[tuple[str, str]]:
        """The problems of text layers and files, each with its kind."""
        faults = {ref: why for ref, why in self.checked.items() if why}
        reasons = [
            *(("unusable_text_layer", ref, why) for ref, why in faults.items()),
            *(("incomplete_text_layer", ref, why) for ref, why in self.notes.items()),
        ]
        lines = [
            (kind, f"page {ref.page_no + 1} of {ref.doc_id}: {why}") for kind, ref, why in reasons
        ]
        opened = [("unreadable_document", f"{doc}: {why}") for doc, why in self.left_out.items()]
        rest = [("other_kind", line)] if (line := other_kinds_line(self.others)) else []
        failed = [("failed_page", line) for line in self.failure_lines()]
        return [*opened, *rest, *failed, *lines]

    def failure_lines(self) -> list[str]:
        """The pages that engines could not read, with the reasons."""
        return [
            f"page {ref.page_no + 1} of {ref.doc_id}: {why}" for ref, why in self.failures.items()
        ]

    @property
    def total(self) -> int:
        """Number of pages of all documents that can be opened."""
        return sum(self.counts.values())


def page_ref(source: PageSource) -> PageRef:
    """The reference of a page, under which its OCR output is stored."""
    return PageRef(document_id(source.name), source.page_no or 0)


def draw_pages(inputs: Sequence[Path], dpi: int, most: int, seed: int, ranges: str = "") -> Draw:
    """Draw at most ``most`` pages: of each document in proportion to its length, at least one.

    Of more than ``most`` documents, as many are drawn, with a page each. In a document they are
    spread evenly from a drawn start. A file that is named twice counts once. ``ranges`` are the
    pages to draw from, such as ``1-3,7``; by default all. Raises ConfigError if no file can be
    opened.
    """
    once: dict[tuple[Path, int | None], PageSource] = {}
    for source in select_pages(list(find_pages(inputs, dpi)), ranges):
        once.setdefault((source.path.resolve(), source.page_no), source)
    documents: dict[Path, list[PageSource]] = {}
    left_out: dict[str, str] = {}
    for source in once.values():
        if source.fault:
            left_out[document_id(source.name)] = source.fault
        else:
            documents.setdefault(source.path, []).append(source)
    rest = other_kinds(inputs)
    if not documents:
        reasons = [f"{name}: {reason}" for name, reason in left_out.items()]
        reasons += [line] if (line := other_kinds_line(rest)) else []
        raise ConfigError(f"no file can be opened: {'; '.join(reasons)}")
    pages = _drawn(documents, most, seed)
    chosen = set(map(page_ref, pages))
    unread = {
        path: remaining
        for path, sources in documents.items()
        if sources[0].is_pdf
        if (remaining := [source for source in sources if page_ref(source) not in chosen])
    }
    of_pdfs = sum(source.is_pdf for source in pages)
    count = max(0, min(LAYERS_CHECKED - of_pdfs, sum(map(len, unread.values()))))
    further = _drawn(unread, count, seed) if count else []
    drawn = Counter(source.path for source in (*pages, *further) if source.is_pdf)
    return Draw(
        pages,
        [*further, *_second_pages(drawn, unread, seed)],
        {document_id(sources[0].name): path for path, sources in documents.items()},
        {document_id(sources[0].name): len(sources) for sources in documents.values()},
        left_out,
        rest,
        seed,
    )


def check_sample(
    draw: Draw, first: int | None = None, report: Report = lambda what, done, total: None
) -> PageSample:
    """Check the text layers of drawn pages of PDFs.

    Fonts are judged by all pages of a document that were drawn. With ``first``, about so many pages
    are checked, at least one of each PDF; then all pages of the PDFs on which one is not usable.
    Pages that are then not checked are not in the sample, as if they had not been drawn. ``report``
    is that of :func:`ohr.documents.verifying.verified_layers`.
    """
    of_pdf: dict[Path, list[PageSource]] = {}
    for source in (*draw.pages, *draw.further):
        if source.is_pdf:
            of_pdf.setdefault(source.path, []).append(source)
    if first is None:
        verdicts = _verdicts(of_pdf, report)
    else:
        begun = _begin(of_pdf, max(first, len(of_pdf)), draw.seed)
        verdicts = _verdicts(begun, report)
        rest = {
            path: pages
            for path, pages in of_pdf.items()
            if len(begun[path]) < len(pages)
            and any(verdicts[page_ref(source)].gap for source in begun[path])
        }
        verdicts |= _verdicts(rest, report) if rest else {}
    pages = [source for source in draw.pages if not source.is_pdf or page_ref(source) in verdicts]
    sampled = {
        page_ref(source): verdicts.get(page_ref(source), LayerVerdict(fault=NO_PDF))
        for source in pages
    }
    return PageSample(
        pages,
        {ref: None if verdict.gap else verdict.text for ref, verdict in sampled.items()},
        {ref: verdict.gap for ref, verdict in sampled.items() if verdict.gap},
        {name: file_digest(path) for name, path in draw.files.items()},
        draw.counts,
        draw.left_out,
        {ref: verdict.note for ref, verdict in sampled.items() if verdict.note and not verdict.gap},
        {ref: verdict.gap for ref, verdict in verdicts.items()},
        draw.others,
        frozenset(name for name, path in draw.files.items() if path.suffix.lower() == ".pdf"),
        {
            ref: verdict.holes
            for ref, verdict in sampled.items()
            if not verdict.gap and verdict.holes != Holes()
        },
    )


def _verdicts(
    of_pdf: Mapping[Path, Sequence[PageSource]], report: Report
) -> dict[PageRef, LayerVerdict]:
    """The verdict on the layer of each page."""
    numbers = {path: [source.page_no or 0 for source in pages] for path, pages in of_pdf.items()}
    verdicts: dict[PageRef, LayerVerdict] = {}
    layers = verified_layers(list(of_pdf), LIMITS, numbers, report)
    for path, outcome in zip(of_pdf, layers, strict=True):
        failed = LayerVerdict(fault=outcome.detail or "it cannot be read")
        of_file = outcome.value or ()
        for place, source in enumerate(of_pdf[path]):
            verdicts[page_ref(source)] = of_file[place] if place < len(of_file) else failed
    return verdicts


def _begin(
    of_pdf: Mapping[Path, Sequence[PageSource]], most: int, seed: int
) -> dict[Path, Sequence[PageSource]]:
    """About ``most`` of the pages, of each document in proportion, spread from a drawn start.

    Of :data:`SECOND_PAGES` documents they are two or more, if as many have two.
    """
    shares = _shares(of_pdf, most, seed)
    for path in _too_few(shares, {path: len(of_pdf[path]) - shares[path] for path in shares}, seed):
        shares[path] = 2
    return {
        path: [of_pdf[path][place] for place in places]
        for path, count in shares.items()
        for places in [_spread(len(of_pdf[path]), count, seed, f"{of_pdf[path][0].name} layers")]
    }


def _second_pages(
    drawn: Mapping[Path, int], unread: Mapping[Path, Sequence[PageSource]], seed: int
) -> list[PageSource]:
    """A page more of some PDFs of which one was drawn: see :data:`SECOND_PAGES`."""
    left_over = {path: len(unread.get(path, ())) for path in drawn}
    return [
        unread[path][_spread(len(unread[path]), 1, seed, f"{path.name} again")[0]]
        for path in _too_few(drawn, left_over, seed)
    ]


def _too_few(counts: Mapping[Path, int], left_over: Mapping[Path, int], seed: int) -> list[Path]:
    """The PDFs that need a second page: of those with one page and another one left over."""
    several = sum(count > 1 for count in counts.values())
    single = [path for path, count in counts.items() if count == 1 and left_over[path]]
    missing = min(SECOND_PAGES - several, len(single))
    return [single[place] for place in _spread(len(single), missing, seed, "second")]


def _drawn(
    documents: Mapping[Path, Sequence[PageSource]], most: int, seed: int
) -> list[PageSource]:
    return [
        pages[place]
        for path, count in _shares(documents, most, seed).items()
        for pages in [documents[path]]
        for place in _spread(len(pages), count, seed, pages[0].name)
    ]


def _shares(documents: Mapping[Path, Sequence[object]], most: int, seed: int) -> dict[Path, int]:
    """The number of pages per document: in proportion, by largest remainder, at least one.

    Of more than ``most`` documents, as many are drawn.
    """
    if len(documents) > most:
        paths = list(documents)
        return {paths[place]: 1 for place in _spread(len(paths), most, seed, "")}
    total = sum(map(len, documents.values()))
    if total <= most:
        return {path: len(pages) for path, pages in documents.items()}
    exact = {path: most * len(pages) / total for path, pages in documents.items()}
    shares = {path: min(len(documents[path]), max(1, int(share))) for path, share in exact.items()}
    by_rest = sorted(exact, key=lambda path: exact[path] - int(exact[path]), reverse=True)
    for path in by_rest:
        if sum(shares.values()) < most and shares[path] < len(documents[path]):
            shares[path] += 1
    while sum(shares.values()) > most:  # short documents got a whole page each
        longest = max(shares, key=lambda path: shares[path])
        shares[longest] -= 1
    return shares


def _spread(n_pages: int, count: int, seed: int, name: str) -> list[int]:
    """Places spread evenly over a document from a drawn start."""
    words = [seed, *name.encode()]
    start = np.random.default_rng(words).uniform()
    return [int((place + start) * n_pages / count) for place in range(count)]
