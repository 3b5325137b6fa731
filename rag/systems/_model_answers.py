"""Asks a language model over passages; it may correct a malformed reply once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ohr.errors import EngineError, LateError
from ohr.plugins import Chat, Completion, Message, SystemReply
from ohr.types import Answer, Outcome, Status
from rag.systems._at_once import run_calls
from rag.systems._attributed import SCHEMA, Attributed, instructions, parse_reply
from rag.systems._passage_frames import documents_of, escape_tags, frame_passages
from rag.systems._passages import Passage

_RETRY = (
    "That cannot be read: {fault}. Write the JSON object alone, with the fields short_answer, "
    "quote, document, page and headers."
)


def ask_model(
    chat: Chat,
    questions: Sequence[str],
    passages: Sequence[Sequence[Passage]],
    temperature: float,
    seed: int,
    max_tokens: int,
) -> Iterator[SystemReply]:
    """Replies as they come; the model's reader limits how many questions are asked at once.

    Counted in ``usage``: ``replies_fixed`` and ``replies_malformed`` (malformed twice, which is an
    error outcome). Raises MissingDependencyError. If it is closed early, it asks nothing more.
    """
    ask = partial(_ask, chat, temperature=temperature, seed=seed, max_tokens=max_tokens)
    calls = [
        partial(_reply, index, ask, question, shown_passages)
        for index, (question, shown_passages) in enumerate(zip(questions, passages, strict=True))
    ]
    yield from run_calls(calls, chat.at_once)


def _reply(
    index: int,
    ask: Callable[[str, Sequence[Passage]], tuple[Outcome[Answer], dict[str, float]]],
    question: str,
    passages: Sequence[Passage],
) -> SystemReply:
    return SystemReply(index, *ask(question, passages))


def _ask(
    chat: Chat,
    question: str,
    passages: Sequence[Passage],
    *,
    temperature: float,
    seed: int,
    max_tokens: int,
) -> tuple[Outcome[Answer], dict[str, float]]:
    if not passages:
        return Outcome(Answer("")), {}
    user = f"{frame_passages(passages)}\n\n<question>{escape_tags(question)}</question>"
    messages = [Message("system", instructions()), Message("user", user)]
    usage: Counter[str] = Counter()

    def complete() -> Completion:
        answer = chat.complete(
            messages, schema=SCHEMA, max_tokens=max_tokens, temperature=temperature, seed=seed
        )
        usage.update(dict(answer.usage))
        return answer

    try:
        completion = complete()
        if completion.why_empty:
            return Outcome(Answer(""), Status.EMPTY, completion.why_empty), dict(usage)
        parsed = parse_reply(completion.text)
        if not isinstance(parsed, Attributed):
            messages += [Message("assistant", completion.text)]
            messages += [Message("user", _RETRY.format(fault=escape_tags(parsed)))]
            parsed = parse_reply(complete().text)
            usage["replies_fixed" if isinstance(parsed, Attributed) else "replies_malformed"] += 1
    except LateError as error:
        return Outcome.timeout(str(error)), dict(usage)
    except EngineError as error:
        return Outcome.error(str(error)), dict(usage)
    if not isinstance(parsed, Attributed):
        return Outcome.error(f"the reply cannot be read: {parsed}"), dict(usage)
    return Outcome(parsed.answer(documents_of(passages), ())), dict(usage)
