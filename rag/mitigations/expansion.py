"""Search also for what OCR may have made of a question's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ohr.plugins import Params, RetrieverChange


class Expansion(RetrieverChange[Params]):
    """The retriever ``expanded`` around the retriever."""

    name = "expansion"

    def retriever(self, name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "expanded", {"retriever": {"name": name, "params": dict(params)}}
