"""Points on the noise axis: an operator at a level or intensity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import ImagePerturbation, TextPerturbation
from ohr.registry import PluginSpec


@dataclass(frozen=True)
class Noise:
    """One point on the noise axis; ``operator`` is None for the clean pages."""

    operator: PluginSpec | None = None
    level: str = ""
    intensity: float = 0.0

    @property
    def kind(self) -> str:
        """``none``, ``semantic`` (errors of content) or ``formatting``."""
        if self.operator is None:
            return "none"
        return perturbation_class(self.operator).kind

    @property
    def name(self) -> str:
        """The operator's name, or ``none``."""
        return self.operator.label if self.operator is not None else "none"

    @property
    def strength(self) -> str:
        """The level, or else the intensity."""
        return strength(self.level, self.intensity)


def strength(level: object, intensity: Any) -> str:
    """The level, or else the intensity, as it is written everywhere."""
    return str(level) or f"{intensity:g}"


def noise_name(perturbation: object, level: object, intensity: Any) -> str:
    """``clean``, ``semantic mild`` or ``rotation 0.3``, from the columns of a row or cell."""
    if perturbation == "none":
        return "clean"
    return f"{perturbation} {strength(level, intensity)}"


def perturbation_class(spec: PluginSpec) -> type[ImagePerturbation] | type[TextPerturbation]:
    """The class of a perturbation. Raises UnknownPluginError."""
    return registry.plugin_class("perturbation", spec.name)


def distorts_images(spec: PluginSpec) -> bool:
    """Whether noise changes page images; other noise rewrites text. Raises UnknownPluginError."""
    return issubclass(perturbation_class(spec), ImagePerturbation)


def set_dpi(spec: PluginSpec, dpi: int) -> PluginSpec:
    """The operator with the resolution of the pages, if it has such a parameter."""
    if "dpi" not in perturbation_class(spec).Params.model_fields or "dpi" in spec.params:
        return spec
    return spec.model_copy(update={"params": {**spec.params, "dpi": dpi}})


def choose_level(spec: PluginSpec, level: str) -> Noise:
    """The operator at one of its named levels. Raises ConfigError."""
    levels = perturbation_class(spec).levels
    if level not in levels:
        raise ConfigError(f"unknown level {level!r}; known: {', '.join(levels)}")
    meant = levels[level]
    for name, value in meant.params.items():
        if spec.params.get(name, value) != value:
            raise ConfigError(
                f"noise {spec.label!r} sets {name}={spec.params[name]}, and its level {level!r} "
                f"is {name}={value}: leave out {name}, or set intensities instead of levels"
            )
    params = {**spec.params, **meant.params}
    return Noise(spec.model_copy(update={"params": params}), level, meant.intensity)


def noises(
    operators: Iterable[PluginSpec],
    levels: Sequence[str] | None,
    intensities: Sequence[float],
    dpi: int,
) -> list[Noise]:
    """Each operator at each level and intensity. Raises ConfigError.

    Levels that are None mean all levels of the operator, or none if there are intensities.
    """
    listed = []
    for operator in operators:
        registry.create("perturbation", operator)
        spec = set_dpi(operator, dpi)
        named = levels
        if named is None:
            named = () if intensities else tuple(perturbation_class(spec).levels)
        listed += [choose_level(spec, level) for level in named]
        listed += [Noise(spec, "", intensity) for intensity in intensities]
    check_distinct(listed)
    return listed


def check_distinct(points: Sequence[Noise]) -> None:
    """Raise ConfigError if two points have one name: their rows could not be distinguished."""
    if len({(noise.name, noise.strength) for noise in points}) < len(points):
        raise ConfigError(
            "noise: the same operator, level, intensity or wanted amount is given twice; set a "
            "label to distinguish two operators"
        )
