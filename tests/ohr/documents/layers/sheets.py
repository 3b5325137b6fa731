"""Pages on which each glyph is said to be what a test wants: the font, its map and each place."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont
from PIL import ImageFont

from ohr.documents.layers import LayerVerdict, TextLayer, judge_layers, text_layers
from ohr.types import Outcome
from tests.builders import stream, write_objects

FACES = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
SANS, SERIF = "DejaVuSans.ttf", "DejaVuSerif.ttf"
_FIRST_FONT = 5


class Sheet:
    """One page, with text at given places. Fonts are embedded, codes are numbers of glyphs.

    ``claims`` is what a font's map says of a glyph, by the character that it shows: other text, the
    empty text, or None for no entry at all. All other glyphs are mapped to what they show.
    """

    def __init__(self, size: tuple[float, float] = (400, 300)) -> None:
        self.size = size
        self.fonts: dict[str, tuple[str, Mapping[str, str | None], set[str]]] = {}
        self.pieces: list[str | tuple[str, str, str]] = []

    def font(self, name: str, face: str, claims: Mapping[str, str | None] | None = None) -> Sheet:
        """Name a face of matplotlib's, and what the page's layer says of its glyphs."""
        self.fonts[name] = face, claims or {}, set()
        return self

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 9,
        font: str = "F",
        spacing: float = 0,
        mode: int = 0,
    ) -> Sheet:
        """Show a text from a place on its baseline on. A first line names the default font."""
        if font == "F" and "F" not in self.fonts:
            self.font("F", SANS)
        self.fonts[font][2].update(text)
        before = f"BT /{font} {size} Tf {spacing} Tc {mode} Tr 1 0 0 1 {x} {y} Tm "
        self.pieces.append((font, text, before))
        return self

    def lines(
        self, x: float, y: float, texts: Iterable[str], *, leading: float = 12, font: str = "F"
    ) -> Sheet:
        """Show texts below one another."""
        for number, text in enumerate(texts):
            self.text(x, y - leading * number, text, font=font)
        return self

    def draw(self, operators: str) -> Sheet:
        """Draw something else, as operators of PDF; ``q`` and ``Q`` are added."""
        self.pieces.append(f"q {operators} Q ")
        return self

    def clip(self, operators: str) -> Sheet:
        """Clip what follows on the page to a path."""
        self.pieces.append(f"{operators} W n ")
        return self

    def write(self, path: Path) -> Path:
        """Write the PDF."""
        codes: dict[str, Mapping[str, int]] = {}
        objects: list[str] = []
        names = []
        for number, (name, (face, claims, shown)) in enumerate(self.fonts.items()):
            program, codes[name], widths = _program(face, "".join(sorted(shown)))
            first = _FIRST_FONT + 5 * number
            names.append(f"/{name} {first} 0 R")
            base = f"AAAAAA+{face.removesuffix('.ttf')}"
            mapped = {codes[name][c]: claims.get(c, c) for c in codes[name]}
            objects += [
                f"<< /Type /Font /Subtype /Type0 /BaseFont /{base} /Encoding /Identity-H "
                f"/DescendantFonts [{first + 1} 0 R] /ToUnicode {first + 4} 0 R >>",
                f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{base} /CIDToGIDMap /Identity "
                "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
                f"/FontDescriptor {first + 2} 0 R /DW 600 /W [0 [{widths}]] >>",
                f"<< /Type /FontDescriptor /FontName /{base} /Flags 4 /FontBBox [-500 -300 1500 "
                "1000] /ItalicAngle 0 /Ascent 928 /Descent -236 /CapHeight 729 /StemV 80 "
                f"/FontFile2 {first + 3} 0 R >>",
                stream(f"/Filter /ASCIIHexDecode /Length1 {len(program)}", program.hex() + ">"),
                stream("", _unicode_map(mapped)),
            ]
        width, height = self.size
        content = "".join(
            piece if isinstance(piece, str) else _shown(piece, codes) for piece in self.pieces
        )
        return write_objects(
            path,
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R "
                f"/Resources << /Font << {' '.join(names)} >> >> >>",
                stream("", content),
                *objects,
            ],
        )


def width_of(text: str, size: float = 9) -> float:
    """The width of a text in the default font, in points."""
    return _sans().getlength(text) * size / 1000


@lru_cache
def _sans() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FACES / SANS), 1000, layout_engine=ImageFont.Layout.BASIC)


def layer_of(sheet: Sheet, folder: Path) -> TextLayer:
    """The layer of a sheet, which is written to a folder."""
    [layer] = text_layers(sheet.write(folder / "sheet.pdf"), [0])
    return layer


def verdict_on(sheet: Sheet, folder: Path) -> LayerVerdict:
    """The verdict on a sheet by its glyphs alone, without any engine."""
    [verdict] = judge_layers([Outcome(layer_of(sheet, folder))])
    return verdict


def _shown(piece: tuple[str, str, str], codes: Mapping[str, Mapping[str, int]]) -> str:
    font, text, before = piece
    return f"{before}<{''.join(f'{codes[font][c]:04x}' for c in text)}> Tj ET "


@lru_cache(maxsize=64)
def _program(face: str, shown: str) -> tuple[bytes, Mapping[str, int], str]:
    """A font of a few characters, its number for each, and the widths of all its glyphs."""
    font = TTFont(FACES / face)
    options = subset.Options(hinting=False, layout_features=[], notdef_outline=True)
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "kern", "FFTM"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=shown)
    subsetter.subset(font)
    cmap, unit = font.getBestCmap(), font["head"].unitsPerEm
    codes = {c: font.getGlyphID(cmap[ord(c)]) for c in shown}
    widths = " ".join(str(font["hmtx"][name][0] * 1000 // unit) for name in font.getGlyphOrder())
    file = io.BytesIO()
    font.save(file)
    return file.getvalue(), codes, widths


def _unicode_map(mapped: Mapping[int, str | None]) -> str:
    entries = [
        f"<{code:04x}> <{text.encode('utf-16-be').hex()}>"
        for code, text in mapped.items()
        if text is not None
    ]
    parts = [entries[start : start + 100] for start in range(0, len(entries), 100)]
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Map def "
        "/CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange "
        + " ".join(f"{len(part)} beginbfchar {' '.join(part)} endbfchar" for part in parts)
        + " endcmap CMapName currentdict /CMap defineresource pop end end"
    )
