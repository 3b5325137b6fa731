"""Halves of documents, and kinds of pages that are left out as wholes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ohr.adviser.quality.known_truth import same_documents
from ohr.quality.fit import Labelled
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.quality.validation import LeftOut, fitted_half, kinds_held, leave_out
from ohr.types import PageRef


def pages_of(kinds: dict[str, float], documents: int = 12) -> list[Labelled]:
    """Pages by two engines, of kinds whose errors are so many times their disagreement."""
    rng = np.random.default_rng(0)
    pages = []
    for kind, factor in kinds.items():
        for domain in ("a", "b"):
            for document in range(documents):
                disagreement = float(rng.beta(2, 10))
                for engine in ("one", "two"):
                    error = min(1.0, factor * disagreement * float(rng.lognormal(0, 0.2)))
                    values = dict.fromkeys(SIGNALS, float("nan"))
                    values |= {"disagreement": disagreement, "length": 3.0}
                    values |= dict.fromkeys(TARGETS, error)
                    name = f"{kind}{domain}{document}"
                    pages.append(
                        Labelled(
                            f"{kind} {domain}",
                            name,
                            0,
                            f"{engine}, clean",
                            values,
                            kind,
                            "Latin",
                            name,
                        )
                    )
    return pages


def test_halves_are_of_documents_and_of_every_domain():
    pages = pages_of({"scan": 1.0, "slip": 1.0})
    half = fitted_half(pages)
    assert half == fitted_half(pages)
    by_document: dict[str, set[bool]] = {}
    by_domain: dict[str, list[bool]] = {}
    for page, is_fitted in zip(pages, half, strict=True):
        by_document.setdefault(page.cluster, set()).add(is_fitted)
        by_domain.setdefault(page.domain, []).append(is_fitted)
    assert all(len(of) == 1 for of in by_document.values())
    assert {float(np.mean(of)) for of in by_domain.values()} == {0.5}


def test_photographs_of_one_page_are_one_document():
    text = "The same words on the page. " * 10
    truths = {PageRef("x/a", 0): text, PageRef("x/b", 0): text, PageRef("x/c", 0): text + "More."}
    assert same_documents(truths) == {"x/a": "x/a", "x/b": "x/a", "x/c": "x/c"}
    short = {PageRef("x/a", 0): "blank", PageRef("x/b", 0): "blank"}
    assert same_documents(short) == {"x/a": "x/a", "x/b": "x/b"}


@pytest.mark.slow
def test_a_kind_that_is_not_like_the_others_is_found_out():
    pages = pages_of({"scan": 1.0, "slip": 1.1, "photograph": 12.0})
    held = kinds_held(leave_out(pages, pages))
    assert held["scan"]["edit_distance"] >= 0.85
    assert held["photograph"]["edit_distance"] < 0.85


@pytest.mark.slow
def test_documents_that_are_checked_are_never_fitted():
    """Every page of another kind shares its document with one that is checked."""
    pages = pages_of({"scan": 1.0, "slip": 1.0})
    twins = [replace(page, cluster=page.cluster.replace("slip", "scan")) for page in pages]
    assert not [each for each in leave_out(twins, twins) if each.by == "kind"]


def test_too_few_documents_show_nothing_and_layers_are_left_out_by_domain():
    def result(by: str, name: str, documents: int, coverage: float) -> LeftOut:
        return LeftOut(by, name, "edit_distance", 9, documents, coverage, 0.5, 0.1, 0.1, 0.2)

    held = kinds_held(
        [
            result("kind", "scan", 9, 0.9),
            result("kind", "slip", 4, 0.9),
            result("kinds", "clean and born-digital", 9, 0.6),
            result("domain", "law, born-digital", 3, 0.8),
            result("domain", "news, born-digital", 1, 0.6),
            result("domain", "news", 9, 0.1),
        ]
    )
    assert set(held) == {"scan"}
    more = result("domain", "tax, born-digital", 4, 1.0)
    held = kinds_held([result("domain", "law, born-digital", 4, 0.8), more])
    assert held == {"born-digital": {"edit_distance": 0.9}}
