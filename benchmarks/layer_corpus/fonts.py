"""The families pages are set in: Debian packages that no reference of letters is made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.layer_corpus.page import Page

FONTS = Path("/usr/share/fonts")


@dataclass(frozen=True)
class Family:
    """A family, its Debian package, and the files of its regular, bold and italic faces."""

    name: str
    package: str
    regular: str
    bold: str = ""
    italic: str = ""

    @property
    def outlines(self) -> str:
        return "cff" if self.regular.endswith(".otf") else "truetype"

    def path(self, style: str = "") -> Path:
        return FONTS / ({"bold": self.bold, "italic": self.italic}.get(style) or self.regular)


def _styled(name: str, package: str, stem: str, faces: str = "Regular Bold Italic") -> Family:
    return Family(name, package, *(stem.format(face) for face in faces.split()))


LIBERTINE = _styled(
    "Linux Libertine O",
    "fonts-linuxlibertine",
    "opentype/linux-libertine/LinLibertine_{}.otf",
    "R RB RI",
)
CHARIS = _styled("Charis SIL", "fonts-sil-charis", "truetype/charis/CharisSIL-{}.ttf")
GENTIUM = _styled(
    "Gentium Plus", "fonts-sil-gentiumplus", "truetype/gentiumplus/GentiumPlus-{}.ttf"
)
SERIF = _styled(
    "Liberation Serif", "fonts-liberation", "truetype/liberation/LiberationSerif-{}.ttf"
)
SANS = _styled("Liberation Sans", "fonts-liberation", "truetype/liberation/LiberationSans-{}.ttf")
FREE = Family(
    "FreeSerif",
    "fonts-freefont-ttf",
    "truetype/freefont/FreeSerif.ttf",
    "truetype/freefont/FreeSerifBold.ttf",
    "truetype/freefont/FreeSerifItalic.ttf",
)
FREE_REGULAR = Family(FREE.name, FREE.package, FREE.regular)
FREE_SANS = Family(
    "FreeSans",
    "fonts-freefont-ttf",
    "truetype/freefont/FreeSans.ttf",
    "truetype/freefont/FreeSansBold.ttf",
)

FAMILIES = {
    "latin": (LIBERTINE, SERIF, CHARIS, SANS),
    "greek": (GENTIUM, SERIF, LIBERTINE, SANS),
    "cyrillic": (SERIF, LIBERTINE, CHARIS, SANS),
    "armenian": (FREE, FREE_SANS),
    "georgian": (
        FREE,
        Family(
            "BPG Serif GPL&GNU",
            "fonts-bpg-georgian",
            "truetype/fonts-bpg-georgian/BPG_Serif_GPL&GNU.ttf",
        ),
    ),
    "hebrew": (
        Family(
            "Frank Ruehl CLM",
            "culmus",
            "truetype/culmus/FrankRuehlCLM-Medium.ttf",
            "truetype/culmus/FrankRuehlCLM-Bold.ttf",
        ),
        Family(
            "David CLM",
            "culmus",
            "truetype/culmus/DavidCLM-Medium.otf",
            "truetype/culmus/DavidCLM-Bold.otf",
        ),
    ),
    "arabic": (
        Family(
            "Amiri",
            "fonts-hosny-amiri",
            "opentype/fonts-hosny-amiri/Amiri-Regular.ttf",
            "opentype/fonts-hosny-amiri/Amiri-Bold.ttf",
        ),
        FREE_REGULAR,
    ),
    "devanagari": (
        Family(
            "Lohit Devanagari",
            "fonts-lohit-deva",
            "truetype/lohit-devanagari/Lohit-Devanagari.ttf",
        ),
        Family("FreeSans", "fonts-freefont-ttf", "truetype/freefont/FreeSans.ttf"),
    ),
    "tamil": (
        Family("Lohit Tamil", "fonts-lohit-taml", "truetype/lohit-tamil/Lohit-Tamil.ttf"),
        FREE_REGULAR,
    ),
    "thai": (
        Family(
            "Garuda",
            "fonts-tlwg-garuda-ttf",
            "truetype/tlwg/Garuda.ttf",
            "truetype/tlwg/Garuda-Bold.ttf",
        ),
        Family(
            "Norasi",
            "fonts-tlwg-norasi-ttf",
            "truetype/tlwg/Norasi.ttf",
            "truetype/tlwg/Norasi-Bold.ttf",
        ),
    ),
    "chinese": (
        Family(
            "AR PL SungtiL GB", "fonts-arphic-gbsn00lp", "truetype/arphic-gbsn00lp/gbsn00lp.ttf"
        ),
        Family("WenQuanYi Micro Hei", "fonts-wqy-microhei", "truetype/wqy/wqy-microhei.ttc"),
    ),
    "japanese": (
        Family("IPAGothic", "fonts-ipafont-gothic", "opentype/ipafont-gothic/ipag.ttf"),
        Family("IPAMincho", "fonts-ipafont-mincho", "opentype/ipafont-mincho/ipam.ttf"),
    ),
    "korean": (
        Family(
            "NanumGothic",
            "fonts-nanum",
            "truetype/nanum/NanumGothic.ttf",
            "truetype/nanum/NanumGothicBold.ttf",
        ),
        Family(
            "NanumMyeongjo",
            "fonts-nanum",
            "truetype/nanum/NanumMyeongjo.ttf",
            "truetype/nanum/NanumMyeongjoBold.ttf",
        ),
    ),
}

WIDE = (LIBERTINE, CHARIS, GENTIUM)  # those of Latin with Vietnamese letters


def family(page: Page, producer: int) -> Family:
    """The family of a page: each of a script's in turn, from page to page and by producer."""
    if "small_caps" in page.styles:
        return LIBERTINE
    choices = WIDE if page.name == "vietnamese" else FAMILIES[page.script]
    turn = sum(map(ord, page.name + page.fault + page.variant)) + producer + page.turn
    return choices[turn % len(choices)]
