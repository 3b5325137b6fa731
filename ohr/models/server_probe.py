"""Finds out what a chat server can do: short requests, and the settings that follow from them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from PIL import Image

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.answers import Answer, BrokenAnswerError
from ohr.models.chat import completion, log_chances, tool_calls
from ohr.models.ends import CUT
from ohr.models.http import Endpoint
from ohr.models.pictures import data_url
from ohr.models.replies import drop_thoughts
from ohr.models.server_report import Report
from ohr.models.streams import is_stream
from ohr.models.system_turns import SETTING
from ohr.models.token_counts import tokens_used

_QUESTION = "How many legs does a spider have? Answer with one word."
_COUNT = "Write the numbers from 1 to 60, separated by commas."
_CUT_AT = 5
_ROOM = 64
_THOUGHTS = 2048
"""Tokens of an answer of a model that thinks first."""
_PROMPT = 512
"""Tokens left for the instructions and examples of a prompt, and for the question."""
_CONTEXT = 8192
"""The default limit of contexts."""
_AT_ONCE = 4
_DISPENSABLE = ("temperature", "seed", "stream")
"""Fields without which most servers answer alike; some refuse them."""
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")
_NEW_LIMIT = "max_completion_tokens"
_SCHEMA = {
    "type": "object",
    "properties": {"legs": {"type": "integer"}},
    "required": ["legs"],
    "additionalProperties": False,
}
_TOOL = {
    "type": "function",
    "function": {
        "name": "legs_of",
        "description": "The number of legs of an animal.",
        "parameters": {
            "type": "object",
            "properties": {"animal": {"type": "string"}},
            "required": ["animal"],
        },
    },
}

Failure = (EngineError, MissingDependencyError)


@dataclass
class ServerProbe:
    """Asks one server. ``base_url``: its address including ``/v1``."""

    base_url: str
    model: str = ""
    key_variable: str | None = None
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        self._limit_name = "max_tokens"
        self._refused: frozenset[str] = frozenset()
        """Fields that the server refuses, and that are left out."""

    def run(self) -> Report:
        """All checks, in about 15 short requests.

        Raises MissingDependencyError if the server cannot be reached or refuses the key, or where
        several models are served and none is named.
        """
        model, window = self._choose_model()
        report = Report(model)
        try:
            is_usable = self._plain_answer(report)
        except (EngineError, BrokenAnswerError) as error:
            report.add("answer", works=False, words=_short(error))
            is_usable = False
        if not is_usable:
            return report
        if window:
            self._window(report, window)
        for check in (
            self._system_turn,
            self._limit,
            self._repeats,
            self._forms,
            self._schema,
            self._tools,
            self._chances,
            self._pictures,
            self._requests_at_once,
        ):
            check(report)
        return report

    # --- requests ----------------------------------------------------------------------

    def _endpoint(self, path: str = "chat/completions", content: str = "choices") -> Endpoint:
        url = f"{self.base_url}/{path}"
        return Endpoint(url, self.key_variable, self.timeout_s, retries=1, content=content)

    def _body(self, *turns: tuple[str, Any], room: int = _ROOM, **more: Any) -> dict[str, Any]:
        messages = [{"role": role, "content": content} for role, content in turns]
        fields = {"temperature": 0, "seed": 0, self._limit_name: room, "stream": False} | more
        sent = {name: value for name, value in fields.items() if name not in self._refused}
        return {"model": self.model, "messages": messages, **sent}

    def _ask(self, question: str = _QUESTION, **more: Any) -> Any:
        return self._endpoint().post(self._body(("user", question), **more))

    def _choose_model(self) -> tuple[str, int | None]:
        """The model to ask for and its window, as the list of models has it."""
        try:
            answer = self._endpoint("models", "").exchange("GET", b"", "application/json").json()
            entries = [entry for entry in _entries(answer) if isinstance(entry.get("id"), str)]
        except (EngineError, BrokenAnswerError):
            entries = []
        names = [entry["id"] for entry in entries]
        if not self.model:
            if len(names) != 1:
                more = f" and {len(names) - 8} more" if len(names) > 8 else ""
                listed = f"serves {', '.join(names[:8])}{more}"
                served = listed if names else "does not list its models"
                raise MissingDependencyError(f"{self.base_url} {served}: name one with --model")
            self.model = names[0]
        entry = next((entry for entry in entries if entry["id"] == self.model), {})
        return self.model, _served_window(entry)

    # --- checks ------------------------------------------------------------------------

    def _plain_answer(self, report: Report) -> bool:
        began = time.monotonic()
        try:
            answer = self._first_answer()
        except EngineError as error:
            report.add("answer", works=False, words=_short(error))
            return False
        request: dict[str, Any] = dict.fromkeys(sorted(self._refused))
        if self._limit_name == _NEW_LIMIT:
            request |= {"max_tokens": None, _NEW_LIMIT: 128}
        if request:
            report.settings["request"] = request
        for name in sorted(self._refused):
            report.add(name, works=False, words="refused: null in request leaves it out")
        written = completion(answer)
        if not drop_thoughts(written.text).strip():  # it may think first
            try:
                answer = self._ask(room=_THOUGHTS)
            except EngineError as error:
                report.add("answer", works=False, words=_short(error))
                return False
            written = completion(answer)
        seconds = time.monotonic() - began
        text = drop_thoughts(written.text).strip()
        report.add("answer", bool(text), f"{_quote(text) or written.why_empty} in {seconds:.1f} s")
        if drop_thoughts(written.text) != written.text or _has_reasoning(answer):
            report.add("thoughts", None, "the model thinks first: give it room")
            if self._limit_name == _NEW_LIMIT:
                report.settings["request"][_NEW_LIMIT] = _THOUGHTS
            else:
                report.settings["max_tokens"] = _THOUGHTS
        named = answer.get("model")
        if isinstance(named, str):
            same = named == self.model
            report.add("model that answers", same, repr(named))
        else:
            report.add("model that answers", None, "not named in the reply")
        usage = tokens_used(answer, 0, 0)
        counted = "unmetered" not in usage
        report.add("counts of tokens", counted, _tokens(usage) if counted else "not reported")
        return True

    def _first_answer(self) -> Any:
        """The first answer, without the fields that the server refuses. Raises EngineError."""
        try:
            return self._ask()
        except EngineError as error:
            first, refusal = error, str(error)
        try:  # an error that passes is not one of a field
            return self._ask()
        except EngineError as error:
            refusal = str(error)
        for _ in range(len(_DISPENSABLE) + 1):  # a server names one field after the other
            if _NEW_LIMIT in refusal and self._limit_name != _NEW_LIMIT:
                self._limit_name = _NEW_LIMIT
            elif named := [n for n in self._dispensable() if re.search(rf"\b{n}\b", refusal)]:
                self._refused |= {*named}
            else:
                break
            try:
                return self._ask()
            except EngineError as error:
                refusal = str(error)
        # It may refuse a field and not say which.
        named_ones = self._refused
        rest = self._dispensable()
        for names in [*([name] for name in rest), rest[:2], rest]:
            self._refused = named_ones | {*names}
            try:
                return self._ask()
            except EngineError:
                self._refused = named_ones
        raise first

    def _dispensable(self) -> list[str]:
        return [name for name in _DISPENSABLE if name not in self._refused]

    def _window(self, report: Report, window: int) -> None:
        """Note the window, and the context that fits into it beside prompt and answer."""
        settings = report.settings
        limit = settings.get("max_tokens") or settings.get("request", {}).get(_NEW_LIMIT, 128)
        room = window - _PROMPT - limit
        report.add("context window", room > 0, f"{window:,} tokens")
        if 0 < room < _CONTEXT:
            report.settings["max_context_tokens"] = room

    def _system_turn(self, report: Report) -> None:
        turns = ("system", "Answer in capital letters."), ("user", _QUESTION)
        try:
            self._endpoint().post(self._body(*turns))
        except Failure as error:
            report.add("system turn", works=False, words=_short(error))
            if SETTING in str(error):
                report.settings[SETTING] = False
            return
        report.add("system turn", works=True, words="taken")

    def _limit(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            written = completion(self._ask(_COUNT, room=_CUT_AT))
            end = repr(written.finish_reason)
            words = f"an answer of {_CUT_AT} tokens ends with {end}"
            if written.finish_reason == CUT:
                return True, words
            return False, f"{words}: {_quote(written.text)}"

        self._add(report, "limit of tokens", check)

    def _repeats(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            texts = {completion(self._ask(_COUNT)).text for _ in range(3)}
            same = len(texts) == 1
            at = "without a temperature" if "temperature" in self._refused else "at temperature 0"
            return same, f"{'the same' if same else 'another'} answer in 3 tries {at}"

        self._add(report, "same answer again", check)

    def _forms(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            data = json.dumps(self._body(("user", _QUESTION))).encode()
            answer: Answer = self._endpoint().exchange("POST", data, "application/json")
            odd = []
            if is_stream(answer.body, answer.headers.get("Content-Type", "")):
                odd.append("streams although it is not asked to")
            if encoding := answer.headers.get("Content-Encoding"):
                odd.append(f"compresses ({encoding}) although it is not asked to")
            completion(answer.json())
            return not odd, "; ".join(odd) + "; both are read" if odd else "one JSON object"

        self._add(report, "form of answers", check)

    def _schema(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            schema = {"name": "answer", "strict": True, "schema": _SCHEMA}
            form = {"type": "json_schema", "json_schema": schema}
            question = 'How many legs does a spider have? Answer as {"legs": number}.'
            text = drop_thoughts(completion(self._ask(question, response_format=form)).text)
            return _fits(text), _quote(text)

        self._add(report, "JSON schema", check)

    def _tools(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            question = "How many legs does a spider have? Use the tool legs_of."
            calls = tool_calls(self._ask(question, tools=[_TOOL]))
            return bool(calls), f"calls {calls[0].name}" if calls else "calls none"

        self._add(report, "tools", check)

    def _chances(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            given = bool(log_chances(self._ask(logprobs=True)))
            return given, "given" if given else "not given: no confidence of answers"

        if self._add(report, "probabilities of tokens", check):
            report.settings["request"] = report.settings.get("request", {}) | {"logprobs": True}

    def _pictures(self, report: Report) -> None:
        def check() -> tuple[bool, str]:
            picture = Image.new("RGB", (64, 64), (220, 20, 20))
            content = [
                {"type": "image_url", "image_url": {"url": data_url(picture)}},
                {"type": "text", "text": "Which colour is this? Answer with one word."},
            ]
            written = completion(self._endpoint().post(self._body(("user", content))))
            text = drop_thoughts(written.text).strip()
            sees = "red" in text.lower()
            return sees, f"a red square is {_quote(text) or written.why_empty}"

        self._add(report, "page images", check)

    def _requests_at_once(self, report: Report) -> None:
        def seconds(number: int) -> float:
            began = time.monotonic()
            questions = [f"{_COUNT} Begin with {n}." for n in range(number)]
            with ThreadPoolExecutor(number) as pool:
                list(pool.map(self._ask, questions))
            return time.monotonic() - began

        def check() -> tuple[bool, str]:
            alone, many = seconds(1), seconds(_AT_ONCE)
            gain = _AT_ONCE * alone / max(many, 1e-9)
            if gain < _AT_ONCE / 2:
                report.settings["concurrency"] = 1 if gain < 1.5 else 2
            return gain >= 1.5, f"{_AT_ONCE} requests take {many:.1f} s, one {alone:.1f} s"

        self._add(report, "requests at once", check)

    @staticmethod
    def _add(report: Report, topic: str, check: Callable[[], tuple[bool, str]]) -> bool:
        """Add what a check finds; a request that fails counts as what does not work."""
        try:
            works, words = check()
        except (*Failure, BrokenAnswerError) as error:
            works, words = False, _short(error)
        report.add(topic, works, words)
        return works


def _entries(answer: Any) -> Sequence[Mapping[str, Any]]:
    data = answer.get("data", answer.get("models")) if isinstance(answer, Mapping) else answer
    return [entry for entry in data if isinstance(entry, Mapping)] if isinstance(data, list) else []


def _served_window(entry: Mapping[str, Any]) -> int | None:
    """The tokens of a model's window, where its entry in the list has them."""
    meta = entry.get("meta")
    for place in (entry, meta if isinstance(meta, Mapping) else {}):
        for name in _WINDOWS:
            if type(place.get(name)) is int and place[name] > 0:
                return int(place[name])
    return None


def _has_reasoning(answer: Any) -> bool:
    message = answer["choices"][0]["message"]
    return bool(message.get("reasoning_content") or message.get("reasoning"))


def _fits(text: str) -> bool:
    try:
        content = json.loads(text)
    except ValueError:
        return False
    return isinstance(content, dict) and type(content.get("legs")) is int


def _tokens(usage: Mapping[str, float]) -> str:
    return f"{usage['prompt_tokens']:.0f} read, {usage['completion_tokens']:.0f} written"


def _quote(text: str) -> str:
    words = " ".join(text.split())
    return repr(words[:40] + "…" * (len(words) > 40)) if words else ""


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
