"""Thoughts in the marks of any family are no part of an answer or a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.models.replies import bare_page, drop_thoughts
from ohr.models.thought_marks import thought_opened
from tests.patience import ends

FRAMES = [
    ("<think>", "</think>"),
    ("<Thinking>", "</THINKING>"),
    ('<think mode="deep">', "</think>"),
    ("<x-1:thinking>", "</x-1:thinking>"),
    ("<thought_process>", "</thought_process>"),
    ("<chain-of-thought>", "</chain-of-thought>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<|think|>", "<|/think|>"),
    ("<|thought_start|>", "<|thought_end|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("[REASONING]", "[/REASONING]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel>analysis ", "<channel|>"),
    ("<unused94>thought", "<unused95>"),
    ('<details type="reasoning">', "</details>"),
    ('<details done="true" type=\'reasoning\' duration="3">\n<summary>…</summary>', "</details>"),
]
TEXTS = st.text("abc <>|/[]\n.é", max_size=20)


@pytest.mark.parametrize(("opens", "closes"), FRAMES)
@given(thought=TEXTS)
def test_what_is_between_the_marks_is_taken_off(opens: str, closes: str, thought: str) -> None:
    reply = f"{opens}{thought}{closes}\nnine years"
    assert drop_thoughts(reply).strip() == "nine years"
    bare = bare_page(f"\n{reply}")
    assert (bare.text.strip(), bare.thoughts) == ("nine years", 1)


@pytest.mark.parametrize(("opens", "closes"), FRAMES)
def test_a_thought_that_is_not_closed_is_no_answer(opens: str, closes: str) -> None:
    assert drop_thoughts(f"{opens} we need the lease") == ""
    assert bare_page(f"{opens} we need the lease").text == ""


@pytest.mark.parametrize(
    ("opens", "closes"), [frame for frame in FRAMES if "details" not in frame[0]]
)
def test_only_a_closing_mark(opens: str, closes: str) -> None:
    assert drop_thoughts(f"We need the lease.\n{closes}\n\nnine years").strip() == "nine years"
    assert bare_page(f"We need the lease.\n{closes}\nnine years").text.strip() == "nine years"


@pytest.mark.parametrize("mark", ["<think/>", "<think />", "<thinking/>\n", "<Thought/>"])
def test_an_empty_thought(mark: str) -> None:
    assert drop_thoughts(f"{mark}nine years").strip() == "nine years"
    assert drop_thoughts(f"nine years{mark}").strip() == "nine years"
    assert drop_thoughts(f"We need it. {mark} nine years").strip() == "nine years"
    assert drop_thoughts(f"<think>hm</think>{mark}nine years").strip() == "nine years"
    assert bare_page(f"{mark * 2}nine years").text.strip() == "nine years"


@pytest.mark.parametrize(
    "page",
    [
        "It writes <think> and </think>.",
        "The tag <think/> is empty.",
        "<details><summary>More</summary>nine years</details>",
        '<details class="x">nine years</details>',
        "A thought, and reasoning.\n[1] Think.",
        "<thinker>Rodin</thinker>",
    ],
)
def test_what_a_page_says_itself_stays(page: str) -> None:
    assert bare_page(page).text == page


def test_details_of_an_answer_stay() -> None:
    answer = "<details><summary>More</summary>nine years</details>"
    assert drop_thoughts(answer) == answer


@pytest.mark.parametrize(("opens", "closes"), FRAMES[:-2])
def test_a_prompt_that_opens_a_thought(opens: str, closes: str) -> None:
    assert thought_opened(f"Answer.\n{opens}\n") == opens.strip()
    assert thought_opened(f"{opens} Answer.") == ""


def test_gemmas_turns() -> None:
    reply = "<|turn>model\n<|channel>thought\nhm\n<channel|>nine years<turn|>"
    assert drop_thoughts(reply).strip() == "nine years"


@pytest.mark.parametrize("unit", [*(opens for opens, _ in FRAMES), *(c for _, c in FRAMES),
                                  "<think/>", "<think></think>", "<details "])  # fmt: skip
def test_a_megabyte_comes_to_an_end(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    with ends(cpu_s=30):
        answer = drop_thoughts(text)
        bare_page(text)
    assert len(answer) <= len(text)
