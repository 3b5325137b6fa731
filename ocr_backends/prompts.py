"""What vision-language models are asked, and what they wrap around their answer.

``simple`` and ``detailed`` have the intent of the two prompts compared in OHR-Bench (tables
S13 and S14), in words of our own; the detailed one read better there and is the default.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator

BUILT_IN = ("simple", "detailed")
FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n```)?", re.DOTALL)


def _known(prompt: str) -> str:
    # A word alone is a name: a misspelt one must not be sent as a prompt.
    if prompt not in BUILT_IN and len(prompt.split()) < 2:
        raise ValueError(
            f"unknown prompt {prompt!r}; known: {', '.join(BUILT_IN)}; "
            "a prompt of your own has more than one word"
        )
    return prompt


Prompt = Annotated[str, AfterValidator(_known)]
"""``simple``, ``detailed``, or a prompt of the user's own of two words or more."""


@cache
def prompt_text(prompt: str) -> str:
    """The words sent for a :data:`Prompt`."""
    if prompt not in BUILT_IN:
        return prompt
    path = files("ocr_backends") / "prompt_texts" / f"{prompt}.txt"
    return path.read_text(encoding="utf-8").strip()


def unfenced(text: str) -> str:
    """The text without a code fence around the whole of it, closed or cut off."""
    stripped = text.strip()
    whole = FENCED.fullmatch(stripped)
    return text if whole is None or "\n```" in whole[1] else whole[1]
