"""The base of every plug-in: name, version, parameters, identity."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Generic, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import TypeVar

from ohr.errors import PluginError
from ohr.plugins.sources import read_sources, source_of


class Params(BaseModel):
    """Parameters of a plug-in: immutable, no unknown names, no infinity or NaN."""

    # Its own errors would show the input, which may be a key.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )


P = TypeVar("P", bound=BaseModel, covariant=True, default=BaseModel)
"""The parameters of a plug-in. Without brackets any parameters match: ``Reader`` is any reader."""


class Plugin(Generic[P]):
    """Base of every plug-in. ``class Mine(Reader[MineParams])`` has the parameters MineParams.

    Defining a class without a name, or without a method that its hook requires, raises
    PluginError; in a file of plug-ins, only when that class is used, since the others may be
    complete. An incomplete base class is declared ``class Base(Reader, abstract=True)``.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    argument: ClassVar[str | None] = None
    """The parameter that ``name:value`` sets, as in ``precomputed:MinerU``."""
    either: ClassVar[tuple[str, ...]] = ()
    """Methods of which a plug-in must define at least one: the defaults call each other."""

    Params: ClassVar[type[BaseModel]] = Params

    def __init__(self, params: P | None = None) -> None:
        self.params: P = params if params is not None else cast(P, self.Params())

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "Params" not in vars(cls):
            model = type_argument(cls, Plugin, 0)
            model = getattr(model, "__default__", model)
            if isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel:
                cls.Params = model
        if not abstract:
            check_class(cls, _check_complete)
        read_sources(cls, Plugin)

    @classmethod
    def stand_in(cls, params: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
        """The registered name and the parameters of a plug-in that takes over, or None.

        For example the one that asks a server, where ``model`` is the address of a server.
        """
        return None

    def identity(self) -> dict[str, object]:
        """Name, version and parameters as plain JSON; equal identities give equal output.

        For a class from outside the project, also its module and the digests of its sources, so
        that results of an edited class are never taken from the cache. An override extends
        ``super().identity()``.
        """
        return {
            "name": self.name,
            "version": self.version,
            "params": self.params.model_dump(mode="json"),
            **source_of(type(self)),
        }


_defers: ContextVar[bool] = ContextVar("defers", default=False)
_DEFECT = "_defect_of_class"


@contextmanager
def deferred_checks() -> Iterator[None]:
    """Inside, a class that is no complete plug-in raises when it is used, not when it is defined.

    For modules that are imported for one of their classes.
    """
    token = _defers.set(True)
    try:
        yield
    finally:
        _defers.reset(token)


def check_class(cls: type, check: Callable[[Any], object]) -> None:
    """Call a check of a class that is being defined, which raises PluginError."""
    try:
        check(cls)
    except PluginError as error:
        if not _defers.get():
            raise
        setattr(cls, _DEFECT, str(error))


def check_usable(cls: type) -> None:
    """Raise PluginError for a class whose check failed when it was defined."""
    if (defect := vars(cls).get(_DEFECT)) is not None:
        raise PluginError(str(defect))


def type_argument(cls: type, root: type, index: int) -> object:
    """The argument that a class gives for a type variable of its base ``root``, or None.

    If the class leaves it open, the type variable itself.
    """
    for base in vars(cls).get("__orig_bases__", ()):
        origin, arguments = get_origin(base), get_args(base)
        if origin is root:
            argument: object = arguments[index]
            return argument
        if isinstance(origin, type) and issubclass(origin, root):
            parameters = getattr(origin, "__parameters__", ())
            inner = type_argument(origin, root, index)
            if inner in parameters:
                return cast(object, arguments[parameters.index(inner)])
    return None


def _check_complete(cls: type[Plugin]) -> None:
    """Raise PluginError for a class without a name, or without a method of its hook."""
    where = f"plug-in {cls.__module__}.{cls.__qualname__}"
    if not isinstance(getattr(cls, "name", None), str) or not cls.name:
        raise PluginError(f'{where} has no name: give it one, as name = "{cls.__name__.lower()}"')
    for method in dir(cls):
        if getattr(getattr(cls, method, None), "__isabstractmethod__", False):
            raise PluginError(f"{where} lacks a method: {_looks_of(cls, method)}")
    if cls.either:
        hook = next(base for base in cls.__mro__ if "either" in vars(base))
        if all(getattr(cls, method) is getattr(hook, method) for method in cls.either):
            ways = " or ".join(_looks_of(cls, method) for method in cls.either)
            raise PluginError(f"{where} lacks a method: {ways}")


def _looks_of(cls: type, method: str) -> str:
    """``def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]``."""
    signature = inspect.signature(getattr(cls, method))
    return f"def {method}{signature}".replace("'", "")


def first_error(error: ValidationError) -> str:
    """The first problem of a pydantic error as ``field: message``."""
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
