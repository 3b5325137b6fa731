"""An answer of a server, whatever form it is sent in: plain, compressed or streamed JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx

from ohr.models.error_bodies import quoted
from ohr.models.streams import (
    CutStreamError,
    is_stream,
    joined_events,
    joined_lines,
    unstreamed,
)


class BrokenAnswerError(Exception):
    """A body that is cut, empty or no JSON; the next answer may be whole."""


@dataclass(frozen=True)
class Answer:
    """An answer with a successful status. ``body`` is not compressed."""

    headers: httpx.Headers
    body: bytes

    def json(self) -> Any:
        """The parsed body; a stream, as the completion that it would have been.

        Raises BrokenAnswerError, which quotes it, for a body that is cut or no JSON.
        """
        try:
            return self._parsed()
        except CutStreamError as error:
            raise BrokenAnswerError(f"an answer that is cut ({error})") from None
        except (ValueError, RecursionError):
            body = quoted(self.body) or "nothing"
            raise BrokenAnswerError(f"an answer that is not JSON: {body}") from None

    def _parsed(self) -> Any:
        if is_stream(self.body, self.headers.get("Content-Type", "")):
            return joined_events(self.body)
        try:
            content = json.loads(self.body)
        except ValueError:
            return joined_lines(self.body)
        return unstreamed(content)
