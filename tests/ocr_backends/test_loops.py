"""Loops that a model writes are cut to one turn and said; what a page repeats is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.loops import LOOP, cut_loops
from ocr_backends.normalise import Normalise, finished
from ohr import registry
from ohr.plugins import OcrBackend
from ohr.types import Status
from tests.patience import ends

ROW = "| N/A | N/A | N/A | N/A |\n"


@pytest.mark.parametrize(
    "turn", ["and so on, ", "a", "<td></td><td>0</td>", "A sentence of a model. It says: no.\n"]
)
def test_a_loop_is_cut_to_one_turn(turn: str) -> None:
    begins = "The page begins with a sentence that is read once. "
    steps = Normalise(headings=False, hyphenation=False)
    outcome = finished(begins + turn * 700, steps, generative=True)
    assert outcome.status is Status.OK
    assert outcome.value is not None
    assert outcome.value.startswith(begins)
    assert len(outcome.value) <= len(begins) + len(turn)
    assert LOOP in outcome.detail
    # Any other engine repeats what stands on the page, unless it is told otherwise.
    assert finished(begins + turn * 700, steps).value == begins + turn * 700
    told = steps.model_copy(update={"loops": True})
    assert finished(begins + turn * 700, told) == outcome
    off = steps.model_copy(update={"loops": False})
    assert finished(begins + turn * 700, off, generative=True).value == begins + turn * 700


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("A page. " + "and so on, " * 200 + "\nThe end.", "A page. and so on, \nThe end."),
        ("A page. " + "and so on, " * 200 + "and s", "A page. and so on,"),
        (
            "<table>" + "<tr><td></td><td></td></tr>" * 200 + "</table>",
            "<table><tr><td></td><td></td></tr></table>",
        ),
        ("T. " + "".join(f"{i}. The item\n" for i in range(1, 400)), "T. 1. The item"),
        (
            "T. " + " ".join(f"{i}. foo" for i in range(1, 400)) + "\nThe end.",
            "T. 1. foo\nThe end.",
        ),
        ("T. " + "".join(f"{i}. The item\n" for i in range(1, 400)) + "400. The", "T. 1. The item"),
        (("-" * 100 + "\nsome letters\n") * 50, "-" * 100 + "\nsome letters"),
    ],
)
def test_loops_with_an_end_and_loops_that_count(text: str, kept: str) -> None:
    cut, detail = cut_loops(text)
    assert cut == kept
    assert detail.startswith(f"{LOOP}: ")
    assert detail.endswith(", cut to one")


@pytest.mark.parametrize(
    "text",
    [
        "word " * 4,
        "Contents " + "." * 2000 + " 12",
        "Name " + "_" * 1000,
        "\n".join(f"& {n} & 0 & 0 \\\\" for n in range(200)),
        "No. No. No. He said it three times, and then once more.",
        "| A | B | C | D |\n|---|---|---|---|\n" + ROW * 60,
        "0" * 400,
        "0.000 0.000 0.000\n" * 40,
        "Form\n" + "Yes No\n" * 45,
        "Order\n" + "100.00 GBP to Harbour Trust\n" * 12,
        "\n".join(f"{n}. Yes" for n in range(1, 60)),
        "\n".join(f"| {1950 + n} | {n * 37 % 91} | 0 |" for n in range(150)),
        "",
    ],
)
def test_what_is_no_loop(text: str) -> None:
    assert cut_loops(text) == (text, "")


@given(st.text(max_size=300))
def test_text_of_every_kind_survives(text: str) -> None:
    assert cut_loops(text) == (text, "")


@given(
    st.text("AB.", max_size=30),
    st.text("abc12 \n|", min_size=1, max_size=9).filter(str.strip),
    st.text("xyz", max_size=40),
)
def test_what_surrounds_a_loop_stays(before: str, turn: str, after: str) -> None:
    kept, detail = cut_loops(before + turn * 2000 + after)
    assert kept.startswith(before)
    assert kept.endswith(after)
    assert bool(detail) == (len(kept) < len((before + turn * 2000 + after).rstrip()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "ab -\n" * 200_000,
        " ".join(str(n * n % 9973) for n in range(200_000)),
        "".join("x" * 41 + chr(97 + n % 26) + str(n) for n in range(20_000)),
    ],
)
def test_a_megabyte_comes_to_an_end(text: str) -> None:
    with ends(cpu_s=30):
        kept, _ = cut_loops(text)
    assert len(kept) <= len(text)


def test_which_engines_write_loops() -> None:
    """By what the class, or a mode of it, says of itself."""
    template = {"template": "reader {input}"}
    for name, params, generative in [
        ("tesseract", {}, False),
        ("rapidocr", {}, False),
        ("pdf_text", {}, False),
        ("command", template, False),
        ("openai_vlm", {"model": "m"}, True),
        ("got", {}, True),
        ("marker", {}, True),
        ("mineru", {"mode": "pipeline"}, False),
        ("mineru", {"mode": "vlm-auto-engine"}, True),
        ("docling", {"options": ["--pipeline", "vlm"]}, True),
    ]:
        made = registry.create("engine", {"name": name, "params": params})
        assert isinstance(made, OcrBackend)
        assert made.generative is generative, name
