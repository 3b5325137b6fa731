"""Capitals: words in capitals, more of them the higher the intensity."""

import numpy as np

import ohr


class Capitals(ohr.plugins.TextPerturbation):
    """Writes a share of the words in capitals."""

    name = "capitals"

    def apply(self, value: str, intensity: float, rng: np.random.Generator) -> ohr.plugins.Applied:
        # A number for each word, whatever the intensity: what .3 changes, .6 changes too.
        words = value.split(" ")
        drawn = rng.random(len(words))
        changed = [
            (place, word)
            for place, word in enumerate(words)
            if drawn[place] < intensity and word != word.upper()
        ]
        return ohr.plugins.Applied(self.replay(value, changed), changed)

    def replay(self, value: str, record: list[tuple[int, str]]) -> str:
        words = value.split(" ")
        for place, word in record:
            words[place] = word.upper()
        return " ".join(words)

    def undo(self, value: str, record: list[tuple[int, str]]) -> str:
        words = value.split(" ")
        for place, word in record:
            words[place] = word
        return " ".join(words)
