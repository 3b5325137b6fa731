"""Questions put to a language model over passages; what it writes wrongly it may mend once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ohr.errors import EngineError, LateError
from ohr.plugins import Chat, Completion, Message, SystemReply
from ohr.types import Answer, Outcome, Status
from rag.systems._at_once import replies
from rag.systems._attributed import SCHEMA, Attributed, instructions, parsed
from rag.systems._passage_frames import defused, documents_of, framed
from rag.systems._passages import Passage

_MEND = (
    "That cannot be read: {fault}. Write the JSON object alone, with the fields short_answer, "
    "quote, document, page and headers."
)


def asked_of_model(
    chat: Chat,
    questions: Sequence[str],
    passages: Sequence[Sequence[Passage]],
    temperature: float,
    seed: int,
    max_tokens: int,
) -> Iterator[SystemReply]:
    """Replies as they come, as many at once as the model's reader allows.

    Counted in ``usage``: ``replies_mended``, ``replies_malformed`` (also when asked again: an
    error outcome). Raises MissingDependencyError. Left early, it asks nothing more.
    """
    ask = partial(_ask, chat, temperature=temperature, seed=seed, max_tokens=max_tokens)
    calls = [
        partial(_replied, index, ask, question, shown)
        for index, (question, shown) in enumerate(zip(questions, passages, strict=True))
    ]
    yield from replies(calls, chat.at_once)


def _replied(
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
    user = f"{framed(passages)}\n\n<question>{defused(question)}</question>"
    messages = [Message("system", instructions()), Message("user", user)]
    usage: Counter[str] = Counter()

    def complete() -> Completion:
        answer = chat.complete(
            messages, schema=SCHEMA, max_tokens=max_tokens, temperature=temperature, seed=seed
        )
        usage.update(dict(answer.usage))
        return answer

    try:
        written = complete()
        if written.why_empty:
            return Outcome(Answer(""), Status.EMPTY, written.why_empty), dict(usage)
        read = parsed(written.text)
        if not isinstance(read, Attributed):
            messages += [Message("assistant", written.text)]
            messages += [Message("user", _MEND.format(fault=defused(read)))]
            read = parsed(complete().text)
            usage["replies_mended" if isinstance(read, Attributed) else "replies_malformed"] += 1
    except LateError as error:
        return Outcome.timeout(str(error)), dict(usage)
    except EngineError as error:
        return Outcome.error(str(error)), dict(usage)
    if not isinstance(read, Attributed):
        return Outcome.error(f"the reply cannot be read: {read}"), dict(usage)
    return Outcome(read.answer(documents_of(passages), ())), dict(usage)
