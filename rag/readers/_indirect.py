"""Turns polite and indirect questions into direct ones.

*Could you please tell me when the harbour was opened?* becomes *When was the harbour opened?*. A
frame is taken off only if it asks to be told something (*can you tell me*, *do you know*, *I would
like to know*); *Can you enter without a ticket?* is a question of its own and stays. In what
remains, the verb returns to its place in a question, so that every form of a question is ranked and
classified as one text.
"""

from __future__ import annotations

import re

from rag.readers._frames import frame_end

__all__ = ["direct_question"]

_PLEASE = (
    r"(?:(?:please|kindly|perhaps|possibly|maybe|also|just|quickly|briefly|by\s+any\s+chance|first)"
    r"\s*,?\s+){0,3}"
)
_TELL = (
    r"(?:tell|inform|remind|advise)\s+(?:me|us)(?:\s+(?:about|of)(?=\s+(?:wh|how)))?|say|let\s+(?:me|us)\s+know"
    r"|(?:help|enlighten)\s+(?:me|us)(?:\s+(?:to\s+)?(?:find\s+out|understand|know))?"
    r"|(?:find\s+out|look\s+up|figure\s+out|check|clarify|specify|confirm)(?:\s+for\s+(?:me|us))?"
    r"(?=\s*[,:]|\s+(?:wh|how|if\b))|state(?=\s+(?:wh|how|the\b))"
    r"|(?:give|show)\s+(?:me|us)|answer(?:\s+(?:me|us))?(?:\s+(?:this|the\s+following|a|my)"
    r"(?:\s+question)?)?"
)
_TELLING = r"(?:telling|informing)\s+(?:me|us)|saying|letting\s+(?:me|us)\s+know|giving\s+(?:me|us)"
_KNOW = r"(?:know|find\s+out|learn|ask(?:\s+you)?|understand|hear|be\s+told)"
_BEING = r"(?:['’]m|\s+am|\s+was|['’]re|\s+are|\s+were)"
_FRAME = re.compile(
    rf"""
    (?:so|well|now|hello|hi|hey|ok|okay|excuse\s+me|sorry|thanks|dear\s+\w+)?[,!.]?\s*{_PLEASE}
    (?:
      (?:can|could|would|will|might|may)\s+(?:you|we|someone|somebody|anyone|anybody)\s+{_PLEASE}
        (?:(?:be\s+(?:able|so\s+kind\s+as|kind\s+enough|willing)\s+to)\s+{_PLEASE})?(?:{_TELL})
      | would\s+(?:you|anyone)\s+mind\s+(?:{_TELLING})
      | (?:do|does|did|would|might)\s+(?:you|we|anyone|anybody|someone|they)\s+(?:happen\s+to\s+)?
        (?:know|remember|recall)(?:\s+(?:the\s+answer\s+to))?
      | (?:do|would)\s+you\s+have\s+(?:any|an)\s+(?:idea|clue)(?:\s+(?:of|about|as\s+to))?
      | (?:have\s+you\s+)?(?:any|got\s+any)\s+idea(?:\s+(?:of|about|as\s+to))?
      | (?:may|might|can|could)\s+(?:i|we)\s+{_PLEASE}(?:ask(?:\s+you)?|know|inquire|find\s+out)
      | (?:i|we)(?:['’]d|\s+would|\s+should)\s+(?:really\s+)?(?:like|love|want
        |be\s+(?:glad|happy|interested|curious|grateful))\s+(?:to\s+{_KNOW}|if\s+you\s+(?:could|would)\s+(?:{_TELL}))
      | (?:i|we)\s+(?:really\s+)?(?:want|need|wish|have|try)\s+to\s+{_KNOW}
      | (?:i|we)(?:{_BEING})?\s+(?:just\s+)?(?:wonder(?:ing|ed)?
        |curious(?:\s+(?:about|to\s+{_KNOW}))?|asking
        (?:\s+myself)?|trying\s+to\s+{_KNOW}|interested\s+(?:in|to\s+{_KNOW}))
      | (?:i|we)\s+(?:do\s+not|don['’]t)\s+(?:quite\s+)?(?:know|remember|understand)
      | (?:would|is|might)\s+it\s+(?:be\s+)?possible\s+to\s+(?:{_TELL}|{_KNOW})
      | is\s+(?:it|there\s+any\s+way\s+to)\s+(?:known|know|clear|stated)(?=\s+(?:wh|how|if\b))
      | (?:my|the|(?:here\s+is|i\s+have|i['’]ve)\s+(?:my|a|one))
        \s+question(?:\s+is)?(?=\s*[:,]|\s+(?:wh|how))
      | question(?=\s*:)
      | {_PLEASE}(?:(?:tell|give|show|inform|remind)\s+(?:me|us)|let\s+(?:me|us)\s+know
        |answer(?:\s+(?:me|us))?(?:\s+(?:this|the\s+following|my)(?:\s+question)?)?(?=\s*[:,]))
      | (?:please|kindly)(?=\s*[,:]?\s*(?:what|which|who|whom|whose|when|where|why|how|is|are|was
        |were|do|does|did|can|has|have|had)\b)
    )
    (?:[,\s]+please)?(?:\s*[,:;–—-]+\s*|\s+|(?=\?))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REQUEST = re.compile(
    rf"(?:can|could|would|will)\s+you\s+{_PLEASE}"
    r"(?=(?:explain|describe|list|name|calculate|compute|compare|summari[sz]e|outline|define)\b)",
    re.IGNORECASE,
)
_END = re.compile(
    r"[\s,;.?!–—-]{0,4}\s(?:[–—-]\s?)?(?:please|thanks|thank\s+you(?:\s+(?:very\s+much|in\s+advance))?"
    r"|if\s+(?:you\s+(?:can|please|may|know|do\s+not\s+mind|don['’]t\s+mind)|possible|i\s+may\s+ask)"
    r"|(?:do|would|does)\s+(?:you|anyone)\s+(?:happen\s+to\s+)?know"
    r"|(?:can|could)\s+you\s+(?:please\s+)?(?:tell\s+me|say|help(?:\s+me)?)|any\s+ideas?"
    r"|(?:do|does|would|will|can|could)(?:n['’]t)?\s+you)"
    r"(?:\s+(?:that|this|it|please))?\s*[.?!]*\s*\Z",
    re.IGNORECASE,
)
_LONGEST_END = 80
_CHINESE = re.compile(
    r"(?:你好|您好)?[,，]?(?:请问(?:一下)?|(?:请|麻烦)?(?:[你您]?(?:能不能|能否|可以|可否|能)?)告诉我(?:一下)?|[你您]知道"
    r"|我想(?:知道|问(?:一下)?))[,，::]?\s*"
)
_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had)"
)
_SUBJECT = (
    r"(?:the|an?|this|that|these|those|its?|his|her|their|our|my|your|each|every|all|he|she|they"
    r"|we|you|i|there)"
)
_WH = re.compile(
    r"(?P<wh>(?:(?:in|on|at|by|for|to|from|under|with|of)\s+)?(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"(?:\s+(?:many|much|old|far|tall|long|large|big|high|often|soon|fast|deep|wide|heavy)\b)?)"
    r"(?P<noun>(?:\s+[^\W\d_]+){0,4}?)\s+(?P<rest>" + _SUBJECT + r"\b.*|[A-Z].*)",
    re.DOTALL,
)
_WHETHER = re.compile(r"(?:whether|if)\s+(?:or\s+not\s+)?(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_AUX = re.compile(rf"\s+(?P<aux>{_AUXILIARY})\b(?P<nt>n['’]t)?", re.IGNORECASE)
_HAS_AUX = re.compile(rf"\b{_AUXILIARY}\b", re.IGNORECASE)
_ASKS = re.compile(
    rf"(?:(?:in|on|at|by|for|to|from|under|with|of|until|since|and)\s+)?"
    rf"(?:wh(?:at|ich|o|om|ose|en|ere|y|ether)|how|if|{_AUXILIARY}|the|its|his|her|their"
    r"|explain|describe|list|name|calculate|compute|compare|summari[sz]e|outline|define)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^,:?]{3,120}[,:]\s+")
_CONDITION = re.compile(
    rf"(?:when|where|if)\b[^,?]*,\s+(?:(?:in|by|to|on|at|for)\s+)?(?:wh|how\b|{_AUXILIARY}\b)",
    re.IGNORECASE,
)
"""A clause that comes before the question: *when the lease ends, who pays*."""
_NOMINAL = re.compile(r"(?:the|its|his|her|their)\s", re.IGNORECASE)


def direct_question(question: str) -> str:
    """The question without its polite or indirect frame; unchanged if it has none."""
    lead, text, framed = _unframed(" ".join(question.split()))
    end = max(len(text) - _LONGEST_END, 0)
    ended = text[:end] + _END.sub("", text[end:])
    if ended != text and len(ended.split()) > 1:
        text, framed = ended, True
    if not framed:
        return question
    text = text.rstrip(" .!?？。")
    text = f"{_reorder_verb(text)}?"
    return f"{lead}{text}" if lead else text[:1].upper() + text[1:]


def _unframed(text: str) -> tuple[str, str, bool]:
    """What stands before the frame, what follows it, and whether there was one."""
    lead, framed = "", False
    if match := _CHINESE.match(text):
        return "", re.sub(r"吗?\s*[?？]?\s*\Z", "", text[match.end() :]), True
    for _ in range(4):
        rest = _strip_frame(text, 0, framed=framed)
        if rest is None and not framed and (clause := _CLAUSE.match(text)) is not None:
            rest = _strip_frame(text, clause.end())
            lead = clause[0] if rest is not None else ""
        if rest is None:
            break
        text, framed = rest, True
    return lead, text, framed


def _strip_frame(text: str, start: int, *, framed: bool = False) -> str | None:
    """The question after a frame that begins there; None without one."""
    match = _FRAME.match(text, start) or _REQUEST.match(text, start)
    if match is not None:
        rest = text[match.end() :]
        if rest.strip(" ?.!") and (_ASKS.match(rest) or match[0].rstrip()[-1] in ",:;-–—"):
            return rest
    end = frame_end(text[start:], framed=framed, needs_verb=start > 0)
    return text[start + end :] if end else None


def _reorder_verb(text: str) -> str:
    """An indirect question with its verb where a direct one has it."""
    if _CONDITION.match(text) is not None:
        return text
    if (match := _WHETHER.fullmatch(text)) is not None:
        rest = match["rest"]
        aux = _AUX.search(rest)
        return f"does {rest}" if aux is None else _moved(rest, aux)
    if _NOMINAL.match(text):
        return f"what is {text}"
    match = _WH.fullmatch(text)
    # With more words before the subject, one of them is likely its verb: "which firm built the".
    if match is None or len(match["noun"].split()) > 1 or _HAS_AUX.search(match["noun"]):
        return text
    asks, rest = match["wh"] + match["noun"], match["rest"]
    if re.match(_AUXILIARY + r"\b", rest, re.IGNORECASE):
        return text
    aux = _AUX.search(rest)
    if match["noun"] and (aux is None or re.search(r"who\Z", match["wh"], re.IGNORECASE)):
        return text
    if aux is None:
        verb = "did" if re.search(r"\w{2,}ed\b", rest) else "does"
        return f"{asks} {verb} {rest}"
    return f"{asks} {_moved(rest, aux)}"


def _moved(rest: str, aux: re.Match[str]) -> str:
    verb = aux["aux"] + (aux["nt"] or "")
    return f"{verb} {rest[: aux.start()]}{rest[aux.end() :]}".strip()
