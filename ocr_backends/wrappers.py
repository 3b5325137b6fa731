"""Text that generative models add around a page or between its words: removed and counted.

Thoughts, channels and tokens of turns are those of :mod:`ohr.models.replies`; here is what only a
reply that is a page has: fences with a preface or a note, JSON, tags, places, data: images.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ocr_backends.normalise import line_feeds
from ohr.models.replies import bare_page

THOUGHT, CHANNEL, END, BOX = "thought", "channel", "end token", "answer token"
FRONT_MATTER, JSON, TAG, FENCE = "front matter", "JSON", "answer tag", "code fence"
PREFACE, NOTE, LITERAL = "preface", "note", "literal \\n"
PLACE, PICTURE = "place", "data: image"
LONGEST_NOTE = 600
"""Characters of what a model adds before or after the fence that the page stands in."""
MARKDOWN = frozenset({"markdown", "md", "mmd"})
OF_PAGES = frozenset({"", "html", "latex", "tex", "text", "txt"}) | MARKDOWN
"""Labels of a fence that holds the page; fences with other labels hold code on the page."""

_TAG = re.compile(
    r"\s*<(answer|output|response|result|transcription|transcript|ocr|ocr_text|markdown|page_text)>",
    re.IGNORECASE,
)
_TEXT_KEYS = ("natural_text", "markdown", "text", "content", "transcription", "page_content")
_OLM_KEYS = frozenset(
    {
        *("natural_text", "primary_language", "is_rotation_valid", "rotation_correction"),
        *("is_table", "is_diagram"),
    }
)
_NATURAL = re.compile(r'"natural_text"\s*:\s*"')
_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n((?:(?!---)[^\n]*\n){1,12})---[ \t]*(?:\n|\Z)")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w-]*)[ \t]*")
_ON_A_LINE = re.compile(r"\s*```(?:markdown|md|text|html)?[ \t]+([^\n`]*)```\s*")
_SAYS_SO = r"transcri\w+|markdown|extracted|ocr|text content|content of the|text of the|text from"
_PREFACE = re.compile(
    r"\s*(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n:]{0,80}[.!,][ \t]*\n?\s*)?"
    r"(?:here(?:['’]s| is| are)|below (?:is|are)|the following is|this is)\b"
    rf"[^\n]{{0,120}}?\b(?:{_SAYS_SO})\b[^\n]{{0,120}}?:[ \t]*(?:\n|\Z)",
    re.IGNORECASE,
)
_PREFACE_ALONE = re.compile(
    r"\s*(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n:]{0,80}[.!,][ \t]*\n?\s*)?"
    r"(?:here(?:['’]s| is)|below is)\b[^\n]{0,60}?"
    r"\b(?:transcri\w+|markdown|extracted text|ocr (?:text|output|result))\b[^\n]{0,120}?:[ \t]*\n",
    re.IGNORECASE,
)
_ANY_PREFACE = re.compile(r"[^\n]{0,300}[:.!]\s*\Z")
_NOTE = re.compile(
    r"\W*(?:note|please|let me know|if you|i(?:['’]ve| have| left| omitted| hope)"
    r"|(?:this|the above|the) (?:transcription|markdown|text above|image|logo)"
    r"|hinweis|anmerkung)\b",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"(?<!\\)(?:\\r)?\\n")
_COMMAND = re.compile(
    r"\\n(?:abla|e|eq|eg|u|i|ot|otin|onumber|ewline|ewcommand|oindent|olimits|ewpage|atural|earrow"
    r"|warrow|mid|parallel|leq|geq|less|gtr|subseteq|ormalsize|sim|exists|cong)\b"
)
_DATA = re.compile(
    r"!\[[^\[\]\n]*\]\(\s*data:[^()\s]*(?:\)|\Z)|<img\b[^<>]*\ssrc=[\"']?data:[^<>]*(?:>|\Z)",
    re.IGNORECASE,
)
_NUMBERS = r"[\d\s.,;:()\[\]-]*"
_PLACES = re.compile(
    # DeepSeek-OCR's label goes with its place; of others the words stay.
    rf"<\|ref\|>[^<]*<\|/ref\|><\|det\|>{_NUMBERS}<\|/det\|>[ \t]*\n?"
    rf"|<\|box_start\|>{_NUMBERS}<\|box_end\|>|<\|quad_start\|>{_NUMBERS}<\|quad_end\|>"
    rf"|<(box|quad|bbox|det|poly|loc)>{_NUMBERS}</\1>|<\|det\|>{_NUMBERS}<\|/det\|>"
    r"|<loc_?\d{1,4}>|<\|LOC_\d{1,4}\|>|<[xy]_\d(?:\.\d+)?>|<class_[A-Z][\w-]*>"
    r"|<\|/?grounding\|>|<\|/?ref\|>|<\|object_ref_(?:start|end)\|>",
)
_QWEN_REF = re.compile(rf"<ref>([^<]*)</ref>(?=\s*<(box|quad)>{_NUMBERS}</\2>)")


@dataclass(frozen=True)
class Unwrapped:
    """A reply's page, and how often each wrapper was taken off it, by its name."""

    text: str
    removed: Mapping[str, int]

    @property
    def detail(self) -> str:
        """A line that says what was taken off, or nothing."""
        parts = [f"{name} ({n})" if n > 1 else name for name, n in self.removed.items()]
        return f"taken off: {', '.join(parts)}" if parts else ""


Step = Callable[[str], tuple[str, Mapping[str, int]]]


def unwrapped(reply: str, expected: Collection[str] = ()) -> Unwrapped:
    """The page in a reply: one function for every engine that writes a page token by token.

    ``expected`` are wrappers that a model was asked for, which its own parser takes off. Lines end
    in a line feed. Each step is linear in the reply's length.
    """
    removed: Counter[str] = Counter()
    text = line_feeds(reply)
    for names, step in STEPS:
        if not names & frozenset(expected):
            text, counts = step(text)
            removed.update(counts)
    return Unwrapped(text, {name: n for name, n in removed.items() if n})


def _marks(text: str) -> tuple[str, Mapping[str, int]]:
    bare = bare_page(text)
    counts = {THOUGHT: bare.thoughts, CHANNEL: bare.channels, BOX: bare.boxes, END: bare.ends}
    return bare.text, counts


def _tag(text: str) -> tuple[str, Mapping[str, int]]:
    """Without a tag that the reply begins with, closed before a note at most, or cut off."""
    match = _TAG.match(text)
    if match is None:
        return text, {}
    closes = f"</{match[1]}>".lower()
    end = text.lower().rfind(closes) if text.isascii() else text.rfind(closes)
    inner, after = (text[match.end() :], "") if end < 0 else (text[match.end() : end], text[end:])
    note = after[len(closes) :].strip()
    if len(note) > LONGEST_NOTE:
        return text, {}
    return inner.strip("\n"), {TAG: 1, NOTE: int(bool(note))}


def _json(text: str) -> tuple[str, Mapping[str, int]]:
    """The text of a reply that is one JSON object with nothing but a text, or olmOCR's keys."""
    stripped = unfenced(text).strip()
    if not stripped.startswith("{"):
        return text, {}
    try:
        content = json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return _broken_off(stripped, text)
    key = next((name for name in _TEXT_KEYS if name in content), None)
    if key is None or not (len(content) == 1 or set(content) <= _OLM_KEYS):
        return text, {}
    value = content[key]
    return (value or "", {JSON: 1}) if value is None or isinstance(value, str) else (text, {})


def _broken_off(stripped: str, text: str) -> tuple[str, Mapping[str, int]]:
    """The text of olmOCR's JSON that the limit of tokens has broken off."""
    match = _NATURAL.search(stripped)
    if match is None:
        return text, {}
    written = stripped[match.end() :].removesuffix("\\")
    try:
        return str(json.loads(f'"{written}"', strict=False)), {JSON: 1}
    except ValueError:
        return text, {}


def _front_matter(text: str) -> tuple[str, Mapping[str, int]]:
    """Without olmOCR's front matter: lines of its keys between two rules."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return text, {}
    keys = {line.partition(":")[0].strip() for line in match[1].splitlines() if line.strip()}
    if not keys or not keys <= _OLM_KEYS:
        return text, {}
    body = text[match.end() :].lstrip("\n")
    return "" if body.strip() == "null" else body, {FRONT_MATTER: 1}


def unfenced(text: str) -> str:
    """The text without a code fence around the whole of it, closed or cut off."""
    return _fence(text)[0]


def _fence(text: str) -> tuple[str, Mapping[str, int]]:
    """The page in a fence, without what the model said before and after it."""
    if (line := _ON_A_LINE.fullmatch(text)) is not None:
        return line[1].strip(), {FENCE: 1}
    inside, outside = _fenced_parts(text)
    if not inside:
        match = _PREFACE_ALONE.match(text)
        return (text[match.end() :].lstrip("\n"), {PREFACE: 1}) if match else (text, {})
    infos = {info for info, _ in inside}
    before, after = outside[0].strip(), "".join(outside[1:]).strip()
    if len(inside) > 1 or before or after:
        prefaced = not before or _PREFACE.fullmatch(f"{before}\n") is not None
        noted = not after or _NOTE.match(after) is not None
        # A fence of Markdown holds the page; another within a page holds a table or code.
        if infos <= MARKDOWN:
            prefaced = prefaced or _ANY_PREFACE.fullmatch(before) is not None
            fits = prefaced
        else:
            fits = prefaced and noted and len(inside) == 1 and infos <= OF_PAGES
        if not fits or len(before) > LONGEST_NOTE or len(after) > LONGEST_NOTE:
            return text, {}
    counts = {PREFACE: int(bool(before)), FENCE: len(inside), NOTE: int(bool(after))}
    return "\n\n".join(body for _, body in inside), counts


def _fenced_parts(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The outermost fences, each with its word and what is in it, and the text around them."""
    inside: list[tuple[str, str]] = []
    outside: list[list[str]] = [[]]
    body: list[str] = []
    opened: list[str] = []
    info = ""
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line)
        if not opened:
            if match is None:
                outside[-1].append(line)
            else:
                opened, info, body = [match[1]], match[2].lower(), []
        elif match is not None and _closes(match, opened[-1]):
            opened.pop()
            if opened:
                body.append(line)
            else:
                inside.append((info, "\n".join(body)))
                outside.append([])
        else:
            # A page in a fence may have fences of its own, which name their content.
            if match is not None and match[2] and info in OF_PAGES:
                opened.append(match[1])
            body.append(line)
    if opened:
        inside.append((info, "\n".join(body)))
        outside.append([])
    return inside, ["\n".join(lines) for lines in outside]


def _closes(match: re.Match[str], opened: str) -> bool:
    return not match[2] and match[1][0] == opened[0] and len(match[1]) >= len(opened)


def _literal(text: str) -> tuple[str, Mapping[str, int]]:
    """Line feeds for ``\\n`` in a reply that has no other; LaTeX's commands are left alone."""
    stripped = text.strip()
    if "\n" in stripped or "\\n" not in stripped:
        return text, {}
    pieces: list[str] = []
    count = position = 0
    for match in _LITERAL.finditer(stripped):
        if _COMMAND.match(stripped, match.end() - 2):
            continue
        pieces += [stripped[position : match.start()], "\n"]
        position = match.end()
        count += 1
    if count < 2 and not (count and "\\n\\n" in stripped):
        return text, {}
    return "".join(pieces) + stripped[position:], {LITERAL: count}


def _pictures(text: str) -> tuple[str, Mapping[str, int]]:
    text, count = _DATA.subn("", text) if "data:" in text else (text, 0)
    return text, {PICTURE: count}


def _places(text: str) -> tuple[str, Mapping[str, int]]:
    if "<" not in text:
        return text, {}
    text = _QWEN_REF.sub(r"\1", text) if "<ref>" in text else text
    text, count = _PLACES.subn("", text)
    return text, {PLACE: count}


STEPS: tuple[tuple[frozenset[str], Step], ...] = (
    (frozenset({THOUGHT, CHANNEL, BOX, END}), _marks),
    (frozenset({TAG}), _tag),
    (frozenset({JSON}), _json),
    (frozenset({FENCE, PREFACE, NOTE}), _fence),
    (frozenset({FRONT_MATTER}), _front_matter),
    (frozenset({LITERAL}), _literal),
    (frozenset({PICTURE}), _pictures),
    (frozenset({PLACE}), _places),
)
"""The table of wrappers: the names that each step counts under, outermost first."""
