"""What a reader tells a language model is kept in the manifest, word for word."""

from __future__ import annotations

from ohr.plugins import Reader
from ohr.scoring.tallies import ReaderTally
from rag.readers._prompt import load_prompt
from rag.readers.extractive import Extractive
from rag.readers.openai import OpenAi


def test_prompts_are_those_that_are_sent(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("Be brief.\n---\n{question}\n{context}\n===\nA page.\n---\nWho?\n---\nAda\n")
    reader: Reader = OpenAi(
        OpenAi.Params(model="m", base_url="http://127.0.0.1:1", prompt=str(path))
    )
    prompt = load_prompt(str(path))
    assert reader.prompts() == {
        "system": prompt.system,
        "user": "{question}\n{context}",
        "example 1": "A page.\n---\nWho?\n---\nAda",
    }
    summary = ReaderTally({"name": "m"}, prompts=reader.prompts()).summary()
    assert summary["prompts"] == reader.prompts()


def test_a_reader_without_a_prompt_keeps_none():
    assert Extractive().prompts() == {}
    assert "prompts" not in ReaderTally({"name": "e"}).summary()
