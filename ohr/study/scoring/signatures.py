"""Signatures: all that decides what the values of a metric mean, in one line.

``lcs|scoring:default|k:2|norm:3f2a91|v:5``. Two runs whose signatures differ, except in what a
comparison is about, measured different things.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Literal

from ohr.metrics.scores import SCORING
from ohr.plugins import Metric
from ohr.store.identity import digest
from ohr.study.config import StudyConfig
from ohr.study.metrics import MetricInfo

_PROBE = (
    "The naïve co-operative’s 1,234.5 kWh cost $12.50 (≈ −3 %) in 2023/24: see §2, p. 7.\n"
    "## 1.2 **Bold** _it_ <b>html</b> a_b O(n²) ﬁve ＡＢＣ x\u00a0y so\u00adft hyphen-\nation\n"
    "$E = mc^{2}$ \\textbf{word} \\frac{a}{b} &amp; &lt;\n\n| a | b |\n| --- | --- |\n| 1 | 2.0 |\n"
    "<table><tr><td>c</td></tr></table> an the THE Straße ÉCOLE e\u0301cole «quote» “q” don't"
)
"""A text with what normalisers treat differently. Without Chinese, whose words depend on jieba."""
SETTINGS = ("scoring", "k")
"""Parts that are settings of a study, which ``compare`` may compare."""
_DIGITS = 6
_HIDDEN_PARAMS = frozenset({"protocol"})


@cache
def normaliser(protocol: Literal["default", "reference"]) -> str:
    """The version of a protocol's normaliser: six digits of the digest of a fixed text's tokens.

    So it changes exactly if the tokens of that text do, with or without mark-up.
    """
    scoring = SCORING[protocol]
    functions = (scoring.tokens, scoring.content_tokens, scoring.published_tokens)
    return digest([function(_PROBE) for function in functions])[:_DIGITS]


def signature(info: MetricInfo, metric: Metric, config: StudyConfig) -> str:
    """The signature of a metric at a stage of a study.

    ``k`` is the number of hits where it applies. ``norm`` is left out for metrics of ranks alone.
    Parameters, the judge and the source of a metric from outside the project are parts if there
    are any.
    """
    parts: dict[str, str] = {"scoring": config.scoring}
    if info.top_k is not None:
        parts["k"] = str(info.top_k)
    elif info.stage == "retrieval":
        parts["k"] = ",".join(map(str, config.cutoffs))
    elif info.stage == "overall":
        parts["k"] = str(config.top_k)
    if not metric.at_k:
        parts["norm"] = normaliser(config.scoring)
    identity: Mapping[str, Any] = metric.identity()
    for name, value in sorted(identity["params"].items()):
        if name not in _HIDDEN_PARAMS:
            parts[name] = str(value)
    if "judge" in metric.needs and config.judge is not None:
        judge = digest(config.judge.model_dump(mode="json", exclude={"label"}))[:_DIGITS]
        parts["judge"] = f"{config.judge.label} {judge}"
    if sources := identity.get("sources"):
        parts["source"] = digest(sources)[:_DIGITS]
    parts["v"] = info.version
    name = metric.name + info.metric.removeprefix(info.name)
    return "|".join([name, *(f"{key}:{_safe(value)}" for key, value in parts.items())])


def signatures(
    infos: Iterable[MetricInfo], metrics: Mapping[str, Metric], config: StudyConfig
) -> dict[str, str]:
    """``stage:metric`` -> signature, for the manifest."""
    return {
        f"{info.stage}:{info.metric}": signature(info, metrics[info.name], config)
        for info in infos
        if info.name in metrics
    }


def signature_of(manifest: Mapping[str, Any], stage: str, metric: str) -> str:
    """The signature of a metric of a finished run; empty for a run of an earlier version."""
    signatures_by_name = manifest.get("signatures", {})
    return (
        str(signatures_by_name.get(f"{stage}:{metric}", ""))
        if isinstance(signatures_by_name, dict)
        else ""
    )


def clash(first: str, second: str) -> str:
    """How two signatures differ, apart from :data:`SETTINGS`: ``v 4 and 5``; empty if they agree.

    Each protocol has a normaliser of its own. An empty signature agrees with all.
    """
    if not first or not second:
        return ""
    ignored = {*SETTINGS}
    if _parts(first).get("scoring") != _parts(second).get("scoring"):
        ignored.add("norm")
    return differences(first, second, ignored)


def differences(first: str, second: str, ignored: Collection[str] = ()) -> str:
    """All parts in which two signatures differ, except ``ignored``: ``k 2 and 4``; else empty."""
    before, after = _parts(first), _parts(second)
    return ", ".join(
        f"{key} {before.get(key, '(none)')} and {after.get(key, '(none)')}"
        for key in dict.fromkeys([*before, *after])
        if key not in ignored and before.get(key) != after.get(key)
    )


def _parts(text: str) -> dict[str, str]:
    name, *settings = text.split("|")
    return {"metric": name.partition("@")[0]} | {
        part.partition(":")[0]: part.partition(":")[2] for part in settings
    }


def _safe(text: str) -> str:
    return " ".join(text.replace("|", "/").split())
