"""A language model with real weights answers: in process, and through llama.cpp's server."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ohr import registry
from ohr.errors import MissingDependencyError
from ohr.types import Hit, PageRef, Status
from tests.rag.llama_cpp import served
from tests.rag.real_models import smollm2

pytestmark = [pytest.mark.torch, pytest.mark.slow]

FERRY = (
    "The ferry Marigold sails from Port Ellery at 7:40 every morning. Captain Ingrid Solheim has "
    "commanded her since 2011. A return ticket costs 18 crowns, and dogs travel free of charge."
)
QUARRY = (
    "Slate has been cut at Hendre Quarry since 1874. In 2016 the quarry sold 5,300 tonnes. The "
    "largest buyer was the city of Bergen."
)
ASKED = [
    (FERRY, "What is the ferry called?", "Marigold"),
    (FERRY, "Where does the ferry sail from?", "Port Ellery"),
    (FERRY, "Who is the captain?", "Ingrid Solheim"),
    (FERRY, "How much does a return ticket cost?", "18 crowns"),
    (QUARRY, "What is cut at the quarry?", "slate"),
    (QUARRY, "Since which year has slate been cut at Hendre Quarry?", "1874"),
    (QUARRY, "How many tonnes did the quarry sell in 2016?", "5,300 tonnes"),
]


def hits(text: str) -> list[Hit]:
    return [Hit(PageRef("a/b", 0), text, 1.0, 0)]


def local_reader(**params: Any) -> Any:
    settings = {"model": str(smollm2()), "prompt": "answer", "max_new_tokens": 24} | params
    return registry.create("reader", {"name": "transformers", "params": settings})


def answered(reader: Any, order: list[int]) -> dict[int, str]:
    """Place of a question -> what the reader says, asked in this order."""
    questions, contexts = (
        [ASKED[position][1] for position in order],
        [hits(ASKED[position][0]) for position in order],
    )
    replies = list(reader.answer_many(questions, contexts))
    assert {reply.outcome.status for reply in replies} == {Status.OK}
    assert all(reply.usage["prompt_tokens"] > 50 for reply in replies)
    return {order[reply.index]: str(reply.outcome.value) for reply in replies}


def told(answers: dict[int, str]) -> int:
    """How many answers have the right one in them: a model of this size talks on."""
    return sum(
        ASKED[position][2].casefold() in text.casefold() for position, text in answers.items()
    )


@pytest.fixture(scope="module")
def reader() -> Any:
    """A reader, loaded. Its file, which transformers parses three times, is parsed once."""
    gguf = pytest.importorskip("gguf")
    made = local_reader()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf, "GGUFReader", cache(gguf.GGUFReader))
        assert made._loaded
    return made


@pytest.fixture(scope="module")
def local_answers(reader: Any) -> dict[int, str]:
    return answered(reader, list(range(len(ASKED))))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    # Never imported here: beside another module of another Cython it fails.
    if find_spec("xllamacpp") is None:
        pytest.skip("no llama.cpp: pip install --no-deps xllamacpp")
    log = tmp_path_factory.mktemp("llama") / "log"
    with served(smollm2(), log, window=1024) as started:
        yield started.url


def server_reader(url: str, **params: Any) -> Any:
    settings = {"model": "smollm2", "base_url": url, "prompt": "answer", "max_tokens": 24}
    settings |= {"concurrency": 1} | params
    return registry.create("reader", {"name": "openai", "params": settings})


def test_it_reads_the_passages(reader: Any, local_answers: dict[int, str]) -> None:
    assert told(local_answers) >= 4
    unknown = (0, 2, 3, 6)
    blind = {position: str(reader.answer(ASKED[position][1], []).value) for position in unknown}
    assert told({position: local_answers[position] for position in unknown}) > told(blind)


def test_answers_do_not_depend_on_what_was_asked_before(
    reader: Any, local_answers: dict[int, str]
) -> None:
    assert answered(reader, [5, 2, 0]) == {
        position: local_answers[position] for position in (5, 2, 0)
    }
    # A padded batch agrees too, in float32.
    padded = local_reader(batch_size=3)
    padded.__dict__["_loaded"] = reader._loaded  # read once
    assert answered(padded, [0, 2, 5]) == {
        position: local_answers[position] for position in (0, 2, 5)
    }


def test_both_roads_answer_alike(local_answers: dict[int, str], server: str) -> None:
    there = answered(server_reader(server), list(range(len(ASKED))))
    # Four-bit weights are multiplied in other precisions: a token or two may tip.
    assert (
        sum(there[position] == local_answers[position] for position in local_answers)
        >= len(local_answers) - 2
    )
    assert abs(told(there) - told(local_answers)) <= 1


def test_a_context_past_the_servers_window_is_that_questions_error(server: str) -> None:
    outcome = server_reader(server).answer("What is the ferry called?", hits(FERRY * 40))
    assert outcome.status is Status.ERROR
    assert "\n" not in outcome.detail
    assert "1024" in outcome.detail.replace(",", "")
    cut = server_reader(server, max_context_tokens=300).answer(ASKED[0][1], hits(FERRY * 40))
    assert cut.status is Status.OK
    assert cut.detail.startswith("context cut to 300 of ")


def test_damaged_files_are_told_in_one_line(tmp_path: Path) -> None:
    whole = smollm2().read_bytes()
    for name, content, message in (
        ("short", whole[: len(whole) // 2], "is cut short or damaged"),
        ("header", whole[:200], "is cut short or damaged"),
        ("other", b"not a model", "is no GGUF file"),
        ("unknown", whole.replace(b"llama", b"lxama", 1), "lxama"),
    ):
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(content)
        with pytest.raises(MissingDependencyError, match=message) as failed:
            local_reader(model=str(path)).answer("Who?", [])
        assert "\n" not in str(failed.value)
    with pytest.raises(MissingDependencyError, match="cannot be read"):
        local_reader(model=str(tmp_path / "absent.gguf")).identity()


def test_a_copy_by_another_name_is_the_same_model(tmp_path: Path) -> None:
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(smollm2().read_bytes())
    assert local_reader(model=str(copy)).identity() == local_reader().identity()
