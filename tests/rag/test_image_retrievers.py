"""Retrievers of page images on tiny checkpoints: loading, encoding, scoring, keeping."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.models.pictures import shrink
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import pixel_digest
from ohr.types import Outcome, PageImage, PageRef
from rag.retrievers._maxsim import maxsim
from rag.retrievers._page_images import PART
from tests.rag.checkpoints import written as language_model
from tests.rag.vision_checkpoints import written

QUERIES = ["what is the interest rate", "river water", "x"]
LATE = ["colqwen2", "colmodernvbert", "colpali", "colsmol"]


class Drawn:
    """Pages that are drawn from an array each; counts what is drawn."""

    def __init__(self, arrays):
        self.arrays = dict(enumerate(arrays))
        self.drawn = []

    def draw(self, refs):
        self.drawn += refs
        return [
            Outcome(self.arrays[ref.page_no])
            if self.arrays[ref.page_no] is not None
            else Outcome.error("cannot be drawn")
            for ref in refs
        ]

    def pages(self):
        return [
            PageImage(PageRef("law/a", n), "0" * 32 if a is None else pixel_digest(a), self)
            for n, a in self.arrays.items()
        ]


def random_pages(n=5, height=90, width=70, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, (height + 9 * i, width, 3), dtype=np.uint8) for i in range(n)]


def create(name, kind, **params):
    given = {"model": str(written(kind)), "device": "cpu"} | params
    return registry.create("retriever", {"name": name, "params": given})


def found(retriever, arrays, k=9):
    drawn = Drawn(arrays)
    assert retriever.index_images(drawn.pages()) == {}
    return [
        [(hit.ref.page_no, hit.score) for hit in hits] for hits in retriever.search_many(QUERIES, k)
    ]


# --- MaxSim ----------------------------------------------------------------------------

SIZES = st.lists(st.integers(1, 7), min_size=1, max_size=6)


def vectors(sizes, seed):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, 5)).astype(np.float32) for n in sizes]


@given(SIZES, SIZES, st.integers(0, 99), st.booleans(), st.integers(1, 9), st.integers(1, 9))
def test_maxsim_is_the_sum_of_each_tokens_best_match(sizes, page_sizes, seed, mean, tokens, most):
    queries, pages = vectors(sizes, seed), vectors(page_sizes, seed + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rag.retrievers._maxsim.TOKENS", tokens)
        patch.setattr("rag.retrievers._maxsim.SCORES", most)
        scores = np.array(list(maxsim(queries, pages, mean=mean)))
    expected = np.array([[sum(max(q @ p for p in page) for q in query) for page in pages]
                         for query in queries])  # fmt: skip
    if mean:
        expected /= np.array([[n] for n in sizes])
    assert np.allclose(scores, expected, atol=1e-5)


def test_equal_pages_have_equal_scores_wherever_they_stand():
    queries, pages = vectors([3, 17, 1], 0), vectors([40, 7, 40, 13], 1)
    for scores in maxsim(queries, [*pages, pages[1], pages[0]]):
        assert scores[0] == scores[5]
        assert scores[1] == scores[4]


def test_a_page_is_scaled_down_and_never_up():
    [page] = random_pages(1)
    assert shrink(page, None) is page
    assert shrink(page, 90) is page
    assert shrink(page, 45).shape == (45, 35, 3)


# --- models ----------------------------------------------------------------------------


@pytest.mark.torch
@pytest.mark.parametrize("kind", LATE)
def test_scores_are_those_of_the_package(kind):
    package = pytest.importorskip("sentence_transformers")
    from PIL import Image

    made, pages = create("late_interaction", kind), random_pages()
    hits = found(made, pages)
    model = made._model
    assert isinstance(model, package.MultiVectorEncoder)
    kept = [np.asarray(v, np.float32) for v in made._vectors]
    scores = model.similarity(model.encode_query(QUERIES), kept).numpy()
    whole = model.encode_document([Image.fromarray(page) for page in pages])
    exact = model.similarity(model.encode_query(QUERIES), whole).numpy()
    for row, in_full, ranked in zip(scores, exact, hits, strict=True):
        assert [page for page, _ in ranked] == sorted(
            range(len(pages)), key=lambda position, row=row: -row[position]
        )
        for page, score in ranked:
            assert score == pytest.approx(row[page], abs=1e-4)
            assert score == pytest.approx(in_full[page], abs=5e-3)  # half precision


@pytest.mark.torch
@pytest.mark.parametrize("kind", LATE)
def test_a_page_has_many_vectors_and_pooling_leaves_fewer(kind):
    made, pooled = create("late_interaction", kind), create("late_interaction", kind, pool=3)
    pages = random_pages()
    found(made, pages)
    first = found(pooled, pages)
    assert [v.dtype for v in made._vectors] == [np.float16] * len(pages)
    for many, few in zip(made._vectors, pooled._vectors, strict=True):
        assert len(few) == max(1, int(len(many) // 3))
    assert found(pooled, pages) == first
    assert found(create("late_interaction", kind, pool=3), pages) == first
    assert pooled.identity() != made.identity()


@pytest.mark.torch
@pytest.mark.parametrize("kind", LATE)
def test_a_vector_does_not_depend_on_its_batch(kind):
    pages = [page[:90] for page in random_pages()]
    one, many = (create("late_interaction", kind, batch_size=size) for size in (1, 5))
    assert one.identity() == many.identity()
    for a, b in zip(one.encode_pages(pages), many.encode_pages(pages), strict=True):
        assert np.allclose(a, b, atol=2e-3)


@pytest.mark.torch
def test_side_and_tiles_are_part_of_the_identity_and_change_the_vectors():
    pages = random_pages()
    made = create("late_interaction", "colmodernvbert")
    one_tile = create("late_interaction", "colmodernvbert", processor={"do_image_splitting": False})
    small = create("late_interaction", "colqwen2", image_side=60)
    large = create("late_interaction", "colqwen2")
    for other in (made, one_tile, small, large):
        found(other, pages)
    assert len(one_tile._vectors[0]) < len(made._vectors[0])
    assert len(small._vectors[0]) < len(large._vectors[0])
    assert len({str(one.identity()) for one in (made, one_tile, small, large)}) == 4


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "kind"), [("late_interaction", "colqwen2"), ("single_vector", "clip")]
)
def test_equal_pages_tie_in_index_order(name, kind):
    pages = random_pages(3)
    hits = found(create(name, kind), [pages[0], pages[1], pages[0], pages[2], pages[0]])
    for ranked in hits:
        places = {page: rank for rank, (page, _) in enumerate(ranked)}
        assert places[0] + 1 == places[2] == places[4] - 1
        assert len({score for page, score in ranked if page in (0, 2, 4)}) == 1


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["clip", "dse"])
def test_single_vectors_are_cosine_similarities(kind):
    from PIL import Image

    made, pages = create("single_vector", kind), random_pages()
    hits = found(made, pages)
    model = made._model
    held = model.encode([Image.fromarray(page) for page in pages], normalize_embeddings=True)
    scores = model.encode(QUERIES, normalize_embeddings=True) @ held.T
    for row, ranked in zip(scores, hits, strict=True):
        assert [score for _, score in ranked] == sorted((s for _, s in ranked), reverse=True)
        for page, score in ranked:
            assert score == pytest.approx(row[page], abs=1e-3)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "kind", "why"),
    [
        ("late_interaction", "smolvlm", "no projection for late interaction"),
        ("single_vector", "smolvlm", "does not say how its tokens become one vector"),
    ],
)
def test_a_model_that_was_trained_for_another_task_is_not_made_up(name, kind, why):
    with pytest.raises(MissingDependencyError, match=why):
        found(create(name, kind), random_pages(1))


@pytest.mark.torch
@pytest.mark.parametrize("name", ["late_interaction", "single_vector"])
def test_a_model_of_text_and_an_unknown_setting_are_refused(name, tmp_path):
    text = str(language_model("qwen2"))
    with pytest.raises(ConfigError, match="looks at no pictures"):
        found(create(name, "clip", model=text), random_pages(1))
    with pytest.raises(ConfigError, match="no setting 'tiles'; it has: "):
        found(create(name, "clip", processor={"tiles": 3}), random_pages(1))


@pytest.mark.torch
def test_a_model_that_is_not_there_says_so(tmp_path):
    with pytest.raises(MissingDependencyError, match="no checkpoint folder"):
        create("late_interaction", "colqwen2", model=str(tmp_path / "none")).identity()
    broken = tmp_path / "broken"
    shutil.copytree(written("colqwen2"), broken)
    (broken / "preprocessor_config.json").write_text("{")
    with pytest.raises(MissingDependencyError, match="cannot be loaded"):
        found(create("late_interaction", "colqwen2", model=str(broken)), random_pages(1))


# --- keeping ---------------------------------------------------------------------------


@pytest.mark.torch
def test_vectors_are_kept_and_read_without_drawing(tmp_path):
    pages = random_pages(PART + 3, height=40, width=40)
    made = create("late_interaction", "colqwen2")
    made.use_store(ArtefactStore(tmp_path))
    hits = found(made, pages)
    assert all(isinstance(v.base, np.memmap | np.ndarray) for v in made._vectors)
    again = create("late_interaction", "colqwen2")
    again.use_store(ArtefactStore(tmp_path))
    drawn = Drawn(pages)
    again.index_images(drawn.pages())
    assert drawn.drawn == []
    assert found(again, pages) == hits
    assert all(np.array_equal(a, b) for a, b in zip(made._vectors, again._vectors, strict=True))


class Killed(BaseException):
    pass


@pytest.mark.torch
def test_killed_and_begun_again_the_kept_bytes_are_the_same(tmp_path, monkeypatch):
    pages = random_pages(2 * PART + 3, height=40, width=40)
    whole = create("late_interaction", "colqwen2", pool=2)
    whole.use_store(ArtefactStore(tmp_path / "whole"))
    found(whole, pages)

    killed = create("late_interaction", "colqwen2", pool=2)
    killed.use_store(ArtefactStore(tmp_path / "killed"))
    encode, calls = killed.encode_pages, []

    def dies(images):
        calls.append(len(images))
        if len(calls) == 2:
            raise Killed
        return encode(images)

    monkeypatch.setattr(killed, "encode_pages", dies)
    with pytest.raises(Killed):
        killed.index_images(Drawn(pages).pages())
    again = create("late_interaction", "colqwen2", pool=2)
    again.use_store(ArtefactStore(tmp_path / "killed"))
    drawn = Drawn(pages)
    again.index_images(drawn.pages())
    assert len(drawn.drawn) == PART + 3
    found(again, pages)
    files = {p.relative_to(tmp_path / "whole"): p.read_bytes()
             for p in (tmp_path / "whole").rglob("*") if p.is_file()}  # fmt: skip
    there = {p.relative_to(tmp_path / "killed"): p.read_bytes()
             for p in (tmp_path / "killed").rglob("*") if p.is_file()}  # fmt: skip
    assert files == there


@pytest.mark.torch
def test_a_page_that_fails_changes_no_other_pages_batch(tmp_path):
    pages = [None, *random_pages(PART + 2, height=40, width=40)]
    kept = []
    for name, first in (("whole", pages), ("resumed", pages[:PART])):
        made = create("late_interaction", "colqwen2", batch_size=PART)
        made.use_store(ArtefactStore(tmp_path / name))
        made.index_images(Drawn(first).pages())  # the second one gets no further
        made.index_images(Drawn(pages).pages())
        kept.append(made._vectors)
    assert all(np.array_equal(a, b) for a, b in zip(*kept, strict=True))
    files = [sorted(p.name for p in (tmp_path / n).rglob("*.npy")) for n in ("whole", "resumed")]
    assert files[0] == files[1]


@pytest.mark.torch
def test_a_page_that_cannot_be_drawn_is_never_found_and_tried_again(tmp_path):
    pages = random_pages(3)
    made = create("late_interaction", "colqwen2")
    made.use_store(ArtefactStore(tmp_path))
    drawn = Drawn([pages[0], None, pages[2]])
    assert made.index_images(drawn.pages()) == {PageRef("law/a", 1): "cannot be drawn"}
    assert {hit.ref.page_no for hit in made.search("river", 9)} == {0, 2}
    drawn.drawn.clear()
    made.index_images(drawn.pages())
    assert drawn.drawn == [PageRef("law/a", 1)]


def test_image_retrievers_are_no_part_of_a_retriever_of_chunks():
    inner = {"name": "late_interaction", "params": {"model": "x"}}
    for name, params in (
        ("page", {"retriever": inner}),
        ("rerank", {"retriever": inner, "model": "x"}),
    ):
        with pytest.raises(ConfigError, match="late_interaction"):
            registry.create("retriever", {"name": name, "params": params})
