"""The text fetched for a question, within a budget of tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from ohr.types import Hit, PageRef
from rag.chunking.token_counter import count_tokens
from rag.systems._frames import beginning, frame
from rag.systems.triage.tools import Fetched, Piece


@dataclass(frozen=True)
class ToolReply:
    """A call's result as text for the model, and as a line of the trace."""

    text: str
    trace: str


@dataclass
class Budget:
    """Tokens that may still be fetched for a question, and the text fetched so far."""

    remaining: int
    pieces: list[Piece] = field(default_factory=list)
    used: int = 0
    cuts: int = 0

    def take(self, tool: str, fetched: Fetched) -> ToolReply:
        """Add a call's result. Text beyond the budget is cut, and the reply says so."""
        call = f"{tool}({json.dumps(dict(fetched.arguments), ensure_ascii=False)})"
        if fetched.problem:
            # The problem quotes titles and captions, which are text of documents too.
            text = f"That call is wrong.\n{frame(fetched.problem, part='what is wrong')}"
            return ToolReply(text, f"{call}: {fetched.problem}")
        frames, tokens, was_cut = [], 0, False
        for piece in fetched.pieces:
            text = beginning(piece.text, self.remaining)
            if len(text) < len(piece.text):
                was_cut = True
            if not text and piece.text:
                break
            n_tokens = min(self.remaining, round(count_tokens(text)))
            self.remaining -= n_tokens
            tokens += n_tokens
            cut_piece = replace(piece, text=text)
            self.pieces.append(cut_piece)
            frames.append(cut_piece.frame())
        self.used += tokens
        self.cuts += was_cut
        end = "There was no room for the rest." if was_cut else ""
        names = ", ".join(piece.part for piece in fetched.pieces) or "nothing"
        text = "\n".join(filter(None, [*frames, end])) or "Nothing was found."
        return ToolReply(text, f"{call}: {tokens} tokens of {names}" + (", cut" if was_cut else ""))

    @property
    def sources(self) -> tuple[PageRef, ...]:
        """The pages of the fetched texts, each once, in order."""
        return tuple(dict.fromkeys(ref for piece in self.pieces for ref in piece.refs))

    def hits(self) -> list[Hit]:
        """The fetched texts as a reader's context."""
        return [
            Hit(piece.refs[0], piece.text, 1.0, rank)
            for rank, piece in enumerate(piece for piece in self.pieces if piece.refs)
        ]
