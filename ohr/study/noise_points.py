"""The noise that a configuration asks for: at levels, at intensities, at wanted amounts."""

from __future__ import annotations

from collections.abc import Sequence

from ohr.errors import ConfigError
from ohr.ocr.noise import Noise, check_distinct, noises, set_dpi
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.registry import PluginSpec
from ohr.study.calibration import Metric as NoiseMetric
from ohr.study.calibration import UnreachableError, read_calibration, wanted_noise
from ohr.study.checks import applies_to
from ohr.study.config import StudyConfig


def noise_points(
    config: StudyConfig,
    spec: PluginSpec,
    engine: OcrBackend | KnowledgeBaseSource,
    unreachable: list[str],
) -> list[Noise]:
    """The noise for one engine, without clean pages; none that does not apply to it.

    Wanted amounts that no intensity gives are added to ``unreachable``. Raises ConfigError, also
    for points that are the same.
    """
    operators = tuple(o for o in config.noise if applies_to(o, spec, engine))
    levels = config.levels
    if levels is None and (config.r_noise or config.edit_distance):
        levels = ()
    points = noises(operators, levels, config.intensities, config.dpi)
    points += _target_points(config, operators, spec, engine, unreachable)
    check_distinct(points)
    return points


def _target_points(
    config: StudyConfig,
    operators: Sequence[PluginSpec],
    spec: PluginSpec,
    engine: OcrBackend | KnowledgeBaseSource,
    unreachable: list[str],
) -> list[Noise]:
    """The noise at the wanted amounts."""
    targets: list[tuple[NoiseMetric, float]] = [("r_noise", value) for value in config.r_noise]
    targets += [("edit_distance", value) for value in config.edit_distance]
    if not targets:
        return []
    if config.calibration is None:
        raise ConfigError(
            "r_noise=[…] and edit_distance=[…] need calibration=FILE, the calibration.json that "
            "ohr run calibrate writes"
        )
    calibration = read_calibration(config.calibration)
    reachable = []
    for operator in operators:
        sized = set_dpi(operator, config.dpi)
        for metric, value in targets:
            try:
                noise = wanted_noise(
                    calibration, metric, value, spec.label, engine.identity(), sized
                )
            except UnreachableError as error:
                unreachable.append(str(error))
            else:
                reachable.append(noise)
    return reachable
