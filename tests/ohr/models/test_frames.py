"""Marks that no list knows are reported when many replies share them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.models.frames import Frame, shared_frames
from ohr.ocr.progress import Progress
from ohr.study.run import run_study
from tests.builders import load_config
from tests.loopback import Reply, Server, said
from tests.ohr.study.test_readers import openai, run, write_small

WORDS = ["nine years", "Ada", "41 metres", "in Bergen", "the lease", "12 %", "$5.20", "(3,400)",
         "1912", "red and blue", "no", "yes", "the owner", "-7", "2 km", "the third one", "A. Lie",
         "Oslo; Rome", "$\\alpha + 1$", "“Yes”", "3.5", "Figure 2", "[1]", "0.7"]  # fmt: skip
PAIRS = [
    ("<|musing|>", "<|/musing|>"), ("<musings lang='en'>", "</musings>"), ("⟦m⟧", "⟦/m⟧"),
    ("{{plan}}", "{{/plan}}"), ("%%ponder%%", "%%end%%"), ("::: plan", ":::"),
    ("[PLAN]", "[/PLAN]"), ("【分析】", "【/分析】"), ("<<<plan>>>", "<<</plan>>>"),
    ("--- plan ---", "---"), ("＜plan＞", "＜/plan＞"), ("&lt;plan&gt;", "&lt;/plan&gt;"),
    ("⟬plan⟭", "⟬/plan⟭"), ("(plan: to look it up)", "(end)"),
]  # fmt: skip


@pytest.mark.parametrize(("opens", "closes"), PAIRS)
@pytest.mark.parametrize("every", [1, 5])
def test_an_unknown_frame_is_found(opens: str, closes: str, every: int) -> None:
    replies = [
        f"{opens} so it is {word}\n{closes}\n{word}" if number % every == 0 else word
        for number, word in enumerate(WORDS)
    ]
    first = shared_frames(replies)[0]
    assert first.frame.side == "begin"
    assert first.frame.mark[:3] == opens[:3]
    assert (first.count, first.total) == (len(range(0, len(WORDS), every)), len(WORDS))
    assert len(first.examples) == 3
    assert all(example.startswith(opens) for example in first.examples)


@pytest.mark.parametrize(
    "mark", ["<|done|>", "</reply>", "⟦end⟧", "[END]", "```", "<eot/>", "✔", "###"]
)
def test_an_unknown_end_is_found(mark: str) -> None:
    [shared] = shared_frames(f"{word} {mark}" for word in WORDS)
    assert shared.frame == Frame("end", mark)


@pytest.mark.parametrize(
    ("reply", "mark"),
    [("Final answer: {}", "Final answer:"), ("Thinking...\n{}", "Thinking..."),
     ("**Answer:** {}", "**Answer:**"), ("[Thought for 1{} s]\n{}", None),
     ("# Result\n{}", "# Result"), ("🧠 {}", "🧠"), ("→ {}", "→")],
)  # fmt: skip
def test_labels_and_first_lines_are_frames_too(reply: str, mark: str | None) -> None:
    made = [reply.format(*[word] * reply.count("{}")) for word in WORDS if word.isalpha() or mark]
    if mark is None:
        made = [f"[Thought for {n} s]\n{word}" for n, word in enumerate(WORDS)]
        mark = "[Thought for # s]"
    assert shared_frames(made)[0].frame == Frame("begin", mark)


def test_a_tenth_is_not_enough() -> None:
    replies = [f"answer number {n}" for n in range(90)]
    framed = [f"<zed>{n}" for n in range(10)]
    assert shared_frames(replies + framed) == []
    assert [each.count for each in shared_frames([*replies, *framed, "<zed>10"])] == [11]


@pytest.mark.parametrize(
    "replies",
    [
        WORDS,
        ["**Yes**"] * 20 + ["**No**"] * 20,
        ["Yes.", "No.", "Not stated.", "The passages do not mention it."] * 10,
        [f"${n}.5 million" for n in range(40)],
        [f"{n} %" for n in range(40)],
        [f"$\\frac{{{n}}}{{2}}$" for n in range(40)],
        [f"({n},000)" for n in range(40)],
        [f'{{"overall": {n}}}' for n in range(40)],
        ["<zed>"] * 40,
        ["", " ", "\n"] * 10,
        [],
    ],
)
def test_answers_have_no_frame(replies: list[str]) -> None:
    assert shared_frames(replies) == []


def test_pages_have_headings_and_elements_of_their_own() -> None:
    pages = [f"# Annual report\n<table><tr><td>{n}</td></tr></table>" for n in range(20)]
    pages += [f"<!-- page {n} -->\n<b>Total</b>" for n in range(20)]
    assert shared_frames(pages, pages=True) == []
    framed = [f"<|page_start|>{page}<|page_end|>" for page in pages]
    sides = {each.frame for each in shared_frames(framed, pages=True)}
    assert sides == {Frame("begin", "<|page_start|>"), Frame("end", "<|page_end|>")}


@given(st.lists(st.text("<>|/[]{}*#:` \nab1é⟦⟧", max_size=30), max_size=12), st.booleans())
def test_any_replies(replies: list[str], pages: bool) -> None:
    for shared in shared_frames(replies, pages=pages):
        assert shared.count > 0.1 * shared.total
        assert 1 <= len(shared.examples) <= 3


@pytest.mark.slow
def test_a_run_says_so_with_three_examples(
    server: Server, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(request: dict[str, Any]) -> Reply:
        return said(f"⟦musing⟧ hm {len(server.requests)} ⟦/musing⟧ answer 1")

    server.answer = answer
    settings = [*write_small(tmp_path), "stages=[generation]"]
    progress = Progress()
    config = load_config([*settings, openai(server, concurrency=1)])
    result = run_study(config, tmp_path / "one", progress=progress)
    line = next(line for line in progress.notes if "not known" in line)
    n = result.readers["openai"]["answers"]
    assert re.match(rf"openai: \d+ of {n} answers begin with '⟦musing⟧'|openai: 4 of 4", line)
    assert line.count("'⟦musing⟧ hm") == 3
    [entry] = result.manifest["readers"]["openai"]["unknown_frames"]
    assert (entry["mark"], entry["side"], entry["replies"]) == ("⟦musing⟧", "begin", n)
    assert json.dumps(entry["examples"])
    clean = Progress()
    server.answer = lambda request: said("answer 1")
    run_study(load_config([*settings, openai(server, model="b")]), tmp_path / "b", progress=clean)
    assert not any("not known" in note for note in clean.notes)
    again = run(settings, tmp_path / "two", openai(server, concurrency=1))
    assert again.manifest["readers"]["openai"]["unknown_frames"] == [entry]


def test_the_first_twenty_replies_are_looked_at_before_the_others(
    server: Server, tmp_path: Any
) -> None:
    from ohr.scoring.frame_watch import EARLY, FrameWatch
    from ohr.types import Outcome

    watch, usage = FrameWatch(), {"unmetered": 1.0}
    lines = [watch.add("r", Outcome(f"<zed>{n}"), usage) for n in range(EARLY + 5)]
    assert [bool(each) for each in lines].index(True) == EARLY - 1
    assert sum(map(len, lines)) == 1
    assert watch.look("r", [Outcome(f"<zed>{n}") for n in range(40)], usage) == []
    assert FrameWatch().look("r", [Outcome(f"<zed>{n}") for n in range(40)], {}) == []


def test_first_lines_of_verdicts_are_no_frames() -> None:
    from ohr.scoring.frame_watch import FrameWatch
    from ohr.types import Outcome

    verdicts = [Outcome(f"Correct.\nIt says {n}.") for n in range(30)]
    usage = {"unmetered": 30.0}
    assert FrameWatch(tokens_only=True).look("judge", verdicts, usage) == []
    assert FrameWatch().look("judge", verdicts, usage)
    framed = [Outcome(f"<zed>{verdict.value}</zed>") for verdict in verdicts]
    assert len(FrameWatch(tokens_only=True).look("judge", framed, usage)) == 2
