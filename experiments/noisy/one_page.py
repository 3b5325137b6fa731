"""Distorts one page and writes its image, in a worker process."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from ohr import registry
from ohr.datasets.row_questions import DEFAULT_DOMAIN
from ohr.display.choices import ImageFormat
from ohr.documents.images import load_image
from ohr.documents.pdf import render
from ohr.errors import EngineError, PluginError
from ohr.ocr.distort import distort_image
from ohr.ocr.noise import Noise
from ohr.ocr.sources import PageSource
from ohr.store.atomic import write_bytes
from ohr.store.identity import file_digest, pixel_digest
from ohr.types import PageRef


@dataclass(frozen=True)
class DistortTask:
    """A page, its distortions with a file for each, and the image format."""

    source: PageSource
    noises: tuple[tuple[Noise, str], ...]
    seed: int
    out: Path
    format: ImageFormat
    quality: int


def distort_page(task: DistortTask) -> list[dict[str, Any]]:
    """Distort one page, write it, and return its lines of ``records.jsonl``. Raises OhrError."""
    source = task.source
    if source.is_pdf:
        page = render(source.path, source.page_no or 0, source.dpi)
    else:
        page = load_image(source.path, source.frame)
    # Named as by dataset.kind=folder, so that a study of the folder makes the same pixels.
    doc_id = source.name if "/" in source.name else f"{DEFAULT_DOMAIN}/{source.name}"
    ref = PageRef(doc_id, source.page_no or 0)
    digest = file_digest(source.path)
    options = {} if task.format == "png" else {"quality": task.quality}
    records = []
    for noise, file in task.noises:
        assert noise.operator is not None  # clean pages are not planned
        operator = registry.image_perturbation(noise.operator)
        try:
            applied = distort_image(
                operator, page, intensity=noise.intensity, seed=task.seed, ref=ref
            )
        except PluginError as error:
            if isinstance(error.__cause__, ValueError):  # it cannot distort this page
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
