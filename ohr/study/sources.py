"""The source files of a study's plug-ins from outside the project, for the manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ohr import registry
from ohr.plugins import Plugin, source_of
from ohr.study.plan import Plan


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
