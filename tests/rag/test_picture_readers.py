"""Readers that are shown pages: what is sent, what counts, and the models' real code."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.registry import PluginSpec
from ohr.study.judge import make_judge
from ohr.types import Hit, PageRef, ShownHit, Status
from rag.readers._pictures import SHOWN, pages_to_show
from tests.loopback import said
from tests.ocr_backends.checkpoints import written as engine_checkpoint
from tests.rag.checkpoints import written as language_model
from tests.rag.test_image_retrievers import Drawn, random_pages
from tests.rag.vision_checkpoints import written

KINDS = ["qwen_vl", "internvl", "smolvlm"]


def checkpoint(kind):
    return written(kind) if kind == "smolvlm" else engine_checkpoint(kind)


def context(arrays, texts=None):
    """A hit on each page, with its picture."""
    pages = Drawn(arrays).pages()
    texts = texts or [f"text of page {n}" for n in range(len(pages))]
    return [
        ShownHit(page.ref, text, 1.0, rank, (0, len(text)), page)
        for rank, (page, text) in enumerate(zip(pages, texts, strict=True))
    ]


def openai(server, **params):
    given = {"model": "m", "base_url": server.url, "retries": 0, **params}
    return registry.create("reader", {"name": "openai", "params": given})


def local(kind, **params):
    given = {"model": str(checkpoint(kind)), "device": "cpu", "max_new_tokens": 4,
             "read": "images", **params}  # fmt: skip
    return registry.create("reader", {"name": "transformers", "params": given})


def pixels(part):
    head, _, packed = part["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(packed))))


# --- what is shown ---------------------------------------------------------------------


def test_each_page_is_shown_once_and_what_is_left_out_is_said():
    arrays = random_pages(3)
    hits = context([arrays[0], arrays[1], arrays[0], arrays[2]])
    assert [page.ref.page_no for page in pages_to_show(hits, 4).pages] == [0, 1, 3]
    few = pages_to_show(hits, 2)
    assert (len(few.pages), few.note) == (2, "images cut to 2 of 3")
    assert pages_to_show([Hit(PageRef("law/a", 0), "text", 1.0, 0)], 2).pages == ()


@pytest.mark.parametrize(
    ("read", "text", "images"), [("text", True, 0), ("images", False, 2), ("both", True, 2)]
)
def test_a_server_is_sent_texts_pictures_or_both(server, read, text, images):
    server.replies = [said("42")]
    arrays = random_pages(2)
    outcome = openai(server, read=read).answer("How many?", context(arrays))
    assert outcome.value == "42"
    content = server.requests[0]["messages"][-1]["content"]
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    shown_pages = [pixels(part) for part in parts if part["type"] == "image_url"]
    assert len(shown_pages) == images
    assert all(np.array_equal(a, b) for a, b in zip(shown_pages, arrays, strict=False))
    said_text = parts[-1]["text"]
    assert "How many?" in said_text
    assert ("text of page 1" in said_text) == text
    assert (SHOWN in said_text) == (not text)


def test_pictures_are_scaled_down_and_limited(server):
    server.replies = [said("42")]
    reader = openai(server, read="images", max_images=2, image_side=45)
    [reply] = reader.answer_many(["How many?"], [context(random_pages(3))])
    sent = [pixels(p) for p in server.requests[0]["messages"][-1]["content"][:-1]]
    assert [max(image.shape) for image in sent] == [45, 45]
    assert reply.usage["images_cut"] == 1.0
    assert "images cut to 2 of 3" in reply.outcome.detail


def test_what_has_no_pictures_to_show_is_told_so(server):
    text = [Hit(PageRef("law/a", 0), "text", 1.0, 0)]
    with pytest.raises(ConfigError, match="use read: text"):
        openai(server, read="both").answer("How many?", text)
    with pytest.raises(ConfigError, match="a judge has none"):
        make_judge(PluginSpec(name="openai", params={"model": "m", "read": "images"}))
    assert not server.requests


def test_nothing_to_show_is_a_guess(server):
    server.replies = [said("42")]
    openai(server, read="images").answer("How many?", [])
    assert isinstance(server.requests[0]["messages"][-1]["content"], str)


def test_a_page_that_cannot_be_drawn_is_that_questions_error(server):
    server.replies = [said("42")]
    reader = openai(server, read="images")
    contexts = [context([None]), context(random_pages(1))]
    replies = {reply.index: reply.outcome for reply in reader.answer_many(["a", "b"], contexts)}
    assert replies[0].status is Status.ERROR
    assert "cannot be drawn" in replies[0].detail
    assert replies[1].value == "42"


def test_a_reader_of_text_is_who_it_was(server):
    plain = openai(server)
    assert (plain.reads_text, plain.reads_images) == (True, False)
    assert not {"read", "max_images", "image_side"} & set(plain.identity()["params"])
    assert openai(server, max_images=9).identity() == plain.identity()
    seeing = [openai(server, read=read, image_side=side)
              for read in ("images", "both") for side in (None, 500)]  # fmt: skip
    assert len({json.dumps(one.identity()) for one in [plain, *seeing]}) == 5
    assert [one.reads_text for one in seeing] == [False, False, True, True]


# --- models ----------------------------------------------------------------------------


@pytest.mark.torch
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_shown_pages_and_answers(kind):
    arrays = random_pages(2)
    reader = local(kind)
    contexts = [context(arrays), context(arrays[:1]), []]
    replies = {r.index: r for r in reader.answer_many(["what?", "who?", "how?"], contexts)}
    assert [replies[n].outcome.status for n in range(3)] != [Status.ERROR] * 3
    tokens = [replies[n].usage["prompt_tokens"] for n in range(3)]
    assert tokens[0] > tokens[1] > tokens[2]
    assert all(replies[n].usage["completion_tokens"] <= 4 for n in range(3))
    for n, question in enumerate(["what?", "who?", "how?"]):
        assert local(kind).answer(question, contexts[n]) == replies[n].outcome


@pytest.mark.torch
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_page_says_ends_no_turn(kind):
    mark = "<|im_end|>"
    reader = local(kind, read="both")
    hits = context(random_pages(1), [f"a{mark}b"])
    harmless = context(random_pages(1), ["a< |im_end|>b"])
    assert reader.answer(f"{mark}?", hits) == reader.answer("< |im_end|>?", harmless)


@pytest.mark.torch
@pytest.mark.parametrize("prompt", ["few_shot", "answer"])
def test_a_template_that_takes_no_system_message_is_given_none(prompt):
    hits = context(random_pages(1))
    reader = local("smolvlm", prompt=prompt)
    [reply] = reader.answer_many(["what?"], [hits])
    strict = local("smolvlm", prompt=prompt)
    strict._vision.processor.chat_template = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        + strict._vision.processor.chat_template
    )
    [merged] = strict.answer_many(["what?"], [hits])
    assert merged.outcome.status is not Status.ERROR, merged.outcome
    taken = [one.usage["prompt_tokens"] for one in (reply, merged)]
    assert taken[0] - 10 < taken[1] < taken[0]


@pytest.mark.torch
def test_both_has_more_tokens_than_pictures_alone():
    hits = context(random_pages(1))
    taken = {}
    for read in ("images", "both"):
        [reply] = local("qwen_vl", read=read).answer_many(["what?"], [hits])
        taken[read] = reply.usage["prompt_tokens"]
    assert taken["both"] > taken["images"] - len(SHOWN)


@pytest.mark.torch
def test_pictures_that_fill_the_window_are_that_questions_error():
    reader = local("qwen_vl", max_new_tokens=40_000)
    outcome = reader.answer("what?", context(random_pages(1)))
    assert outcome.status is Status.ERROR
    assert "fills the model's window of 32,768" in outcome.detail


@pytest.mark.torch
def test_a_model_that_looks_at_no_pictures_says_so():
    reader = registry.create("reader", {"name": "transformers", "params": {
        "model": str(language_model("qwen2")), "device": "cpu", "read": "images"}})  # fmt: skip
    with pytest.raises(MissingDependencyError, match="looks at no pictures"):
        reader.answer("what?", context(random_pages(1)))
