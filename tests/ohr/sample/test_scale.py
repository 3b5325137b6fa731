"""A sample of any size: the same bytes however it is made; a stopped run goes on."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from ohr.datasets.ohrbench import OhrBench
from ohr.errors import ConfigError, OhrError, StoreError
from ohr.registry import create
from ohr.sample import corpus, scale, storage
from ohr.sample.scale import Recipe, planned, write_sample


def quiet(done: int, total: int) -> None:
    """Progress that nobody looks at."""


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def written_groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A group of documents, and two documents of the next."""
    out = tmp_path_factory.mktemp("made") / "sample"
    assert write_sample(Recipe(3, 27), out, workers=1, progress=quiet)
    return out


@pytest.mark.slow
def test_same_bytes_made_by_workers(written_groups: Path, tmp_path: Path) -> None:
    write_sample(Recipe(3, 27), tmp_path / "x", workers=2, progress=quiet)
    assert files_of(tmp_path / "x") == files_of(written_groups)


@pytest.mark.slow
def test_same_bytes_whatever_the_worker_count(tmp_path: Path) -> None:
    for workers in (1, 2, 3):
        write_sample(Recipe(3, 45), tmp_path / str(workers), workers=workers, progress=quiet)
    one, *rest = (files_of(tmp_path / str(workers)) for workers in (1, 2, 3))
    assert all(other == one for other in rest)


@pytest.mark.slow
def test_a_larger_sample_begins_with_the_smaller_one(written_groups: Path, tmp_path: Path) -> None:
    write_sample(Recipe(3, 24), tmp_path / "small", workers=1, progress=quiet)
    small, large = files_of(tmp_path / "small"), files_of(written_groups)
    lists = {"qas.json", "documents.json", "sample.json"}
    assert small.keys() - lists < large.keys() - lists
    assert all(large[name] == data for name, data in small.items() if name not in lists)
    # The questions of every whole group are the same too.
    asked, more = (json.loads(each["qas.json"]) for each in (small, large))
    assert asked[:21] == more[:21]


@pytest.mark.slow
def test_it_is_read_as_ohrbench(written_groups: Path) -> None:
    params = {
        "path": str(written_groups / "retrieval_base"),
        "questions": str(written_groups / "qas.json"),
        "pdfs": str(written_groups / "pdfs"),
        "strict": True,
    }
    dataset = create("dataset", {"name": OhrBench.name, "params": params}).load()
    assert len(dataset.pages) == len(dataset.questions) == 27
    about = json.loads((written_groups / "documents.json").read_text("utf-8"))
    assert {one["doc_name"]: one["pages"] for one in about} == {
        doc_id: len(document.pages) for doc_id, document in dataset.documents.items()
    }
    for one in about:
        assert one["attributes"] == []
        assert len(one["page_attributes"]) == one["pages"]
        boxes = json.loads(
            (written_groups / "boxes" / f"{one['doc_name']}.json").read_text("utf-8")
        )
        assert [page["page_idx"] for page in boxes] == list(range(one["pages"]))
        assert all(page["blocks"] for page in boxes)
    found = {name for one in about for page in one["page_attributes"] for name in page}
    assert {"table", "formula", "chart", "complex_layout"} <= found


@pytest.mark.slow
def test_attributes_are_recorded_and_counted_in_pages(tmp_path: Path) -> None:
    recipe = Recipe(4, 6, attributes=("scanned", "dense"), questions_per_page=0.5)
    write_sample(recipe, tmp_path / "x", workers=1, progress=quiet)
    about = json.loads((tmp_path / "x" / "documents.json").read_text("utf-8"))
    assert sum(one["pages"] for one in about) == 6
    assert {tuple(one["attributes"]) for one in about} == {(), ("scanned",), ("dense",)}
    for one in about:
        if "dense" in one["attributes"]:
            assert one["pages"] == 1
            assert "dense_text" in one["page_attributes"][0]
    assert not (tmp_path / "x" / "images").exists()


def test_a_document_does_not_depend_on_others() -> None:
    alone = corpus.document(5, 17, 3)
    assert alone in corpus.documents(5, 63)


def test_groups_add_up() -> None:
    for pages in (1, 3, 20, 21, 22, 100):
        groups = list(planned(Recipe(0, pages, questions_per_page=1.5)))
        assert sum(group.n_pages for group in groups) == pages
        assert sum(group.n_questions for group in groups) == int(pages * 1.5)
        assert all(length <= 3 for group in groups for _, length in group.members)


# Stopped, wrong, full


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_it_was(
    written_groups: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "x"
    real, written = scale.write_group, []

    def stopped(task: tuple[Recipe, str, scale.Group]) -> None:
        written.append(task[2].number)
        if len(written) == 2:
            raise KeyboardInterrupt
        real(task)

    monkeypatch.setattr(scale, "write_group", stopped)
    monkeypatch.setattr(scale, "IN_PROCESS", 9)
    with pytest.raises(KeyboardInterrupt):
        write_sample(Recipe(3, 27), out, workers=1, progress=quiet)
    assert not (out / "qas.json").exists()
    assert write_sample(Recipe(3, 27), out, workers=1, progress=quiet)
    assert written == [0, 1, 1]
    assert files_of(out) == files_of(written_groups)
    assert not write_sample(Recipe(3, 27), out, workers=1, progress=quiet)


def test_a_folder_with_other_things_is_left_alone(written_groups: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for out, recipe in (
        (tmp_path, Recipe(3, 27)),
        (written_groups, Recipe(4, 45)),
        (written_groups, Recipe(3, 28)),
    ):
        before = files_of(out)
        with pytest.raises(ConfigError, match=r"is not empty.*choose another folder"):
            write_sample(recipe, out, workers=1, progress=quiet)
        assert files_of(out) == before


def test_a_full_disk_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(storage, "_write", full)
    with pytest.raises(StoreError, match=r"No space left on device: free some space"):
        write_sample(Recipe(0, 3), tmp_path / "x", workers=1, progress=quiet)
    message = scale.write_group_guarded(
        (Recipe(0, 3), str(tmp_path / "y"), next(planned(Recipe(0, 3))))
    )
    assert "free some space" in message


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write"):
        write_sample(Recipe(0, 3), tmp_path / "file" / "x", workers=1, progress=quiet)


def test_a_worker_that_fails_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "write_group_guarded", "no_such_module:nothing")
    with pytest.raises(OhrError, match="no_such_module"):
        write_sample(Recipe(0, 90), tmp_path / "x", workers=2, progress=quiet)
