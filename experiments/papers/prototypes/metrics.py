"""The metrics of the prototypes P0 to P4."""

from __future__ import annotations

QUALITY = ("short_answer", "f1", "em", "quote_rouge_l")
ATTRIBUTION = ("page_found", "perfect_header", "header_intersection", "location_score")
FLAGS = ("quote_flag", "page_flag", "headers_flag", "irrelevant_headers_flag")
CLEAN = "_clean"
TESTED = (*QUALITY, "location_score", *FLAGS)
"""The rows of the paper's table 2, and F1 and exact match beside the short answers."""
