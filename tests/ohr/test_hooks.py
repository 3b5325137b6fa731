"""Plug-ins of one's own: what each hook asks for, and what is said of a class that lacks it."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from ohr import plugins
from ohr.errors import ConfigError, MissingDependencyError, PluginError, StoreError
from ohr.plugins import (
    Chunker,
    ImageRetriever,
    Metric,
    OcrBackend,
    PageDistortion,
    PageParams,
    PageRecord,
    Params,
    Reader,
    Retriever,
    TextPerturbation,
)
from ohr.types import Chunk, Hit, Outcome, PageImage, PageRef, Status

REF = PageRef("law/deed", 0)
PAGE = np.full((40, 60), 255, np.uint8)


class Sum(OcrBackend):
    name = "sum"

    def read(self, image):
        if image.flat[0] == 0:
            raise ValueError("too dark")
        if image.flat[0] == 1:
            raise MissingDependencyError("no model: pip install model")
        return "" if image.flat[0] == 2 else f"sum {image.sum()}"


def test_an_engine_is_one_method_that_reads_a_page_image():
    dark, empty = np.zeros_like(PAGE), np.full_like(PAGE, 2)
    read = list(Sum().transcribe([PAGE, dark, empty, PAGE[0]], [4, 5, 6, 7]))
    assert read[0] == (4, Outcome(f"sum {PAGE.sum()}"))
    assert read[1] == (5, Outcome.error("sum: ValueError: too dark"))
    assert read[2] == (6, Outcome("", Status.EMPTY))
    assert "not a page image" in read[3][1].detail
    with pytest.raises(ValueError, match="zip"):
        list(Sum().transcribe([PAGE], [1, 2]))


def test_a_missing_model_is_no_pages_fault():
    with pytest.raises(MissingDependencyError, match="pip install model"):
        list(Sum().transcribe([np.ones_like(PAGE)], [0]))


@pytest.mark.parametrize("error", [ConfigError("no key: set KEY"), StoreError("disk is full")])
def test_nor_is_a_wrong_configuration_or_a_full_disk(error):
    class Unset(OcrBackend):
        name = "unset"

        def read(self, image):
            raise error

    with pytest.raises(type(error), match=str(error)):
        list(Unset().transcribe([PAGE], [0]))


def test_an_engine_of_images_says_that_it_reads_no_pdf(tmp_path):
    with pytest.raises(ConfigError, match=r"sum reads page images: render deed\.pdf"):
        list(Sum().transcribe(tmp_path / "deed.pdf", [0]))


class Whole(OcrBackend):
    name = "whole"

    def transcribe(self, source, page_nos):
        for number in page_nos:
            yield number, Outcome("a page")


def test_an_engine_that_reads_many_pages_at_once_reads_one_too():
    assert Whole().read(PAGE) == Outcome("a page")


class First(Retriever):
    name = "first"

    def index(self, chunks):
        self.chunks = chunks

    def search(self, query, k):
        return [Hit(c.ref, c.text, 1.0, rank) for rank, c in enumerate(self.chunks[:k])]


def test_a_retriever_indexes_and_searches():
    retriever = First()
    retriever.index([Chunk(REF, 0, 1, "a"), Chunk(REF, 1, 2, "b")])
    assert [[hit.text for hit in hits] for hits in retriever.search_many(["x", "y"], 1)] == [
        ["a"],
        ["a"],
    ]


class Grey(PageDistortion):
    name = "grey"

    def plan(self, head, rng):
        return head

    def render(self, page, record):
        return (page * (1 - record.intensity / 2)).astype(np.uint8)


class StripeParams(PageParams):
    width: int = 4


class StripeRecord(PageRecord):
    row: int


class Stripe(PageDistortion[StripeRecord, StripeParams]):
    name = "stripe"

    def plan(self, head, rng):
        return StripeRecord(**head.model_dump(), row=int(rng.integers(head.shape[0])))

    def render(self, page, record):
        out = page.copy()
        out[record.row : record.row + self.params.width] = 0
        return out


@pytest.mark.parametrize("make", [Grey, Stripe])
def test_a_distortion_is_plan_and_render(make):
    noise = make()
    applied = noise.apply(PAGE, intensity=0.5, rng=np.random.default_rng(0))
    assert (applied.value != PAGE).any()
    assert (noise.replay(PAGE, applied.record) == applied.value).all()
    assert (noise.apply(PAGE, intensity=0, rng=np.random.default_rng(0)).value == PAGE).all()
    boxes = np.array([[1.0, 2.0, 3.0, 4.0]])
    assert (noise.move(boxes, applied.record) == boxes).all()


def test_parameters_and_record_are_those_between_the_brackets():
    assert (Stripe.Params, Stripe.Record) == (StripeParams, StripeRecord)
    assert (Grey.Params, Grey.Record) == (PageParams, PageRecord)
    assert Stripe().params.width == 4
    assert Stripe(StripeParams(width=2)).identity()["params"]["width"] == 2

    class Wider(Stripe):
        name = "wider"

    assert Wider.Params is StripeParams


class Halves(Chunker):
    name = "halves"

    def spans(self, text):
        half = len(text) // 2
        return [(0, half), (half, len(text))]


class Echo(Reader):
    name = "echo"

    def answer(self, question, context):
        return Outcome.of_text(question)


class Same(Metric):
    name = "same"

    def score(self, prediction, reference):
        return float(prediction == reference)


class Differs(Metric):
    name = "differs"
    higher_is_better = False

    def score(self, prediction, reference):
        return float(prediction != reference)


def test_chunker_reader_and_metric_are_one_method():
    assert [chunk.text for chunk in Halves().split(REF, "abcd")] == ["ab", "cd"]
    assert [reply.outcome.value for reply in Echo().answer_many(["who?"], [[]])] == ["who?"]
    assert (Same()("a", "a"), Same.missing, Differs.missing) == (1.0, 0.0, 1.0)


def complaint(make):
    with pytest.raises(PluginError) as caught:
        make()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("base", "lacks"),
    [
        (OcrBackend, "def read(self, image: np.ndarray) -> str | Outcome[str] or def transcribe("),
        (Retriever, "def index(self, chunks: Sequence[Chunk]) -> None"),
        (Reader, "def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]"),
        (Chunker, "def spans(self, text: str) -> list[tuple[int, int]]"),
        (Metric, "def score(self, prediction: str, reference: str) -> float"),
        (PageDistortion, "def plan(self, head: PageRecord, rng: np.random.Generator) -> R"),
        (TextPerturbation, "def apply(self, x: X, *, intensity: float, rng: "),
    ],
)
def test_a_class_that_lacks_a_method_is_told_which_when_it_is_made(base, lacks):
    said = complaint(lambda: type("Mine", (base,), {"name": "mine", "__module__": "plugins"}))
    assert said.startswith("plug-in plugins.Mine lacks a method: ")
    assert lacks in said


def test_a_retriever_without_a_search_is_told_of_both():
    said = complaint(lambda: type("Mine", (Retriever,), {"name": "m", "index": First.index}))
    assert "def search(self, query: str, k: int) -> list[Hit] or def search_many(" in said


def test_a_class_without_a_name_is_told_so():
    said = complaint(lambda: type("Mine", (Reader,), {"answer": Echo.answer}))
    assert said.endswith('.Mine has no name: give it one, as name = "mine"')


def test_a_base_may_leave_open_what_its_plugins_must_have():
    class Base(Reader[Params], abstract=True):
        pass

    assert "has no name" in complaint(lambda: type("Mine", (Base,), {}))


def test_a_retriever_of_images_is_an_index_and_one_of_two_searches():
    with pytest.raises(PluginError, match="lacks a method: def search"):

        class NoSearch(ImageRetriever):
            name = "none"

            def index_images(self, pages):
                return {}

    with pytest.raises(PluginError, match="lacks a method: def index_images"):

        class NoIndex(ImageRetriever):
            name = "none"

            def search(self, query, k):
                return []

    class Whole(ImageRetriever):
        name = "whole"

        def index_images(self, pages):
            self.pages = [page.ref for page in pages]
            return {}

        def search(self, query, k):
            return [Hit(ref, "", 1.0, rank) for rank, ref in enumerate(self.pages[:k])]

    made = Whole()
    made.index_images([PageImage(REF, "0", None)])
    assert made.whole_pages
    assert made.sees_images
    assert made.search_many(["a", "b"], 3) == [made.search("a", 3)] * 2


def hook_methods():
    """The methods that a plug-in defines: those that are abstract in a hook, and `read`."""
    found = {}
    for name in plugins.__all__:
        cls = getattr(plugins, name)
        if inspect.isclass(cls):
            abstract = sorted(getattr(cls, "__abstractmethods__", ()))
            for method in [*abstract, "read", "search", "score"]:
                function = vars(cls).get(method)
                if inspect.isfunction(function):
                    found[f"{name}.{method}"] = function
    return found


@pytest.mark.parametrize("name", hook_methods())
def test_a_hook_says_what_each_argument_is(name):
    function = hook_methods()[name]
    arguments = [each for each in inspect.signature(function).parameters if each != "self"]
    text = inspect.getdoc(function) or ""
    if arguments:
        assert "\nArgs:\n" in text
        section = text.partition("\nArgs:\n")[2]
        assert re.findall(r"^    (\w+):", section, re.MULTILINE) == arguments
