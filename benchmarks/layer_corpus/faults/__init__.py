"""What can be wrong with a text layer. Each fault has variants, planted in a right PDF."""

from __future__ import annotations

from benchmarks.layer_corpus.faults import cipher, codepage, fields, hidden, ink, ligatures, order
from benchmarks.layer_corpus.faults.planted import Plant
from benchmarks.layer_corpus.faults.typeset import TYPESET

FAULTS: dict[str, dict[str, Plant]] = {
    "cipher": cipher.VARIANTS,
    "digits": cipher.DIGITS,
    "codepage": codepage.VARIANTS,
    "ligatures": ligatures.VARIANTS,
    "soft_hyphen": ligatures.HYPHENS,
    "hidden": hidden.VARIANTS,
    "order": order.ORDER,
    "doubles": order.DOUBLES,
    "spaced": order.SPACED,
    "direction": order.DIRECTION,
    "fields": fields.VARIANTS,
    "ink": ink.VARIANTS,
}

__all__ = ["FAULTS", "TYPESET"]
