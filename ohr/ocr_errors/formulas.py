"""What an engine writes instead of formulas."""

from __future__ import annotations

import re

from ohr.metrics.alignment import Fate
from ohr.ocr_errors.characters import TRIALS, Characters, Choice, Draws, Strings
from ohr.ocr_errors.model import ErrorModel

_OPERATOR = re.compile(r"([=+−×<>≤≥≈±])")


class FormulaErrors:
    """Draws what stands for the formulas that the engine does not write as formulas."""

    def __init__(self, model: ErrorModel, characters: Characters, strings: Strings) -> None:
        formulas = model.formulas
        regions, dropped = model.structure.get("formula", (0, 0))
        self.dropped = dropped / regions if regions else 0.0
        """Share of the formulas that are not written as formulas."""
        not_written = formulas.count * self.dropped
        right = formulas.right - (formulas.count - not_written)
        self._lost = formulas.lost / not_written if not_written else 0.0
        self._right = max(0.0, right / not_written) if not_written else 0.0
        self._rate = formulas.edits / formulas.symbols if formulas.symbols else 0.0
        self._symbols = {char: Choice(counts) for char, counts in formulas.became.items() if counts}
        self._spaced = formulas.spaced[0] / max(1, formulas.spaced[1])
        self._characters, self._strings = characters, strings

    def draw(self, symbols: str, draws: Draws) -> tuple[Fate, str]:
        """What stands for a formula of these symbols: nothing, its symbols, or others."""
        uniform = draws.uniform()
        if uniform < self._lost:
            return Fate.LOST, ""
        text = symbols
        if uniform >= self._lost + self._right:
            for _ in range(TRIALS):
                text = "".join(self._symbol(char, draws) for char in symbols) or symbols[:1]
                if text != symbols:
                    break
            if draws.uniform() < self._spaced:
                text = " ".join(_OPERATOR.sub(r" \1 ", text).split())
        return Fate.REWRITTEN, text

    def _symbol(self, char: str, draws: Draws) -> str:
        uniform = draws.uniform()
        if (choice := self._symbols.get(char)) is not None:
            return choice.draw(uniform)
        if draws.uniform() >= self._rate:
            return char
        if uniform < 0.4:
            return ""
        single = self._characters.single.get(char)
        if single is not None:
            return single.draw(draws.uniform())
        return self._strings.text(1, draws)
