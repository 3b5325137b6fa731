"""What has been fetched for a question, within a budget of tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from ohr.types import Hit, PageRef
from rag.chunking.token_counter import count_tokens
from rag.systems._frames import beginning, framed
from rag.systems.triage.tools import Fetched, Piece


@dataclass(frozen=True)
class Said:
    """What a model is told of a call's result, and the line of the trace."""

    text: str
    trace: str


@dataclass
class Budget:
    """Tokens of fetched text that a question may still have, and what it has had."""

    left: int
    pieces: list[Piece] = field(default_factory=list)
    used: int = 0
    cuts: int = 0

    def take(self, tool: str, fetched: Fetched) -> Said:
        """Count a call's result in. What there is no room for is cut, and it is said."""
        call = f"{tool}({json.dumps(dict(fetched.arguments), ensure_ascii=False)})"
        if fetched.problem:
            # It quotes titles and captions, which are text of documents too.
            told = f"That call is wrong.\n{framed(fetched.problem, part='what is wrong')}"
            return Said(told, f"{call}: {fetched.problem}")
        parts, tokens, was_cut = [], 0, False
        for piece in fetched.pieces:
            text = beginning(piece.text, self.left)
            if len(text) < len(piece.text):
                was_cut = True
            if not text and piece.text:
                break
            took = min(self.left, round(count_tokens(text)))
            self.left -= took
            tokens += took
            kept = replace(piece, text=text)
            self.pieces.append(kept)
            parts.append(kept.framed())
        self.used += tokens
        self.cuts += was_cut
        end = "There was no room for the rest." if was_cut else ""
        what = ", ".join(piece.what for piece in fetched.pieces) or "nothing"
        text = "\n".join(filter(None, [*parts, end])) or "Nothing was found."
        return Said(text, f"{call}: {tokens} tokens of {what}" + (", cut" if was_cut else ""))

    @property
    def sources(self) -> tuple[PageRef, ...]:
        """The pages that texts are from, each once, in the order in which they were fetched."""
        return tuple(dict.fromkeys(ref for piece in self.pieces for ref in piece.refs))

    def hits(self) -> list[Hit]:
        """The texts as a reader's context."""
        return [
            Hit(piece.refs[0], piece.text, 1.0, rank)
            for rank, piece in enumerate(piece for piece in self.pieces if piece.refs)
        ]
