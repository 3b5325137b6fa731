"""The kind of answer that a question asks for, from its words alone."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from rag.readers._indirect import direct_question
from rag.readers._words import ENGLISH_AND_GERMAN, FUNCTION_WORDS, GERMAN


class QuestionType(StrEnum):
    """Kinds of answers; each has its own weights in the ranking of answer spans."""

    YES_NO = "yes_no"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    EQUATION = "equation"
    LIST = "list"
    EXPLANATION = "explanation"
    SPAN = "span"


_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|"
    r"has|have|had)(?:n['’]t)?\b"
)
_VERDICT_CLAUSE = re.compile(rf"(?:^|[,:]\s+){_AUXILIARY}", re.IGNORECASE)
_WH = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|explain|describe|list|name|calculate|"
    r"compare|determine)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_CHINESE_VERDICT = re.compile(r"[是能可]否|有没有|是不是|能不能|会不会|吗[?？]?$")
_SECOND_QUESTION = re.compile(
    r"\b(?:and|,)\s+(?:if\s+(?:so|yes|not)\b|(?:(?:by|in|under|for|to)\s+)?"
    r"(?:what|which|who|how|why|when|where)\b)|[.?]\s*(?:if\s+(?:so|yes)|explain|why)\b",
    re.IGNORECASE,
)
_OPPOSITES = re.compile(
    r"\b(?:increased?\s+or\s+(?:a\s+)?decreased?|decreased?\s+or\s+(?:an?\s+)?increased?|"
    r"gain\s+or\s+(?:a\s+)?loss|before\s+or\s+after|positive\s+or\s+negative|"
    r"(?P<word>\w{3,20})\s+or\s+(?:in|un|dis|non-?)(?P=word))\b",
    re.IGNORECASE,
)
# Words between "what" and the noun it asks for; past one of those excluded, another noun begins.
_WORDS = (
    r"(?:\s+(?!(?:of|for|in|to|if|by|on|that|do|does|did|happens?|must|should|can|could|will)\b)"
    r"[\w'’-]+){0,5}\s+"
)
_PERCENT = re.compile(r"%|\b(?:percent|percentage|rate)\b|百分", re.IGNORECASE)
_MONEY = re.compile(
    r"[$€£¥]\s*\d|\b(?:costs?|prices?|fees?|dollars?|revenues?|expenses?|income|paid|pay|value|"
    r"amounts?|sales|cash|salary|how\s+much)\b|[元钱价费]",
    re.IGNORECASE,
)
_DATES = "date|year|day|month|quarter|deadline|period"
_NUMBERS = (
    "number|percentage|percent|amount|total|cost|price|rate|value|ratio|sum|average|mean|median|"
    "count|fee|size|quantity|proportion|score|age|length|weight|height|width|duration|"
    "temperature|speed|probability"
)
_NAMES = (
    "company|person|name|title|city|state|country|organi[sz]ation|university|author|party|"
    "parties|entity|court|law|address|location|place|model|section|chapter|page"
)
_RULES: tuple[tuple[QuestionType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile("|".join(patterns), re.IGNORECASE))
    for kind, *patterns in (
        (
            QuestionType.DATE,
            r"\bwhen\s+(?:is|are|was|were|do|does|did|will|can|must|should|has|have|had)\b",
            rf"\b(?:what|which){_WORDS}(?:{_DATES})s?\b",
            r"何时|什么时候|哪一?年|哪一?[天日月]|几[年月日号]",
        ),
        (
            QuestionType.NUMBER,
            r"\bhow\s+(?:many|much|old|far|tall|long|large|big|high|often|frequently)\b",
            rf"\b(?:what|which|calculate|determine){_WORDS}(?:{_NUMBERS})s?\b",
            r"多少|几[个种次项名位条家人]|百分之",
        ),
        (
            QuestionType.EQUATION,
            r"\b(?:formula|equation|inequality|expression|identity|integral)s?\b",
            r"公式|方程|等式",
        ),
        (
            QuestionType.NAME,
            r"\bwho(?:m|se)?\b|\bwhere\b",
            rf"\b(?:what|which){_WORDS}(?:{_NAMES})\b",
            r"谁|哪里|哪个|哪家|哪位|何地|地点|名称|名字",
        ),
        (
            QuestionType.LIST,
            r"^\s*(?:list|name)\b",
            r"\b(?:what|which)\s+(?:are|were)\b|\b(?:two|three|four|five)\b",
            r"哪些|哪几",
        ),
        (
            QuestionType.EXPLANATION,
            r"\b(?:why|how|explain|describe)\b|\bunder\s+what\b",
            r"\bwhat\s+(?:happens?|does|do|did|must|should|can|will|would)\b",
            r"\bwhat\s+is\s+the\s+(?:purpose|definition|condition|effect|consequence|"
            r"requirement|reason|responsibility|obligation)\b",
            r"为什么|为何|如何|怎[么样]",
        ),
    )
)


def question_type(question: str) -> QuestionType:
    """The kind of answer a question asks for; ``SPAN`` if its words do not tell.

    Polite and indirect forms of a question have the kind of the direct one.
    """
    question = direct_question(question)
    if _is_verdict(question):
        return QuestionType.YES_NO
    for kind, pattern in _RULES:
        if pattern.search(question):
            return kind
    return QuestionType.SPAN


def asks_for_units(question: str) -> tuple[bool, bool]:
    """Whether a question's words ask for a percentage, and whether for an amount of money."""
    return bool(_PERCENT.search(question)), bool(_MONEY.search(question))


def _is_verdict(question: str) -> bool:
    question = question.strip()
    if _CHINESE_VERDICT.search(question):
        return True
    auxiliary, wh = _VERDICT_CLAUSE.search(question), _WH.search(question)
    if auxiliary is None or (
        auxiliary.start() > 0 and wh is not None and wh.start() < auxiliary.start()
    ):
        return False
    if auxiliary[0].casefold().endswith("was") and _is_german(question):
        return False  # "what"
    remainder = question[auxiliary.end() :]
    return not (_SECOND_QUESTION.search(remainder) or _OPPOSITES.search(remainder))


def _is_german(question: str) -> bool:
    words = _WORD.findall(unicodedata.normalize("NFC", question).casefold())
    english = sum(word in FUNCTION_WORDS and word not in ENGLISH_AND_GERMAN for word in words)
    return sum(word in GERMAN for word in words) > english
