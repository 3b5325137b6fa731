"""The text layer of a PDF: which letters its fonts say that their glyphs stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pikepdf

Change = Callable[[str], str | None]
_SECTION = re.compile(rb"begin(bfchar|bfrange)(.*?)end\1", re.DOTALL)
_TOKEN = re.compile(rb"<([0-9A-Fa-f\s]*)>|(\[)|(\])")


def fonts(document: pikepdf.Pdf) -> dict[str, pikepdf.Object]:
    """The fonts of the first page, by the names its content uses."""
    return dict(document.pages[0].resources.get("/Font", pikepdf.Dictionary()).items())


def _letters(code: bytes) -> str:
    return bytes.fromhex(code.decode()).decode("utf-16-be", "surrogatepass")


def _entries(kind: bytes, body: bytes) -> Iterator[tuple[int, str]]:
    tokens = [
        re.sub(rb"\s", b"", m[1]) if m[1] is not None else m[0] for m in _TOKEN.finditer(body)
    ]
    position = 0
    while position < len(tokens):
        first = int(tokens[position], 16)
        if kind == b"bfchar":
            yield first, _letters(tokens[position + 1])
            position += 2
            continue
        last = int(tokens[position + 1], 16)
        if tokens[position + 2] == b"[":
            end = tokens.index(b"]", position)
            for code, letters in zip(
                range(first, last + 1), tokens[position + 3 : end], strict=True
            ):
                yield code, _letters(letters)
            position = end + 1
            continue
        base = _letters(tokens[position + 2])
        for code in range(first, last + 1):
            yield code, base[:-1] + chr(ord(base[-1]) + code - first)
        position += 3


def mapping(font: pikepdf.Object) -> tuple[dict[int, str], int]:
    """What each code of a font stands for, and how many bytes a code has."""
    matches: dict[int, str] = {}
    width = 2 if str(font.get("/Subtype")) == "/Type0" else 1
    if "/ToUnicode" in font:
        for kind, body in _SECTION.findall(font.ToUnicode.read_bytes()):
            for code, letters in _entries(kind, body):
                matches[code] = letters
    return matches, width


def write_mapping(
    document: pikepdf.Pdf, font: pikepdf.Object, letters: dict[int, str], width: int
) -> None:
    """Give a font another mapping."""
    rows = [
        f"<{code:0{2 * width}X}> <{text.encode('utf-16-be', 'surrogatepass').hex().upper()}>"
        for code, text in sorted(letters.items())
    ]
    parts = [rows[position : position + 100] for position in range(0, len(rows), 100)]
    body = "\n".join(
        f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        f"1 begincodespacerange\n<{'00' * width}> <{'FF' * width}>\nendcodespacerange\n{body}\n"
        "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    )
    font.ToUnicode = document.make_stream(cmap.encode())


def change_fonts(
    document: pikepdf.Pdf, change: Change, names: frozenset[str] | None = None
) -> set[str]:
    """Change what glyphs stand for (None: nothing); what was changed. `names` limits the fonts."""
    changed = set()
    for name, font in fonts(document).items():
        if names is not None and name not in names:
            continue
        old, width = mapping(font)
        new = {code: change(text) for code, text in old.items()}
        changed |= {text for code, text in old.items() if new[code] != text}
        remaining = {code: text for code, text in new.items() if text is not None}
        if remaining != old:
            write_mapping(document, font, remaining, width)
    return changed


def change_spans(document: pikepdf.Pdf, change: Change) -> None:
    """Change the letters that marked content gives instead of its glyphs' own."""
    page = document.pages[0]
    content = pikepdf.parse_content_stream(page)
    matches = False
    for instruction in content:
        if str(instruction.operator) != "BDC":
            continue
        properties = instruction.operands[1]
        if isinstance(properties, pikepdf.Dictionary) and "/ActualText" in properties:
            properties.ActualText = pikepdf.String(change(str(properties.ActualText)) or "")
            matches = True
    if matches:
        page.Contents = document.make_stream(pikepdf.unparse_content_stream(content))


def heading_fonts(document: pikepdf.Pdf) -> frozenset[str]:
    """The font of what is drawn first, if what follows has another; else none."""
    used = [
        str(instruction.operands[0])
        for instruction in pikepdf.parse_content_stream(document.pages[0], "Tf")
        if str(instruction.operator) == "Tf"
    ]
    return frozenset(used[:1]) if len(set(used)) > 1 else frozenset()
