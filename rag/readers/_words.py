"""Closed-class words of English and Chinese, and words that identify German."""

from __future__ import annotations

AUXILIARIES = frozenset(
    "is are was were be been being am do does did can could will would shall should may might "
    "must has have had".split()
)
PREPOSITIONS = frozenset(
    "of in on at by for from to with within without under over between among through during "
    "before after until upon against into onto about above below per via as than since "
    "toward towards across along around behind beyond despite except regarding".split()
)
LINKERS = frozenset(
    "and or but nor so yet if unless because although though while when where whereas whether "
    "that which who whom whose how what why this these those there then thus hence therefore "
    "such both either neither".split()
)
DETERMINERS = frozenset(
    "a an the its it their they them his her he she him our we us your you my i me any each "
    "every some all no not only also more most other same own".split()
)
CHINESE_FUNCTION = frozenset("的是了在和与及或为于由对将以其之而且并也都就被把从到至等这那有个吗呢")
FUNCTION_WORDS = AUXILIARIES | PREPOSITIONS | LINKERS | DETERMINERS | CHINESE_FUNCTION
QUESTION_WORDS = frozenset(
    "what which who whom whose when where why how many much does did do is are was were can "
    "could will would should shall may might must has have had according document following "
    "describe explain list name state mention mentioned given specified stated 什 么 哪 谁 何 "
    "多 少 几 怎 样 如 吗 呢 请 问 据 根 文 中".split()
)
GERMAN = frozenset(
    "der die das den dem des ein eine einen einem einer eines es er sie man ist sind waren wird "
    "werden wurde wurden hat haben hatte kann können muss müssen darf dürfen soll sollen gibt "
    "kostet bedeutet heisst versteht gilt zahlt passiert geschieht steht umfasst und oder nicht "
    "mit von vom zu zum zur im auf aus bei beim nach für über unter durch gegen ohne wenn".split()
)
"""Words that identify a German question, after :meth:`str.casefold`."""
ENGLISH_AND_GERMAN = frozenset("was will in an am so also her".split())
# Without "may", which is a month only beside a number.
MONTHS = frozenset(
    "january february march april june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec 年 月 日".split()
)
NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred thousand million billion trillion half third quarter once twice "
    "一 二 三 四 五 六 七 八 九 十 百 千 万 亿".split()
)
