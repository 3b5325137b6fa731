"""A language model behind an OpenAI-compatible server (vLLM, llama.cpp, a provider ...)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, as_completed
from copy import copy
from functools import partial
from math import ceil
from typing import Any, Self

import numpy as np
from pydantic import Field

from ohr.errors import EngineError, LateError, MissingDependencyError
from ohr.models.chat import TRANSPORT, ChatParams, completion, log_chances, sent, tool_calls
from ohr.models.ends import CUT, FILTERED, is_known
from ohr.models.error_bodies import quoted
from ohr.models.http import Endpoint
from ohr.models.origins import origin_of
from ohr.models.pictures import data_url
from ohr.models.threads import submitted
from ohr.models.token_counts import tokens_used
from ohr.plugins import Chat, Completion, Message, Reply
from ohr.types import Hit, Outcome
from rag.chunking.token_counter import count_tokens, cumulative_tokens
from rag.readers._chances import confidence_of
from rag.readers._pictures import SHOWN, ShownPages
from rag.readers._prompted import PromptedParams, PromptedReader, cut_note, outcome_of


class OpenAiParams(ChatParams, PromptedParams):
    """``max_context_tokens`` are estimated here: the server's tokenizer is not known.

    ``concurrency``: requests at the same time. ``prompt_price``, ``completion_price``: of a million
    tokens, in any currency. ``request``: fields of the request to add or replace; null removes a
    field. They are written to the manifest, so put no secrets there. Pages are sent as PNG.
    """

    max_tokens: int = Field(128, ge=1)
    concurrency: int = Field(8, ge=1, le=256)
    prompt_price: float = Field(0.0, ge=0)
    completion_price: float = Field(0.0, ge=0)
    request: dict[str, Any] = Field(default_factory=dict)


class OpenAi(PromptedReader[OpenAiParams], Chat):
    """One question per request, at temperature 0, several requests at once.

    Temporary failures (HTTP 408, 409, 429, 5xx and others, answers that are cut or empty, lost
    connections, no answer in time) are retried after growing waits. If they last, or a request is
    refused (HTTP 403, 404), the question's outcome is an error or a timeout. An answer without
    text is empty, and its detail says why.
    Tokens are as the server reports them; the cost of a failed request is not known.
    With ``request: {logprobs: true}`` an answer's confidence is the geometric mean of its tokens'
    probabilities, where the server gives them.
    """

    name = "openai"
    version = "4"
    argument = "model"
    answer_limit = "max_tokens"
    outside_identity = TRANSPORT | {"concurrency", "prompt_price", "completion_price"}

    _repeat = 0
    _running: Sequence[Future[Any]] = ()

    def repeat(self, number: int) -> Self:
        """The same with the seed (0, or that of ``request``) raised by ``number``."""
        again = copy(self)
        again._repeat = number
        return again

    def identity(self) -> dict[str, object]:
        """With a mark where answers have a confidence; earlier ones, stored without, stay valid."""
        asks = bool(self.params.request.get("logprobs"))
        return super().identity() | ({"confidence": "1"} if asks else {})

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers as they arrive. Questions whose passages begin alike are sent one after another,
        since servers cache common prefixes.

        Raises MissingDependencyError (no server, no key or a wrong one), but only after the
        answers that were under way. If it is closed early (Ctrl-C), it sends nothing more.
        """
        endpoint = self.params.endpoint(late_retries=self.params.retries)
        endpoint.key()
        stop = threading.Event()
        texts = list(map(self._passages, questions, contexts))
        pages = list(map(self._pages_to_show, contexts))
        order = sorted(
            range(len(texts)), key=lambda position: (pages[position].sort_key, texts[position][1])
        )
        calls = [
            partial(self._ask, endpoint, *texts[position], pages[position], stop)
            for position in order
        ]
        self._running = submitted(calls, self.params.concurrency)
        futures = dict(zip(self._running, order, strict=True))
        failure: MissingDependencyError | None = None
        try:
            for future in as_completed(futures):
                try:
                    outcome, usage = future.result()
                except CancelledError:
                    continue
                except MissingDependencyError as error:
                    failure = failure or error
                    for other in futures:
                        other.cancel()
                    continue
                yield Reply(futures[future], outcome, usage)
        finally:
            stop.set()
            for future in futures:
                future.cancel()
        if failure is not None:
            raise MissingDependencyError(f"{self.name}: {failure}") from failure

    def stop_asking(self) -> bool:
        for future in self._running:
            future.cancel()
        return True

    def _ask(
        self,
        endpoint: Endpoint,
        question: str,
        context: str,
        pages: ShownPages,
        stop: threading.Event,
    ) -> tuple[Outcome[str], dict[str, float]]:
        text, note = cut(context, self.params.max_context_tokens)
        usage = {"contexts_cut": 1.0} if note else {}
        usage |= {"images_cut": 1.0} if pages.note else {}
        try:
            answer = endpoint.post(self._body(question, text, pages), stop)
            usage |= self._usage_of(answer)
            written = completion(answer)
        except LateError as error:
            return Outcome.timeout(f"{self.name}: {error}"), usage
        except EngineError as error:
            return Outcome.error(f"{self.name}: {error}"[:500]), usage
        ends = {CUT: f"cut at {self.params.max_tokens} tokens", FILTERED: "filtered"}
        end = ends.get(written.finish_reason, "")
        if written.finish_reason == CUT:
            usage["answers_cut"] = 1.0
        if not is_known(written.finish_reason):
            end = f"finish_reason {quoted(written.finish_reason)[:40]}"
            usage["unknown_ends"] = 1.0
        answer_text = self._prompt.extract_answer(written.text)
        reason = "" if answer_text else written.why_empty or "thoughts or tags without an answer"
        if reason and written.finish_reason != CUT:
            end = ""  # the reason says so already
        notes = (note, pages.note, end, reason)
        sure = confidence_of(log_chances(answer))
        outcome, odd = outcome_of(answer_text, (question, text), *notes, confidence=sure)
        return outcome, usage | odd

    def expected_usage(
        self, question: str, context: Sequence[Hit], answer_tokens: float | None = None
    ) -> Mapping[str, float]:
        """With the cost, where there are prices."""
        usage = dict(super().expected_usage(question, context, answer_tokens))
        params = self.params
        if params.prompt_price or params.completion_price:
            read, written = usage["prompt_tokens"], usage["completion_tokens"]
            usage["cost"] = (read * params.prompt_price + written * params.completion_price) / 1e6
        return usage

    @property
    def at_once(self) -> int:
        return self.params.concurrency

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """One request; see :meth:`ohr.plugins.Chat.complete`.

        A schema is sent as a strict one (``response_format``). Servers that support it require all
        fields of an object to be required, and no others.
        """
        options: dict[str, Any] = {"temperature": temperature, "seed": seed}
        if max_tokens is not None:
            options["max_tokens"] = max_tokens
        if tools:
            options["tools"] = list(tools)
        if schema is not None:
            json_schema = {"name": "answer", "strict": True, "schema": schema}
            options["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        endpoint = self.params.endpoint(late_retries=self.params.retries)
        try:
            answer = endpoint.post(self._request(sent(messages), options))
            written = completion(answer)
            calls = tool_calls(answer)
        except (EngineError, MissingDependencyError) as error:
            raise type(error)(f"{self.name}: {error}"[:500]) from error
        cut = written.finish_reason == CUT
        reason = "" if calls else written.why_empty
        return Completion(written.text, calls, cut, self._usage_of(answer), reason)

    def count_tokens(self, text: str) -> int:
        """An estimate: the server's tokenizer is not known."""
        return ceil(count_tokens(text))

    def _body(self, question: str, context: str, pages: ShownPages) -> dict[str, Any]:
        """The body of a request. Raises EngineError for a page that cannot be shown."""
        pictures = pages.pictures(self.params.image_side)
        text = context or (SHOWN if pictures else "")
        turns: list[dict[str, Any]] = [dict(t) for t in self._prompt.messages(question, text)]
        if pictures:
            urls = [
                {"type": "image_url", "image_url": {"url": data_url(picture)}}
                for picture in pictures
            ]
            turns[-1]["content"] = [*urls, {"type": "text", "text": turns[-1]["content"]}]
        return self._request(turns, {})

    def _request(
        self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        body = {
            "model": self.params.model,
            "messages": self.params.turns(messages),
            "temperature": 0,
            "seed": 0,
            "max_tokens": self.params.max_tokens,
            "stream": False,
            **options,
        } | self.params.request
        if isinstance(body["seed"], int):
            body["seed"] += self._repeat
        return {name: value for name, value in body.items() if value is not None}

    def _usage_of(self, answer: Any) -> dict[str, float]:
        """Tokens, cost and seconds of one answer, or a mark that it has no count of tokens, and the
        model that it names.
        """
        params = self.params
        usage = tokens_used(answer, params.prompt_price, params.completion_price)
        usage |= origin_of(answer)
        return usage if "unmetered" in usage else usage | _seconds(answer.get("timings"))


def _seconds(timings: Any) -> dict[str, float]:
    """Seconds of prefill and decoding, which llama.cpp's server reports."""
    if not isinstance(timings, Mapping):
        return {}
    reported: dict[str, Any] = {
        "prefill_s": timings.get("prompt_ms"),
        "decode_s": timings.get("predicted_ms"),
    }
    valid = {
        name: ms for name, ms in reported.items() if type(ms) in (int, float) and 0 <= ms < 1e12
    }
    return {name: ms / 1000 for name, ms in valid.items()}


def cut(text: str, limit: int) -> tuple[str, str]:
    """The beginning of a text of at most ``limit`` estimated tokens, and a note if it was cut."""
    before = cumulative_tokens(text)
    if before[-1] <= limit:
        return text, ""
    end = int(np.searchsorted(before, limit, side="right")) - 1
    return text[:end], cut_note(limit, round(float(before[-1])))
