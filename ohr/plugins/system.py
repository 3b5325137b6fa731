"""The hook of whole systems, and of their stages."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import update_wrapper
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

from ohr.errors import ConfigError, MissingDependencyError, PluginError, StoreError
from ohr.plugins.base import P, Plugin
from ohr.plugins.sources import source_of_function
from ohr.store.artefacts import ArtefactStore
from ohr.types import Answer, Document, Outcome

A = ParamSpec("A")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SystemReply:
    """A system's outcome for the question with this index, and its cost."""

    index: int
    outcome: Outcome[Answer]
    usage: Mapping[str, float] = field(default_factory=dict)
    """Numbers that a run adds up: ``prompt_tokens``, ``completion_tokens``, ``cost`` and so on."""


class Stage(Generic[A, T]):
    """A costly step of a system, whose result is cached: see :func:`stage`."""

    def __init__(self, function: Callable[A, T], version: str) -> None:
        self.function = function
        self.version = version
        update_wrapper(self, function)
        # Read now: the file may be edited while Python runs.
        self._source = source_of_function(cast(FunctionType, function))

    def __call__(self, *args: A.args, **kwargs: A.kwargs) -> T:
        """Call the function, without the cache."""
        return self.function(*args, **kwargs)

    def identity(self) -> dict[str, object]:
        """Module, name and version, and the sources of a stage from outside the project.

        Equal identities and equal arguments give equal results.
        """
        return {
            "module": self.function.__module__,
            "name": self.function.__qualname__,
            "version": self.version,
            **self._source,
        }


def stage(*, version: str = "1") -> Callable[[Callable[A, T]], Stage[A, T]]:
    """Declare a function as a stage: systems that share it compute each result once.

    Write ``@ohr.plugins.stage(version="1")`` above ``def sections(text: str) -> list[str]``; in a
    system, ``self.once(sections, page.text)`` calls it. Arguments and results must be JSON values:
    texts, numbers, lists, and mappings with texts as keys.
    """

    def declare(function: Callable[A, T]) -> Stage[A, T]:
        return Stage(function, version)

    return declare


class System(Plugin[P], ABC, abstract=True):
    """A whole system: takes the documents of a knowledge base, returns answers."""

    note: str = ""
    """A caveat about its answers' scores, such as its reader's note, printed below every table and
    figure."""
    _store: ArtefactStore | None = None

    @abstractmethod
    def answer(self, question: str, documents: Sequence[Document]) -> Outcome[Answer]:
        """Answer a question from documents.

        Args:
            question: The question's text; its gold fields are never given.
            documents: Documents with the page texts of a knowledge base, without their PDFs and
                without pages that failed.
        """

    def answer_many(
        self, questions: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[SystemReply]:
        """Answers to many questions from the same documents, in any order, as they are ready.

        A system that can work on several questions at once overrides this. An exception of
        :meth:`answer` becomes that answer's error outcome, except ConfigError,
        MissingDependencyError and StoreError, which no question causes.
        """
        for index, question in enumerate(questions):
            yield SystemReply(index, self.answer_or_error(question, documents))

    def answer_or_error(self, question: str, documents: Sequence[Document]) -> Outcome[Answer]:
        """:meth:`answer`, with an exception as an error outcome."""
        try:
            return self.answer(question, documents)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:
            return Outcome.error(" ".join(f"{type(error).__name__}: {error}".split())[:500])

    def use_store(self, store: ArtefactStore) -> None:
        """Receive the store that keeps the results of stages from run to run."""
        self._store = store

    def once(self, stage: Stage[A, T], *args: A.args, **kwargs: A.kwargs) -> T:
        """A stage's result for these arguments, from the cache or computed.

        Raises PluginError for arguments or results that JSON cannot represent exactly.
        """
        if self._store is None:
            return stage(*args, **kwargs)
        key: dict[str, Any] = {"stage": stage.identity(), "args": list(args), "kwargs": kwargs}
        where = f"stage {stage.identity()['name']!r}"
        _check_json(f"{where}: its arguments", key)
        cached = self._store.get("stage", key)
        if cached is not None:
            return cached["result"]  # type: ignore[no-any-return]
        result = stage(*args, **kwargs)
        _check_json(f"{where}: its result", result)
        self._store.put("stage", key, {"result": result})
        return result


def _check_json(what: str, value: object) -> None:
    try:
        same = json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError) as error:
        raise PluginError(f"{what} cannot be kept as JSON: {error}") from error
    if not same:
        raise PluginError(
            f"{what} cannot be kept as JSON: use lists, not tuples, and texts as keys"
        )
