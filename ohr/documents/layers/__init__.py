"""Text layers of PDFs, and the evidence on whether they are what the page shows.

A PDF can store text that nobody sees, show text that it does not store, call letters by the wrong
names and draw words in any order. So nothing is taken from the layer but what each glyph is said to
be, and each claim is compared with the page:

- ``characters``, ``spans``: the glyphs and their places, as PDFium reports them;
- ``doubles``, ``drawn``, ``marks``: which of them the page shows, and ink that is not text;
- ``units``, ``segments``, ``order``, ``bidi``, ``text``: words and lines, from the places;
- ``faces``, ``shapes``, ``specimens``, ``pictures``, ``glyphs``, ``joined``: whether glyphs look
  like what they are said to be;
- ``witnesses``: lines that OCR engines read again;
- ``page``: all of it for one page;
- ``lines``, ``font_evidence``, ``states``, ``verdict``: what to read again, what is known of each
  glyph, and whether the layer can be trusted.
"""

from ohr.documents.layers.glyphs import Glyph, Judgement
from ohr.documents.layers.lines import Line, choose_lines
from ohr.documents.layers.page import LayerWord, TextLayer, text_layers
from ohr.documents.layers.states import suspects
from ohr.documents.layers.verdict import LayerVerdict, judge_layers
from ohr.documents.layers.witnesses import read_lines

__all__ = [
    "Glyph",
    "Judgement",
    "LayerVerdict",
    "LayerWord",
    "Line",
    "TextLayer",
    "choose_lines",
    "judge_layers",
    "read_lines",
    "suspects",
    "text_layers",
]
