"""Errors within a script: what replaces letters of scripts that a model was not fitted to.

A model of Latin text knows no Cyrillic letter, and an engine does not read one as a Latin letter
if it reads Russian. How many letters of a word go wrong is the model's. What replaces a letter is,
in this order: what the model has seen of this very letter, as far as it is of the same script; a
letter that looks like it (``look_alikes.json``, see ``docs/make_look_alikes.py``); another letter
of the page in the same script. Rubbish is made of the page's letters.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ohr.markup.writing_systems import script_of
from ohr.metrics.alignment import Fate
from ohr.ocr_errors.characters import (
    EVERY_SLICE,
    Characters,
    Choice,
    Draws,
    Strings,
    word_bin,
)
from ohr.ocr_errors.model import ErrorModel
from ohr.ocr_errors.words import WORD_KINDS, PageWords

OWN_SHARE = 0.2
"""Share of the letters that a model has seen from which a script is one of its own."""
SYMBOLS = "GREEK"
LEAST_SYMBOLS = 0.05
"""Below this share of a page's letters, Greek ones are symbols in a text of another script."""
LARGEST_POOL = 4000
"""Letters of a page that rubbish is drawn from."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script on a page, with its letters there, as often as they occur."""

    name: str
    letters: str

    def draw(self, draws: Draws) -> str:
        """One of the letters."""
        return self.letters[int(draws.uniform() * len(self.letters))]

    def localised(self, text: str, draws: Draws) -> str:
        """A text with letters of this script in place of all others."""
        return "".join(
            self.draw(draws) if char.isalpha() and script_of(char) != self.name else char
            for char in text
        )


@dataclass(frozen=True, slots=True)
class PageScripts:
    """The words of a page in scripts that the model was not fitted to."""

    words: Mapping[int, str]
    """Number of a word -> its script."""
    scripts: Mapping[str, Script]

    def word_script(self, number: int) -> Script | None:
        """The script of a word; None for a word that the model's own rules are for."""
        name = self.words.get(number)
        return None if name is None else self.scripts[name]


_NONE = PageScripts({}, {})


@cache
def look_alikes() -> Mapping[str, str]:
    """Letter -> up to three letters of its script that look most like it, the nearest first."""
    path = resources.files("ohr.ocr_errors") / "look_alikes.json"
    stored: dict[str, str] = json.loads(path.read_text("utf-8"))
    return stored


class OwnScript:
    """Makes errors in words of scripts that a model was not fitted to."""

    def __init__(self, model: ErrorModel, characters: Characters, strings: Strings) -> None:
        self._characters, self._strings = characters, strings
        self._counts = model.channel.single
        seen: Counter[str] = Counter()
        for char, count in model.channel.seen.items():
            if len(char) == 1 and char.isalpha():
                seen[script_of(char)] += count
        total = seen.total()
        self._fitted = {script for script, n in seen.items() if n >= OWN_SHARE * total > 0} | {""}
        self._learned: dict[str, Choice | None] = {}

    def page_scripts(self, page: PageWords) -> PageScripts:
        """The words that :meth:`instead` is for.

        These are words in other scripts than those of the model. On a page that is mostly in such a
        script, numbers and signs are among them.
        """
        if page.source.isascii():
            return _NONE
        letters: dict[str, list[str]] = defaultdict(list)
        formula = WORD_KINDS.index("formula")
        for word, kind in zip(page.words, page.kinds, strict=True):
            for char in filter(str.isalpha, word):
                script = script_of(char)
                if kind != formula or script != SYMBOLS:
                    letters[script].append(char)
        counts = Counter({script: len(chars) for script, chars in letters.items()})
        rest = set(counts) - self._fitted
        if counts[SYMBOLS] < LEAST_SYMBOLS * counts.total():
            rest.discard(SYMBOLS)
        if not rest:
            return _NONE
        main = counts.most_common(1)[0][0]
        words: dict[int, str] = {}
        for number, word in enumerate(page.words):
            of_word = Counter(script_of(char) for char in word if char.isalpha())
            if page.kinds[number] == formula and of_word[SYMBOLS]:
                continue  # Greek letters are symbols there
            script = max(rest, key=lambda name: (of_word[name], name)) if of_word else main
            if of_word[script] or (not of_word and main in rest):
                words[number] = script
        scripts = {name: Script(name, "".join(letters[name][:LARGEST_POOL])) for name in rest}
        return PageScripts(words, scripts)

    def instead(
        self,
        word: str,
        script: Script,
        fate: Fate,
        of_slice: int,
        specks: float,
        touches: bool,
        draws: Draws,
    ) -> str:
        """What stands for a word of this fate.

        ``specks`` is the share of rewritten words that keep their letters. ``touches``: no space is
        around the word.
        """
        if fate is Fate.LOST:
            return ""
        if fate is Fate.JOINED:
            return word + script.localised(self._characters.joints.draw(draws.uniform()), draws)
        if fate is Fate.REWRITTEN:
            if specks and draws.uniform() < specks:
                text = script.localised(self._characters.add_speck(word, draws), draws)
                if text != word:
                    return text
            return self.rewrite(word, script, of_slice, draws)
        if touches:
            return self.rubbish(word, script, draws)
        return script.localised(self._strings.instead(word, of_slice, draws), draws)

    def rewrite(self, word: str, script: Script, of_slice: int, draws: Draws) -> str:
        """The word with other letters; of a word without letters, with other characters."""
        places = [index for index, char in enumerate(word) if script_of(char)]
        if not places:
            text = self._characters.rewrite(word, of_slice, draws, self._strings)
            text = script.localised(text, draws)
            return text if text != word else word + script.draw(draws)
        number = self._characters.sites[of_slice][word_bin(len(word))].number(draws.uniform())
        letters = list(word)
        for _ in range(min(1 + number, len(places))):
            index = places.pop(int(draws.uniform() * len(places)))
            letters[index] = self.replacement(word[index], script, draws)
        return "".join(letters)

    def replacement(self, char: str, script: Script, draws: Draws) -> str:
        """What stands for a letter: one of the same script, or nothing if none is known."""
        uniform = draws.uniform()
        if (choice := self._model_choice(char)) is not None:
            return choice.draw(uniform)
        rest = look_alikes().get(char) or "".join(
            letter for letter in dict.fromkeys(script.letters) if letter != char
        )
        return rest[int(uniform * len(rest))] if rest else ""

    def _model_choice(self, char: str) -> Choice | None:
        """What the model has seen in place of this letter, as far as it is in the same script."""
        if char not in self._learned:
            script = script_of(char)
            same = {
                put: count
                for put, count in self._counts.get(char, {}).items()
                if put and put != char and all(script_of(c) == script for c in put)
            }
            self._learned[char] = Choice(same) if script and same else None
        return self._learned[char]

    def rubbish(self, word: str, script: Script, draws: Draws) -> str:
        """Letters of the page in place of those of a word; another word if there is any."""
        text = "".join(script.draw(draws) if char.isalpha() else char for char in word)
        return text if text != word else self.rewrite(word, script, EVERY_SLICE, draws)
