"""Names of environment variables that hold API keys, and keys typed in place of such a name."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from ohr.files.keys import SHORTEST_KEY, is_plain_name
from ohr.models.error_bodies import hide

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXAMPLE = "such as api_key_env: OPENAI_API_KEY"


def key_name(value: Any) -> Any:
    """The name of an environment variable; other types as they are.

    Raises ValueError, which never quotes the value: it may be the key itself.
    """
    if not isinstance(value, str):
        return value
    if not _NAME.fullmatch(value):
        hide(value)
        looks = "looks like a key" if len(value) >= SHORTEST_KEY else "is no such name"
        raise ValueError(
            f"give the name of an environment variable, {_EXAMPLE}; what was given {looks} and "
            "is not shown"
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
    if is_plain_name(name):
        return f"no API key: the environment variable {name} is not set: export {name}=..."
    hide(name)
    return (
        "no API key: the environment variable that api_key_env names is not set (what was given "
        f"may be a key and is not shown): give a name, {_EXAMPLE}"
    )


def _looks_like_key(name: str) -> bool:
    """Whether a text is no plain name, and not all in capitals as most names are."""
    return not is_plain_name(name) and name != name.upper()
