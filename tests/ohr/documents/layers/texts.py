"""Texts that several tests set."""

from __future__ import annotations

NOTICE = (
    "The harbour office opens at nine each morning and",
    "closes when the last boat is in. Fees of 45 euros",
    "are paid by 30 June, at the quay or by post to the",
    "harbour master, whose office is in the old customs",
    "house at 12 Quay Street, beside the fish market.",
)
LEFT = (
    "The harbour office opens",
    "at nine each morning and",
    "closes when the last boat",
    "is in. Fees of 45 euros",
    "are paid by 30 June, at",
    "the quay or by post to",
)
RIGHT = (
    "Boats of more than nine",
    "metres pay twice as much",
    "for each night, and those",
    "that stay for a month get",
    "a tenth of the fee back",
    "from the harbour master.",
)
