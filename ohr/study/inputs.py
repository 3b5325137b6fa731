"""The inputs of a study (options, data, plug-ins, code, packages): a digest, and source files.

Two studies with the same digest have the same results. The digest depends on the bytes of files,
not on their times.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from ohr import registry
from ohr.errors import OhrError
from ohr.plugins import KnowledgeBaseSource, Plugin, source_of
from ohr.plugins.sources import PROJECT
from ohr.store.identity import digest, file_digest
from ohr.store.versions import versions
from ohr.study.checks import needs_reader, needs_retrieval, plugged_systems
from ohr.study.config import StudyConfig
from ohr.study.judge import make_judge
from ohr.study.metrics import make_metrics
from ohr.study.plan import Plan
from ohr.study.published import apply_protocol


def study_digest(config: StudyConfig, without: Iterable[Path] = ()) -> str | None:
    """The digest of a study, or None if its inputs are not fully known.

    They are not known if a plug-in from outside the project loads the dataset or a knowledge base,
    if a plug-in cannot be made, or if a file cannot be read. ``without`` are folders to skip, which
    hold results or a cache.
    """
    try:
        plugins = _plugins(config)
        if plugins is None:
            return None
        inputs = {str(path): _contents(path, without) for path in sorted(_paths(config))}
        parts = [
            config.model_dump(mode="json"),
            [[kind, plugin.identity()] for kind, plugin in plugins],
            inputs,
            versions(),
            _code(),
        ]
        return digest(parts)
    except (OhrError, OSError, ValueError, TypeError):
        return None  # the study itself reports what is wrong


def _plugins(config: StudyConfig) -> list[tuple[str, Plugin]] | None:
    """The plug-ins of a study with their kinds; None if one reads files that no option names."""
    if not _is_own(registry.plugin_class("dataset", config.dataset.kind)):
        return None
    engines = [registry.create("engine", spec) for spec in config.engines]
    if any(
        isinstance(engine, KnowledgeBaseSource) and not _is_own(type(engine)) for engine in engines
    ):
        return None
    chunkers, retrievers = apply_protocol(config)
    used = {
        "perturbation": config.noise,
        "chunker": chunkers,
        "retriever": retrievers.values() if needs_retrieval(config) else (),
        "reader": config.readers if needs_reader(config) else (),
        "system": plugged_systems(config),
    }
    plugins: list[tuple[str, Plugin]] = [("engine", engine) for engine in engines]
    for kind, specs in used.items():
        plugins += [(kind, registry.create(kind, spec)) for spec in specs]
    plugins += [("metric", metric) for metric in make_metrics(config).values()]
    if config.judge is not None:
        plugins.append(("judge", make_judge(config.judge)))
    return plugins


def _is_own(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in PROJECT


def _paths(config: StudyConfig) -> set[Path]:
    """Files and folders that the options of a study name, without those inside another of them."""
    dataset = config.dataset
    named = [dataset.path, dataset.questions, dataset.pdfs, dataset.rewritten, dataset.verdicts]
    paths = {path for path in (*named, config.calibration) if path is not None}
    options = [dataset.params, *(spec.params for spec in config.engines)]
    texts = {text for params in options for text in _texts(params)}
    texts |= {spec.argument for spec in config.engines if spec.argument}
    for path in (Path(text).expanduser() for text in texts if text and "\0" not in text):
        places = [path] if dataset.path is None else [path, dataset.path / path]
        paths.update(place for place in places if place.exists())
    return {path for path in paths if paths.isdisjoint(path.parents)}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _contents(path: Path, without: Iterable[Path] = ()) -> object:
    """The digest of a file; of a folder, the digests of all files below it, by relative path."""
    if path.is_file():
        return file_digest(path)
    passed = {os.path.realpath(folder) for folder in without}
    files: dict[str, str] = {}
    seen: set[str] = set()
    for folder, inner, names in os.walk(path, followlinks=True):
        real = os.path.realpath(folder)
        inner[:] = sorted(
            name
            for name in inner
            if name != "__pycache__" and os.path.realpath(os.path.join(folder, name)) not in passed
        )
        if real in seen:  # a link that leads back
            inner.clear()
        seen.add(real)
        for name in sorted(names):
            file = os.path.join(folder, name)  # thousands of files: a Path each takes as long
            if os.path.isfile(file):
                below = file[len(os.fspath(path)) :].lstrip(os.sep)
                files[below.replace(os.sep, "/")] = file_digest(file)
    return files


def _code() -> dict[str, object]:
    """The digests of the project's files: an edit need not change a version."""
    return {
        package: [_contents(Path(place)) for place in spec.submodule_search_locations or ()]
        for package in sorted(PROJECT)
        if (spec := find_spec(package)) is not None
    }


# --- files of plug-ins from outside the project ---------------------------------------------


def plugin_sources(plan: Plan) -> dict[str, str]:
    """Module -> digest of its file, for every plug-in from outside the project, sorted.

    The identity of a plug-in covers its parts, such as the retrievers of a hybrid.
    """
    operators = [v.noise.operator for v in plan.variants if v.noise.operator is not None]
    plugins: list[Plugin] = [
        *plan.engines.values(),
        *(registry.create("perturbation", operator) for operator in operators),
        *plan.chunkers.values(),
        *plan.retrievers.values(),
        *plan.readers.values(),
        *plan.systems.values(),
        *plan.metrics.values(),
        *([plan.judge] if plan.judge is not None else []),
    ]
    identities: list[object] = [plugin.identity() for plugin in plugins]
    identities.append(source_of(registry.plugin_class("dataset", plan.config.dataset.kind)))
    return dict(sorted(_sources(identities)))


def part_identities(plan: Plan) -> dict[str, dict[str, dict[str, object]]]:
    """Identities, with every parameter, of chunkers, retrievers and noises, each by its label."""
    operators = {v.noise.name: v.noise.operator for v in plan.variants if v.noise.operator}
    noises = {name: registry.create("perturbation", spec) for name, spec in operators.items()}
    kinds: Mapping[str, Mapping[str, Plugin]] = {
        "noises": noises,
        "chunkers": plan.chunkers,
        "retrievers": plan.retrievers,
    }
    return {
        kind: {label: plugin.identity() for label, plugin in plugins.items()}
        for kind, plugins in kinds.items()
    }


def _sources(value: object) -> Iterator[tuple[str, str]]:
    """Pairs of module and digest anywhere in an identity."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name == "sources" and isinstance(part, Mapping):
                yield from part.items()
            else:
                yield from _sources(part)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for part in value:
            yield from _sources(part)
