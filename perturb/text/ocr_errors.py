"""OCR errors in ground-truth text, by a model that was fitted to an engine's output."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from ohr.ocr_errors.edits import make_edits
from ohr.ocr_errors.files import model_bytes, parse_model
from ohr.ocr_errors.make import ErrorMaker
from ohr.plugins import Level, Params
from ohr.store.identity import digest
from perturb.text.edits import Edit
from perturb.text.rewriting import TextRewriting


class OcrErrorsParams(Params):
    """``model``: the name of a model that comes with the toolkit, or the path of one that
    ``ohr dev fit-errors`` wrote.
    """

    model: str = "tesseract"


class OcrErrors(TextRewriting[OcrErrorsParams]):
    """Words that are rewritten, replaced by rubbish, lost, joined or inserted, as by an engine.

    The intensity is the wanted mean edit distance of the pages' content, without mark-up: 0.1 asks
    for one edit in ten characters, on average over pages such as the model was fitted to. Single
    pages have more or less, as under the engine. Mark-up that the engine does not write is dropped
    too, in full from the least edit distance that the model was fitted to.

    In scripts that the model was not fitted to, letters give way to letters of the same script that
    look like them. In Chinese, Japanese, Thai, Lao, Burmese and Khmer, a letter is a word.
    """

    name = "ocr_errors"
    version = "6"
    kind = "semantic"
    argument = "model"
    levels: ClassVar[Mapping[str, Level]] = {
        "mild": Level(0.05),
        "moderate": Level(0.1),
        "severe": Level(0.2),
    }

    @cached_property
    def _file(self) -> bytes:
        return model_bytes(self.params.model)

    @cached_property
    def maker(self) -> ErrorMaker:
        """What makes the errors. Raises ConfigError for a model that cannot be read."""
        return _maker(self._file, self.params.model)

    def identity(self) -> dict[str, object]:
        """Also the digest of the model's file. Raises ConfigError if it is no model."""
        _ = self.maker
        return super().identity() | {"model": digest(self._file)}

    def edits(self, text: str, intensity: float, rng: np.random.Generator) -> list[Edit]:
        """The errors of a page."""
        return [Edit(*edit) for edit in make_edits(self.maker, text, intensity, rng)]


@lru_cache(maxsize=8)
def _maker(data: bytes, name: str) -> ErrorMaker:
    return ErrorMaker(parse_model(data, name))
