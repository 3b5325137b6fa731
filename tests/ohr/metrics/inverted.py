"""Gold answers turned into their opposites, and into harmless variants, by rules of the tests' own.

The words here are not the product's table, so that the table is tested and not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PAIRS = (
    "increase decrease|increased decreased|increasing decreasing|higher lower|greater less|"
    "more less|above below|before after|prior subsequent|maximum minimum|highest lowest|"
    "largest smallest|"
    "least most|first last|all no|always never|include exclude|including excluding|with without|"
    "may cannot|must cannot|true false|correct incorrect|valid invalid|limited unlimited|"
    "dependent independent|allowed prohibited|permitted forbidden|positive negative|up down|"
    "left right|enable disable|open close|start end|add remove|buy sell|same different|profit loss|"
    "north south|yes no|both neither"
)
_PAIRS = [tuple(pair.split()) for pair in PAIRS.split("|")]
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|shall|must|may|will|can|has|have|had|should|could|would|does|do|did)\b"
    r"(?! not)"
)
_NEGATION = re.compile(r"\b(not|never)\s+|\bno\b\s+(?=[a-z])")
_NUMBER = re.compile(r"(?<![\w.,\\{_^])\d+(?![\w}])")
_UNITS = (
    "days months|months days|years months|minutes hours|hours minutes|million billion|"
    "billion million|km miles|mm cm|cm mm|kg g|MHz GHz|GHz MHz|mA A|"
    "weeks years|dollars euros|units %|% km"
)
_UNIT = [tuple(pair.split()) for pair in _UNITS.split("|")]
_SIGNS = (
    (r"\leq", r"\geq"), (r"\geq", r"\leq"), (r"\in ", r"\notin "), ("=", r"\neq "), ("=", "≠"),
    ("+", "-"), ("<", ">"), (">", "<"), ("≤", "≥"), ("≥", "≤"), (r"\cup", r"\cap"),
)  # fmt: skip
_FORMULA = re.compile(r"\\[a-zA-Z]|[=^<>≤≥]|_\{")


def is_formula(text: str) -> bool:
    return _FORMULA.search(text) is not None


def inversions(gold: str) -> Iterator[tuple[str, str]]:
    """What was done to a gold answer, and what came out; each says something else than the gold."""
    plain = not is_formula(gold)
    if plain:
        for first, second in _PAIRS:
            for old, new in ((first, second), (second, first)):
                turned = re.sub(rf"\b{old}\b(?![.,])", new, gold, count=1, flags=re.IGNORECASE)
                if turned != gold:
                    yield f"{old} → {new}", turned
        if match := _AUXILIARY.search(gold):
            yield "not", f"{gold[: match.end()]} not{gold[match.end() :]}"
        if (turned := _NEGATION.sub("", gold, count=1)) != gold:
            yield "negation left out", turned
        if len(gold.split()) > 2 and not gold.lower().startswith(("yes", "no")):
            yield "it is not true", f"It is not true that {gold}"
        if re.search(r"\$\s?\d", gold):
            yield "currency", gold.replace("$", "€")
        for old, new in _UNIT:
            turned = re.sub(rf"(?<=\d|\))(\s?){old}(?![a-zA-Z])", rf"\1{new}", gold, count=1)
            if turned != gold:
                yield f"{old} → {new}", turned
    for sign, other in _SIGNS:
        if not plain and sign in gold:
            yield f"{sign} → {other}", gold.replace(sign, other, 1)
    if match := _NUMBER.search(gold):
        other = str(int(match[0]) + 1)
        rest = gold[match.end() :]
        if f"({other})" not in rest:
            yield "number", gold[: match.start()] + other + rest
        if re.fullmatch(r"(?!\$?0$)[$€]?[\d.,]+( ?%| million| billion)?", gold):
            yield "minus", f"-{gold}"


def variants(gold: str) -> Iterator[tuple[str, str]]:
    """What was done to a gold answer, and what came out; each says the same as the gold."""
    yield "itself", gold
    yield "spaces", f"  {gold}\n"
    if is_formula(gold):
        return
    yield "small letters", gold.lower()
    yield "full stop", gold.rstrip(".") + "."
    yield "no articles", re.sub(r"\b(the|an)\s", "", gold, flags=re.IGNORECASE)
    yield "thousands", re.sub(r"(?<=\d),(?=\d{3}\b)", "", gold)
    if "%" in gold:
        yield "per cent", re.sub(r"\s?\\?%", " percent", gold)
    if re.search(r"^[$€]?[\d.,]+ million$", gold):
        yield (
            "zeros",
            re.sub(
                r"(\d[\d,]*)(?:\.(\d{1,6}))? million",
                lambda m: f"{m[1].replace(',', '')}{(m[2] or '').ljust(6, '0')}",
                gold,
            ),
        )
