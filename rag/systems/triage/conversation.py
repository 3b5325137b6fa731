"""The planner with a model: it sees documents' structure, calls a tool per turn, and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ohr.errors import EngineError, LateError
from ohr.plugins import Chat, Completion, Message
from ohr.types import Answer, Outcome, Status
from rag.readers._conversation import extract_calls
from rag.readers._prompt import extract_answer
from rag.systems._frames import RULE, frame
from rag.systems.triage.budget import Budget
from rag.systems.triage.library import Shelf
from rag.systems.triage.tools import NAMES, TOOLS, Tools

SYSTEM = (
    "You answer questions about documents. You are told below how each document is built: its "
    "pages, sections, tables and figures. Fetch what a question is about with one tool at a time: "
    "a part of a document where the question names one, or passages by a search. When you have "
    "read enough, or the answer is below already, write the answer between <answer> and "
    "</answer>, in as few words as will do, and nothing else. If the documents do not say, answer: "
    "not in the document.\n" + RULE
)
NOW = "Write the answer now, from what you have read, between <answer> and </answer>."


@dataclass
class Conversation:
    """The turns of one question."""

    chat: Chat
    tools: Tools
    budget: Budget
    most_turns: int
    usage: Counter[str] = field(default_factory=Counter)
    trace: list[str] = field(default_factory=list)

    def answer(self, question: str, description: str, default: Shelf | None) -> Outcome[Answer]:
        """The outcome, whatever the model does.

        ``description``: the documents' metadata as JSON; ``default``: the document of calls that
        name none.
        """
        try:
            completion = self._converse(question, description, default.name if default else "")
        except LateError as error:
            return Outcome(self._answer(""), Status.TIMEOUT, str(error)[:500])
        except EngineError as error:
            return Outcome(self._answer(""), Status.ERROR, str(error)[:500])
        text = extract_answer(completion.text)
        if not text:
            reason = completion.why_empty or "nothing was written"
            if completion.calls:
                reason = "it asked for tools to the end"
            return Outcome(self._answer(""), Status.EMPTY, reason)
        return Outcome(self._answer(text), Status.OK, "cut" if completion.cut else "")

    def _answer(self, text: str) -> Answer:
        return Answer(text, sources=self.budget.sources, trace=tuple(self.trace))

    def _converse(self, question: str, description: str, default: str) -> Completion:
        messages = [
            Message(
                "system", f"{SYSTEM}\n\n{frame(description, part='how the documents are built')}"
            ),
            Message("user", question),
        ]
        for _ in range(self.most_turns):
            completion = self._turn(messages, may_call=True)
            if not completion.calls:
                return completion
            call, *further_calls = completion.calls
            self.usage["calls_at_once"] += len(further_calls)
            messages.append(Message("assistant", completion.text, (call,)))
            fetched = self.tools.call(call.name, call.arguments, default)
            reply = self.budget.take(call.name, fetched)
            self.usage["tool_calls"] += 1
            self.usage["invalid_calls"] += bool(fetched.problem)
            self.trace.append(reply.trace)
            messages.append(Message("tool", reply.text, (), call.id))
            if not self.budget.remaining:
                break
        messages.append(Message("user", NOW))
        return self._turn(messages, may_call=False)

    def _turn(self, messages: Sequence[Message], *, may_call: bool) -> Completion:
        completion = self.chat.complete(messages, tools=TOOLS if may_call else ())
        self.usage.update(dict(completion.usage))
        self.usage["turns"] += 1
        self.usage["answers_cut"] += completion.cut
        if completion.calls:
            return completion
        # The model may call a tool when it must not, or the server may not parse the call.
        text, calls = extract_calls(completion.text, NAMES)
        return replace(completion, text=text, calls=calls) if calls else completion
