"""Pairs of question and text as BGE's language models re-rank them: by the logit of *Yes*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# The models were trained with these words (FlagEmbedding 1.4, MIT): others give other scores.
QUESTION, TEXT, BETWEEN = "A: ", "B: ", "\n"
TASK = (
    "Given a query A and a passage B, determine whether the passage contains an answer to the "
    "query by providing a prediction of either 'Yes' or 'No'."
)
ANSWER = "Yes"


def yes_logits(
    torch: Any,
    model: Any,
    tokenizer: Any,
    pairs: Sequence[tuple[str, str]],
    max_tokens: int,
) -> np.ndarray:
    """The logit of *Yes* after each pair, ``(n, 1)``.

    ``max_tokens``: of question and text, without the task; the text is cut, and a question at three
    quarters of it.
    """

    def ids(text: str) -> list[int]:
        encoded: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        return encoded

    between, task = ids(BETWEEN), ids(TASK)
    has_start = tokenizer.bos_token_id not in (None, tokenizer.pad_token_id)
    rows = []
    for question, text in pairs:
        start = [tokenizer.bos_token_id] * has_start
        start += ids(QUESTION + question)[: max_tokens * 3 // 4]
        rest = [*between, *ids(TEXT + text)[:max_tokens]]
        room = max(max_tokens + len(between) + len(task) - len(start), 0)
        rows.append([*start, *rest[:room], *between, *task])
    width = max(map(len, rows))
    padding = tokenizer.pad_token_id or 0
    # Padding comes last, where no token of a causal model sees it.
    inputs = [row + [padding] * (width - len(row)) for row in rows]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
    ends = [len(row) - 1 for row in rows]
    device = model.device
    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor(inputs, device=device),
            attention_mask=torch.tensor(mask, device=device),
        ).logits[range(len(rows)), ends, ids(ANSWER)[0]]
    return np.asarray(logits.float().cpu().numpy())[:, None]
