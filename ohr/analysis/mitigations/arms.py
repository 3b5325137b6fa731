"""The arms of the mitigation bench: a study's engines and retrievers, each with mitigations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import ImageRepair, OcrBackend, RetrieverChange, TextFusion, TextRepair
from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig, parse_plugins
from ohr.study.yaml_values import parse_yaml

IDENTITY, ORACLE = "identity", "oracle"
"""Arms without a mitigation: nothing changes; the pages have no noise."""
READ_FROM = "read_from"
"""The arm that searches in the engine's texts and reads from the second engine's."""


ALONE = (IDENTITY, ORACLE, READ_FROM)


@dataclass(frozen=True)
class Arm:
    """An arm for one engine and one retriever, by the labels that a study has for them."""

    name: str
    base_engine: str
    base_retriever: str
    engine: str
    retriever: str
    reads_from: str = ""
    """The engine whose texts readers get, if it is another than was searched."""

    @property
    def reads_otherwise(self) -> bool:
        """Whether page texts differ from those without it; so it is for :data:`ORACLE`."""
        return self.engine != self.base_engine or self.name == ORACLE

    @property
    def searches_otherwise(self) -> bool:
        """Whether the retriever differs."""
        return self.retriever != self.base_retriever


@dataclass(frozen=True)
class Bench:
    """The study that measures all arms, the arms, and a line for each that does not apply."""

    config: StudyConfig
    arms: tuple[Arm, ...]
    left_out: tuple[str, ...]


def bench_of(config: StudyConfig, arms: str, second: str) -> Bench:
    """Add to a study the engines and retrievers of the arms, for each of its own.

    ``arms`` are mitigations, separated by commas; several joined by ``+`` are one arm, taken in
    that order. ``second`` is the engine beside the study's for those that fuse texts: a name, or
    ``{name: …, params: {…}}``. Raises ConfigError, for example if no arm applies.
    """
    other = _second(second)
    engines: dict[str, PluginSpec] = {spec.label: spec for spec in config.engines}
    retrievers: dict[str, PluginSpec] = {spec.label: spec for spec in config.retrievers}
    read = [spec for spec in config.engines if _reads_images(spec)]
    if not read:
        raise ConfigError("no engine reads page images: set engines=[…], such as [tesseract]")
    searches = {"retrieval", "overall"} & set(config.stages)
    base_retrievers = list(config.retrievers) if searches else [PluginSpec(name="")]
    chosen: list[Arm] = []
    elsewhere = False
    left_out: dict[str, None] = {}
    for name, steps in _parsed(arms):
        changes = [step for step in steps if _is(step, RetrieverChange)]
        if name == READ_FROM and "overall" not in config.stages:
            left_out[f"{name}: the study has no stage overall"] = None
            continue
        if changes and not searches:
            left_out[f"{name}: the study has no retrieval"] = None
            continue
        for engine in read:
            around = [step for step in steps if step not in changes]
            takes_both = name == READ_FROM or any(_is(step, TextFusion) for step in around)
            if takes_both and other.label == engine.label:
                left_out[f"{name}: {engine.label} is itself the second engine"] = None
                continue
            read_by = _engine(engine, name, around, other)
            reads_from = other.label if name == READ_FROM else ""
            if reads_from:
                elsewhere = True
                engines.setdefault(other.label, other)
            for retriever in base_retrievers:
                try:
                    searched_by = _retriever(retriever, name, changes)
                except ConfigError as error:
                    left_out[f"{name}: {error}"] = None
                    continue
                if searches:
                    retrievers.setdefault(searched_by.label, searched_by)
                engines.setdefault(read_by.label, read_by)
                chosen.append(
                    Arm(
                        name=name,
                        base_engine=engine.label,
                        base_retriever=retriever.label if searches else "",
                        engine=read_by.label,
                        retriever=searched_by.label if searches else "",
                        reads_from=reads_from,
                    )
                )
    if not chosen:
        raise ConfigError(f"no arm applies: {'; '.join(left_out)}")
    update: dict[str, Any] = {"engines": tuple(engines.values())}
    if elsewhere:
        update["read_from"] = tuple(dict.fromkeys([*config.read_from, other.label]))
    if searches:
        update["retrievers"] = tuple(retrievers.values())
    return Bench(config.model_copy(update=update), tuple(chosen), tuple(left_out))


def _second(text: str) -> PluginSpec:
    try:
        return PluginSpec.parse(parse_yaml(text) if text.startswith("{") else text)
    except ValueError as error:
        raise ConfigError(f"--second: {error}") from error


def _parsed(arms: str) -> list[tuple[str, list[PluginSpec]]]:
    """The name of each arm, and its mitigations."""
    parsed = []
    for spec in parse_plugins("arm", arms):
        # A dotted path names a class; a plus can only join names.
        whole = spec.params or spec.argument is not None
        parts = [spec] if whole else [PluginSpec(name=name) for name in spec.name.split("+")]
        steps = [step for step in parts if step.name not in ALONE]
        if len(steps) < len(parts) > 1:
            raise ConfigError(f"arm {spec.label!r}: {', '.join(ALONE)} cannot be joined")
        for step in steps:
            registry.create("mitigation", step)
        parsed.append((spec.label, steps))
    return parsed


def _reads_images(spec: PluginSpec) -> bool:
    engine = registry.create("engine", spec)
    return isinstance(engine, OcrBackend) and "image" in engine.accepts


def _is(step: PluginSpec, kind: type) -> bool:
    return issubclass(registry.plugin_class("mitigation", step.name), kind)


def _engine(
    engine: PluginSpec, name: str, steps: Sequence[PluginSpec], second: PluginSpec
) -> PluginSpec:
    """The engine of an arm: repairs of images, then a fusion, then repairs of the text."""
    fusions = [step for step in steps if _is(step, TextFusion)]
    if len(fusions) > 1:
        raise ConfigError(f"arm {name!r} fuses texts twice")
    before = [step for step in steps if _is(step, ImageRepair)]
    after = [step for step in steps if _is(step, TextRepair)]
    if [*before, *fusions, *after] != list(steps):
        raise ConfigError(
            f"arm {name!r}: name what repairs images first, then what fuses texts, then what "
            "repairs texts"
        )
    if not steps:
        return engine
    inner = _plain(engine)
    if fusions:
        engines = [_repaired(part, before) for part in (inner, _plain(second))]
        inner = {"name": "fused", "params": {"engines": engines, "method": _plain(fusions[0])}}
        before = []
    whole = _repaired(inner, [*before, *after])
    return PluginSpec.parse({**whole, "label": f"{engine.label} + {name}"})


def _repaired(engine: dict[str, Any], steps: Iterable[PluginSpec]) -> dict[str, Any]:
    parts = [_plain(step) for step in steps]
    if not parts:
        return engine
    return {"name": "repaired", "params": {"engine": engine, "steps": parts}}


def _plain(spec: PluginSpec) -> dict[str, Any]:
    """A specification without its label, so that equal engines are equal."""
    return spec.model_dump(exclude={"label"}, exclude_none=True)


def _retriever(retriever: PluginSpec, name: str, changes: Sequence[PluginSpec]) -> PluginSpec:
    if not changes:
        return retriever
    plugin, params = retriever.name, dict(retriever.params)
    if retriever.argument is not None:
        raise ConfigError(f"retriever {retriever.label!r}: write its argument as a parameter")
    for step in changes:
        change = registry.create("mitigation", step)
        assert isinstance(change, RetrieverChange)  # the caller has chosen these
        plugin, params = change.retriever(plugin, params)
    return PluginSpec(name=plugin, params=params, label=f"{retriever.label} + {name}")
