from __future__ import annotations

import pytest

from ohr.errors import ConfigError
from ohr.types import Hit, PageRef
from rag.readers._prompt import BARE, BUILT_IN, NOTHING, extract_answer, load_prompt, passages


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in BARE])
def test_built_in_prompts_hold_question_and_context_once(name):
    prompt = load_prompt(name)
    system, *shown, user = prompt.messages("WHO?", "PAGE TEXT")
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].count("WHO?") == user["content"].count("PAGE TEXT") == 1
    # An answer is told from the rest by its tags, or shown.
    tagged = any(tag in system["content"] for tag in ("<answer>", "<response>"))
    assert tagged != bool(shown)
    assert "{" not in system["content"] + user["content"]
    plain = prompt.plain("WHO?", "P")
    assert plain.startswith(f"{system['content']}\n\n")
    assert plain.endswith(prompt.messages("WHO?", "P")[-1]["content"])


def test_unifiedqa_is_asked_as_it_was_trained():
    prompt = load_prompt("unifiedqa")
    hits = [Hit(PageRef("a/b", n), text, 1.0, n) for n, text in enumerate(["Red\n Boats", "GREEN"])]
    prepared = prompt.prepare("Which  Boats?", hits)
    assert prompt.plain(*prepared) == "which boats? \\n red boats green"
    assert prompt.messages(*prepared) == [{"role": "user", "content": prompt.plain(*prepared)}]
    assert prompt.plain(*prompt.prepare("Why?", [])) == "why? \\n "
    assert load_prompt("answer").prepare("Why?", hits[1:]) == ("Why?", "[1] GREEN")


def test_examples_stand_before_the_question_as_turns(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text(
        "Be brief.\n---\n{context}\nQ: {question}\nA:\n===\n[1] Red.\n---\nColour?\n---\nred\n"
        "===\n\n---\nWhy?\n---\nnot said\n",
        "utf-8",
    )
    prompt = load_prompt(str(path))
    turns = [(turn["role"], turn["content"]) for turn in prompt.messages("Who?", "[1] Ada.")]
    assert turns == [
        ("system", "Be brief."),
        ("user", "[1] Red.\nQ: Colour?\nA:"),
        ("assistant", "red"),
        ("user", f"{NOTHING}\nQ: Why?\nA:"),
        ("assistant", "not said"),
        ("user", "[1] Ada.\nQ: Who?\nA:"),
    ]
    shown = "Be brief.\n\n[1] Red.\nQ: Colour?\nA: red\n\n"
    assert prompt.plain("Who?", "[1] Ada.").startswith(shown)
    # What knows no roles writes the next example too.
    assert prompt.extract_answer(" Ada\n\n[1] Blue.\nQ: Sky?", plain=True) == "Ada"
    path.write_text("{context} {question}\n===\nonly a page\n---\nand a question", "utf-8")
    with pytest.raises(ConfigError, match="example 1 needs its passages, its question and its"):
        load_prompt(str(path))


def test_a_file_takes_its_place(tmp_path):
    path = tmp_path / "unified.txt"
    path.write_text("{question}\n{context}\n", "utf-8")
    assert load_prompt(str(path)).messages("who?", "x") == [{"role": "user", "content": "who?\nx"}]
    path.write_text("Be brief.\n---\nQ: {question}\n---\nC: {context}", "utf-8")
    system, user = load_prompt(str(path)).messages("who?", "x")
    assert (system["content"], user["content"]) == ("Be brief.", "Q: who?\n---\nC: x")
    path.write_bytes(b"\xef\xbb\xbf---\r\n{question} {context}\r\n")  # as Notepad saves it
    assert load_prompt(str(path)).messages("who?", "x") == [{"role": "user", "content": "who? x"}]


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
        ConfigError,
        match=r"'answr' is neither built in \(few_shot, answer, ohrbench, judge, rewrite, uni",
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
     ("so <answer>no</answer></think><answer>yes</answer>", "yes"), ("hm </think>\n12", "12"),
     ("<think>is <think> a tag?</think> no</think>12", "12"), ("12 <think>or 13", "12"),
     *(
         (f"{opens}or 13{closes}12", "12")
         for opens, closes in (
             ("<thinking>", "</thinking>"), ("<Reasoning>", "</reasoning>"),
             ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"),
             ("<|START_THINKING|>", "<|END_THINKING|>"),
         )
     ),
     ("<|channel|>analysis<|message|>13?<|end|><|start|>assistant<|channel|>final<|message|>12"
      "<|return|>", "12"), ("<|channel|>analysis<|message|>13?", ""),
     ("analysis13?assistantfinal12", "12"), ("<|begin_of_box|>12<|end_of_box|>", "12"),
     ("12<|im_end|>\n<|endoftext|>", "12"), ("12</s>", "12"), ("<s>1</s>", "<s>1</s>"),
     ("<response>x</response>", "x"), ("<answer></answer>", ""), ("", "")],
)  # fmt: skip
def test_the_answer_stands_between_the_last_tags(written, answer):
    assert extract_answer(written) == answer


def test_long_nonsense_takes_linear_time():
    assert extract_answer("<think>" * 50_000) == extract_answer("</think>" * 50_000) == ""
    assert len(extract_answer("<answer>" * 50_000)) < 400_000


def test_the_form_of_the_paper_is_question_then_documents_and_response_tags():
    prompt = load_prompt("ohrbench")
    system, user = prompt.messages("When?", "[1] In 1874.")
    assert not prompt.examples
    assert "<response>" in system["content"]
    assert user["content"].index("When?") < user["content"].index("[1] In 1874.")
    assert prompt.extract_answer("Sure: <response>1874</response>") == "1874"
