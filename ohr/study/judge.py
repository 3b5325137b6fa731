"""The study's judge: a language model that says whether answers are right.

It is a reader with its own prompt; the metric ``judged`` asks it.
"""

from __future__ import annotations

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import Reader
from ohr.registry import PluginSpec


def make_judge(spec: PluginSpec) -> Reader:
    """The judge that a configuration names. Raises ConfigError."""
    if "prompt" not in registry.plugin_class("reader", spec.name).Params.model_fields:
        raise ConfigError(
            f"judge: reader {spec.label!r} takes no prompt: name a language model, such as "
            "judge={name: openai, params: {model: …}}"
        )
    judge = registry.create(
        "reader", spec.model_copy(update={"params": {"prompt": "judge"} | spec.params})
    )
    if judge.reads_images:
        raise ConfigError(
            f"judge: reader {spec.label!r} looks at page images, and a judge has none"
        )
    return judge
