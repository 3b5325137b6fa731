"""Splits text into the tokens of the default scoring; :mod:`ohr.metrics.default` has the rules.

There are two ways to the same tokens. :func:`read_tokens` finds each token with a pattern for all
writing systems. But most pages are nearly all ASCII, with mostly plain words and digits. There
:func:`tokens` handles only the rest (signs, decimals, commands, accented letters), puts spaces
around it, and splits the text at once, about ten times as fast.
"""

from __future__ import annotations

import functools
import re

from ohr.markup.folding import fold
from ohr.markup.scripts import join_scripts
from ohr.markup.symbols import COMMAND_TO_CHAR
from ohr.markup.writing_systems import CJK as _CJK
from ohr.markup.writing_systems import UNSPACED, marks, may_have_marks

__all__ = ["read_tokens", "tokens"]

# Tags, rules and frames. Other commands (``\textbf``, ``\section``) are words: r_noise counts
# them as noise, and r_noise_content does not.
_TAG = re.compile(
    r"</?(?:table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col|br|hr|p|div|span|sup|sub|b|i|u"
    r"|em|strong|h[1-6])(?:\s+[a-z-]{1,20}\s*=[^<>]{0,200})?\s*/?>",
    re.IGNORECASE,
)
_DRAWN = re.compile(
    r"\\(?<!\\.)\\*(?:(?:hline|hrule|toprule|midrule|bottomrule|cmidrule|cline)(?![a-zA-Z])"
    r"(?:[ ]?[(\[][^()\[\]\n]{0,20}[)\]])?(?:[ ]?\{[0-9 -]{1,20}\})?"
    r"|(?:begin|end)[ ]?\{(?:tabular[xy*]?|longtable|array)\}"
    r"(?:[ ]?\[[^\[\]\n]{0,20}\])?(?:[ ]?\{(?:[^{}\n]|\{[^{}\n]{0,60}\}){0,200}\})?)"
)

_DASH = "\u2013\u2212-"
_CURRENCY = "€£¥¢₩₪₫₱₹₺₽"
# Arrows and mathematical operators without the minus sign, and without the dots, bars and
# bullets that part words.
_SYMBOL = (
    rf"%‰+±×÷¬°{_CURRENCY}\u2190-\u2211\u2213-\u2216\u2218\u221a-\u2222\u2227-\u22c4\u22c8-\u22ed"
    r"\u27f0-\u27ff\u2a00-\u2aff"
)
_LETTER = r"[^\W\d_]"
_SPACE = r"[ \t\n\r]"
_OPERATOR = "=+/^×÷±≤≥"
_WHOLE = r"(?:\d{1,3}(?:(?:,|\{,\})\d{3})+(?!\d)|\d+)"
_NUMBER = rf"(?:{_WHOLE}(?:\.\d+)?|\.(?<![\w.].)\d+)"
_SIGN_OF_MONEY = rf"\\?[${_CURRENCY}][ ]?"
_BEFORE_A_WORD = rf"(?=\s*[\"'“‘(\[*$]{{0,3}}(?:\d|\\(?:text|emph|under)|{_LETTER}(?:\w|[.'’-]\w)))"
_MINUS = rf"(?<![\w.)\]}}%°”’′″{_DASH}].)(?<![\w)\]}}%]\$.)(?:{_SIGN_OF_MONEY})?"
"""After a dash that is the sign of a number. The dot, here and below, is the dash itself."""
_OF_A_VARIABLE = rf"(?:(?<=[{{(=^].)|(?<=[=][ ].))(?=\\?{_LETTER})"
"""After a dash that is the sign of a variable, as in e^{-x}."""
_IN_BRACKETS = (
    r"(?<![\w)\]].)(?!(?:1[5-9]|20)\d\d\)|\d{3}\)[ -]?\d{3}[-. ]\d{4})"
    rf"(?:(?<!{_LETTER}{_SPACE}.)|(?!{_SIGN_OF_MONEY}|{_NUMBER}\)(?:[.,;:]|{_SPACE}?{_LETTER})))"
    rf"(?:{_SIGN_OF_MONEY})?(?=[\d.,]{{3}}){_NUMBER}(?=\))"
)
"""After a bracket around an amount, but not a year, telephone number or aside, as in "ninety (90)
days"."""


def _token_pattern(word: str) -> re.Pattern[str]:
    """The pattern of a token; ``word`` is the pattern of words."""
    return re.compile(
        rf"""
        # An article, with the space after it: a word follows, and no operator comes before it.
        a{_SPACE}(?<![\w\\{_OPERATOR}]a{_SPACE})(?<![{_OPERATOR}][ ]a{_SPACE}){_BEFORE_A_WORD}
        | A{_SPACE}(?<!\wA{_SPACE})(?=\s*[a-z])
        # An ideograph, kana or hangul syllable, or a word.
        | [{_CJK}]
        | {word}
        # A number, and its sign, which may stand before the currency sign.
        | (?:[{_DASH}]{_MINUS})?{_NUMBER}
        | \({_IN_BRACKETS}
        | [{_DASH}]{_OF_A_VARIABLE}
        # A command, escaped once or twice, and what is neither word nor number.
        | (?<!\\)\\+[a-zA-Z]+
        | [<>]=?
        | [{_SYMBOL}]
        """,
        re.VERBOSE,
    )


_TOKEN = _token_pattern(rf"[^\W\d_{_CJK}][^\W_{_CJK}]*")


@functools.cache
def _token_of_marked_scripts() -> re.Pattern[str]:
    """Tokens of text in which marks belong to words, or words have no spaces between them."""
    letter = rf"[^\W_{_CJK}{UNSPACED}]"
    return _token_pattern(
        rf"(?=[^\W\d_])(?:[{UNSPACED}]{marks()}* | {letter}+(?:{marks()}+{letter}*)*)"
    )


_IDEOGRAPH = re.compile(f"[{_CJK}]")
_APOSTROPHES = {
    apostrophe: re.compile(rf"{apostrophe}(?<={_LETTER}.)(?={_LETTER})")
    for apostrophe in "'\u2018\u2019"
}
_ARTICLES = {
    *("an", "the", "An", "The", "AN", "THE"),
    *(f"{letter}{space}" for letter in "aA" for space in " \t\n\r"),
}
_ONE_SIGN = {"<=": "≤", ">=": "≥", "⩽": "≤", "⩾": "≥", "≦": "≤", "≧": "≥", "∘": "°"}


def _sign(match: str) -> str:
    return _ONE_SIGN.get(match, match).casefold()


_COMMANDS: dict[str, list[str]] = {
    command: [_sign(token) for token in _TOKEN.findall(fold(char))]
    for command, char in COMMAND_TO_CHAR.items()
} | {"lt": ["<"], "gt": [">"], "sqrt": ["√"]}
"""Command without its backslash -> its tokens; none for dots, bars and bullets."""


def tokens(text: str) -> list[str]:
    """Case-folded words, numbers, signs and single CJK characters, without articles.

    If no token is left (a lone article, only punctuation), the parts between white space are the
    tokens, so that such an answer can still match.
    """
    text = _prepared(text)
    quick = _quick_tokens(text)
    return _read(text) if quick is None else quick or text.casefold().split()


def read_tokens(text: str) -> list[str]:
    """:func:`tokens` by the pattern for all writing systems alone, for tests."""
    return _read(_prepared(text))


def _prepared(text: str) -> str:
    text = fold(join_scripts(text))
    for apostrophe, in_a_word in _APOSTROPHES.items():
        if apostrophe in text:
            text = in_a_word.sub("", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    return _DRAWN.sub(" ", text) if "\\" in text else text


def _read(text: str) -> list[str]:
    pattern = _token_of_marked_scripts() if may_have_marks(text) else _TOKEN
    parts: list[str] = []
    for word in pattern.findall(text):
        if word[0].isalpha():
            if word not in _ARTICLES:
                parts.append(word.casefold())
        else:
            parts += _number_or_sign(word)
    return parts or text.casefold().split()


def _number_or_sign(match: str) -> list[str]:
    """Tokens of a match other than a word: a number with its currency, a command, or a sign."""
    if match.isdecimal():
        return [match]
    if match[-1].isdecimal():
        number = match.lstrip(f"({_DASH}\\$ {_CURRENCY}").replace("{,}", "").replace(",", "")
        number = f"0{number}" if number[0] == "." else number
        sign = "-" if match[0] in f"({_DASH}" else ""
        return [*(char for char in match if char in _CURRENCY), sign + number]
    if match[0] == "\\":
        name = match.lstrip("\\")
        return _COMMANDS[name] if name in _COMMANDS else [name.casefold()]
    return ["-" if match in _DASH else _sign(match)]


# --- text that is nearly all ASCII --------------------------------------------------------

_IN_WORD = rf"[^\W_{_CJK}]"


def _special_pattern(rest: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern of everything that case folding and a split alone would get wrong.

    It begins with a character set, since only such a pattern is searched fast. ``others`` are
    further ranges of the set; such a character is matched, as the group, unless it begins a sign.
    """
    of_word = rf"[^\W\d_{_CJK}]"
    other = r"| (?<=[^\x00-\x7f])()" if rest else ""
    return re.compile(
        rf"""
        [{rest}NHE0-9.(\\<>%+{_DASH}](?:
        # Digits that are no plain run between separators, and not the end of a word.
        (?<=[0-9])(?<!{_IN_WORD}.)(?=\d*+(?:[.,]\d|\{{,|{_LETTER}))
          (?:\d{{0,2}}(?:(?:,|\{{,\}})\d{{3}})+(?!\d)(?:\.\d+)?|\d*+(?:\.\d+|(?={_LETTER})))
        | (?<![0-9])(?:
            (?<=\.)(?=\d)(?<![\w.].)\d+
          | (?<=[{_DASH}])(?:{_MINUS}{_NUMBER}|{_OF_A_VARIABLE})
          | (?<=\(){_IN_BRACKETS}
          # A number right after a command is none of a word's digits.
          | (?<=\\)(?<!\\.)\\*[a-zA-Z]+(?:{_WHOLE}(?:\.\d+)?)?
          | (?<=[<>])=?
          | (?<=[%+])
          # What reads as an article once case is folded, and is none: aN, tHe.
          | (?<=[NHE])(?:(?<=aN)|(?<=[tT]hE)|(?<=tH)[eE]|(?<=TH)e)(?!{_IN_WORD})
            (?:(?<=N)(?<!{of_word}..)|(?<!{of_word}...))
          {other}
        ))
        """,
        re.VERBOSE | flags,
    )


_SPECIAL_OF_ASCII = _special_pattern("", re.ASCII)
_SPECIAL = _special_pattern("\x80-\U0010ffff")
_LONE_SMALL_A = re.compile(
    rf"a{_SPACE}(?<![\w\\{_OPERATOR}]a{_SPACE})(?<![{_OPERATOR}][ ]a{_SPACE}){_BEFORE_A_WORD}"
)
_LONE_A = re.compile(rf"A{_SPACE}(?<![\w\\]A{_SPACE})(?=\s*[a-z])")
_ODD = "\0"
"""Stands for a word or command that looks like an article but is not one."""
_STAND_INS = {sign: chr(code) for code, sign in enumerate("-.%+<>", 1)}
"""Control characters for signs that may be in a token and are separators elsewhere."""
_FROM_STAND_IN = {stand_in: sign for sign, stand_in in _STAND_INS.items()}
_SPELL = str.maketrans(_STAND_INS)
_SEPARATED = bytes(
    code if code > 127 else ord(_FROM_STAND_IN.get(char, char.lower() if char.isalnum() else " "))
    for code, char in enumerate(map(chr, range(256)))
)
_COMMON = bytes(code for code in range(128) if code >= 32 or chr(code) in "\t\n\r\f\v")
_ARTICLE_WORDS = ("an", "the")
_ARTICLES_AMONG_WORDS = tuple(f" {article} ".encode() for article in _ARTICLE_WORDS)
_MOST_OTHERS = 0.05
"""Largest share of non-ASCII text for which the quick way is used."""


def _quick_tokens(text: str) -> list[str] | None:
    """The tokens of a prepared text; None if it needs the slow way."""
    is_ascii = text.isascii()
    rest = text.encode("utf-8", "surrogatepass").translate(None, _COMMON)
    if rest:
        if is_ascii or len(rest) > _MOST_OTHERS * len(text):
            return None
        rare = rest.decode("utf-8", "surrogatepass")
        if may_have_marks(rare) or not all(map(_is_letter_or_separator, set(rare))):
            return None
    # "a" may be a name: where it is an article, replace it by "an", which never is.
    text = _LONE_A.sub("an ", _LONE_SMALL_A.sub("an ", text))
    text = (_SPECIAL_OF_ASCII if is_ascii else _SPECIAL).sub(_special, text)
    if _ODD in text:
        return None
    words = b" %b " % text.encode().translate(_SEPARATED)
    for article in _ARTICLES_AMONG_WORDS:
        words = words.replace(article, b"  ").replace(article, b"  ")  # twice: two in a row
    return words.decode().split()


@functools.lru_cache(maxsize=4096)
def _is_letter_or_separator(char: str) -> bool:
    return char > "\x7f" and (char.isalpha() or not (char.isalnum() or char.isspace()))


def _special(match: re.Match[str]) -> str:
    return _spelled(match[0], match.lastindex is not None)


@functools.lru_cache(maxsize=65536)
def _spelled(match: str, is_other: bool) -> str:
    """The tokens of a match, separated by spaces, with stand-ins for their signs."""
    if is_other:
        if match.isalpha() and not _IDEOGRAPH.match(match):
            return match.casefold()
        parts = _TOKEN.findall(match)
        return f" {parts[0].casefold() if match.isalpha() else _sign(parts[0])} " if parts else " "
    if match[0] in "NHE":
        return _ODD
    name = match.rstrip("0123456789.,{}") if match[0] == "\\" else ""
    number = match[len(name) :]
    if name.lstrip("\\").casefold() in _ARTICLE_WORDS:
        return _ODD
    parts = [*(_number_or_sign(name) if name else ()), *(_number_or_sign(number) if number else ())]
    return f" {' '.join(parts).translate(_SPELL)} "
