"""Calibration: finds the intensity that gives a wanted amount of noise.

A curve of measured noise against intensity is fitted by isotonic regression (noise does not
fall as the intensity rises, up to chance) and inverted linearly between its points. It starts
at the engine's clean floor and ends at what intensity 1 gives; nothing else can be reached.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ohr import registry
from ohr.errors import ConfigError
from ohr.ocr.noise import Noise
from ohr.plugins.base import first_error
from ohr.registry import PluginSpec
from ohr.statistics.isotonic import rising_fit
from ohr.store.atomic import write_text

Metric = Literal["r_noise", "r_noise_content", "edit_distance"]
METRICS: tuple[Metric, ...] = ("r_noise", "r_noise_content", "edit_distance")

_Share = Annotated[float, Field(ge=0, le=1)]


class UnreachableError(ConfigError):
    """A wanted amount of noise below an engine's clean floor, or above what intensity 1 gives."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Curve(_Strict):
    """A non-decreasing, piecewise linear curve from intensity 0 to the last one measured."""

    intensities: tuple[_Share, ...]
    """From 0, rising."""
    values: tuple[_Share, ...]
    """Fitted noise at each intensity."""

    @model_validator(mode="after")
    def _check(self) -> Curve:
        steps = np.diff(self.intensities)
        if len(self.intensities) != len(self.values) or len(self.values) < 2:
            raise ValueError("a curve has two or more intensities, and a value for each")
        if self.intensities[0] != 0 or (steps <= 0).any() or (np.diff(self.values) < 0).any():
            raise ValueError("a curve starts at intensity 0 and rises")
        return self

    @property
    def floor(self) -> float:
        """Noise of the engine's output of clean pages."""
        return self.values[0]

    @property
    def ceiling(self) -> float:
        """Noise at the highest intensity."""
        return self.values[-1]

    def intensity_for(self, value: float) -> float:
        """The smallest intensity that gives ``value``. Raises UnreachableError."""
        if value < self.floor:
            raise UnreachableError(f"{value:g} is below the clean engine's floor, {self.floor:.3f}")
        if value > self.ceiling:
            raise UnreachableError(
                f"{value:g} is above the ceiling, {self.ceiling:.3f} at intensity "
                f"{self.intensities[-1]:g}"
            )
        right = int(np.searchsorted(self.values, value, side="left"))
        if right == 0:
            return 0.0
        low, high = self.values[right - 1], self.values[right]
        share = (value - low) / (high - low)
        start, end = self.intensities[right - 1], self.intensities[right]
        return float(start + share * (end - start))


def fit(intensities: Sequence[float], values: Sequence[float]) -> Curve:
    """The isotonic least-squares fit of measured means, each over the same units."""
    rising, fitted = rising_fit(np.array(intensities, dtype=float), np.array(values, dtype=float))
    return Curve(
        intensities=tuple(float(i) for i in rising),
        values=tuple(float(v) for v in np.clip(fitted, 0.0, 1.0)),
    )


class CalibratedCurve(_Strict):
    """The fitted curve of one engine, operator and metric, and what it was measured on."""

    engine: str
    operator: str
    engine_identity: dict[str, Any]
    operator_identity: dict[str, Any]
    metric: Metric
    curve: Curve
    n: int
    """Pages or questions that it was fitted on."""


class Calibration(_Strict):
    """What ``ohr run calibrate`` writes to ``calibration.json``."""

    dataset: str
    """Digest of the dataset that it was measured on."""
    unit: Literal["document", "page"]
    """The unit by which the data was split into halves."""
    curves: tuple[CalibratedCurve, ...]

    def curve(
        self, metric: Metric, engine: str, identity: dict[str, Any], operator: PluginSpec
    ) -> Curve:
        """The curve of an engine and an operator. Raises ConfigError if there is none."""
        operator_identity = _plain(registry.create("perturbation", operator).identity())
        close = [c for c in self.curves if c.engine_identity == _plain(identity)]
        matching = [
            c for c in close if c.operator_identity == operator_identity and c.metric == metric
        ]
        if not matching:
            available = sorted({f"{c.engine} with {c.operator}" for c in self.curves})
            raise ConfigError(
                f"the calibration has no curve for this version and these parameters of {engine} "
                f"with {operator.label}; it has {', '.join(available)}: run ohr run calibrate"
            )
        return matching[0].curve

    def write(self, path: Path) -> None:
        """Write the JSON file. Raises StoreError."""
        write_text(path, json.dumps(self.model_dump(mode="json"), indent=1) + "\n")


def read_calibration(path: Path) -> Calibration:
    """Read ``calibration.json``. Raises ConfigError."""
    try:
        return Calibration.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read the calibration {path}: {error.strerror}") from error
    except ValidationError as error:
        raise ConfigError(f"{path} is not a calibration file: {first_error(error)}") from error


def wanted_noise(
    calibration: Calibration,
    metric: Metric,
    value: float,
    engine: str,
    identity: dict[str, Any],
    operator: PluginSpec,
) -> Noise:
    """The operator at the intensity that gives ``value``. Raises UnreachableError, ConfigError."""
    curve = calibration.curve(metric, engine, identity, operator)
    try:
        intensity = curve.intensity_for(value)
    except UnreachableError as error:
        raise UnreachableError(f"{engine}, {operator.label}: {metric} {error}") from error
    return Noise(operator, f"{metric}={value:g}", round(intensity, 6))


def _plain(identity: dict[str, Any]) -> Any:
    """An identity as it comes back from JSON."""
    return json.loads(json.dumps(identity))
