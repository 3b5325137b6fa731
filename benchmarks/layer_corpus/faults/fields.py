"""Text that stands on the page and not in its content: forms filled in, and notes."""

from __future__ import annotations

from functools import partial

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from benchmarks.layer_corpus.faults.planted import Plant, Planted
from benchmarks.layer_corpus.page import Page
from benchmarks.layer_corpus.words import split_words

NOTE = "Received 14 June, paid 63.20, signed Whitlock"
BOX = (57, 150, 420, 172)
HIDDEN = 2


def _appearance(document: pikepdf.Pdf, text: str) -> pikepdf.Object:
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )
    width, height = BOX[2] - BOX[0], BOX[3] - BOX[1]
    content = f"/Tx BMC q BT /Helv 12 Tf 0 g 2 6 Td ({text}) Tj ET Q EMC"
    return document.make_stream(
        content.encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array([0, 0, width, height]),
        Resources=Dictionary(Font=Dictionary(Helv=document.make_indirect(font))),
    )


def _plant(kind: str, flags: int, document: pikepdf.Pdf, page: Page) -> Planted | None:
    text = NOTE
    annotation = Dictionary(
        Type=Name.Annot,
        Subtype=Name(f"/{kind}"),
        Rect=Array(list(BOX)),
        F=flags,
        Contents=String(text),
        AP=Dictionary(N=_appearance(document, text)),
    )
    if kind == "Widget":
        annotation.FT, annotation.T, annotation.V = Name.Tx, String("note"), String(text)
        annotation.DA = String("/Helv 12 Tf 0 g")
    elif kind == "FreeText":
        annotation.DA = String("/Helv 12 Tf 0 g")
    placed = document.make_indirect(annotation)
    document.pages[0].obj.Annots = Array([placed])
    if kind == "Widget":
        resources = annotation.AP.N.Resources
        document.Root.AcroForm = Dictionary(
            Fields=Array([placed]), DR=resources, DA=String("/Helv 12 Tf 0 g")
        )
    if flags & HIDDEN:
        return Planted([], "right")
    return Planted(split_words(text), "text", text=f"{page.text}\n{text}")


VARIANTS: dict[str, Plant] = {
    "form_field": partial(_plant, "Widget", 4),
    "free_text": partial(_plant, "FreeText", 4),
    "stamp": partial(_plant, "Stamp", 4),
    "hidden_note": partial(_plant, "FreeText", HIDDEN),
}
