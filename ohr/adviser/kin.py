"""Engines that share a recogniser, and so are no witnesses of each other."""

from __future__ import annotations

from collections.abc import Mapping


def kin_of(recognisers: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Engine -> the others that share one of its ``recognisers``
    (:meth:`ohr.plugins.OcrBackend.recognisers`)."""
    return {
        label: frozenset(
            other for other, theirs in recognisers.items() if other != label and own & theirs
        )
        for label, own in recognisers.items()
    }
