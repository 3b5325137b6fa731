"""LaTeX commands that stand for one character, and back.

The table ``symbols.json`` lists commands of LaTeX, amsmath and amssymb with the Unicode
character of each. Of several commands for one character the first listed is preferred.
"""

from __future__ import annotations

import json
from importlib.resources import files

COMMAND_TO_CHAR: dict[str, str] = json.loads(
    files("ohr.markup").joinpath("symbols.json").read_text("utf-8")
)
"""Command without its backslash -> one character."""

CHAR_TO_COMMAND: dict[str, str] = {
    char: command for command, char in reversed(COMMAND_TO_CHAR.items())
}
"""Character -> the preferred command for it, without its backslash."""
