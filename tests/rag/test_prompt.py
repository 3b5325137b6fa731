from __future__ import annotations

import pytest

from ohr.errors import ConfigError
from ohr.types import Hit, PageRef
from rag.readers._prompt import BUILT_IN, answer_in, load_prompt, passages


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_prompts_hold_question_and_context_once(name):
    prompt = load_prompt(name)
    system, user = prompt.messages("WHO?", "PAGE TEXT")
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].count("WHO?") == user["content"].count("PAGE TEXT") == 1
    assert "<answer>" in system["content"]
    assert "{" not in system["content"] + user["content"]
    assert (
        prompt.plain("WHO?", "P")
        == f"{system['content']}\n\n{prompt.messages('WHO?', 'P')[1]['content']}"
    )


def test_a_file_takes_its_place(tmp_path):
    path = tmp_path / "unified.txt"
    path.write_text("{question}\n{context}\n", "utf-8")
    assert load_prompt(str(path)).messages("who?", "x") == [{"role": "user", "content": "who?\nx"}]
    path.write_text("Be brief.\n---\nQ: {question}\n---\nC: {context}", "utf-8")
    system, user = load_prompt(str(path)).messages("who?", "x")
    assert (system["content"], user["content"]) == ("Be brief.", "Q: who?\n---\nC: x")


def test_text_from_outside_is_not_a_template(tmp_path):
    user = load_prompt("answer").messages("What is {context}?", r"{question} \1 {0}")[-1]["content"]
    assert "What is {context}?" in user
    assert r"{question} \1 {0}" in user


@pytest.mark.parametrize(
    ("text", "message"),
    [("{question}", "lacks {context}"), ("{context}", "lacks {question}"), ("", "lacks {question}"),
     ("{question} {context} {answers}", "{answers} has no place"),
     ("about {question}\n---\n{question} {context}", "{question} has no place")],
)  # fmt: skip
def test_placeholders_are_checked(tmp_path, text, message):
    path = tmp_path / "p.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=message):
        load_prompt(str(path))


def test_a_prompt_that_is_nowhere_or_no_text(tmp_path):
    with pytest.raises(
        ConfigError, match=r"'answr' is neither built in \(answer, judge, rewrite\) "
    ):
        load_prompt("answr")
    (tmp_path / "p.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_prompt(str(tmp_path / "p.txt"))
    with pytest.raises(ConfigError, match="neither built in"):
        load_prompt(str(tmp_path))


def test_passages_are_numbered_in_rank_order():
    hits = [Hit(PageRef("a/b", i), text, 1.0, i) for i, text in enumerate(["one\n", " ", "three"])]
    assert passages(hits) == "[1] one\n\n[3] three"
    assert passages([]) == passages(hits[1:2]) == ""
    assert "(none" in load_prompt("answer").messages("q", "")[-1]["content"]


@pytest.mark.parametrize(
    ("written", "answer"),
    [("<answer> 12 </answer>", "12"), ("Sure: <ANSWER>12</ANSWER> bye", "12"), ("12", "12"),
     ("between <answer> and </answer>: <answer>5</answer>", "5"), ("<answer>cut off", "cut off"),
     ("<think><answer>no</answer></think><answer>yes</answer>", "yes"), ("<think>on and", ""),
     ("<response>x</response>", "x"), ("<answer></answer>", ""), ("", "")],
)  # fmt: skip
def test_the_answer_stands_between_the_last_tags(written, answer):
    assert answer_in(written) == answer


def test_long_nonsense_takes_linear_time():
    assert answer_in("<think>" * 50_000) == ""
    assert len(answer_in("<answer>" * 50_000)) < 400_000
