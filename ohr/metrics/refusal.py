"""Whether an answer declines to answer; refusals are counted separately from wrong answers.

A refusal is a statement about the answer or about its source, not about the world. Each word of a
sentence has a role, such as a denial, the source (*text*, *Dokument*, *extrait*), the answer
(*information*, *Antwort*) or a verb of saying and knowing; other words have none. A few patterns
over the roles tell refusals, in English, German, French and Spanish, whatever the wording: a denied
word of saying that is the whole sentence (*not stated in the text*), a source that does not say, an
answer that is not there, and *I do not know*. So *unknown* is a refusal, and *the unknown soldier*
is not. *None*, *no* and *zero* are answers. Chinese refusals are found by a few phrases.
"""

from __future__ import annotations

import json
import re
import unicodedata
from importlib.resources import files

from ohr.markup.folding import fold_quotation

LOOKED_AT = 300
"""Number of characters at the beginning of an answer that are searched for a refusal."""

_ROLES = {
    word: role
    for role, words in json.loads(
        files("ohr.metrics").joinpath("refusal_words.json").read_text("utf-8")
    ).items()
    for word in reversed(words.split())
}
"""Word, without accents -> its role; the last role that lists a word counts.

N denial (n: German and French, which may follow the verb), S source, I answer or information, A
*answer* and *mention* (noun or verb), V saying (Z: which alone is about a text; v: verbs that are
nouns too), W saying and knowing, E knowing, Y finding out, F who answers, P what *I* can or
have (Spanish), M *can*, m other modals, H denial in itself (h: *missing*), G *enough*, U *unknown*,
K *known*, L where, Q *about*, C another clause, B what may stand between, X any other word.
"""
_WORD = re.compile(r"[^\W\d_]+|\d+|[,;:]")
_NOT = re.compile(r"(?<=[a-z])n't\b|(?<=\bcan)(?:not|'t)\b")
_NOUN_OR_VERB = re.compile(r"(?<=[Nn])(B?)v|(?<=H)(B)v")
_LABEL = re.compile("^B*AC(?=.)")  # "Answer: not stated"
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")

_WHERE = "(?:Q?L[BVZGL]*S[BVZSL]{0,3}|L)?"
_ABOUT = "(?:Q[BX]{0,6})?"
_SAYING = "[VZWA]"
_FROM = "(?:[LQBVGX]{0,8}S[BVZSX]*C|LB*S)?"
_DENIAL = "[Nn]"
_WHOLE = re.compile(
    "|".join((
        f"{_FROM}B*U{_WHERE}",  # unknown; it is unclear from the text
        f"{_FROM}B*[IA]B*U{_WHERE}",  # the answer is unknown
        # not stated
        f"(?:{_FROM}|[LBV]*S[BVZSL]*)[BIALQ]*{_DENIAL}[BG]*[VZWAIYK]+B*[VZ]?{_WHERE}{_ABOUT}",
        f"[BIA]*{_DENIAL}B*L[BV]*S[BVZS]*",  # not in the text
        f"B*[IAS][BX]{{0,2}}H{_WHERE}{_ABOUT}",  # the context is insufficient
        f"B*H[BG]*[IAS]+{_WHERE}{_ABOUT}",  # insufficient data
        # (there is) insufficient information to answer the question
        "[BL]*(?:B*H[BG]*[IAS]+|[IAS]+B*H)[BQ]{1,2}[YWAE][BXIA]{0,4}",
        f"B*[IA][BX]{{0,2}}h{_WHERE}",  # the information is missing
        f"[BX]{{1,7}}{_DENIAL}B{{0,3}}Z",  # the year is not specified
        # it is not named in the text
        f"[BXIA]{{0,8}}?{_DENIAL}B{{0,3}}{_SAYING}B{{0,2}}L[BV]*S[BVZS]*",
        f"[BIA]*B*[LS]+[BVZ]*{_DENIAL}B*{_SAYING}+",  # that is in the text not said (German)
        f"[BXLVQY]{{0,4}}{_DENIAL}[BXG]{{0,2}}[IA]+[BMG]{{0,3}}(?:[VZWY]B*)?(?:{_WHERE}|{_ABOUT})",
    ))
)  # fmt: skip
_WITHIN = re.compile(
    "|".join((
        # the text does not say
        f"(?:^|C)B?L?[BVZ]*S[SBXVZLI]{{0,6}}?{_DENIAL}[BX]{{0,2}}{_SAYING}",
        "(?:^|C)B?L?B*S[BSX]{0,3}[VZWX][BXIQ]{0,5}n(?=$|[VZCQL])",  # the text says it not (German)
        "(?:^|C)B?L?B*S[BSX]{0,3}[VZW]n",  # the text says not (French)
        "LB*S[BX]{0,2}nB?[VZYK](?:$|C)",  # from the text not to be seen (German)
        f"S[BSX]{{0,3}}[VW]{_DENIAL}[BXG]{{0,2}}[IA]",  # contains no information
        f"S[BSX]{{0,4}}{_DENIAL}[BXG]{{0,2}}[IA]",  # has no, makes no mention
        "S[BSXV]{0,3}H[BXG]{0,2}[VZWAIv]",  # fails to mention, lacks information
        "(?:^|C)[BX]?S[BX]{0,2}H[QL]",  # the text is silent on
        f"{_DENIAL}(?:[LB]{{1,3}}|B?)S[SBX]?[VZWA]",  # none of the passages says
        f"(?:^|[BC]){_DENIAL}L[BVZ]*S[BVZS]*(?:[QLVZWAn]|$)",  # nothing in the text
        "V[BXQ]{0,2}L?B*S?[BX]{0,2}n[BX]?(?:$|LB*S)",  # there stands nothing (in the text)
        f"(?:^|C)[BLV]{{0,3}}{_DENIAL}[BXG]{{0,2}}[IA]B{{0,2}}(?:[VZW]B*)?(?:Q|L[BV]*S)",
        f"(?:^|C)B*[IA][BXLS]{{0,5}}{_DENIAL}B{{0,3}}[VZWK](?:$|C|L[BV]*S)",
        f"{_DENIAL}[BX]?G[BX]{{0,2}}[SIA]",  # not enough information
        f"F[BXMQ]{{0,5}}{_DENIAL}[BXM]{{0,3}}[EWAY]",  # I do not know
        f"F[BMWQ]{{1,4}}{_DENIAL}[BXG]{{0,3}}[IAS]",  # I have no information
        "nAB|F[BX]{1,3}n[BX]{0,3}[IA]|nMC?[BXQ]{0,3}Y",  # aucune mention de la date
        "F[BX]{0,5}n[BX]{0,2}V",  # je n'ai pas trouvé
        "F[BQ]{0,2}[EWV][BXQ]{0,4}n",  # ich weiss es nicht, je ne sais pas
        "[EM]F[BXQ]{0,5}n",  # das weiss ich nicht, kann ich nicht
        "F[BX]{0,2}HB?[EWAYVv]|FB?E$",  # I am unable to say
        # cannot be determined; I cannot determine, but not: the board could not determine
        f"M{_DENIAL}B{{1,2}}[YA]|(?:^|[CFS][BX]{{0,2}})M{_DENIAL}[YA]|M{_DENIAL}BW",
        f"M{_DENIAL}W(?:$|L)",
        f"{_DENIAL}BMB?Y|{_DENIAL}B{{0,2}}PB{{0,2}}(?:X?[IAYE]|$)",  # no se puede determinar
        f"S[BSXVZ]{{0,3}}V{_DENIAL}Q",  # contain nothing about
        f"M{_DENIAL}B{{1,2}}[VZEX]L[BV]*S",  # cannot be concluded from the text
        "M[^C]{0,10}nB?Y",  # kann daraus nicht ermittelt werden
        f"HB{{0,2}}[YA]|^B*HB[EW]|{_DENIAL}[BM]B?[YE]$|{_DENIAL}MB[YEWA]",  # unable to determine
    ))
)  # fmt: skip
_SIGNS = re.compile(
    r"\A\W*(?:n/a|n\.\s?a|k\.\s?a|s/d|(?:yo\s)?no\s(?:lo\s)?s[eé])\W*\Z"
    r"|\bno mention (?:of|in|about)\b",
    re.IGNORECASE,
)
_APOLOGY = re.compile(
    r"^\W*(?:(?:i'?m|i am|we'?re|we are|es tut mir|je suis)\s)?(?:(?:so|very|really|vraiment)\s)?"
    r"(?:sorry|leid|désolée?s?|lo siento(?:\smucho)?|(?:my|our)\sapologies|entschuldigung|pardon"
    r"|perdón|unfortunately|regrettably|leider|malheureusement|lamentablemente|desafortunadamente)"
    r"\b[\s,;:.–-]*(?:(?:but|aber|mais|pero)\s)?",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"无法(?:回答|确定|得知|判断|找到)|不知道|未(?:提及|提到|说明|给出)|没有(?:提及|提到|相关信息)"
    r"|\A\W*(?:未知|不详|没有答案|无答案)\W*\Z"
)


def refused(answer: str) -> bool:
    """Whether an answer declines to answer ("not answerable", "the text does not say" ...).

    An empty answer is no refusal: it is counted as empty.
    """
    text = fold_quotation(answer[: 4 * LOOKED_AT])
    if _SIGNS.search(text) or _CHINESE.search(text):
        return True
    text = "\n".join(" ".join(line.split()) for line in text.split("\n"))[:LOOKED_AT]
    return any(map(_declines, _SENTENCE_END.split(text)))


def _declines(sentence: str) -> bool:
    roles = _roles(_APOLOGY.sub("", sentence))
    return bool(_WHOLE.fullmatch(roles) or _WITHIN.search(roles))


def _roles(sentence: str) -> str:
    """A letter for each word and comma of a sentence."""
    text = _NOT.sub(" not", sentence.casefold())
    plain = "".join(
        char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char)
    )
    plain = re.sub(r"\bon (?=ne\b|n')", "je ", plain)
    roles = "".join(_ROLES.get(word, "X") for word in _WORD.findall(plain)).strip("C")
    roles = _LABEL.sub("", roles)
    return _NOUN_OR_VERB.sub(r"\1\2V", roles).replace("v", "X")
