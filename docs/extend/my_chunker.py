"""A chunker that makes each paragraph a chunk."""

import re

import ohr


class Paragraphs(ohr.plugins.Chunker):
    """Splits at blank lines."""

    name = "paragraphs"
    version = "1"

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\S(?:.|\n(?!\s*\n))*", text)]
