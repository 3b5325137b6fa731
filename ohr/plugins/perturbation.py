"""The hook of noise: distortions of page images, and rewriting of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from ohr.plugins.base import Plugin

X = TypeVar("X")


@dataclass(frozen=True, slots=True)
class Applied(Generic[X]):
    """A perturbed value and the record (plain JSON) that replays it to the same bytes."""

    value: X
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Level:
    """What a named level of a perturbation stands for."""

    intensity: float
    params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the level sets, for levels that differ in kind (a mixture's)."""


class Perturbation(Plugin, ABC, Generic[X]):
    """Noise on a page image (uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB) or on a text."""

    kind: ClassVar[str]
    """``semantic`` (acts on images) or ``formatting`` (acts on text)."""
    levels: ClassVar[Mapping[str, Level]] = {
        "mild": Level(0.25),
        "moderate": Level(0.5),
        "severe": Level(1.0),
    }
    """Named levels, mildest first; mixtures have their own."""

    @abstractmethod
    def apply(self, x: X, *, intensity: float, rng: np.random.Generator) -> Applied[X]:
        """Perturb ``x``; intensity 0 returns equal bytes. Raises ValueError outside [0, 1]."""

    @abstractmethod
    def replay(self, x: X, record: Mapping[str, Any]) -> X:
        """The value that :meth:`apply` returned with this record, to the byte."""


class ImagePerturbation(Perturbation[np.ndarray], ABC):
    """A page distortion: same size and dtype out as in; boxes move with the pixels."""

    kind = "semantic"

    @abstractmethod
    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        """Move ``(n, 4)`` float boxes (x0, y0, x1, y1; pixels, origin top left) likewise.

        A moved box is the upright hull of the distorted one, clipped to the page.
        """


class TextPerturbation(Perturbation[str], ABC):
    """Formatting noise on Markdown/LaTeX."""

    kind = "formatting"

    @abstractmethod
    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        """The text before :meth:`apply`, to the byte."""
