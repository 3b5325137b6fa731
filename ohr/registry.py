"""Finds plug-ins by name. Built-in plug-ins are registered by entry points, like all others.

A package adds a retriever in its ``pyproject.toml``::

    [project.entry-points."ohr.retrievers"]
    my-retriever = "my_package.retriever:MyRetriever"

Without a package, use the dotted path of the class: ``my_package.retriever.MyRetriever``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal, overload

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ohr import plugins
from ohr.errors import (
    ConfigError,
    MissingDependencyError,
    OhrError,
    PluginError,
    UnknownPluginError,
    did_you_mean,
)
from ohr.files.keys import hide_keys
from ohr.plugins.base import Plugin, check_usable, deferred_checks, first_error
from ohr.plugins.trust import check_name

if TYPE_CHECKING:
    from ohr.plugins import (
        Chunker,
        DatasetSource,
        ImagePerturbation,
        ImageRepair,
        ImageRetriever,
        KnowledgeBaseSource,
        Metric,
        OcrBackend,
        Oracle,
        Reader,
        Retriever,
        RetrieverChange,
        System,
        TextFusion,
        TextPerturbation,
        TextRepair,
    )

    Engine = OcrBackend | KnowledgeBaseSource
    Noise = ImagePerturbation | TextPerturbation
    Search = Retriever | ImageRetriever | Oracle
    Mitigation = ImageRepair | TextRepair | TextFusion | RetrieverChange

KINDS = {
    "perturbation": "ohr.perturbations",
    "engine": "ohr.engines",
    "chunker": "ohr.chunkers",
    "retriever": "ohr.retrievers",
    "reader": "ohr.readers",
    "system": "ohr.systems",
    "metric": "ohr.metrics",
    "dataset": "ohr.datasets",
    "mitigation": "ohr.mitigations",
}
"""Kind of plug-in -> its entry-point group."""
_BASES = {
    "perturbation": ("ImagePerturbation", "TextPerturbation"),
    "engine": ("OcrBackend", "KnowledgeBaseSource"),
    "chunker": ("Chunker",),
    "retriever": ("Retriever", "ImageRetriever", "Oracle"),
    "reader": ("Reader",),
    "system": ("System",),
    "metric": ("Metric",),
    "dataset": ("DatasetSource",),
    "mitigation": ("ImageRepair", "TextRepair", "TextFusion", "RetrieverChange"),
}
"""Kind of plug-in -> names of its base classes in ``ohr.plugins``."""


class PluginSpec(BaseModel):
    """A plug-in as named in a configuration: ``name``, ``name:argument``, or with ``params``.

    ``label`` is its name in tables and figures. It tells apart uses with different parameters.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str
    argument: str | None = None
    params: dict[str, Any] = {}
    label: str = ""

    @model_validator(mode="after")
    def _default_label(self) -> PluginSpec:
        if not self.label:
            label = self.name if self.argument is None else f"{self.name}:{self.argument}"
            object.__setattr__(self, "label", label)
        return self

    @classmethod
    def parse(
        cls, value: str | Mapping[str, Any] | PluginSpec | type[Plugin] | Plugin
    ) -> PluginSpec:
        """Read ``"bm25"``, ``"precomputed:MinerU"``, ``{"name": …, "params": {…}}``, or a plug-in
        class or object.

        Raises ConfigError for anything else.
        """
        if isinstance(value, PluginSpec):
            return value
        if isinstance(value, Plugin):
            params = value.params.model_dump(mode="json", exclude_unset=True)
            return cls.parse(type(value)).model_copy(update={"params": params})
        value = getattr(value, "metric", value)  # a function with the decorator @ohr.metric
        if isinstance(value, type) and issubclass(value, Plugin):
            return cls(name=_name_of(value), label=value.name)
        if isinstance(value, str):
            name, colon, argument = value.partition(":")
            return cls(name=name, argument=argument if colon else None)
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            shown = hide_keys(repr(value))
            raise ConfigError(f"not a plug-in: {shown} ({first_error(error)})") from error


PluginValue = str | Mapping[str, Any] | PluginSpec | type[Plugin] | Plugin
"""How a plug-in is named: see :meth:`PluginSpec.parse`."""


@cache
def _all_entry_points() -> Any:  # under Python 3.11 another class than later
    """Those of all packages: each search for one group reads the files of all of them again."""
    return entry_points()


@cache
def _entry_points(kind: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in _all_entry_points().select(group=KINDS[kind])}


def _name_of(cls: type[Plugin]) -> str:
    """The registered name of a class, or its dotted path.

    Raises ConfigError for a class inside a function.
    """
    if "<locals>" in cls.__qualname__:
        raise ConfigError(f"class {cls.__name__} is defined inside a function: move it to a module")
    target = f"{cls.__module__}:{cls.__qualname__}"
    for kind in KINDS:
        for name, point in _entry_points(kind).items():
            if point.value == target:
                return name
    return target.replace(":", ".")


def known(kind: str) -> list[str]:
    """The names of the registered plug-ins of a kind, sorted."""
    return sorted(_entry_points(kind))


@overload
def plugin_class(kind: Literal["perturbation"], name: str) -> type[Noise]: ...
@overload
def plugin_class(kind: Literal["engine"], name: str) -> type[Engine]: ...
@overload
def plugin_class(kind: Literal["chunker"], name: str) -> type[Chunker]: ...
@overload
def plugin_class(kind: Literal["retriever"], name: str) -> type[Search]: ...
@overload
def plugin_class(kind: Literal["reader"], name: str) -> type[Reader]: ...
@overload
def plugin_class(kind: Literal["system"], name: str) -> type[System]: ...
@overload
def plugin_class(kind: Literal["metric"], name: str) -> type[Metric]: ...
@overload
def plugin_class(kind: Literal["dataset"], name: str) -> type[DatasetSource]: ...
@overload
def plugin_class(kind: Literal["mitigation"], name: str) -> type[Mitigation]: ...
@overload
def plugin_class(kind: str, name: str) -> type[Plugin]: ...
def plugin_class(kind: str, name: str) -> type[Plugin]:
    """The class that is registered under a name, or that a dotted path names.

    Raises UnknownPluginError for an unknown name or a class of another kind, UntrustedCodeError for
    code that only a run names, MissingDependencyError for a package that is not installed, and
    PluginError for a module that cannot be imported.
    """
    if name in _entry_points(kind):
        target = _entry_points(kind)[name].value
    elif "." in name:
        check_name(kind, name)
        target = ":".join(name.rsplit(".", 1))
    else:
        raise UnknownPluginError(f"unknown {kind} {name!r}; {did_you_mean(name, known(kind))}")
    module_name, _, class_name = target.partition(":")
    try:
        with deferred_checks():
            module = importlib.import_module(module_name)
        plugin = getattr(module, class_name)
    except OhrError:
        raise
    except ModuleNotFoundError as error:
        if error.name and module_name.startswith(error.name):
            raise UnknownPluginError(f"{kind} {name!r}: no module {error.name!r}") from error
        raise MissingDependencyError(
            f"{kind} {name!r} needs the package {error.name!r}: pip install {error.name}"
        ) from error
    except AttributeError as error:
        raise UnknownPluginError(f"{kind} {name!r}: {error}") from error
    except Exception as error:
        raise PluginError(
            f"{kind} {name!r}: its module {module_name} cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error
    if kind == "metric":  # a function with the decorator @ohr.metric
        plugin = getattr(plugin, "metric", plugin)
    bases: tuple[type[Plugin], ...] = tuple(getattr(plugins, base) for base in _BASES[kind])
    if not (isinstance(plugin, type) and issubclass(plugin, bases)):
        names = " or ".join(f"ohr.plugins.{base}" for base in _BASES[kind])
        raise UnknownPluginError(f"{kind} {name!r} is no {kind}: it does not derive from {names}")
    check_usable(plugin)
    return plugin


@overload
def create(kind: Literal["perturbation"], value: PluginValue) -> Noise: ...
@overload
def create(kind: Literal["engine"], value: PluginValue) -> Engine: ...
@overload
def create(kind: Literal["chunker"], value: PluginValue) -> Chunker: ...
@overload
def create(kind: Literal["retriever"], value: PluginValue) -> Search: ...
@overload
def create(kind: Literal["reader"], value: PluginValue) -> Reader: ...
@overload
def create(kind: Literal["system"], value: PluginValue) -> System: ...
@overload
def create(kind: Literal["metric"], value: PluginValue) -> Metric: ...
@overload
def create(kind: Literal["dataset"], value: PluginValue) -> DatasetSource: ...
@overload
def create(kind: Literal["mitigation"], value: PluginValue) -> Mitigation: ...
@overload
def create(kind: str, value: PluginValue) -> Plugin: ...
def create(kind: str, value: PluginValue) -> Plugin:
    """Make a plug-in from its specification.

    Raises UnknownPluginError for an unknown name, ConfigError for unknown or wrong parameters,
    and PluginError if the class fails while it is made.
    """
    spec = PluginSpec.parse(value)
    cls = plugin_class(kind, spec.name)
    params = dict(spec.params)
    if spec.argument is not None:
        if cls.argument is None:
            raise ConfigError(f"{kind} {spec.name!r} takes no argument, got {spec.argument!r}")
        params[cls.argument] = spec.argument
    if taken_over := cls.stand_in(params):
        cls, params = plugin_class(kind, taken_over[0]), dict(taken_over[1])
    unknown = set(params) - _names(cls.Params)
    if unknown and cls.Params.model_config.get("extra") != "allow":
        names = ", ".join(sorted(_names(cls.Params))) or "none"
        raise ConfigError(
            f"{kind} {spec.label!r}: unknown parameter {min(unknown)!r}; known: {names}"
        )
    try:
        return cls(cls.Params.model_validate(params))
    except ValidationError as error:
        raise ConfigError(f"{kind} {spec.label!r}: {first_error(error)}") from error
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(
            f"{kind} {spec.label!r} cannot be made: {type(error).__name__}: {error}"
        ) from error


def ocr_engine(value: PluginValue) -> OcrBackend:
    """An engine that reads pages. Raises ConfigError for one whose page texts exist already."""
    if not isinstance(engine := create("engine", value), plugins.OcrBackend):
        raise ConfigError(f"engine {engine.name!r} reads no pages: its page texts exist already")
    return engine


def image_perturbation(value: PluginValue) -> ImagePerturbation:
    """A distortion of page images. Raises ConfigError for formatting noise."""
    if not isinstance(noise := create("perturbation", value), plugins.ImagePerturbation):
        raise ConfigError(f"noise {noise.name!r} rewrites text: it distorts no page image")
    return noise


def text_perturbation(value: PluginValue) -> TextPerturbation:
    """Formatting noise. Raises ConfigError for a distortion of page images."""
    if not isinstance(noise := create("perturbation", value), plugins.TextPerturbation):
        raise ConfigError(f"noise {noise.name!r} distorts page images: it rewrites no text")
    return noise


def _names(model: type[BaseModel]) -> set[str]:
    """All names that the parameters accept, aliases included."""
    fields = model.model_fields.items()
    aliases = {field.validation_alias or field.alias for _, field in fields}
    return {name for name, _ in fields} | {alias for alias in aliases if isinstance(alias, str)}
