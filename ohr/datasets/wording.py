"""Checks the wording of questions and answers, without a model.

These are the heuristics of OHR-Bench (section II.5), made explicit: phrases that need the document,
ambiguous pronouns, names. English and Chinese; linear in the length of the text.
"""

from __future__ import annotations

import re

from ohr.markup.folding import fold_amounts
from ohr.markup.page import formulas_of
from ohr.metrics import default

_THE = r"(?:the|this|that|these|the (?:given|provided|above|following|present|attached|same))"
_STRONG = r"(?:documents?|text|passage|page|excerpt|context|pdf|file)"
_WEAK = (
    r"(?:reports?|tables?|figures?|charts?|graphs?|diagrams?|images?|sections?|articles?|"
    r"paragraphs?|manuals?|guides?|contracts?|agreements?|formulas?|equations?|statements?|"
    r"notes?|papers?|books?|chapters?|lists?)"
)
# "the report of Acme for 2020" says which report; "the report" does not.
_UNNAMED = r"(?!\s*['\u2019\"\u201c(]|\s+(?:of|for|between|by|on|titled|named|called|with|from)\b)"
# "in the paper store" is a store, not a paper.
_ALONE = (
    r"(?=\s*(?:[,.?;:!)]|$)|\s+(?:what|which|who|whom|whose|how|when|where|why|if|is|are|was|were|do|"
    r"does|did|has|have|had|can|could|may|might|must|shall|should|will|would|that|to|and|as|the)\b)"
)
_CONTEXT_PHRASES = re.compile(
    rf"\b{_THE}\s+{_STRONG}\b{_UNNAMED}"
    rf"|\b(?:in|from|by|per|under|within|according\s+to|based\s+on|shown\s+in)\s+{_THE}\s+"
    rf"{_WEAK}\b{_UNNAMED}{_ALONE}"
    r"|\b(?:mentioned|described|listed|shown|stated|given)\s+(?:above|below|here)\b"
    r"|根据(?:本|该|此|上述|这份|这篇)?(?:文档|文件|文本|文章|上文|表格|图表)|文中|上文|本文|本页|该页",
    re.IGNORECASE,
)
_PRONOUNS = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|its|their|this|that|these|those)\b", re.IGNORECASE
)
_QUOTED = re.compile(
    r"(?<!\w)['\u2018\"\u201c«][^'\u2019\"\u201d»]{2,}['\u2019\"\u201d»]|《[^》]+》"
)
_WORD = re.compile(r"[^\W_]+(?:[-.&'\u2019][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(r"(?<![\w.])[-\u2212+]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)")
_COMMON = frozenset(
    "a about above according after all also although among an and any are as at based be because "
    "before below between both but by calculate can compare could describe did do does during each "
    "explain find following for from give had has have he her here his how however identify if in "
    "include into is it its list many may more most must name no not note of on one only or other "
    "our over please provide section shall she should since some state such table that the their "
    "then there these they this those to total under until was we were what when where whether "
    "which while who whom whose why will with within would year yes you your i ii iii iv".split()
)
_NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred thousand million billion once twice none half".split()
)
_UNIT_WORDS = 4
_YES = frozenset({"yes", "true", "ja", "wahr", "是", "是的", "对"})
_NO = frozenset({"no", "false", "nein", "falsch", "否", "不", "不是"})


def context_phrase(question: str) -> str:
    """The first phrase that only makes sense with the document, or the empty string."""
    match = _CONTEXT_PHRASES.search(question)
    return " ".join(match[0].split()) if match else ""


def pronouns(question: str) -> list[str]:
    """Pronouns that may refer to something outside the question, in order, lower case."""
    return [word.lower() for word in _PRONOUNS.findall(question)]


def names(text: str) -> set[str]:
    """Words that look like parts of a name: capitalised and uncommon, or letters with digits."""
    return {
        word.casefold()
        for word in _WORD.findall(text)
        if word.casefold() not in _COMMON
        and len(word) > 1
        and not word.isdigit()
        and (word[0].isupper() or any(c.isdigit() for c in word) or any(map(str.isupper, word)))
    }


def content_words(text: str) -> frozenset[str]:
    """The words and numbers of a text, in the form of the scoring, without common words."""
    return frozenset(
        word
        for word in default.tokens(text)
        if word not in _COMMON and (len(word) > 1 or word.isdigit())
    )


def has_entity(question: str) -> bool:
    """Whether a question names something: a name, a quotation, a number or a formula.

    The first word counts only if it is not a common one. A question in a script without
    capital letters cannot be judged and passes.
    """
    return bool(
        names(question)
        or _CJK.search(question)
        or _QUOTED.search(question)
        or formulas_of(question)
        or _NUMBER.search(question)
    )


def numbers(text: str) -> list[str]:
    """Numbers of a text, without plus signs, thousands separators and trailing zeros."""
    return [_plain_number(match) for match in _NUMBER.findall(fold_amounts(text))]


def _plain_number(written: str) -> str:
    bare = written.replace(",", "").replace("\u2212", "-").lstrip("+")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


def is_number(answer: str) -> bool:
    """Whether an answer is one number, perhaps with a currency sign and a unit of few words."""
    words = _words_without_markup(answer)
    if not _NUMBER.search(words):
        return any(word in _NUMBER_WORDS for word in re.split(r"[\s-]+", words.casefold())[:3])
    rest = [word for word in _WORD.findall(_NUMBER.sub(" ", words)) if word]
    return len(_NUMBER.findall(words)) == 1 and len(rest) <= _UNIT_WORDS


def _words_without_markup(answer: str) -> str:
    return re.sub(r"\\[a-zA-Z]+|[${}\\]", " ", answer)


def verdict(answer: str) -> str:
    """``yes``, ``no``, or the empty string for any other answer."""
    bare = answer.strip().strip(".,!。，！").casefold()
    return "yes" if bare in _YES else "no" if bare in _NO else ""


def list_items(answer: str) -> list[str]:
    """Items of a list answer: between commas, semicolons, line breaks or the last ``and``."""
    parts = re.split(r"[;；\n]|(?<!\d),|,(?!\d{3})|[，、]", answer)
    last = re.split(r"\s+(?:and|&)\s+", parts[-1]) if parts else []
    items = [part.strip(" .[]'\"\u2022-") for part in [*parts[:-1], *last]]
    return [re.sub(r"^and\s+", "", item) for item in items if item]


def word_count(text: str) -> int:
    """Words of a text; each ideograph, kana or hangul syllable counts as one."""
    return len(_CJK.findall(text)) + len(_CJK.sub(" ", text).split())
