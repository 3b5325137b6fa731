"""Prints the cost of OCR by engines behind servers: replies, tokens, money, odd replies."""

from __future__ import annotations

from collections.abc import Mapping

from ohr.files.safe_text import plain

COUNTED = (
    *("cut", "empty", "failed", "filtered", "late", "malformed", "refused", "repeated"),
    "unknown_ends",
    "wrapped",
)
"""Odd replies, as engines behind servers count them."""


def cost_lines(costs: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A line for each label whose engine counts replies: their cost, and the odd ones."""
    lines = []
    for label, sums in costs.items():
        if not sums.get("replies"):
            continue
        parts = [f"{sums['replies']:,.0f} replies"]
        if "prompt_tokens" in sums:
            parts.append(
                f"{sums['prompt_tokens']:,.0f} tokens read, "
                f"{sums.get('completion_tokens', 0):,.0f} written"
            )
        if "cost" in sums:
            parts.append(f"cost {sums['cost']:.4f}")
        parts += [f"{sums[name]:,.0f} {name}" for name in COUNTED if sums.get(name)]
        lines.append(f"{plain(label)}: {'; '.join(parts)}")
    return lines
