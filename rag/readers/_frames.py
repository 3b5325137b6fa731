"""Finds the question in a polite or indirect one by the words before it.

There are too many polite forms to list. But their words are few: people who talk (*I*, *you*,
*anyone*), words of courtesy, and verbs of telling and knowing. What comes before a question and has
no other words is a frame: *I was hoping that you could tell me*, *Hi!*, *Do you think we know*.
"""

from __future__ import annotations

import re

__all__ = ["frame_end"]

_NO_FRAME = re.compile(r"\w|(?<=\S)-\Z")
"""Between two words: a number, or the hyphen of a word such as *know-how*."""
_MOST_WORDS = 24
"""Words of the longest frame."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TALKERS = (
    "i me my us our you your we it that this there one anyone anybody someone somebody"
    " folks friend team assistant sir madam"
)
_VERBS = (
    "am are is was were be been being do does did have has had can could will would may might let"
    " got get"
)
_COURTESY = (
    "please kindly perhaps possibly maybe also just quickly briefly quick brief short simple first"
    " by any chance happen so kind kindness as enough good very really quite still actually ever"
    " glad grateful happy thankful pleased delighted appreciate appreciated appreciating thanks"
    " thank great nice helpful wonderful lovely fantastic possible okay ok alright fine sorry"
    " excuse pardon forgive bother bothering trouble disturb hello hi hey greetings dear morning"
    " afternoon evening day again well now then oh um say pray much advance favour favor mind care"
    " help helping if far time patience support today"
)
_ASKING = (
    "know knowing known tell telling told inform informing remind reminding advise find finding"
    " figure work look looking check checking clarify specify confirm state show answer answering"
    " wonder wondering wondered curious curiosity ask asking asked inquire enquire learn learning"
    " understand understanding hear hearing remember recall determine identify indicate share"
    " provide report mention aware sure certain clear see seeing idea clue light shed enlighten"
    " following question questions interested interest explain"
)
_WANTING = (
    "want wanted wanting wish need needed like love hope hoping hoped try trying able willing think"
    " suppose way curious writing"
)
_LINKS = "to the a an of about as at for in with from on up out any some no not and but or more"
_SOURCES = (
    "based according text document passage context article excerpt something anything else info"
    " information another next last"
)
_NEGATED = re.compile(r"(?:do|does|did|would|could|can|might|have|has|is|are|was|were)n['’]t\Z")
_SHORTENED = re.compile(
    r"(?:i|you|we|it|that|there|here|let|what|somebody|someone|anyone)['’](?:d|m|ve|re|s|ll)\Z"
)
_FRAME_WORDS = frozenset(
    " ".join((_TALKERS, _VERBS, _COURTESY, _ASKING, _WANTING, _LINKS, _SOURCES, "here")).split()
)
_ASKING_WORDS = frozenset(_ASKING.split())
_OWN = re.compile(
    r"(?:must|should|shall|do|did|am|was|will|would|have|had)\s+i\b"
    r"|can\s+i\s+(?!ask|know|find|inquire|enquire|learn|hear|please|just|also|kindly|quickly|trouble|bother)"
    r"|(?:do|does|did|can|could|will|has|have|had|is|was|are|were)\s+(?:the|this|that|some|any|one|there(?!\s+any\s+(?:way|chance)))\b"
    r"|(?:do|does|did|can|could|will|has|have|had)\s+it\b"
    r"|.*\b(?:have|has|had)\s+to\b|.*\byou\s+be\s+(?:told|asked|informed|shown|reminded|advised)\b"
)
"""Beginnings of questions of their own, in the words of a frame: *do I have to tell you if I
move*, *does it state who is liable*."""
_TALK = frozenset(
    f"{_ASKING} i me my us our we you your anyone anybody someone somebody please kindly hello hi"
    " hey greetings morning afternoon evening thanks thank sorry excuse pardon quick".split()
)
"""Words of which a frame has one: *in the context of the document* is none."""
_PREPOSITION = r"(?:in|on|at|by|for|to|from|under|with|until|since|during|of)"
_CLAUSE = re.compile(
    rf"(?:{_PREPOSITION}\s+(?:what|which|whom|whose)"
    r"|what|which|who|whom|whose|when|where|why|how|whether)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"(?:if|whether)\b", re.IGNORECASE)
_IF_OF_A_FRAME = re.compile(
    r"if\s+(?:you|it|that|this|anyone|anybody|someone|somebody|possible|i\s+(?:may|might|can|could|ask)"
    r"|we\s+(?:may|might|can|could))\b",
    re.IGNORECASE,
)
_ASKED_IF = re.compile(
    r"\b(?:know|known|say|check|confirm|ask|asking|wonder|wondering|wondered|curious|sure|certain"
    r"|clear|aware|see|determine|out|idea|clue|learn|hear|understand|remember|recall|clarify|state"
    r"|specify|identify|indicate|telling|knowing|question|tell|inform|remind|share|explain"
    r"|looking\s+for)(?:\s+to\s+me|\s+me|\s+us|\s+is|\s+whether)?(?:[\s,]+(?:please|perhaps|maybe))*"
    r"[\s,:]*\Z|^(?:pray\s+tell|so|well|now|and)[\s,]+\Z",
    re.IGNORECASE,
)
"""Before an *if* that asks; after other words it sets a condition: *ask for help if it rains*."""
_EXPLAIN = re.compile(r"\bexplain(?:ing)?(?:\s+to\s+(?:me|us))?[\s,:]*\Z", re.IGNORECASE)
_REASONS = re.compile(r"(?:why|how|what)\b", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had)"
    r"(?:n['’]t)?\s+(?!(?:you|i|we|anyone|anybody|someone|somebody|it\s+(?:be|possible|okay|known))\b)",
    re.IGNORECASE,
)
_BREAK = re.compile(r"(?:[.,:;!?…–—]|\s-\s)\W*(?:\b(?:but|and|so)\s+)?\Z", re.IGNORECASE)
_LEADS = re.compile(r"(?:so|and|but|well|now|ok|okay|please)[\s,]+\Z", re.IGNORECASE)
_WHAT_I = re.compile(
    r"(?:what|all|the\s+thing)\s+(?:that\s+)?(?:i|we)(?:['’]\w+)?\s", re.IGNORECASE
)


def frame_end(text: str, *, framed: bool = False, needs_verb: bool = False) -> int:
    """Where the question begins after words of courtesy; 0 without them.

    The question is a clause with its own question word (*when the mill was built*), also with *if*
    after a verb that asks, or a direct question after a comma, colon or full stop. ``framed``:
    the text follows a frame. ``needs_verb``: only a clause after a verb of asking counts.
    """
    start = direct = 0
    if (match := _WHAT_I.match(text)) is not None:  # "what I would like to know is ..."
        start = match.end() - 1
    asks, talks, end = False, framed, start
    for number, word in enumerate(_WORD.finditer(text, start)):
        place = word.start()
        if _NO_FRAME.search(text, end, place):
            break
        end = word.end()
        before = text[:place]
        if number and _begins_clause(text, place, asks=asks, talks=talks, framed=framed):
            if _OWN.match(before.casefold()) or (needs_verb and not asks):
                return 0 if needs_verb else direct
            return place
        is_direct = (talks and _BREAK.search(before)) or _LEADS.fullmatch(before)
        if number and not needs_verb and is_direct and _AUXILIARY.match(text, place):
            direct = place
        name = word[0].casefold()
        if number >= _MOST_WORDS or not _is_frame_word(name):
            break
        asks = asks or name in _ASKING_WORDS
        talks = talks or name in _TALK
    return direct


def _begins_clause(text: str, place: int, *, asks: bool, talks: bool, framed: bool) -> bool:
    """Whether a question begins at a place after words of a frame."""
    before = text[:place]
    if _IF.match(text, place) and not text[place : place + 7].casefold().startswith("whether"):
        is_object = _ASKED_IF.search(before) or (framed and _BREAK.search(before))
        return bool(is_object) and not _IF_OF_A_FRAME.match(text, place)
    if not _CLAUSE.match(text, place):
        return False
    if _EXPLAIN.search(before) and _REASONS.match(text, place):
        return False
    return asks or bool(talks and _BREAK.search(before)) or bool(_LEADS.fullmatch(before))


def _is_frame_word(word: str) -> bool:
    return (
        word in _FRAME_WORDS
        or _NEGATED.match(word) is not None
        or _SHORTENED.match(word) is not None
    )
