"""Background: the page is blended with paper (appendix III.2, a weak distortion).

The paper is one of the :data:`~perturb.image.textures.TEXTURES`, which are of our own making, or
an image out of a folder of the user's. Intensity i blends at an opacity of i x ``SEVERE_OPACITY``.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
from PIL import Image
from pydantic import Field, StrictInt, StrictStr, field_validator

from ohr.documents.images import check_size, load_image
from ohr.documents.pdf import drawn_by
from ohr.errors import EngineError
from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord
from ohr.store.identity import digest, file_digest
from perturb.image.fields import reduced, sample_pixels, sheet_size
from perturb.image.textures import TEXTURES

PAPER_OPACITY = 0.2
"""The paper blends page and texture 80:20."""
SEVERE_OPACITY = 0.6
"""Opacity of the texture at intensity 1."""

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
USER_IMAGE = re.compile(r"image:(\d{1,6}):([0-9a-f]{32})")
"""How a record names a user's image: its place in the folder, and the digest of its bytes."""
ROWS_AT_ONCE = 256
"""Rows of the page blended together, which bounds the memory."""


class BackgroundParams(PageParams):
    """The end of the scale, and where the paper comes from."""

    opacity: Annotated[float, Field(gt=0, le=0.9)] = SEVERE_OPACITY
    """Opacity of the texture at intensity 1."""
    folder: Path | None = None
    """Take the textures from the image files in this folder; each is cut to cover the page."""

    @field_validator("folder")
    @classmethod
    def _has_images(cls, folder: Path | None) -> Path | None:
        if folder is not None:
            images = images_in(folder)
            if not images:
                known_values = ", ".join(sorted(SUFFIXES))
                raise ValueError(f"no image in the folder {folder}; it needs one of {known_values}")
            for path in images:
                _check(path)
        return folder


class BackgroundRecord(PageRecord):
    """Which paper, from what seed, at what opacity and scale."""

    texture: StrictStr
    """A name in ``TEXTURES``, or ``image:<place in the folder>:<digest>``."""
    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    opacity: Annotated[float, Field(ge=0, le=0.9, strict=True)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]
    """Pixels for each pixel at 150 dpi; an image of the user's covers the page at any."""

    @field_validator("texture")
    @classmethod
    def _is_known(cls, texture: str) -> str:
        if texture not in TEXTURES and not USER_IMAGE.fullmatch(texture):
            raise ValueError(f"unknown texture {texture[:40]!r}; known: {', '.join(TEXTURES)}")
        return texture


class Background(PageDistortion[BackgroundRecord, BackgroundParams]):
    """Blends the page with paper; each pixel moves towards the paper's by the opacity."""

    name = "background"
    paper_intensity = PAPER_OPACITY / SEVERE_OPACITY

    def identity(self) -> dict[str, object]:
        """Of a folder, its images count, not its path."""
        own = super().identity()
        if self.params.folder is None:
            return own
        images = [_digest(path) for path in images_in(self.params.folder)]
        params = self.params.model_dump(mode="json", exclude={"folder"})
        return own | {"params": params | {"folder": digest(images)}}

    def plan(self, head: PageRecord, rng: np.random.Generator) -> BackgroundRecord:
        """Draw the texture and a seed."""
        drawn, seed = rng.random(), int(rng.integers(2**53))
        if self.params.folder is None:
            names = sorted(TEXTURES)
            texture = names[int(drawn * len(names))]
        else:
            images = images_in(self.params.folder)
            place = int(drawn * len(images))
            texture = f"image:{place}:{_digest(images[place])}"
        return BackgroundRecord(
            **head.model_dump(),
            texture=texture,
            seed=seed,
            opacity=self.params.opacity * head.intensity,
            scale=self.params.scale,
        )

    def render(self, page: np.ndarray, record: BackgroundRecord) -> np.ndarray:
        """Blend, some rows at a time. Raises ValueError if the user's image is missing."""
        texture = TEXTURES.get(record.texture)
        if texture is not None:
            size = sheet_size(record.shape, record.scale)
            paper = texture.paper(record.seed, *size, colour=page.ndim == 3)
            paper, scale = reduced(paper, record.scale)
        else:
            paper, scale = _covering(self._image(record.texture), page)
        out = np.empty_like(page)
        share = record.opacity
        for first in range(0, page.shape[0], ROWS_AT_ONCE):
            rows = slice(first, min(first + ROWS_AT_ONCE, page.shape[0]))
            shown = sample_pixels(paper, scale, (rows.start, rows.stop), page.shape[1])
            out[rows] = cv2.addWeighted(page[rows], 1 - share, shown, share, 0)
        return out

    def _image(self, texture: str) -> np.ndarray:
        """The image that a record names, if the folder still has it in its place."""
        _, place, expected = texture.split(":")
        if self.params.folder is None:
            raise ValueError("the record's paper is an image of a folder; set the folder")
        images = images_in(self.params.folder)
        if int(place) >= len(images) or _digest(images[int(place)]) != expected:
            raise ValueError(
                f"the record's paper is image {place} of a folder, with the digest {expected}; "
                f"{self.params.folder} has another there, or none"
            )
        return load_image(images[int(place)])


def images_in(folder: Path) -> list[Path]:
    """The image files in a folder, by name. Raises ValueError if there is no such folder."""
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise ValueError(f"cannot read the folder {folder}: {error.strerror}") from error
    return [
        path
        for path in inside
        if path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()
    ]


def _check(path: Path) -> None:
    """Look at the head of an image file. Raises ValueError if it is none."""
    try:
        with Image.open(path) as image:
            check_size(*image.size, path.name)
    except (OSError, ValueError, Image.DecompressionBombError, EngineError) as error:
        raise ValueError(
            f"cannot read {path.name!r} in the folder {path.parent}; repair or remove it"
        ) from error


def _covering(image: np.ndarray, page: np.ndarray) -> tuple[np.ndarray, float]:
    """The middle of an image, and the pixels for each of its pixels that make it cover the page."""
    if image.ndim < page.ndim:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2RGB)
    elif image.ndim > page.ndim:
        image = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    scale = max(side / own for side, own in zip(page.shape[:2], image.shape[:2], strict=True))
    height, width = (math.ceil(side / scale) for side in page.shape[:2])
    top, left_edge = (image.shape[0] - height) // 2, (image.shape[1] - width) // 2
    image = image[max(top, 0) : top + height, max(left_edge, 0) : left_edge + width]
    if scale >= 1:
        return np.ascontiguousarray(image), scale
    size = (page.shape[1], page.shape[0])
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA), 1.0


def _digest(path: Path) -> str:
    state = path.stat()
    return _digest_of(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest_of(path: Path, size: int, changed: int) -> str:
    """Digest of a file and of how it is drawn, cached while the file is unchanged: each page needs
    it."""
    by = drawn_by(path)
    return file_digest(path) if by is None else digest([file_digest(path), by])
