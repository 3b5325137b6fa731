"""Reads the common prefix of prompts once: the state after it is kept and continued.

A prompt has three parts: what all prompts of a reader begin with, the passages, and the question.
Each part is read separately whether or not another prompt shares it, so a model's answer depends
on the prompt alone, never on earlier prompts.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rag.readers._chances import Chances


@dataclass(frozen=True)
class Continuation:
    """The tokens that a model wrote after a prompt, and the seconds it took, if measured."""

    tokens: list[int]
    seconds: Mapping[str, float] = field(default_factory=dict)
    """``prefill_s`` and ``decode_s``: CPU time, or wall time on a GPU."""
    log_chances: Sequence[float] = ()
    """The log probability of each token, if it was recorded (:class:`rag.readers._chances`)."""


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """The number of tokens in the common prefix of two prompts."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((position for position, (a, b) in pairs if a != b), min(len(first), len(second)))


class PrefixDecoder:
    """Decoding of a causal model of transformers, one prompt at a time.

    The state after each part of the last prompt is kept, except after the last part.
    """

    def __init__(self, torch: Any, cache: Any, model: Any) -> None:
        self._torch, self._new_cache, self._model = torch, cache, model
        self._states: dict[tuple[int, ...], Any] = {}

    def write(
        self, ids: Sequence[int], splits: Sequence[int], config: Any = None, processor: Any = None
    ) -> Continuation:
        """Continue a prompt; ``splits``: where its parts end, ascending, before the end.

        ``config``: a generation config in place of the model's own. ``processor``: a logits
        processor.
        """
        started = self._clock()
        # The last token is left to the decoding, which needs one that the state has not seen.
        ends = [0, *sorted({end for end in splits if 0 < end < len(ids) - 1}), len(ids) - 1]
        prefixes = [tuple(ids[:end]) for end in ends[:-1]]
        self._states = {
            prefix: self._states[prefix] for prefix in prefixes if prefix in self._states
        }
        state: Any = None
        with self._torch.inference_mode():
            for start, end in pairwise(ends):
                prefix = tuple(ids[:end])
                if prefix in self._states:
                    state = self._states[prefix]
                    continue
                # A kept state is never modified.
                state = self._new_cache() if state is None else copy.deepcopy(state)
                if end > start:
                    self._read(ids[start:end], state)
                if end < ends[-1]:
                    self._states[prefix] = state
            read = self._clock()
            device, chances = self._model.device, Chances()
            row = self._model.generate(
                input_ids=self._torch.tensor([list(ids)], device=device),
                attention_mask=self._torch.ones((1, len(ids)), dtype=int, device=device),
                past_key_values=state,
                generation_config=config,
                logits_processor=[*([processor] if processor is not None else []), chances],
            )
            tokens: list[int] = row[0, len(ids) :].tolist()
        seconds = {"prefill_s": read - started, "decode_s": self._clock() - read}
        return Continuation(tokens, seconds, chances.row_chances(0))

    def forget(self) -> None:
        """Drop the states, for example when memory ran out."""
        self._states = {}

    def _read(self, ids: Sequence[int], state: Any) -> None:
        chunk = self._torch.tensor([list(ids)], device=self._model.device)
        self._model(input_ids=chunk, past_key_values=state, use_cache=True, logits_to_keep=1)

    def _clock(self) -> float:
        if self._model.device.type != "cuda":
            return time.process_time()
        self._torch.cuda.synchronize()
        return time.monotonic()
