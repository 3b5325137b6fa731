"""Plug-ins for tests, named by their dotted path. Engines log what they read, and misbehave."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ohr.errors import MissingDependencyError
from ohr.plugins import Applied, OcrBackend, Params, Reader, TextPerturbation
from ohr.store.identity import pixel_digest
from ohr.types import Hit, Outcome, Word

LOG = "OHR_TEST_READ_LOG"
TOGETHER = "OHR_TEST_TOGETHER"
MENDED = "OHR_TEST_MENDED"
"""Set once the engines that wait for it are to work."""


class LoggingEngine(OcrBackend):
    """Reads a text that depends on the pixels alone, and logs each reading."""

    name = "logging"
    pause_s: ClassVar[float] = 0.02

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        assert not isinstance(source, Path)
        for image, page_no in zip(source, page_nos, strict=True):
            time.sleep(self.pause_s)
            outcome = self.read(image, page_no)
            if LOG in os.environ:
                with open(os.environ[LOG], "a") as log:
                    log.write(pixel_digest(image) + "\n")
            yield page_no, outcome

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        dark = int((image < 128).sum())
        return Outcome.of_text(f"Fact {page_no} is answer {page_no}. Dark pixels: {dark}.")


class MendableEngine(LoggingEngine):
    """Fails until it is mended."""

    name = "mendable"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        if MENDED not in os.environ:
            return Outcome.error("out of order")
        return super().read(image, page_no)


class SureEngine(LoggingEngine):
    """Says of each word that it is three quarters sure."""

    name = "sure"
    has_confidence = True

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        outcome = self.read(image, 0)
        return tuple(Word(word, 0.75, (0, 0, 9, 9)) for word in (outcome.value or "").split())


class WordsEngine(SureEngine):
    """Gives the text and the words from one recognition, which it logs."""

    name = "words"

    def read_with_words(self, image: np.ndarray) -> tuple[Outcome[str], tuple[Word, ...]]:
        [(_, outcome)] = self.transcribe([image], [0])
        return outcome, super().words(image)

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        return self.read_with_words(image)[1]


class TogetherEngine(LoggingEngine):
    """Takes as many pages at a time as the environment says; some fail in company."""

    name = "together"
    pause_s = 0.0

    def pages_together(self) -> int:
        return int(os.environ[TOGETHER])

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        if LOG in os.environ:
            with open(os.environ[LOG] + ".batches", "a") as log:
                log.write(f"{len(page_nos)}\n")
        for page_no, outcome in super().transcribe(source, page_nos):
            if len(page_nos) > 1 and len(outcome.value or "") % 5 == 0:
                outcome = Outcome.error("out of memory")
            yield page_no, outcome


class SlowLoggingEngine(LoggingEngine):
    name = "slow_logging"
    pause_s = 0.15


class TroubledEngine(LoggingEngine):
    """Page 0 is fine, 1 never ends, 2 kills the process, 3 is 5 MB of one character."""

    name = "troubled"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        if page_no == 1:
            time.sleep(3600)
        if page_no == 2:
            os._exit(13)
        if page_no == 3:
            return Outcome.of_text("a" * 5_000_000)
        return super().read(image, page_no)


class HalfInstalledEngine(LoggingEngine):
    """Finds out at the first page that its model is missing."""

    name = "half_installed"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        raise MissingDependencyError("no model: pip install half")


class ParamsEngine(LoggingEngine):
    """An engine with a parameter."""

    name = "params"

    class Options(Params):
        word: str = "word"

    Params = Options
    argument = "word"


class GrainEngine(LoggingEngine):
    """Garbles each fact of a corpus of one document once the page has grain enough for it.

    So r_noise rises about in step with the intensity of salt and pepper.
    """

    name = "grain"
    pause_s = 0.0

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        blank = image[image.shape[0] // 3 :]
        grain = float((blank < 128).mean()) / 0.005
        facts = [10 * page_no, 10 * page_no + 1]
        garbled = [grain > 1.25 * ((n * 0.618034) % 1.0) for n in facts]
        return Outcome.of_text(
            "\n".join(
                "Rubbish." if bad else f"Fact {n} is answer {n}. Item {n} costs {n} euros."
                for n, bad in zip(facts, garbled, strict=True)
            )
        )


class Embolden(TextPerturbation):
    """Sets a word in bold with the probability of the intensity. Its records are its own."""

    name = "embolden"

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        words = x.split(" ")
        chosen = np.flatnonzero(rng.random(len(words)) < intensity).tolist()
        record = {"words": [i for i in chosen if words[i]]}
        return Applied(self.replay(x, record), record)

    def replay(self, x: str, record: Mapping[str, Any]) -> str:
        words = x.split(" ")
        for i in record["words"]:
            words[i] = f"\\textbf{{{words[i]}}}"
        return " ".join(words)

    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        words = value.split(" ")
        for i in record["words"]:
            words[i] = words[i].removeprefix("\\textbf{").removesuffix("}")
        return " ".join(words)


class UsesCpu(Embolden):
    """Needs a twentieth of a CPU second for each page."""

    name = "uses_cpu"

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        until = time.process_time() + 0.05
        while time.process_time() < until:
            pass
        return super().apply(x, intensity=intensity, rng=rng)


class FailsOnFact10(Embolden):
    """Fails on the page with the fact 10."""

    name = "fails_on_fact_10"

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        if "Fact 10 " in x:
            raise ValueError("no more facts")
        return super().apply(x, intensity=intensity, rng=rng)


class HideFacts(TextPerturbation):
    """Turns a ``Fact`` into rubbish with the probability of the intensity."""

    name = "hide_facts"

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        lines = x.split("\n")
        record = {"lines": np.flatnonzero(rng.random(len(lines)) < intensity).tolist()}
        return Applied(self.replay(x, record), record)

    def replay(self, x: str, record: Mapping[str, Any]) -> str:
        lines = x.split("\n")
        for i in record["lines"]:
            lines[i] = f"Rubbish {lines[i][4:]}"
        return "\n".join(lines)

    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        lines = value.split("\n")
        for i in record["lines"]:
            lines[i] = f"Fact{lines[i][8:]}"
        return "\n".join(lines)


class FactReader(Reader):
    """Answers a question of ``write_corpus`` if its fact stands in the context, word for word."""

    name = "fact"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        number = "".join(re.findall(r"\d+", question))
        read = "\n".join(hit.text for hit in context)
        return Outcome.of_text(f"answer {number}" if f"Fact {number} is" in read else "unknown")


class SilentWithoutContext(FactReader):
    """Answers as the other does, but nothing where it is given nothing to read."""

    name = "silent_without_context"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        return super().answer(question, context) if context else Outcome.of_text("")


class SteadyReader(FactReader):
    """Knows every other answer, whatever it is given."""

    name = "steady"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        number = "".join(re.findall(r"\d+", question))
        is_known = bool(context) and int(number) % 2 == 0
        return Outcome.of_text(f"answer {number}" if is_known else "unknown")


class SilentReader(FactReader):
    """Gives no answer where the fact is not there."""

    name = "silent"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        found = super().answer(question, context)
        return Outcome.of_text("") if found.value == "unknown" else found
