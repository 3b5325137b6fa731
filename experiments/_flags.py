"""The arguments of a command in one form: each option once, each list item alone.

A study's options are flags too: ``--dpi 100`` is ``dpi=100``, ``--engines a,b`` is ``engines=a,b``.
They come from the fields of :class:`ohr.study.config.StudyConfig`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ohr.errors import ConfigError
from ohr.files.typed_lists import split_list


@dataclass(frozen=True)
class Own:
    """How an option of the command itself takes values."""

    name: str
    """The first of its names, such as ``--engines`` of ``--engine``."""
    is_switch: bool
    is_repeated: bool = False
    """Whether each use adds an item."""
    is_joined: bool = False
    """Whether its text is a list."""
    is_path: bool = False


def normalise(arguments: Sequence[str], own: Mapping[str, Own], of_study: bool) -> list[str]:
    """The arguments, with lists taken apart or joined, and flags of a study as ``key=value``.

    Raises ConfigError for an option given twice that takes one value, for a flag without its value,
    and for a switch with a value other than ``true`` and ``false``.
    """
    out: list[str] = []
    where: dict[str, int] = {}
    rest = deque(arguments)
    while rest:
        argument = rest.popleft()
        flag, equals, value = argument.partition("=")
        if argument == "--":
            return [*out, argument, *rest]
        if (option := own.get(flag)) is not None:
            if option.name in where and not (option.is_repeated or option.is_joined):
                raise ConfigError(f"{flag} is given twice: keep one")
            if option.is_switch:
                where[option.name] = len(out)
                out.append(argument)
                continue
            if not equals and not rest:
                return [*out, argument]
            value = value if equals else rest.popleft()
            if option.is_joined and option.name in where:
                out[where[option.name]] += f",{value}"
                continue
            is_split = option.is_repeated and not option.is_path
            for item in split_list(value) if is_split else [value]:
                out.append(f"{flag}={item}")
                where[option.name] = len(out) - 1
        elif of_study and (key := study_key(flag)) is not None:
            if not equals and not _is_switch(key) and rest and not rest[0].startswith("--"):
                value = rest.popleft()
                equals = "="
            out.append(f"{key}={_value(flag, key, value if equals else None)}")
        else:
            out.append(argument)
    return out


def flags() -> dict[str, str]:
    """Every flag of a study, and its help."""
    from ohr.display.options import option_table

    return {
        flag_name(option.key): option.meaning
        for options in option_table().values()
        for option in options
    }


def flag_name(key: str) -> str:
    """``top_k`` -> ``--top-k``."""
    return "--" + key.replace("_", "-")


def study_key(flag: str) -> str | None:
    """The dotted key of a study's flag; None if there is no such option."""
    from ohr.study.config import option_type

    if not flag.startswith("--"):
        return None
    key = _key(flag)
    if option_type(key) is not None:
        return key
    positive = key.removeprefix("no_")
    return positive if positive != key and _is_switch(positive) else None


def _value(flag: str, key: str, value: str | None) -> str:
    if not _is_switch(key):
        if value is None:
            raise ConfigError(f"{flag} needs a value, such as {flag} VALUE")
        return value
    is_on = key == _key(flag)
    if value is None:
        return str(is_on).lower()
    if not is_on or value not in ("true", "false"):
        raise ConfigError(
            f"{flag} is a switch: write it without a value, or --no{flag_name(key)[1:]}"
        )
    return value


def _is_switch(key: str) -> bool:
    from ohr.study.config import option_type
    from ohr.study.option_values import is_switch

    annotation: Any = option_type(key)
    return annotation is not Any and is_switch(annotation)


def _key(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")
