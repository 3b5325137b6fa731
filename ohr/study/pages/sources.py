"""Finds the pages in PDFs, images and folders, and distorts one of them."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from ohr import registry
from ohr.datasets.folder import DEFAULT_DOMAIN
from ohr.errors import ConfigError, EngineError, PluginError
from ohr.file_names import readable
from ohr.opening import FileFacts, file_facts
from ohr.pdf import load_image, render
from ohr.store.atomic import write_bytes
from ohr.store.identity import file_digest, pixel_digest
from ohr.study.noise import Noise
from ohr.study.pages.distort import distorted
from ohr.types import PageRef

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})

Format = Literal["png", "jpeg", "webp"]


@dataclass(frozen=True)
class PageSource:
    """A page of a PDF, or an image file."""

    path: Path
    name: str
    """The document, as its folder in the output is called."""
    page_no: int | None
    """0-based page of a PDF; None for an image."""
    dpi: int
    drawn_by: str | None
    """What makes the page's image of the file, as :func:`ohr.pdf.drawn_by` says."""
    file_name: str
    """Path of the file within the folder that was searched."""

    def file(self, suffix: str) -> str:
        """The output file, within the folder of a noise."""
        if self.page_no is None:
            return f"{self.name}{suffix}"
        return f"{self.name}/page_{self.page_no + 1:04d}{suffix}"


@dataclass(frozen=True)
class DistortTask:
    """A page, its distortions with the file that each goes to, and how it is written."""

    source: PageSource
    noises: tuple[tuple[Noise, str], ...]
    seed: int
    out: Path
    format: Format
    quality: int


def distort_page(task: DistortTask) -> list[dict[str, Any]]:
    """Distort one page, write it, and return its lines of ``records.jsonl``. Raises OhrError."""
    source = task.source
    if source.page_no is None:
        page = load_image(source.path)
    else:
        page = render(source.path, source.page_no, source.dpi)
    # As dataset.kind=folder names it, so that a study of the folder distorts to the same pixels.
    doc_id = source.name if "/" in source.name else f"{DEFAULT_DOMAIN}/{source.name}"
    ref = PageRef(doc_id, source.page_no or 0)
    digest = file_digest(source.path)
    options = {} if task.format == "png" else {"quality": task.quality}
    records = []
    for noise, file in task.noises:
        assert noise.operator is not None  # clean pages are not planned
        operator = registry.image_perturbation(noise.operator)
        try:
            applied = distorted(operator, page, intensity=noise.intensity, seed=task.seed, ref=ref)
        except PluginError as error:
            if isinstance(error.__cause__, ValueError):  # the page is not one that it distorts
                raise EngineError(f"{source.path.name}: {error.__cause__}") from error
            raise
        sink = io.BytesIO()
        dpi = (source.dpi, source.dpi)
        Image.fromarray(applied.value).save(sink, task.format.upper(), dpi=dpi, **options)
        write_bytes(task.out / file, sink.getvalue())
        records.append(
            {
                "file": file,
                "source": source.file_name,
                "source_digest": digest,
                "page_no": ref.page_no,
                "dpi": source.dpi,
                "operator": operator.identity(),
                "level": noise.level,
                "intensity": noise.intensity,
                "seed": task.seed,
                "pixels": pixel_digest(applied.value),
                "record": applied.record,
            }
        )
    return records


def find_pages(inputs: Sequence[Path], dpi: int) -> Iterator[PageSource]:
    """Pages of PDFs and images, folders searched through, in order. Raises ConfigError.

    A file that cannot be opened yields one page, which then fails with the reason.
    """
    searched = [_page_files(given) for given in inputs]
    facts = file_facts(path for _, files in searched for path in files)
    for root, files in searched:
        yield from _pages_in(root, files, facts, dpi)


def _page_files(given: Path) -> tuple[Path, list[Path]]:
    """The folder that is searched, and the PDFs and images that the path names."""
    if not given.exists():
        raise ConfigError(f"no file or folder {given}")
    inside = sorted(given.rglob("*")) if given.is_dir() else [given]
    files = [path for path in inside if path.is_file() and _is_page_file(path)]
    if not files:
        raise ConfigError(f"no PDF or image in {given}")
    return (given if given.is_dir() else given.parent), files


def _pages_in(
    root: Path, files: Sequence[Path], facts: Mapping[Path, FileFacts], dpi: int
) -> Iterator[PageSource]:
    names = [readable(path.relative_to(root).as_posix()) for path in files]
    stems = [name[: -len(path.suffix)] for name, path in zip(names, files, strict=True)]
    counts = Counter(stems)
    pdfs: set[str] = set()
    for path, name, stem in zip(files, names, stems, strict=True):
        # Of a.pdf and a.png, each needs a name of its own; the PDF's is that which
        # dataset.kind=folder gives it.
        own = facts[path]
        if path.suffix.lower() != ".pdf":
            document = stem if counts[stem] == 1 else name
            yield PageSource(path, document, None, own.dpi or dpi, own.drawn_by, name)
            continue
        document = name if stem in pdfs else stem
        pdfs.add(stem)
        for number in range(own.pages):
            yield PageSource(path, document, number, dpi, own.drawn_by, name)


def _is_page_file(path: Path) -> bool:
    return path.suffix.lower() in IMAGE_SUFFIXES | {".pdf"}
