"""Whether an answer declines to answer; refusals are counted separately from wrong answers."""

from __future__ import annotations

import re

from ohr.markup.folding import fold_quotation

_WORDS = re.compile(
    r"""
    \W*(?:
      (?:it\ is\ |this\ (?:question\ )?is\ )?(?:not\ answerable|unanswerable)
      | no\ answer(?:\ (?:found|available|given|possible))? | noanswer | n/a
      | unknown | unclear | undetermined
      | (?:not\ (?:known|available|found|given|provided|specified|mentioned|stated|applicable))
    )\W*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PHRASE = re.compile(
    r"""
    \b(?:can\s?not|can['’]t|could\ ?n['’]t|could\ not|unable\ to)\ (?:be\ )?
      (?:answer|determin|find|found|infer|identif|locat)
    | \bi\ (?:do\ not|don['’]t)\ (?:know|have\ (?:enough|the|any|that|access))
    | \b(?:not\ enough|insufficient|no(?:t\ sufficient)?(?:\ relevant)?)
      \ (?:information|context|evidence)\b
    | \b(?:contexts?|documents?|passages?|texts?|information|answer|question)\b.{0,60}?
      \b(?:do(?:es)?\ not|do(?:es)?n['’]t|did\ not|didn['’]t|is\ not|isn['’]t|are\ not|aren['’]t)
      \ (?:\w+\ )?(?:answer|contain|provid|mention|specif|stat|includ|given|available|found|
      say|disclos|answerable|indicat|address|present)
    | 无法(?:回答|确定|得知) | 不知道 | 未(?:提及|提到|说明) | 没有(?:提及|提到|相关信息)
    """,
    re.VERBOSE | re.IGNORECASE,
)
LOOKED_AT = 300
"""Number of characters at the beginning of an answer that are searched for a refusal."""


def refused(answer: str) -> bool:
    """Whether an answer declines to answer ("not answerable", "the text does not say" ...).

    An empty answer is no refusal: it is counted as empty.
    """
    text = " ".join(fold_quotation(answer[: 4 * LOOKED_AT]).split())[:LOOKED_AT]
    return bool(_WORDS.fullmatch(text) or _PHRASE.search(text))
