"""What models put around a page is taken off and said; what a page says itself stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.document_replies import refuses
from ocr_backends.wrappers import FRONT_MATTER, PLACE, unwrapped
from tests.patience import ends

PAGE = "# The harbour office\n\nThe harbour office opens at nine."
FRONT = "---\nprimary_language: en\nis_rotation_valid: True\nrotation_correction: 0\n---\n"
OLM = {"primary_language": "en", "is_table": False, "natural_text": PAGE}
HARMONY = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
    f"{PAGE}<|return|>"
)
WRAPPED = {
    "think": (f"<think>a page</think>\n{PAGE}", "thought"),
    "thinking": (f"<thinking>a</thinking>{PAGE}", "thought"),
    "upper case": (f"<Think>a</THINK>{PAGE}", "thought"),
    "reasoning": (f"<reasoning>\na\n</reasoning>\n\n{PAGE}", "thought"),
    "kimi": (f"◁think▷a◁/think▷{PAGE}", "thought"),
    "mistral": (f"[THINK]a[/THINK]{PAGE}", "thought"),
    "seed": (f"<seed:think>a</seed:think>{PAGE}", "thought"),
    "opened by the template": (f"**Thinking:** …\n</think>\n{PAGE}", "thought"),
    "harmony": (HARMONY, "channel (2)"),
    "harmony without its tokens": (f"analysisThe user wants …assistantfinal{PAGE}", "channel (2)"),
    "answer": (f"<answer>{PAGE}</answer>", "answer tag"),
    "answer cut off": (f"<answer>\n{PAGE}", "answer tag"),
    "answer with a note": (f"<answer>{PAGE}</answer>\nDone.", "answer tag, note"),
    "glm": (f"<|begin_of_box|>{PAGE}<|end_of_box|>", "answer token"),
    "chatml": (f"{PAGE}<|im_end|>", "end token"),
    "ends": (PAGE + "<|endoftext|>" * 50, "end token (50)"),
    "sentencepiece": (f"{PAGE}</s>", "end token"),
    "fence": (f"```markdown\n{PAGE}\n```", "code fence"),
    "fence with CRLF": (f"```markdown\r\n{PAGE}\r\n```".replace("\n\n", "\r\n\r\n"), "code fence"),
    "fence of four": (f"````md\n{PAGE}\n````", "code fence"),
    "fence of tildes": (f"~~~markdown\n{PAGE}\n~~~", "code fence"),
    "fence with a blank": (f"``` markdown\n{PAGE}\n```", "code fence"),
    "preface": (f"Here is the markdown:\n```markdown\n{PAGE}\n```", "preface, code fence"),
    "sure": (f"Sure! Here's the transcription:\n\n```\n{PAGE}\n```", "preface, code fence"),
    "other words": (f"Hier ist der Text:\n```markdown\n{PAGE}\n```", "preface, code fence"),
    "preface alone": (f"Here is the transcription of the page:\n\n{PAGE}", "preface"),
    "note": (f"```markdown\n{PAGE}\n```\n\n*Note: without the logo.*", "code fence, note"),
    "json": (json.dumps({"natural_text": PAGE}), "JSON"),
    "olmOCR": (json.dumps(OLM), "JSON"),
    "olmOCR cut off": (json.dumps(OLM)[:-2], "JSON"),
    "json in a fence": (f"```json\n{json.dumps({'text': PAGE})}\n```", "JSON"),
    "front matter": (f"{FRONT}{PAGE}", "front matter"),
    "literal": (PAGE.replace("\n", "\\n"), "literal \\n (2)"),
    "picture": (f"![logo](data:image/png;base64,AAAA==)\n\n{PAGE}", "data: image"),
    "places": (
        PAGE.replace(" office", " office<|box_start|>(1,2),(3,4)<|box_end|>"),
        "place (2)",
    ),
    "locations": (f"{PAGE}<loc_12><loc_7><loc_40><loc_99>", "place (4)"),
    "grounding": (f"<|ref|>title<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\n{PAGE}", "place"),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_wrapper_is_taken_off_and_said(name: str) -> None:
    reply, said = WRAPPED[name]
    page = unwrapped(reply)
    assert page.text.strip() == PAGE
    assert page.detail == f"taken off: {said}"


@pytest.mark.parametrize(
    "text",
    [
        PAGE,
        "",
        "It writes <think> and </think>.",
        "The tag </think> ends it. More page.",
        "before\n```python\nx = 1\n```",
        "```python\nx = 1\n```\nbehind",
        "```\na\n```\nbetween\n```\nb\n```",
        "Table 3: Sales.\n```html\n<table></table>\n```",
        "Here is the text of the law:\n\nNobody may enter.",
        '{"name": "Anna", "text": "a form"}',
        "---\ntitle: A page\n---\n\ntext",
        r"$\nabla \neq \nu$ and C:\new",
        "![a chart](chart.png)",
        "a <s>struck</s>",
        "<answer sheet> 1. (a) 2. (b)",
        "analysis of variance",
    ],
)
def test_what_a_page_says_itself_stays(text: str) -> None:
    page = unwrapped(text)
    assert (page.text, page.detail) == (text, "")


def test_a_page_in_a_fence_may_have_fences_of_its_own() -> None:
    inner = "# T\n```python\nx\n```\nend"
    assert unwrapped(f"```markdown\n{inner}\n```").text == inner
    assert unwrapped(f"```markdown\n{inner}").text == inner


def test_thoughts_left_open_are_no_page() -> None:
    for opened in ("<think>a b", "◁think▷a", "<|channel|>analysis<|message|>The page shows"):
        page = unwrapped(opened)
        assert page.text == ""
        assert page.detail


def test_what_a_model_was_asked_for_is_its_parsers() -> None:
    places = "<|ref|>title<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\n# T"
    assert unwrapped(places, {PLACE}).text == places
    assert unwrapped(f"{FRONT}text", {FRONT_MATTER}).text == f"{FRONT}text"


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't assist with that request.",
        "I'm unable to view the image. Please provide the text.",
        "Sorry, I can't help with that.",
        "Unfortunately, I cannot read the document you sent.",
        "I apologize, but I am not able to transcribe this image.",
        "As an AI language model, I cannot see images.",
        "抱歉，我无法识别这张图片。",
    ],
)
def test_refusals(reply: str) -> None:
    assert refuses(reply)


@pytest.mark.parametrize(
    "page",
    [
        "I am sorry that I could not come on Tuesday. Yours, A.",
        "Dear Anna,\n\nI am sorry that I could not come. The ferry did not run.\n\nYours, Jon",
        "I'm sorry, but I cannot help you with the rent this month.",
        "I cannot read this novel without tears, wrote the critic. It was",
        "I cannot help but recall the summer of 1912.",
        "We are sorry for the delay.",
    ],
)
def test_a_letter_is_no_refusal(page: str) -> None:
    assert not refuses(page)


@given(st.text(alphabet='ab<>/|{}[]",:-\n`~#\\n think', max_size=80))
def test_any_reply_is_a_page(reply: str) -> None:
    page = unwrapped(reply)
    assert len(page.text) <= len(reply)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["<think>", "</think>", "```\n", "```md\n", "<|box_start|>", "{", "\\n", "![a](data:x ",
     "---\n", "<|im_end|>", "<answer>", "</answer> ", "<|channel|>final<|message|>",
     "Here is ", "<loc_1"],
)  # fmt: skip
def test_a_megabyte_comes_to_an_end(unit: str) -> None:
    with ends(cpu_s=30):
        page = unwrapped(unit * (1_000_000 // len(unit)))
    assert len(page.text) <= 1_000_000
