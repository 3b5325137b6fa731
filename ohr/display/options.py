"""Every option of a study with its meaning, values and default, from the models themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ohr.registry import PluginSpec
from ohr.study.config import DatasetConfig, StudyConfig, load_config

DATASET = "Documents and questions"
GROUPS: Mapping[str, tuple[str, ...]] = {
    DATASET: tuple(f"dataset.{name}" for name in DatasetConfig.model_fields),
    "Engines and pages": ("engines", "dpi", "ground_truth", "page_cpu_s", "page_wall_s"),
    "Noise": (
        *("noise", "levels", "intensities", "calibration", "r_noise", "edit_distance"),
        *("seed", "seeds"),
    ),
    "Chunking, retrieval and answers": (
        *("chunkers", "retrievers", "top_k", "ks", "readers", "read_from", "systems"),
        *("scope", "judge", "repeats"),
    ),
    "What is measured": ("stages", "metrics", "scoring", "bootstrap"),
    "The run": (
        *("workers", "runner", "worker_gpus", "cache", "retry_failed", "stop_after_failures"),
        "max_cost",
    ),
}
"""Options of a study by what they are about; one of its dataset is ``dataset.name``."""
COMMON = (
    *(f"dataset.{name}" for name in ("kind", "path", "questions", "pages", "limit")),
    *("engines", "noise", "levels", "intensities", "retrievers", "readers", "workers"),
)
"""The options that most users need, which a short help lists."""
_ENDLESS = 1_000_000
"""A bound as large as this only catches mistakes, and is not printed."""


@dataclass(frozen=True)
class Option:
    """One option of a study."""

    key: str
    """As it is typed: ``dpi``, ``dataset.kind``."""
    meaning: str
    """One sentence or more, on one line."""
    values: str
    """Accepted values: ``30 to 1200``, ``all or evidence``; empty if the meaning names them."""
    default: str
    """As it is typed; empty without one: the meaning then says what applies."""

    @property
    def help(self) -> str:
        """Meaning, values and default in one paragraph."""
        default = f"default: {self.default}" if self.default else ""
        notes = "; ".join(note for note in (self.values, default) if note)
        return f"{self.meaning} [{notes}]" if notes else self.meaning


def option_table(
    defaults: Mapping[str, Any] | None = None,
    groups: Sequence[str] = tuple(GROUPS),
    only: Collection[str] | None = None,
    *,
    is_short: bool = False,
) -> dict[str, list[Option]]:
    """The options of a study by group, in the order to read them.

    ``defaults`` are a command's, as for ``load_config``; they replace the model's. ``only`` are the
    options that a command uses; ``dataset`` stands for all of its options. A short table has the
    common ones of these.
    """
    config = load_config([], defaults)
    models: tuple[type[BaseModel], ...] = (StudyConfig, DatasetConfig)
    schemas = {model: model.model_json_schema()["properties"] for model in models}
    table = {
        group: [
            _option(config, key, schemas)
            for key in GROUPS[group]
            if (only is None or _first(key) in only) and (key in COMMON or not is_short)
        ]
        for group in groups
    }
    return {group: options for group, options in table.items() if options}


def _first(key: str) -> str:
    return key.split(".", 1)[0]


def _option(
    config: StudyConfig, key: str, schemas: Mapping[type[BaseModel], Mapping[str, Any]]
) -> Option:
    *parents, name = key.split(".")
    model: BaseModel = config.dataset if parents else config
    field = type(model).model_fields[name]
    return Option(
        key,
        " ".join((field.description or "").split()),
        _values(schemas[type(model)][name]),
        _default(field, getattr(model, name)),
    )


def _values(schema: Mapping[str, Any]) -> str:
    """The accepted values, or those of each item of a list."""
    for part in (schema, schema.get("items", {}), *schema.get("anyOf", ())):
        if "enum" in part:
            *rest, last = part["enum"]
            return f"{', '.join(rest)} or {last}"
        low = part.get("minimum", part.get("exclusiveMinimum"))
        high = part.get("maximum", part.get("exclusiveMaximum", _ENDLESS))
        if low is not None:
            above = "above" if "exclusiveMinimum" in part else "from"
            return f"{low:g} to {high:g}" if high < _ENDLESS else f"{above} {low:g}"
    return ""


def _default(field: FieldInfo, value: Any) -> str:
    if field.default_factory is not None or value in (None, (), {}):
        return ""
    if isinstance(value, tuple):
        return ", ".join(_default(field, item) for item in value)
    if isinstance(value, PluginSpec):
        return value.label
    return str(value).lower() if isinstance(value, bool) else str(value)
