"""Recognises API keys where the name of an environment variable belongs, and masks them."""

from __future__ import annotations

import re

MASK = "[key]"
SHORTEST_KEY = 16
"""Keys of all known services are longer."""
_LONGEST_WORD = 15
_WORD = re.compile(r"[A-Z]?[a-z]*[0-9]{0,3}|[A-Z]*[0-9]{0,3}")
_PREFIXES = (
    *("sk", "pk", "rk", "hf", "gsk", "xai", "ghp", "gho", "glpat", "nvapi", "pplx", "r8", "fw"),
    *("tgp", "dop", "esecret", "github_pat"),
)
"""How keys of known services begin, before ``-`` or ``_``."""
_BEGINS = re.compile(rf"(?:{'|'.join(_PREFIXES)})[-_]|AIza|eyJ")
_KNOWN = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:{'|'.join(_PREFIXES)})[-_]|AIza|eyJ)[A-Za-z0-9_.-]{{14,}}"
)
_NAMED = re.compile(r"""(api[_-]?key\w*["']?\s*[:=]\s*["']?)([^\s"',}\])]+)""", re.IGNORECASE)
# Of all three kinds of characters, as random text is. Digests have no capitals.
_RANDOM = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[0-9])"
    r"[A-Za-z0-9]{24,}"
)


def is_plain_name(name: str) -> bool:
    """Whether a text is plainly a name: words in one case or with a capital, and short numbers."""
    return len(name) < SHORTEST_KEY or (
        not _BEGINS.match(name)
        and all(
            len(part) <= _LONGEST_WORD and _WORD.fullmatch(part) is not None
            for word in name.split("_")
            for part in re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", word).split()
        )
    )


def hide_keys(text: str) -> str:
    """A text with ``[key]`` in place of what looks like an API key, for messages."""
    text = _NAMED.sub(lambda match: match[0] if is_plain_name(match[2]) else match[1] + MASK, text)
    return _RANDOM.sub(MASK, _KNOWN.sub(MASK, text))
