"""A model's answer with its source in JSON: the instructions, and parsing the reply."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ohr.models.replies import drop_thoughts, objects_in
from ohr.plugins.base import first_error
from ohr.types import Answer, PageRef
from rag.systems._passage_frames import unescape_tags

_LONGEST = 20_000
"""Characters of a reply that are read."""


class Attributed(BaseModel):
    """An answer in the form that the prototypes ask for."""

    model_config = ConfigDict(extra="ignore")

    short_answer: str
    quote: str
    page: int = Field(ge=0, le=1_000_000)
    headers: list[str]
    document: int = Field(1, ge=0, le=1_000_000)

    def answer(self, documents: Sequence[str], trace: Sequence[str]) -> Answer:
        """The answer with its page; without a page if there is no document of its number."""
        sources: tuple[PageRef, ...] = ()
        if self.page >= 1 and 1 <= self.document <= len(documents):
            sources = (PageRef(documents[self.document - 1], self.page - 1),)
        titles = (" ".join(unescape_tags(title).split()) for title in self.headers)
        return Answer(
            " ".join(self.short_answer.split()),
            " ".join(unescape_tags(self.quote).split()),
            sources,
            tuple(trace),
            tuple(title for title in titles if title),
        )


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "short_answer": {"type": "string"},
        "quote": {"type": "string"},
        "document": {"type": "integer"},
        "page": {"type": "integer"},
        "headers": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["short_answer", "quote", "document", "page", "headers"],
    "additionalProperties": False,
}
"""The schema, for servers that can hold a model to one."""


@cache
def instructions() -> str:
    """The system message."""
    path = files("rag.systems") / "prompt_texts" / "attributed.txt"
    return path.read_text("utf-8").strip()


def parse_reply(written: str) -> Attributed | str:
    """The answer in a model's reply, or what is wrong with the reply, in one line.

    Thoughts, a fence and words around the object are ignored, and so is any text that a model
    writes after it.
    """
    text = drop_thoughts(written)[:_LONGEST]
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return "there is no JSON object in it"
    try:
        return Attributed.model_validate_json(text[start : end + 1])
    except ValidationError as error:
        fault = first_error(error)[:300]
    return next(filter(None, map(_validate, objects_in(text))), fault)


def _validate(value: object) -> Attributed | None:
    try:
        return Attributed.model_validate(value)
    except ValidationError:
        return None
