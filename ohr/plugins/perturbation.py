"""The hook of noise: distortions of page images, and noise in text.

You write a distortion as two pure steps. :meth:`PageDistortion.plan` draws random values into a
small record. :meth:`PageDistortion.render` turns a page and a record into pixels. ``apply`` is
plan and then render, ``replay`` is render alone, so they always agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Annotated, Any, ClassVar, Generic, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError
from typing_extensions import TypeVar

from ohr.plugins.base import P, Params, Plugin, first_error, type_argument

X = TypeVar("X")


@dataclass(frozen=True, slots=True)
class Applied(Generic[X]):
    """A perturbed value and the record (plain JSON) that replays it to the same bytes."""

    value: X
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Level:
    """The intensity, and perhaps parameters, of a named level of a perturbation."""

    intensity: float
    params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the level sets, where levels differ in kind (in a mixture)."""


class Perturbation(Plugin[P], ABC, Generic[X, P], abstract=True):
    """Noise on a page image (uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB) or on a text."""

    kind: ClassVar[str]
    """``semantic`` (errors of content, in images or text) or ``formatting`` (mark-up of text)."""
    levels: ClassVar[Mapping[str, Level]] = {
        "mild": Level(0.25),
        "moderate": Level(0.5),
        "severe": Level(1.0),
    }
    """Named levels, mildest first; mixtures have their own."""

    @abstractmethod
    def apply(self, x: X, *, intensity: float, rng: np.random.Generator) -> Applied[X]:
        """Perturb ``x``; intensity 0 returns equal bytes. Raises ValueError outside [0, 1].

        Args:
            x: A page image, or a page text.
            intensity: How strong the noise is, in [0, 1].
            rng: The only source of random numbers; all are drawn whatever the intensity.
        """

    @abstractmethod
    def replay(self, x: X, record: Mapping[str, Any]) -> X:
        """Make the value again that :meth:`apply` returned with this record, to the byte.

        Args:
            x: What :meth:`apply` was given.
            record: The record that it returned.
        """


class ImagePerturbation(Perturbation[np.ndarray, P], abstract=True):
    """A distortion of page images: boxes move with the pixels, the dtype stays the same.

    So does the size, unless :meth:`shape_after` says what it becomes.
    """

    kind = "semantic"

    @abstractmethod
    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        """Move ``(n, 4)`` float boxes (x0, y0, x1, y1; pixels, origin top left) with the pixels.

        A moved box is the upright hull of the distorted one, clipped to the page.

        Args:
            boxes: Boxes on the page without noise.
            record: The record of :meth:`apply`.
        """

    def shape_after(self, shape: tuple[int, ...], record: Mapping[str, Any]) -> tuple[int, ...]:
        """The shape of the distorted page, from that of the page; the same by default."""
        return shape


class TextPerturbation(Perturbation[str, P], abstract=True):
    """Noise on Markdown/LaTeX: of its formatting, unless ``kind`` says otherwise."""

    kind = "formatting"

    @abstractmethod
    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        """The text before :meth:`apply`, to the byte.

        Args:
            value: The text with noise.
            record: The record of :meth:`apply`.
        """


Fraction = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
"""A share in a record. Records are read from disk, so the type is strict."""


def check_intensity(intensity: float) -> float:
    """The intensity as a float. Raises ValueError outside [0, 1]."""
    if not isinstance(intensity, Real) or not 0.0 <= float(intensity) <= 1.0:
        raise ValueError(f"intensity must be a number in [0, 1], got {intensity!r}")
    return float(intensity)


MIN_SIDE, MAX_SIDE = 32, 32_000
"""Smallest and largest page side, in pixels. A PDF's page is at most 30,000 pixels long at 150 dpi;
OpenCV rotates and warps up to 32,766."""
MAX_PIXELS = 100_000_000

Side = Annotated[StrictInt, Field(ge=MIN_SIDE, le=MAX_SIDE)]


BASE_DPI = 150.0
"""The resolution for which constants in pixels are defined."""


class PageParams(Params):
    """Parameters of every distortion."""

    dpi: Annotated[float, Field(ge=30, le=1200)] = BASE_DPI
    """Resolution of the pages; a study sets it to its own. Effects keep their size on paper."""

    @property
    def scale(self) -> float:
        """Pixels for each pixel at ``BASE_DPI``."""
        return self.dpi / BASE_DPI


class PageRecord(BaseModel):
    """The fields of every record; a distortion's own record adds its random values, with bounds.

    Records are read from disk, so they are not trusted: types are strict, numbers bounded,
    unknown fields refused.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: StrictStr
    version: StrictStr
    intensity: Fraction
    shape: tuple[Side, Side] | tuple[Side, Side, Annotated[StrictInt, Field(ge=3, le=3)]]


R = TypeVar("R", bound=PageRecord, default=PageRecord)
Q = TypeVar("Q", bound=PageParams, covariant=True, default=PageParams)


class PageDistortion(ImagePerturbation[Q], Generic[R, Q], abstract=True):
    """A distortion of which you write :meth:`plan` and :meth:`render`.

    Page and record alone decide the pixels. ``class Mine(PageDistortion[MineRecord, MineParams])``;
    both arguments are optional.
    """

    Record: ClassVar[type[PageRecord]] = PageRecord
    paper_intensity: ClassVar[float] = 1.0
    """The intensity of the paper's setting, if it gives one."""

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(abstract=abstract, **options)
        record = type_argument(cls, PageDistortion, 0)
        record = getattr(record, "__default__", record)
        if isinstance(record, type) and issubclass(record, PageRecord):
            cls.Record = record

    @abstractmethod
    def plan(self, head: PageRecord, rng: np.random.Generator) -> R:
        """Add random values to the head; they must not depend on ``head.intensity``.

        Args:
            head: What every record begins with: the page's shape and the intensity.
            rng: The only source of random numbers.
        """

    @abstractmethod
    def render(self, page: np.ndarray, record: R) -> np.ndarray:
        """The distorted page: a new C-contiguous array like ``page``, which must not change.

        Its shape is that of :meth:`frame`.
        Called with intensity > 0 only.

        Args:
            page: uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB.
            record: What :meth:`plan` returned.
        """

    def place(self, boxes: np.ndarray, record: R) -> np.ndarray:
        """Where float64 boxes are after :meth:`render`, before clipping; unmoved by default."""
        return boxes

    def frame(self, record: R) -> tuple[int, ...]:
        """The shape of the distorted page: that of the page, unless a distortion turns it."""
        return record.shape

    def apply(
        self, x: np.ndarray, *, intensity: float, rng: np.random.Generator
    ) -> Applied[np.ndarray]:
        """Distort a page: uint8 ``(h, w)`` or ``(h, w, 3)``, 32 to 32,000 pixels a side.

        Returns a new array of the same dtype, equal to ``x`` at intensity 0. Its shape is that of
        :meth:`shape_after`: that of ``x``, but for pages turned on their side.
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
        """Make the array again that :meth:`apply` returned with this record.

        Raises ValueError if the record does not fit.
        """
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
        height, width = self._framed(parsed)[:2]
        clipped: np.ndarray = np.clip(placed, 0.0, [width, height, width, height])
        return clipped

    def shape_after(self, shape: tuple[int, ...], record: Mapping[str, Any]) -> tuple[int, ...]:
        """The shape of the distorted page. Raises ValueError if the record does not fit."""
        return self._framed(self.parse(record))

    def _framed(self, record: R) -> tuple[int, ...]:
        return record.shape if record.intensity == 0 else self.frame(record)

    def parse(self, record: Mapping[str, Any]) -> R:
        """Check a record. Raises ValueError if it is not of this distortion and version."""
        try:
            parsed = cast(R, self.Record.model_validate(record))
        except ValidationError as error:
            raise ValueError(f"not a record of {self.name!r}: {first_error(error)}") from error
        for key, expected in (("name", self.name), ("version", self.version)):
            if (recorded := getattr(parsed, key)) != expected:
                raise ValueError(f"record has {key} {recorded!r}, this distortion has {expected!r}")
        return parsed

    def _rendered(self, page: np.ndarray, record: R) -> np.ndarray:
        return page.copy(order="C") if record.intensity == 0 else self.render(page, record)


def check_page(x: np.ndarray) -> np.ndarray:
    """The page, C-contiguous. Raises ValueError for a wrong type, shape or size."""
    if not isinstance(x, np.ndarray) or x.dtype != np.uint8:
        what = f"dtype {x.dtype}" if isinstance(x, np.ndarray) else type(x).__name__
        raise ValueError(f"a page image is a uint8 array, got {what}")
    if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] != 3):
        raise ValueError(f"a page image is (h, w) grey or (h, w, 3) RGB, got shape {x.shape}")
    if min(x.shape[:2]) < MIN_SIDE or max(x.shape[:2]) > MAX_SIDE:
        raise ValueError(
            f"a page side is {MIN_SIDE} to {MAX_SIDE:,} pixels, got {x.shape[1]} x {x.shape[0]}: "
            "change the dpi, or leave the page out"
        )
    if x.shape[0] * x.shape[1] > MAX_PIXELS:
        raise ValueError(
            f"a page has at most {MAX_PIXELS:,} pixels, got {x.shape[1]} x {x.shape[0]}: "
            "lower the dpi, or leave the page out"
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
