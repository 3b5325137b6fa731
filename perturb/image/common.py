"""What every page distortion shares: checked input, a checked record, boxes on the page.

A distortion is two pure steps. :meth:`PageDistortion.plan` draws from the page's generator
and writes a small record; :meth:`PageDistortion.render` turns page and record into pixels.
``apply`` is plan then render and ``replay`` is render alone, so they agree by construction.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from ohr.plugins import Applied, ImagePerturbation, Params
from ohr.registry import first_error
from perturb.intensity import Fraction, check_intensity

MIN_SIDE, MAX_SIDE = 32, 10_000
"""Smallest and largest page side, in pixels."""

Side = Annotated[StrictInt, Field(ge=MIN_SIDE, le=MAX_SIDE)]


BASE_DPI = 150.0
"""The resolution that constants in pixels are given for."""


class PageParams(Params):
    """Parameters of every distortion."""

    dpi: Annotated[float, Field(ge=30, le=1200)] = BASE_DPI
    """Resolution of the pages; a study sets it to its own. Effects keep their size on paper."""

    @property
    def scale(self) -> float:
        """Pixels for each pixel at ``BASE_DPI``."""
        return self.dpi / BASE_DPI


class PageRecord(BaseModel):
    """The head of every record; a distortion's own record adds its draws, with bounds.

    Records are read back from disk, so they are untrusted: types are strict, numbers bounded,
    unknown fields refused.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: StrictStr
    version: StrictStr
    intensity: Fraction
    shape: tuple[Side, Side] | tuple[Side, Side, Annotated[StrictInt, Field(ge=3, le=3)]]


R = TypeVar("R", bound=PageRecord)


class PageDistortion(ImagePerturbation, Generic[R]):
    """A distortion whose record alone decides the pixels."""

    Params: ClassVar[type[BaseModel]] = PageParams
    Record: ClassVar[type[PageRecord]]
    paper_intensity: ClassVar[float] = 1.0
    """The intensity that is the paper's setting, as far as it gives one."""

    @abstractmethod
    def plan(self, head: PageRecord, rng: np.random.Generator) -> R:
        """Complete the head with what is drawn; what is drawn ignores ``head.intensity``."""

    @abstractmethod
    def render(self, page: np.ndarray, record: R) -> np.ndarray:
        """A new C-contiguous array like ``page``, which stays untouched; intensity > 0."""

    def place(self, boxes: np.ndarray, record: R) -> np.ndarray:
        """Where float64 boxes lie after :meth:`render`, before clipping. Default: in place."""
        return boxes

    def apply(
        self, x: np.ndarray, *, intensity: float, rng: np.random.Generator
    ) -> Applied[np.ndarray]:
        """Distort a page: uint8 ``(h, w)`` or ``(h, w, 3)``, 32 to 10,000 pixels a side.

        Returns a new array of the same shape and dtype, equal to ``x`` at intensity 0.
        Raises ValueError for another kind of array or an intensity outside [0, 1].
        """
        page = check_page(x)
        head = PageRecord.model_validate(
            {
                "name": self.name,
                "version": self.version,
                "intensity": check_intensity(intensity),
                "shape": page.shape,
            }
        )
        record = self.plan(head, rng)
        return Applied(self._rendered(page, record), record.model_dump(mode="json"))

    def replay(self, x: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        """The array that :meth:`apply` returned. Raises ValueError if the record does not fit."""
        page, parsed = check_page(x), self.parse(record)
        if parsed.shape != page.shape:
            raise ValueError(
                f"record of {self.name!r} is for shape {parsed.shape}, the page has {page.shape}"
            )
        return self._rendered(page, parsed)

    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        """Upright hulls of the distorted boxes, clipped to the page: float64 ``(n, 4)``.

        Raises ValueError for boxes that are not finite ``(n, 4)``, or for a bad record.
        """
        parsed = self.parse(record)
        placed = check_boxes(boxes)
        if parsed.intensity > 0:
            placed = self.place(placed, parsed)
        height, width = parsed.shape[:2]
        clipped: np.ndarray = np.clip(placed, 0.0, [width, height, width, height])
        return clipped

    def parse(self, record: Mapping[str, Any]) -> R:
        """The checked record of this distortion and version. Raises ValueError."""
        try:
            parsed = self.Record.model_validate(record)
        except ValidationError as error:
            raise ValueError(f"not a record of {self.name!r}: {first_error(error)}") from error
        for field, expected in (("name", self.name), ("version", self.version)):
            if (recorded := getattr(parsed, field)) != expected:
                raise ValueError(
                    f"record has {field} {recorded!r}, this distortion has {expected!r}"
                )
        return parsed  # type: ignore[return-value]  # Record is the class that R stands for

    def _rendered(self, page: np.ndarray, record: R) -> np.ndarray:
        return page.copy(order="C") if record.intensity == 0 else self.render(page, record)


def check_page(x: np.ndarray) -> np.ndarray:
    """The page, C-contiguous. Raises ValueError unless it is a uint8 page of a size we handle."""
    if not isinstance(x, np.ndarray) or x.dtype != np.uint8:
        what = f"dtype {x.dtype}" if isinstance(x, np.ndarray) else type(x).__name__
        raise ValueError(f"a page image is a uint8 array, got {what}")
    if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] != 3):
        raise ValueError(f"a page image is (h, w) grey or (h, w, 3) RGB, got shape {x.shape}")
    if min(x.shape[:2]) < MIN_SIDE or max(x.shape[:2]) > MAX_SIDE:
        raise ValueError(
            f"a page side is {MIN_SIDE} to {MAX_SIDE} pixels, got {x.shape[1]} x {x.shape[0]}"
        )
    return np.ascontiguousarray(x)


def check_boxes(boxes: np.ndarray) -> np.ndarray:
    """The boxes as a float64 copy. Raises ValueError unless finite and ``(n, 4)``."""
    try:
        array = np.array(boxes, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"boxes must be an (n, 4) array of numbers: {error}") from error
    if array.ndim != 2 or array.shape[1] != 4 or not np.isfinite(array).all():
        raise ValueError(f"boxes must be finite and of shape (n, 4), got shape {array.shape}")
    return array
