"""Names of environment variables that hold API keys, and keys typed in place of such a name."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from ohr.models.error_bodies import hide

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORD = re.compile(r"[A-Z]?[a-z]*[0-9]{0,3}|[A-Z]*[0-9]{0,3}")
_PREFIX = re.compile(r"(?:sk|pk|hf|gsk|xai|ghp|gho|nvapi|pplx|r8|rk|fw|tgp|esecret|dop|glpat)_")
"""How keys of known services begin."""
_LONGEST_WORD = 15
_SHORTEST_KEY = 16
_EXAMPLE = "such as api_key_env: OPENAI_API_KEY"


def key_name(value: Any) -> Any:
    """The name of an environment variable; other types as they are.

    Raises ValueError, which never quotes the value: it may be the key itself.
    """
    if not isinstance(value, str):
        return value
    if not _NAME.fullmatch(value):
        hide(value)
        looks = "looks like a key" if len(value) >= _SHORTEST_KEY else "is no such name"
        raise ValueError(
            f"the name of an environment variable, {_EXAMPLE}; what was given {looks} and is not "
            "shown"
        )
    if value not in os.environ and _looks_like_key(value):
        hide(value)
        raise ValueError(
            f"what was given looks like a key and is not shown: export it as an environment "
            f"variable and give the variable's name, {_EXAMPLE}"
        )
    return value


KeyName = Annotated[str, BeforeValidator(key_name)]
"""The name of an environment variable, never a key."""


def unset_key(name: str) -> str:
    """The error for a variable that is not set; it quotes only what is plainly a name."""
    if _is_plain_name(name):
        return f"no API key: the environment variable {name} is not set: export {name}=..."
    hide(name)
    return (
        "no API key: the environment variable that api_key_env names is not set (what was given "
        f"may be a key and is not shown): give a name, {_EXAMPLE}"
    )


def _is_plain_name(name: str) -> bool:
    """Whether a text consists of words, each in one case or with a capital, and short numbers."""
    return len(name) < _SHORTEST_KEY or (
        not _PREFIX.match(name)
        and all(
            len(part) <= _LONGEST_WORD and _WORD.fullmatch(part)
            for word in name.split("_")
            for part in re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", word).split()
        )
    )


def _looks_like_key(name: str) -> bool:
    """Whether a text is no plain name, and not all in capitals as most names are."""
    return not _is_plain_name(name) and name != name.upper()
