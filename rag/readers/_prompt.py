"""Prompts for language models, and the answers in what they write.

The built-in prompts have the same intent as those of OHR-Bench (table S12: answer from what was
retrieved, in very few words, between tags), in our own words. ``ohrbench`` has its form, too: the
same parts in the same order, without examples, and the same tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from ohr.errors import ConfigError
from ohr.models.replies import drop_thoughts
from ohr.types import Hit

BUILT_IN = ("few_shot", "answer", "ohrbench", "judge", "rewrite", "unifiedqa")
BARE = frozenset({"unifiedqa"})
"""Built-in prompts of models that were trained on plain lower-case text (Khashabi et al. 2022)."""
NOTHING = "(none: answer from what you know)"
"""Stands in for the passages when there are none."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_PLACEHOLDERS = ("question", "context")
_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_EXAMPLE = re.compile(r"^===[ \t]*$", re.MULTILINE)
_ANSWER = re.compile(r"<(answer|response)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Example:
    """A question with its answer."""

    context: str
    question: str
    answer: str


@dataclass(frozen=True)
class Prompt:
    """A system message, perhaps empty, and a user's with ``{question}`` and ``{context}``.

    ``examples`` stand before the question as turns of their own. A ``bare`` prompt has question
    and passages in lower case, on one line, and the passages without numbers.
    """

    system: str
    user: str
    examples: tuple[Example, ...] = ()
    bare: bool = False

    def prepare(self, question: str, context: Sequence[Hit]) -> tuple[str, str]:
        """A question and its passages in the form of the prompt."""
        if not self.bare:
            return question, passages(context)
        return _join_lines(question), " ".join(_join_lines(hit.text) for hit in context)

    def messages(self, question: str, context: str) -> list[dict[str, str]]:
        """The conversation up to the model's turn."""
        turns = [("system", self.system)] if self.system else []
        for example in self.examples:
            turns += [("user", self._fill(example.question, example.context))]
            turns += [("assistant", example.answer)]
        turns += [("user", self._fill(question, context))]
        return [{"role": role, "content": content} for role, content in turns]

    def plain(self, question: str, context: str) -> str:
        """The same for a model that knows no roles."""
        examples = [
            f"{self._fill(example.question, example.context)} {example.answer}"
            for example in self.examples
        ]
        parts = [self.system, *examples, self._fill(question, context)]
        return "\n\n".join(filter(None, parts))

    def extract_answer(self, written: str, *, plain: bool = False) -> str:
        """The answer in what a model wrote; a ``plain`` model may go on with examples."""
        if plain and self.examples:
            written = written.strip().partition("\n\n")[0]
        return extract_answer(written)

    def _fill(self, question: str, context: str) -> str:
        # In one pass: a question that says {context} stays as it is.
        values = {"question": question, "context": context or ("" if self.bare else NOTHING)}
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.user)


def load_prompt(prompt: str) -> Prompt:
    """A built-in prompt, or that of a UTF-8 file.

    A line ``---`` ends the system message. ``{question}`` and ``{context}`` must both be in
    the user's part, without any other word in braces. A line ``===`` begins an example: its
    passages, its question and its answer, with a line ``---`` between them. Raises ConfigError.
    """
    if prompt in BUILT_IN:
        loaded = _parse(_built_in(prompt), f"prompt {prompt!r}")
        return replace(loaded, bare=prompt in BARE)
    try:
        return _parse(Path(prompt).expanduser().read_text("utf-8-sig"), f"prompt file {prompt}")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ConfigError(
            f"prompt {prompt!r} is neither built in ({', '.join(BUILT_IN)}) nor a file that can "
            f"be read: {reason}"
        ) from error


@cache
def _built_in(name: str) -> str:
    path = files("rag.readers") / "prompt_texts" / f"{name}.txt"
    return path.read_text(encoding="utf-8")


def _parse(text: str, where: str) -> Prompt:
    text, *examples = _EXAMPLE.split(text)
    system, *user = _RULE.split(text, maxsplit=1)
    prompt = Prompt(
        system.strip() if user else "",
        (user[0] if user else text).strip(),
        tuple(
            _parse_example(number, example, where)
            for number, example in enumerate(examples, start=1)
        ),
    )
    placeholders = _PLACEHOLDER.findall(prompt.user)
    if missing := [name for name in _PLACEHOLDERS if name not in placeholders]:
        raise ConfigError(f"{where} lacks {{{missing[0]}}}, where the {missing[0]} goes")
    unknown = [name for name in placeholders if name not in _PLACEHOLDERS]
    if unknown := unknown + _PLACEHOLDER.findall(prompt.system):
        raise ConfigError(
            f"{where}: {{{unknown[0]}}} has no place there; "
            "{question} and {context} belong below the line ---"
        )
    return prompt


def _parse_example(number: int, text: str, where: str) -> Example:
    parts = [part.strip() for part in _RULE.split(text)]
    if len(parts) != 3 or not all(parts[1:]):
        raise ConfigError(
            f"{where}: example {number} needs its passages, its question and its answer, "
            "with a line --- between them"
        )
    return Example(*parts)


def _join_lines(text: str) -> str:
    return " ".join(text.lower().split())


def passages(context: Sequence[Hit]) -> str:
    """The texts of the context, numbered from 1, best first; empty without any text."""
    texts = [hit.text.strip() for hit in context]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1) if text)


def extract_answer(text: str) -> str:
    """What a model wrote between the last tags, or all of it without tags.

    Its thoughts are not part of the answer.
    """
    text = drop_thoughts(text)
    answers = [match[2] for match in _ANSWER.finditer(text)]
    return (answers[-1] if answers else text).strip()
