"""A model's answer with its source, in JSON: what it is asked for, and what it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ohr.models.replies import objects_in, without_thoughts
from ohr.plugins.base import first_error
from ohr.types import Answer, PageRef
from rag.systems._passage_frames import as_it_stood

_LONGEST = 20_000
"""Characters looked at of what a model wrote."""


class Attributed(BaseModel):
    """An answer in the form that prototypes ask for."""

    model_config = ConfigDict(extra="ignore")

    short_answer: str
    quote: str
    page: int = Field(ge=0, le=1_000_000)
    headers: list[str]
    document: int = Field(1, ge=0, le=1_000_000)

    def answer(self, documents: Sequence[str], trace: Sequence[str]) -> Answer:
        """The answer, its page in the document of that number; of none where there is no such."""
        sources: tuple[PageRef, ...] = ()
        if self.page >= 1 and 1 <= self.document <= len(documents):
            sources = (PageRef(documents[self.document - 1], self.page - 1),)
        titles = (" ".join(as_it_stood(title).split()) for title in self.headers)
        return Answer(
            " ".join(self.short_answer.split()),
            " ".join(as_it_stood(self.quote).split()),
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
"""What a server that can hold a model to a schema is told."""


@cache
def instructions() -> str:
    """The system message."""
    path = files("rag.systems") / "prompt_texts" / "attributed.txt"
    return path.read_text("utf-8").strip()


def parsed(written: str) -> Attributed | str:
    """The answer in what a model wrote, or what is wrong with it, in one line.

    Thoughts, a fence and words around the object are passed over, and so is what a model that
    does not end writes after it.
    """
    text = without_thoughts(written)[:_LONGEST]
    first, last = text.find("{"), text.rfind("}")
    if first < 0 or last < first:
        return "there is no JSON object in it"
    try:
        return Attributed.model_validate_json(text[first : last + 1])
    except ValidationError as error:
        fault = first_error(error)[:300]
    return next(filter(None, map(_attributed, objects_in(text))), fault)


def _attributed(value: object) -> Attributed | None:
    try:
        return Attributed.model_validate(value)
    except ValidationError:
        return None
