"""What a page draws, glyph by glyph, and how to draw it in another order, place or number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pikepdf
from pikepdf import Matrix

from benchmarks.layer_corpus.layer import fonts, mapping

_SHOWN = ("Tj", "TJ", "'", '"')
_FILL = ("g", "rg", "k", "cs", "sc", "scn")
_SPANS = ("BDC", "BMC", "EMC")


@dataclass(frozen=True)
class Glyph:
    """A glyph at (x, y), points from the lower left; `linear` is its matrix without the size."""

    font: str
    code: bytes
    size: float
    linear: tuple[float, float, float, float]
    x: float
    y: float
    width: float
    text: str
    fill: bytes = b""
    span: tuple[int, str] | None = None

    @property
    def end(self) -> float:
        return self.x + self.width

    @property
    def height(self) -> float:
        return self.size * abs(self.linear[3])

    def moved(self, x: float, y: float) -> Glyph:
        return replace(self, x=self.x + x, y=self.y + y)


class _Font:
    """Widths (of an em) and letters of a font's codes."""

    def __init__(self, font: pikepdf.Object) -> None:
        self.letters, self.bytes = mapping(font)
        self.widths: dict[int, float] = {}
        self.default = 0.0
        if self.bytes == 2:
            descendant = font.DescendantFonts[0]
            self.default = float(descendant.get("/DW", 1000)) / 1000
            self._read(list(descendant.get("/W", [])))
        else:
            scale = float(font.FontMatrix[0]) if "/FontMatrix" in font else 0.001
            first = int(font.get("/FirstChar", 0))
            for code, width in enumerate(font.get("/Widths", []), first):
                self.widths[code] = float(width) * scale

    def _read(self, entries: list[pikepdf.Object]) -> None:
        position = 0
        while position < len(entries):
            first = int(entries[position])
            if isinstance(entries[position + 1], pikepdf.Array):
                for code, width in enumerate(entries[position + 1], first):
                    self.widths[code] = float(width) / 1000
                position += 2
            else:
                for code in range(first, int(entries[position + 1]) + 1):
                    self.widths[code] = float(entries[position + 2]) / 1000
                position += 3


@dataclass
class _State:
    ctm: Matrix = field(default_factory=Matrix)
    font: str = ""
    size: float = 0.0
    spacing: float = 0.0
    word_spacing: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    fill: bytes = b""


class Drawing:
    """The glyphs of a document's first page in drawing order, and all else that it draws."""

    def __init__(self, document: pikepdf.Pdf) -> None:
        self.document = document
        self.glyphs: list[Glyph] = []
        self._fonts = {name: _Font(font) for name, font in fonts(document).items()}
        self._states = [_State()]
        self._text = self._line = Matrix()
        self._span: list[tuple[int, str] | None] = []
        rest = []
        for instruction in pikepdf.parse_content_stream(document.pages[0]):
            name = str(instruction.operator)
            self._step(name, list(instruction.operands))
            if name not in _SHOWN + _SPANS:
                rest.append(instruction)
        self._rest = pikepdf.unparse_content_stream(rest)

    def write(self, groups: Iterable[Sequence[Glyph] | bytes]) -> None:
        """Draw the page anew: its other marks, then each group of glyphs (or piece of content)."""
        parts = [b"q", self._rest, b"Q"]
        parts += [part if isinstance(part, bytes) else drawn(part) for part in groups]
        self.document.pages[0].Contents = self.document.make_stream(b"\n".join(parts))

    def _step(self, name: str, given: list[pikepdf.Object]) -> None:
        state = self._states[-1]
        numbers = [float(value) for value in given if _is_number(value)]
        if name == "q":
            self._states.append(replace(state))
        elif name == "Q":
            self._states.pop()
        elif name == "cm":
            state.ctm = Matrix(*numbers) @ state.ctm
        elif name == "BT":
            self._text = self._line = Matrix()
        elif name == "Tf":
            state.font, state.size = str(given[0]), float(given[1])
        elif name == "Tm":
            self._text = self._line = Matrix(*numbers)
        elif name in ("Td", "TD"):
            if name == "TD":
                state.leading = -numbers[1]
            self._next_line(*numbers)
        elif name == "T*":
            self._next_line(0, -state.leading)
        elif name in ("Tc", "Tw", "TL", "Ts"):
            key = {"Tc": "spacing", "Tw": "word_spacing", "TL": "leading", "Ts": "rise"}[name]
            setattr(state, key, numbers[0])
        elif name == "Tz":
            state.stretch = numbers[0] / 100
        elif name in _FILL:
            start = state.fill if name in ("sc", "scn") else b""
            instruction = pikepdf.ContentStreamInstruction(given, pikepdf.Operator(name))
            state.fill = start + pikepdf.unparse_content_stream([instruction]) + b"\n"
        elif name in ("BDC", "BMC"):
            self._begin_span(given)
        elif name == "EMC":
            self._span.pop()
        elif name in _SHOWN:
            self._show(name, given)

    def _begin_span(self, given: list[pikepdf.Object]) -> None:
        span = self._span[-1] if self._span else None
        if len(given) > 1 and isinstance(given[1], pikepdf.Dictionary):
            letters = given[1].get("/ActualText")
            span = span if letters is None else (len(self.glyphs), str(letters))
        self._span.append(span)

    def _next_line(self, x: float, y: float) -> None:
        self._text = self._line = Matrix(1, 0, 0, 1, x, y) @ self._line

    def _show(self, name: str, given: list[pikepdf.Object]) -> None:
        state = self._states[-1]
        if name in ("'", '"'):
            self._next_line(0, -state.leading)
        for part in given[-1] if name == "TJ" else given[-1:]:
            if _is_number(part):
                self._advance(-float(part) / 1000 * state.size * state.stretch)
            else:
                self._show_string(bytes(part))

    def _advance(self, by: float) -> None:
        self._text = Matrix(1, 0, 0, 1, by, 0) @ self._text

    def _show_string(self, codes: bytes) -> None:
        state = self._states[-1]
        font = self._fonts[state.font]
        for position in range(0, len(codes), font.bytes):
            code = codes[position : position + font.bytes]
            number = int.from_bytes(code, "big")
            width = font.widths.get(number, font.default) * state.size
            place = Matrix(state.stretch, 0, 0, 1, 0, state.rise) @ self._text @ state.ctm
            span = self._span[-1] if self._span else None
            letters = font.letters.get(number, "")
            if span:
                letters = span[1] if span[0] == len(self.glyphs) else ""
            linear = (place.a, place.b, place.c, place.d)
            self.glyphs.append(
                Glyph(
                    state.font,
                    code,
                    state.size,
                    linear,
                    place.e,
                    place.f,
                    width * place.a,
                    letters,
                    state.fill,
                    span,
                )
            )
            blank = state.word_spacing if code == b" " else 0.0
            self._advance((width + state.spacing + blank) * state.stretch)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal))


def drawn(glyphs: Sequence[Glyph], mode: int = 0) -> bytes:
    """Content that draws the glyphs, in a text object for each change of font, line or span."""
    parts: list[bytes] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is None or _key(last) != _key(glyph):
            parts += [b"> ] TJ ET Q" + (b" EMC" if last.span else b"")] if last else []
            if glyph.span:
                letters = pikepdf.String(glyph.span[1]).unparse()
                parts.append(b"/Span <</ActualText " + letters + b">> BDC")
            linear = " ".join(f"{value:.5f}" for value in glyph.linear)
            parts.append(b"q\n" + glyph.fill)
            parts.append(
                f"BT {mode} Tr {glyph.font} {glyph.size:.4f} Tf "
                f"{linear} {glyph.x:.3f} {glyph.y:.3f} Tm [ <".encode()
            )
        else:
            shift = (last.end - glyph.x) / (glyph.size * glyph.linear[0]) * 1000
            if abs(shift) >= 0.5:
                parts.append(f"> {shift:.0f} <".encode())
                glyph_x = last.end - round(shift) * glyph.size * glyph.linear[0] / 1000
                glyph = replace(glyph, x=glyph_x)
            else:
                glyph = replace(glyph, x=last.end)
        parts.append(glyph.code.hex().encode())
        last = glyph
    if last:
        parts.append(b"> ] TJ ET Q" + (b" EMC" if last.span else b""))
    return b"\n".join(parts)


def _key(glyph: Glyph) -> tuple[object, ...]:
    return glyph.font, glyph.size, glyph.linear, round(glyph.y, 2), glyph.fill, glyph.span
