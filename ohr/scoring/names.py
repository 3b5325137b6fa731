"""Names of metrics as people write them: ``lcs@2``, ``hit@5``, ``r_noise``, ``overall:f1``.

The number of hits at which a metric is cut off comes after an ``@``, as in ir_measures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ohr import registry
from ohr.errors import ConfigError, UnknownPluginError
from ohr.plugins import Metric

CUT_OFF = "@"


@dataclass(frozen=True)
class MetricName:
    """A metric, and the number of hits at which it is cut off."""

    metric: str
    """Name or dotted path, without the cut-off."""
    k: int | None = None
    stage: str = ""
    """The stage before a colon; empty if none is given."""

    def __str__(self) -> str:
        stage = f"{self.stage}:" if self.stage else ""
        return stage + self.metric + ("" if self.k is None else f"{CUT_OFF}{self.k}")

    @classmethod
    def parse(cls, text: str) -> MetricName:
        """Read ``hit@5`` or ``retrieval:hit@5``. Raises ConfigError for a cut-off below 1."""
        stage, colon, rest = text.strip().rpartition(":")
        metric, cut_off, k = rest.partition(CUT_OFF)
        if (colon and not stage) or not metric:
            raise ConfigError(f"metric {text!r}: write a name, such as lcs@2 or overall:f1")
        if not cut_off:
            return cls(metric, None, stage)
        if not (k.isascii() and k.isdecimal()) or int(k) < 1:
            raise ConfigError(
                f"metric {text!r}: {k!r} is no number of hits: write 1 or more, such as {metric}@2"
            )
        return cls(metric, int(k), stage)


def check_cut_off(name: MetricName, metric: type[Metric] | Metric) -> None:
    """Raise ConfigError for a cut-off of a metric that scores no hits."""
    if name.k is not None and metric.of != "hits":
        scored = {"page": "pages", "evidence": "evidence"}.get(metric.of, "answers")
        raise ConfigError(
            f"metric {str(name)!r}: {metric.name} scores {scored}, not hits: write it without "
            f"{CUT_OFF}{name.k}"
        )


def metric_class(name: MetricName) -> type[Metric]:
    """The class of a metric. Raises UnknownPluginError, which names what is near."""
    try:
        return registry.plugin_class("metric", name.metric)
    except UnknownPluginError as error:
        if name.k is None or "." in name.metric:
            raise
        raise UnknownPluginError(f"{error}; {CUT_OFF}{name.k} is for metrics of hits") from error


def split_cut_offs(metrics: Iterable[object]) -> tuple[list[object], list[int]]:
    """Metrics as an option names them, without cut-offs; and the cut-offs, in order.

    Names without one, sets and anything but text stay as they are. Raises ConfigError.
    """
    plain: dict[int, object] = {}
    cut_offs: dict[int, None] = {}
    seen: set[str] = set()
    for place, value in enumerate(metrics):
        if not (isinstance(value, str) and CUT_OFF in value):
            plain[place] = value
            continue
        name = MetricName.parse(value)
        check_cut_off(name, metric_class(name))
        if name.k is not None:
            cut_offs[name.k] = None
        if name.metric not in seen:
            plain[place] = name.metric
        seen.add(name.metric)
    return list(plain.values()), list(cut_offs)
