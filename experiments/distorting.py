"""Finds the pages in PDFs, images and folders, and distorts one of them."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from experiments.noises import Noise
from ohr import registry
from ohr.atomic import write_bytes
from ohr.datasets.folder import DEFAULT_DOMAIN
from ohr.errors import ConfigError, EngineError
from ohr.identity import file_digest, pixel_digest
from ohr.pdf import image_dpi, load_image, page_count, render
from ohr.plugins import ImagePerturbation
from ohr.randomness import generator_for
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
        operator: ImagePerturbation = registry.create("perturbation", noise.operator)
        rng = generator_for(task.seed, operator.name, ref)
        try:
            applied = operator.apply(page, intensity=noise.intensity, rng=rng)
        except ValueError as error:
            raise EngineError(f"{source.path.name}: {error}") from error
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
    for given in inputs:
        if not given.exists():
            raise ConfigError(f"no file or folder {given}")
        inside = sorted(given.rglob("*")) if given.is_dir() else [given]
        root = given if given.is_dir() else given.parent
        found = [path for path in inside if path.is_file() and _is_page_file(path)]
        if not found:
            raise ConfigError(f"no PDF or image in {given}")
        stems = [path.relative_to(root).with_suffix("") for path in found]
        taken = Counter(stems)
        pdfs: set[Path] = set()
        for path, stem in zip(found, stems, strict=True):
            # Of a.pdf and a.png, each needs a name of its own; the PDF's is that which
            # dataset.kind=folder gives it.
            inside_root = path.relative_to(root).as_posix()
            is_pdf = path.suffix.lower() == ".pdf"
            bare = stem not in pdfs if is_pdf else taken[stem] == 1
            name = stem.as_posix() if bare else inside_root
            if not is_pdf:
                yield PageSource(path, name, None, image_dpi(path) or dpi, inside_root)
                continue
            pdfs.add(stem)
            try:
                count = page_count(path)
            except EngineError:
                count = 1
            for number in range(count):
                yield PageSource(path, name, number, dpi, inside_root)


def _is_page_file(path: Path) -> bool:
    return path.suffix.lower() in IMAGE_SUFFIXES | {".pdf"}
