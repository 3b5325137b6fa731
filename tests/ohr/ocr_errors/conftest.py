"""Pages with known errors, and the model of them."""

import numpy as np
import pytest

from ohr.ocr_errors.fit import fit_model
from ohr.ocr_errors.model import ErrorModel, Provenance
from ohr.ocr_errors.pages import AlignedPage, PagePair, align_pair
from ohr.types import PageRef

PROVENANCE = Provenance(
    engine="fake",
    noise="none",
    data="made",
    documents=2,
    pages=12,
    words=0,
    command="",
    made_with="",
)
VOCABULARY = "".join(chr(97 + i) for i in range(26))


def page(number: int, count: int = 240) -> list[str]:
    rng = np.random.default_rng(number)
    lengths = rng.integers(2, 9, count)
    return ["".join(VOCABULARY[i] for i in rng.integers(26, size=n)) for n in lengths]


def bunched(words: list[str], start: int, length: int) -> list[str]:
    """The words with one run lost, and an e for each a in the next ten."""
    end = start + length
    return [
        *words[:start],
        *(word.replace("a", "e") for word in words[end : end + 10]),
        *words[end + 10 :],
    ]


@pytest.fixture(scope="session")
def pages():
    pairs = []
    for number in range(12):
        words = page(number)
        output = bunched(words, 20 + number, 5 + 6 * number)
        ref = PageRef(f"d{number % 4}", number)
        pairs.append(PagePair(ref, "law", "clean", " ".join(words), " ".join(output)))
    return [align_pair(pair) for pair in pairs]


@pytest.fixture(scope="session")
def model(pages) -> ErrorModel:
    return fit_model(pages, PROVENANCE)


@pytest.fixture(scope="session")
def level_pages() -> list[AlignedPage]:
    """Pages that lose some words without noise, and whose other words are rewritten under it."""
    pairs = []
    for number in range(60):
        words, step = page(number, 200), 30 - number // 3
        clean = [word for i, word in enumerate(words, 1) if i % step]
        noisy = [w.translate(str.maketrans("aeiou", "eioua")) for w in clean]
        for level, output in (("clean", clean), ("noisy", noisy)):
            ref = PageRef(f"d{number % 4}", number)
            pairs.append(PagePair(ref, "law", level, " ".join(words), " ".join(output)))
    return [align_pair(pair) for pair in pairs]


@pytest.fixture(scope="session")
def level_model(level_pages) -> ErrorModel:
    return fit_model(level_pages, PROVENANCE)
