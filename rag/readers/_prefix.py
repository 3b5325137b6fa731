"""Prompts that begin alike, read once: the state after a prefix is kept and gone on from.

A prompt falls into parts: what all prompts of a reader begin with, the passages, and the rest.
Each part is read by itself whether or not another prompt shares it, so what a model answers
depends on the prompt alone, never on what was asked before.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any


@dataclass(frozen=True)
class Written:
    """What a model wrote after a prompt, and the seconds that it took where they were measured."""

    tokens: list[int]
    seconds: Mapping[str, float] = field(default_factory=dict)
    """``prefill_s`` and ``decode_s``: of the CPU, or of the clock where a GPU computes."""


def common(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two prompts begin with alike."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


class PrefixDecoder:
    """Decoding of a causal model of transformers, one prompt at a time.

    The state after each part of the last prompt but its end is kept.
    """

    def __init__(self, torch: Any, cache: Any, model: Any) -> None:
        self._torch, self._new_cache, self._model = torch, cache, model
        self._kept: dict[tuple[int, ...], Any] = {}

    def write(
        self, ids: Sequence[int], splits: Sequence[int], config: Any = None, held: Any = None
    ) -> Written:
        """Go on from a prompt; ``splits``: where its parts end, ascending, each before the end.

        ``config``: how to decode, where not as the model's own generation config says. ``held``:
        a logits processor.
        """
        started = self._now()
        # The last token is read by what decodes, which wants one that the state has not seen.
        ends = [0, *sorted({end for end in splits if 0 < end < len(ids) - 1}), len(ids) - 1]
        prefixes = [tuple(ids[:end]) for end in ends[:-1]]
        self._kept = {prefix: self._kept[prefix] for prefix in prefixes if prefix in self._kept}
        state: Any = None
        with self._torch.inference_mode():
            for begin, end in pairwise(ends):
                prefix = tuple(ids[:end])
                if prefix in self._kept:
                    state = self._kept[prefix]
                    continue
                # A state that is kept is never written to.
                state = self._new_cache() if state is None else copy.deepcopy(state)
                if end > begin:
                    self._read(ids[begin:end], state)
                if end < ends[-1]:
                    self._kept[prefix] = state
            read = self._now()
            device = self._model.device
            row = self._model.generate(
                input_ids=self._torch.tensor([list(ids)], device=device),
                attention_mask=self._torch.ones((1, len(ids)), dtype=int, device=device),
                past_key_values=state,
                generation_config=config,
                logits_processor=[held] if held is not None else None,
            )
            tokens: list[int] = row[0, len(ids) :].tolist()
        seconds = {"prefill_s": read - started, "decode_s": self._now() - read}
        return Written(tokens, seconds)

    def forget(self) -> None:
        """Drop what is kept, as where memory ran out."""
        self._kept = {}

    def _read(self, ids: Sequence[int], state: Any) -> None:
        chunk = self._torch.tensor([list(ids)], device=self._model.device)
        self._model(input_ids=chunk, past_key_values=state, use_cache=True, logits_to_keep=1)

    def _now(self) -> float:
        if self._model.device.type != "cuda":
            return time.process_time()
        self._torch.cuda.synchronize()
        return time.monotonic()
