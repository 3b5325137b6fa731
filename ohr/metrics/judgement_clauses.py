"""Which sentences of a judge claim a verdict, and which only explain one.

All rules list what is understood. A sentence that fits none claims nothing; after a verdict, a
sentence that is not understood makes it unread. Sentences are case-folded, without mark-up
(:mod:`ohr.metrics.judgement_markup`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

YES_MARK, NO_MARK = "yesmark", "nomark"
"""Stand for signs such as a tick and a cross."""
QUOTED, QUOTED_CORRECT, QUOTED_INCORRECT = "quotedwords", "quotedcorrect", "quotedincorrect"
"""Stand for quotations: of several words, and of a claim."""

_OWNER = r"(?:model|student|candidate|system|user|reader)(?:'?s)?"
_GRADED = rf"(?:given|graded|submitted|proposed|provided|candidate|{_OWNER})"
_SUBJECT = rf"""
    (?:(?:the|this|that|my|final|overall|{_GRADED})\s+)*
    (?:answer(?:\s(?:to\sbe\sgraded|(?:given|provided|submitted)(?:\sby\sthe\s{_OWNER})?))?|response|reply|prediction|verdict|grade
      |judge?ment|conclusion|assessment|it|this|that)
"""
_SURELY = r"(?:(?:therefore|thus|hence|clearly|indeed|definitely|certainly|plainly|simply)\s+)*"
_FULLY = r"(?:(?:fully|completely|entirely|factually|absolutely|totally|perfectly)\s+)*"
_WORD = r"(?P<word>correct|incorrect|right|wrong)\b"
_IS = r"(?:is|was)(?:\s(?:to\sbe\s)?(?:considered|judged|deemed|graded|marked|rated)(?:\sas)?)?"
_LABEL = re.compile(
    r"""(?:\d{1,2}\s+)?(?:(?:my|the|final|overall)\s+)*
    (?:verdict|answer|grade|judge?ment|result|conclusion|decision|assessment|label|evaluation
      |correct\s?(?:/|or)\s?incorrect)
    (?:\sis)?\s*(?:[:=]|\s-(?=\s))\s*""",
    re.VERBOSE,
)
_LEAD = re.compile(
    r"""(?:
      (?P<yes>yes[,:]?|yesmark)\s+ | (?P<no>no(?!\sdoubt)[,:]?|nomark)\s+
      | (?:overall|unfortunately|sadly|finally|clearly|then|so|therefore|thus|hence|consequently
        |in\s(?:short|sum|conclusion|total|summary)|to\sconclude|in\smy\s(?:opinion|view|judge?ment))[,:]?\s+
      | (?:i\s(?:conclude|find|judge|decide|determine|rule)|it\sis\s(?:clear|evident|obvious
        |certain))\s+that\s+
      | (?:there\sis\s)?(?:no|without\s(?:a\s|any\s)?)\s?doubt(?:\sabout\s(?:it|that))?[,:]?\s+
        (?:that\s)?
    )""",
    re.VERBOSE,
)
_CLAIM = re.compile(
    rf"""
    (?P<subject>{_SUBJECT}\s+{_IS}\s+
      |(?:i|we)\s+(?:call|judge|consider|deem|rate|grade|mark|find|count)\s+
        (?:(?:the|this|that)\s+)?(?:it|this|that|answer|response)\s+(?:(?:as|to\sbe)\s+)?
    )?
    {_SURELY}(?:(?P<never>anything\sbut|by\sno\smeans|in\sno\sway)\s+|(?P<not>not\s+)(?:at\sall\s+)?
      |(?P<fully>{_FULLY}))
    (?P<article>(?:an?|the)\s)?{_WORD}(?(article)\s(?:answer|response|reply))
    """,
    re.VERBOSE,
)
_DENIED = re.compile(
    rf"""
    (?:(?:the\s+)?(?:statement|claim|assertion|sentence)\s+)?
      (?:that\s+(?P<that>.+?)|(?P<quoted>{QUOTED_CORRECT}|{QUOTED_INCORRECT}))
      \s+(?:is|was)\s+(?:false|untrue|not\strue)
    | it\s(?:is|was)\s(?:false|untrue|not\strue|not\sthe\scase|wrong)\sthat\s+(?P<after>.+)
    """,
    re.VERBOSE,
)
_VALUE = re.compile(
    r"(?:(?:is|answer)\s+)*(?P<word>correct|incorrect|wrong)\s*(?:[:=]|\s-)\s*"
    r"(?:(?P<yes>yes|true|yesmark)|no|false|nomark)(?P<tail>$|\W.*)"
)
_QUESTION = re.compile(
    rf"(?:(?:so|then|and)[,\s]\s*)?(?:(?:is|was)\s+(?:{_SUBJECT}\s+)?)?{_SURELY}{_FULLY}{_WORD}\s*\?",
    re.VERBOSE,
)
_ANSWER = re.compile(r"(?P<yes>yes|yesmark)\b(?P<tail>.*)|(?:no|nomark)\b(?P<rest>.*)")
_ECHO = re.compile(r"[,\s]*(?:it|this|that|the answer)\s(?:is|was)(?P<not>\snot)?")

_HYPOTHESIS = re.compile(
    r"(?:if|even if|assuming|suppos(?:e|ing)|provided|unless|when(?:ever)?|ignoring|disregarding"
    r"|neglecting|apart from|except|leaving|taken|given that|were|had|whether|without|with|in case"
    r"|only|for)\b"
)
_HEDGES = (
    r"part(?:ly|ially)|in part|mostly|almost|nearly|half|somewhat|largely|broadly|roughly|loosely"
    r"|technically|strictly|arguably|perhaps|maybe|might|may|could|possibly|probably|likely"
    r"|presumably|apparently|seem\w*|appears?|looks?|unsure|uncertain|unclear"
    r"|not (?:so |quite |too )?sure|guess|suppose|i (?:think|believe|feel|assume)|doubt\w*"
    r"|debatable|depend\w*|to (?:some|a|an) \w*\s?(?:extent|degree)|in a (?:sense|way)"
    r"|more or less|kind of|sort of|essentially|basically|generally|lenient\w*"
    r"|generous\w*|benefit|otherwise|kidding|joking|second thoughts?|as far as|as long as"
    r"|so long as|up to|modulo|to be fair|then again|wait|hmm+|quite|kinda"
)
_HEDGE = re.compile(rf"\b(?:{_HEDGES})\b")
_AGAINST = re.compile(
    r"\b(?:not|never|nor|neither|no|none|nothing|without|but|yet|however|although|though|except"
    r"|despite|instead|rather|whereas|unfortunately|still|if|unless|assuming|only|just|would|should"
    r"|ignor\w+|disregard\w*|far|less|too|wrong\w*|incorrect\w*|false\w*|errors?|mistakes?|mistaken"
    r"|inaccura\w+|incomplete\w*|missing|miss(?:es|ed)?|lack\w*|omit\w*|omission|differ(?:s|ed|ent)?"
    r"|contradict\w*|fail\w*|deviat\w+|conflict\w*|mismatch\w*|unlike|opposite|other than|refus\w+"
    r"|unanswered|irrelevant|invented|nomark)\b"
)
_FOR = re.compile(
    rf"\b(?:{_SUBJECT})\s+(?:is|was|could\sbe|can\sbe|counts\sas)\s+(?:still\s+|also\s+)?{_SURELY}{_FULLY}"
    r"(?:correct|right|acceptable|accepted|fine|ok|okay)\b(?!\s+\w+\s+is\b)|\byesmark\b|^(?:yes|correct)\b",
    re.VERBOSE,
)
_HARMLESS = re.compile(
    r"""\b(?:
      (?:the|a|an|its|only|one|single)?\s*(?:correct|right)\s
        (?!and\b|but\b|or\b|in\b|to\b|if\b|on\b|for\b|as\b|with\b)\w+
      | (?:does|do|did)\snot\s(?:contradict|change|alter|differ|conflict|matter|affect)\w*
      | (?:no|not\sa|without(?:\sany)?)\s(?:contradictions?|conflicts?|differences?|errors?
        |mistakes?|omissions?|doubt)
      | nothing\s(?:is\s)?(?:missing|contradicts|wrong|else)
      | (?:but|though|although|yet|while)\s(?:(?:it|this|that|both|they)\s)?(?:still\s)?
        (?:means?|has|have|is|are|gives?|says?|expresse?s?|names?|conveys?)\s
        (?:exactly\s)?(?:the\s)?(?:same|equivalent|identical|equal)
      | (?:even\s)?(?:though|although|but|only|just)?\s?(?:(?:it|the\sanswer)\sis\s|is\s|are\s)?
        (?:phrased|worded|written|expressed|formatted|put)\s(?:slightly\s|a\sbit\s)?differently
      | (?:in|uses?|with)\s(?:other|different)\s(?:words?|wording|formats?|notation|phrasing)
      | (?:a\s)?different\s(?:words?|wording|formats?|notation|phrasing)
      | would\s(?:have\sbeen|be)\s(?:correct|right|accepted|acceptable)
    )\b""",
    re.VERBOSE,
)
_OPENER = re.compile(
    r"""(?:because\s|since\s|as\s)?(?:
      (?:it|this|that|they|both|all|each|the|its|his|her|no|nothing|there)\b
      | (?:the\s)?(?:same|identical|equivalent|equal|exact(?:ly)?|matche?s?|matching|agrees?|says?
        |names?|gives?|states?|mentions?|contains?|consistent|accepted|fully|complete(?:ly)?)\b
    )""",
    re.VERBOSE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|match(?:es|ed)?|means?|equals?|agrees?|says?"
    r"|names?|states?|gives?|contains?|mentions?|includes?|corresponds?|expresses|conveys?|covers?"
    r"|identif(?:y|ies)|provides?|lists?|describes?|uses?|refers?|answers?|adds?|notes?|points?"
    r"|specif(?:y|ies)|reports?|calls?|differs?|contradicts?|lacks?|misses|omits?|fails?|should"
    r"|would|needs?|requires?|denotes?|counts?|implies|shows?)\b|="
)
_MISMATCH = re.compile(
    r"\b(?:not|instead|rather|wrong|missing|differ\w*|other|vs|versus|different)\b"
)
_REASON = re.compile(
    r"(?:(?:my|the|short|brief)\s+)*(?:reason(?:ing|s)?|explanation|rationale|justification|why"
    r"|because|comments?|notes?|feedback|details?)\s*[:=-]\s*"
)
_LISTED = re.compile(
    r"(?:(?:the|an?)\s+)?(?P<name>correct|right|expected|accepted|gold|reference|given|graded"
    r"|submitted|student|candidate|model|predicted|prediction|response|answer)"
    r"(?:'?s)?(?:\s(?:answers?|value|to be graded|given))*\s*(?:[:=]|\s-)"
)
_AND_MORE = re.compile(
    r"and\s(?:(?:fully|also|is|it\sis)\s)*(?:complete|precise|exact|accurate|sufficient|matches|agrees"
    r"|consistent|to\sthe\spoint|well\ssupported|supported|it\s|the\s|needs\sno)\b"
)
_ACCORDING = re.compile(
    r"(?:according to|based on|judging by|compared (?:with|to)|as per|measured against)\s"
    r"(?:(?:the|its|this|these|all|both|given|provided|accepted|gold|reference|expected|context"
    r"|passages?|texts?|documents?|sources?|evidence|answers?|rubric|criteria|question|and|in|list"
    r"|of|instructions?)\s?)+"
)
_CONCLUSION = re.compile(
    r"(?:,|;|:|\s-|\s–)?\s(?P<link>so|therefore|thus|hence|which means)[,\s]\s*"
)
_CONCESSION = re.compile(r"[,;]?\s(?P<link>but|yet)\s+")
_ASIDE = re.compile(r"\s*(?::|;|\s-|\s–)\s+")
_MORE_SAID = re.compile(
    r"(?:it|this|the answer|the response)\s(?:just\s|only\s|merely\s)?(?:adds?|gives?|has|contains?"
    r"|includes?|uses?|is|offers?)\s(?:\w+\s){0,3}"
    r"(?:details?|longer|shorter|words?|wording|formats?|verbose|explanation|context|notation|terse)"
)


_LONGEST = 2000
"""Characters of a sentence that may claim something; a longer one is no sentence."""
_JOINT = re.compile(r"\s*[,:;–]|\s+(?:-|(?:because|since|as|and)\b)")


def claim(sentence: str) -> bool | None:
    """The verdict that a sentence claims of the answer; None if it claims none, or both."""
    if len(sentence) > _LONGEST:
        return None
    if (label := _LABEL.match(sentence)) is not None:
        sentence = sentence[label.end() :]
        if sentence in (QUOTED_CORRECT, QUOTED_INCORRECT):
            return sentence == QUOTED_CORRECT
    if (denied := _DENIED.fullmatch(sentence)) is not None:
        inner = denied["that"] or denied["after"]
        denied_claim = claim(inner) if inner else denied["quoted"] == QUOTED_CORRECT
        return False if denied_claim else None
    if (value := _VALUE.fullmatch(sentence)) is not None:
        correct = bool(value["yes"]) == (value["word"] == "correct")
        return correct if _is_tail(value["tail"], correct) else None
    for before, after, link in _divisions(sentence):
        verdict = _whole(after)
        if verdict is not None and _leads_to(before, link, verdict):
            return verdict
    return None


def _divisions(sentence: str) -> list[tuple[str, str, str]]:
    """The sentence as a whole, and what stands before and after each word that may end a reason."""
    divisions = [("", sentence, "")]
    if (according := _ACCORDING.match(sentence)) is not None:
        return [("", sentence[according.end() :].lstrip(" ,"), "")]
    for pattern, kind in ((_CONCLUSION, "so"), (_CONCESSION, "but"), (_ASIDE, ":")):
        divisions += [
            (sentence[: match.start()], sentence[match.end() :], kind)
            for match in pattern.finditer(sentence)
        ]
    because = re.match(r"(?:because|since|as)\s(?P<why>[^,]+),\s(?P<claim>.+)", sentence)
    return divisions + ([(because["why"], because["claim"], "so")] if because else [])


def _whole(sentence: str) -> bool | None:
    """The verdict of a sentence that begins with its claim."""
    yes = no = False
    while (lead := _LEAD.match(sentence)) is not None:
        yes, no = yes or bool(lead["yes"]), no or bool(lead["no"])
        sentence = sentence[lead.end() :]
    match = _CLAIM.match(sentence)
    if match is None:
        return None
    correct = match["word"] in ("correct", "right")
    if match["article"] and (not match["subject"] or (correct and match["article"] == "the ")):
        return None  # "the correct answer" is another one
    tail = sentence[match.end() :]
    if match["word"] == "right" and not match["subject"] and (tail or yes or no):
        return None  # "Right, …" begins a talk
    if match["not"] or match["never"]:
        # Not "not incorrect", which is less than correct, and no fragment such as "not correct".
        if not correct or not (match["subject"] or (no and match["not"])):
            return None
        correct = False
        tail = tail.removeprefix(" at all")
    if (yes and not correct) or (no and correct):
        return None
    return correct if _is_tail(tail, correct) else None


def _is_tail(tail: str, correct: bool) -> bool:
    """Whether the rest of a sentence after its verdict leaves the verdict as it is."""
    if tail.strip() in ("", YES_MARK if correct else NO_MARK):
        return True
    if not _JOINT.match(tail):
        return False
    tail = tail.strip(" ,")
    if _AND_MORE.match(tail) and correct:
        return _is_undoubted(tail, correct)
    tail = tail.lstrip(":;-– ")
    if correct and not _OPENER.match(tail):
        return False
    if not correct and not (_OPENER.match(tail) or _MISMATCH.search(tail) or _VERB.search(tail)):
        return False
    return _is_undoubted(tail, correct)


def _leads_to(before: str, link: str, correct: bool) -> bool:
    """Whether the clause before a verdict in the same sentence is a reason for it."""
    if not before:
        return not link
    if _HYPOTHESIS.match(before) or before.endswith("?"):
        return False
    if link == "but":
        return bool(_MORE_SAID.fullmatch(before)) if correct else not _FOR.search(before)
    if link == ":" and not (_OPENER.match(before) and _VERB.search(before[:-1])):
        return False
    if link == ":" and re.search(r"(?:says?|states?|claims?|following|answers?|this)$", before):
        return False
    return _is_undoubted(before, correct) if correct else not _FOR.search(before)


def question(sentence: str) -> bool | None:
    """For a question whether the answer is correct True, for one whether it is incorrect False."""
    match = _QUESTION.fullmatch(sentence)
    return None if match is None else match["word"] in ("correct", "right")


def answers_question(sentence: str, asks_correct: bool) -> set[bool] | None:
    """The verdicts that *yes* or *no*, with what follows, give to :func:`question`.

    None if the sentence does not begin with one of them, or is not understood.
    """
    match = _ANSWER.fullmatch(sentence)
    if match is None:
        return None
    yes = bool(match["yes"])
    correct = yes == asks_correct
    rest = match["tail"] if yes else match["rest"]
    tail = rest.strip(" ,:;-–")
    echo = _ECHO.fullmatch(tail)
    if not tail or (echo is not None and bool(echo["not"]) != yes):
        return {correct}
    more = claim(tail)
    if more is not None:
        return {correct, more}
    return {correct} if _is_tail(rest, correct) else set()


def explains(sentence: str, correct: bool) -> bool:
    """Whether a sentence after a verdict is understood as an explanation, and casts no doubt."""
    if claim(sentence) is correct or sentence in ("yes" if correct else "no", QUOTED):
        return True
    if (label := _REASON.match(sentence)) is not None:
        return _is_undoubted(sentence[label.end() :], correct)
    if _LISTED.match(sentence):
        return _is_undoubted(sentence, correct)
    if sentence.endswith("?") or _HYPOTHESIS.match(sentence):
        return False
    known_values = _OPENER.match(sentence) or _VERB.search(sentence)
    if not known_values and not (not correct and _MISMATCH.search(sentence)):
        return False
    return _is_undoubted(sentence, correct)


def _is_undoubted(text: str, correct: bool) -> bool:
    text = _HARMLESS.sub(" ", text)
    if _HEDGE.search(text):
        return False
    return not (_AGAINST.search(text) if correct else _FOR.search(text))


_MATCHES = re.compile(
    rf"{_SUBJECT}(?:\s+given)?\s+(?:(?:does|do|did)\s(?P<not>not)\s)?{_FULLY}"
    r"(?:match(?:es|ed)?|agrees?|equals?|corresponds?)(?:\s(?:with|to))?"
    r"(?:\s(?:the|any)(?:\s(?:of\sthe|reference|correct|expected|accepted|gold))*"
    r"(?:\s(?:answers?|one|reference))?)?",
    re.VERBOSE,
)


def speaks_against(sentence: str, correct: bool) -> bool:
    """Whether a sentence says flatly that the answer matches, or does not, against the verdict."""
    match = _MATCHES.fullmatch(sentence)
    return match is not None and bool(match["not"]) == correct


def hedges_correct(sentence: str) -> bool:
    """Whether a sentence says *correct* with a reservation, such as *mostly correct*."""
    if sentence.endswith("?") or _HYPOTHESIS.match(sentence):
        return False
    return bool(re.search(rf"\b(?:{_HEDGES}|not \w+ly)\s+(?:correct|right)\b(?!\s+\w)", sentence))


def leaves_open(sentence: str) -> bool:
    """Whether what stands before a verdict makes it another's words, or a condition."""
    if _UNABLE.search(sentence):
        return True
    if sentence.endswith(":"):
        own = re.search(
            r"verdict|judge?ment|grade|evaluation|answer|result|conclu|assessment|decision",
            sentence,
        )
        return not own or bool(_HYPOTHESIS.match(sentence)) or bool(_REPORT.search(sentence))
    return (
        bool(_HYPOTHESIS.match(sentence)) and "," not in sentence and not _VERDICT.search(sentence)
    )


_UNABLE = re.compile(
    r"\b(?:i|we) (?:can not|am (?:not able|unable) to|do not) (?:tell|say|judge|decide|grade|know"
    r"|determine|assess|verify)\b"
)
_REPORT = re.compile(
    r"\b(?:says?|said|claims?|claimed|writes?|wrote|thinks?|believes?|student|model)\b"
)
_VERDICT = re.compile(r"\b(?:in)?correct\b")


def names_values(sentence: str, sentences: Sequence[str]) -> bool:
    """Whether ``correct: yes`` lists the answers, as in *Correct: yes. Given: no.*"""
    if _VALUE.fullmatch(sentence) is None:
        return False
    rest = [
        match["name"] for line in sentences if line != sentence and (match := _LISTED.match(line))
    ]
    return bool(rest)
